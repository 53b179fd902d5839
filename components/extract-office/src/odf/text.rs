//! The body of a text, a presentation or a drawing.

mod margins;
mod tags;

use std::collections::HashMap;

use crate::flow::{Flow, Kind};
use crate::labels;
use crate::rich::Rich;
use crate::writer::{Block, Writer, flat, is_blank};
use crate::xml::{Handler, Ns, Step, Tag};

use super::styles::{Counters, Styles};
use margins::Margins;

/// Cells that are given as so many equal ones, more than this, are fewer.
const MOST_REPEATED: usize = 64;
/// Lists nested deeper than this go on at this level.
const MOST_LISTS: usize = 9;

/// What is known of a paragraph that is open.
#[derive(Default)]
struct Paragraph {
    /// From 1.
    heading: Option<u8>,
    /// Its level, from 0, and its label. None where it is no item.
    item: Option<(u8, String)>,
    hidden: bool,
    page_after: bool,
}

struct List {
    style: String,
    /// Whether the item's label is still to come.
    fresh: bool,
}

/// A slide that is open.
struct Slide {
    number: usize,
    title: Option<Rich>,
    notes: Vec<Block>,
}

/// What becomes of text that stands in no paragraph.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Paragraphs,
    Creator,
    Alternative,
}

/// Reads the body.
pub(super) struct Body<'a> {
    pub(super) flow: Flow,
    styles: &'a Styles,
    paragraphs: Vec<Paragraph>,
    /// For each stretch that is open, whether it is hidden.
    spans: Vec<bool>,
    links: Vec<bool>,
    lists: Vec<List>,
    /// Lists that a box or a note stands in, while it is read.
    outer_lists: Vec<Vec<List>>,
    counters: HashMap<String, Counters>,
    headings: Counters,
    footnotes: u32,
    endnotes: u32,
    comments: u32,
    is_endnote: bool,
    creator: String,
    alternative: String,
    takes: Takes,
    slide: Option<Slide>,
    slides: usize,
    /// For each frame of a slide that is open, whether it is the title.
    titles: Vec<bool>,
    /// A page begins with the next paragraph.
    page_pending: bool,
    begun: bool,
    in_margins: bool,
    headers: Vec<Vec<Block>>,
    footers: Vec<Vec<Block>>,
    deleted: usize,
    hidden: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(flow: Flow, styles: &'a Styles) -> Self {
        Self {
            flow,
            styles,
            paragraphs: Vec::new(),
            spans: Vec::new(),
            links: Vec::new(),
            lists: Vec::new(),
            outer_lists: Vec::new(),
            counters: HashMap::new(),
            headings: Counters::default(),
            footnotes: 0,
            endnotes: 0,
            comments: 0,
            is_endnote: false,
            creator: String::new(),
            alternative: String::new(),
            takes: Takes::Paragraphs,
            slide: None,
            slides: 0,
            titles: Vec::new(),
            page_pending: false,
            begun: false,
            in_margins: false,
            headers: Vec::new(),
            footers: Vec::new(),
            deleted: 0,
            hidden: 0,
        }
    }

    /// Reads headers and footers instead of the body.
    pub(super) fn margins(&mut self) -> Margins<'_, 'a> {
        self.in_margins = true;
        Margins { body: self }
    }

    /// The headers and footers that were read.
    pub(super) fn take_margins(&mut self) -> (Vec<Vec<Block>>, Vec<Vec<Block>>) {
        self.flow.close_all();
        self.paragraphs.clear();
        self.spans.clear();
        self.links.clear();
        self.lists.clear();
        self.outer_lists.clear();
        self.page_pending = false;
        self.begun = false;
        self.in_margins = false;
        (
            std::mem::take(&mut self.headers),
            std::mem::take(&mut self.footers),
        )
    }

    /// Ends the document.
    pub(super) fn finish(self) -> Writer {
        let (deleted, hidden) = (self.deleted, self.hidden);
        let mut writer = self.flow.finish();
        crate::flow::warn_of_changes(&mut writer, deleted, hidden);
        writer
    }

    fn hides(&self) -> bool {
        self.spans.last() == Some(&true)
            || self
                .paragraphs
                .last()
                .is_some_and(|paragraph| paragraph.hidden)
    }

    fn sign(&mut self, put: impl FnOnce(&mut Rich)) {
        if !self.paragraphs.is_empty() && !self.hides() {
            put(self.flow.rich());
        }
    }

    fn begin_paragraph(&mut self, tag: &Tag<'_>) {
        if self.flow.in_paragraph() {
            self.flow.close_paragraph(Kind::Paragraph);
        }
        let style = tag.attr("style-name").unwrap_or_default();
        let resolved = self.styles.paragraph(&style);
        let mut heading = None;
        let mut label = String::new();
        if tag.name == "h" {
            let level = tag.number::<u8>("outline-level").unwrap_or(1).max(1);
            heading = Some(level);
            if tag.attr("is-list-header").as_deref() != Some("true") && self.lists.is_empty() {
                label = self
                    .styles
                    .count_heading(usize::from(level) - 1, &mut self.headings);
            }
        } else if resolved.title {
            heading = Some(1);
        }
        let depth = self.lists.len();
        let item = self.lists.last_mut().map(|list| {
            let level = depth.min(MOST_LISTS) - 1;
            let mut label = String::new();
            if std::mem::take(&mut list.fresh) {
                let counters = self.counters.entry(list.style.clone()).or_default();
                label = labels::marker(&self.styles.count(&list.style, level, counters));
            }
            (u8::try_from(level).unwrap_or(0), label)
        });
        if let (Some(_), Some((_, item))) = (heading, &item) {
            label = item.trim_start_matches(['-', ' ']).to_owned();
        }
        let breaks = (self.page_pending || resolved.page_before) && self.begun;
        let rich = self.flow.rich();
        if breaks {
            rich.page_break();
        }
        if !label.is_empty() {
            rich.push(&label);
            rich.space();
        }
        self.page_pending = false;
        self.begun = true;
        self.paragraphs.push(Paragraph {
            heading,
            item,
            hidden: resolved.hidden,
            page_after: resolved.page_after,
        });
    }

    fn end_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else {
            return;
        };
        self.page_pending |= paragraph.page_after;
        let kind = match (paragraph.heading, paragraph.item) {
            (Some(level), _) => Kind::Heading(level),
            (None, Some((level, label))) => Kind::Item(level, label),
            (None, None) => Kind::Paragraph,
        };
        self.flow.close_paragraph(kind);
    }

    /// Begins a box or a note; false where it lies too deep.
    fn open_frame(&mut self) -> bool {
        let fits = self.flow.open_frame();
        if fits {
            self.outer_lists.push(std::mem::take(&mut self.lists));
        }
        fits
    }

    fn close_frame(&mut self) -> Vec<Block> {
        self.lists = self.outer_lists.pop().unwrap_or_default();
        self.flow.close_frame()
    }

    fn close_link(&mut self) {
        let opened = self.links.pop() == Some(true);
        self.flow.close_link(opened);
    }

    fn end_slide(&mut self) {
        let blocks = self.close_frame();
        let Some(slide) = self.slide.take() else {
            return;
        };
        let blocks: Vec<_> = blocks
            .into_iter()
            .filter(|block| !is_blank(block))
            .collect();
        crate::slides::write(
            &mut self.flow,
            slide.number,
            slide.title,
            blocks,
            slide.notes,
        );
    }
}

/// Shapes that hold paragraphs.
fn is_shape(name: &str) -> bool {
    matches!(
        name,
        "text-box"
            | "custom-shape"
            | "rect"
            | "ellipse"
            | "circle"
            | "line"
            | "polyline"
            | "polygon"
            | "regular-polygon"
            | "path"
            | "connector"
            | "caption"
            | "measure"
    )
}

impl Handler for Body<'_> {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match (tag.ns, tag.name) {
            (Ns::Text, _) => return self.text_tag(tag),
            (Ns::Office, "annotation") => {
                if !self.open_frame() {
                    return Step::Skip;
                }
                self.creator.clear();
            }
            (Ns::Dc, "creator") => self.takes = Takes::Creator,
            (Ns::Dc | Ns::Meta, _) => return Step::Skip,
            (Ns::Svg, "desc") => {
                self.takes = Takes::Alternative;
                self.alternative.clear();
            }
            (Ns::Svg, "title") => return Step::Skip,
            (Ns::Table, "table") => return Step::into_if(self.flow.open_table()),
            (Ns::Table, "table-row") => self.flow.open_row(),
            (Ns::Table, "table-cell") => return Step::into_if(self.open_frame()),
            (Ns::Table, "covered-table-cell") => {
                let times = tag.number("number-columns-repeated").unwrap_or(1);
                self.flow.cell(Vec::new(), usize::min(times, MOST_REPEATED));
                return Step::Skip;
            }
            (Ns::Draw, "page") => {
                self.slides += 1;
                if !self.open_frame() {
                    return Step::Skip;
                }
                self.slide = Some(Slide {
                    number: self.slides,
                    title: None,
                    notes: Vec::new(),
                });
            }
            (Ns::Draw, "frame") => {
                let class = tag.attr("class");
                if matches!(
                    class.as_deref(),
                    Some("page-number" | "date-time" | "header" | "footer" | "page")
                ) {
                    return Step::Skip;
                }
                self.titles.push(class.as_deref() == Some("title"));
            }
            (Ns::Draw, "a") => self.open_link(tag),
            (Ns::Draw, name) if is_shape(name) => return Step::into_if(self.open_frame()),
            (Ns::Presentation, "notes") => return Step::into_if(self.open_frame()),
            (
                Ns::Office,
                "forms" | "scripts" | "styles" | "automatic-styles" | "master-styles" | "meta"
                | "settings" | "font-face-decls" | "binary-data",
            ) => return Step::Skip,
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, ns: Ns, name: &str) {
        match (ns, name) {
            (Ns::Text, "p" | "h") => self.end_paragraph(),
            (Ns::Text, "span") => drop(self.spans.pop()),
            (Ns::Text | Ns::Draw, "a") => self.close_link(),
            (Ns::Text, "list") => drop(self.lists.pop()),
            (Ns::Text, "note-body") => {
                let blocks = self.close_frame();
                let label = if self.is_endnote {
                    self.endnotes += 1;
                    format!("e{}", self.endnotes)
                } else {
                    self.footnotes += 1;
                    self.footnotes.to_string()
                };
                if !self.paragraphs.is_empty() {
                    self.flow.note(label, blocks);
                }
            }
            (Ns::Office, "annotation") => {
                let mut blocks = self.close_frame();
                let mut by = Rich::default();
                by.push(&match self.creator.trim() {
                    "" => "Comment:".to_owned(),
                    creator => format!("Comment by {creator}:"),
                });
                blocks.insert(0, Block::Paragraph(by));
                if self.paragraphs.is_empty() {
                    self.flow.block_after(Block::Paragraph(flat(blocks)));
                } else {
                    self.comments += 1;
                    self.flow.note(format!("c{}", self.comments), blocks);
                }
            }
            (Ns::Dc, "creator") => self.takes = Takes::Paragraphs,
            (Ns::Svg, "desc") => {
                self.takes = Takes::Paragraphs;
                let alternative = std::mem::take(&mut self.alternative);
                if !alternative.trim().is_empty() {
                    let mut rich = Rich::default();
                    rich.push_raw("![");
                    rich.push(alternative.trim());
                    rich.push_raw("]()");
                    if self.paragraphs.is_empty() {
                        self.flow.block_after(Block::Paragraph(rich));
                    } else {
                        self.sign(|paragraph| paragraph.append(rich));
                    }
                }
            }
            (Ns::Table, "table") => self.flow.close_table(),
            (Ns::Table, "table-cell") => {
                let blocks = self.close_frame();
                self.flow.cell(blocks, 1);
            }
            (Ns::Draw, "page") => self.end_slide(),
            (Ns::Draw, "frame") => drop(self.titles.pop()),
            (Ns::Draw, name) if is_shape(name) => {
                let blocks = self.close_frame();
                let is_title = self.titles.last() == Some(&true);
                if let (true, Some(slide)) = (is_title, &mut self.slide)
                    && slide.title.is_none()
                {
                    slide.title = Some(flat(blocks));
                    return;
                }
                for block in blocks {
                    self.flow.block_after(block);
                }
            }
            (Ns::Presentation, "notes") => {
                let blocks = self.close_frame();
                if let Some(slide) = &mut self.slide {
                    slide.notes.extend(blocks);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match self.takes {
            Takes::Creator => self.creator.push_str(text),
            Takes::Alternative => self.alternative.push_str(text),
            Takes::Paragraphs if self.paragraphs.is_empty() || !self.flow.in_paragraph() => {}
            Takes::Paragraphs if self.hides() => {
                self.hidden += usize::from(!text.trim().is_empty());
            }
            Takes::Paragraphs => self.flow.rich().push(text),
        }
    }

    fn full(&self) -> bool {
        self.flow.writer.full()
    }
}
