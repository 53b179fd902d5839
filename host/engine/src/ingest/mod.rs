//! The way in: what a source holds, compared with what is known of it, and
//! what is new or changed read, chunked and stored.

mod changes;
mod lock;
mod writer;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use pkb_sources::FolderSource;
use pkb_store::{
    HeldLock, ItemId, LedgerState, LedgerWrite, Millis, NotIndexed, Provenance, Source, Stamp,
    SyncCounts, SyncRunId,
};
use serde::Serialize;

use self::changes::{File, Moves, gone, is_changed, is_live};
pub(crate) use self::changes::{Found, is_known, pending, scan};
use self::writer::{Work, Writer};
use crate::clock;
use crate::embedding::EmbedReport;
use crate::engine::Engine;
use crate::error::Error;
use crate::job::{Job, Stage};
use crate::pipeline::{Pipeline, Read};

/// Items written in one transaction, at most.
const BATCH_ITEMS: usize = 256;
/// Changes from which on the database is brought into good shape after a sync:
/// that rewrites the whole word index.
const OPTIMIZE_FROM: u64 = 200;
/// Changes told one by one, of each source.
const CHANGES_TOLD: usize = 1_000;
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
    /// Wait while another process syncs, however long that takes.
    pub wait: bool,
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
fn tell(changes: &mut Vec<Change>, what: &'static str, path: &str, from: Option<&str>) {
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
        !self.stopped && self.sources.iter().all(|source| source.problem.is_none())
    }
}

impl Engine {
    /// Brings the named sources (all, where none is named) up to date, then
    /// embeds what has no vector.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process syncs; [`Error::NotFound`] for an
    /// unknown source; when the database cannot be written or the model
    /// fails. What is wrong with single items costs ledger lines, and what is
    /// wrong with one source, its components included, is in its report.
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
        let lock = match self.sync_lock("sync", options.wait, job) {
            Ok(lock) => lock,
            Err(Error::Stopped) => {
                return Ok(SyncReport {
                    stopped: true,
                    ..SyncReport::default()
                });
            }
            Err(other) => return Err(other),
        };
        self.sync_sources(&lock, &sources, options, job, None)
    }

    /// What [`Engine::sync`] does once it holds the lock. `found` is what a scan
    /// of the one source found that began at that time, where nothing changed in
    /// the database since.
    pub(crate) fn sync_sources(
        &self,
        _lock: &HeldLock,
        sources: &[Source],
        options: SyncOptions,
        job: &dyn Job,
        mut found: Option<(Millis, Found)>,
    ) -> Result<SyncReport, Error> {
        self.update_terms()?;
        let mut report = SyncReport::default();
        for source in sources {
            if job.stop() {
                report.stopped = true;
                break;
            }
            let (began, found) = match found.take() {
                Some((began, found)) => (began, Some(found)),
                None => (clock::now(), None),
            };
            let mut run = None;
            let before = self.store().last_sync(source.id)?;
            let mut outcome = SourceReport {
                source: source.spec.name.clone(),
                ..SourceReport::default()
            };
            let result = self.sync_folder(source, options, job, &mut outcome, &mut run, found);
            let word = match &result {
                Ok(()) if outcome.problem.is_some() => "incomplete",
                Ok(()) => "done",
                Err(Error::Stopped) => "stopped",
                Err(_) => "failed",
            };
            let before = before.and_then(|run| run.outcome);
            self.record(
                source,
                run,
                before.as_deref() == Some(word),
                word,
                began,
                &outcome,
            )?;
            self.forget_stats();
            match result {
                Ok(()) => {}
                Err(Error::Stopped) => report.stopped = true,
                // What is wrong with one source does not keep the others.
                Err(
                    error @ (Error::Source(_)
                    | Error::Load(_)
                    | Error::Plugin(_)
                    | Error::Call(_)
                    | Error::Embed(_)
                    | Error::NotFound { .. }),
                ) => {
                    let hint = error
                        .hint()
                        .map(|hint| format!(". {hint}"))
                        .unwrap_or_default();
                    outcome.problem = Some(format!("{error}{hint}"));
                }
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
        let changes: u64 = report
            .sources
            .iter()
            .map(|source| source.counts.added + source.counts.updated + source.counts.deleted)
            .sum();
        let made = report
            .embedding
            .as_ref()
            .map_or(0, |embedding| embedding.made);
        if !report.stopped && changes.max(made) >= OPTIMIZE_FROM {
            // Everything is stored already; a busy database is no failure.
            if let Err(error) = self.store().optimize() {
                tracing::info!("the database was not optimized: {error}");
            }
        }
        Ok(report)
    }

    /// Records how a source's sync ended. One that changed nothing and ended as
    /// the one before leaves no run: a watcher looks very often.
    fn record(
        &self,
        source: &Source,
        run: Option<SyncRunId>,
        as_before: bool,
        word: &str,
        began: Millis,
        outcome: &SourceReport,
    ) -> Result<(), Error> {
        let store = self.store();
        let nothing_new = as_before && outcome.changed() == 0;
        match run {
            Some(run) if nothing_new => store.forget_sync(run)?,
            Some(run) => store.finish_sync(run, word, &outcome.counts)?,
            None if nothing_new => {}
            None => {
                let run = store.start_sync(source.id)?;
                store.finish_sync(run, word, &outcome.counts)?;
            }
        }
        if matches!(word, "done" | "incomplete") {
            store.looked(source.id, began)?;
        }
        Ok(())
    }

    fn sync_folder(
        &self,
        source: &Source,
        options: SyncOptions,
        job: &dyn Job,
        outcome: &mut SourceReport,
        run: &mut Option<SyncRunId>,
        found: Option<Found>,
    ) -> Result<(), Error> {
        let pipeline = Pipeline::of(self, source)?;
        let folder =
            FolderSource::open(Path::new(&source.spec.location), &pipeline.folder_settings)?;
        let found = match found {
            Some(found) => found,
            None => scan(&folder, job)?,
        };
        let known = self.store().stamps(source.id)?;
        let counts = &mut outcome.counts;

        let (changed, same): (Vec<&File>, Vec<&File>) =
            found
                .files
                .iter()
                .partition(|file| match known.get(&file.id) {
                    Some(stamp) => is_changed(file, stamp, &pipeline.key, options),
                    None => true,
                });
        let still_failed = same
            .iter()
            .filter(|file| known[&file.id].state == LedgerState::Failed)
            .count();
        counts.failed = still_failed as u64;
        counts.unchanged = (same.len() - still_failed) as u64;
        let gone = gone(&found, &known);
        let left = |id: &String| is_live(&known[id]) || known[id].item.is_none();
        if !changed.is_empty() || gone.iter().any(left) {
            *run = Some(self.store().start_sync(source.id)?);
        }
        self.note_passed(source, &found, &known, &pipeline, counts)?;

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
            all: options.all,
            counts,
            changes: &mut outcome.changes,
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
                 missing for now. If they are gone for good, `pkb sync` with --accept-removals removes them",
                source.spec.location
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
        for id in gone.iter().filter(|id| is_live(&known[id.as_str()])) {
            tell(&mut outcome.changes, "deleted", id, None);
        }
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
