//! Progress of long work, as the protocol wants it: few numbers that only ever
//! grow.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pkb_engine::Stage;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Between two updates, at least; an update that completes a stage does not
/// wait.
const EVERY: Duration = Duration::from_millis(200);
/// What looking at an entry counts for; reading an item or embedding a chunk
/// counts 1. Hundreds of entries are looked at in the time of one such.
const SCANNING: f64 = 1.0 / 256.0;

/// What the client is told.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Update {
    /// Steps done over all stages so far.
    pub(super) progress: f64,
    /// Steps known of so far, where the stage knows its end.
    pub(super) total: Option<f64>,
    /// For a person.
    pub(super) message: String,
}

/// Takes down how far work is, from any thread.
pub(super) struct Teller {
    state: Mutex<(Meter, UnboundedSender<Update>)>,
}

impl Teller {
    /// What is told arrives at the other end, which ends when this is dropped.
    pub(super) fn new() -> (Teller, UnboundedReceiver<Update>) {
        let (send, updates) = unbounded_channel();
        let state = Mutex::new((Meter::default(), send));
        (Teller { state }, updates)
    }

    pub(super) fn tell(&self, stage: Stage, done: u64, total: Option<u64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (meter, send) = &mut *state;
        if let Some(update) = meter.step(stage, done, total, Instant::now()) {
            // Nobody listens any more once the connection is closed.
            let _ = send.send(update);
        }
    }
}

/// Adds up the stages, which each count from 0.
#[derive(Default)]
struct Meter {
    stage: Option<Stage>,
    done: u64,
    /// Steps of the stages before.
    before: f64,
    sent: Option<(Instant, f64)>,
}

impl Meter {
    /// What to tell the client now, if anything.
    fn step(
        &mut self,
        stage: Stage,
        done: u64,
        total: Option<u64>,
        now: Instant,
    ) -> Option<Update> {
        let again = match stage {
            // Scanning has no first call with 0.
            Stage::Scanning => done < self.done,
            // Several threads report, so a smaller number may just be late.
            Stage::Reading | Stage::Chunking | Stage::Embedding | Stage::Asking => {
                done == 0 && self.done > 0
            }
        };
        match self.stage {
            Some(last) if last != stage || again => {
                self.before += self.done as f64 * weight(last);
                self.done = 0;
            }
            _ => {}
        }
        self.stage = Some(stage);
        self.done = self.done.max(done);
        let progress = self.before + self.done as f64 * weight(stage);
        let complete = total == Some(self.done);
        if let Some((when, last)) = self.sent
            && (progress <= last || !complete && now.duration_since(when) < EVERY)
        {
            return None;
        }
        self.sent = Some((now, progress));
        Some(Update {
            progress,
            total: total.map(|total| self.before + total as f64 * weight(stage)),
            message: message(stage, self.done, total),
        })
    }
}

fn weight(stage: Stage) -> f64 {
    match stage {
        Stage::Scanning => SCANNING,
        Stage::Reading | Stage::Chunking | Stage::Embedding | Stage::Asking => 1.0,
    }
}

pub(super) fn message(stage: Stage, done: u64, total: Option<u64>) -> String {
    let unit = match stage {
        Stage::Scanning => "entries",
        Stage::Reading | Stage::Chunking => "items",
        Stage::Embedding => "chunks",
        Stage::Asking => "queries",
    };
    match total {
        Some(total) => format!("{}: {done} of {total} {unit}", stage.name()),
        None => format!("{}: {done} {unit}", stage.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_only_grows_over_stages_and_sources() {
        let mut meter = Meter::default();
        let mut now = Instant::now();
        let mut sent = Vec::new();
        let steps = [
            (Stage::Scanning, 256, None),
            (Stage::Scanning, 512, None),
            (Stage::Reading, 0, Some(3)),
            (Stage::Reading, 1, Some(3)),
            (Stage::Reading, 3, Some(3)),
            (Stage::Scanning, 256, None),
            (Stage::Reading, 0, Some(1)),
            (Stage::Reading, 1, Some(1)),
            (Stage::Embedding, 0, Some(4)),
            (Stage::Embedding, 3, Some(4)),
            (Stage::Embedding, 2, Some(4)),
            (Stage::Embedding, 4, Some(4)),
        ];
        for (stage, done, total) in steps {
            now += Duration::from_secs(1);
            sent.extend(meter.step(stage, done, total, now));
        }
        let progress: Vec<f64> = sent.iter().map(|update| update.progress).collect();
        assert_eq!(progress, [1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 10.0, 11.0]);
        let last = sent.last().unwrap();
        assert_eq!(
            (last.total, last.message.as_str()),
            (Some(11.0), "embedding: 4 of 4 chunks")
        );
        assert!(
            sent.iter()
                .all(|update| update.total.is_none_or(|total| update.progress <= total))
        );
    }

    #[test]
    fn updates_are_few_and_the_last_one_comes() {
        let mut meter = Meter::default();
        let start = Instant::now();
        let mut sent = Vec::new();
        for done in 0..=1000 {
            sent.extend(meter.step(
                Stage::Reading,
                done,
                Some(1000),
                start + Duration::from_millis(done),
            ));
        }
        assert!(sent.len() <= 7, "{}", sent.len());
        assert_eq!(sent.last().unwrap().progress, 1000.0);
    }
}
