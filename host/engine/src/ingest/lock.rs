//! Who may sync now.

use std::thread;
use std::time::{Duration, Instant};

use pkb_store::{HeldLock, Holder, LockOutcome};

use crate::engine::Engine;
use crate::error::Error;
use crate::job::Job;

/// What those do that hold the lock for moments, be it again and again: whoever
/// finds them at it waits.
const BRIEF: [&str; 4] = ["watch", "serve", "search", "note"];

/// How often the lock is asked for again.
const AGAIN: Duration = Duration::from_millis(20);
/// Waiting is worth a word from here on.
const LONG: Duration = Duration::from_secs(1);

impl Engine {
    /// The lock that lets this process sync. Those that hold it for moments are
    /// waited for, and with `wait` everyone is.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process syncs; [`Error::Stopped`] when the
    /// job says so; when the home cannot be written.
    pub(crate) fn sync_lock(
        &self,
        doing: &str,
        wait: bool,
        job: &dyn Job,
    ) -> Result<HeldLock, Error> {
        lock(|| self.everything().sync_lock(doing), wait, job)
    }

    /// The same without waiting for anyone; none while another process syncs.
    ///
    /// # Errors
    /// When the home cannot be written.
    pub(crate) fn try_sync_lock(&self, doing: &str) -> Result<Option<HeldLock>, Error> {
        match self.everything().sync_lock(doing)? {
            LockOutcome::Acquired(lock) => Ok(Some(lock)),
            LockOutcome::HeldBy(_) => Ok(None),
        }
    }
}

/// Asks for a sync lock until it is there, as [`Engine::sync_lock`] does.
pub(crate) fn lock(
    ask: impl Fn() -> pkb_store::Result<LockOutcome>,
    wait: bool,
    job: &dyn Job,
) -> Result<HeldLock, Error> {
    let began = Instant::now();
    let mut told = None;
    loop {
        let holder = match ask()? {
            LockOutcome::Acquired(lock) => return Ok(lock),
            LockOutcome::HeldBy(holder) => holder,
        };
        if !wait && !is_brief(&holder, began.elapsed()) {
            return Err(Error::Busy { holder });
        }
        if job.stop() {
            return Err(Error::Stopped);
        }
        if told != holder.pid && began.elapsed() > LONG {
            told = holder.pid;
            job.waits_for(&holder);
        }
        thread::sleep(AGAIN);
    }
}

fn is_brief(holder: &Holder, waited: Duration) -> bool {
    match &holder.doing {
        Some(doing) => BRIEF.contains(&doing.as_str()),
        // It has only just begun, or just ended.
        None => waited < LONG,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::job::Stage;

    /// Stops when it was asked so often.
    struct Asked(AtomicUsize);

    impl Job for Asked {
        fn stop(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) == 2
        }

        fn progress(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
    }

    #[test]
    fn who_meets_a_note_being_indexed_waits() {
        let met = |doing: &str, wait: bool| {
            let held = || {
                Ok(LockOutcome::HeldBy(Holder {
                    doing: Some(doing.into()),
                    ..Holder::default()
                }))
            };
            lock(held, wait, &Asked(AtomicUsize::new(0)))
        };
        for doing in ["note", "watch", "serve", "search"] {
            assert!(matches!(met(doing, false), Err(Error::Stopped)), "{doing}");
        }
        assert!(matches!(met("sync", false), Err(Error::Busy { .. })));
        assert!(matches!(met("sync", true), Err(Error::Stopped)));
    }
}
