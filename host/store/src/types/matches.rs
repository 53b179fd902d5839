//! What a search finds.

use super::{ChunkId, ItemId};

/// An item that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemMatch {
    /// The item.
    pub item: ItemId,
    /// The score of its best chunk; higher is better.
    pub score: f64,
    /// Its best chunks with their scores, at most [`ItemMatch::CHUNKS`], best
    /// first; ties go by chunk id.
    pub chunks: Vec<(ChunkId, f64)>,
}

impl ItemMatch {
    /// Chunks given for an item at most.
    pub const CHUNKS: usize = 3;
}

/// How alike the query and everything that could have been found are: what a
/// score must stand out from to mean anything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Background {
    /// Mean similarity; 0 where nothing was compared.
    pub mean: f64,
    /// Standard deviation of the similarity, of the whole population.
    pub deviation: f64,
    /// How many chunks were compared: all eligible ones that have a vector.
    pub count: u64,
}

/// What a search by meaning found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseMatches {
    /// Best first; ties go by item id.
    pub items: Vec<ItemMatch>,
    /// Over all eligible chunks that have a vector. From similarities with the
    /// query rounded to 8 bits, which differ from the true ones by about 0.002
    /// in a cosine, to both sides alike.
    pub background: Background,
    /// How many different chunks have no vector of that model, eligible or not;
    /// those of soft-deleted items do not count.
    pub missing: u64,
    /// Whether no chunk has one, though there are chunks.
    pub all_missing: bool,
}

/// What a search by word found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexicalMatches {
    /// Those that hold all words first, then by score; ties go by item id.
    pub items: Vec<LexicalMatch>,
    /// The inverse document frequency of each word of the query: the rarer a
    /// word, the greater. Words beyond those that count have 0.
    pub weights: Vec<f64>,
    /// How many chunks hold each word of the query.
    pub holding: Vec<u64>,
    /// Items that hold any of the words.
    pub total: u64,
}

/// An item that was found by word. Scores are BM25, comparable within one
/// answer only; the item's is in part that of its whole text.
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalMatch {
    /// The item and its best chunks.
    pub found: ItemMatch,
    /// Which words of the query its chunks hold, all of them together, by
    /// their number.
    pub words: Vec<usize>,
}
