//! The files inside archives: zip, tar, and what gzip, bzip2, xz and Zstandard
//! pack.
//!
//! An archive gives each of its files in pieces, as they are unpacked, and one
//! document for itself. Bytes are untrusted: memory is bounded whatever an
//! archive claims, and what swells beyond reason is refused.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod names;
mod packed;
mod recover;
mod settings;
mod source;
mod tar;
#[cfg(test)]
mod tests;
mod walk;
mod zip;

use extract_core::{About, Bytes, Documents, Extractor, Failure, FailureKind, Input, Ocr, title};

use packed::Packing;
pub use settings::{SETTINGS_SCHEMA, Settings};
use source::Source;
use walk::{Members, Walk};

/// The component.
pub struct Archive;

extract_core::export!(crate::Archive);

impl Extractor for Archive {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads the files inside zip and tar archives and inside gzip, bzip2, xz and Zstandard files.",
        settings_schema: SETTINGS_SCHEMA,
    };

    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        _: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure> {
        let settings: Settings = input.settings()?;
        let source = Source::new(bytes);
        let head = source.head(HEAD)?;
        if let Some(name) = is_foreign(&head) {
            return Err(Failure::new(
                FailureKind::Unsupported,
                format!("The file is a {name} archive, which is not read; pack it as zip or tar."),
            ));
        }
        let members: Box<dyn Members> = if let Some(packing) = Packing::of(&head) {
            packed::open(packing, &source, input.name)?
        } else if tar::is_header(&head) {
            Box::new(tar::Tar::new(source.all()))
        } else if zip::begins(&head) || input.extension() == "zip" {
            zip::open(&source)?
        } else {
            return Err(Failure::invalid("The file is no archive that can be read."));
        };
        let title = title::tidy(input.name).unwrap_or_else(|| input.name.to_owned());
        Ok(Box::new(Walk::new(members, title, settings)))
    }
}

/// Enough of a file to tell any archive: a tar header.
const HEAD: usize = 512;

/// Archives that are known and not read.
fn is_foreign(head: &[u8]) -> Option<&'static str> {
    if head.starts_with(b"7z\xBC\xAF\x27\x1C") {
        Some("7-Zip")
    } else if head.starts_with(b"Rar!") {
        Some("RAR")
    } else {
        None
    }
}
