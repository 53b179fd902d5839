//! What a watch is told and tells.

use std::collections::BTreeMap;
use std::time::Duration;

use pkb_store::Holder;
use serde::{Deserialize, Serialize};

use crate::ingest::{Change, SourceReport};

/// How to watch.
#[derive(Clone, Copy, Debug)]
pub struct WatchOptions {
    /// What the process does, for others that ask: `watch` or `serve`.
    pub doing: &'static str,
    /// How often a folder is looked at although nothing was told. One whose
    /// scan is slow is looked at less often, for 5% of the time at most.
    pub scan_every: Duration,
    /// Whether to make the vectors of what changed.
    pub embed: bool,
}

/// How a source is watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "lowercase")]
pub enum How {
    /// The system reports what happens.
    Events,
    /// It is looked at again and again.
    Scans {
        /// About how often, in seconds.
        every_s: u64,
        /// Why the system's reports do not do.
        reason: String,
    },
    /// It cannot be looked at; it is taken up again when it is back.
    Gone {
        /// Why.
        reason: String,
    },
}

/// What a watch tells.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum WatchEvent {
    /// Another process watches this home; this one takes over when that ends.
    Standby {
        /// Which.
        holder: Holder,
    },
    /// A source is watched from now on, or otherwise than before.
    Watching {
        /// Its name.
        source: String,
        /// Its folder.
        folder: String,
        /// How.
        #[serde(flatten)]
        how: How,
    },
    /// A source is no source any more.
    Forgotten {
        /// Its name.
        source: String,
    },
    /// Something changed and was taken in.
    Changed(Changed),
    /// Vectors were made.
    Embedded {
        /// How many.
        made: u64,
        /// Chunks that still have none.
        missing: u64,
    },
    /// Something is wrong; said once.
    Problem {
        /// The source's name; none where it is about more.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// What is wrong and what to do.
        problem: String,
    },
    /// What was wrong is right again.
    Recovered {
        /// The source's name; none where it is about more.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<String>,
    },
}

impl WatchEvent {
    /// The name of the source that it is about.
    pub(crate) fn source(&self) -> Option<&str> {
        match self {
            WatchEvent::Watching { source, .. } | WatchEvent::Forgotten { source } => Some(source),
            WatchEvent::Changed(changed) => Some(&changed.report.source),
            WatchEvent::Problem { source, .. } | WatchEvent::Recovered { source } => {
                source.as_deref()
            }
            WatchEvent::Standby { .. } | WatchEvent::Embedded { .. } => None,
        }
    }
}

/// What changed in a source.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// What became of its items.
    #[serde(flatten)]
    pub report: SourceReport,
    /// What changed, the first thousand of it.
    pub changes: Vec<Change>,
}

/// What the process that watches tells the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The sources, by name.
    pub(crate) sources: BTreeMap<String, How>,
}
