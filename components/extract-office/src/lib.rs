//! Word, OpenDocument, PowerPoint, Excel and EPUB files as documents.
//!
//! Each is a ZIP file of XML parts. Bytes are untrusted: what a part unpacks
//! to, how deep it nests and how long the text gets is bounded, and of a
//! damaged part what comes before the damage is read.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod docx;
mod drawing;
mod epub;
mod flow;
mod labels;
mod odf;
mod office;
mod package;
mod pptx;
mod properties;
mod rich;
mod rtf;
mod settings;
mod sheets;
mod slides;
mod sniff;
mod source;
#[cfg(test)]
mod tests;
mod writer;
mod xlsx;
mod xml;

use extract_core::{
    About, Bytes, Document, Documents, Extractor, Failure, FailureKind, Input, Ocr, all,
};
use package::Package;
pub use settings::{SETTINGS_SCHEMA, Settings};
use sniff::{Inside, Outside};

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
    if bytes.size() > settings.max_bytes {
        return Err(Failure::new(
            FailureKind::TooLarge,
            format!(
                "The file has {} bytes, over the limit of {} bytes; raise the setting max_bytes to read it.",
                bytes.size(),
                settings.max_bytes
            ),
        ));
    }
    match sniff::outside(&*bytes)? {
        Outside::Zip => {}
        Outside::Xml => {
            let text = xml::decode(bytes.read_all(settings.max_unpacked_bytes)?);
            return odf::read_flat(&text, name, settings);
        }
        Outside::Rtf => {
            return rtf::read(bytes.read_all(settings.max_unpacked_bytes)?, name, settings);
        }
    }
    let mut package = Package::open(bytes, settings)?;
    match sniff::inside(&mut package)? {
        Inside::Word(main) => docx::read(&mut package, &main, name, settings),
        Inside::Workbook(main) => xlsx::read(&mut package, &main, name, settings),
        Inside::Presentation(main) => pptx::read(&mut package, &main, name, settings),
        Inside::OpenDocument => odf::read(&mut package, name, settings),
        Inside::Book => epub::read(&mut package, name, settings),
    }
}
