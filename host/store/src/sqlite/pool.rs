//! Opening a database file, and the connections to it: one that writes, guarded
//! by a lock, and as many that read as are needed at once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, ffi};

use super::migrate::{self, Layout};
use super::{failpoints, functions};
use crate::{Error, Result};

/// How long one attempt waits for another process's write to end.
const ATTEMPT: Duration = Duration::from_secs(5);
/// How long all attempts together wait.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Readers kept open for the next search.
const IDLE_READERS: usize = 8;
/// Different SQL statements kept prepared on each connection: about all.
const STATEMENTS: usize = 128;

/// How the file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// For reading and writing.
    Write,
    /// For reading; others may write.
    Read,
    /// For reading; nobody writes. What a read-only disk needs, as SQLite
    /// cannot make its shared-memory file there.
    Frozen,
}

/// The connections to one database file.
#[derive(Debug)]
pub(super) struct Pool {
    path: PathBuf,
    access: Access,
    writer: Mutex<Option<Connection>>,
    readers: Mutex<Vec<Connection>>,
}

impl Pool {
    /// Opens the file, makes it when there is none, and brings its tables up to
    /// date. Where it cannot be written it is opened for reading.
    pub(super) fn open(path: &Path) -> Result<Self> {
        create_private(path)?;
        Self::open_as(path, Access::Write, true)
    }

    /// The same for a file that is a copy already, if it is there: no other is
    /// kept before its tables are brought up to date.
    pub(super) fn open_copy(path: &Path) -> Result<Self> {
        create_private(path)?;
        Self::open_as(path, Access::Write, false)
    }

    /// Opens an existing file for reading.
    pub(super) fn open_read_only(path: &Path) -> Result<Self> {
        let there = path.try_exists().map_err(|cause| Error::File {
            action: "look for",
            path: path.into(),
            cause,
        })?;
        if !there {
            return Err(Error::Missing { path: path.into() });
        }
        Self::open_as(path, Access::Read, false)
    }

    /// No connection yet. `path` is absolute: SQLite would take a relative one
    /// like `file:x` for a URI.
    pub(super) fn unopened(path: &Path, access: Access) -> Self {
        Self {
            path: path.into(),
            access,
            writer: Mutex::new(None),
            readers: Mutex::new(Vec::new()),
        }
    }

    /// Looks at what the file holds, changes nothing, and finds out how it can
    /// be opened.
    pub(super) fn look(&mut self) -> Result<(Connection, Layout)> {
        let look = |pool: &Self| {
            let conn = pool.connect()?;
            // In a transaction, as another process may be making the tables.
            let tx = conn.unchecked_transaction()?;
            let layout = migrate::layout(&tx)?;
            tx.finish()?;
            Ok((conn, layout))
        };
        let mut found = look(self);
        if let Err(error) = &found
            && cannot_make_files(error)
            && log_is_empty(&self.path)
        {
            self.access = Access::Frozen;
            found = look(self);
        }
        let (conn, layout) = found.map_err(|e| self.error("be opened", e))?;
        if self.access == Access::Write && conn.is_readonly("main").unwrap_or(false) {
            self.access = Access::Read;
        }
        Ok((conn, layout))
    }

    fn open_as(path: &Path, wanted: Access, keep_copy: bool) -> Result<Self> {
        failpoints::set_up();
        let mut pool = Self::unopened(&absolute(path)?, wanted);
        let (conn, mut layout) = pool.look()?;
        let outdated = match layout {
            Layout::Empty => true,
            Layout::Version(version) => version < migrate::CURRENT,
            Layout::Foreign => false,
        };
        if pool.access == Access::Write && layout != Layout::Foreign {
            if layout == Layout::Empty {
                // Both count only before anything is written, the page size only
                // when it comes first. Larger pages waste less on texts and
                // vectors that do not quite fit (3% of a vault of small notes);
                // space that deletions and the merging of the word index leave
                // can be given back.
                conn.execute_batch("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;")
                    .map_err(|e| pool.error("be made", e))?;
            }
            pool.ensure_wal(&conn)?;
            if outdated {
                let _span = tracing::info_span!("store.migrate").entered();
                layout = pool.upgrade(&conn, keep_copy)?;
            }
        }
        match layout {
            Layout::Version(version) if version == migrate::CURRENT => {}
            Layout::Version(version) if version > migrate::CURRENT => {
                return Err(Error::Newer {
                    path: pool.path,
                    found: version,
                    known: migrate::CURRENT,
                });
            }
            Layout::Version(version) => {
                return Err(Error::Older {
                    path: pool.path,
                    found: version,
                    known: migrate::CURRENT,
                });
            }
            Layout::Empty => return Err(Error::Missing { path: pool.path }),
            Layout::Foreign => return Err(Error::NotPkb { path: pool.path }),
        }
        conn.pragma_update(None, "query_only", true)
            .map_err(|e| pool.error("be opened", e))?;
        lock(&pool.readers).push(conn);
        Ok(pool)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.access != Access::Write
    }

    /// Reads in one transaction, so that everything read belongs together. No
    /// write anywhere makes it wait.
    pub(super) fn read<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.with_reader(action, |conn| {
            let tx = conn.transaction()?;
            let answer = work(&tx)?;
            tx.finish()?;
            Ok(answer)
        })
    }

    /// Runs `work` on a connection that only reads, outside any transaction.
    pub(super) fn with_reader<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let idle = lock(&self.readers).pop();
        let outcome = (|| {
            let mut conn = match idle {
                Some(conn) => conn,
                None => self.connect_reader()?,
            };
            let answer = work(&mut conn)?;
            let mut readers = lock(&self.readers);
            if readers.len() < IDLE_READERS {
                readers.push(conn);
            }
            Ok(answer)
        })();
        outcome.map_err(|e| self.error(action, e))
    }

    /// Runs `work` on a connection of its own, which remembers nothing and is
    /// closed afterwards.
    pub(super) fn with_fresh_reader<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let outcome = self.connect_reader().and_then(|mut conn| work(&mut conn));
        outcome.map_err(|e| self.error(action, e))
    }

    /// Writes in one transaction, which is undone when `work` fails.
    pub(super) fn write<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.write_as(action, true, work)
    }

    /// Writes what no search depends on: what processes remember of the
    /// database stays good.
    pub(super) fn write_aside<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.write_as(action, false, work)
    }

    fn write_as<T>(
        &self,
        action: &'static str,
        counts: bool,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let _span = tracing::debug_span!("store.commit", action).entered();
        self.with_writer(action, |conn| {
            let tx = self
                .patiently(|| Transaction::new_unchecked(conn, TransactionBehavior::Immediate))?;
            let before = tx.total_changes();
            let answer = work(&tx)?;
            if counts && tx.total_changes() != before {
                tx.prepare_cached("UPDATE meta SET value = value + 1 WHERE key = 'generation'")?
                    .execute([])?;
            }
            failpoints::pass("before-commit", action)?;
            tx.commit()?;
            failpoints::pass("after-commit", action)?;
            Ok(answer)
        })
    }

    /// Runs `work` on the connection that writes, outside any transaction.
    pub(super) fn with_writer<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        if self.is_read_only() {
            return Err(Error::ReadOnly {
                path: self.path.clone(),
            });
        }
        let mut writer = lock(&self.writer);
        if writer.is_none() {
            *writer = Some(self.connect().map_err(|e| self.error(action, e))?);
        }
        let Some(conn) = writer.as_ref() else {
            return Err(self.error(action, rusqlite::Error::InvalidQuery));
        };
        work(conn).map_err(|e| self.error(action, e))
    }

    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        let shared = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
        let conn = match self.access {
            Access::Write => {
                Connection::open_with_flags(&self.path, shared | OpenFlags::SQLITE_OPEN_READ_WRITE)
            }
            Access::Read => {
                Connection::open_with_flags(&self.path, shared | OpenFlags::SQLITE_OPEN_READ_ONLY)
            }
            Access::Frozen => Connection::open_with_flags(
                format!("{}?immutable=1", file_uri(&self.path)),
                shared | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
            ),
        }?;
        conn.busy_timeout(ATTEMPT)?;
        conn.set_prepared_statement_cache_capacity(STATEMENTS);
        // Plans that do not depend on the values asked for; without this a
        // statement may be compiled anew each time that one changes.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // synchronous = NORMAL: with a write-ahead log a loss of power can cost
        // the last transactions but never damages the file, and a sync redoes
        // what is lost. FULL would wait for the disk at every commit.
        conn.execute_batch(
            "PRAGMA foreign_keys = ON;
             PRAGMA synchronous = NORMAL;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -16384;
             PRAGMA journal_size_limit = 67108864;",
        )?;
        functions::register(&conn)?;
        Ok(conn)
    }

    fn connect_reader(&self) -> rusqlite::Result<Connection> {
        let conn = self.connect()?;
        conn.pragma_update(None, "query_only", true)?;
        Ok(conn)
    }

    /// Turns the write-ahead log on. Its mode is kept in the file, so that this
    /// writes once in the life of a database.
    fn ensure_wal(&self, conn: &Connection) -> Result<()> {
        let mode = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0));
        self.patiently(|| {
            if mode("PRAGMA journal_mode")? != "wal" {
                mode("PRAGMA journal_mode = WAL")?;
            }
            Ok(())
        })
        .map_err(|e| self.error("switch its write-ahead log on", e))
    }

    /// Tries again while another process keeps the file busy. SQLite's own
    /// waiting does not cover every case: switching the log on, for one.
    pub(super) fn patiently<T>(
        &self,
        mut work: impl FnMut() -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let started = Instant::now();
        loop {
            match work() {
                Err(error) if is_busy(&error) && started.elapsed() < PATIENCE => wait_a_little(),
                outcome => return outcome,
            }
        }
    }

    /// What an SQLite error means to a person.
    pub(super) fn error(&self, action: &'static str, cause: rusqlite::Error) -> Error {
        meaning(&self.path, action, cause)
    }
}

/// What an SQLite error about that file means to a person.
pub(super) fn meaning(path: &Path, action: &'static str, cause: rusqlite::Error) -> Error {
    let path = path.to_owned();
    match &cause {
        _ if is_busy(&cause) => {
            return Error::Busy { path };
        }
        rusqlite::Error::SqliteFailure(code, _) => match code.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                return Error::Damaged {
                    path,
                    detail: cause.to_string(),
                };
            }
            ErrorCode::DiskFull => return Error::Full { path },
            ErrorCode::ReadOnly => return Error::ReadOnly { path },
            _ if code.extended_code == ffi::SQLITE_IOERR_SHMSIZE => {
                return Error::Full { path };
            }
            _ => {}
        },
        // A value of a type that the tables do not allow.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => {
            return Error::Damaged {
                path,
                detail: cause.to_string(),
            };
        }
        _ => {}
    }
    Error::Sqlite {
        action,
        path,
        cause,
    }
}

/// Until another process may be through.
pub(super) fn wait_a_little() {
    std::thread::sleep(Duration::from_millis(10));
}

/// A path as SQLite takes it for one; see [`Pool::unopened`].
pub(super) fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|cause| Error::File {
        action: "find",
        path: path.into(),
        cause,
    })
}

/// A panic in another thread undid its transaction; what it guarded is sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether SQLite failed because it may not make files beside the database.
fn cannot_make_files(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}

/// Whether the database file alone holds everything.
fn log_is_empty(path: &Path) -> bool {
    std::fs::metadata(beside(path, "-wal")).map_or(true, |wal| wal.len() == 0)
}

/// The file of that name beside the database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Makes the file when there is none, for its owner only: it holds everything a
/// person saved. SQLite gives the files beside it the same permissions.
pub(super) fn create_private(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(_) if path.is_file() => Ok(()),
        Err(cause) => Err(Error::File {
            action: "create",
            path: path.into(),
            cause,
        }),
    }
}

/// An absolute path as SQLite reads it in a `file:` URI.
fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.first() != Some(&b'/') {
        // Windows: `C:\x` is written `/C:/x`.
        uri.push('/');
    }
    for &byte in bytes {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b':' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_errors_become_what_they_mean() {
        let folder = tempfile::TempDir::new().unwrap();
        let pool = Pool::open(&folder.path().join("pkb.db")).unwrap();
        let error = |code| {
            let cause = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            pool.error("work", cause)
        };
        let busy = error(ffi::SQLITE_BUSY_SNAPSHOT);
        assert!(matches!(busy, Error::Busy { .. }), "{busy}");
        assert!(matches!(error(ffi::SQLITE_LOCKED), Error::Busy { .. }));
        for code in [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_SHMSIZE] {
            assert!(matches!(error(code), Error::Full { .. }));
        }
        for code in [ffi::SQLITE_CORRUPT_VTAB, ffi::SQLITE_NOTADB] {
            assert!(matches!(error(code), Error::Damaged { .. }));
        }
        assert!(matches!(
            error(ffi::SQLITE_READONLY),
            Error::ReadOnly { .. }
        ));
        assert!(matches!(error(ffi::SQLITE_IOERR), Error::Sqlite { .. }));
        let text = error(ffi::SQLITE_IOERR).to_string();
        assert!(
            text.contains("could not work") && text.contains("pkb.db"),
            "{text}"
        );
    }

    #[test]
    fn odd_paths_become_uris() {
        assert_eq!(
            file_uri(Path::new("/a b/?#%é")),
            "file:///a%20b/%3F%23%25%C3%A9"
        );
    }
}
