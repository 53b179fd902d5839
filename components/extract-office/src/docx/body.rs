//! The text of a Word document, its notes, headers and footers.

mod tags;

use std::collections::HashMap;

use crate::flow::{Flow, Kind, warn_of_changes};
use crate::labels;
use crate::package::Relations;
use crate::rich::Rich;
use crate::writer::{Block, Writer};
use crate::xml::{Handler, Ns, Step, Tag};

use super::fields::Fields;
use super::numbering::Numbering;
use super::styles::Styles;

/// What a part of notes holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Note {
    Footnote,
    Endnote,
    Comment,
}

/// What is known of a paragraph that is open.
#[derive(Default)]
struct Paragraph {
    style: Option<String>,
    outline: Option<u8>,
    list: Option<u32>,
    level: Option<u8>,
    /// Whether the style hides its text.
    vanish: bool,
    /// Whether its end was deleted: it goes on in the next.
    joined: bool,
    /// Whether a page begins after it: it ends a section.
    page_after: bool,
}

/// Reads the parts of a document, one after another.
pub(super) struct Body<'a> {
    pub(super) flow: Flow,
    styles: &'a Styles,
    numbering: Numbering,
    relations: Relations,
    /// Words of diagrams and charts, by relationship.
    pub(super) drawings: HashMap<String, Vec<Block>>,
    /// What the part that is read next holds, where it holds notes.
    pub(super) note_kind: Note,
    /// Notes and comments by id.
    notes: HashMap<(Note, String), Vec<Block>>,
    /// The note that is read, and who wrote it.
    note: Option<(String, Option<String>)>,
    counts: HashMap<Note, u32>,

    paragraphs: Vec<Paragraph>,
    /// For each run that is open, whether it is hidden.
    runs: Vec<bool>,
    /// For each cell that is open, how many columns it spans.
    spans: Vec<usize>,
    /// For each hyperlink that is open, whether a link was opened for it.
    links: Vec<bool>,
    fields: Fields,
    in_paragraph_properties: bool,
    in_run_properties: bool,
    in_row_properties: bool,
    row_deleted: bool,
    /// A page begins with the next words.
    page_pending: bool,
    /// Whether there were words.
    begun: bool,
    /// Whether headers and footers are read, which say nothing of pages.
    pub(super) in_margins: bool,
    takes: Takes,
    deleted: usize,
    hidden: usize,
}

/// What becomes of text.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Nothing,
    Words,
    Instruction,
}

impl<'a> Body<'a> {
    pub(super) fn new(flow: Flow, styles: &'a Styles, numbering: Numbering) -> Self {
        Self {
            flow,
            styles,
            numbering,
            relations: Relations::new(),
            drawings: HashMap::new(),
            note_kind: Note::Footnote,
            notes: HashMap::new(),
            note: None,
            counts: HashMap::new(),
            paragraphs: Vec::new(),
            runs: Vec::new(),
            spans: Vec::new(),
            links: Vec::new(),
            fields: Fields::default(),
            in_paragraph_properties: false,
            in_run_properties: false,
            in_row_properties: false,
            row_deleted: false,
            page_pending: false,
            begun: false,
            in_margins: false,
            takes: Takes::Nothing,
            deleted: 0,
            hidden: 0,
        }
    }

    /// Begins another part. What a damaged one left open is forgotten.
    pub(super) fn begin(&mut self, relations: Relations) {
        self.relations = relations;
        self.note = None;
        self.paragraphs.clear();
        self.runs.clear();
        self.spans.clear();
        self.links.clear();
        self.fields = Fields::default();
        self.in_paragraph_properties = false;
        self.in_run_properties = false;
        self.in_row_properties = false;
        self.row_deleted = false;
        self.page_pending = false;
        self.begun = false;
        self.takes = Takes::Nothing;
    }

    /// Puts the footers after the text.
    pub(super) fn end_margins(&mut self, footers: Vec<Block>) {
        self.flow.close_all();
        for footer in footers {
            self.flow.block(footer);
        }
    }

    /// Ends the document.
    pub(super) fn finish(self) -> Writer {
        let (deleted, hidden) = (self.deleted, self.hidden);
        let mut writer = self.flow.finish();
        warn_of_changes(&mut writer, deleted, hidden);
        writer
    }

    fn hides(&self) -> bool {
        self.runs.last().copied().unwrap_or(false) || self.fields.hides()
    }

    fn rich(&mut self) -> &mut Rich {
        self.flow.rich()
    }

    /// Raw Markdown or a space, where text is shown.
    fn sign(&mut self, put: impl FnOnce(&mut Rich)) {
        if !self.hides() && self.flow.in_paragraph() {
            put(self.rich());
        }
    }

    fn end_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else {
            return;
        };
        self.page_pending |= paragraph.page_after;
        if paragraph.joined {
            return;
        }
        let resolved = paragraph.style.as_ref().map(|id| self.styles.resolve(id));
        let resolved = resolved.unwrap_or_default();
        let heading = match paragraph.outline {
            Some(level) => (level < 9).then_some(level + 1),
            None => resolved.heading,
        };
        let list = paragraph.list.or(resolved.list).filter(|&list| list > 0);
        // An empty paragraph in a list is not counted by Word either, unless
        // it has a label, which then is all it says.
        let blank = self.rich().is_blank();
        let mut label = None;
        let mut level = 0;
        if let (Some(list), false) = (list, blank) {
            let by_style = || {
                self.numbering
                    .level_of_style(list, paragraph.style.as_deref()?)
            };
            level = (paragraph.level)
                .or(resolved.level)
                .or_else(by_style)
                .unwrap_or(0);
            label = self.numbering.next(list, level);
        }
        let kind = match (heading, label) {
            (Some(heading), label) => {
                if let Some(label) = label.filter(|label| !label.is_empty()) {
                    self.prefix(&label);
                }
                Kind::Heading(heading)
            }
            (None, Some(label)) => Kind::Item(level, labels::marker(&label)),
            (None, None) => Kind::Paragraph,
        };
        self.flow.close_paragraph(kind);
    }

    /// Puts a label before the paragraph.
    fn prefix(&mut self, label: &str) {
        let rest = std::mem::take(self.rich());
        let mut rich = Rich::default();
        rich.push(label);
        rich.space();
        rich.append(rest);
        *self.rich() = rich;
    }

    fn refer(&mut self, kind: Note, id: Option<String>) {
        let Some(id) = id else { return };
        if self.hides() {
            return;
        }
        // Each is shown where it is first referred to.
        let Some(blocks) = self.notes.remove(&(kind, id)) else {
            return;
        };
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let label = match kind {
            Note::Footnote => format!("{count}"),
            Note::Endnote => format!("e{count}"),
            Note::Comment => format!("c{count}"),
        };
        self.flow.note(label, blocks);
    }

    fn end_note(&mut self) {
        let mut blocks = self.flow.close_frame();
        let Some((id, author)) = self.note.take() else {
            return;
        };
        if let Some(author) = author {
            let mut rich = Rich::default();
            rich.push(&author);
            blocks.insert(0, Block::Paragraph(rich));
        }
        self.notes.insert((self.note_kind, id), blocks);
    }
}

impl Handler for Body<'_> {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match tag.ns {
            Ns::Word => {
                let in_properties = self.in_paragraph_properties
                    || self.in_run_properties
                    || self.in_row_properties;
                if in_properties && !tag.name.ends_with("Change") {
                    self.property(tag);
                    // Whoever changed what, nothing of it is text.
                    if matches!(tag.name, "del" | "moveFrom") {
                        return Step::Skip;
                    }
                }
                return self.word(tag);
            }
            Ns::Math => match tag.name {
                "t" => self.takes = Takes::Words,
                "sup" => self.sign(|rich| rich.push("^")),
                "sub" => self.sign(|rich| rich.push("_")),
                "den" => self.sign(|rich| rich.push("/")),
                _ => {}
            },
            Ns::WordDrawing if tag.name == "docPr" => {
                let alt = tag.attr("descr").unwrap_or_default();
                let alt = alt.trim();
                if !alt.is_empty() {
                    self.sign(|rich| {
                        rich.push_raw("![");
                        rich.push(alt);
                        rich.push_raw("]()");
                    });
                }
            }
            Ns::Vml if tag.name == "textpath" => {
                let words = tag.attr("string").unwrap_or_default();
                self.sign(|rich| rich.push(&words));
            }
            Ns::Diagram if tag.name == "relIds" => self.draw(tag.relation("dm")),
            Ns::Chart if tag.name == "chart" => self.draw(tag.relation("id")),
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, ns: Ns, name: &str) {
        if ns == Ns::Math && name == "t" {
            self.takes = Takes::Nothing;
        }
        if ns != Ns::Word {
            return;
        }
        match name {
            "p" => self.end_paragraph(),
            "pPr" => self.in_paragraph_properties = false,
            "rPr" => self.in_run_properties = false,
            "trPr" => self.in_row_properties = false,
            "r" => drop(self.runs.pop()),
            "t" | "instrText" => self.takes = Takes::Nothing,
            "hyperlink" | "fldSimple" => {
                let opened = self.links.pop() == Some(true);
                self.flow.close_link(opened);
            }
            "footnote" | "endnote" | "comment" => self.end_note(),
            "txbxContent" => {
                for block in self.flow.close_frame() {
                    self.flow.block_after(block);
                }
            }
            "tc" => {
                let blocks = self.flow.close_frame();
                self.flow.cell(blocks, self.spans.pop().unwrap_or(1));
            }
            "tr" if self.row_deleted => self.flow.drop_row(),
            "tbl" => self.flow.close_table(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match self.takes {
            Takes::Nothing => {}
            Takes::Instruction => self.fields.instruct(text),
            Takes::Words if self.runs.last() == Some(&true) => {
                self.hidden += usize::from(!text.trim().is_empty());
            }
            Takes::Words if self.fields.hides() => {}
            Takes::Words => {
                let breaks = std::mem::take(&mut self.page_pending) && self.begun;
                let rich = self.flow.rich();
                if breaks {
                    rich.page_break();
                }
                rich.push(text);
                self.begun = true;
            }
        }
    }

    fn full(&self) -> bool {
        self.flow.writer.full()
    }
}

impl Body<'_> {
    fn draw(&mut self, relation: Option<std::borrow::Cow<'_, str>>) {
        let blocks = relation.and_then(|id| self.drawings.remove(&*id));
        for block in blocks.into_iter().flatten() {
            self.flow.block_after(block);
        }
    }
}
