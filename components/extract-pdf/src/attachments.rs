//! Files attached to the document or to a place on a page.

use std::collections::HashSet;

use extract_core::Failure;
use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier, Stream, String as PdfString};

use crate::{strings, tree};

/// Attachments beyond this are left out.
const MOST_ATTACHMENTS: usize = 1000;
/// Names are cut to so many characters.
const MOST_NAME: usize = 200;

/// A file attached.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attachment {
    /// Unique among the document's attachments.
    pub(crate) name: String,
    pub(crate) media_type: Option<String>,
    /// Where its bytes are.
    stream: ObjectIdentifier,
}

/// What is attached, in the order of the files' names in the document, then of
/// the pages.
pub(crate) fn list(pdf: &Pdf, catalog: Option<&Dict<'_>>) -> Vec<Attachment> {
    let mut specs: Vec<Dict<'_>> = Vec::new();
    let root = catalog
        .and_then(|catalog| catalog.get::<Dict<'_>>("Names"))
        .and_then(|names| names.get::<Dict<'_>>("EmbeddedFiles"));
    if let Some(root) = root {
        specs.extend(tree::names(&root).into_iter().filter_map(|(_, spec)| spec.into_dict()));
    }
    if let Some(files) = catalog.and_then(|catalog| catalog.get::<Array<'_>>("AF")) {
        specs.extend(files.iter::<Dict<'_>>().take(MOST_ATTACHMENTS));
    }
    for page in pdf.pages().iter() {
        let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else {
            continue;
        };
        for annotation in annotations.iter::<Dict<'_>>().take(10_000) {
            if annotation
                .get::<Name<'_>>("Subtype")
                .is_some_and(|kind| kind.as_str() == "FileAttachment")
            {
                specs.extend(annotation.get::<Dict<'_>>("FS"));
            }
        }
    }
    let mut streams = HashSet::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut out = Vec::new();
    for spec in specs {
        if out.len() == MOST_ATTACHMENTS {
            break;
        }
        let Some((stream, media_type)) = file(&spec) else {
            continue;
        };
        if !streams.insert(stream) {
            continue;
        }
        let first = name(&spec);
        let mut name = first.clone();
        let mut count = 1;
        // Names that differ in case only are one in some file systems.
        while !taken.insert(name.to_lowercase()) {
            count += 1;
            name = numbered(&first, count);
        }
        out.push(Attachment {
            name,
            media_type,
            stream,
        });
    }
    out
}

/// The stream with the bytes, and their media type.
fn file(spec: &Dict<'_>) -> Option<(ObjectIdentifier, Option<String>)> {
    let files = spec.get::<Dict<'_>>("EF")?;
    let key = ["UF", "F", "Unix", "DOS", "Mac"]
        .into_iter()
        .find(|key| files.contains_key(key))?;
    let stream = files.get::<Stream<'_>>(key)?;
    let media_type = stream
        .dict()
        .get::<Name<'_>>("Subtype")
        .map(|name| name.as_str().to_owned())
        .filter(|name| name.len() < 100 && name.contains('/'));
    Some((files.get_ref(key)?.into(), media_type))
}

/// The file's name without folders; what file systems do not allow is `_`.
fn name(spec: &Dict<'_>) -> String {
    let raw = ["UF", "F", "Unix", "DOS", "Mac"]
        .into_iter()
        .find_map(|key| spec.get::<PdfString<'_>>(key))
        .map(|raw| strings::decode(raw.as_bytes()))
        .unwrap_or_default();
    let last = raw.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let mut name: String = last
        .chars()
        .map(|c| if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c })
        .collect();
    if name.chars().count() > MOST_NAME {
        // The end has the extension.
        let skip = name.chars().count() - MOST_NAME;
        name = name.chars().skip(skip).collect();
    }
    match name.as_str() {
        "" | "." | ".." => "attachment".to_owned(),
        _ => name,
    }
}

/// `a.txt` as `a (2).txt`.
fn numbered(name: &str, count: usize) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => format!("{stem} ({count}).{extension}"),
        _ => format!("{name} ({count})"),
    }
}

/// The attachment's bytes.
///
/// # Errors
/// Where they cannot be unpacked.
pub(crate) fn bytes(pdf: &Pdf, attachment: &Attachment) -> Result<Vec<u8>, Failure> {
    pdf.xref()
        .get::<Stream<'_>>(attachment.stream)
        .and_then(|stream| Some(stream.decoded_data().ok()?.into_owned()))
        .ok_or_else(|| {
            Failure::invalid("The attachment is damaged and could not be unpacked.")
        })
}
