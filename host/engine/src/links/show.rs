//! Where links stand, and what stands around them.

use std::ops::Range;

use pkb_store::{ItemText, Link};

use crate::place::Places;
use crate::snippet::Snippet;

/// Length of what is shown around a link, in bytes.
const AROUND: usize = 240;

/// The text that links stand in; empty where it is gone.
pub(super) struct Lines(ItemText);

impl Lines {
    pub(super) fn of(text: Option<ItemText>) -> Lines {
        Lines(text.unwrap_or(ItemText {
            text: String::new(),
            marks: Vec::new(),
        }))
    }

    /// Where the link stands in the original.
    pub(super) fn place(&mut self, link: &Link) -> Places {
        match self.span(link) {
            Some(span) => Places::of(&self.0.text, &self.0.marks, &span),
            None => Places::default(),
        }
    }

    /// The line around the link, or what of it is nearest to the link.
    pub(super) fn around(&mut self, link: &Link) -> Snippet {
        let Some(span) = self.span(link) else {
            return Snippet::default();
        };
        let text = &self.0.text;
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[span.end..]
            .find('\n')
            .map_or(text.len(), |at| span.end + at);
        let line = &text[start..end];
        let start = start + line.len() - line.trim_start().len();
        Snippet::around(
            text[start..end].trim_end(),
            &[span.start - start..span.end - start],
            AROUND,
        )
    }

    fn span(&self, link: &Link) -> Option<Range<usize>> {
        let start = usize::try_from(link.span.start).ok()?;
        let end = usize::try_from(link.span.end).ok()?;
        self.0.text.get(start..end).map(|_| start..end)
    }
}
