//! Citing what was found: the item, and the place in it.

use std::ops::Range;

use pkb_store::{ChunkHit, Item, ItemText, Millis};
use serde::Serialize;

use crate::place::Places;
use crate::snippet::Snippet;

/// Length of a snippet, in bytes.
const SNIPPET: usize = 320;

/// An item, cited at one of its chunks.
#[derive(Clone, Debug, Serialize)]
pub struct Citation {
    /// Number of the item, for `get`.
    pub item: i64,
    /// Number of the chunk that is cited.
    pub chunk: i64,
    /// `source/path`, for people and for `get`.
    pub path: String,
    /// The item's title.
    pub title: String,
    /// Where it can be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its date: when it was published, else last changed, else made, else
    /// stored, in milliseconds since 1970.
    pub date: Millis,
    /// Headings that the chunk stands under, outermost first.
    pub headings: Vec<String>,
    /// Where the chunk stands in the original.
    pub place: Places,
    /// Part of the chunk.
    pub snippet: Snippet,
    /// What could not be read of the item as it should, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Citation {
    /// Cites a chunk of an item whose text is `whole`; the snippet is around
    /// most of `matches`, which are byte ranges of the chunk's text, or the
    /// beginning where there are none.
    pub(crate) fn of(
        chunk: &ChunkHit,
        whole: Option<&ItemText>,
        matches: &[Range<usize>],
    ) -> Citation {
        Citation {
            item: chunk.item.id.0,
            chunk: chunk.chunk.id.0,
            path: item_path(&chunk.item),
            title: chunk.item.title.clone(),
            url: chunk.item.url.clone(),
            date: date(&chunk.item),
            headings: chunk.chunk.headings.clone(),
            place: place(chunk, whole),
            snippet: Snippet::around(&chunk.text, matches, SNIPPET),
            warnings: chunk.warnings.clone(),
        }
    }
}

/// Where a chunk of an item whose text is `whole` stands in the original.
pub(crate) fn place(chunk: &ChunkHit, whole: Option<&ItemText>) -> Places {
    let span = chunk.chunk.span.start as usize..chunk.chunk.span.end as usize;
    whole
        .map(|whole| Places::of(&whole.text, &whole.marks, &span))
        .unwrap_or_default()
}

/// The time that filters by date go by.
pub(crate) fn date(item: &Item) -> Millis {
    (item.published.or(item.modified).or(item.created)).unwrap_or(item.ingested)
}

/// `source/path`: what names an item for people.
pub(crate) fn item_path(item: &Item) -> String {
    format!("{}/{}", item.source, item.external_id)
}
