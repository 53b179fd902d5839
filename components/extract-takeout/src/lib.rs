//! What Google Takeout exports, as documents: YouTube's histories, playlists and
//! subscriptions, My Activity, Chrome's history, notes of Keep; and calendars
//! and contacts, wherever they come from.
//!
//! A file is known by what is in it. Exports are written in the language of the
//! account, so what counts is structure, ids and addresses, not words.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod activity;
mod body;
mod calendar;
mod contacts;
mod dates;
mod items;
mod json;
mod keep;
mod lines;
mod loose;
mod recurrence;
mod resources;
mod settings;
mod stream;
mod tables;
#[cfg(test)]
mod tests;
mod zones;

use activity::history::History;
use extract_core::{
    About, Bytes, Document, Documents, Extractor, Failure, FailureKind, Input, Ocr, all,
};
pub use settings::{SETTINGS_SCHEMA, Settings};
use stream::Stream;

/// So many bytes show what a file is: pages carry some 150 KB of style sheets
/// before anything else.
const HEAD: u32 = 1 << 20;

/// The component.
pub struct Takeout;

extract_core::export!(crate::Takeout);

impl Extractor for Takeout {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads Google Takeout: YouTube, My Activity, Chrome's history, Keep; calendars and contacts.",
        settings_schema: SETTINGS_SCHEMA,
    };

    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        _: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure> {
        let settings: Settings = input.settings()?;
        let head = bytes.read(0, HEAD)?;
        let begin = String::from_utf8_lossy(&head[..head.len().min(4096)]);
        let begin = begin.trim_start_matches('\u{FEFF}').trim_start();
        if begin.starts_with(['[', '{']) {
            json(input.name, Stream::new(bytes.as_ref())?)
        } else if activity::html::is_activity(&head) {
            html(input.name, Stream::new(bytes.as_ref())?)
        } else if keep::is_twin(&head) {
            Err(keep::twin())
        } else if calendar::is_calendar(begin) {
            let bytes = bytes.read_all(settings.max_bytes)?;
            Ok(all(calendar::read(input.name, bytes)?))
        } else if contacts::is_contacts(begin) {
            let bytes = bytes.read_all(settings.max_bytes)?;
            Ok(all(contacts::read(input.name, bytes)?))
        } else if begin.starts_with('<') {
            Err(unknown())
        } else {
            let bytes = bytes.read_all(settings.max_bytes)?;
            Ok(all(tables::read(input.name, bytes)?))
        }
    }
}

fn unknown() -> Failure {
    Failure::new(
        FailureKind::Unsupported,
        "The file is none of those of Google Takeout that are read.",
    )
}

fn json(name: &str, stream: Stream<'_>) -> Result<Box<dyn Documents>, Failure> {
    let found = json::read(stream)?;
    let mut warnings = found.warnings;
    if found.unknown > 0 {
        let (entries, were) = if found.unknown == 1 {
            ("entry", "was")
        } else {
            ("entries", "were")
        };
        warnings.push(format!(
            "{} {entries} of a kind that is not known {were} left out.",
            found.unknown
        ));
    }
    if found.history.records() > 0 {
        return Ok(Box::new(found.history.into_documents(name, warnings)));
    }
    if !found.resources.documents.is_empty() {
        let count = found.resources.documents.len();
        let text = format!("{count} {}", if count == 1 { "entry" } else { "entries" });
        return Ok(all(found.resources.into_documents(name, text, warnings)));
    }
    if keep::is_note(&found.note) {
        let mut note = keep::document(name, &found.note)?;
        note.warnings = warnings;
        return Ok(all(vec![note]));
    }
    Err(unknown())
}

fn html(name: &str, stream: Stream<'_>) -> Result<Box<dyn Documents>, Failure> {
    let mut history = History::default();
    let dates = activity::html::read(stream, |record| history.add(record))?;
    let mut warnings = Vec::new();
    if dates.unknown_zones > 0 {
        let (entries, have) = if dates.unknown_zones == 1 {
            ("entry", "has")
        } else {
            ("entries", "have")
        };
        warnings.push(format!(
            "{} {entries} {have} a time zone that is not known and counts as UTC.",
            dates.unknown_zones
        ));
    }
    Ok(Box::new(history.into_documents(name, warnings)))
}

/// All documents of a file that lies in memory.
///
/// # Errors
/// As for the component.
pub fn extract(name: &str, bytes: Vec<u8>) -> Result<Vec<Document>, Failure> {
    let input = Input {
        name,
        ..Input::default()
    };
    let mut documents = Takeout::open(input, Box::new(bytes), Box::new(extract_core::NoOcr))?;
    let mut found = Vec::new();
    loop {
        let batch = documents.next(256)?;
        for document in batch.documents {
            found.push(document.map_err(|part| part.failure)?);
        }
        if batch.last {
            return Ok(found);
        }
    }
}
