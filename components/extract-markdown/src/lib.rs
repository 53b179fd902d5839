//! Markdown notes, Obsidian's included, as documents.
//!
//! [`extract`] takes the bytes of one file and gives its text, still Markdown,
//! with frontmatter and `%%` comments taken out, and what the file says of
//! itself: title, properties, tags, aliases and links. Bytes are untrusted: any
//! input gives a document or a [`Failure`], in time linear in its length.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod comments;
mod frontmatter;
mod html;
mod inline;
mod links;
mod scalar;
mod settings;
mod tags;
#[cfg(test)]
mod tests;
mod yaml;

use extract_core::{
    About, Bytes, Decoded, Document, Documents, Extractor, Failure, Input, Mark, Ocr, all, title,
};
pub use settings::{Format, SETTINGS_SCHEMA, Settings};

/// The component.
pub struct Markdown;

extract_core::export!(crate::Markdown);

impl Extractor for Markdown {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads Markdown notes, Obsidian's included, and plain text files.",
        settings_schema: SETTINGS_SCHEMA,
    };

    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        _: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure> {
        let mut settings: Settings = input.settings()?;
        if settings.format == Format::Auto && says_markdown(input.media_type) {
            settings.format = Format::Markdown;
        }
        let bytes = bytes.read_all(settings.max_bytes)?;
        Ok(all(vec![extract(input.name, bytes, &settings)?]))
    }
}

fn says_markdown(media_type: Option<&str>) -> bool {
    let essence = media_type.and_then(|full| full.split(';').next());
    essence.is_some_and(|essence| {
        let essence = essence.trim();
        essence.eq_ignore_ascii_case("text/markdown")
            || essence.eq_ignore_ascii_case("text/x-markdown")
    })
}

/// Extracts the document in the file called `name` (file name with extension,
/// without folders).
///
/// Fails with [`FailureKind::InvalidInput`](extract_core::FailureKind) where the
/// bytes are not text and as unsupported for UTF-32.
pub fn extract(name: &str, bytes: Vec<u8>, settings: &Settings) -> Result<Document, Failure> {
    let Decoded { text, mut warnings } = extract_core::decode(bytes)?;
    let text = extract_core::unify_newlines(text);
    let mut document = if settings.format.is_markdown(name) {
        markdown(name, text)
    } else {
        plain(name, text)
    };
    warnings.append(&mut document.warnings);
    document.warnings = warnings;
    document.bound_warnings();
    Ok(document)
}

/// A plain text file: nothing in it is markup.
fn plain(name: &str, text: String) -> Document {
    Document {
        title: title::from_name(name),
        marks: marks_from(&text, 1),
        text,
        ..Document::default()
    }
}

fn markdown(name: &str, mut text: String) -> Document {
    let front = frontmatter::take(&mut text);
    let mut warnings = front.warnings;

    let mut marks = marks_from(&text, front.body_line);
    if let Some(stripped) = comments::strip(&text, front.body_line) {
        warnings.extend(stripped.warning);
        if let Some((without, new_marks)) = stripped.result {
            text = without;
            marks = new_marks;
        }
    }

    let mut tags = tags::TagSet::default();
    for tag in &front.tags {
        tags.add(tag);
    }
    let found = inline::scan(&text, &mut tags);
    let title = front
        .title
        .or(found.heading)
        .unwrap_or_else(|| title::from_name(name));
    Document {
        title,
        text,
        marks,
        properties: front.properties,
        tags: tags.into_vec(),
        aliases: front.aliases,
        links: found.links,
        warnings,
        ..Document::default()
    }
}

/// The marks of a text that stands in the original without a gap, its first
/// character on `line`. An empty text stands nowhere.
fn marks_from(text: &str, line: u32) -> Vec<Mark> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Mark::line(0, line)]
}
