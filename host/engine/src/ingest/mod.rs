//! The way in: what a source holds, compared with what is known of it, and
//! what is new or changed read, chunked and stored.

mod changes;
mod lock;
mod moves;
mod reader;
mod removals;
mod report;
mod resembling;
mod writer;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use pkb_sources::FolderSource;
use pkb_store::{
    HeldLock, ItemId, LedgerState, LedgerWrite, Millis, NotIndexed, Provenance, Source, SyncRunId,
};

use self::changes::{
    File, Passed, Why, absent, gone, inside, is_changed, is_deleted_by_user, is_live, orphans,
    settled_hash, to_open_again,
};
pub(crate) use self::changes::{Found, is_known, pending, scan, split};
pub(crate) use self::lock::lock;
use self::moves::Written;
use self::reader::{Progress, Reader, hash_all};
use self::removals::Removals;
use self::report::tell;
pub use self::report::{Change, SourceReport, SyncOptions, SyncReport};
use self::resembling::Lost;
use self::writer::{Work, Writer};
use crate::clock;
use crate::engine::Engine;
use crate::error::Error;
use crate::job::Job;
use crate::pipeline::walk::file_of;
use crate::pipeline::{Pipeline, Read};

/// Items written in one transaction, at most.
const BATCH_ITEMS: usize = 256;
/// Changes from which on the database is brought into good shape after a sync:
/// that rewrites the whole word index.
const OPTIMIZE_FROM: u64 = 200;
/// Bytes of new texts that are held back to be compared with what is gone.
const HELD_BYTES: usize = 64 << 20;

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
            [] if options.private => self.everything().sources()?,
            [] => self.store().sources()?,
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
        let _span = tracing::info_span!("sync").entered();
        let mut report = self.sync_sources(&lock, &sources, options, job, None)?;
        if !report.stopped {
            let outcome = self.rechunk(job, &mut report.rechunked).and_then(|()| {
                if !options.skip_embedding {
                    report.embedding = Some(self.embed(job)?);
                } else if self.chosen_model()?.is_none() {
                    // No vectors are to come that new chunks could wait for.
                    self.everything().take_over(None)?;
                }
                Ok(())
            });
            match outcome {
                Ok(()) => {}
                Err(Error::Stopped) => report.stopped = true,
                Err(other) => return Err(other),
            }
        }
        self.tidy(&report);
        let listed = self.unseen()?;
        let mut shown = sources.iter().map(|source| {
            // What was named is told.
            !names.is_empty() || !listed.is_unlisted(source.id)
        });
        report.sources.retain(|source| {
            let shown = shown.next().unwrap_or(true);
            report.untold_problem |= !shown && source.problem.is_some();
            shown
        });
        Ok(report)
    }

    /// Brings the database into good shape after a sync that did much.
    pub(crate) fn tidy(&self, report: &SyncReport) {
        let changes = report.sources.iter().map(SourceReport::changed).sum();
        let made = report
            .embedding
            .as_ref()
            .map_or(0, |embedding| embedding.made);
        if !report.stopped && made.max(changes) >= OPTIMIZE_FROM {
            // Everything is stored already; a busy database is no failure.
            if let Err(error) = self.everything().optimize() {
                tracing::info!("the database was not optimized: {error}");
            }
        }
    }

    /// Brings sources up to date for one that holds the lock. `found` is what a
    /// scan of the one source found that began at that time, where nothing
    /// changed in the database since.
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
            let before = self.everything().last_sync(source.id)?;
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
                    let kept = match error {
                        Error::Source(_) => ". What was indexed of it can still be found",
                        _ => "",
                    };
                    outcome.problem = Some(format!("{error}{kept}{hint}"));
                }
                Err(other) => return Err(other),
            }
            tracing::info!(source = outcome.source, outcome = word, counts = ?outcome.counts, "synced");
            report.sources.push(outcome);
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
        let store = self.everything();
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

    /// Takes one file into the index for one that holds the lock, and looks at no
    /// other. What keeps it out, where something does.
    ///
    /// # Errors
    /// When the database cannot be written or a component cannot be had.
    pub(crate) fn sync_file(
        &self,
        _lock: &HeldLock,
        source: &Source,
        folder: &FolderSource,
        id: &str,
        job: &dyn Job,
    ) -> Result<Option<String>, Error> {
        self.update_terms()?;
        let Some(found) = Found::one(folder, id)? else {
            return Ok(Some(format!("{id} is not there any more.")));
        };
        let mut outcome = SourceReport::default();
        let mut run = None;
        let options = SyncOptions::default();
        let synced = self.sync_folder(source, options, job, &mut outcome, &mut run, Some(found));
        // The source was not gone through: nobody is to think so.
        if let Some(run) = run {
            self.everything().forget_sync(run)?;
        }
        self.forget_stats();
        synced?;
        let failed = outcome.counts.failed > 0 || outcome.counts.skipped > 0;
        Ok(failed.then(|| "It is saved, and could not be read: `pkb ledger` says why.".to_owned()))
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
        let _span = tracing::info_span!("ingest").entered();
        let mut pipeline = Pipeline::of(self, source)?;
        let folder =
            FolderSource::open(Path::new(&source.spec.location), &pipeline.folder_settings)?;
        let found = match found {
            Some(found) => found,
            None => scan(&folder, job)?,
        };
        pipeline.read_pictures(found.bytes_with_pictures());
        let (mut known, mut parts) = split(self.everything().stamps(source.id)?);
        if let Some(only) = &found.only {
            known.retain(|id, _| id == only);
            parts.retain(|id, _| file_of(id) == Some(only));
        }
        let work = Work {
            source,
            folder: &folder,
            pipeline: &pipeline,
            sets: &pipeline.wanted_sets(self)?,
            known,
            parts: Arc::new(parts),
            counts: &mut outcome.counts,
            changes: &mut outcome.changes,
        };
        let mut writer = Writer::new(self, work);
        follow_moves(&mut writer, &found, job)?;

        let known = &writer.work.known;
        let again = to_open_again(known, &writer.work.parts, &pipeline, options);
        let (changed, same): (Vec<&File>, Vec<&File>) =
            found
                .files
                .iter()
                .partition(|file| match known.get(&file.id) {
                    Some(stamp) => {
                        again.contains(&file.id) || is_changed(file, stamp, &pipeline, options)
                    }
                    None => true,
                });
        let parts = &writer.work.parts;
        let (mut failed, mut skipped, mut unchanged) = (0, 0, 0);
        for file in &same {
            let own = std::iter::once(&known[&file.id]);
            let within = inside(parts, &file.id).map(|(_, own)| own);
            for stamp in own.chain(within) {
                match stamp.state {
                    // What a person deleted is as it is to be.
                    _ if stamp.item.is_some() && !is_live(stamp) && !is_deleted_by_user(stamp) => {}
                    LedgerState::Failed => failed += 1,
                    LedgerState::Skipped => skipped += 1,
                    LedgerState::Indexed => unchanged += 1,
                }
            }
        }
        let counts = &mut writer.work.counts;
        (counts.failed, counts.skipped, counts.unchanged) = (failed, skipped, unchanged);
        if !changed.is_empty() || writer.work.counts.moved > 0 {
            *run = Some(self.everything().start_sync(source.id)?);
        }
        self.note_passed(&mut writer.work, &found.passed)?;
        self.read_changed(&mut writer, &found, changed, &again, options, job)?;

        let Writer {
            work: Work { known, parts, .. },
            lost,
            ..
        } = writer;
        let (live, rows): (Vec<String>, Vec<String>) = gone(&found, &known)
            .into_iter()
            .filter(|id| known[id].item.is_none() || is_live(&known[id]))
            .partition(|id| is_live(&known[id]));
        // What was inside goes with its file, and what is not inside any more.
        let within = live
            .iter()
            .chain(&rows)
            .flat_map(|file| inside(&parts, file))
            .map(|(id, _)| id.clone());
        let (inner, inner_rows): (Vec<String>, Vec<String>) = within
            .chain(lost.iter().cloned())
            .chain(orphans(&found, &known, &parts))
            .partition(|id| {
                let own = parts.get(id).or_else(|| known.get(id));
                own.is_none_or(|own| own.item.is_some())
            });
        let inner: Vec<String> = inner
            .into_iter()
            .filter(|id| {
                let own = parts.get(id).or_else(|| known.get(id));
                // What a person brought back is no loss.
                own.is_none_or(|own| is_live(own) && !own.restored)
            })
            .collect();
        let items = known.values().chain(parts.values());
        let all: Vec<String> = live.iter().chain(&inner).cloned().collect();
        let removals = Removals {
            location: &source.spec.location,
            items: items.filter(|stamp| is_live(stamp)).count(),
            gone: &all,
            empty: found.files.is_empty(),
        };
        if let Some(problem) = removals.problem()
            && !options.accept_removals
        {
            // Files that lost much of what was inside are opened again next
            // time, to be asked about again.
            let files: BTreeSet<&str> = lost.iter().filter_map(|id| file_of(id)).collect();
            let unread: Vec<(&str, &str)> = files.into_iter().map(|file| (file, "")).collect();
            self.everything().touch(source.id, &unread)?;
            outcome.problem = Some(problem);
            return Ok(());
        }
        let rows: Vec<&str> = rows.iter().chain(&inner_rows).map(String::as_str).collect();
        if run.is_none() && !(all.is_empty() && rows.is_empty()) {
            *run = Some(self.everything().start_sync(source.id)?);
        }
        let mut items: Vec<ItemId> = live.iter().filter_map(|id| known[id].item).collect();
        for id in &inner {
            // What this very sync stored has no number here yet.
            let own = parts.get(id).or_else(|| known.get(id));
            let item = match own.and_then(|own| own.item) {
                None => self
                    .everything()
                    .item_by_identity(source.id, id)?
                    .map(|item| item.id),
                own => own,
            };
            items.extend(item);
        }
        outcome.counts.deleted += self.everything().soft_delete(&items, "file_deleted")?;
        for id in &all {
            tell(&mut outcome.changes, "deleted", id, None);
        }
        self.everything().forget(source.id, &rows)?;
        Ok(())
    }

    /// Reads and stores what has changed. New files are held back where they
    /// may be what is gone, moved and edited.
    fn read_changed(
        &self,
        writer: &mut Writer<'_>,
        found: &Found,
        changed: Vec<&File>,
        again: &HashSet<String>,
        options: SyncOptions,
        job: &dyn Job,
    ) -> Result<(), Error> {
        if changed.is_empty() {
            return Ok(());
        }
        let mut progress = Progress {
            job,
            done: 0,
            total: changed.len() as u64,
        };
        let known = &writer.work.known;
        let missing: Vec<(String, ItemId)> = gone(found, known)
            .into_iter()
            .filter(|id| is_live(&known[id]))
            .filter_map(|id| known[&id].item.map(|item| (id, item)))
            .collect();
        let (new, rest): (Vec<&File>, Vec<&File>) = changed.into_iter().partition(|file| {
            !missing.is_empty() && known.get(&file.id).is_none_or(|own| own.item.is_none())
        });
        if !new.is_empty() {
            let mut lost = Lost::default();
            for (id, item) in missing {
                if job.stop() {
                    return Err(Error::Stopped);
                }
                if let Some(text) = self.everything().text(item)? {
                    lost.add(&id, &text.text);
                }
            }
            let (mut held, mut bytes) = (Vec::new(), 0);
            let (pipeline, folder) = (writer.work.pipeline, writer.work.folder);
            let reader = Reader {
                pipeline,
                folder,
                parts: writer.work.parts.clone(),
                options,
            };
            reader.read(&new, |_| None, &mut progress, &mut |file, read| {
                if let Read::Document(document) | Read::Part(document) = &read {
                    bytes += document.text().len();
                }
                held.push((file, read));
                if bytes >= HELD_BYTES {
                    bytes = 0;
                    settle(&mut held, &mut lost, writer)?;
                }
                Ok(())
            })?;
            settle(&mut held, &mut lost, writer)?;
        }
        let hashes: Vec<Option<[u8; 32]>> = rest
            .iter()
            .map(|file| {
                let known = writer.work.known.get(&file.id);
                let known = known.filter(|_| !again.contains(&file.id));
                let reads = known.is_some_and(|known| writer.work.pipeline.reads(known));
                settled_hash(known, reads, options)
            })
            .collect();
        let (pipeline, folder) = (writer.work.pipeline, writer.work.folder);
        let reader = Reader {
            pipeline,
            folder,
            parts: writer.work.parts.clone(),
            options,
        };
        let read = reader.read(&rest, |at| hashes[at], &mut progress, &mut |file, read| {
            writer.take(file, read)
        });
        // What was read before it was stopped is kept.
        match read {
            Ok(()) | Err(Error::Stopped) => writer.flush().and(read),
            Err(error) => Err(error),
        }
    }

    /// Ledger rows for what was not taken, where they say something new.
    fn note_passed(&self, work: &mut Work<'_>, passed: &[Passed]) -> Result<(), Error> {
        let mut rows = Vec::new();
        for Passed { id, why, reason } in passed {
            let (outcome, state) = match why {
                Why::Unreadable => (NotIndexed::Failed, LedgerState::Failed),
                Why::NotTaken | Why::Away => (NotIndexed::Skipped, LedgerState::Skipped),
            };
            match outcome {
                NotIndexed::Failed => work.counts.failed += 1,
                NotIndexed::Skipped => work.counts.skipped += 1,
            }
            let same = work.known.get(id).is_some_and(|stamp| {
                stamp.state == state
                    && stamp.stamp == *reason
                    && stamp.pipeline == work.pipeline.skip_key
            });
            if !same {
                rows.push(LedgerWrite {
                    source: work.source.id,
                    external_id: id.clone(),
                    outcome,
                    reason: why.word().into(),
                    message: reason.clone(),
                    provenance: Provenance {
                        stamp: reason.clone(),
                        pipeline: work.pipeline.skip_key.clone(),
                        ..Provenance::default()
                    },
                });
            }
        }
        for batch in rows.chunks(BATCH_ITEMS) {
            self.everything().put_ledger(batch)?;
        }
        Ok(())
    }
}

/// Finds the items that are at another path with the same bytes or nearly the
/// same name, and moves them there.
fn follow_moves(writer: &mut Writer<'_>, found: &Found, job: &dyn Job) -> Result<(), Error> {
    let _span = tracing::debug_span!("ingest.moves").entered();
    let known = &writer.work.known;
    let mut gone = absent(found, known);
    gone.retain(|id| known[id].item.is_some());
    let candidates = moves::to_hash(&found.files, known, &gone);
    let hashes = hash_all(writer.work.folder, &candidates, job);
    if job.stop() {
        return Err(Error::Stopped);
    }
    let written: Vec<Written<'_>> = moves::written(&found.files, known)
        .map(|file| Written {
            file,
            hash: hashes.get(file.id.as_str()).copied(),
        })
        .collect();
    let moves = moves::find(&written, known, &gone);
    writer.relocate(&moves)
}

/// Moves items to the new files that hold nearly their texts, and stores the
/// files.
fn settle(
    held: &mut Vec<(&File, Read)>,
    lost: &mut Lost,
    writer: &mut Writer<'_>,
) -> Result<(), Error> {
    let texts: Vec<(&str, &str)> = held
        .iter()
        .filter_map(|(file, read)| match read {
            Read::Document(document) => Some((file.id.as_str(), document.text())),
            _ => None,
        })
        .collect();
    let moves = lost.find(&texts);
    writer.relocate(&moves)?;
    for (file, read) in held.drain(..) {
        writer.take(file, read)?;
    }
    Ok(())
}
