//! Locks that one process at a time can hold beside a database: for syncing it,
//! for watching its sources, and for changing notes in their folders.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::now;
use super::pool::beside;
use crate::{Error, Holder, LockOutcome, Millis, Result};

/// Time for whoever has just got a lock to leave its note.
const NOTE_TAKES: Duration = Duration::from_millis(2);

/// Which lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sync,
    Watch,
    Write,
}

impl Kind {
    fn files(self, database: &Path) -> (PathBuf, PathBuf) {
        let (lock, note) = match self {
            Kind::Sync => (".sync-lock", ".sync-holder"),
            Kind::Watch => (".watch-lock", ".watch-holder"),
            Kind::Write => (".write-lock", ".write-holder"),
        };
        (beside(database, lock), beside(database, note))
    }
}

/// A lock, held until dropped. The system frees it when the process dies,
/// however that happens.
#[derive(Debug)]
pub struct HeldLock {
    // Closing it frees the lock.
    _locked: File,
    note: PathBuf,
    who: String,
}

impl HeldLock {
    /// Tells others more than who holds the lock; see [`Holder::details`].
    /// Errors: `File`.
    pub fn tell(&self, details: &str) -> Result<()> {
        // Replaced as a whole, so that nobody reads half of it.
        let fresh = beside(&self.note, ".new");
        std::fs::write(&fresh, format!("{}\n{details}", self.who))
            .and_then(|()| std::fs::rename(&fresh, &self.note))
            .map_err(|cause| failed("write", &self.note, cause))
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        // Fields are dropped after this, so that nobody else's note is removed.
        // A note that stays is overwritten by the next holder.
        let _ = std::fs::remove_file(&self.note);
    }
}

/// Takes the lock of the database at `database`, or tells who has it. The note
/// that tells is a file of its own, as a locked file cannot be read everywhere.
pub(super) fn acquire(database: &Path, kind: Kind, doing: &str) -> Result<LockOutcome> {
    let (path, note) = kind.files(database);
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
            let who = format!("{} {} {doing}", std::process::id(), now());
            std::fs::write(&note, format!("{who}\n"))
                .map_err(|cause| failed("write", &note, cause))?;
            Ok(LockOutcome::Acquired(HeldLock {
                _locked: file,
                note,
                who,
            }))
        }
        Err(TryLockError::WouldBlock) => {
            // The note of one that died would be read otherwise, where the lock
            // was taken over just now.
            thread::sleep(NOTE_TAKES);
            Ok(LockOutcome::HeldBy(read_note(&note).unwrap_or_default()))
        }
        Err(TryLockError::Error(cause)) => Err(failed("lock", &path, cause)),
    }
}

/// Who holds the lock now. Whoever does has left a note; a note without a lock
/// was left by a process that died.
pub(super) fn holder(database: &Path, kind: Kind) -> Option<Holder> {
    let (path, note) = kind.files(database);
    let holder = read_note(&note)?;
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(holder),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn failed(action: &'static str, path: &Path, cause: std::io::Error) -> Error {
    Error::File {
        action,
        path: path.into(),
        cause,
    }
}

fn read_note(path: &Path) -> Option<Holder> {
    let note = std::fs::read_to_string(path).ok()?;
    let (who, details) = note.split_once('\n').unwrap_or((&note, ""));
    let mut words = who.splitn(3, ' ');
    let number = |word: Option<&str>| word.and_then(|word| word.parse::<Millis>().ok());
    let text = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    Some(Holder {
        pid: number(words.next()).and_then(|pid| u32::try_from(pid).ok()),
        since: number(words.next()),
        doing: words.next().and_then(text),
        details: text(details),
    })
}
