//! PDF files as documents.
//!
//! Content is interpreted for its text only ([`content`]), put into reading
//! order ([`layout`]) and written as Markdown ([`text`]), page by page. Bytes
//! are untrusted: any input gives a document or a [`Failure`]; the work a file
//! may cause is bounded by its length.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod about;
mod attachments;
mod content;
mod document;
mod headings;
mod layout;
mod ocr;
mod open;
mod outline;
mod paragraphs;
mod settings;
mod strings;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod xmp;

use std::vec;

use attachments::Attachment;
use extract_core::{
    About, Batch, Bytes, Documents, Extractor, Failure, Input, MOST_PIECES_BYTES, Ocr, PartFailure,
    Piece,
};
pub use settings::{SETTINGS_SCHEMA, Settings};

/// The component.
pub struct Pdf;

extract_core::export!(crate::Pdf);

impl Extractor for Pdf {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads PDF files: text in reading order by page, headings, properties and attachments.",
        settings_schema: SETTINGS_SCHEMA,
    };

    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        ocr: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure> {
        let settings: Settings = input.settings()?;
        let bytes = bytes.read_all(settings.max_bytes)?;
        Ok(Box::new(Opened {
            name: input.name.to_owned(),
            pdf: open::open(bytes, &settings.passwords)?,
            settings,
            ocr,
            attachments: None,
            current: None,
        }))
    }
}

/// A file that is being handed on: first its document, then its attachments.
struct Opened {
    name: String,
    pdf: hayro_syntax::Pdf,
    settings: Settings,
    ocr: Box<dyn Ocr>,
    /// Those to come; none before the document.
    attachments: Option<vec::IntoIter<Attachment>>,
    /// The one whose pieces are being handed on.
    current: Option<Unpacked>,
}

struct Unpacked {
    attachment: Attachment,
    bytes: Vec<u8>,
    /// What has been handed on.
    done: usize,
}

impl Documents for Opened {
    fn next(&mut self, limit: usize) -> Result<Batch, Failure> {
        let mut batch = Batch::default();
        if self.attachments.is_none() {
            let read = document::read(&self.pdf, &self.name, &self.settings, &*self.ocr);
            batch.last = read.attachments.is_empty();
            self.attachments = Some(read.attachments.into_iter());
            batch.documents.push(Ok(read.document));
            return Ok(batch);
        }
        let mut room = MOST_PIECES_BYTES;
        while batch.pieces.len() < limit && batch.documents.len() < limit && room > 0 {
            match self.piece(room) {
                Some(Ok(piece)) => {
                    room -= piece.content.len();
                    batch.pieces.push(piece);
                }
                Some(Err(failure)) => batch.documents.push(Err(failure)),
                None => {
                    batch.last = true;
                    break;
                }
            }
        }
        Ok(batch)
    }
}

impl Opened {
    /// The next piece of an attachment, of at most `most` bytes; nothing when
    /// there is none left.
    fn piece(&mut self, most: usize) -> Option<Result<Piece, PartFailure>> {
        let mut current = match self.current.take() {
            Some(current) => current,
            None => {
                let attachment = self.attachments.as_mut()?.next()?;
                match attachments::bytes(&self.pdf, &attachment) {
                    Ok(bytes) => Unpacked {
                        attachment,
                        bytes,
                        done: 0,
                    },
                    Err(failure) => {
                        let part = attachment.name;
                        return Some(Err(PartFailure { part, failure }));
                    }
                }
            }
        };
        let end = (current.done + most).min(current.bytes.len());
        let piece = Piece {
            part: current.attachment.name.clone(),
            name: current.attachment.name.clone(),
            media_type: current.attachment.media_type.clone(),
            content: current.bytes[current.done..end].to_vec(),
            last: end == current.bytes.len(),
        };
        current.done = end;
        if !piece.last {
            self.current = Some(current);
        }
        Some(Ok(piece))
    }
}
