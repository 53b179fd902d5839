//! What a folder holds, compared with what is known of it.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use pkb_sources::{Entry, FolderSource};
use pkb_store::{LedgerState, SourceId, Stamp, Store};

use super::SyncOptions;
use super::writer::TRIED_ONCE;
use crate::error::Error;
use crate::job::{Job, Stage};

/// What a scan found.
pub(crate) struct Found {
    pub(super) files: Vec<File>,
    /// Not taken: (external id, reason, whether it failed).
    pub(super) passed: Vec<(String, String, bool)>,
    /// Folders that could not be looked into: nothing below is known to be
    /// gone.
    pub(super) unseen: Vec<String>,
}

pub(super) struct File {
    pub(super) id: String,
    pub(super) size: u64,
    pub(super) modified: Option<i64>,
    pub(super) stamp: String,
}

/// Files that are gone, by what was in them: a new file with the same bytes is
/// the old one, moved.
pub(super) struct Moves {
    by_hash: HashMap<[u8; 32], Vec<String>>,
}

impl Moves {
    pub(super) fn new(gone: &[String], known: &HashMap<String, Stamp>) -> Self {
        let mut by_hash: HashMap<[u8; 32], Vec<String>> = HashMap::new();
        for id in gone {
            let stamp = &known[id.as_str()];
            if let (true, Some(hash)) = (is_live(stamp), stamp.content_hash) {
                by_hash.entry(hash).or_default().push(id.clone());
            }
        }
        Moves { by_hash }
    }

    /// The first file with those bytes that nothing has moved from yet.
    pub(super) fn from(&self, hash: &[u8; 32], moved: &HashSet<String>) -> Option<String> {
        self.by_hash
            .get(hash)?
            .iter()
            .find(|id| !moved.contains(*id))
            .cloned()
    }
}

pub(crate) fn scan(folder: &FolderSource, job: &dyn Job) -> Result<Found, Error> {
    let mut found = Found {
        files: Vec::new(),
        passed: Vec::new(),
        unseen: Vec::new(),
    };
    let mut seen = 0;
    let summary = folder.scan(&mut |entry| {
        seen += 1;
        if seen % 256 == 0 {
            job.progress(Stage::Scanning, seen, None);
            if job.stop() {
                return ControlFlow::Break(());
            }
        }
        match entry {
            Entry::File {
                external_id: id,
                size,
                modified_ms: modified,
                stamp,
            } => {
                found.files.push(File {
                    id,
                    size,
                    modified,
                    stamp,
                });
            }
            Entry::Skipped {
                external_id,
                reason,
            } => found.passed.push((external_id, reason, false)),
            Entry::Failed {
                external_id,
                reason,
                folder,
            } => {
                if folder {
                    found.unseen.push(external_id.clone());
                }
                found.passed.push((external_id, reason, true));
            }
        }
        ControlFlow::Continue(())
    })?;
    if summary.stopped {
        Err(Error::Stopped)
    } else {
        Ok(found)
    }
}

pub(super) fn is_changed(file: &File, known: &Stamp, pipeline: &str, options: SyncOptions) -> bool {
    if options.all || options.retry_failed && known.state == LedgerState::Failed {
        return true;
    }
    // What a user deleted stays deleted until the file changes; what came back
    // by itself comes back here.
    let back = known
        .deleted_from
        .as_deref()
        .is_some_and(|cause| cause != "user");
    back || known.stamp != file.stamp || known.pipeline != pipeline
}

/// Whether there is an item that can be searched.
pub(super) fn is_live(stamp: &Stamp) -> bool {
    stamp.item.is_some() && stamp.deleted_from.is_none()
}

/// Ids that are known and were not found.
pub(super) fn gone(found: &Found, known: &HashMap<String, Stamp>) -> Vec<String> {
    let here: HashSet<&str> = found
        .files
        .iter()
        .map(|file| file.id.as_str())
        .chain(
            found
                .passed
                .iter()
                .filter(|(.., failed)| *failed)
                .map(|(id, ..)| id.as_str()),
        )
        .collect();
    let passed: HashSet<&str> = found
        .passed
        .iter()
        .filter(|(.., failed)| !failed)
        .map(|(id, ..)| id.as_str())
        .collect();
    let unseen = |id: &str| {
        found.unseen.iter().any(|folder| {
            folder.is_empty()
                || id
                    .strip_prefix(folder.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let mut gone: Vec<String> = known
        .iter()
        .filter(|(id, stamp)| {
            // A file that is now passed over is no item any more, but its
            // ledger row stays.
            let there =
                here.contains(id.as_str()) || passed.contains(id.as_str()) && stamp.item.is_none();
            !there && !unseen(id)
        })
        .map(|(id, _)| id.clone())
        .collect();
    gone.sort_unstable();
    gone
}

/// Whether the index surely knows all files as they are. What takes more than a
/// glance to tell is not sure.
pub(crate) fn is_known(
    found: &Found,
    store: &dyn Store,
    source: SourceId,
) -> pkb_store::Result<bool> {
    let files: HashMap<&str, &str> = found
        .files
        .iter()
        .map(|file| (file.id.as_str(), file.stamp.as_str()))
        .collect();
    let passed: HashSet<&str> = found.passed.iter().map(|(id, ..)| id.as_str()).collect();
    let (mut same, mut known) = (true, 0);
    let mut absent = Vec::new();
    let deleted = store.glance(source, &mut |id, stamp, state| match files.get(id) {
        Some(there) => {
            known += 1;
            same &= *there == stamp;
        }
        None if passed.contains(id) => same &= state != LedgerState::Indexed,
        None => absent.push(id.to_owned()),
    })?;
    // What a user deleted stays deleted; whatever else is back comes back.
    let back = |(id, cause): (&String, &String)| cause != "user" && files.contains_key(&**id);
    Ok(same
        && known == files.len()
        && absent.iter().all(|id| deleted.contains_key(id))
        && !deleted.iter().any(back))
}

/// How many files the index does not know as they are: new, changed and gone
/// ones. What failed before counts only where it changed since.
pub(crate) fn pending(found: &Found, known: &HashMap<String, Stamp>) -> usize {
    let changed = found.files.iter().filter(|file| {
        known.get(&file.id).is_none_or(|known| {
            if known.state == LedgerState::Failed {
                let tried = known.stamp.strip_prefix(TRIED_ONCE);
                let tried = tried.unwrap_or(&known.stamp);
                return !tried.is_empty() && tried != file.stamp;
            }
            is_changed(file, known, &known.pipeline, SyncOptions::default())
        })
    });
    let gone = gone(found, known)
        .into_iter()
        .filter(|id| is_live(&known[id.as_str()]));
    changed.count() + gone.count()
}
