//! How a sync is to go about it, and what it did.

use pkb_store::SyncCounts;
use serde::Serialize;

use crate::embedding::{EmbedReport, is_zero};

/// Changes told one by one, of each source.
const CHANGES_TOLD: usize = 1_000;

/// How a sync is to go about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncOptions {
    /// Go on where a large part of a source is gone.
    pub accept_removals: bool,
    /// Read again what failed before, though it has not changed.
    pub retry_failed: bool,
    /// Read everything again, changed or not.
    pub all: bool,
    /// Leave the embedding for later.
    pub skip_embedding: bool,
    /// Wait while another process syncs, however long that takes.
    pub wait: bool,
    /// Where no source is named, also those that the caller does not see; their
    /// reports are left out.
    pub private: bool,
}

/// What a sync did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SyncReport {
    /// One for each source, in order.
    pub sources: Vec<SourceReport>,
    /// Items that were split anew, as another chunker or model asks for.
    #[serde(skip_serializing_if = "is_zero")]
    pub rechunked: u64,
    /// The embedding that followed; none where it was not asked for.
    pub embedding: Option<EmbedReport>,
    /// Whether the job was stopped before it was through.
    pub stopped: bool,
    /// Whether something is wrong with a source whose report is left out.
    #[serde(skip)]
    pub untold_problem: bool,
}

/// What a sync did to one source.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SourceReport {
    /// The source's name.
    pub source: String,
    /// What became of its items.
    #[serde(flatten)]
    pub counts: SyncCounts,
    /// Why the source could not be looked at, or was not gone through wholly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What changed, the first thousand of it.
    #[serde(skip)]
    pub changes: Vec<Change>,
}

/// Something that a sync changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// `added`, `updated`, `moved`, `restored` or `deleted`.
    pub what: &'static str,
    /// Path in the source.
    pub path: String,
    /// Path before a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl SourceReport {
    /// How many items are not as they were before.
    pub fn changed(&self) -> u64 {
        let counts = &self.counts;
        counts.added + counts.updated + counts.moved + counts.restored + counts.deleted
    }
}

/// Notes a change, unless there are very many.
pub(super) fn tell(changes: &mut Vec<Change>, what: &'static str, path: &str, from: Option<&str>) {
    if changes.len() < CHANGES_TOLD {
        changes.push(Change {
            what,
            path: path.to_owned(),
            from: from.map(str::to_owned),
        });
    }
}

impl SyncReport {
    /// Whether everything that was to be done is done. Items that failed do
    /// not count: the ledger has them.
    pub fn complete(&self) -> bool {
        !self.stopped
            && !self.untold_problem
            && self.sources.iter().all(|source| source.problem.is_none())
    }
}
