//! What is asked for, and what is found.

use super::{Chunk, Item, ItemId, Mark};

/// Which soft-deleted items a listing shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Deleted {
    /// None.
    #[default]
    Exclude,
    /// No others.
    Only,
    /// All items.
    Include,
}

/// Which items count. All conditions must hold; an empty one always does.
/// Soft-deleted items never pass in a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Names of sources, any of them.
    pub sources: Vec<String>,
    /// Kinds, any of them.
    pub kinds: Vec<String>,
    /// Tags, each of them; letter case counts only outside ASCII. `a` also
    /// finds `a/b`.
    pub tags: Vec<String>,
    /// What the external id starts with.
    pub path_prefix: Option<String>,
    /// Only these.
    pub items: Option<Vec<ItemId>>,
}

impl Filter {
    /// Whether every item passes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By source name, then external id.
    #[default]
    Path,
    /// Last changed first; without a time of change, last stored first.
    Recent,
}

/// A page of items.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemQuery {
    /// Which items.
    pub filter: Filter,
    /// Soft-deleted ones.
    pub deleted: Deleted,
    /// In which order.
    pub order: Order,
    /// How many to pass over.
    pub offset: u64,
    /// How many at most.
    pub limit: u64,
}

impl Default for ItemQuery {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            deleted: Deleted::Exclude,
            order: Order::Path,
            offset: 0,
            limit: 100,
        }
    }
}

/// One page and the size of the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The entries asked for.
    pub entries: Vec<T>,
    /// How many there are without offset and limit.
    pub total: u64,
}

/// What to look for by word.
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalQuery {
    /// Words or phrases, in any characters at all; each is taken literally. A
    /// chunk matches when it holds any of them. Only the first 256 different
    /// ones count.
    pub terms: Vec<String>,
    /// How much a match in each column counts.
    pub weights: Weights,
}

impl LexicalQuery {
    /// Chunks that hold any of `terms`, with the usual weights.
    pub fn any<T: Into<String>>(terms: impl IntoIterator<Item = T>) -> Self {
        Self {
            terms: terms.into_iter().map(Into::into).collect(),
            weights: Weights::default(),
        }
    }
}

/// How much a match in each column counts, relative to the others; see
/// <https://sqlite.org/fts5.html#the_bm25_function>.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Title and aliases.
    pub title: f64,
    /// Headings and tags.
    pub headings: f64,
    /// The chunk's text.
    pub body: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            title: 1.0,
            headings: 1.0,
            body: 1.0,
        }
    }
}

/// A chunk with all that is needed to show and cite it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkHit {
    /// The chunk.
    pub chunk: Chunk,
    /// The item it is part of.
    pub item: Item,
    /// The text of the span.
    pub text: String,
    /// The line of the item's text (not of the original) that the span starts
    /// on, counted from 1.
    pub text_line: u32,
    /// The marks that say where the span stands in the original: of each kind
    /// of place the last at or before the start, and all within the span.
    pub marks: Vec<Mark>,
}
