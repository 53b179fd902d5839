//! Any bytes as a file, or as the parts of a package, give a document that holds
//! together, or a failure.

#![no_main]

use std::io::{Cursor, Write as _};

use extract_office::{Settings, extract};
use libfuzzer_sys::fuzz_target;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// Parts that an input may be, by its first byte. Parts after the first are
/// separated by a line of one dash.
const PARTS: [&[&str]; 6] = [
    &["word/document.xml", "word/styles.xml", "word/numbering.xml", "word/footnotes.xml", "word/_rels/document.xml.rels"],
    &["xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"],
    &["ppt/presentation.xml", "ppt/_rels/presentation.xml.rels", "ppt/slides/slide1.xml", "ppt/slides/_rels/slide1.xml.rels"],
    &["content.xml", "styles.xml", "meta.xml"],
    &["content.opf", "a.xhtml", "nav.xhtml"],
    &["_rels/.rels", "[Content_Types].xml", "mimetype"],
];

/// A package. Its parts are not packed, as no fuzzer guesses a checksum.
fn pack(names: &[&str], bytes: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut rest = bytes;
    for (index, name) in names.iter().enumerate() {
        let end = rest.windows(3).position(|three| three == b"\n-\n");
        let end = end.filter(|_| index + 1 < names.len()).unwrap_or(rest.len());
        zip.start_file(*name, stored).expect("a name");
        zip.write_all(&rest[..end]).expect("memory");
        rest = rest.get(end + 3..).unwrap_or_default();
    }
    zip.finish().expect("memory").into_inner()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&sort, rest)) = bytes.split_first() else {
        return;
    };
    let file = match PARTS.get(usize::from(sort.wrapping_sub(b'0'))) {
        Some(names) => pack(names, rest),
        None => bytes.to_vec(),
    };
    let settings = Settings {
        max_text_bytes: 1 << 20,
        ..Settings::default()
    };
    let Ok(document) = extract("a", Box::new(file), &settings) else {
        return;
    };
    let text = &document.text;
    assert!(!document.title.is_empty() && !text.contains(['\r', '\0']));
    assert!(document.marks.windows(2).all(|pair| pair[0].offset < pair[1].offset));
    for mark in &document.marks {
        assert!(mark.offset < text.len() && text.is_char_boundary(mark.offset));
    }
    for link in &document.links {
        let shown = text.get(link.span.start..link.span.end);
        assert!(shown.is_some_and(|shown| !shown.is_empty()), "{link:?}");
    }
});
