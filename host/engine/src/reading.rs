//! Reading on: single items and their text.

mod find;
mod outline;
mod part;

use pkb_store::ItemDetails;
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
    /// First and last page of the original in `text`, from 1; none where the
    /// original has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<(u32, u32)>,
    /// The text.
    pub text: String,
    /// What the reader should know: a heading that stands several times ...
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
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
            pages: places.pages,
            text: text.text[stretch.span].to_owned(),
            notes: stretch.notes,
        })
    }
}
