//! Mail messages and mailboxes as documents.
//!
//! A file with one message (EML, Maildir, Apple Mail's EMLX) is one document; a
//! mailbox (MBOX) gives one for each message, and one about itself. Files that
//! messages carry are handed on as they are. Bytes are untrusted: time is about
//! linear in their number, and memory is bounded by the largest message that is
//! read, which is bounded too.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod attachments;
mod body;
mod charset;
mod date;
mod format;
mod headers;
mod html;
mod labels;
mod mbox;
mod message;
mod mime;
mod phrases;
mod plain;
mod quotes;
mod settings;
mod structure;
#[cfg(test)]
mod tests;
mod tnef;
mod transfer;
mod yielding;

use extract_core::{About, Bytes, Documents, Extractor, Failure, Input, Ocr};
pub use settings::{Quotes, SETTINGS_SCHEMA, Settings};

/// The component.
pub struct Mail;

extract_core::export!(crate::Mail);

impl Extractor for Mail {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads mail: EML, EMLX, Maildir and MBOX, with attachments.",
        settings_schema: SETTINGS_SCHEMA,
    };

    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        _: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure> {
        let settings: Settings = input.settings()?;
        Ok(Box::new(yielding::Messages::open(input, bytes, settings)?))
    }
}
