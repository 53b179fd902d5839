//! What the watchers' threads tell the loop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pkb_sources::Signal;

/// A folder is looked at when nothing happened for so long ...
const QUIET: Duration = Duration::from_millis(100);
/// ... or when the first thing that happened is so long ago.
const LATEST: Duration = Duration::from_millis(500);

/// Stops a [`Watch`](super::Watch) from another thread.
#[derive(Clone, Debug)]
pub struct WatchHandle {
    stop: Arc<AtomicBool>,
    wake: Sender<()>,
}

impl WatchHandle {
    /// Ends the watch: at once where it waits, at the next safe point where it
    /// works.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        // One that has ended needs no stopping.
        let _ = self.wake.send(());
    }
}

/// What work asks that is to end for something else.
#[derive(Clone)]
pub(super) struct Calls {
    stop: Arc<AtomicBool>,
    news: Arc<AtomicBool>,
}

impl Calls {
    /// Whether the watch is to end.
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Whether anything was told since the loop last listened.
    pub(super) fn news(&self) -> bool {
        self.news.load(Ordering::SeqCst)
    }
}

/// The loop's ear.
pub(super) struct Ear {
    handle: WatchHandle,
    heard: Receiver<()>,
    news: Arc<AtomicBool>,
}

impl Ear {
    pub(super) fn new() -> Self {
        let (wake, heard) = channel();
        Ear {
            handle: WatchHandle {
                stop: Arc::default(),
                wake,
            },
            heard,
            news: Arc::default(),
        }
    }

    pub(super) fn handle(&self) -> &WatchHandle {
        &self.handle
    }

    pub(super) fn calls(&self) -> Calls {
        Calls {
            stop: self.handle.stop.clone(),
            news: self.news.clone(),
        }
    }

    pub(super) fn stopped(&self) -> bool {
        self.calls().stopped()
    }

    /// Whether anything was told since [`Ear::wait`].
    pub(super) fn news(&self) -> bool {
        self.calls().news()
    }

    /// Waits until something is told, at most until then.
    pub(super) fn wait(&self, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        match self.heard.recv_timeout(left) {
            Ok(()) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        // In this order: what is told meanwhile is news then.
        self.news.store(false, Ordering::SeqCst);
        while self.heard.try_recv().is_ok() {}
    }

    /// A pulse that this ear hears.
    pub(super) fn pulse(&self) -> Arc<Pulse> {
        Arc::new(Pulse {
            told: Mutex::default(),
            news: self.news.clone(),
            wake: self.handle.wake.clone(),
        })
    }
}

/// What was told of one folder and not heeded yet.
pub(super) struct Pulse {
    told: Mutex<Told>,
    news: Arc<AtomicBool>,
    wake: Sender<()>,
}

#[derive(Default)]
struct Told {
    /// When the first and the last thing happened.
    times: Option<(Instant, Instant)>,
    /// Why no more will be told.
    failed: Option<String>,
}

impl Pulse {
    /// Takes in what a watcher tells, many thousand times a second if need be.
    pub(super) fn tell(&self, signal: Signal) {
        let now = Instant::now();
        let mut told = self.told();
        let first = told.times.map(|(first, _)| first);
        told.times = Some((first.unwrap_or(now), now));
        if let Signal::Failed(reason) = signal {
            told.failed = Some(reason);
        }
        drop(told);
        if first.is_none() {
            self.news.store(true, Ordering::SeqCst);
            // Nobody listens any more where the watch has ended.
            let _ = self.wake.send(());
        }
    }

    /// When the folder is to be looked at; none where nothing happened.
    pub(super) fn due(&self) -> Option<Instant> {
        let (first, last) = self.told().times?;
        Some((first + LATEST).min(last + QUIET))
    }

    /// Takes what was told: whether anything was, and why no more will be.
    pub(super) fn take(&self) -> (bool, Option<String>) {
        let told = std::mem::take(&mut *self.told());
        (told.times.is_some(), told.failed)
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_heeded_once_and_not_put_off_for_ever() {
        let ear = Ear::new();
        let pulse = ear.pulse();
        assert_eq!(pulse.due(), None);
        pulse.tell(Signal::Changed);
        assert!(ear.news());
        let first = pulse.due().unwrap();
        for _ in 0..5_000 {
            pulse.tell(Signal::Changed);
        }
        let later = pulse.due().unwrap();
        assert!(later >= first && later <= first + LATEST);
        // One wake-up for all of them.
        assert_eq!(ear.heard.try_iter().count(), 1);
        assert_eq!(pulse.take(), (true, None));
        assert_eq!((pulse.due(), pulse.take()), (None, (false, None)));
        pulse.tell(Signal::Failed("why".into()));
        ear.wait(Instant::now() + Duration::from_secs(60));
        assert!(!ear.news());
        assert_eq!(pulse.take(), (true, Some("why".into())));
    }

    #[test]
    fn a_stop_ends_the_waiting() {
        let ear = Ear::new();
        let handle = ear.handle().clone();
        let stopping = std::thread::spawn(move || handle.stop());
        ear.wait(Instant::now() + Duration::from_secs(60));
        assert!(ear.stopped());
        stopping.join().unwrap();
    }
}
