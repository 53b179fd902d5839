//! Word, OpenDocument, PowerPoint, Excel and EPUB files as documents.
//!
//! Each is a ZIP file of XML parts. Bytes are untrusted: what a part unpacks
//! to, how deep it nests and how long the text gets is bounded, and of a
//! damaged part what comes before the damage is read.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod docx;
mod drawing;
mod flow;
mod labels;
mod office;
mod package;
mod properties;
mod rich;
mod settings;
mod source;
#[cfg(test)]
mod tests;
mod writer;
mod xml;

use extract_core::{
    About, Bytes, Document, Documents, Extractor, Failure, FailureKind, Input, Ocr, all,
};
use package::Package;
pub use settings::{SETTINGS_SCHEMA, Settings};

/// The component.
pub struct Office;

extract_core::export!(crate::Office);

impl Extractor for Office {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads Word, OpenDocument, PowerPoint, Excel and EPUB files.",
        settings_schema: SETTINGS_SCHEMA,
    };

    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        _: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure> {
        let settings: Settings = input.settings()?;
        Ok(all(vec![extract(input.name, bytes, &settings)?]))
    }
}

/// Extracts the document in the file called `name` (file name with extension,
/// without folders).
///
/// # Errors
/// [`FailureKind::InvalidInput`] where the file is damaged beyond reading,
/// [`FailureKind::Unsupported`] for older formats, [`FailureKind::Encrypted`]
/// where a password is needed, [`FailureKind::TooLarge`] over a limit.
pub fn extract(
    name: &str,
    bytes: Box<dyn Bytes>,
    settings: &Settings,
) -> Result<Document, Failure> {
    let mut package = Package::open(bytes, settings)?;
    let main = package.main_part()?.unwrap_or_default();
    docx::read(&mut package, &main, name, settings)
}
