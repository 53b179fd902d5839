//! Making the vectors of what changed, without keeping anyone waiting.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::one::Watched;
use super::pulse::Calls;
use super::{AFTER_ERROR, BUSY, Watch, WatchEvent};
use crate::embedding::EmbedReport;
use crate::engine::Engine;
use crate::error::Error;
use crate::job::{Job, Stage};

/// How long embedding goes on before others get their turn.
const SLICE: Duration = Duration::from_secs(3);
/// The others' turn.
const TURN: Duration = Duration::from_millis(100);

impl Watch {
    /// Makes vectors for a while, where it is time for that.
    pub(super) fn embed(&mut self, tell: &mut dyn FnMut(WatchEvent)) {
        let now = Instant::now();
        let due = self.embed_at.is_some_and(|at| at <= now);
        let first = |it: &Watched| it.has_news() || it.due() <= now;
        if !due || self.ear.stopped() || self.ear.news() || self.watched.iter().any(first) {
            return;
        }
        if !self.options.embed {
            self.embed_at = None;
            return;
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
            until: OnceLock::new(),
            done: AtomicU64::new(0),
            stored: AtomicU64::new(0),
            must_get_on: self.broken_off,
        };
        // Another chunker or model may be chosen by now.
        let outcome = self.engine.rechunk(&slice, &mut 0).and_then(|()| {
            if self.engine.needs_embedding()? {
                self.engine.embed(&slice)
            } else {
                // The last slice may have been over with the last vector.
                Ok(EmbedReport::default())
            }
        });
        drop(lock);
        match outcome {
            Ok(report) => {
                self.embed_at = None;
                self.broken_off = false;
                self.recovered(tell);
                self.embedded(report.made, report.missing, tell);
            }
            Err(Error::Stopped) => {
                self.made += slice.stored.into_inner();
                self.broken_off = self.ear.news();
                self.embed_at = Some(Instant::now() + TURN);
            }
            Err(error) => {
                self.embed_at = None;
                self.trouble(&error, tell);
            }
        }
    }

    /// Tells how many vectors were made since that was last told.
    fn embedded(&mut self, made: u64, missing: u64, tell: &mut dyn FnMut(WatchEvent)) {
        let made = made + std::mem::take(&mut self.made);
        if made > 0 {
            tell(WatchEvent::Embedded { made, missing });
        }
    }
}

impl Engine {
    /// Whether an embedding pass may do anything, found out without loading the
    /// model.
    fn needs_embedding(&self) -> Result<bool, Error> {
        let model = match self.models().open(&self.model_name()?) {
            Ok(model) => model,
            // New chunks need not wait for vectors then.
            Err(pkb_embed::Error::UnknownModel { .. }) => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        let fingerprint = &model.info().fingerprint;
        let stats = self.everything().models()?;
        let own = stats.iter().find(|stats| stats.fingerprint == *fingerprint);
        Ok(own.is_none_or(|own| own.missing > 0 || own.pending > 0 || !own.current))
    }
}

/// Embedding until something happens, for a while at most.
struct Slice {
    calls: Calls,
    /// Counts from where the model is loaded, which takes as long as it takes.
    until: OnceLock<Instant>,
    /// Whether what is begun is to be ended whatever happens: otherwise constant
    /// changes would keep anything from ever being embedded.
    must_get_on: bool,
    /// Vectors made.
    done: AtomicU64,
    /// Of these, those that stay whatever happens.
    stored: AtomicU64,
}

impl Job for Slice {
    fn stop(&self) -> bool {
        self.calls.stopped() || self.calls.news() && !self.must_get_on
    }

    fn enough(&self) -> bool {
        let now = Instant::now();
        let done = self.done.load(Ordering::Relaxed);
        self.stored.store(done, Ordering::Relaxed);
        self.calls.news() || now >= *self.until.get_or_init(|| now + SLICE)
    }

    fn progress(&self, stage: Stage, done: u64, _total: Option<u64>) {
        if stage == Stage::Embedding {
            self.done.fetch_max(done, Ordering::Relaxed);
        }
    }
}
