//! The way in: what a source holds, compared with what is known of it, and
//! what is new or changed read, chunked and stored.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use pkb_sources::{Entry, FolderSource};
use pkb_store::{
    ItemId, ItemWrite, LedgerState, LedgerWrite, LockOutcome, NotIndexed, Provenance, Rename,
    Source, Stamp, SyncCounts,
};
use serde::Serialize;

use crate::embedding::EmbedReport;
use crate::engine::Engine;
use crate::error::Error;
use crate::job::{Job, Stage};
use crate::pipeline::{Pipeline, Read};

/// Items written in one transaction, at most.
const BATCH_ITEMS: usize = 256;
/// Bytes of text written in one transaction, about.
const BATCH_BYTES: usize = 8 << 20;
/// A sync that would remove a larger share of a source stops and asks ...
const REMOVALS_SHARE: f64 = 0.3;
/// ... if the source has at least so many items.
const REMOVALS_FROM: usize = 20;

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
}

/// What a sync did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SyncReport {
    /// One for each source, in order.
    pub sources: Vec<SourceReport>,
    /// The embedding that followed; none where it was not asked for.
    pub embedding: Option<EmbedReport>,
    /// Whether the job was stopped before it was through.
    pub stopped: bool,
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
}

impl SyncReport {
    /// Whether everything that was to be done is done. Items that failed do
    /// not count: the ledger has them.
    pub fn complete(&self) -> bool {
        !self.stopped && self.sources.iter().all(|source| source.problem.is_none())
    }
}

/// What a scan found.
struct Found {
    files: Vec<File>,
    /// Not taken: (external id, reason, whether it failed).
    passed: Vec<(String, String, bool)>,
    /// Folders that could not be looked into: nothing below is known to be
    /// gone.
    unseen: Vec<String>,
}

struct File {
    id: String,
    size: u64,
    modified: Option<i64>,
    stamp: String,
}

impl Engine {
    /// Brings the named sources (all, where none is named) up to date, then
    /// embeds what has no vector.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process syncs; [`Error::NotFound`] for an
    /// unknown source; when the database cannot be written or a source's
    /// components cannot be loaded. What is wrong with single items costs
    /// ledger lines, and what is wrong with one source is in its report.
    pub fn sync(
        &self,
        names: &[String],
        options: SyncOptions,
        job: &dyn Job,
    ) -> Result<SyncReport, Error> {
        let sources = match names {
            [] => self.sources()?,
            names => names
                .iter()
                .map(|name| self.source(name))
                .collect::<Result<_, _>>()?,
        };
        let _lock = match self.store().sync_lock()? {
            LockOutcome::Acquired(lock) => lock,
            LockOutcome::HeldBy(holder) => return Err(Error::Busy { pid: holder.pid }),
        };
        let mut report = SyncReport::default();
        for source in &sources {
            if job.stop() {
                report.stopped = true;
                break;
            }
            let run = self.store().start_sync(source.id)?;
            let mut outcome = SourceReport {
                source: source.spec.name.clone(),
                ..SourceReport::default()
            };
            let result = self.sync_folder(source, options, job, &mut outcome);
            let word = match &result {
                Ok(()) if outcome.problem.is_some() => "incomplete",
                Ok(()) => "done",
                Err(Error::Stopped) => "stopped",
                Err(_) => "failed",
            };
            self.store().finish_sync(run, word, &outcome.counts)?;
            self.forget_stats();
            match result {
                Ok(()) => {}
                Err(Error::Stopped) => report.stopped = true,
                Err(Error::Source(error)) => outcome.problem = Some(error.to_string()),
                Err(other) => return Err(other),
            }
            tracing::info!(source = outcome.source, outcome = word, counts = ?outcome.counts, "synced");
            report.sources.push(outcome);
        }
        if !report.stopped && !options.skip_embedding {
            match self.embed(job) {
                Ok(embedding) => report.embedding = Some(embedding),
                Err(Error::Stopped) => report.stopped = true,
                Err(other) => return Err(other),
            }
        }
        self.store().optimize()?;
        Ok(report)
    }

    fn sync_folder(
        &self,
        source: &Source,
        options: SyncOptions,
        job: &dyn Job,
        outcome: &mut SourceReport,
    ) -> Result<(), Error> {
        let pipeline = Pipeline::of(self, source)?;
        let folder =
            FolderSource::open(Path::new(&source.spec.location), &pipeline.folder_settings)?;
        let found = scan(&folder, job)?;
        let known = self.store().stamps(source.id)?;
        let counts = &mut outcome.counts;

        let changed: Vec<&File> = found
            .files
            .iter()
            .filter(|file| match known.get(&file.id) {
                Some(stamp) => is_changed(file, stamp, &pipeline.key, options),
                None => true,
            })
            .collect();
        let still_failed = found
            .files
            .iter()
            .filter(|file| {
                known
                    .get(&file.id)
                    .is_some_and(|stamp| stamp.state == LedgerState::Failed)
            })
            .count()
            - changed
                .iter()
                .filter(|file| {
                    known
                        .get(&file.id)
                        .is_some_and(|stamp| stamp.state == LedgerState::Failed)
                })
                .count();
        counts.failed = still_failed as u64;
        counts.unchanged = (found.files.len() - changed.len() - still_failed) as u64;
        self.note_passed(source, &found, &known, &pipeline, counts)?;

        let gone = gone(&found, &known);
        let items = known.values().filter(|stamp| is_live(stamp)).count();
        let gone_items = gone
            .iter()
            .filter(|id| is_live(&known[id.as_str()]))
            .count();
        let too_many = items >= REMOVALS_FROM && gone_items as f64 > items as f64 * REMOVALS_SHARE;

        let moves = Moves::new(&gone, &known);
        let work = Work {
            source,
            folder: &folder,
            pipeline: &pipeline,
            known: &known,
            moves: &moves,
            counts,
        };
        let moved = self.read(&changed, work, job)?;

        let gone: Vec<&String> = gone
            .iter()
            .filter(|id| !moved.contains(id.as_str()))
            .collect();
        let left = gone
            .iter()
            .filter(|id| is_live(&known[id.as_str()]))
            .count();
        if too_many && left as f64 > items as f64 * REMOVALS_SHARE && !options.accept_removals {
            outcome.problem = Some(format!(
                "{left} of its {items} items are gone from {}. Nothing was removed, in case the folder is only \
                 missing for now. If they are gone for good: `pkb sync --source {} --accept-removals`",
                source.spec.location, source.spec.name
            ));
            return Ok(());
        }
        let items: Vec<ItemId> = gone
            .iter()
            .filter_map(|id| {
                known[id.as_str()]
                    .item
                    .filter(|_| is_live(&known[id.as_str()]))
            })
            .collect();
        outcome.counts.deleted += self.store().soft_delete(&items, "file_deleted")?;
        let rows: Vec<&str> = gone
            .iter()
            .filter(|id| known[id.as_str()].item.is_none())
            .map(|id| id.as_str())
            .collect();
        self.store().forget(source.id, &rows)?;
        Ok(())
    }

    /// Ledger rows for what was not taken, where they say something new.
    fn note_passed(
        &self,
        source: &Source,
        found: &Found,
        known: &HashMap<String, Stamp>,
        pipeline: &Pipeline,
        counts: &mut SyncCounts,
    ) -> Result<(), Error> {
        let mut rows = Vec::new();
        for (id, reason, failed) in &found.passed {
            if *failed {
                counts.failed += 1;
            } else {
                counts.skipped += 1;
            }
            let state = if *failed {
                LedgerState::Failed
            } else {
                LedgerState::Skipped
            };
            let same = known.get(id).is_some_and(|stamp| {
                stamp.state == state && stamp.stamp == *reason && stamp.pipeline == pipeline.key
            });
            if !same {
                rows.push(LedgerWrite {
                    source: source.id,
                    external_id: id.clone(),
                    outcome: if *failed {
                        NotIndexed::Failed
                    } else {
                        NotIndexed::Skipped
                    },
                    reason: if *failed {
                        "unreadable".into()
                    } else {
                        "not-taken".into()
                    },
                    message: reason.clone(),
                    provenance: Provenance {
                        stamp: reason.clone(),
                        pipeline: pipeline.key.clone(),
                        ..Provenance::default()
                    },
                });
            }
        }
        for batch in rows.chunks(BATCH_ITEMS) {
            self.store().put_ledger(batch)?;
        }
        Ok(())
    }

    /// Reads and stores `changed`. Readers work side by side; this thread
    /// writes. Returns the ids that items moved away from.
    fn read(
        &self,
        changed: &[&File],
        work: Work<'_>,
        job: &dyn Job,
    ) -> Result<HashSet<String>, Error> {
        if changed.is_empty() {
            return Ok(HashSet::new());
        }
        let total = Some(changed.len() as u64);
        job.progress(Stage::Reading, 0, total);
        let next = AtomicUsize::new(0);
        let halt = AtomicBool::new(false);
        let workers = thread::available_parallelism()
            .map_or(2, usize::from)
            .min(changed.len());
        let (send, receive) = mpsc::sync_channel::<(usize, Result<Read, Error>)>(BATCH_ITEMS);
        let mut writer = Writer::new(self, work);

        thread::scope(|scope| {
            for _ in 0..workers {
                let send = send.clone();
                let (next, halt, pipeline, folder) =
                    (&next, &halt, writer.work.pipeline, writer.work.folder);
                scope.spawn(move || {
                    while !halt.load(Ordering::Relaxed) && !job.stop() {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(file) = changed.get(at) else { break };
                        let read = pipeline.read(folder, &file.id);
                        if send.send((at, read)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(send);
            let mut done = 0;
            let mut result = Ok(());
            for (at, read) in receive {
                if result.is_ok() {
                    result = read.and_then(|read| writer.take(changed[at], read));
                    if result.is_err() {
                        halt.store(true, Ordering::Relaxed);
                    }
                }
                done += 1;
                job.progress(Stage::Reading, done, total);
            }
            result.and_then(|()| writer.flush())
        })?;
        if job.stop() && writer.taken < changed.len() {
            return Err(Error::Stopped);
        }
        Ok(writer.moved)
    }
}

/// What the writer works with.
struct Work<'a> {
    source: &'a Source,
    folder: &'a FolderSource,
    pipeline: &'a Pipeline,
    known: &'a HashMap<String, Stamp>,
    moves: &'a Moves,
    counts: &'a mut SyncCounts,
}

/// Collects what was read and stores it in batches.
struct Writer<'a> {
    engine: &'a Engine,
    work: Work<'a>,
    items: Vec<ItemWrite>,
    ledger: Vec<LedgerWrite>,
    renames: Vec<Rename>,
    touched: Vec<(String, String)>,
    bytes: usize,
    taken: usize,
    moved: HashSet<String>,
}

impl<'a> Writer<'a> {
    fn new(engine: &'a Engine, work: Work<'a>) -> Self {
        Writer {
            engine,
            work,
            items: Vec::new(),
            ledger: Vec::new(),
            renames: Vec::new(),
            touched: Vec::new(),
            bytes: 0,
            taken: 0,
            moved: HashSet::new(),
        }
    }

    fn take(&mut self, file: &File, read: Read) -> Result<(), Error> {
        self.taken += 1;
        let known = self.work.known.get(&file.id);
        match read {
            Read::Document(document) => {
                let same_bytes = known.is_some_and(|known| {
                    known.content_hash == Some(document.content_hash)
                        && known.state == LedgerState::Indexed
                        && known.pipeline == self.work.pipeline.key
                        && known.deleted_from.is_none()
                });
                if same_bytes {
                    self.work.counts.unchanged += 1;
                    self.touched.push((file.id.clone(), document.stamp));
                } else {
                    self.note_change(file, known, &document.content_hash);
                    let item = document.into_item(
                        self.work.source,
                        self.work.folder,
                        file.modified,
                        file.size,
                    );
                    self.bytes += item.text.len();
                    self.items.push(item);
                }
            }
            Read::Failed {
                reason,
                message,
                provenance,
            } => {
                self.work.counts.failed += 1;
                self.ledger.push(LedgerWrite {
                    source: self.work.source.id,
                    external_id: file.id.clone(),
                    outcome: NotIndexed::Failed,
                    provenance: Provenance {
                        stamp: stamp_of_failure(file, known, &reason),
                        ..provenance
                    },
                    reason,
                    message,
                });
            }
            Read::Vanished => {}
        }
        if self.items.len() + self.ledger.len() >= BATCH_ITEMS || self.bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Counts an item as new, changed, moved or back.
    fn note_change(&mut self, file: &File, known: Option<&Stamp>, hash: &[u8; 32]) {
        let counts = &mut *self.work.counts;
        match known {
            Some(known) if known.deleted_from.is_some() => counts.restored += 1,
            Some(known) if known.item.is_some() => counts.updated += 1,
            _ => match self.work.moves.from(hash, &self.moved) {
                Some(from) => {
                    counts.moved += 1;
                    self.renames.push(Rename {
                        source: self.work.source.id,
                        from: from.clone(),
                        to: file.id.clone(),
                        title: None,
                        url: None,
                        stamp: file.stamp.clone(),
                    });
                    self.moved.insert(from);
                }
                None => counts.added += 1,
            },
        }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let store = self.engine.store();
        if !self.renames.is_empty() {
            // A row that only says that the new path failed before would be in
            // the way of the item that moves there.
            let to: Vec<&str> = self
                .renames
                .iter()
                .map(|rename| rename.to.as_str())
                .collect();
            store.forget(self.work.source.id, &to)?;
            store.rename(&self.renames)?;
            self.renames.clear();
        }
        if !self.items.is_empty() {
            store.put(&self.items)?;
            self.items.clear();
        }
        if !self.ledger.is_empty() {
            store.put_ledger(&self.ledger)?;
            self.ledger.clear();
        }
        if !self.touched.is_empty() {
            let touched: Vec<(&str, &str)> = self
                .touched
                .iter()
                .map(|(id, stamp)| (id.as_str(), stamp.as_str()))
                .collect();
            store.touch(self.work.source.id, &touched)?;
            self.touched.clear();
        }
        self.bytes = 0;
        Ok(())
    }
}

/// Files that are gone, by what was in them: a new file with the same bytes is
/// the old one, moved.
struct Moves {
    by_hash: HashMap<[u8; 32], Vec<String>>,
}

impl Moves {
    fn new(gone: &[String], known: &HashMap<String, Stamp>) -> Self {
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
    fn from(&self, hash: &[u8; 32], moved: &HashSet<String>) -> Option<String> {
        self.by_hash
            .get(hash)?
            .iter()
            .find(|id| !moved.contains(*id))
            .cloned()
    }
}

fn scan(folder: &FolderSource, job: &dyn Job) -> Result<Found, Error> {
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

fn is_changed(file: &File, known: &Stamp, pipeline: &str, options: SyncOptions) -> bool {
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

/// What the ledger is to compare for a file that failed: its stamp, so that it
/// is not tried again until it changes; something that no file has, where
/// another try costs little or may go better.
fn stamp_of_failure(file: &File, known: Option<&Stamp>, reason: &str) -> String {
    let second_try = format!("tried once: {}", file.stamp);
    match reason {
        "unreadable" | "changed" => String::new(),
        "deadline" if known.is_none_or(|known| known.stamp != second_try) => second_try,
        _ => file.stamp.clone(),
    }
}

/// Whether there is an item that can be searched.
fn is_live(stamp: &Stamp) -> bool {
    stamp.item.is_some() && stamp.deleted_from.is_none()
}

/// Ids that are known and were not found.
fn gone(found: &Found, known: &HashMap<String, Stamp>) -> Vec<String> {
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
