//! Text formats other than Markdown: code, tables, data, outlines, subtitles.
//!
//! [`extract`] takes the bytes of one file and gives Markdown that reads well
//! and can be searched piece by piece, with marks that lead back to the lines,
//! rows or seconds of the original. Bytes are untrusted: any input gives a
//! document or a [`Failure`], in time about linear in its length, and however
//! deep things are nested, nothing here calls itself.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod adoc;
mod code;
mod dates;
mod format;
mod json;
mod languages;
mod lists;
mod notebook;
mod org;
mod out;
mod rst;
mod settings;
mod subtitles;
mod table;
#[cfg(test)]
mod tests;
mod tex;
mod xml;

use extract_core::{
    About, Bytes, Decoded, Document, Documents, Extractor, Failure, Input, Ocr, all, title,
};

use format::Kind;
pub use settings::{Format, SETTINGS_SCHEMA, Settings};

/// The component.
pub struct Text;

extract_core::export!(crate::Text);

impl Extractor for Text {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads text formats: code, CSV, JSON, XML, notebooks, Org, reStructuredText, AsciiDoc, LaTeX, subtitles, plain text.",
        settings_schema: SETTINGS_SCHEMA,
    };

    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        _: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure> {
        let settings: Settings = input.settings()?;
        let bytes = bytes.read_all(settings.max_bytes)?;
        Ok(all(vec![extract(&input, bytes, &settings)?]))
    }
}

/// Markup that a person writes is smaller, in bytes, and so are subtitles. All
/// of their lines are kept in memory at once.
const MOST_MARKUP: usize = 16 << 20;

/// Extracts the document in a file. Of `input`, name and media type count.
///
/// # Errors
/// [`FailureKind::InvalidInput`](extract_core::FailureKind) where the bytes are
/// not text; unsupported for UTF-32 and for code that no person wrote.
pub fn extract(
    input: &Input<'_>,
    bytes: Vec<u8>,
    settings: &Settings,
) -> Result<Document, Failure> {
    let Decoded { text, mut warnings } = extract_core::decode(bytes)?;
    let text = extract_core::unify_newlines(text);
    let mut kind = format::tell(settings.format, input, &text);
    let is_markup = matches!(
        kind,
        Kind::Org | Kind::Rst | Kind::AsciiDoc | Kind::Tex | Kind::Subtitles(_)
    );
    if is_markup && text.len() > MOST_MARKUP {
        kind = Kind::Plain;
        warnings
            .push("The file is too large to be read as markup; it was read as text.".to_owned());
    }
    let mut document = match kind {
        Kind::Plain => plain(text),
        Kind::Code(language) => code::read(&text, language)?,
        Kind::Table(delimiter) => table::read(&text, delimiter, settings.max_text),
        Kind::Json => json::read(&text, settings.max_text),
        Kind::Notebook => {
            notebook::read(&text).unwrap_or_else(|| json::read(&text, settings.max_text))
        }
        Kind::Xml => xml::read(&text, settings.max_text),
        Kind::Svg => xml::read_picture(&text, settings.max_text),
        Kind::Opml => xml::read_outline(&text),
        Kind::Org => org::read(&text),
        Kind::Rst => rst::read(&text),
        Kind::AsciiDoc => adoc::read(&text),
        Kind::Tex => tex::read(&text),
        Kind::Subtitles(how) => subtitles::read(&text, how, input.name),
    };
    if document.title.is_empty() {
        // Code and data are known by their whole name.
        let whole = matches!(
            kind,
            Kind::Code(_) | Kind::Json | Kind::Xml | Kind::Table(_)
        );
        document.title = if whole {
            title::tidy(input.name).unwrap_or_else(|| input.name.to_owned())
        } else {
            title::from_name(input.name)
        };
    }
    warnings.append(&mut document.warnings);
    document.warnings = warnings;
    document.bound_warnings();
    Ok(document)
}

/// Nothing in the text is markup; what a terminal was told is left out.
fn plain(mut text: String) -> Document {
    if text.contains("\u{1B}[") {
        text = out::without_colours(&text);
    }
    Document {
        marks: out::from_first_line(&text),
        text,
        ..Document::default()
    }
}
