//! One pass over the Markdown: links, tags and the first heading.

use crate::html::{self, Piece};
use crate::links::{self, Destination};
use crate::tags::{self, TagSet};
use extract_core::title;
use extract_core::{Link, LinkKind};
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Links inside links (images can be nested) deeper than this have no label,
/// since each label repeats those inside it.
const MAX_LABEL_DEPTH: usize = 8;

/// Labels are read up to here, in bytes; a title's limit then applies.
const MAX_LABEL: usize = 4096;

/// CommonMark with what Obsidian and GitHub add to it.
fn parser(text: &str) -> Parser<'_> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
        | Options::ENABLE_WIKILINKS;
    Parser::new_ext(text, options)
}

/// The stretches of the text that are code or math, in order.
pub(crate) fn code_ranges(text: &str) -> Vec<Range<usize>> {
    parser(text)
        .into_offset_iter()
        .filter_map(|(event, range)| match event {
            Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Start(Tag::CodeBlock(_)) => Some(range),
            _ => None,
        })
        .collect()
}

/// What the text holds beside its tags.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The heading that titles the text, as plain text: the first one of level
    /// 1, or one of any level that all other text comes after. A note that
    /// begins with prose and has sections is titled by none of them. Headings
    /// inside quotes, lists and footnotes do not count.
    pub(crate) heading: Option<String>,
    /// In order of their start.
    pub(crate) links: Vec<Link>,
}

/// Reads the text and adds its tags to `tags`.
pub(crate) fn scan(text: &str, tags: &mut TagSet) -> Found {
    let mut scan = Scan {
        text,
        tags,
        found: Found::default(),
        open: Vec::new(),
        embeds: 0,
        labels: String::new(),
        anchor: None,
        heading: None,
        begun: false,
        containers: 0,
        verbatim: 0,
        run: 0..0,
    };
    for (event, range) in parser(text).into_offset_iter() {
        scan.event(event, range);
    }
    scan.end_run();
    // An image inside a link starts after it but is complete before it; links
    // in HTML blocks are found all at once.
    scan.found.links.sort_by_key(|link| link.span.start);
    scan.found
}

struct Scan<'t, 's> {
    text: &'t str,
    tags: &'s mut TagSet,
    found: Found,
    /// The links the reader is inside of, innermost last.
    open: Vec<OpenLink>,
    /// How many of them are embeds, whose text is a size or nothing new.
    embeds: usize,
    /// What was read inside the outermost open link.
    labels: String,
    /// The HTML anchor the reader is inside of.
    anchor: Option<OpenAnchor>,
    /// The text of the heading being read.
    heading: Option<String>,
    /// Whether there was text other than empty headings and HTML.
    begun: bool,
    /// How many quotes, lists and the like are open.
    containers: usize,
    /// How many blocks of code or HTML are open.
    verbatim: usize,
    /// Text read last, in which tags and addresses are still to be looked for:
    /// the parser cuts text at each character that could be markup.
    run: Range<usize>,
}

struct OpenLink {
    /// Its place in the list, where its label is still to be read.
    link: Option<usize>,
    written: String,
    label_start: usize,
    embed: bool,
}

struct OpenAnchor {
    link: usize,
    label: String,
}

impl<'t> Scan<'t, '_> {
    fn event(&mut self, event: Event<'t>, range: Range<usize>) {
        if let Event::Text(text) = &event {
            if self.verbatim == 0 {
                self.text_event(text, range);
            }
            return;
        }
        self.end_run();
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.visible(&text);
            }
            Event::InlineHtml(_) => self.html(range),
            Event::SoftBreak | Event::HardBreak => self.visible(" "),
            _ => {}
        }
    }

    fn text_event(&mut self, text: &str, range: Range<usize>) {
        self.visible(text);
        if !self.open.is_empty() || self.anchor.is_some() {
            self.end_run();
        } else if self.run.end == range.start && !self.run.is_empty() {
            self.run.end = range.end;
        } else {
            self.end_run();
            self.run = range;
        }
    }

    fn start(&mut self, tag: Tag<'t>, range: Range<usize>) {
        let begun = self.begun;
        self.begun |= !matches!(tag, Tag::Heading { .. } | Tag::HtmlBlock);
        match tag {
            Tag::Heading { level, .. } => {
                let titles = level == HeadingLevel::H1 || !begun;
                if titles && self.containers == 0 && self.found.heading.is_none() {
                    self.heading = Some(String::new());
                }
            }
            Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_) | Tag::Table(_) => {
                self.containers += 1;
            }
            Tag::CodeBlock(_) => self.verbatim += 1,
            Tag::HtmlBlock => {
                self.verbatim += 1;
                self.html(range);
            }
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => self.open_link(LinkKind::Hyperlink, link_type, &dest_url, range),
            Tag::Image {
                link_type,
                dest_url,
                ..
            } => self.open_link(LinkKind::Image, link_type, &dest_url, range),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.close_anchor(None);
                if let Some(text) = self.heading.take() {
                    self.found.heading = title::tidy(&text);
                }
            }
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::Table => {
                self.containers = self.containers.saturating_sub(1);
            }
            TagEnd::CodeBlock => self.verbatim = self.verbatim.saturating_sub(1),
            TagEnd::HtmlBlock => {
                self.verbatim = self.verbatim.saturating_sub(1);
                self.close_anchor(None);
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell => self.close_anchor(None),
            TagEnd::Link | TagEnd::Image => self.close_link(),
            _ => {}
        }
    }

    /// Adds to what the reader sees of the things that are open.
    fn visible(&mut self, text: &str) {
        if self.embeds > 0 {
            return;
        }
        if let Some(heading) = &mut self.heading {
            add_limited(heading, text);
        }
        if !self.open.is_empty() {
            self.labels.push_str(text);
        }
        if let Some(anchor) = &mut self.anchor {
            add_limited(&mut anchor.label, text);
        }
    }

    fn open_link(&mut self, kind: LinkKind, ty: LinkType, dest: &CowStr<'t>, range: Range<usize>) {
        let mut open = OpenLink {
            link: None,
            written: dest.to_string(),
            label_start: self.labels.len(),
            embed: false,
        };
        if let LinkType::WikiLink { .. } = ty {
            open.embed = kind == LinkKind::Image;
            let source = self.text.get(range.clone()).unwrap_or_default();
            let inner = source.strip_prefix('!').unwrap_or(source);
            let inner = inner.strip_prefix("[[").and_then(|i| i.strip_suffix("]]"));
            if let Some((destination, alias)) = inner.and_then(links::wikilink) {
                let kind = if open.embed {
                    LinkKind::Embed
                } else {
                    LinkKind::Wikilink
                };
                if open.embed {
                    let label = alias.filter(|alias| !links::is_size(alias));
                    self.push(kind, destination, label, range);
                } else {
                    // An alias can have markup, and is read as the reader sees it.
                    open.link = alias.map(|_| self.found.links.len());
                    self.push(kind, destination, None, range);
                }
            }
        } else {
            let mut range = range;
            // The parser leaves the brackets of `[ref][]` out.
            if ty == LinkType::Collapsed && self.text[range.end..].starts_with("[]") {
                range.end += 2;
            }
            if ty == LinkType::Email {
                open.written = format!("mailto:{dest}");
            }
            if let Some(destination) = links::destination(&open.written) {
                open.link = (self.open.len() < MAX_LABEL_DEPTH).then_some(self.found.links.len());
                self.push(kind, destination, None, range);
            }
        }
        self.embeds += usize::from(open.embed);
        self.open.push(open);
    }

    fn close_link(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        self.embeds -= usize::from(open.embed);
        if let Some(link) = open.link.and_then(|link| self.found.links.get_mut(link)) {
            let mut label = cut(&self.labels[open.label_start..], MAX_LABEL);
            if link.kind == LinkKind::Image
                && let Some((alt, size)) = label.rsplit_once('|')
                && links::is_size(size)
            {
                label = alt;
            }
            link.label = label_of(label, &open.written, &link.target);
        }
        if self.open.is_empty() {
            self.labels.clear();
        }
    }

    fn push(
        &mut self,
        kind: LinkKind,
        destination: Destination,
        label: Option<String>,
        range: Range<usize>,
    ) {
        self.found.links.push(Link {
            kind,
            label: label.filter(|label| *label != destination.target),
            target: destination.target,
            heading: destination.heading,
            block: destination.block,
            span: range.into(),
        });
    }

    /// Reads an HTML block, or one tag between text.
    fn html(&mut self, range: Range<usize>) {
        let source = self.text.get(range.clone()).unwrap_or_default();
        html::pieces(source, |piece, at| {
            let at = range.start + at.start..range.start + at.end;
            match piece {
                Piece::Text(text) => {
                    if let Some(anchor) = &mut self.anchor {
                        add_limited(&mut anchor.label, text);
                    }
                }
                Piece::AnchorStart { href } => {
                    self.close_anchor(None);
                    if let Some(destination) = links::destination(&href) {
                        self.anchor = Some(OpenAnchor {
                            link: self.found.links.len(),
                            label: String::new(),
                        });
                        self.push(LinkKind::Hyperlink, destination, None, at);
                    }
                }
                Piece::AnchorEnd => self.close_anchor(Some(at.end)),
                Piece::Image { src, alt } => {
                    if let Some(destination) = links::destination(&src) {
                        let label = label_of(&alt, &src, &destination.target);
                        self.push(LinkKind::Image, destination, label, at);
                    }
                }
            }
        });
    }

    /// Ends the open anchor at its end tag, or without one where its block
    /// ends: then the start tag alone is the link.
    fn close_anchor(&mut self, end: Option<usize>) {
        if let Some(anchor) = self.anchor.take()
            && let Some(end) = end
            && let Some(link) = self.found.links.get_mut(anchor.link)
        {
            link.span.end = end;
            link.label = label_of(&anchor.label, &link.target, &link.target);
        }
    }

    /// Looks for tags and bare web addresses in the text read last.
    fn end_run(&mut self) {
        let run = std::mem::replace(&mut self.run, 0..0);
        let mut at = run.start;
        while let Some(length) = self.text.as_bytes()[at..run.end]
            .iter()
            .position(|byte| matches!(byte, b'#' | b'h'))
        {
            at += length;
            let rest = &self.text[at..run.end];
            if let Some(after) = rest.strip_prefix('#') {
                at += 1;
                if self.may_precede_tag(run.start, at - 1)
                    && let Some((tag, length)) = tags::at_start(after)
                {
                    self.tags.add(tag);
                    at += length;
                }
            } else if !self.char_before(at).is_some_and(char::is_alphanumeric)
                && let Some(length) = links::web_address(rest)
            {
                if let Some(destination) = links::destination(&rest[..length]) {
                    self.push(LinkKind::Hyperlink, destination, None, at..at + length);
                }
                at += length;
            } else {
                at += 1;
            }
        }
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    /// A tag begins a word: `a#b`, `&#35;`, `\#` and `x.html#y` are none.
    /// Between the text's start and the tag there may be markup.
    fn may_precede_tag(&self, run_start: usize, at: usize) -> bool {
        match self.char_before(at) {
            None => true,
            Some('*' | '_' | '~' | '|' | '>') => at == run_start,
            Some('=') => self.text[..at].ends_with("=="),
            Some(c) => c.is_whitespace() || "([{\"'“‘«„（【「『《〈，。、；：！？".contains(c),
        }
    }
}

fn add_limited(text: &mut String, more: &str) {
    let room = MAX_LABEL.saturating_sub(text.len());
    text.push_str(cut(more, room));
}

/// At most `most` bytes of the text, ending between characters.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn label_of(seen: &str, written: &str, target: &str) -> Option<String> {
    title::tidy(seen).filter(|label| label != written && label != target)
}

#[cfg(test)]
mod tests;
