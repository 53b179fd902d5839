//! Long work: how it is watched and stopped.

use pkb_store::Holder;

/// What long work is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Looking at what the source holds; counted in entries.
    Scanning,
    /// Extracting, chunking and storing; counted in items.
    Reading,
    /// Splitting what is stored anew, for another chunker or model; counted in
    /// items.
    Chunking,
    /// Making vectors; counted in chunks.
    Embedding,
    /// Asking the queries of a test set; counted in queries.
    Asking,
}

impl Stage {
    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Scanning => "scanning",
            Stage::Reading => "reading",
            Stage::Chunking => "chunking",
            Stage::Embedding => "embedding",
            Stage::Asking => "asking",
        }
    }
}

/// The caller's side of long work.
pub trait Job: Sync {
    /// Whether the work is to stop; what is done stays done.
    fn stop(&self) -> bool;

    /// Whether embedding is to end where nothing is lost by it: after what was
    /// begun is stored.
    fn enough(&self) -> bool {
        false
    }

    /// The work waits for someone else's to be done. Said when that begins to
    /// take long.
    fn waits_for(&self, _holder: &Holder) {}

    /// How far it is. `total` is none while it is not known. May be called
    /// often.
    fn progress(&self, stage: Stage, done: u64, total: Option<u64>);
}

/// Nobody watches, nothing stops.
pub struct Unwatched;

impl Job for Unwatched {
    fn stop(&self) -> bool {
        false
    }

    fn progress(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
}
