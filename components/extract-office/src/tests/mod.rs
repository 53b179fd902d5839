//! Whole files: what is read of them, and what hostile ones do.

mod books;
mod hostile;
mod libreoffice;
mod presentations;
mod rich_text;
mod word;
mod workbooks;

use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use extract_core::{Document, Failure, Place, Value};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::{Settings, extract};

pub(crate) const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
pub(crate) const TYPES: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A ZIP file of parts.
pub(crate) fn pack<T: AsRef<[u8]>>(parts: &[(&str, T)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_ref()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The relationships of a part: id, kind, target.
pub(crate) fn relations(list: &[(&str, &str, &str)]) -> String {
    let list: String = list
        .iter()
        .map(|(id, kind, target)| {
            let mode = if target.contains(':') {
                r#" TargetMode="External""#
            } else {
                ""
            };
            format!(r#"<Relationship Id="{id}" Type="{TYPES}/{kind}" Target="{target}"{mode}/>"#)
        })
        .collect();
    format!(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{list}</Relationships>"#
    )
}

pub(crate) fn try_read(name: &str, bytes: Vec<u8>) -> Result<Document, Failure> {
    let read = extract(name, Box::new(bytes), &Settings::default());
    if let Ok(document) = &read {
        check(document);
    }
    read
}

pub(crate) fn read(name: &str, bytes: Vec<u8>) -> Document {
    try_read(name, bytes).unwrap()
}

/// What holds for every document.
pub(crate) fn check(document: &Document) {
    let text = &document.text;
    assert!(!text.contains(['\r', '\0']), "{text:?}");
    assert!(!document.title.is_empty());
    for pair in document.marks.windows(2) {
        assert!(pair[0].offset < pair[1].offset, "{pair:?}");
    }
    for mark in &document.marks {
        assert!(
            mark.offset < text.len() && text.is_char_boundary(mark.offset),
            "{mark:?}"
        );
        assert!(mark.place != Place::Page(0) && mark.place != Place::Part(String::new()));
    }
    for link in &document.links {
        let shown = text.get(link.span.start..link.span.end);
        assert!(
            shown.is_some_and(|shown| !shown.is_empty()),
            "{link:?} in {text:?}"
        );
        assert!(link.label.as_deref() != Some("") && link.heading.as_deref() != Some(""));
    }
    for pair in document.links.windows(2) {
        assert!(pair[0].span.end <= pair[1].span.start);
    }
    assert!(
        document
            .tags
            .iter()
            .all(|tag| !tag.is_empty() && !tag.starts_with('#'))
    );
    for property in &document.properties {
        let blank = Value::One(extract_core::Scalar::Text(String::new()));
        assert!(!property.name.is_empty() && property.value != blank);
    }
}

/// Our own files.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/office")
        .join(name);
    std::fs::read(path).unwrap()
}

/// Files of others, which lie beside the project where they lie at all.
pub(crate) fn shared(folder: &str) -> Option<Vec<PathBuf>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("../../../shared/data/formats").join(folder);
    let Ok(entries) = std::fs::read_dir(&path) else {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files)
}
