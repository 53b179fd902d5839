//! What a folder holds, compared with what is known of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use pkb_sources::{Entry, FolderSource};
use pkb_store::{LedgerState, SourceId, Stamp, Store};

use super::SyncOptions;
use super::writer::TRIED_ONCE;
use crate::error::Error;
use crate::job::{Job, Stage};
use crate::pipeline::Pipeline;
use crate::pipeline::walk::{INSIDE, file_of};

/// Why an item is deleted that a person deleted.
pub(super) const BY_USER: &str = "user";
/// What the ledger says of something whose content is in a cloud.
const AWAY: &str = "kept in a cloud and not on this machine; it is read once it is downloaded";

/// What is known of a source's files, by external id.
pub(crate) type Known = HashMap<String, Stamp>;

/// What is known of what is inside files, by external id: in order, so that
/// what is inside one stands together.
pub(crate) type Parts = BTreeMap<String, Stamp>;

/// Files, and what is inside them.
pub(crate) fn split(stamps: HashMap<String, Stamp>) -> (Known, Parts) {
    let mut parts = Parts::new();
    let mut known = Known::new();
    for (id, stamp) in stamps {
        match file_of(&id) {
            Some(_) => {
                parts.insert(id, stamp);
            }
            None => {
                known.insert(id, stamp);
            }
        }
    }
    (known, parts)
}

/// What is inside `outer`, a file or a part of one.
pub(crate) fn inside<'a>(
    parts: &'a Parts,
    outer: &str,
) -> impl Iterator<Item = (&'a String, &'a Stamp)> {
    let prefix = format!("{outer}{INSIDE}");
    parts
        .range(prefix.clone()..)
        .take_while(move |(id, _)| id.starts_with(&prefix))
}

/// What is inside files that are nowhere: neither known nor found. A sync that
/// was stopped leaves such parts when their file then moves.
pub(super) fn orphans(found: &Found, known: &Known, parts: &Parts) -> Vec<String> {
    let files = found.files.iter().map(|file| file.id.as_str());
    let passed = found.passed.iter().map(|passed| passed.id.as_str());
    let here: HashSet<&str> = files.chain(passed).collect();
    let unseen = |file: &str| {
        let within = |folder: &String| {
            file.strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        };
        found.unseen.iter().any(within)
    };
    parts
        .keys()
        .filter(|id| {
            file_of(id).is_some_and(|file| {
                !known.contains_key(file) && !here.contains(file) && !unseen(file)
            })
        })
        .cloned()
        .collect()
}

/// The files with something inside that has to be read again.
pub(super) fn to_open_again(
    known: &Known,
    parts: &Parts,
    pipeline: &Pipeline,
    options: SyncOptions,
) -> HashSet<String> {
    // What is deleted asks for nothing.
    let again = |stamp: &Stamp| {
        stamp.deleted_from.is_none()
            && (!pipeline.reads(stamp)
                || options.retry_failed && stamp.state == LedgerState::Failed)
    };
    // A file that a person deleted, or that could not be gone through, would not
    // be read this time either.
    let hopeless = |file: &str| {
        known.get(file).is_some_and(|own| {
            let failed = own.state == LedgerState::Failed && pipeline.reads(own);
            is_deleted_by_user(own) || failed && !options.retry_failed
        })
    };
    let mut files = HashSet::new();
    for (id, stamp) in parts {
        if let Some(file) = file_of(id)
            && again(stamp)
            && !files.contains(file)
            && !hopeless(file)
        {
            files.insert(file.to_owned());
        }
    }
    files
}

/// Whether a part that is known was made of bytes with that hash, can be found
/// unless a person deleted it, and would be made the same again.
pub(super) fn is_same(stamp: &Stamp, hash: &[u8; 32], pipeline: &Pipeline) -> bool {
    let wanted = match stamp.deleted_from.as_deref() {
        None => !stamp.restored && pipeline.reads(stamp),
        Some(cause) => cause == BY_USER,
    };
    wanted && stamp.state == LedgerState::Indexed && stamp.content_hash.as_ref() == Some(hash)
}

/// What a scan found.
#[derive(Default)]
pub(crate) struct Found {
    pub(super) files: Vec<File>,
    pub(super) passed: Vec<Passed>,
    /// Folders that could not be looked into: nothing below is known to be
    /// gone.
    pub(super) unseen: Vec<String>,
    /// The only file that was looked at, where not all were.
    pub(super) only: Option<String>,
}

pub(super) struct File {
    pub(super) id: String,
    pub(super) size: u64,
    pub(super) modified: Option<i64>,
    pub(super) stamp: String,
}

/// Something that was not taken.
pub(super) struct Passed {
    pub(super) id: String,
    pub(super) why: Why,
    /// For a person.
    pub(super) reason: String,
}

/// Why something was not taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// On purpose: it is no item.
    NotTaken,
    /// Its content is in a cloud. What was known of it holds.
    Away,
    /// It could not be looked at. What was known of it holds.
    Unreadable,
}

impl Why {
    /// As the ledger has it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Why::NotTaken => "not-taken",
            Why::Away => "not-downloaded",
            Why::Unreadable => "unreadable",
        }
    }
}

impl Found {
    /// One file alone; none where it is not there.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub(super) fn one(folder: &FolderSource, id: &str) -> Result<Option<Found>, Error> {
        let Some(Entry::File {
            external_id,
            size,
            modified_ms: modified,
            stamp,
        }) = folder.entry(id)?
        else {
            return Ok(None);
        };
        let file = File {
            id: external_id.clone(),
            size,
            modified,
            stamp,
        };
        Ok(Some(Found {
            files: vec![file],
            only: Some(external_id),
            ..Found::default()
        }))
    }

    /// Bytes of the files that may hold pictures of pages.
    pub(super) fn bytes_with_pictures(&self) -> u64 {
        const MAY_HOLD: [&str; 8] = [
            ".pdf", ".zip", ".tar", ".tgz", ".gz", ".mbox", ".eml", ".mbx",
        ];
        let is_one = |file: &&File| {
            let id = file.id.to_ascii_lowercase();
            MAY_HOLD.iter().any(|end| id.ends_with(end))
        };
        self.files.iter().filter(is_one).map(|file| file.size).sum()
    }

    fn pass(&mut self, id: String, why: Why, reason: String, folder: bool) {
        if folder {
            self.unseen.push(id.clone());
        }
        self.passed.push(Passed { id, why, reason });
    }
}

pub(crate) fn scan(folder: &FolderSource, job: &dyn Job) -> Result<Found, Error> {
    let mut found = Found::default();
    let span = tracing::debug_span!("ingest.scan", entries = tracing::field::Empty).entered();
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
            } => found.pass(external_id, Why::NotTaken, reason, false),
            Entry::Away {
                external_id,
                folder,
            } => found.pass(external_id, Why::Away, AWAY.into(), folder),
            Entry::Failed {
                external_id,
                reason,
                folder,
            } => found.pass(external_id, Why::Unreadable, reason, folder),
        }
        ControlFlow::Continue(())
    })?;
    span.record("entries", seen);
    if summary.stopped {
        Err(Error::Stopped)
    } else {
        Ok(found)
    }
}

pub(super) fn is_changed(
    file: &File,
    known: &Stamp,
    pipeline: &Pipeline,
    options: SyncOptions,
) -> bool {
    differs(file, known, pipeline.reads(known), options)
}

fn differs(file: &File, known: &Stamp, reads: bool, options: SyncOptions) -> bool {
    if options.all || options.retry_failed && known.state == LedgerState::Failed {
        return true;
    }
    // Now that it is there again, its absence counts again.
    if known.restored {
        return true;
    }
    match known.deleted_from.as_deref() {
        None => known.stamp != file.stamp || !reads,
        // What a person deleted stays deleted until the file changes: that it
        // would be read in another way is no such change.
        Some(BY_USER) => known.stamp != file.stamp,
        // What nothing reads any more is not looked into until it changes.
        Some(_) if known.state == LedgerState::Skipped => known.stamp != file.stamp || !reads,
        // What went away by itself comes back by itself.
        Some(_) => true,
    }
}

/// The hash of bytes about which there is nothing to do, if the file still
/// holds them.
pub(super) fn settled_hash(
    known: Option<&Stamp>,
    reads: bool,
    options: SyncOptions,
) -> Option<[u8; 32]> {
    let known = known.filter(|known| !known.restored)?;
    let settled = match known.deleted_from.as_deref() {
        // Without a stamp it has moved, and its title is to follow its name.
        None => {
            !options.all && known.state == LedgerState::Indexed && reads && !known.stamp.is_empty()
        }
        Some(cause) => cause == BY_USER,
    };
    known.content_hash.filter(|_| settled)
}

/// Whether there is an item that can be searched.
pub(super) fn is_live(stamp: &Stamp) -> bool {
    stamp.item.is_some() && stamp.deleted_from.is_none()
}

/// Whether an item is deleted, and by a person.
pub(super) fn is_deleted_by_user(stamp: &Stamp) -> bool {
    stamp.deleted_from.as_deref() == Some(BY_USER)
}

/// Ids that are known, were not found and are missed, in order.
pub(super) fn gone(found: &Found, known: &Known) -> Vec<String> {
    let mut gone = absent(found, known);
    gone.retain(|id| !known[id].restored);
    gone
}

/// Ids that are known and were not found, in order: those too that a person
/// brought back, whose absence is no loss.
pub(super) fn absent(found: &Found, known: &Known) -> Vec<String> {
    let mut here: HashSet<&str> = found.files.iter().map(|file| file.id.as_str()).collect();
    let mut passed = HashSet::new();
    for own in &found.passed {
        match own.why {
            Why::NotTaken => passed.insert(own.id.as_str()),
            Why::Away | Why::Unreadable => here.insert(own.id.as_str()),
        };
    }
    let unseen: HashSet<&str> = found.unseen.iter().map(String::as_str).collect();
    let is_unseen = |id: &str| {
        let mut folders = id.match_indices('/').map(|(slash, _)| &id[..slash]);
        !unseen.is_empty() && folders.any(|folder| unseen.contains(folder))
    };
    let mut absent: Vec<String> = known
        .iter()
        .filter(|(id, stamp)| {
            // A file that is now passed over is no item any more, but its
            // ledger row stays.
            let there =
                here.contains(id.as_str()) || passed.contains(id.as_str()) && stamp.item.is_none();
            !there && !is_unseen(id)
        })
        .map(|(id, _)| id.clone())
        .collect();
    absent.sort_unstable();
    absent
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
    let passed: HashMap<&str, Why> = found
        .passed
        .iter()
        .map(|passed| (passed.id.as_str(), passed.why))
        .collect();
    let (mut same, mut known) = (true, 0);
    let mut absent = Vec::new();
    let deleted = store.glance(source, &mut |id, stamp, state| match files.get(id) {
        // As its file is, so is what is inside it.
        None if file_of(id).is_some() => {}
        Some(there) => {
            known += 1;
            same &= *there == stamp;
        }
        None => match passed.get(id) {
            Some(Why::NotTaken) => same &= state != LedgerState::Indexed,
            Some(Why::Away | Why::Unreadable) => {}
            None => absent.push(id.to_owned()),
        },
    })?;
    // What a user deleted stays deleted; whatever else is back comes back.
    let back = |(id, cause): (&String, &String)| cause != BY_USER && files.contains_key(&**id);
    Ok(same
        && known == files.len()
        && absent.iter().all(|id| deleted.contains_key(id))
        && !deleted.iter().any(back))
}

/// How many files the index does not know as they are, and how many bytes are
/// to be read of them: new, changed and gone ones. What failed before counts only where it changed since.
pub(crate) fn pending(found: &Found, known: &Known) -> (usize, u64) {
    let changed = |file: &&File| {
        known.get(&file.id).is_none_or(|known| {
            if known.state == LedgerState::Failed {
                let tried = known.stamp.strip_prefix(TRIED_ONCE);
                let tried = tried.unwrap_or(&known.stamp);
                return !tried.is_empty() && tried != file.stamp;
            }
            differs(file, known, true, SyncOptions::default())
        })
    };
    let gone = gone(found, known)
        .into_iter()
        .filter(|id| is_live(&known[id.as_str()]));
    let changed: Vec<&File> = found.files.iter().filter(changed).collect();
    let bytes = changed.iter().map(|file| file.size).sum();
    (changed.len() + gone.count(), bytes)
}

#[cfg(test)]
mod tests {
    use pkb_store::ItemId;

    use super::*;

    fn stamp(item: bool) -> Stamp {
        Stamp {
            stamp: "s".into(),
            pipeline: "p".into(),
            state: LedgerState::Indexed,
            item: item.then_some(ItemId(1)),
            content_hash: item.then_some([1; 32]),
            size: item.then_some(1),
            deleted_from: None,
            restored: false,
        }
    }

    fn file(stamp: &str) -> File {
        File {
            id: "here.md".into(),
            size: 1,
            modified: None,
            stamp: stamp.into(),
        }
    }

    #[test]
    fn what_cannot_be_seen_is_not_gone() {
        let ids = [
            "here.md",
            "gone.md",
            "link.md",
            "cloud.md",
            "shut.md",
            "shut/a.md",
            "shut/deep/b.md",
            "shutter/c.md",
            "cloudy/d.md",
        ];
        let known: Known = ids.map(|id| (id.to_owned(), stamp(true))).into();
        let mut found = Found::default();
        found.files.push(file("s"));
        for (id, why, folder) in [
            ("link.md", Why::NotTaken, false),
            ("cloud.md", Why::Away, false),
            ("cloudy", Why::Away, true),
            ("shut.md", Why::Unreadable, false),
            ("shut", Why::Unreadable, true),
        ] {
            found.pass(id.into(), why, String::new(), folder);
        }
        assert_eq!(gone(&found, &known), ["gone.md", "link.md", "shutter/c.md"]);
        // What never was an item and is passed over again keeps its row.
        let known: Known = [("link.md".to_owned(), stamp(false))].into();
        assert!(gone(&found, &known).is_empty());
        assert_eq!(gone(&Found::default(), &known), ["link.md"]);
        // What a person brought back is not missed, and may be elsewhere.
        let mut back = stamp(true);
        back.restored = true;
        let known: Known = [("back.md".to_owned(), back)].into();
        assert!(gone(&found, &known).is_empty());
        assert_eq!(absent(&found, &known), ["back.md"]);
    }

    #[test]
    fn what_a_person_deleted_waits_for_other_bytes() {
        let options = SyncOptions::default();
        let mut known = stamp(true);
        assert!(!differs(&file("s"), &known, true, options));
        assert!(differs(&file("t"), &known, true, options));
        assert!(differs(&file("s"), &known, false, options));
        assert_eq!(settled_hash(Some(&known), true, options), Some([1; 32]));
        assert_eq!(settled_hash(Some(&known), false, options), None);

        known.deleted_from = Some(BY_USER.into());
        assert!(!differs(&file("s"), &known, false, options));
        assert!(differs(&file("t"), &known, true, options));
        assert_eq!(settled_hash(Some(&known), false, options), Some([1; 32]));

        known.deleted_from = Some("file_deleted".into());
        assert!(differs(&file("s"), &known, true, options));
        assert_eq!(settled_hash(Some(&known), true, options), None);
    }
}
