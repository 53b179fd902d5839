//! Which stretch of an item's text is asked for.

use std::ops::Range;

use pkb_store::{Chunk, ItemText, Mark, Place};

use super::outline::{self, Section};
use crate::error::Error;
use crate::place::line_at;

/// A part of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// Lines of the original, both included, from 1.
    Lines(u32, u32),
    /// Pages of the original, both included, from 1.
    Pages(u32, u32),
    /// A heading, or a path of headings parted by `>`, or the end of one, in
    /// any letter case, with all below it.
    Heading(String),
    /// What is indexed as one piece, by its number.
    Chunk(i64),
    /// Bytes of its text, as far as it has them; reads on where a part ended.
    Bytes(Range<usize>),
}

/// What of an item is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadRequest {
    /// Which part.
    pub part: Part,
    /// The chunks that stand there instead of just the part, with so many
    /// before and after them.
    pub around: Option<u32>,
}

impl From<Part> for ReadRequest {
    fn from(part: Part) -> Self {
        ReadRequest { part, around: None }
    }
}

/// A stretch of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) span: Range<usize>,
    /// The headings of the section, where one was asked for.
    pub(super) headings: Vec<String>,
    /// What the reader should know.
    pub(super) notes: Vec<String>,
}

impl From<Range<usize>> for Stretch {
    fn from(span: Range<usize>) -> Self {
        Stretch {
            span,
            headings: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// An item as it is cut: what to call it, its text and its chunks.
pub(super) struct Whole<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a ItemText,
    pub(super) chunks: &'a [Chunk],
}

impl Whole<'_> {
    /// The stretch that is asked for.
    ///
    /// # Errors
    /// [`Error::Usage`] for lines and pages that it does not have, and chunks
    /// around nothing in particular; [`Error::NotFound`] for headings and
    /// chunks, with near misses.
    pub(super) fn find(&self, request: &ReadRequest) -> Result<Stretch, Error> {
        let mut stretch = match &request.part {
            Part::Whole if request.around.is_some() => {
                return Err(Error::usage(
                    "--around needs a place that it is around",
                    "Name one with --line, --lines, --heading, --page or --chunk.",
                ));
            }
            Part::Whole => (0..self.text.text.len()).into(),
            Part::Lines(from, to) => self.lines(*from, *to)?.into(),
            Part::Pages(from, to) => self.pages(*from, *to)?.into(),
            Part::Heading(wanted) => self.section(wanted)?,
            Part::Chunk(wanted) => self.chunk(*wanted)?.into(),
            Part::Bytes(wanted) => {
                let text = &self.text.text;
                let end = text.floor_char_boundary(wanted.end);
                (text.floor_char_boundary(wanted.start).min(end)..end).into()
            }
        };
        if let Some(count) = request.around {
            // Chunks may overlap; the one that was named is the only one meant.
            let named = |chunk: &Chunk| request.part == Part::Chunk(chunk.id.0);
            let middle = match self.chunks.iter().position(named) {
                Some(at) => (at, at),
                None => self.touched(&stretch.span),
            };
            stretch.span = self.around(middle, count).unwrap_or(stretch.span);
        }
        Ok(stretch)
    }

    fn lines(&self, from: u32, to: u32) -> Result<Range<usize>, Error> {
        let ItemText { text, marks } = self.text;
        lines(self.text, from, to).ok_or_else(|| {
            let wanted = match to {
                to if to == from => format!("line {from}"),
                u32::MAX => format!("lines {from} to the end"),
                to => format!("lines {from} to {to}"),
            };
            let first = line_at(text, marks, 0);
            let last = line_at(text, marks, text.len().saturating_sub(1));
            Error::usage(
                format!("{} has no text on {wanted}", self.path),
                match first.zip(last) {
                    Some((1, last)) => format!("Its text goes to line {last}."),
                    Some((first, last)) => format!(
                        "Its text goes from line {first} to line {last}; what stands before it are properties."
                    ),
                    None => "It is not a file of lines; leave --lines out.".into(),
                },
            )
        })
    }

    fn pages(&self, from: u32, to: u32) -> Result<Range<usize>, Error> {
        let pages = || pages(&self.text.marks);
        pages_span(self.text, from, to).ok_or_else(|| {
            let wanted = match to {
                to if to == from => format!("page {from}"),
                u32::MAX => format!("pages {from} to the end"),
                to => format!("pages {from} to {to}"),
            };
            let range = pages().map(|(_, page)| page);
            Error::usage(
                format!("{} has no text on {wanted}", self.path),
                match range.clone().min().zip(range.max()) {
                    Some((first, last)) => {
                        format!("Its text goes from page {first} to page {last}.")
                    }
                    None => "It has no pages; leave --page out.".into(),
                },
            )
        })
    }

    fn section(&self, wanted: &str) -> Result<Stretch, Error> {
        let sections = outline::sections(&self.text.text);
        let found = outline::find(&sections, wanted);
        let Some(first) = found.first() else {
            let near = outline::near(&sections, wanted, 3);
            let first = sections.iter().take(12);
            let first = || {
                first
                    .map(|section| outline::to_words(&section.path))
                    .collect()
            };
            return Err(Error::NotFound {
                what: format!("{} has no heading {wanted:?}", self.path),
                near: if near.is_empty() { first() } else { near },
                hint: match sections.len() {
                    0 => "It has no headings at all.".to_owned(),
                    1 => "It has one heading.".to_owned(),
                    all => format!("It has {all} headings."),
                },
            });
        };
        let mut stretch = Stretch::from(first.span.clone());
        stretch.headings.clone_from(&first.path);
        if found.len() > 1 {
            stretch.notes.push(format!(
                "{wanted:?} fits {} headings; this is the first. The others: {}.",
                found.len(),
                self.others(&found[1..])
            ));
        }
        Ok(stretch)
    }

    /// Sections by their paths and lines.
    fn others(&self, sections: &[&Section]) -> String {
        let ItemText { text, marks } = self.text;
        let named: Vec<String> = sections
            .iter()
            .map(|section| {
                let path = outline::to_words(&section.path);
                match line_at(text, marks, section.span.start) {
                    Some(line) => format!("{path} (line {line})"),
                    None => path,
                }
            })
            .collect();
        named.join(", ")
    }

    fn chunk(&self, wanted: i64) -> Result<Range<usize>, Error> {
        let found = self.chunks.iter().find(|chunk| chunk.id.0 == wanted);
        found.map(span).ok_or_else(|| Error::NotFound {
            what: format!("{} has no chunk {wanted}", self.path),
            near: Vec::new(),
            hint:
                "Chunks get new numbers when an item changes; `pkb search` gives the present ones."
                    .into(),
        })
    }

    /// The first and the last chunk that touch `part`. A part between chunks
    /// belongs to the next one.
    fn touched(&self, part: &Range<usize>) -> (usize, usize) {
        let touches = |chunk: &Chunk| {
            let own = span(chunk);
            own.start < part.end && part.start < own.end
        };
        let first = self.chunks.iter().position(touches);
        let last = self.chunks.iter().rposition(touches);
        first.zip(last).unwrap_or_else(|| {
            let next = |chunk: &Chunk| span(chunk).start >= part.end;
            let next = self.chunks.iter().position(next);
            let at = next.unwrap_or(self.chunks.len().saturating_sub(1));
            (at, at)
        })
    }

    /// From `count` chunks before the first to `count` after the last; none of
    /// an item that has no chunks.
    fn around(&self, (first, last): (usize, usize), count: u32) -> Option<Range<usize>> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let last = last
            .saturating_add(count)
            .min(self.chunks.len().saturating_sub(1));
        // Chunks need not be in the order of their places.
        let spans = self.chunks.get(first.saturating_sub(count)..=last)?.iter();
        spans
            .map(span)
            .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
            .filter(|span| self.text.text.get(span.clone()).is_some())
    }
}

fn span(chunk: &Chunk) -> Range<usize> {
    let byte = |at| usize::try_from(at).unwrap_or(usize::MAX);
    byte(chunk.span.start)..byte(chunk.span.end)
}

/// What stands on lines `from` to `to` of the original; none where nothing
/// does.
fn lines(text: &ItemText, from: u32, to: u32) -> Option<Range<usize>> {
    let mut marks = text.marks.iter().filter_map(|mark| match mark.place {
        Place::Line(line) => Some((mark.offset as usize, line)),
        _ => None,
    });
    let (_, mut number) = marks.next().filter(|(offset, _)| *offset == 0)?;
    let mut mark = marks.next();
    let mut found: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if (from..=to).contains(&number) {
            found = Some(found.map_or(start, |found| found.start)..at);
        }
        number = number.saturating_add(1);
        while let Some((offset, marked)) = mark.filter(|(offset, _)| *offset <= at) {
            let breaks = text.text.as_bytes()[offset..at]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            number = marked.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
            mark = marks.next();
        }
    }
    found
}

/// The pages that are marked, and where they begin.
fn pages(marks: &[Mark]) -> impl Iterator<Item = (usize, u32)> + Clone {
    marks.iter().filter_map(|mark| match mark.place {
        Place::Page(page) => Some((mark.offset as usize, page)),
        _ => None,
    })
}

/// What stands on pages `from` to `to`; none where nothing does.
fn pages_span(text: &ItemText, from: u32, to: u32) -> Option<Range<usize>> {
    let wanted = |page: u32| (from..=to).contains(&page);
    let mut marked = pages(&text.marks);
    let (start, _) = marked.find(|(_, page)| wanted(*page))?;
    let end = marked
        .find(|(_, page)| !wanted(*page))
        .map_or(text.text.len(), |(offset, _)| offset);
    (start < end && text.text.get(start..end).is_some()).then_some(start..end)
}

#[cfg(test)]
mod tests;
