//! The text of a message.

use std::borrow::Cow;
use std::ops::Range;

use extract_core::{Link, LinkKind, Span};

use crate::charset;
use crate::html;
use crate::mime::Tree;
use crate::phrases;
use crate::plain;
use crate::quotes::{self, Separated};
use crate::structure::Structure;
use crate::transfer::{Uuencoded, uuencoded};

/// What a body has beyond this many bytes is left out.
const MOST_BYTES: usize = 8 << 20;
/// The same for HTML, of which a tree is made that takes many times its bytes.
const MOST_HTML: usize = 4 << 20;
/// A text of fewer characters is looked at twice.
const FEW_CHARS: usize = 40;
/// More files are not looked for in a text.
const MOST_UUENCODED: usize = 100;

/// What is known of the message that its text depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    pub(crate) is_forward: bool,
    pub(crate) is_reply: bool,
    pub(crate) keep_quotes: bool,
}

/// The text of a message.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// Markdown.
    pub(crate) text: String,
    pub(crate) links: Vec<Link>,
    /// How many lines of quoted messages were left out.
    pub(crate) quoted: usize,
    pub(crate) lang: Option<String>,
    /// Files written into the text.
    pub(crate) files: Vec<Uuencoded>,
    pub(crate) encrypted: bool,
    pub(crate) warnings: Vec<String>,
}

/// A part's text before what it quotes is taken out.
#[derive(Debug)]
struct Source {
    text: String,
    /// Only HTML has them yet.
    links: Vec<Link>,
    is_html: bool,
}

/// Reads the text of a message.
pub(crate) fn read(raw: &[u8], tree: &Tree, structure: &Structure, about: About) -> Body {
    let mut body = Body::default();
    let mut sources = body.sources(raw, tree, &structure.text);
    let length =
        |sources: &[Source]| -> usize { sources.iter().map(|one| one.text.trim().len()).sum() };
    if structure.html != structure.text
        && let Some(least) = least_of_html(&sources)
    {
        let mut rich = Body::default();
        let other = rich.sources(raw, tree, &structure.html);
        if length(&other) >= least {
            (body, sources) = (rich, other);
        }
    }
    body.assemble(&sources, about);
    body
}

/// How long the text of the HTML has to be to be taken for a plain text that
/// may only say that there is HTML; nothing for one that is a text.
fn least_of_html(sources: &[Source]) -> Option<usize> {
    let text: String = sources.iter().map(|source| source.text.trim()).collect();
    if text.is_empty() || phrases::is_stub(&text) {
        return Some(1);
    }
    (text.chars().count() < FEW_CHARS).then_some(text.len() * 3)
}

/// The text of one part as it was written, and the sentence about its charset.
pub(crate) fn decoded(raw: &[u8], tree: &Tree, number: usize) -> (String, Vec<String>) {
    let part = &tree.parts[number];
    let mut warnings = Vec::new();
    let (bytes, broken) = part.media.transfer.decode(&raw[part.body.clone()]);
    if broken {
        warnings.push("The text is not encoded as it says; some of it may be wrong.".to_owned());
    }
    let is_html = part.media.is("text", "html");
    let bytes = match is_html {
        true => html::without_data(&bytes),
        false => Cow::Borrowed(bytes.as_ref()),
    };
    let most = if is_html { MOST_HTML } else { MOST_BYTES };
    let mut end = bytes.len().min(most);
    if end < bytes.len() {
        warnings.push(format!(
            "Only the first {} MiB of the text were read.",
            most >> 20
        ));
        // Not in the middle of a character.
        end = memchr::memrchr(b'\n', &bytes[..end]).unwrap_or(end);
    }
    let (text, warning) = charset::body(&bytes[..end], part.media.charset.as_deref(), is_html);
    warnings.extend(warning);
    (text, warnings)
}

impl Body {
    fn sources(&mut self, raw: &[u8], tree: &Tree, numbers: &[usize]) -> Vec<Source> {
        let mut left = MOST_BYTES;
        let mut sources = Vec::new();
        for &number in numbers {
            if left == 0 {
                self.warnings
                    .push("Some of the text was left out, as there is too much of it.".to_owned());
                break;
            }
            let media = &tree.parts[number].media;
            let (text, warnings) = decoded(raw, tree, number);
            left = left.saturating_sub(text.len());
            self.warnings.extend(warnings);
            let text = plain::clean(text);
            let is_html = media.is("text", "html") || html::is_html(&text);
            sources.push(if is_html && text.len() <= MOST_HTML {
                self.html(&text)
            } else {
                self.plain(text, media.flowed)
            });
        }
        sources
    }

    fn html(&mut self, text: &str) -> Source {
        let text = html::without_parts(text);
        let slim = html::without_containers(&text);
        let mut converted = extract_markup::to_markdown(slim.as_deref().unwrap_or(&text));
        if slim.is_some() && converted.text.trim().is_empty() {
            converted = extract_markup::to_markdown(&text);
        }
        if self.lang.is_none() {
            self.lang = converted.lang;
        }
        Source {
            text: converted.text,
            links: converted.links,
            is_html: true,
        }
    }

    fn plain(&mut self, mut text: String, flowed: Option<bool>) -> Source {
        if let Some(delsp) = flowed {
            text = plain::unflow(&text, delsp);
        }
        let (without, encrypted) = plain::without_pgp(&text);
        self.encrypted |= encrypted;
        text = without.into_owned();
        let (mut out, mut from) = (String::new(), 0);
        while self.files.len() < MOST_UUENCODED
            && let Some(file) = uuencoded(&text.as_bytes()[from..])
        {
            out.push_str(&text[from..from + file.start]);
            from += file.end;
            self.files.push(file);
        }
        if from > 0 {
            out.push_str(&text[from..]);
            text = out;
        }
        Source {
            text,
            links: Vec::new(),
            is_html: false,
        }
    }

    /// Puts the text together of what the parts add.
    fn assemble(&mut self, sources: &[Source], about: About) {
        let whole = |source: &Source| Separated {
            kept: std::iter::once(0..source.text.len()).collect(),
            ..Separated::default()
        };
        let mut separated: Vec<Separated> = sources
            .iter()
            .map(|source| {
                if about.keep_quotes {
                    whole(source)
                } else {
                    quotes::separate(&source.text, about.is_forward)
                }
            })
            .collect();
        let says = |(source, found): (&Source, &Separated)| {
            found
                .kept
                .iter()
                .any(|range| !source.text[range.clone()].trim().is_empty())
        };
        let says_nothing = !sources.iter().zip(&separated).any(says);
        if says_nothing && separated.iter().any(|found| found.only_quotes) {
            // Of an answer without words the first lines tell what it was to;
            // anything else that is all quotation says something by it.
            let again = |source: &Source| {
                if about.is_reply {
                    quotes::first_lines(&source.text)
                } else {
                    whole(source)
                }
            };
            separated = sources.iter().map(again).collect();
        }
        for (source, found) in sources.iter().zip(&separated) {
            self.quoted += found.quoted;
            self.add(source, &found.kept);
        }
        self.text.truncate(self.text.trim_end().len());
        let end = self.text.len();
        self.links.retain(|link| link.span.end <= end);
    }

    fn add(&mut self, source: &Source, kept: &[Range<usize>]) {
        let says = kept
            .iter()
            .any(|range| !source.text[range.clone()].trim().is_empty());
        if !says {
            return;
        }
        if !self.text.is_empty() {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str("\n\n");
        }
        if !source.is_html {
            let text: String = kept
                .iter()
                .map(|range| &source.text[range.clone()])
                .collect();
            let text = plain::to_markdown(text.trim_matches('\n'));
            let base = self.text.len();
            self.links
                .extend(plain::addresses(&text).into_iter().map(|range| Link {
                    kind: LinkKind::Hyperlink,
                    target: text[range.clone()].to_owned(),
                    heading: None,
                    block: None,
                    label: None,
                    span: Span {
                        start: base + range.start,
                        end: base + range.end,
                    },
                }));
            self.text.push_str(&text);
            return;
        }
        let mut links = source.links.iter().peekable();
        for range in kept {
            let base = self.text.len();
            self.text.push_str(&source.text[range.clone()]);
            while let Some(link) = links.next_if(|link| link.span.start < range.end) {
                // A link that what was left out cuts in two is none.
                if link.span.start >= range.start && link.span.end <= range.end {
                    let mut link = link.clone();
                    link.span.start = base + (link.span.start - range.start);
                    link.span.end = base + (link.span.end - range.start);
                    self.links.push(link);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
