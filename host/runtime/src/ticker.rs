//! The clock behind deadlines: moves the engine's epoch on while calls run,
//! and sleeps when none do, so that an idle process stays idle.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use wasmtime::Engine;

/// Time between two epochs: how exact a deadline is.
const TICK: Duration = Duration::from_millis(10);

pub(crate) struct Ticker {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    running: AtomicUsize,
    stopped: AtomicBool,
    sleeping: Mutex<()>,
    wake: Condvar,
}

impl Ticker {
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Ticker> {
        let shared = Arc::new(Shared::default());
        let engine = engine.weak();
        let theirs = shared.clone();
        thread::Builder::new()
            .name("pkb-epoch".into())
            .spawn(move || {
                loop {
                    {
                        let mut guard = theirs
                            .sleeping
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner);
                        while theirs.running.load(Ordering::SeqCst) == 0
                            && !theirs.stopped.load(Ordering::SeqCst)
                        {
                            guard = theirs
                                .wake
                                .wait(guard)
                                .unwrap_or_else(PoisonError::into_inner);
                        }
                    }
                    if theirs.stopped.load(Ordering::SeqCst) {
                        return;
                    }
                    thread::sleep(TICK);
                    match engine.upgrade() {
                        Some(engine) => engine.increment_epoch(),
                        None => return,
                    }
                }
            })?;
        Ok(Ticker { shared })
    }

    /// Keeps the clock going until the guard is dropped.
    pub(crate) fn run(&self) -> Running<'_> {
        if self.shared.running.fetch_add(1, Ordering::SeqCst) == 0 {
            // Taking the lock makes sure the thread is either before its check
            // of `running` or already waiting, so the wake-up is not lost.
            drop(
                self.shared
                    .sleeping
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner),
            );
            self.shared.wake.notify_one();
        }
        Running(&self.shared)
    }

    /// Epochs that make up `time`, rounded up, and one because the current one
    /// has partly passed.
    pub(crate) fn epochs(time: Duration) -> u64 {
        u64::try_from(time.as_millis().div_ceil(TICK.as_millis())).unwrap_or(u64::MAX / 2) + 1
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        drop(
            self.shared
                .sleeping
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        self.shared.wake.notify_one();
    }
}

pub(crate) struct Running<'a>(&'a Shared);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}
