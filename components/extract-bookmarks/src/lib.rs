//! Bookmarks as documents: the HTML that every browser exports, Chromium's
//! `Bookmarks` file, and Firefox's backups, compressed or not.
//!
//! Each page is one document, however often and in whatever folders the file
//! has it; the file's own document holds its folders.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod collect;
mod date;
mod json;
mod netscape;
mod settings;
#[cfg(test)]
mod tests;

use extract_core::{
    About, Bytes, Decoded, Document, Documents, Extractor, Failure, FailureKind, Input, Ocr, all,
};
pub use settings::{SETTINGS_SCHEMA, Settings};

/// What Firefox writes before an LZ4 block: this and the block's length as it
/// is when decompressed, in four bytes.
const MOZILLA_LZ4: &[u8] = b"mozLz40\0";

/// The component.
pub struct Bookmarks;

extract_core::export!(crate::Bookmarks);

impl Extractor for Bookmarks {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads bookmarks: HTML exports, Chromium's file and Firefox's backups.",
        settings_schema: SETTINGS_SCHEMA,
    };

    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        _: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure> {
        let settings: Settings = input.settings()?;
        let bytes = bytes.read_all(settings.max_bytes)?;
        Ok(all(extract(input.name, bytes, &settings)?))
    }
}

/// The documents in the file called `name`: its own first, whose part is empty,
/// then one for each page, whose part is the page's canonical address.
///
/// # Errors
/// For bytes that are not text, JSON that holds no bookmarks, and files that
/// would be too large when decompressed.
pub fn extract(name: &str, bytes: Vec<u8>, settings: &Settings) -> Result<Vec<Document>, Failure> {
    let bytes = match bytes.strip_prefix(MOZILLA_LZ4) {
        Some(block) => decompress(block, settings.max_bytes)?,
        None => bytes,
    };
    let Decoded { text, warnings } = extract_core::decode(bytes)?;
    let mut collection = collect::Collection::default();
    if text.trim_start().starts_with(['{', '[']) {
        json::read(&text, &mut collection)?;
    } else {
        netscape::read(&extract_core::unify_newlines(text), &mut collection);
    }
    Ok(collection.into_documents(name, warnings))
}

fn decompress(block: &[u8], most: u64) -> Result<Vec<u8>, Failure> {
    let damaged = || Failure::invalid("The backup is damaged: it cannot be decompressed.");
    let (length, block) = block.split_first_chunk().ok_or_else(damaged)?;
    let length = u32::from_le_bytes(*length);
    if u64::from(length) > most {
        return Err(Failure::new(
            FailureKind::TooLarge,
            format!(
                "The backup holds {length} bytes, over the limit of {most} bytes; raise the setting max_bytes to read it."
            ),
        ));
    }
    // No block grows more than 255 times, so a length beyond that is a lie.
    if u64::from(length) > block.len() as u64 * 256 {
        return Err(damaged());
    }
    lz4_flex::block::decompress(block, length as usize).map_err(|_| damaged())
}
