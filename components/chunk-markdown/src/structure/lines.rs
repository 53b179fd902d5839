//! The lines of a text, and what is known about each.

use std::ops::Range;

use super::is_container_mark;
use super::titles::{self, Title};
use crate::params::{AFTER_TITLE, LINE, PARAGRAPH, TITLE, WRAPPED_BYTES};

/// Whether a chunk may begin at a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mark {
    /// Nothing is known: it may, as at any line.
    Plain,
    /// A block begins here, with this quality.
    Start(f32),
    /// It may not: the line is inside something that stays whole.
    Inside,
    /// The line has no text of its own.
    Blank,
}

/// The lines of a text.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Where each line starts; then the length of the text.
    bounds: Vec<usize>,
    pub(crate) marks: Vec<Mark>,
}

impl Lines {
    /// A line ends after LF, CR LF or a lone CR.
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut bounds = vec![0];
        for (offset, &byte) in bytes.iter().enumerate() {
            let ends = byte == b'\n' || (byte == b'\r' && bytes.get(offset + 1) != Some(&b'\n'));
            if ends && offset + 1 < bytes.len() {
                bounds.push(offset + 1);
            }
        }
        bounds.push(bytes.len());
        let marks = bounds
            .windows(2)
            .map(|line| {
                if text[line[0]..line[1]].trim().is_empty() {
                    Mark::Blank
                } else {
                    Mark::Plain
                }
            })
            .collect();
        Self { bounds, marks }
    }

    /// How many there are; at least one.
    pub(crate) fn len(&self) -> usize {
        self.marks.len()
    }

    /// The line that holds the byte at `offset`; the last one past the end.
    pub(crate) fn at(&self, offset: usize) -> usize {
        self.bounds[..self.len()]
            .partition_point(|&start| start <= offset)
            .saturating_sub(1)
    }

    /// Where a line begins.
    pub(crate) fn start_of(&self, line: usize) -> usize {
        self.bounds[line]
    }

    /// The lines that `span` without white space at its end touches.
    pub(crate) fn covering(&self, text: &str, span: &Range<usize>) -> Range<usize> {
        let first = self.at(span.start);
        let end = span.start + text[span.clone()].trim_end().len();
        first..self.at(end.saturating_sub(1)).max(first) + 1
    }

    /// The bytes of `lines`, of which there is at least one.
    pub(crate) fn span(&self, lines: &Range<usize>) -> Range<usize> {
        self.bounds[lines.start]..self.bounds[lines.end]
    }

    /// Where the text of each line begins that starts after the first of
    /// `span`, without blank ones.
    pub(crate) fn starts_in<'a>(
        &'a self,
        text: &'a str,
        span: &Range<usize>,
    ) -> impl Iterator<Item = usize> + 'a {
        let lines = self.covering(text, span);
        self.bounds[lines.start..=lines.end]
            .windows(2)
            .skip(1)
            .filter_map(|bounds| {
                let line = text[bounds[0]..bounds[1]].trim_start();
                (!line.is_empty()).then_some(bounds[1] - line.len())
            })
    }

    /// Forbids beginning a chunk at any of `lines` but the first.
    pub(crate) fn close(&mut self, lines: Range<usize>) {
        if let Some(inner) = self.marks.get_mut(lines.start + 1..lines.end) {
            inner.fill(Mark::Inside);
        }
    }

    /// Where a chunk may begin, behind the indentation of a line, with the
    /// quality of it. Lines that only carry the marks of a quote count as
    /// blank.
    pub(crate) fn cuts<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, f32)> + 'a {
        let titles = titles::find(self, text);
        (0..self.len()).filter_map(move |line| {
            let (own, before) = (self.text(text, line), line.checked_sub(1));
            let quality = match self.marks[line] {
                Mark::Start(quality) => quality,
                Mark::Plain if own.trim_start_matches(is_container_mark).is_empty() => {
                    return None;
                }
                Mark::Plain if before.is_some_and(|before| self.is_unwrapped(text, before)) => {
                    PARAGRAPH
                }
                Mark::Plain => LINE,
                Mark::Inside | Mark::Blank => return None,
            };
            let quality = match titles[line] {
                Some(Title::Itself) => quality.max(TITLE),
                Some(Title::Below) => quality.min(AFTER_TITLE),
                None => quality,
            };
            let indentation = own.len() - own.trim_start().len();
            Some((self.bounds[line] + indentation, quality))
        })
    }

    /// A line with its end.
    pub(super) fn text<'a>(&self, text: &'a str, line: usize) -> &'a str {
        &text[self.bounds[line]..self.bounds[line + 1]]
    }

    /// Whether a line is longer than lines are wrapped at: then it is a whole
    /// paragraph, and the break after it is meant.
    pub(super) fn is_unwrapped(&self, text: &str, line: usize) -> bool {
        let own = self.text(text, line);
        own.len() > WRAPPED_BYTES && own.trim().len() > WRAPPED_BYTES
    }
}
