//! A look at the sources before a search, so that what was saved a moment ago
//! is found though nobody was told of it.
//!
//! The look is bounded: what takes longer goes on without the answer, which
//! then says what it does not know.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pkb_sources::FolderSource;
use pkb_store::{Filter, Millis, Source, SourceId, Test};

use crate::clock;
use crate::engine::Engine;
use crate::error::Error;
use crate::ingest::{Found, SyncOptions, is_known, pending, scan, split};
use crate::job::{Job, Stage, Unwatched};
use crate::pipeline::folder_settings;
use crate::search::{self, SearchAnswer, SearchRequest};

/// How long an answer waits for the look, unless asked otherwise.
pub(crate) const BOUND: Duration = Duration::from_millis(100);
/// Changes that are taken in before an answer; more are a sync's work.
const LITTLE: u64 = 32;
/// And bytes: a mailbox that grew is left to a sync.
const LITTLE_BYTES: u64 = 4 << 20;
/// What a watcher saw so lately needs no other look.
const LATELY: Millis = 1_000;
/// Looks at one source at a time: more only pile up where a drive hangs.
const LOOKS: usize = 4;
/// How often the lock is asked for.
const AGAIN: Duration = Duration::from_millis(5);

/// How a search looks at the sources first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// As far as that keeps the answer for at most 100 ms.
    #[default]
    Bounded,
    /// To the end, however long it takes, and all that changed is taken in.
    Whole,
    /// Not at all.
    None,
}

/// What a look came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked {
    /// Files that are not in the index as they are.
    pub(crate) waiting: u64,
    /// Sources that could not be looked at, or not in time, by name.
    pub(crate) unseen: Vec<String>,
}

/// How many looks are under way, by source.
pub(crate) type Looks = Mutex<HashMap<SourceId, usize>>;

/// What a look found, and how many files of it the index does not know.
struct Seen {
    found: Found,
    waiting: u64,
    /// Bytes of what is waiting.
    bytes: u64,
}

/// One source while it is looked at.
struct Asked {
    source: Source,
    /// The database's state when the look began.
    generation: i64,
    began: Millis,
    seen: Receiver<Result<Seen, Error>>,
    halt: Arc<AtomicBool>,
}

impl Engine {
    /// Looks at the sources that count for `request`, takes in what changed
    /// lately, and searches. The same search asked for many times at once is
    /// made once for all who asked before it began.
    ///
    /// # Errors
    /// As [`Engine::search`]. What is wrong with a look is in the answer.
    pub fn search_fresh(
        self: &Arc<Self>,
        request: &SearchRequest,
        look: Look,
    ) -> Result<SearchAnswer, Error> {
        // Every field of a request shows in this.
        let asked = format!("{look:?} {request:?}");
        self.searches
            .run(&asked, || self.look_and_search(request, look))
    }

    fn look_and_search(
        self: &Arc<Self>,
        request: &SearchRequest,
        look: Look,
    ) -> Result<SearchAnswer, Error> {
        let began = Instant::now();
        let looked = match look {
            Look::None => Looked::default(),
            Look::Bounded => self.look(&request.filter, Some(began + BOUND))?,
            Look::Whole => self.look(&request.filter, None)?,
        };
        let look_ms = search::ms(began.elapsed());
        let mut answer = self.search(request)?;
        answer.times.look_ms = look_ms;
        answer.times.total_ms += look_ms;
        answer.freshness.waiting = looked.waiting;
        answer.freshness.unseen = looked.unseen;
        Ok(answer)
    }

    fn look(self: &Arc<Self>, filter: &Filter, deadline: Option<Instant>) -> Result<Looked, Error> {
        let mut looked = Looked::default();
        let watched = self.store().watch_holder().is_some();
        let mut asked = Vec::new();
        let unseen = self.unseen()?;
        let left_out = unseen.left_out(filter, None);
        for source in self.store().sources()? {
            let lately = clock::now() - LATELY;
            let seen = watched && source.looked.is_some_and(|when| when > lately);
            if left_out.contains(&source.id)
                || !counts(&source, filter)
                || seen && deadline.is_some()
            {
                continue;
            }
            match self.ask(&source) {
                Some(one) => asked.push(one),
                None => looked.unseen.push(source.spec.name),
            }
        }
        for one in asked {
            let name = one.source.spec.name.clone();
            match self.take_in(one, deadline) {
                Some(waiting) => looked.waiting += waiting,
                None => looked.unseen.push(name),
            }
        }
        Ok(looked)
    }

    /// How many files of each source are not in the index as they are; none
    /// where that was not found out in time.
    pub(crate) fn waiting(
        self: &Arc<Self>,
        within: Duration,
    ) -> Result<Vec<(Source, Option<u64>)>, Error> {
        let deadline = Instant::now() + within;
        let asked: Vec<_> = self
            .sources()?
            .into_iter()
            .map(|source| (self.ask(&source), source))
            .collect();
        let count = |(one, source): (Option<Asked>, Source)| {
            let seen = one.and_then(|one| one.wait(Some(deadline)));
            (source, seen.map(|seen| seen.waiting))
        };
        Ok(asked.into_iter().map(count).collect())
    }

    /// Starts to look at a source; none where enough looks hang there.
    fn ask(self: &Arc<Self>, source: &Source) -> Option<Asked> {
        {
            let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
            let under_way = looks.entry(source.id).or_default();
            if *under_way >= LOOKS {
                return None;
            }
            *under_way += 1;
        }
        let under_way = UnderWay(self.clone(), source.id);
        let (send, seen) = channel();
        let halt = Arc::new(AtomicBool::new(false));
        let generation = self.everything().generation().unwrap_or_default();
        let began = clock::now();
        let (engine, id) = (self.clone(), source.id);
        let (spec, until) = (source.spec.clone(), Until(halt.clone()));
        let look = move || {
            let settings = folder_settings(&spec);
            let result = FolderSource::open(Path::new(&spec.location), &settings)
                .map_err(Error::from)
                .and_then(|folder| scan(&folder, &until))
                .and_then(|found| {
                    let (waiting, bytes) = engine.count_waiting(id, &found)?;
                    Ok(Seen {
                        found,
                        waiting,
                        bytes,
                    })
                });
            drop(under_way);
            // Nobody waits for a look that took too long.
            let _ = send.send(result);
        };
        // Without a thread the source is one that could not be looked at: the
        // channel ends without a word.
        if let Err(error) = thread::Builder::new().name("look".into()).spawn(look) {
            tracing::warn!("a source cannot be looked at: {error}");
        }
        Some(Asked {
            source: source.clone(),
            generation,
            began,
            seen,
            halt,
        })
    }

    /// Waits for a look and takes in what it found, as far as there is time.
    /// How many changes are left; none where the look was not done in time.
    fn take_in(self: &Arc<Self>, asked: Asked, deadline: Option<Instant>) -> Option<u64> {
        let Seen {
            found,
            waiting,
            bytes,
        } = asked.wait(deadline)?;
        let too_many = (waiting > LITTLE || bytes > LITTLE_BYTES) && deadline.is_some();
        if waiting == 0 || too_many {
            return Some(waiting);
        }
        let (send, done) = channel();
        let (engine, source) = (self.clone(), asked.source.clone());
        let (generation, began) = (asked.generation, asked.began);
        let sync = move || {
            let synced = engine.sync_found(&source, generation, began, found, deadline);
            let _ = send.send(synced);
        };
        if thread::Builder::new()
            .name("take-in".into())
            .spawn(sync)
            .is_err()
        {
            return Some(waiting);
        }
        match receive(&done, deadline) {
            Some(Ok(true)) => Some(0),
            Some(Err(error)) => {
                tracing::debug!(source = asked.source.spec.name, "not taken in: {error}");
                Some(waiting)
            }
            Some(Ok(false)) | None => Some(waiting),
        }
    }

    fn count_waiting(&self, source: SourceId, found: &Found) -> Result<(u64, u64), Error> {
        if is_known(found, self.everything(), source)? {
            return Ok((0, 0));
        }
        let (known, _) = split(self.everything().stamps(source)?);
        let (files, bytes) = pending(found, &known);
        Ok((files as u64, bytes))
    }

    /// Syncs a source with what a scan found. False where that was not possible
    /// in time, or not all of it.
    fn sync_found(
        self: &Arc<Self>,
        source: &Source,
        generation: i64,
        began: Millis,
        found: Found,
        deadline: Option<Instant>,
    ) -> Result<bool, Error> {
        let writable = if self.is_read_only() {
            Some(self.writable()?)
        } else {
            None
        };
        let engine: &Engine = writable.as_ref().unwrap_or(self);
        let late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let lock = loop {
            if let Some(lock) = engine.try_sync_lock("search")? {
                break lock;
            }
            if late() {
                return Ok(false);
            }
            thread::sleep(AGAIN);
        };
        // Somebody may have taken in the same or more since: then what was found
        // is not what there is, and taking it for that would delete.
        let found = (engine.everything().generation()? == generation).then_some((began, found));
        let options = SyncOptions {
            skip_embedding: true,
            ..SyncOptions::default()
        };
        let sources = std::slice::from_ref(source);
        // Once begun it is done to the end, for the next search if not for this.
        let report = engine.sync_sources(&lock, sources, options, &Unwatched, found)?;
        engine.tidy(&report);
        Ok(report.complete())
    }
}

/// Counts as a look at a source until dropped, however the look ends.
struct UnderWay(Arc<Engine>, SourceId);

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut looks = self.0.looks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(under_way) = looks.get_mut(&self.1) {
            *under_way -= 1;
        }
    }
}

impl Asked {
    /// What the look found, and how much of it is waiting; none where it failed or was not done in time, and
    /// then it is called off.
    fn wait(&self, deadline: Option<Instant>) -> Option<Seen> {
        let seen = receive(&self.seen, deadline);
        if seen.is_none() {
            self.halt.store(true, Ordering::Relaxed);
        }
        seen.and_then(Result::ok)
    }
}

fn receive<T>(from: &Receiver<T>, deadline: Option<Instant>) -> Option<T> {
    match deadline {
        None => from.recv().ok(),
        Some(deadline) => from
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            .ok(),
    }
}

/// Whether items of the source can be among those a filter lets through.
fn counts(source: &Source, filter: &Filter) -> bool {
    filter
        .conditions
        .iter()
        .all(|condition| match &condition.test {
            Test::Source(names) => names.contains(&source.spec.name) != condition.not,
            _ => true,
        })
}

/// Stops a look that nobody waits for.
struct Until(Arc<AtomicBool>);

impl Job for Until {
    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn progress(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
}
