//! Office files and books.

use super::{Form, Sample};

pub(super) fn samples(word: &str) -> Vec<Sample> {
    let of = |name, parts| Sample::new("extract-office", name, Form::Zip(parts));
    vec![
        of("text.docx", docx(word)),
        of("sheet.xlsx", xlsx(word)),
        of("slides.pptx", pptx(word)),
        of("text.odt", odt(word)),
        of("sheet.ods", ods(word)),
        of("slides.odp", odp(word)),
        of("book.epub", epub(word)),
        Sample::plain(
            "extract-office",
            "text.rtf",
            format!(
                r"{{\rtf1\ansi\ansicpg1252\deff0{{\fonttbl{{\f0 Times;}}}}{{\info{{\title A title}}{{\author Ada}}}}\pard\b The {word} tree\b0\par\'e9t\u233?\par\trowd\cellx1000\cellx2000 a\cell b\cell\row{{\footnote a note}}{{\*\unknown x}}\par}}"
            ),
        ),
        Sample::plain("extract-office", "text.fodt", fodt(word)),
    ]
}

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
const TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const DOCUMENT: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const SHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const SLIDE: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";
const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";

/// Relations: id, type and target of each.
fn relations(all: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        format!(r#"<Relationship Id="{id}" Type="{DOCUMENT}/{kind}" Target="{target}"/>"#)
    };
    let all: String = all.iter().map(one).collect();
    format!(r#"{XML}<Relationships xmlns="{PACKAGE}">{all}</Relationships>"#)
}

/// The part that comes first, with the types of these parts.
fn types(all: &[(&str, &str)]) -> String {
    let one = |(part, kind): &(&str, &str)| {
        format!(
            r#"<Override PartName="{part}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>"#
        )
    };
    let all: String = all.iter().map(one).collect();
    format!(
        r#"{XML}<Types xmlns="{TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{all}</Types>"#
    )
}

/// A text document with that body.
pub(crate) fn docx_of(body: &str) -> Vec<(&'static str, String)> {
    vec![
        (
            "[Content_Types].xml",
            types(&[("/word/document.xml", "wordprocessingml.document.main")]),
        ),
        (
            "_rels/.rels",
            relations(&[("rId1", "officeDocument", "word/document.xml")]),
        ),
        (
            "word/document.xml",
            format!(
                r#"{XML}<w:document xmlns:w="{WORD}" xmlns:r="{DOCUMENT}"><w:body>{body}</w:body></w:document>"#
            ),
        ),
    ]
}

fn docx(word: &str) -> Vec<(&'static str, String)> {
    let mut parts = docx_of(&format!(
        r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>A heading</w:t></w:r></w:p>
<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">The {word} </w:t></w:r><w:ins w:id="1" w:author="Ada"><w:r><w:t>tree</w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:footnoteReference w:id="2"/></w:r><w:hyperlink r:id="rId9"><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#
    ));
    parts.extend([
        (
            "word/_rels/document.xml.rels",
            relations(&[
                ("rId2", "footnotes", "footnotes.xml"),
                ("rId3", "styles", "styles.xml"),
                ("rId4", "numbering", "numbering.xml"),
                ("rId9", "hyperlink", "https://a.example/"),
            ]),
        ),
        (
            "word/footnotes.xml",
            format!(r#"{XML}<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="2"><w:p><w:r><w:t>a footnote</w:t></w:r></w:p></w:footnote></w:footnotes>"#),
        ),
        (
            "word/styles.xml",
            format!(r#"{XML}<w:styles xmlns:w="{WORD}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Heading1"/></w:style></w:styles>"#),
        ),
        (
            "word/numbering.xml",
            format!(r#"{XML}<w:numbering xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"#),
        ),
    ]);
    parts
}

/// A workbook whose one sheet shows the first shared string; with these.
pub(crate) fn xlsx_of(strings: &str) -> Vec<(&'static str, String)> {
    vec![
        (
            "[Content_Types].xml",
            types(&[
                ("/xl/workbook.xml", "spreadsheetml.sheet.main"),
                ("/xl/worksheets/sheet1.xml", "spreadsheetml.worksheet"),
                ("/xl/sharedStrings.xml", "spreadsheetml.sharedStrings"),
            ]),
        ),
        (
            "_rels/.rels",
            relations(&[("rId1", "officeDocument", "xl/workbook.xml")]),
        ),
        (
            "xl/workbook.xml",
            format!(
                r#"{XML}<workbook xmlns="{SHEET}" xmlns:r="{DOCUMENT}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            relations(&[
                ("rId1", "worksheet", "worksheets/sheet1.xml"),
                ("rId2", "sharedStrings", "sharedStrings.xml"),
            ]),
        ),
        ("xl/sharedStrings.xml", strings.to_owned()),
        (
            "xl/worksheets/sheet1.xml",
            format!(
                r#"{XML}<worksheet xmlns="{SHEET}"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>45000.5</v></c><c r="D1" t="inlineStr"><is><t>inline</t></is></c></row><row r="9"><c r="A9"><f>SUM(B1)</f><v>7</v></c></row></sheetData></worksheet>"#
            ),
        ),
    ]
}

fn xlsx(word: &str) -> Vec<(&'static str, String)> {
    xlsx_of(&format!(
        r#"{XML}<sst xmlns="{SHEET}" count="1" uniqueCount="1"><si><t>the {word} tree</t></si></sst>"#
    ))
}

/// A presentation of one slide with these shapes.
pub(crate) fn pptx_of(shapes: &str) -> Vec<(&'static str, String)> {
    vec![
        (
            "[Content_Types].xml",
            types(&[
                ("/ppt/presentation.xml", "presentationml.presentation.main"),
                ("/ppt/slides/slide1.xml", "presentationml.slide"),
            ]),
        ),
        (
            "_rels/.rels",
            relations(&[("rId1", "officeDocument", "ppt/presentation.xml")]),
        ),
        (
            "ppt/presentation.xml",
            format!(
                r#"{XML}<p:presentation xmlns:p="{SLIDE}" xmlns:r="{DOCUMENT}"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>"#
            ),
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            relations(&[("rId1", "slide", "slides/slide1.xml")]),
        ),
        (
            "ppt/slides/slide1.xml",
            format!(
                r#"{XML}<p:sld xmlns:p="{SLIDE}" xmlns:a="{DRAWING}"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"#
            ),
        ),
    ]
}

fn pptx(word: &str) -> Vec<(&'static str, String)> {
    pptx_of(&format!(
        r#"<p:sp><p:nvSpPr><p:cNvPr id="2" name="Title"/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>A title</a:t></a:r></a:p></p:txBody></p:sp><p:grpSp><p:sp><p:txBody><a:p><a:pPr lvl="1"/><a:r><a:t>The {word} tree</a:t></a:r></a:p></p:txBody></p:sp></p:grpSp>"#
    ))
}

const NAMESPACES: &str = r#"xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0""#;

/// An OpenDocument file of that type with that body.
pub(crate) fn odf_of(kind: &str, body: &str) -> Vec<(&'static str, String)> {
    let media = format!("application/vnd.oasis.opendocument.{kind}");
    vec![
        ("mimetype", media.clone()),
        (
            "META-INF/manifest.xml",
            format!(
                r#"{XML}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{media}"/></manifest:manifest>"#
            ),
        ),
        (
            "content.xml",
            format!(
                r#"{XML}<office:document-content {NAMESPACES}><office:body>{body}</office:body></office:document-content>"#
            ),
        ),
    ]
}

fn text_body(word: &str) -> String {
    format!(
        r#"<office:text><text:h text:outline-level="1">A heading</text:h><text:p>The {word}<text:s text:c="2"/>tree<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>a footnote</text:p></text:note-body></text:note></text:p><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>a</text:p></table:table-cell></table:table-row></table:table></office:text>"#
    )
}

fn odt(word: &str) -> Vec<(&'static str, String)> {
    odf_of("text", &text_body(word))
}

fn ods(word: &str) -> Vec<(&'static str, String)> {
    let body = format!(
        r#"<office:spreadsheet><table:table table:name="One"><table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>the {word} tree</text:p></table:table-cell><table:table-cell table:number-columns-repeated="3"/></table:table-row></table:table></office:spreadsheet>"#
    );
    odf_of("spreadsheet", &body)
}

fn odp(word: &str) -> Vec<(&'static str, String)> {
    let body = format!(
        r#"<office:presentation><draw:page draw:name="One"><draw:frame><draw:text-box><text:p>The {word} tree</text:p></draw:text-box></draw:frame></draw:page></office:presentation>"#
    );
    odf_of("presentation", &body)
}

fn fodt(word: &str) -> String {
    format!(
        r#"{XML}<office:document {NAMESPACES} office:mimetype="application/vnd.oasis.opendocument.text"><office:body>{}</office:body></office:document>"#,
        text_body(word)
    )
}

/// A book of one chapter with that body.
pub(crate) fn epub_of(chapter: &str, contents: &str) -> Vec<(&'static str, String)> {
    vec![
        ("mimetype", "application/epub+zip".into()),
        (
            "META-INF/container.xml",
            r#"<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#.into(),
        ),
        (
            "book.opf",
            r#"<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A book</dc:title><dc:creator>Ada</dc:creator><dc:language>en</dc:language><dc:identifier id="id">x</dc:identifier></metadata><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/><item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest><spine toc="ncx"><itemref idref="c"/></spine></package>"#.into(),
        ),
        (
            "toc.ncx",
            format!(r#"<?xml version="1.0"?><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{contents}</navMap></ncx>"#),
        ),
        (
            "c.xhtml",
            format!(r#"<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>c</title></head><body>{chapter}</body></html>"#),
        ),
    ]
}

fn epub(word: &str) -> Vec<(&'static str, String)> {
    epub_of(
        &format!(r#"<h1 id="a">Chapter one</h1><p>The {word} tree.</p>"#),
        r#"<navPoint id="n"><navLabel><text>Chapter one</text></navLabel><content src="c.xhtml#a"/></navPoint>"#,
    )
}
