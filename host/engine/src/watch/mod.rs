//! Keeping the index true while its owner works: a loop that looks at a folder
//! when something happens in it, and now and then anyway.
//!
//! What happens says *when* to look; the ordinary sync finds out *what* changed.
//! Of all processes that watch a home, one does; the others stand by.

mod one;
mod pulse;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pkb_store::{HeldLock, Holder, LockOutcome};
use serde::{Deserialize, Serialize};

use self::one::{Before, Watched};
use self::pulse::{Calls, Ear};
use crate::engine::Engine;
use crate::error::Error;
use crate::ingest::{SourceReport, SyncOptions};
use crate::job::{Job, Stage};
use crate::sources::FOLDER;

pub use self::pulse::WatchHandle;

/// How often it is seen which sources there are, and whether another process
/// still watches.
const TICK: Duration = Duration::from_secs(2);
/// How soon it is tried again where another process syncs.
const BUSY: Duration = Duration::from_millis(100);
/// How soon after something went wrong.
const AFTER_ERROR: Duration = Duration::from_secs(10);
/// How long embedding goes on before others get their turn.
const SLICE: Duration = Duration::from_secs(3);
/// The others' turn.
const TURN: Duration = Duration::from_millis(100);
/// How often vectors are counted although nothing changed: a model may have
/// come, or been changed.
const COUNT: Duration = Duration::from_secs(60);

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

/// What changed in a source.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// What became of its items.
    #[serde(flatten)]
    pub report: SourceReport,
    /// What changed, the first thousand of it.
    pub changes: Vec<crate::ingest::Change>,
}

/// What the process that watches tells the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The sources, by name.
    pub(crate) sources: BTreeMap<String, How>,
}

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
            match self.engine.store().watch_lock(self.options.doing)? {
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
        let sources = match self.engine.sources() {
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
            let was = self.watched[at].how.clone();
            let first = !self.note.sources.contains_key(self.watched[at].name());
            match self.watched[at].prepare(&self.own) {
                Ok(before) => self.sync(at, &before, tell),
                Err(error) => {
                    if !matches!(was, How::Gone { .. }) {
                        // Recorded, as by any sync.
                        let _ = self.sync_one(at);
                    }
                    self.watched[at].gone();
                    self.problem_of(at, Some(error.to_string()), tell);
                }
            }
            let watched = &self.watched[at];
            if (first || watched.how != was) && !matches!(watched.how, How::Gone { .. }) {
                tell(WatchEvent::Watching {
                    source: watched.name().to_owned(),
                    folder: watched.source.spec.location.clone(),
                    how: watched.how.clone(),
                });
            }
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
        let source = &self.watched[at].source;
        // Another process may have removed it or set it up otherwise.
        if self
            .engine
            .store()
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
        Ok(report.sources.pop())
    }

    /// Makes vectors for a while, where it is time for that.
    fn embed(&mut self, tell: &mut dyn FnMut(WatchEvent)) {
        let now = Instant::now();
        let due = self.embed_at.is_some_and(|at| at <= now);
        let first = |it: &Watched| it.has_news() || it.due() <= now;
        if !due || self.ear.stopped() || self.ear.news() || self.watched.iter().any(first) {
            return;
        }
        match self.engine.needs_embedding() {
            Ok(true) if self.options.embed => {}
            Ok(_) => {
                self.embed_at = None;
                return;
            }
            Err(error) => {
                self.embed_at = None;
                return self.trouble(&error, tell);
            }
        }
        let lock = match self.engine.try_sync_lock(self.options.doing) {
            Ok(Some(lock)) => lock,
            Ok(None) => {
                self.embed_at = Some(now + BUSY);
                return;
            }
            Err(error) => {
                self.embed_at = Some(now + AFTER_ERROR);
                return self.trouble(&error, tell);
            }
        };
        let slice = Slice {
            calls: self.ear.calls(),
            until: now + SLICE,
            must_get_on: self.broken_off,
        };
        let outcome = self.engine.embed(&slice);
        drop(lock);
        match outcome {
            Ok(report) => {
                self.embed_at = None;
                self.broken_off = false;
                self.recovered(tell);
                if report.made > 0 {
                    tell(WatchEvent::Embedded {
                        made: report.made,
                        missing: report.missing,
                    });
                }
            }
            Err(Error::Stopped) => {
                self.broken_off = self.ear.news();
                self.embed_at = Some(Instant::now() + TURN);
            }
            Err(error) => {
                self.embed_at = None;
                self.trouble(&error, tell);
            }
        }
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

impl Engine {
    /// Whether an embedding pass would do anything, found out without loading
    /// the model.
    fn needs_embedding(&self) -> Result<bool, Error> {
        let model = match self.models().open(&self.model_name()?) {
            Ok(model) => model,
            Err(pkb_embed::Error::UnknownModel { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let fingerprint = &model.info().fingerprint;
        let stats = self.store().models()?;
        let own = stats.iter().find(|stats| stats.fingerprint == *fingerprint);
        Ok(own.is_none_or(|own| own.missing > 0 || !own.current))
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

/// Embedding until something happens, for a while at most.
struct Slice {
    calls: Calls,
    until: Instant,
    /// Whether what is begun is to be ended whatever happens: otherwise constant
    /// changes would keep anything from ever being embedded.
    must_get_on: bool,
}

impl Job for Slice {
    fn stop(&self) -> bool {
        self.calls.stopped() || self.calls.news() && !self.must_get_on
    }

    fn enough(&self) -> bool {
        self.calls.news() || Instant::now() >= self.until
    }

    fn progress(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
}
