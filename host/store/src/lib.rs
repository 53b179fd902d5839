//! The system of record: items, their texts and chunks, what can be searched in
//! them, and the ledger of all that was ever seen.
//!
//! [`Store`] says what a store does; [`SqliteStore`] does it with SQLite, FTS5
//! and an exact vector index in memory. Nothing here knows how a text is read,
//! split or embedded.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod error;
mod sqlite;
mod types;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use error::{Error, Result};
pub use sqlite::{HeldLock, SqliteStore};
pub use types::*;

/// The outcome of asking for a lock.
#[derive(Debug)]
pub enum LockOutcome {
    /// It is held until the value is dropped.
    Acquired(HeldLock),
    /// Someone else has it.
    HeldBy(Holder),
}

/// A system of record. Many threads may use one store, and many processes one
/// database, at the same time: writes wait for each other, reads for nobody.
/// Each method sees one consistent state and, where it writes, does all or
/// nothing.
pub trait Store: Send + Sync {
    // ---- sources ----

    /// Adds a source. Errors: `Exists` when the name is taken; `Invalid` when
    /// the name is empty or settings are not JSON objects.
    fn add_source(&self, spec: &SourceSpec) -> Result<Source>;
    /// The source of that name.
    fn source(&self, name: &str) -> Result<Option<Source>>;
    /// All sources, by name.
    fn sources(&self) -> Result<Vec<Source>>;
    /// Gives a source another specification, name included. Errors: as for
    /// adding, and `NotFound`.
    fn update_source(&self, name: &str, spec: &SourceSpec) -> Result<Source>;
    /// Removes a source with all its items, its ledger and its history, for
    /// good, as [`Store::hard_delete`] does. Errors: `NotFound`.
    fn remove_source(&self, name: &str) -> Result<Erased>;
    /// Where the source's connector is to go on.
    fn cursor(&self, source: SourceId) -> Result<Option<String>>;
    /// Keeps (or, with none, forgets) where the connector is to go on.
    fn set_cursor(&self, source: SourceId, cursor: Option<&str>) -> Result<()>;

    // ---- writing items ----

    /// Stores items, all in one transaction, and returns their numbers in the
    /// same order. An item that exists is replaced; chunks that stay the same
    /// keep their ids and vectors, and a batch that changes nothing writes
    /// nothing but ledger rows that differ. A soft-deleted item comes back.
    /// Errors: `Invalid` names the first item that cannot be stored (a span
    /// outside the text, say); then none of the batch is.
    fn put(&self, batch: &[ItemWrite]) -> Result<Vec<ItemId>>;
    /// Records what was skipped or failed, all in one transaction. An item that
    /// was indexed before stays searchable with its last good content; its
    /// status becomes `Stale`.
    fn put_ledger(&self, batch: &[LedgerWrite]) -> Result<()>;
    /// Records new stamps (external id, stamp) for items whose bytes turned out
    /// to be the same. Ids without a ledger row are passed over.
    fn touch(&self, source: SourceId, stamps: &[(&str, &str)]) -> Result<()>;
    /// Moves items to new identities within their sources, keeping chunks and
    /// vectors; all in one transaction and at the same time, so that two can
    /// exchange theirs. The entry is none where there is no item `from`, or
    /// `to` is an item that does not move (also a soft-deleted one): then the
    /// caller is to put the item as usual. A soft-deleted item stays deleted.
    fn rename(&self, batch: &[Rename]) -> Result<Vec<Option<ItemId>>>;
    /// Takes items out of every search at once, keeping their texts. `cause` is
    /// a short fixed word such as `file_deleted`, `playlist_removed`, `user`.
    /// Returns how many were not deleted before.
    fn soft_delete(&self, items: &[ItemId], cause: &str) -> Result<u64>;
    /// Brings soft-deleted items back; see [`Stamp::restored`]. Returns how many
    /// there were.
    fn restore(&self, items: &[ItemId]) -> Result<u64>;
    /// Removes items for good, with their ledger rows and the vectors that no
    /// chunk needs any more. What stands in the files of what was removed stays
    /// there until [`Store::wipe`].
    fn hard_delete(&self, items: &[ItemId]) -> Result<Erased>;
    /// Removes for good what was deleted softly before that time, as
    /// [`Store::hard_delete`] does.
    fn purge(&self, deleted_before: Millis) -> Result<Erased>;
    /// Overwrites what removals for good left in the files: in the word index,
    /// in statistics, in free space, in the write-ahead log. Writes the whole
    /// database anew, unless nothing is left. Says whether it could do all:
    /// not while someone still reads an earlier state, whose pages the log has
    /// to keep. What could not be done is remembered for the next call.
    fn wipe(&self) -> Result<bool>;

    // ---- ledger ----

    /// All that a sync compares, by external id. Soft-deleted items are there
    /// too, and say so.
    fn stamps(&self, source: SourceId) -> Result<HashMap<String, Stamp>>;
    /// The least of that which tells whether anything changed, for a fraction
    /// of the time: external id, stamp and state of each row go to `visit`. The
    /// answer names the items that are deleted softly, and why.
    fn glance(
        &self,
        source: SourceId,
        visit: &mut dyn FnMut(&str, &str, LedgerState),
    ) -> Result<HashMap<String, String>>;
    /// Ledger rows by source name and external id.
    fn ledger(&self, query: &LedgerQuery) -> Result<Page<LedgerRow>>;
    /// Totals for each source, by name.
    fn ledger_totals(&self) -> Result<Vec<LedgerTotals>>;
    /// Adds a warning to an item's ledger row, unless it says so already. An
    /// item that is gone is passed over.
    fn warn(&self, item: ItemId, warning: &str) -> Result<()>;
    /// Forgets ledger rows of things that are gone and never became items; rows
    /// of items stay. Returns how many rows that were.
    fn forget(&self, source: SourceId, external_ids: &[&str]) -> Result<u64>;

    // ---- reading items ----

    /// A page of items.
    fn items(&self, query: &ItemQuery) -> Result<Page<Item>>;
    /// The item of that number, soft-deleted or not.
    fn item(&self, id: ItemId) -> Result<Option<ItemDetails>>;
    /// The item of that identity, soft-deleted or not.
    fn item_by_identity(&self, source: SourceId, external_id: &str) -> Result<Option<Item>>;
    /// The items inside another, such as a mailbox: those whose external ids go
    /// on after its own with `//`. In order.
    fn inside(&self, source: SourceId, external_id: &str, deleted: Deleted) -> Result<Vec<Item>>;
    /// Items that someone may mean by `wanted`; the first of these readings
    /// that finds any counts: external id; the end of a path, with or without
    /// file extension; title or alias. Letter case counts only in the first.
    /// Items of the sources in `without` are as if they were not there.
    fn find(
        &self,
        wanted: &str,
        deleted: Deleted,
        without: &[SourceId],
        limit: usize,
    ) -> Result<Vec<Item>>;
    /// Items whose title or file name looks like `wanted`, best first, for
    /// "did you mean"; those of the sources in `without` are as if they were not
    /// there.
    fn similar(
        &self,
        wanted: &str,
        deleted: Deleted,
        without: &[SourceId],
        limit: usize,
    ) -> Result<Vec<Item>>;
    /// The text of an item, soft-deleted or not.
    fn text(&self, id: ItemId) -> Result<Option<ItemText>>;
    /// The chunks of an item, in order.
    fn chunks(&self, id: ItemId) -> Result<Vec<Chunk>>;
    /// Chunks with all that is needed to show them, in the order asked for.
    /// Those that are gone, or whose item is, are left out.
    fn hits(&self, ids: &[ChunkId]) -> Result<Vec<ChunkHit>>;

    /// All that links can name in a source: its items, soft-deleted ones left
    /// out, and what was skipped or could not be read. In no order.
    fn files(&self, source: SourceId) -> Result<Vec<Named>>;
    /// The other names of a source's items, soft-deleted ones left out.
    fn aliases(&self, source: SourceId) -> Result<Vec<(ItemId, String)>>;
    /// The items whose address, or whose property `url`, passes `keep`.
    /// Soft-deleted items are left out.
    fn at_addresses(&self, keep: &mut dyn FnMut(&str) -> bool) -> Result<Vec<Item>>;
    /// The links of all items whose target, as written, passes `keep`: by item,
    /// in order of appearance. Soft-deleted items are left out.
    fn links_to(&self, keep: &mut dyn FnMut(&str) -> bool) -> Result<Vec<(Item, Link)>>;

    // ---- searching ----

    /// The items that match best by word. Filtered before ranking; `limit`
    /// counts items.
    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<LexicalMatches>;
    /// The items nearest to `query`, at most `limit`, best first: an item is as
    /// near as its nearest chunk, by the dot product of the query in full
    /// precision and the chunk's vector as it is stored (the cosine, when both
    /// have unit length). Exact: no index that could miss one. Filtered before
    /// ranking; ties go by id. Errors: `Invalid` when the query has not the
    /// model's dimensions or a number in it is not finite; `NotFound` for an
    /// unknown model.
    fn dense(
        &self,
        model: ModelId,
        query: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<DenseMatches>;

    // ---- vectors ----

    /// The number of the model with that fingerprint; none where it is new.
    fn model(&self, fingerprint: &str) -> Result<Option<ModelId>>;
    /// The number of the model with that fingerprint, which is added when new.
    /// Errors: `Invalid` when it is known with other dimensions.
    fn ensure_model(&self, fingerprint: &str, name: &str, dimensions: u32) -> Result<ModelId>;
    /// The models ever used here and how complete they are; goes through all
    /// chunks.
    fn models(&self) -> Result<Vec<ModelStats>>;
    /// The model that searches use; none before the first
    /// [`Store::set_current_model`].
    fn current_model(&self) -> Result<Option<ModelId>>;
    /// Makes searches use that model, as the first one there is. A later one
    /// takes over with [`Store::take_over`].
    fn set_current_model(&self, model: ModelId) -> Result<()>;
    /// Forgets a model and its vectors. Returns how many vectors there were.
    fn remove_model(&self, model: ModelId) -> Result<u64>;
    /// Chunks that the model has no vector for, of what will be searched once
    /// all that is staged has taken over: in the order of cursors, from beyond
    /// `after` on, each hash once in an answer. An empty answer means that there
    /// are no more beyond `after`.
    fn unembedded(
        &self,
        model: ModelId,
        after: Option<EmbedCursor>,
        limit: usize,
    ) -> Result<Vec<Unembedded>>;
    /// Stores vectors, all in one transaction; those that exist stay as they
    /// are. Each number is kept in 8 bits, relative to the largest of its
    /// vector. Returns how many were new. Errors:
    /// `Invalid` when a vector has other dimensions or a number is not finite.
    fn put_vectors(&self, model: ModelId, vectors: &[(ChunkHash, Vec<f32>)]) -> Result<u64>;
    /// The vectors of an item's chunks, in their order; chunks that have none yet
    /// are left out. Errors: `NotFound` for an unknown model.
    fn item_vectors(&self, model: ModelId, item: ItemId) -> Result<Vec<ChunkVector>>;
    /// Removes vectors of no chunk at all, staged ones included. Returns how
    /// many there were.
    fn remove_orphan_vectors(&self) -> Result<u64>;
    /// Removes vectors that have not the length their model asks for. Returns
    /// how many there were.
    fn remove_damaged_vectors(&self) -> Result<u64>;

    // ---- chunk sets ----

    /// The number of the chunk set with that key.
    fn chunk_set(&self, key: &str) -> Result<Option<ChunkSetId>>;
    /// Adds what chunks are made with, unless its key is there, and gives its
    /// number.
    fn add_chunk_set(&self, set: &ChunkSet) -> Result<ChunkSetId>;
    /// What the searched chunks of all items were made with, and how many items
    /// that are, soft-deleted ones included; none for what is not known.
    /// Items of the sources in `without` are left out.
    fn chunk_sets(&self, without: &[SourceId]) -> Result<Vec<(Option<ChunkSet>, u64)>>;
    /// Items of a source whose chunks, the staged ones where there are any, were
    /// made with something else than is wanted for their kind: by number, from
    /// beyond `after` on, at most `limit` of them and fewer where their texts are
    /// long; with how many there are beyond `after`. Items of other kinds, stale
    /// and soft-deleted ones are left out.
    fn outdated(
        &self,
        source: SourceId,
        wanted: &[WantedSet],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Page<Outdated>>;
    /// Drops what is staged for items of a source whose searched chunks are as
    /// wanted already. Returns how many items that were.
    fn unstage(&self, source: SourceId, wanted: &[WantedSet]) -> Result<u64>;
    /// Puts new chunks beside those that are searched, all in one transaction;
    /// they replace what was staged before. Items that are gone are passed over,
    /// and so are those whose text the chunks do not fit, which was replaced
    /// since they were made.
    fn stage(&self, batch: &[StagedWrite]) -> Result<()>;
    /// Makes everything staged what is searched, and `model` (where there is
    /// one) what is searched with, in one transaction. Chunks that stay the same
    /// keep their ids. What the engine calls when the model has a vector for
    /// all of it. Errors: `NotFound` for an unknown model.
    fn take_over(&self, model: Option<ModelId>) -> Result<TakeOver>;

    // ---- syncs ----

    /// Asks for the lock that lets one process at a time sync this database. It
    /// is freed when dropped, and by the system when the process dies. `doing`
    /// is a word for others that ask; see [`Holder::doing`].
    fn sync_lock(&self, doing: &str) -> Result<LockOutcome>;
    /// The same for watching its sources. It can be held for long, and does not
    /// keep others from syncing.
    fn watch_lock(&self, doing: &str) -> Result<LockOutcome>;
    /// The same for changing files in the folders of its sources. It is held
    /// for moments.
    fn write_lock(&self, doing: &str) -> Result<LockOutcome>;
    /// Who holds the sync lock now, if anyone.
    fn sync_holder(&self) -> Option<Holder>;
    /// Who holds the watch lock now, if anyone.
    fn watch_holder(&self) -> Option<Holder>;
    /// Records that a sync of the source began to change something.
    fn start_sync(&self, source: SourceId) -> Result<SyncRunId>;
    /// Records how it ended; `outcome` is a short fixed word. Of each source the
    /// latest 200 runs are kept.
    fn finish_sync(&self, run: SyncRunId, outcome: &str, counts: &SyncCounts) -> Result<()>;
    /// Forgets a run: it turned out that there was nothing to record.
    fn forget_sync(&self, run: SyncRunId) -> Result<()>;
    /// Records that the source was gone through, beginning at that time,
    /// whether or not anything had changed.
    fn looked(&self, source: SourceId, began: Millis) -> Result<()>;
    /// The source's latest run.
    fn last_sync(&self, source: SourceId) -> Result<Option<SyncRun>>;
    /// Each source's latest run, by name; none where there was none.
    fn last_syncs(&self) -> Result<Vec<(Source, Option<SyncRun>)>>;
    /// The latest runs of all sources, latest first.
    fn sync_runs(&self, limit: usize) -> Result<Vec<SyncRun>>;

    // ---- health ----

    /// A number that grows with every change that a search could tell.
    fn generation(&self) -> Result<i64>;
    /// The store in numbers.
    fn stats(&self) -> Result<Stats> {
        self.stats_without(&[])
    }
    /// The same as if these sources were not there; only the bytes on disk are
    /// those of all.
    fn stats_without(&self, without: &[SourceId]) -> Result<Stats>;
    /// What there is, by source, kind and language, in their order; in one pass
    /// over the items, without their texts.
    fn holdings(&self) -> Result<Vec<Holding>>;
    /// All that is not as it should be; reads everything once.
    fn check(&self) -> Result<Vec<Problem>>;
    /// What the terms were made with: what was last given to
    /// [`Store::rebuild_terms`], 0 before that.
    fn terms_made_by(&self) -> Result<u32>;
    /// Makes the word index anew from the texts, with `make`, and remembers
    /// what it was made with.
    fn rebuild_terms(&self, made_by: u32, make: &mut MakeTerms<'_>) -> Result<()>;
    /// Writes the database anew from what can be read of it, where its pages do
    /// not fit together, and keeps it as it was beside it. Vectors that cannot
    /// be read are left out, and the word index is empty. Errors: `Damaged`
    /// where something cannot be read that cannot be made again; nothing is
    /// changed then.
    fn rewrite(&self) -> Result<()>;
    /// Makes SQLite's own indices anew.
    fn reindex(&self) -> Result<()>;
    /// Removes rows that belong to something that is gone. Returns how many
    /// there were.
    fn remove_strays(&self) -> Result<u64>;
    /// Brings the ledger and the items' status to agree, and has the next sync
    /// read again what is stored wrong. Returns how many rows it changed.
    fn mend_ledger(&self) -> Result<u64>;
    /// Brings the files into good shape, which is worth it after much writing:
    /// merges the word index, refreshes statistics, gives unused space back and
    /// empties the write-ahead log.
    fn optimize(&self) -> Result<()>;
    /// Writes a consistent copy of the database to a file that does not exist,
    /// for its owner only, without waiting for anyone. Errors: `Exists`; as for
    /// writing files.
    fn backup(&self, to: &Path) -> Result<()>;
    /// Copies of an earlier state of the database that pkb keeps beside it.
    fn copies(&self) -> Result<Vec<PathBuf>>;
    /// Whether the database can only be read.
    fn is_read_only(&self) -> bool;
}
