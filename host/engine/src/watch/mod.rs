//! Keeping the index true while its owner works: a loop that looks at a folder
//! when something happens in it, and now and then anyway.
//!
//! What happens says *when* to look; the ordinary sync finds out *what* changed.
//! Of all processes that watch a home, one does; the others stand by.

mod embed;
mod event;
mod one;
mod pulse;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pkb_store::{HeldLock, Holder, LockOutcome};

use self::one::{Before, Watched};
use self::pulse::{Calls, Ear};
use crate::engine::Engine;
use crate::error::Error;
use crate::ingest::{SourceReport, SyncOptions};
use crate::job::{Job, Stage};
use crate::sources::FOLDER;

pub(crate) use self::event::Note;
pub use self::event::{Changed, How, WatchEvent, WatchOptions};
pub use self::pulse::WatchHandle;

/// How often it is seen which sources there are, and whether another process
/// still watches.
const TICK: Duration = Duration::from_secs(2);
/// How soon it is tried again where another process syncs.
const BUSY: Duration = Duration::from_millis(100);
/// How soon after something went wrong.
const AFTER_ERROR: Duration = Duration::from_secs(10);
/// How often vectors are counted although nothing changed: a model may have
/// come, or been changed.
const COUNT: Duration = Duration::from_secs(60);

/// A watch over all folders of a home.
pub struct Watch {
    engine: Arc<Engine>,
    options: WatchOptions,
    ear: Ear,
    /// Folders in which pkb itself writes.
    own: Vec<PathBuf>,
    watched: Vec<Watched>,
    /// When to embed; none where all is embedded.
    embed_at: Option<Instant>,
    count_at: Instant,
    /// Whether embedding was broken off, so that it has to get on next time.
    broken_off: bool,
    /// Vectors made since that was last told.
    made: u64,
    problem: Option<String>,
    note: Note,
}

impl Watch {
    /// A watch that does not run yet.
    pub fn new(engine: Arc<Engine>, options: WatchOptions) -> Watch {
        let home = engine.home();
        let own = [&home.folder, &home.models, &home.compiled].map(|folder| {
            let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
            absolute.canonicalize().unwrap_or(absolute)
        });
        Watch {
            own: own.into(),
            engine,
            options,
            ear: Ear::new(),
            watched: Vec::new(),
            embed_at: None,
            count_at: Instant::now(),
            broken_off: false,
            made: 0,
            problem: None,
            note: Note::default(),
        }
    }

    /// What stops it.
    pub fn handle(&self) -> WatchHandle {
        self.ear.handle().clone()
    }

    /// Watches until stopped. `tell` is called on this thread.
    ///
    /// # Errors
    /// When the home cannot be written. Whatever goes wrong later is told, and
    /// tried again.
    pub fn run(mut self, tell: &mut dyn FnMut(WatchEvent)) -> Result<(), Error> {
        let engine = self.engine.clone();
        let mut untold = HashSet::new();
        let tell: &mut dyn FnMut(WatchEvent) = &mut |event| {
            if is_told(&engine, &event, &mut untold) {
                tell(event);
            }
        };
        let Some(lock) = self.lock(tell)? else {
            return Ok(());
        };
        let mut tick = Instant::now();
        while !self.ear.stopped() {
            if Instant::now() >= tick {
                self.follow_sources(tell);
                tick = Instant::now() + TICK;
            }
            self.look(tell);
            self.embed(tell);
            self.leave_note(&lock);
            // What was told comes first; embedding is not waited for then.
            let news = self.watched.iter().any(Watched::has_news);
            let embed_at = self.embed_at.filter(|_| !news);
            let due = self.watched.iter().map(Watched::due);
            let next = due.chain(embed_at).min().unwrap_or(tick);
            self.ear.wait(next.min(tick));
        }
        Ok(())
    }

    /// Waits until no other process watches; none when stopped before.
    fn lock(&self, tell: &mut dyn FnMut(WatchEvent)) -> Result<Option<HeldLock>, Error> {
        let mut known: Option<Holder> = None;
        while !self.ear.stopped() {
            match self.engine.everything().watch_lock(self.options.doing)? {
                LockOutcome::Acquired(lock) => return Ok(Some(lock)),
                LockOutcome::HeldBy(holder) => {
                    if holder.pid.is_some() && known.as_ref().map(|it| it.pid) != Some(holder.pid) {
                        known = Some(holder.clone());
                        tell(WatchEvent::Standby { holder });
                    }
                }
            }
            self.ear.wait(Instant::now() + TICK);
        }
        Ok(None)
    }

    /// Takes up sources that are new, and lets go of those that are gone.
    fn follow_sources(&mut self, tell: &mut dyn FnMut(WatchEvent)) {
        let sources = match self.engine.everything().sources().map_err(Error::from) {
            Ok(sources) => sources,
            Err(error) => return self.trouble(&error, tell),
        };
        let is_there = |watched: &Watched| {
            sources
                .iter()
                .any(|source| source.id == watched.source.id && source.spec == watched.source.spec)
        };
        for gone in self.watched.extract_if(.., |watched| !is_there(watched)) {
            // Its name may be another's, or its own with other settings.
            if !sources.iter().any(|it| it.spec.name == gone.name()) {
                tell(WatchEvent::Forgotten {
                    source: gone.name().to_owned(),
                });
            }
        }
        for source in sources {
            let known = self.watched.iter().any(|it| it.source.id == source.id);
            if !known && source.spec.kind == FOLDER {
                self.watched.push(Watched::new(source, &self.ear));
            }
        }
        if Instant::now() >= self.count_at {
            self.count_at = Instant::now() + COUNT;
            self.embed_at = self.embed_at.or(Some(Instant::now()));
        }
    }

    /// Looks at the sources that it is time for.
    fn look(&mut self, tell: &mut dyn FnMut(WatchEvent)) {
        for at in 0..self.watched.len() {
            if self.ear.stopped() {
                return;
            }
            if self.watched[at].due() > Instant::now() {
                continue;
            }
            match self.watched[at].prepare(&self.own, &self.options) {
                Ok(before) => {
                    self.tell_how(at, tell);
                    self.sync(at, &before, tell);
                    self.tell_how(at, tell);
                }
                Err(error) => {
                    if self.watched[at].problem.is_none() {
                        // Recorded, as by any sync.
                        let _ = self.sync_one(at);
                    }
                    self.watched[at].gone();
                    self.problem_of(at, Some(error.to_string()), tell);
                }
            }
        }
    }

    /// Says how a source is watched, where that was not said yet.
    fn tell_how(&mut self, at: usize, tell: &mut dyn FnMut(WatchEvent)) {
        let watched = &mut self.watched[at];
        if watched.told_how.as_ref() != Some(&watched.how) {
            watched.told_how = Some(watched.how.clone());
            tell(WatchEvent::Watching {
                source: watched.source.spec.name.clone(),
                folder: watched.source.spec.location.clone(),
                how: watched.how.clone(),
            });
        }
    }

    fn sync(&mut self, at: usize, before: &Before, tell: &mut dyn FnMut(WatchEvent)) {
        let began = Instant::now();
        match self.sync_one(at) {
            Ok(Some(mut report)) => {
                let changed = report.changed();
                // Reading what changed is no scan.
                let took = match changed {
                    0 => began.elapsed(),
                    _ => Duration::ZERO,
                };
                self.watched[at].looked(before, took, changed, &self.options);
                self.problem_of(at, report.problem.take(), tell);
                if changed > 0 {
                    self.embed_at = Some(Instant::now());
                    let changes = std::mem::take(&mut report.changes);
                    tell(WatchEvent::Changed(Changed { report, changes }));
                }
                self.recovered(tell);
            }
            // Another process syncs, or this one is to stop.
            Ok(None) => self.watched[at].put_off(before, BUSY),
            Err(error) => {
                self.watched[at].put_off(before, AFTER_ERROR);
                self.trouble(&error, tell);
            }
        }
    }

    /// Syncs a source as ever, without embedding; none where another process
    /// syncs or this one was stopped.
    fn sync_one(&self, at: usize) -> Result<Option<SourceReport>, Error> {
        let Some(lock) = self.engine.try_sync_lock(self.options.doing)? else {
            return Ok(None);
        };
        let _span = tracing::info_span!("watch.look").entered();
        let source = &self.watched[at].source;
        // Another process may have removed it or set it up otherwise.
        if self
            .engine
            .everything()
            .source(&source.spec.name)?
            .as_ref()
            .map(|it| &it.spec)
            != Some(&source.spec)
        {
            return Ok(None);
        }
        let options = SyncOptions {
            skip_embedding: true,
            ..SyncOptions::default()
        };
        let job = Stoppable(self.ear.calls());
        let sources = std::slice::from_ref(source);
        let mut report = self
            .engine
            .sync_sources(&lock, sources, options, &job, None)?;
        if report.stopped {
            return Ok(None);
        }
        self.engine.tidy(&report);
        Ok(report.sources.pop())
    }

    /// Lets others know how the sources are watched.
    fn leave_note(&mut self, lock: &HeldLock) {
        let sources = self.watched.iter();
        let note = Note {
            sources: sources
                .map(|watched| (watched.name().to_owned(), watched.how.clone()))
                .collect(),
        };
        if note == self.note {
            return;
        }
        let told = serde_json::to_string(&note).map(|text| lock.tell(&text));
        if let Ok(Err(error)) = told {
            tracing::debug!("how the sources are watched cannot be told: {error}");
        }
        self.note = note;
    }

    /// Says once what is wrong with a source, and once that it no longer is.
    fn problem_of(&mut self, at: usize, problem: Option<String>, tell: &mut dyn FnMut(WatchEvent)) {
        let watched = &mut self.watched[at];
        if watched.problem == problem {
            return;
        }
        watched.problem.clone_from(&problem);
        let source = Some(watched.source.spec.name.clone());
        tell(match problem {
            Some(problem) => WatchEvent::Problem { source, problem },
            None => WatchEvent::Recovered { source },
        });
    }

    /// The same for what is wrong with the whole.
    fn trouble(&mut self, error: &Error, tell: &mut dyn FnMut(WatchEvent)) {
        let problem = match error.hint() {
            Some(hint) => format!("{error}. {hint}"),
            None => error.to_string(),
        };
        if self.problem.as_ref() != Some(&problem) {
            self.problem = Some(problem.clone());
            tell(WatchEvent::Problem {
                source: None,
                problem,
            });
        }
    }

    fn recovered(&mut self, tell: &mut dyn FnMut(WatchEvent)) {
        if self.problem.take().is_some() {
            tell(WatchEvent::Recovered { source: None });
        }
    }
}

/// Whether the caller may hear of it. `untold` are the names of the private
/// sources that there were: one that is gone cannot be asked any more.
fn is_told(engine: &Engine, event: &WatchEvent, untold: &mut HashSet<String>) -> bool {
    let Some(name) = event.source() else {
        return true;
    };
    match (engine.everything().source(name), engine.unseen()) {
        (Ok(Some(source)), Ok(unseen)) if !unseen.is_private(source.id) => {
            untold.remove(name);
            true
        }
        (Ok(None), Ok(_)) => !untold.contains(name),
        _ => {
            untold.insert(name.to_owned());
            false
        }
    }
}

/// Work that ends when the watch does.
struct Stoppable(Calls);

impl Job for Stoppable {
    fn stop(&self) -> bool {
        self.0.stopped()
    }

    fn progress(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
}
