//! One slide, or the notes to one.

use std::collections::HashMap;

use crate::flow::{Flow, Kind};
use crate::labels::{self, Format};
use crate::package::Relations;
use crate::rich::Rich;
use crate::writer::{BULLET, Block, flat};
use crate::xml::{Handler, Ns, Step, Tag};

const LEVELS: usize = 9;

/// What a shape is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Title,
    /// Its paragraphs are items of a list unless they say otherwise.
    Body,
    /// The slide's number, the date.
    Furniture,
    Other,
}

struct Shape {
    role: Role,
    counters: [u32; LEVELS],
    alternative: String,
}

#[derive(Default)]
struct Paragraph {
    level: usize,
    /// None where the shape decides.
    bullet: Option<bool>,
    number: Option<(Format, &'static str, &'static str, u32)>,
}

/// Reads a slide.
pub(super) struct Slide<'a> {
    flow: &'a mut Flow,
    relations: &'a Relations,
    drawings: HashMap<String, Vec<Block>>,
    /// Whether these are notes, whose paragraphs are no items.
    is_notes: bool,
    title: Option<Rich>,
    shapes: Vec<Shape>,
    paragraph: Option<Paragraph>,
    /// The address that the run which is open links to.
    address: Option<String>,
    takes: bool,
}

impl<'a> Slide<'a> {
    pub(super) fn new(
        flow: &'a mut Flow,
        relations: &'a Relations,
        drawings: HashMap<String, Vec<Block>>,
    ) -> Self {
        Self {
            flow,
            relations,
            drawings,
            is_notes: false,
            title: None,
            shapes: Vec::new(),
            paragraph: None,
            address: None,
            takes: false,
        }
    }

    /// Ends the slide, and gives its title.
    pub(super) fn finish(self) -> Option<Rich> {
        self.title
    }

    fn begin_shape(&mut self) -> Step {
        if !self.flow.open_frame() {
            return Step::Skip;
        }
        self.shapes.push(Shape {
            role: Role::Other,
            counters: [0; LEVELS],
            alternative: String::new(),
        });
        Step::Into
    }

    fn end_shape(&mut self) {
        let blocks = self.flow.close_frame();
        let Some(shape) = self.shapes.pop() else {
            return;
        };
        if shape.role == Role::Furniture {
            return;
        }
        if shape.role == Role::Title && self.title.is_none() {
            self.title = Some(flat(blocks));
            return;
        }
        for block in blocks {
            self.flow.block(block);
        }
        if !shape.alternative.is_empty() {
            let mut rich = Rich::default();
            rich.push_raw("![");
            rich.push(&shape.alternative);
            rich.push_raw("]()");
            self.flow.block(Block::Paragraph(rich));
        }
    }

    fn end_paragraph(&mut self) {
        let Some(paragraph) = self.paragraph.take() else {
            return;
        };
        let blank = self.flow.rich().is_blank();
        let mut kind = Kind::Paragraph;
        if let (Some(shape), false) = (self.shapes.last_mut(), blank) {
            let level = paragraph.level.min(LEVELS - 1);
            let by_role = shape.role == Role::Body && !self.is_notes;
            let is_item = paragraph.bullet.unwrap_or(by_role);
            shape.counters[level + 1..].fill(0);
            if let Some((format, before, after, start)) = paragraph.number {
                let counter = &mut shape.counters[level];
                *counter = if *counter == 0 {
                    start
                } else {
                    counter.saturating_add(1)
                };
                let label = format!("{before}{}{after}", format.write(*counter));
                kind = Kind::Item(level as u8, labels::marker(&label));
            } else {
                shape.counters[level] = 0;
                if is_item {
                    kind = Kind::Item(level as u8, BULLET.to_owned());
                }
            }
        }
        self.flow.close_paragraph(kind);
    }

    fn draw(&mut self, id: Option<std::borrow::Cow<'_, str>>) {
        let blocks = id.and_then(|id| self.drawings.remove(&*id));
        for block in blocks.into_iter().flatten() {
            self.flow.block_after(block);
        }
    }

    fn drawing_tag(&mut self, tag: &Tag<'_>) -> Step {
        match tag.name {
            "p" => {
                self.flow.rich();
                self.paragraph = Some(Paragraph::default());
            }
            "pPr" => {
                if let Some(paragraph) = &mut self.paragraph {
                    paragraph.level = tag.number("lvl").unwrap_or(0);
                }
            }
            "buNone" | "buChar" | "buBlip" => {
                if let Some(paragraph) = &mut self.paragraph {
                    paragraph.bullet = Some(tag.name != "buNone");
                }
            }
            "buAutoNum" => {
                let sort = tag.attr("type").unwrap_or_default();
                let start = tag.number("startAt").unwrap_or(1).max(1);
                if let Some(paragraph) = &mut self.paragraph {
                    let (before, after) = around(&sort);
                    paragraph.number = Some((format_of(&sort), before, after, start));
                }
            }
            "fld" if tag.attr("type").as_deref() == Some("slidenum") => return Step::Skip,
            "r" | "fld" => self.address = None,
            "hlinkClick" if self.paragraph.is_some() => {
                let relation = tag.relation("id").and_then(|id| self.relations.get(&*id));
                let external = relation.filter(|relation| relation.external);
                self.address = external.map(|relation| relation.target.clone());
            }
            "t" => {
                self.takes = self.paragraph.is_some();
                if let (true, Some(address)) = (self.takes, self.address.take()) {
                    self.flow.open_link(&address);
                }
            }
            "br" if self.paragraph.is_some() => self.flow.rich().newline(),
            "tab" if self.paragraph.is_some() => self.flow.rich().space(),
            "tbl" if !self.flow.open_table() => return Step::Skip,
            "tr" => self.flow.open_row(),
            "tc" => return Step::into_if(self.flow.open_frame()),
            _ => {}
        }
        Step::Into
    }
}

impl Handler for Slide<'_> {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match (tag.ns, tag.name) {
            (Ns::Drawing, _) => return self.drawing_tag(tag),
            (Ns::Slides, "sp" | "pic" | "graphicFrame" | "cxnSp") => return self.begin_shape(),
            (Ns::Slides, "notes") => self.is_notes = true,
            (Ns::Slides, "cNvPr") => {
                let alternative = tag.attr("descr").unwrap_or_default();
                if let Some(shape) = self.shapes.last_mut() {
                    alternative.trim().clone_into(&mut shape.alternative);
                }
            }
            (Ns::Slides, "ph") => {
                if let Some(shape) = self.shapes.last_mut() {
                    shape.role = match tag.attr("type").as_deref() {
                        Some("title" | "ctrTitle") => Role::Title,
                        Some("body" | "obj") | None => Role::Body,
                        Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg") => Role::Furniture,
                        Some(_) => Role::Other,
                    };
                }
            }
            (Ns::Diagram, "relIds") => self.draw(tag.relation("dm")),
            (Ns::Chart, "chart") => self.draw(tag.relation("id")),
            (Ns::Math, "t") => self.takes = self.paragraph.is_some(),
            (Ns::Slides, "timing" | "transition" | "extLst") => return Step::Skip,
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, ns: Ns, name: &str) {
        match (ns, name) {
            (Ns::Slides, "sp" | "pic" | "graphicFrame" | "cxnSp") => self.end_shape(),
            (Ns::Drawing, "p") => self.end_paragraph(),
            (Ns::Drawing, "t") => {
                self.takes = false;
                if self.paragraph.is_some() {
                    self.flow.rich().close_link();
                }
            }
            (Ns::Math, "t") => self.takes = false,
            (Ns::Drawing, "tc") => {
                let blocks = self.flow.close_frame();
                // Cells under a merged one come, and are empty.
                self.flow.cell(blocks, 1);
            }
            (Ns::Drawing, "tbl") => self.flow.close_table(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.takes {
            self.flow.rich().push(text);
        }
    }

    fn full(&self) -> bool {
        self.flow.writer.full()
    }
}

/// How `romanLcParenBoth` writes its numbers.
fn format_of(sort: &str) -> Format {
    if sort.starts_with("alphaLc") {
        Format::LowerLetter
    } else if sort.starts_with("alphaUc") {
        Format::UpperLetter
    } else if sort.starts_with("romanLc") {
        Format::LowerRoman
    } else if sort.starts_with("romanUc") {
        Format::UpperRoman
    } else {
        Format::Decimal
    }
}

/// What it puts around them.
fn around(sort: &str) -> (&'static str, &'static str) {
    if sort.ends_with("ParenBoth") {
        ("(", ")")
    } else if sort.ends_with("ParenR") {
        ("", ")")
    } else {
        ("", ".")
    }
}
