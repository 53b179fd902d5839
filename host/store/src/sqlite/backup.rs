//! Copies of a whole database: made while it is in use, kept before something
//! risky, and put back.

use std::path::{Path, PathBuf};
use std::time::Instant;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, OptionalExtension, ffi, params};

use super::migrate::{self, Layout};
use super::pool::{self, Access, PATIENCE, Pool, beside};
use super::{catalogue, check, traces};
use crate::{Error, PutBack, Remedy, Result};

/// Of the state before a backup was put back.
const BEFORE: &str = ".before-restore";

/// Copies all of `from` over all of `to`, in one transaction of each.
pub(super) fn copy(from: &Connection, to: &mut Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    let backup = Backup::new(from, to)?;
    loop {
        match backup.step(-1)? {
            StepResult::Done => return Ok(()),
            _ if started.elapsed() < PATIENCE => pool::wait_a_little(),
            _ => {
                let busy = ffi::Error::new(ffi::SQLITE_BUSY);
                return Err(rusqlite::Error::SqliteFailure(busy, None));
            }
        }
    }
}

/// Makes a file with what `make` writes to the path it is given; for its owner
/// only, and all or nothing: what stood at `to` before is replaced at the end.
fn make_file(to: &Path, make: impl FnOnce(&Path) -> rusqlite::Result<()>) -> Result<()> {
    let file_error = |action, cause| Error::File {
        action,
        path: to.into(),
        cause,
    };
    let part = beside(to, ".part");
    let _ = std::fs::remove_file(&part);
    pool::create_private(&part)?;
    let made = make(&part)
        .map_err(|cause| pool::meaning(to, "be copied", cause))
        .and_then(|()| {
            std::fs::OpenOptions::new()
                .write(true)
                .open(&part)
                .and_then(|file| file.sync_all())
                .and_then(|()| std::fs::rename(&part, to))
                .map_err(|cause| file_error("write", cause))
        });
    if made.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    made
}

/// Copies a database, page by page, to a file of its own.
pub(super) fn to_file(from: &Connection, to: &Path) -> Result<()> {
    make_file(to, |part| {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_EXRESCODE;
        let mut target = Connection::open_with_flags(part, flags)?;
        // What is cut off is thrown away; the whole is synced at the end.
        target.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
        copy(from, &mut target)
    })
}

/// Writes one state of a database anew to a file that must not exist, without
/// the space that is free in it.
pub(super) fn compact(from: &Pool, to: &Path) -> Result<()> {
    let exists = || Error::Exists {
        what: "file",
        name: to.display().to_string(),
    };
    if to.exists() {
        return Err(exists());
    }
    let absolute = std::path::absolute(to).unwrap_or_else(|_| to.into());
    if absolute.to_str().is_none() {
        return Err(Error::Invalid {
            name: to.display().to_string(),
            problem: "its name is not UTF-8".into(),
        });
    }
    from.with_fresh_reader("be copied", |conn| {
        // The copy would count as a change otherwise.
        conn.pragma_update(None, "query_only", false)?;
        Ok(make_file(&absolute, |part| {
            conn.execute("VACUUM INTO ?1", params![part.to_str()])?;
            if absolute.exists() {
                let taken = ffi::Error::new(ffi::SQLITE_CANTOPEN);
                return Err(rusqlite::Error::SqliteFailure(taken, None));
            }
            Ok(())
        }))
    })?
    .map_err(|error| if to.exists() { exists() } else { error })
}

/// The copies of earlier states that stand beside a database.
pub(super) fn beside_it(database: &Path) -> Result<Vec<PathBuf>> {
    let name = database
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let folder = database.parent().unwrap_or(Path::new("."));
    let failed = |cause| Error::File {
        action: "list",
        path: folder.into(),
        cause,
    };
    let mut copies = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let found = entry.file_name();
        let suffix = found.to_str().and_then(|found| found.strip_prefix(&name));
        if suffix.is_some_and(|suffix| {
            suffix.starts_with(BEFORE) || suffix.starts_with(".schema-") && suffix.ends_with(".bak")
        }) {
            copies.push(entry.path());
        }
    }
    copies.sort();
    Ok(copies)
}

/// Where the state before something was put in the place of a database is
/// kept.
pub(super) fn before(path: &Path) -> PathBuf {
    beside(path, BEFORE)
}

/// A database that is worked on, and removed at the end.
pub(super) struct Working(PathBuf);

impl Working {
    /// A place beside a database, where nothing is yet.
    pub(super) fn beside(path: &Path) -> Self {
        let work = Self(beside(path, ".restoring"));
        // Of someone who was cut off.
        work.remove();
        work
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn remove(&self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(beside(&self.0, suffix));
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Puts the backup `from` in the place of the database at `path`, and keeps
/// what was there. Processes that have it open go on with what was put back:
/// it is written into the file that they have open, in one transaction. The
/// caller holds the sync lock.
pub(super) fn put_back(path: &Path, from: &Path) -> Result<PutBack> {
    let path = &pool::absolute(path)?;
    let from = &pool::absolute(from)?;
    let bad = |problem: String| Error::BadBackup {
        path: from.clone(),
        problem,
    };
    if let (Ok(here), Ok(there)) = (path.canonicalize(), from.canonicalize())
        && here == there
    {
        return Err(bad("it is the database in use".into()));
    }
    let work = Working::beside(path);
    let schema = fetch(from, &work.0, &bad)?;

    // What is there now is kept before anything is replaced.
    pool::create_private(path)?;
    let mut live = Pool::unopened(path, Access::Write);
    let kept = before(path);
    let mut generation = 0;
    let mut answer = PutBack {
        before: None,
        schema,
        moved: false,
    };
    match live.look() {
        Ok((_, Layout::Foreign)) => return Err(Error::NotPkb { path: path.clone() }),
        Ok((_, Layout::Empty)) => {}
        Ok((conn, Layout::Version(_))) if live.is_read_only() => {
            drop(conn);
            return Err(Error::ReadOnly { path: path.clone() });
        }
        Ok((conn, Layout::Version(_))) => {
            to_file(&conn, &kept)?;
            answer.before = Some(kept);
            generation = catalogue::generation(&conn)
                .optional()
                .map_err(|e| live.error("be read", e))?
                .unwrap_or(0);
        }
        Err(Error::Damaged { .. }) => {
            move_away(path, &kept)?;
            answer.before = Some(kept);
            answer.moved = true;
        }
        Err(error) => return Err(error),
    }

    make_current(&work.0, generation)?;
    if answer.moved || answer.before.is_none() {
        // Nobody has anything open that could go on from here.
        std::fs::rename(&work.0, path).map_err(|cause| Error::File {
            action: "write",
            path: path.clone(),
            cause,
        })?;
        return Ok(answer);
    }
    let source = Pool::unopened(&work.0, Access::Write)
        .connect()
        .map_err(|e| live.error("be put back", e))?;
    let mut target = live.connect().map_err(|e| live.error("be put back", e))?;
    copy(&source, &mut target)
        .and_then(|()| traces::empty_log(&target))
        .map_err(|e| live.error("be put back", e))?;
    Ok(answer)
}

/// Checks the backup and copies it; says which schema it has.
fn fetch(from: &Path, to: &Path, bad: &dyn Fn(String) -> Error) -> Result<u32> {
    if !from.is_file() {
        return Err(bad("there is no such file".into()));
    }
    let mut backup = Pool::unopened(from, Access::Read);
    let unreadable = |error: Error| match error {
        Error::Damaged { detail, .. } => {
            bad(format!("it is damaged or is not a database ({detail})"))
        }
        other => bad(other.to_string()),
    };
    let (conn, layout) = backup.look().map_err(unreadable)?;
    let schema = match layout {
        Layout::Version(version) if version > migrate::CURRENT => {
            return Err(bad(format!(
                "it has schema version {version}, and this pkb knows versions up to {}: update pkb",
                migrate::CURRENT
            )));
        }
        Layout::Version(version) => version,
        Layout::Empty => return Err(bad("it is empty".into())),
        Layout::Foreign => return Err(bad("it is a database of another program".into())),
    };
    let mut problems = Vec::new();
    check::pages(&conn, &mut problems)
        .map_err(|e| unreadable(pool::meaning(from, "be checked", e)))?;
    if let Some(problem) = problems
        .iter()
        .find(|problem| problem.remedy == Remedy::Rewrite)
    {
        return Err(bad(format!("it is damaged ({})", problem.message)));
    }
    to_file(&conn, to)?;
    Ok(schema)
}

/// Brings a copy to the present schema, and makes its generation one that none
/// who knows the database at `generation` takes for a state that it knows.
fn make_current(copy: &Path, generation: i64) -> Result<()> {
    let pool = Pool::open_copy(copy)?;
    pool.write("be put back", |tx| {
        let next = catalogue::next_epoch(generation.max(catalogue::generation(tx)?));
        tx.execute(
            "UPDATE meta SET value = ?1 WHERE key = 'generation'",
            [next],
        )
    })?;
    // The file alone is to hold everything.
    pool.with_writer("be put back", traces::empty_log)?;
    Ok(())
}

/// Moves a damaged database and its log to another name.
fn move_away(path: &Path, to: &Path) -> Result<()> {
    let failed = |cause| Error::File {
        action: "move away",
        path: path.into(),
        cause,
    };
    for suffix in ["-wal", ""] {
        let from = beside(path, suffix);
        let to = beside(to, suffix);
        if from.exists() {
            std::fs::rename(&from, &to).map_err(failed)?;
        } else {
            let _ = std::fs::remove_file(&to);
        }
    }
    let _ = std::fs::remove_file(beside(path, "-shm"));
    Ok(())
}
