//! Web pages as documents: saved pages, single-file saves, web archives.
//!
//! [`extract`] decodes a page, finds its main content, and gives that as
//! Markdown with what the page says of itself. Bytes are untrusted: any input
//! gives a document or a [`Failure`], in time linear in its length.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod content;
mod dates;
mod facts;
mod linked;
mod mhtml;
mod settings;
#[cfg(test)]
mod tests;

use extract_core::{
    About, Bytes, Document, Documents, Extractor, Failure, Input, Ocr, Property, all, title,
};
use extract_markup::{Dom, Name, Options, Rendered, decode_html, render};
pub use settings::{Images, SETTINGS_SCHEMA, Settings, Which};

use crate::facts::Facts;

/// Main content of fewer characters than this is doubtful: then all that the
/// page shows is read.
const DOUBTFUL: u32 = 250;
/// A browser's or a tool's own comment on a saved page stands within this.
const COMMENT_REACH: usize = 8 << 10;

/// The component.
pub struct Html;

extract_core::export!(crate::Html);

impl Extractor for Html {
    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        summary: "Reads web pages: their main content, title, author, date and address.",
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

/// Extracts the document of a page.
///
/// # Errors
/// [`extract_core::FailureKind::InvalidInput`] where the bytes are not text, or
/// a web archive holds no page.
pub fn extract(
    input: &Input<'_>,
    bytes: Vec<u8>,
    settings: &Settings,
) -> Result<Document, Failure> {
    let mut saved_from = None;
    let (html, mut warnings) = if mhtml::is_archive(&bytes) {
        let page = mhtml::read(&bytes)?;
        drop(bytes);
        saved_from = page.url;
        decode_html(&page.html, page.charset.as_deref())
    } else {
        let decoded = decode_html(&bytes, input.media_type.and_then(charset));
        // A large page is in memory as few times as can be.
        drop(bytes);
        decoded
    };
    if looks_binary(&html) {
        return Err(Failure::invalid(
            "The file looks like a binary file, not a web page.",
        ));
    }
    let saved_from = saved_from.or_else(|| named_by_comment(&html));
    let dom = Dom::parse(&html);
    drop(html);
    if dom.is_cut() {
        warnings.push("The page has too many elements; its end was not read.".to_owned());
    }
    let mut facts = Facts::read(&dom, saved_from.as_deref());
    let base = extract_markup::base(&dom)
        .or(saved_from)
        .or_else(|| facts.url.clone());
    let Rendered { text, links } = content(&dom, &mut facts, base.as_deref(), settings);
    if text.is_empty() {
        let scripted = dom.all().any(|id| dom.name(id) == Name::Script);
        warnings.push(if scripted {
            "The page has no text of its own, its scripts make it; save it from a browser that shows it."
                .to_owned()
        } else {
            "The page has no text.".to_owned()
        });
    }
    let mut document = Document {
        title: facts
            .title
            .take()
            .unwrap_or_else(|| title::from_name(input.name)),
        text,
        links,
        warnings,
        properties: properties(facts),
        ..Document::default()
    };
    document.bound_warnings();
    Ok(document)
}

/// Renders the main content, or the whole page where that is asked for or there
/// is hardly any. A byline that was found becomes the author.
fn content(dom: &Dom, facts: &mut Facts, base: Option<&str>, settings: &Settings) -> Rendered {
    let options = Options {
        base,
        all_images: settings.images == Images::All,
        leave_out: None,
    };
    let found = match settings.content {
        Which::Main => content::find(dom, facts.title.as_deref(), !facts.authors.is_empty()),
        Which::All => None,
    };
    if let Some(found) = found {
        if facts.authors.is_empty() {
            let byline = found.byline.as_deref();
            facts.authors = byline.map(facts::split_authors).unwrap_or_default();
        }
        if found.chars >= DOUBTFUL {
            let leave_out = |id: usize| found.left_out[id];
            let options = Options {
                leave_out: Some(&leave_out),
                ..options
            };
            return render(dom, &found.stretches, &options);
        }
    }
    render(dom, std::slice::from_ref(&dom.all()), &options)
}

fn properties(facts: Facts) -> Vec<Property> {
    let mut properties = Vec::new();
    let mut text = |name: &str, value: Option<String>| {
        properties.extend(value.map(|value| Property::text(name, value)));
    };
    text("url", facts.url);
    text("lang", facts.lang);
    text("site", facts.site);
    text("description", facts.description);
    if facts.authors.len() == 1 {
        text("author", facts.authors.into_iter().next());
    } else if !facts.authors.is_empty() {
        properties.push(Property::texts("author", facts.authors));
    }
    let dates = [("published", facts.published), ("modified", facts.modified)];
    for (name, date) in dates {
        properties.extend(date.map(|date| Property::timestamp(name, date)));
    }
    if !facts.keywords.is_empty() {
        properties.push(Property::texts("keywords", facts.keywords));
    }
    properties
}

/// The charset in a media type.
fn charset(media_type: &str) -> Option<&str> {
    media_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim())
    })
}

/// Whether there are more characters that text has not than text has by
/// accident.
fn looks_binary(text: &str) -> bool {
    let strange =
        |c: &char| *c == '\u{FFFD}' || (c.is_control() && !matches!(c, '\t'..='\r' | '\u{1B}'));
    let (mut all, mut strangers) = (0usize, 0usize);
    for c in text.chars() {
        all += 1;
        strangers += usize::from(strange(&c));
    }
    strangers > 8 && strangers * 10 > all
}

/// Where a page was saved from, as a comment at its start says it: `saved from
/// url=(0019)https://…` (browsers), `url: https://…` (SingleFile).
fn named_by_comment(html: &str) -> Option<String> {
    let head = &html[..html.floor_char_boundary(COMMENT_REACH)];
    let mut rest = head;
    while let Some(at) = rest.find("<!--") {
        let comment = &rest[at + 4..];
        let end = comment.find("-->").unwrap_or(comment.len());
        rest = &comment[end..];
        let comment = &comment[..end];
        let address = match comment.split_once("saved from url=") {
            Some((_, named)) => named.split_once(')').map_or(named, |(_, address)| address),
            None if comment.contains("SingleFile") => comment.split_once("url:")?.1,
            None => continue,
        };
        let address = address.split_whitespace().next()?;
        let web = address.starts_with("https://") || address.starts_with("http://");
        return web.then(|| address.to_owned());
    }
    None
}
