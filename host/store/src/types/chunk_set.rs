//! What chunks were made with, and chunks that wait to take over.

use serde::{Deserialize, Serialize};

use super::{ChunkId, ChunkWrite, ItemId};

/// What chunks are made with, as this store numbers it; see
/// [`Store::ensure_chunk_set`](crate::Store::ensure_chunk_set).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChunkSetId(pub i64);

/// What chunks are made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkSet {
    /// Equal keys make equal chunks of equal texts.
    pub key: String,
    /// The chunker component's name.
    pub chunker: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its file, in hexadecimal digits.
    pub sha256: String,
    /// Its settings, a JSON object.
    pub settings: String,
    /// Hash of the definition of the tokenizer that counted.
    pub tokenizer: String,
    /// The most tokens that a chunk was to have.
    pub budget: u32,
}

/// Items of some kind and what their chunks are to be made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedSet {
    /// See [`ItemWrite::kind`](crate::ItemWrite::kind); none for all kinds
    /// that no other entry names.
    pub kind: Option<String>,
    /// The set.
    pub set: ChunkSetId,
}

/// An item whose chunks were made with something else than is wanted now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outdated {
    /// The item.
    pub item: ItemId,
    /// Identity within its source.
    pub external_id: String,
    /// Such as `note`.
    pub kind: String,
    /// What its chunks are to be made with.
    pub wanted: ChunkSetId,
    /// What people call it.
    pub title: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Without `#`.
    pub tags: Vec<String>,
    /// The text to split.
    pub text: String,
}

/// New chunks for an item, which wait beside those that are searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedWrite {
    /// The item.
    pub item: ItemId,
    /// What they were made with.
    pub set: ChunkSetId,
    /// In order.
    pub chunks: Vec<ChunkWrite>,
}

/// How far a walk through the chunks without a vector has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedCursor {
    /// Among the chunks that are searched.
    Searched(ChunkId),
    /// Among the staged ones; by a number of their own.
    Staged(i64),
}

/// What [`Store::take_over`](crate::Store::take_over) changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeOver {
    /// Items whose staged chunks are searched from now on.
    pub items: u64,
    /// Whether searches use another model from now on.
    pub model: bool,
}
