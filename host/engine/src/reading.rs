//! Reading on: single items and their text.

mod find;
mod outline;
mod part;

use std::ops::Range;
use std::sync::Arc;

use pkb_store::{ItemDetails, ItemText};
use serde::Serialize;

use self::part::Whole;
pub use self::part::{Part, ReadRequest};
use crate::citation::item_path;
use crate::engine::Engine;
use crate::error::Error;
use crate::place::{Places, line_at};

/// An item with its text, or the part that was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// Number of the item.
    pub item: i64,
    /// `source/path`.
    pub path: String,
    /// What there is to know of it.
    pub details: ItemDetails,
    /// Headings of the section that was asked for, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// First and last line of the original in `text`, from 1; none where the
    /// original has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// Lines of the original, in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u32>,
    /// Seconds from the start of a recording to where `text` begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<f64>,
    /// First and last page of the original in `text`, from 1; none where the
    /// original has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<(u32, u32)>,
    /// The text.
    pub text: String,
    /// What the reader should know: a heading that stands several times ...
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where `text` stands in the whole text, in bytes.
    #[serde(skip)]
    pub span: Range<usize>,
    #[serde(skip)]
    whole: Arc<ItemText>,
}

impl Reading {
    /// The same with the first `bytes` of its text, or a little fewer where that
    /// would cut a character.
    pub fn head(&self, bytes: usize) -> Reading {
        let text = self.text[..self.text.floor_char_boundary(bytes)].to_owned();
        let span = self.span.start..self.span.start + text.len();
        let places = Places::of(&self.whole.text, &self.whole.marks, &span);
        Reading {
            item: self.item,
            path: self.path.clone(),
            details: self.details.clone(),
            headings: self.headings.clone(),
            lines: places.lines,
            line_count: self.line_count,
            second: places.second,
            pages: places.pages,
            text,
            notes: self.notes.clone(),
            span,
            whole: self.whole.clone(),
        }
    }

    /// Bytes of the whole text of the item.
    pub fn whole_bytes(&self) -> usize {
        self.whole.text.len()
    }
}

impl Engine {
    /// The item that `wanted` names, with its text, or the part of it that is
    /// asked for.
    ///
    /// # Errors
    /// As [`Engine::find_item`]; [`Error::Usage`] for lines and pages it does
    /// not have, [`Error::NotFound`] for such headings and chunks.
    pub fn read_item(&self, wanted: &str, request: &ReadRequest) -> Result<Reading, Error> {
        let _span = tracing::info_span!("read").entered();
        let item = self.find_item(wanted)?;
        let gone = || Error::NotFound {
            what: format!("the item {wanted:?} is just gone"),
            near: Vec::new(),
            hint: String::new(),
        };
        let details = self.store().item(item.id)?.ok_or_else(gone)?;
        let text = self.store().text(item.id)?.ok_or_else(gone)?;
        let chunks = match request {
            ReadRequest {
                part: Part::Chunk(_),
                ..
            }
            | ReadRequest {
                around: Some(_), ..
            } => self.store().chunks(item.id)?,
            _ => Vec::new(),
        };
        let path = item_path(&item);
        let stretch = Whole {
            path: &path,
            text: &text,
            chunks: &chunks,
        }
        .find(request)?;
        let places = Places::of(&text.text, &text.marks, &stretch.span);
        let last = text.text.len().saturating_sub(1);
        Ok(Reading {
            item: item.id.0,
            path,
            details,
            headings: stretch.headings,
            lines: places.lines,
            line_count: line_at(&text.text, &text.marks, last),
            second: places.second,
            pages: places.pages,
            text: text.text[stretch.span.clone()].to_owned(),
            notes: stretch.notes,
            span: stretch.span,
            whole: Arc::new(text),
        })
    }
}
