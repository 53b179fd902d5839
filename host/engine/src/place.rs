//! Where a stretch of an item's text stands in the original.

use std::ops::Range;

use pkb_store::{Mark, Place};
use serde::Serialize;

/// A citation's place.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Places {
    /// First and last line of the original, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// First and last page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<(u32, u32)>,
    /// Seconds from the start of a recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<f64>,
    /// Part of a container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
}

impl Places {
    /// Where `span` of `text` stands, by the text's marks. `span` must lie in
    /// the text.
    pub fn of(text: &str, marks: &[Mark], span: &Range<usize>) -> Places {
        let last = span.end.saturating_sub(1).max(span.start);
        let page = |at| {
            before(marks, at).find_map(|mark| match mark.place {
                Place::Page(page) => Some(page),
                _ => None,
            })
        };
        Places {
            lines: line_at(text, marks, span.start).zip(line_at(text, marks, last)),
            pages: page(span.start).zip(page(last)),
            second: before(marks, span.start).find_map(|mark| match mark.place {
                Place::Second(second) => Some(second),
                _ => None,
            }),
            part: before(marks, span.start).find_map(|mark| match &mark.place {
                Place::Part(part) => Some(part.clone()),
                _ => None,
            }),
        }
    }

    /// As people read it: `lines 3-7`, `page 12`.
    pub fn to_words(&self) -> String {
        let range = |name: &str, (first, last): (u32, u32)| {
            if first == last {
                format!("{name} {first}")
            } else {
                format!("{name}s {first}-{last}")
            }
        };
        let mut parts = Vec::new();
        parts.extend(self.part.clone());
        parts.extend(self.pages.map(|pages| range("page", pages)));
        parts.extend(self.second.map(|second| {
            let whole = second as u64;
            format!("{}:{:02}", whole / 60, whole % 60)
        }));
        parts.extend(self.lines.map(|lines| range("line", lines)));
        parts.join(", ")
    }
}

/// Marks at or before `at`, the nearest first.
fn before(marks: &[Mark], at: usize) -> impl Iterator<Item = &Mark> {
    marks
        .iter()
        .rev()
        .skip_while(move |mark| mark.offset > at as u64)
}

/// The line of the original that the byte at `at` stands on: the last line
/// mark before it, and the line breaks since.
pub(crate) fn line_at(text: &str, marks: &[Mark], at: usize) -> Option<u32> {
    let (offset, line) = before(marks, at).find_map(|mark| match mark.place {
        Place::Line(line) => Some((mark.offset as usize, line)),
        _ => None,
    })?;
    let breaks = text
        .as_bytes()
        .get(offset..at)?
        .iter()
        .filter(|byte| **byte == b'\n')
        .count();
    Some(line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_on_from_the_last_mark() {
        let text = "one\ntwo\nthree\nfour\n";
        let line = |offset, line| Mark {
            offset,
            place: Place::Line(line),
        };
        // Frontmatter of four lines before the text, a comment of two lines
        // taken out before "three".
        let marks = [line(0, 5), line(8, 9)];
        assert_eq!(Places::of(text, &marks, &(0..3)).lines, Some((5, 5)));
        assert_eq!(Places::of(text, &marks, &(0..8)).lines, Some((5, 6)));
        assert_eq!(Places::of(text, &marks, &(4..18)).lines, Some((6, 10)));
        assert_eq!(Places::of(text, &marks, &(4..18)).to_words(), "lines 6-10");
    }

    #[test]
    fn pages_span_from_first_to_last_byte() {
        let page = |offset, page| Mark {
            offset,
            place: Place::Page(page),
        };
        let marks = [page(0, 1), page(5, 2), page(10, 3)];
        let pages = |span| Places::of("0123456789abcdef", &marks, &span).pages;
        assert_eq!(pages(0..5), Some((1, 1)));
        assert_eq!(pages(0..6), Some((1, 2)));
        assert_eq!(pages(6..16), Some((2, 3)));
        assert_eq!(Places::of("0123456789", &[], &(0..3)), Places::default());
    }
}
