//! The lock that lets one process at a time sync a database.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::now;
use super::pool::beside;
use crate::{Error, Holder, LockOutcome, Result};

/// The sync lock, held until dropped. The system frees it when the process
/// dies, however that happens.
#[derive(Debug)]
pub struct SyncLock {
    // Closing it frees the lock.
    _locked: File,
    holder: PathBuf,
}

impl Drop for SyncLock {
    fn drop(&mut self) {
        // Fields are dropped after this, so that nobody else's note is removed.
        // A note that stays is overwritten by the next holder.
        let _ = std::fs::remove_file(&self.holder);
    }
}

/// Takes the lock of the database at `database`, or tells who has it. The note
/// that tells is a file of its own, as a locked file cannot be read everywhere.
pub(super) fn acquire(database: &Path) -> Result<LockOutcome> {
    let path = beside(database, ".sync-lock");
    let holder = beside(database, ".sync-holder");
    let failed = |action, path: &Path, cause| Error::File {
        action,
        path: path.into(),
        cause,
    };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|cause| match cause.kind() {
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Error::ReadOnly {
                path: database.into(),
            },
            _ => failed("open", &path, cause),
        })?;
    match file.try_lock() {
        Ok(()) => {
            let note = format!("{} {}\n", std::process::id(), now());
            std::fs::write(&holder, note).map_err(|cause| failed("write", &holder, cause))?;
            Ok(LockOutcome::Acquired(SyncLock {
                _locked: file,
                holder,
            }))
        }
        Err(TryLockError::WouldBlock) => Ok(LockOutcome::HeldBy(read_note(&holder))),
        Err(TryLockError::Error(cause)) => Err(failed("lock", &path, cause)),
    }
}

fn read_note(path: &Path) -> Holder {
    let note = std::fs::read_to_string(path).unwrap_or_default();
    let mut words = note.split_whitespace();
    Holder {
        pid: words.next().and_then(|word| word.parse().ok()),
        since: words.next().and_then(|word| word.parse().ok()),
    }
}
