//! Made files that are zips of parts.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::write::{SimpleFileOptions, ZipWriter};

use super::file;
use super::made::Made;
use super::reading::File;

const TYPES: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const SHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
/// Every part of an Office file has a type, which ours need not.
const CONTENT_TYPES: (&str, &str) = (
    "[Content_Types].xml",
    "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>",
);

/// Word files with so many paragraphs each: headings, lists and tables among
/// them.
pub(super) fn documents(made: &mut Made, count: usize, paragraphs: usize) -> Vec<File> {
    let one = |made: &mut Made| {
        let mut body = String::new();
        for number in 0..paragraphs {
            let text = made.paragraph();
            let run = |text: &str| {
                format!(
                    "<w:r><w:rPr><w:lang w:val=\"en-GB\"/></w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r>"
                )
            };
            let _ = match number % 15 {
                0 => write!(
                    body,
                    "<w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr>{}</w:p>",
                    run(&made.title())
                ),
                7 => {
                    let cell = |text: String| format!("<w:tc><w:p>{}</w:p></w:tc>", run(&text));
                    let rows: String = (0..5)
                        .map(|_| {
                            let cells = cell(made.title()) + &cell(made.title());
                            format!("<w:tr>{cells}</w:tr>")
                        })
                        .collect();
                    write!(body, "<w:tbl>{rows}</w:tbl>")
                }
                9..12 => write!(
                    body,
                    "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>{}</w:p>",
                    run(&text)
                ),
                _ => {
                    // An editor leaves a run for each time something was typed.
                    let runs: String = text.split_inclusive(". ").map(run).collect();
                    write!(body, "<w:p>{runs}</w:p>")
                }
            };
        }
        let document =
            format!("<w:document xmlns:w=\"{WORD}\"><w:body>{body}</w:body></w:document>");
        let styles = format!(
            "<w:styles xmlns:w=\"{WORD}\"><w:style w:type=\"paragraph\" w:styleId=\"Heading1\"><w:name w:val=\"heading 1\"/></w:style></w:styles>"
        );
        pack(&[
            CONTENT_TYPES,
            (
                "_rels/.rels",
                &relations(&[("officeDocument", "word/document.xml")]),
            ),
            (
                "word/_rels/document.xml.rels",
                &relations(&[("styles", "styles.xml")]),
            ),
            ("word/document.xml", &document),
            ("word/styles.xml", &styles),
        ])
    };
    (0..count)
        .map(|number| file(format!("{number}.docx"), one(made)))
        .collect()
}

/// Workbooks of one sheet with so many rows of eight cells.
pub(super) fn workbooks(made: &mut Made, count: usize, rows: usize) -> Vec<File> {
    let one = |made: &mut Made| {
        let strings: String = (0..500)
            .map(|_| format!("<si><t>{}</t></si>", made.title()))
            .collect();
        let mut cells = String::new();
        for row in 1..=rows {
            let _ = write!(cells, "<row r=\"{row}\">");
            for column in 'A'..='H' {
                let _ = match column {
                    'A'..='C' => write!(
                        cells,
                        "<c r=\"{column}{row}\" t=\"s\"><v>{}</v></c>",
                        made.number(500)
                    ),
                    'D' => write!(
                        cells,
                        "<c r=\"{column}{row}\" s=\"1\"><v>{}</v></c>",
                        40_000 + made.number(5_000)
                    ),
                    _ => write!(
                        cells,
                        "<c r=\"{column}{row}\"><v>{}.{}</v></c>",
                        made.number(10_000),
                        1 + made.number(9)
                    ),
                };
            }
            cells.push_str("</row>");
        }
        let parts = [
            ("worksheet", "worksheets/sheet1.xml"),
            ("sharedStrings", "sharedStrings.xml"),
            ("styles", "styles.xml"),
        ];
        pack(&[
            CONTENT_TYPES,
            (
                "_rels/.rels",
                &relations(&[("officeDocument", "xl/workbook.xml")]),
            ),
            (
                "xl/workbook.xml",
                &format!(
                    "<workbook xmlns=\"{SHEET}\" xmlns:r=\"{TYPES}\"><sheets><sheet name=\"All\" sheetId=\"1\" r:id=\"r0\"/></sheets></workbook>"
                ),
            ),
            ("xl/_rels/workbook.xml.rels", &relations(&parts)),
            (
                "xl/worksheets/sheet1.xml",
                &format!("<worksheet xmlns=\"{SHEET}\"><sheetData>{cells}</sheetData></worksheet>"),
            ),
            (
                "xl/sharedStrings.xml",
                &format!("<sst xmlns=\"{SHEET}\">{strings}</sst>"),
            ),
            (
                "xl/styles.xml",
                &format!(
                    "<styleSheet xmlns=\"{SHEET}\"><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
                ),
            ),
        ])
    };
    (0..count)
        .map(|number| file(format!("{number}.xlsx"), one(made)))
        .collect()
}

/// Books with so many chapters of forty paragraphs.
pub(super) fn books(made: &mut Made, count: usize, chapters: usize) -> Vec<File> {
    let one = |made: &mut Made| {
        let items: String = (0..chapters)
            .map(|at| {
                format!(
                    "<item id=\"c{at}\" href=\"{at}.xhtml\" media-type=\"application/xhtml+xml\"/>"
                )
            })
            .collect();
        let spine: String = (0..chapters)
            .map(|at| format!("<itemref idref=\"c{at}\"/>"))
            .collect();
        let title = made.title();
        let book = format!(
            "<package xmlns=\"http://www.idpf.org/2007/opf\"><metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{title}</dc:title><dc:language>en</dc:language></metadata>\
             <manifest>{items}</manifest><spine>{spine}</spine></package>"
        );
        let mut parts = vec![
            ("mimetype".to_owned(), "application/epub+zip".to_owned()),
            (
                "META-INF/container.xml".to_owned(),
                "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles><rootfile full-path=\"book.opf\"/></rootfiles></container>".to_owned(),
            ),
            ("book.opf".to_owned(), book),
        ];
        for at in 0..chapters {
            let paragraphs: String = (0..40)
                .map(|_| format!("<p class=\"text\">{}</p>\n", made.paragraph()))
                .collect();
            let title = made.title();
            parts.push((
                format!("{at}.xhtml"),
                format!(
                    "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>{title}</title></head><body><h1>{title}</h1>\n{paragraphs}</body></html>"
                ),
            ));
        }
        let parts: Vec<(&str, &str)> = parts
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        pack(&parts)
    };
    (0..count)
        .map(|number| file(format!("{number}.epub"), one(made)))
        .collect()
}

/// The files in one, each in a folder of its own.
pub(super) fn archive(files: &[File]) -> File {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, inside) in files.iter().enumerate() {
        put(
            &mut zip,
            &format!("{number}/{}", inside.name),
            &inside.bytes,
        );
    }
    file("all.zip", zip.finish().unwrap().into_inner())
}

fn pack(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        put(&mut zip, name, text.as_bytes());
    }
    zip.finish().unwrap().into_inner()
}

fn put(zip: &mut ZipWriter<Cursor<Vec<u8>>>, name: &str, bytes: &[u8]) {
    zip.start_file(name, SimpleFileOptions::default()).unwrap();
    zip.write_all(bytes).unwrap();
}

/// The relationships of a part, called `r0` and on: kind, target.
fn relations(list: &[(&str, &str)]) -> String {
    let list: String = list
        .iter()
        .enumerate()
        .map(|(id, (kind, target))| {
            format!("<Relationship Id=\"r{id}\" Type=\"{TYPES}/{kind}\" Target=\"{target}\"/>")
        })
        .collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{list}</Relationships>"
    )
}
