//! The ledger, syncs, and the state of a store.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{
    ChunkHash, EmbedCursor, ItemId, Millis, ModelId, Provenance, Source, SourceId, SyncRunId,
};

/// What became of an item of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LedgerState {
    /// Its content can be searched.
    Indexed,
    /// It was left out on purpose.
    Skipped,
    /// It could not be read.
    Failed,
}

/// A ledger row for something that was not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerWrite {
    /// Where it comes from.
    pub source: SourceId,
    /// Identity within the source.
    pub external_id: String,
    /// Skipped or failed.
    pub outcome: NotIndexed,
    /// Why, as a short fixed word such as `too-large`.
    pub reason: String,
    /// Why, as a sentence for a person.
    pub message: String,
    /// How it was read.
    pub provenance: Provenance,
}

/// Why there is no content for an item of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotIndexed {
    /// It was left out on purpose.
    Skipped,
    /// It could not be read.
    Failed,
}

/// A ledger row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// The source's name.
    pub source: String,
    /// Identity within the source.
    pub external_id: String,
    /// What became of it.
    pub state: LedgerState,
    /// Why it was not indexed, as a short fixed word.
    pub reason: Option<String>,
    /// Why it was not indexed, as a sentence.
    pub message: Option<String>,
    /// What could not be read as it should.
    pub warnings: Vec<String>,
    /// The component that read it or that failed.
    pub component: Option<String>,
    /// The item, where there is one.
    pub item: Option<ItemId>,
    /// Whether that item is deleted softly.
    pub deleted: bool,
    /// When this row was last written.
    pub updated: Millis,
}

/// Which ledger rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerQuery {
    /// The source's name; none for all.
    pub source: Option<String>,
    /// The state; none for all.
    pub state: Option<LedgerState>,
    /// Only rows with warnings.
    pub with_warnings: bool,
    /// Sources that are as if they were not there.
    pub without: Vec<SourceId>,
    /// Rows to pass over.
    pub offset: u64,
    /// Rows at most; none for all.
    pub limit: Option<u64>,
}

/// What a sync compares to find out whether anything changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// See [`Provenance::stamp`].
    pub stamp: String,
    /// See [`Provenance::pipeline`].
    pub pipeline: String,
    /// What became of it.
    pub state: LedgerState,
    /// The item, where there is one.
    pub item: Option<ItemId>,
    /// Hash of the bytes that were indexed last.
    pub content_hash: Option<[u8; 32]>,
    /// How many bytes those were.
    pub size: Option<u64>,
    /// Why the item is deleted softly, where it is.
    pub deleted_from: Option<String>,
    /// Whether a person brought the item back and its source did not hold it
    /// since: then it is no loss that it is not there.
    pub restored: bool,
}

/// What was removed for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// Items.
    pub items: u64,
    /// Their chunks.
    pub chunks: u64,
    /// Vectors that no chunk needs any more, of all models.
    pub vectors: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
}

/// What became of a database that a backup was put back into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PutBack {
    /// Where the state before is kept; none where there was none.
    pub before: Option<PathBuf>,
    /// Version of the tables' layout in the backup.
    pub schema: u32,
    /// Whether the file before was damaged and had to be moved away, so that
    /// processes that have it open do not see what was put back.
    pub moved: bool,
}

/// How many rows of a source's ledger are in which state. Rows whose item is
/// deleted softly count as deleted and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct LedgerTotals {
    /// The source's name.
    pub source: String,
    pub indexed: u64,
    pub skipped: u64,
    pub failed: u64,
    pub deleted: u64,
    /// Rows with warnings, whatever their state.
    pub with_warnings: u64,
}

/// A chunk that a model has no vector for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unembedded {
    /// What the vector is to be stored under.
    pub hash: ChunkHash,
    /// One chunk with that hash, for the walk to go on from.
    pub cursor: EmbedCursor,
    /// The item it is part of.
    pub item: ItemId,
    /// Put before the text when it is embedded.
    pub context: Option<String>,
    /// The text of the chunk.
    pub text: String,
}

/// A model and how far its vectors have come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStats {
    /// Its number.
    pub id: ModelId,
    /// What the vectors depend on, hashed by the embedder.
    pub fingerprint: String,
    /// What people call it.
    pub name: String,
    /// Numbers in a vector.
    pub dimensions: u32,
    /// Different hashes, of chunks that can be searched, that have a vector.
    pub present: u64,
    /// Different hashes, of chunks that can be searched, that have none.
    pub missing: u64,
    /// Different hashes, of chunks that will be searched once all that is staged
    /// has taken over.
    pub wanted: u64,
    /// How many of those have no vector.
    pub pending: u64,
    /// Whether this is the model that searches use.
    pub current: bool,
}

/// What a sync did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct SyncCounts {
    pub added: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub moved: u64,
    pub deleted: u64,
    pub restored: u64,
    pub skipped: u64,
    pub failed: u64,
}

/// One run of a sync over one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncRun {
    /// Its number.
    pub id: SyncRunId,
    /// The source's name.
    pub source: String,
    /// When it began.
    pub started: Millis,
    /// When it ended; none while it runs or when it was cut off.
    pub finished: Option<Millis>,
    /// How it ended, such as `done` or `stopped`.
    pub outcome: Option<String>,
    /// What it did.
    pub counts: SyncCounts,
}

/// A source in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceStats {
    /// The source.
    #[serde(flatten)]
    pub source: Source,
    /// Items that can be searched.
    pub items: u64,
    /// Items deleted softly.
    pub deleted: u64,
    /// Chunks of items that can be searched.
    pub chunks: u64,
    /// Its ledger.
    pub ledger: LedgerTotals,
    /// Its latest sync.
    pub last_sync: Option<SyncRun>,
}

/// A store in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Version of the tables' layout.
    pub schema: u32,
    /// Bytes on disk, write-ahead log included.
    pub bytes: u64,
    /// Bytes of the texts of all items.
    pub text_bytes: u64,
    /// Items that can be searched.
    pub items: u64,
    /// Items deleted softly.
    pub deleted: u64,
    /// Chunks of items that can be searched.
    pub chunks: u64,
    /// By name.
    pub sources: Vec<SourceStats>,
    /// Those that were ever used here.
    pub models: Vec<ModelStats>,
}

/// Items that are alike, counted. Soft-deleted ones are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holding {
    /// Name of their source.
    pub source: String,
    /// Such as note.
    pub kind: String,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// How many.
    pub items: u64,
    /// The earliest and the latest of their dates: when published, else last
    /// changed, else made; none where none has one.
    pub dates: Option<(Millis, Millis)>,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A sentence for a person: what is wrong, and with what.
    pub message: String,
    /// What puts it right.
    pub remedy: Remedy,
}

/// What puts a problem right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// [`Store::rebuild_terms`](crate::Store::rebuild_terms).
    RebuildTerms,
    /// [`Store::rewrite`](crate::Store::rewrite), then the word index and
    /// embedding again; a backup where that cannot be done.
    Rewrite,
    /// [`Store::reindex`](crate::Store::reindex).
    Reindex,
    /// [`Store::remove_strays`](crate::Store::remove_strays).
    RemoveStrays,
    /// [`Store::mend_ledger`](crate::Store::mend_ledger).
    MendLedger,
    /// [`Store::remove_damaged_vectors`](crate::Store::remove_damaged_vectors),
    /// then embedding again.
    RemoveDamagedVectors,
    /// Reading the items anew: [`Store::mend_ledger`](crate::Store::mend_ledger)
    /// makes the next sync do so.
    Resync,
    /// A backup, or a new database filled by a sync.
    Restore,
}

/// Who holds a lock. What cannot be read is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    pub pid: Option<u32>,
    /// Since when.
    pub since: Option<Millis>,
    /// What it does with it, as a short fixed word such as `sync`.
    pub doing: Option<String>,
    /// What else it told; see [`HeldLock::tell`](crate::HeldLock::tell).
    #[serde(skip)]
    pub details: Option<String>,
}
