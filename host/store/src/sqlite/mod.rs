//! A store in one SQLite file.

mod attached;
mod backup;
mod catalogue;
mod check;
mod chunk_sets;
mod eligible;
mod failpoints;
mod filter;
mod find;
mod fold;
mod functions;
mod glob;
mod index;
mod ledger;
mod lexical;
mod linked;
mod lock;
mod marks;
mod mend;
mod migrate;
mod nearest;
mod pool;
mod postings;
mod read;
mod remove;
mod salvage;
mod scored;
mod sources;
mod staged;
mod stats;
mod store;
mod terms;
#[cfg(test)]
mod tests;
mod traces;
mod upgrade;
mod vectors;
mod write;

use std::ops::Range;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Row;
use rusqlite::types::Type;

pub use lock::HeldLock;

use crate::{LockOutcome, Millis, PutBack, Result};

/// A store in one SQLite file, with FTS5 for words and vectors in memory.
#[derive(Debug)]
pub struct SqliteStore {
    pool: pool::Pool,
    catalogue: catalogue::Latest,
    eligible: eligible::Recent,
    index: index::VectorIndex,
    words: lexical::WordIndex,
}

impl SqliteStore {
    /// Opens the database at `path`; its folder must exist. Makes it when there
    /// is none, brings the tables of an older pkb up to date, and opens it for
    /// reading alone where it cannot be written. Errors: `Newer`, `NotPkb`,
    /// `Damaged`, `Older` (and cannot be written), `File`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::over(pool::Pool::open(path.as_ref())?))
    }

    /// Opens the database at `path` for reading alone and changes nothing.
    /// Errors: as for [`SqliteStore::open`], and `Missing`.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::over(pool::Pool::open_read_only(path.as_ref())?))
    }

    /// Asks for the lock of [`Store::sync_lock`](crate::Store::sync_lock) on the
    /// database at `path`, which need not be there; its folder must.
    pub fn lock(path: impl AsRef<Path>, doing: &str) -> Result<LockOutcome> {
        lock::acquire(path.as_ref(), lock::Kind::Sync, doing)
    }

    /// Puts a backup in the place of the database at `path`, which need not be
    /// there or be sound, and keeps what was there beside it. Other processes
    /// that have it open go on with what was put back. The backup itself stays
    /// as it is. Errors: `BadBackup`; `NotPkb` and `ReadOnly` for what is there
    /// now; `Full`. Nothing is replaced then.
    pub fn put_back(
        _lock: &HeldLock,
        path: impl AsRef<Path>,
        from: impl AsRef<Path>,
    ) -> Result<PutBack> {
        backup::put_back(path.as_ref(), from.as_ref())
    }

    fn over(pool: pool::Pool) -> Self {
        Self {
            pool,
            catalogue: catalogue::Latest::default(),
            eligible: eligible::Recent::default(),
            index: index::VectorIndex::default(),
            words: lexical::WordIndex::default(),
        }
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.pool.path()
    }
}

fn now() -> Millis {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|time| i64::try_from(time.as_millis()).ok())
        .unwrap_or(0)
}

/// The text of a span; nothing where a damaged database has a span that does
/// not fit, which [`check`] reports.
fn slice<'a>(text: &'a str, span: &Range<u64>) -> &'a str {
    usize::try_from(span.start)
        .ok()
        .zip(usize::try_from(span.end).ok())
        .and_then(|(start, end)| text.get(start..end))
        .unwrap_or_default()
}

/// SQLite's integers are signed; nothing we count comes near the limit.
fn sql_int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A column that holds a count, a size or an offset.
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}

/// A list of strings as JSON; NULL when it is empty.
fn pack_strings(list: &[String]) -> rusqlite::Result<Option<String>> {
    if list.is_empty() {
        return Ok(None);
    }
    serde_json::to_string(list)
        .map(Some)
        .map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
}

fn unpack_strings(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    match row.get_ref(column)?.as_str_or_null()? {
        Some(json) => serde_json::from_str(json).map_err(|e| bad_value(column, e)),
        None => Ok(Vec::new()),
    }
}

fn json_numbers(numbers: &[i64]) -> String {
    serde_json::Value::from(numbers).to_string()
}

/// A value that is not of our making.
fn bad_value(
    column: usize,
    cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Null, cause.into())
}
