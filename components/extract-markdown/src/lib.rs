//! Markdown notes, Obsidian's included, as documents.
//!
//! [`extract`] takes the bytes of one file and gives its text, still Markdown,
//! with frontmatter and `%%` comments taken out, and what the file says of
//! itself: title, properties, tags, aliases and links. Bytes are untrusted: any
//! input gives a document or a [`Failure`], in time linear in its length.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod comments;
mod decode;
mod frontmatter;
#[cfg(target_family = "wasm")]
mod guest;
mod html;
mod inline;
mod links;
mod model;
mod scalar;
mod settings;
mod tags;
#[cfg(test)]
mod tests;
mod title;
mod yaml;

pub use model::{
    Document, Failure, FailureKind, Link, LinkKind, Mark, Property, Scalar, Span, Value,
};
pub use settings::{Format, SETTINGS_SCHEMA, Settings};

/// One sentence for a person, as `about` gives it.
pub const SUMMARY: &str = "Reads Markdown notes, Obsidian's included, and plain text files.";

/// More warnings than this are counted, not listed.
const MAX_WARNINGS: usize = 20;

/// Extracts the document in the file called `name` (file name with extension,
/// without folders).
///
/// Fails with [`FailureKind::TooLarge`] over `settings.max_bytes`, with
/// [`FailureKind::InvalidInput`] where the bytes are not text and with
/// [`FailureKind::Unsupported`] for UTF-32.
pub fn extract(name: &str, bytes: Vec<u8>, settings: &Settings) -> Result<Document, Failure> {
    settings.check_size(bytes.len() as u64)?;
    let decode::Decoded { text, mut warnings } = decode::decode(bytes)?;
    let text = unify_newlines(text);
    let mut document = if settings.format.is_markdown(name) {
        markdown(name, text)
    } else {
        plain(name, text)
    };
    warnings.append(&mut document.warnings);
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    if more > 0 {
        warnings.truncate(MAX_WARNINGS);
        warnings.push(format!("There are {more} more warnings like these."));
    }
    document.warnings = warnings;
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
    }
}

/// The marks of a text that stands in the original without a gap, its first
/// character on `line`. An empty text stands nowhere.
fn marks_from(text: &str, line: u32) -> Vec<Mark> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Mark { offset: 0, line }]
}

/// `\r\n` and lone `\r` as `\n`. Neither adds nor removes a line.
fn unify_newlines(text: String) -> String {
    if !text.contains('\r') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\r') {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    out
}
