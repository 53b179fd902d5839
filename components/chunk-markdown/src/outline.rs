//! The headings of a text and how they nest.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::params::HEADING_BYTES;

/// A heading that opens a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    /// From its first character to the end of its lines.
    pub(crate) span: Range<usize>,
    /// 1 to 6.
    pub(crate) level: u8,
    /// Plain text on one line; may be empty.
    pub(crate) text: String,
    /// The heading it stands under.
    parent: Option<usize>,
}

/// All headings of a text, in order.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) headings: Vec<Heading>,
}

impl Outline {
    /// Adds the next heading.
    pub(crate) fn push(&mut self, span: Range<usize>, level: u8, text: &str) {
        let mut parent = self.headings.len().checked_sub(1);
        while let Some(index) = parent
            && self.headings[index].level >= level
        {
            parent = self.headings[index].parent;
        }
        self.headings.push(Heading {
            span,
            level,
            text: one_line(text),
            parent,
        });
    }

    /// The headings from the outermost down to `section`, without empty ones.
    pub(crate) fn path(&self, section: Option<usize>) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = section;
        while let Some(index) = next {
            if !self.headings[index].text.is_empty() {
                path.push(index);
            }
            next = self.headings[index].parent;
        }
        path.reverse();
        path
    }
}

/// `text` with white space made single spaces, shortened where it is longer
/// than any heading needs to be.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(HEADING_BYTES));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > HEADING_BYTES {
            return shorten(&line, HEADING_BYTES);
        }
    }
    line
}

/// At most `bytes` of `text` and an ellipsis; cut at a word where one ends in
/// the second half, else between graphemes. Empty where nothing fits.
pub(crate) fn shorten(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let kept = text
        .grapheme_indices(true)
        .map(|(start, grapheme)| start + grapheme.len())
        .take_while(|&end| end <= bytes)
        .last()
        .unwrap_or(0);
    let kept = match text[..kept].rfind(' ') {
        Some(space) if space > kept / 2 => space,
        _ => kept,
    };
    match text[..kept].trim_end() {
        "" => String::new(),
        start => format!("{start}…"),
    }
}
