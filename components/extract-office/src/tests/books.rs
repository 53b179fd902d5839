use extract_core::{FailureKind, Mark, Property};

use super::*;

fn epub(more: &[(&str, &str)]) -> Vec<u8> {
    let container = r#"<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#;
    let opf = r#"<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf"><dc:title>The Bee</dc:title><dc:creator opf:role="aut">Ada Quist</dc:creator><dc:creator opf:role="ill">Not She</dc:creator><dc:language>en</dc:language><dc:date>1901-05</dc:date><dc:subject>Insects</dc:subject><dc:description>&lt;p&gt;All &lt;b&gt;about&lt;/b&gt; bees&lt;/p&gt;</dc:description></metadata>
        <manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>
        <spine><itemref idref="nav"/><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/><itemref idref="zz"/></spine></package>"#;
    let nav = r#"<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol><li><a href="one.xhtml">Of flight</a></li><li><a href="two%20b.xhtml#s">Of honey</a></li></ol></nav></body></html>"#;
    let one = r#"<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head><body><p><a id="p1"/>Bees <i>fly</i>, see <a href="two%20b.xhtml">honey</a> &nbsp;or <a href="https://x.example/">this</a>.</p></body></html>"#;
    let two = r#"<html xmlns="http://www.w3.org/1999/xhtml"><body><h2>Honey</h2><p>Sweet.</p></body></html>"#;
    let mut parts = vec![
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("OEBPS/book.opf", opf),
        ("OEBPS/nav.xhtml", nav),
        ("OEBPS/one.xhtml", one),
        ("OEBPS/two b.xhtml", two),
    ];
    parts.extend(more);
    pack(&parts)
}

#[test]
fn chapters_come_in_the_order_of_the_spine() {
    let document = read("bee.epub", epub(&[]));
    assert!(
        document.text.starts_with("# Of flight\n\nBees "),
        "{}",
        document.text
    );
    assert!(document.text.contains("see honey"), "{}", document.text);
    assert!(
        document.text.ends_with("\n\n## Honey\n\nSweet.\n"),
        "{}",
        document.text
    );
    assert_eq!(document.title, "The Bee");
    assert_eq!(document.tags, ["Insects"]);
    assert_eq!(
        document.properties,
        [
            Property::text("author", "Ada Quist"),
            Property::text("lang", "en"),
            Property::timestamp("published", -2_167_084_800_000),
            Property::text("description", "All **about** bees"),
        ]
    );
    let second = document.text.find("## Honey").unwrap();
    assert_eq!(
        document.marks,
        [Mark::part(0, "Of flight"), Mark::part(second, "Of honey")]
    );
    assert_eq!(document.links.len(), 1);
    let span = document.links[0].span;
    assert_eq!(
        &document.text[span.start..span.end],
        "[this](https://x.example/)"
    );
    assert_eq!(
        document.warnings,
        ["Chapters that are missing from the file: 1."]
    );
}

#[test]
fn a_locked_book_is_refused_and_one_with_obfuscated_fonts_is_not() {
    let encryption = |method: &str| {
        format!(
            r#"<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="{method}"/></enc:EncryptedData></encryption>"#
        )
    };
    let fonts = encryption("http://www.idpf.org/2008/embedding");
    let document = read("bee.epub", epub(&[("META-INF/encryption.xml", &fonts)]));
    assert!(document.text.contains("Sweet."));
    let text = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc");
    let failure = try_read("bee.epub", epub(&[("META-INF/encryption.xml", &text)])).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Encrypted);
}
