//! Changes to files that others may change at the same moment.

use std::sync::PoisonError;
use std::thread;
use std::time::{Duration, Instant};

use pkb_sources::clip::ClipError;
use pkb_store::{HeldLock, LockOutcome};

use crate::engine::Engine;
use crate::error::Error;

/// How long another process is waited for, which needs moments.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the lock is asked for again.
const AGAIN: Duration = Duration::from_millis(10);
/// How often a file that changes meanwhile is read again.
const TRIES: u32 = 3;
/// Time for an editor to finish what it is saving.
const PAUSE: Duration = Duration::from_millis(60);

impl Engine {
    /// Reads, changes and replaces a file, as `change` does, while nobody else
    /// of this home does so. Where an editor changes the file meanwhile, it is
    /// done again with what is there then.
    ///
    /// # Errors
    /// Those of `change`; [`Error::Usage`] where other processes keep writing.
    pub(crate) fn changing<T>(
        &self,
        mut change: impl FnMut() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let _lock = self.write_lock()?;
        let mut tries = TRIES;
        loop {
            match change() {
                Err(error) if tries > 0 && is_changed(&error) => {
                    tries -= 1;
                    thread::sleep(PAUSE);
                }
                done => return done,
            }
        }
    }

    fn write_lock(&self) -> Result<HeldLock, Error> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.everything().write_lock("note")? {
                LockOutcome::Acquired(lock) => return Ok(lock),
                LockOutcome::HeldBy(_) if Instant::now() < until => thread::sleep(AGAIN),
                LockOutcome::HeldBy(_) => {
                    return Err(Error::usage(
                        "another process is writing into the folders of this home",
                        "Nothing was changed. Try again in a moment.",
                    ));
                }
            }
        }
    }
}

fn is_changed(error: &Error) -> bool {
    matches!(
        error,
        Error::Source(pkb_sources::Error::Changed { .. })
            | Error::Clip(ClipError::Folder(pkb_sources::Error::Changed { .. }))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_changed_meanwhile_is_tried_again() {
        let changed = || pkb_sources::Error::Changed {
            external_id: "a.md".into(),
        };
        assert!(is_changed(&Error::Source(changed())));
        assert!(is_changed(&Error::Clip(ClipError::Folder(changed()))));
        assert!(!is_changed(&Error::Source(pkb_sources::Error::Vanished {
            external_id: "a.md".into(),
        })));
    }
}
