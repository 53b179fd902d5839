//! What removals for good leave in the files, and how it is wiped out.
//!
//! A removed row stands in more places than its table. The word index is
//! contentless: it only notes that an entry is gone, until segments are merged.
//! `ANALYZE` keeps samples of what is indexed, paths and tags among them. Pages
//! that were freed, and the gaps that moving rows from page to page leaves in
//! others, keep what stood there; `PRAGMA secure_delete` overwrites the former
//! and not all of the latter, and would slow every write down. And the
//! write-ahead log holds pages as they were. So the index is merged, samples
//! are taken anew, the database is written anew, and the log is emptied.

use rusqlite::{Connection, OptionalExtension};

/// What is left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Traces {
    /// Nothing.
    None = 0,
    /// The log is to be emptied.
    InLog = 1,
    /// Everything is.
    Everywhere = 2,
}

/// Larger databases are written anew by way of a file, not of memory, in bytes.
const IN_MEMORY: i64 = 1 << 29;

/// What was noted last.
pub(super) fn noted(conn: &Connection) -> rusqlite::Result<Traces> {
    let noted: Option<i64> = conn
        .prepare_cached("SELECT value FROM meta WHERE key = 'traces'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(match noted {
        None | Some(0) => Traces::None,
        Some(1) => Traces::InLog,
        Some(_) => Traces::Everywhere,
    })
}

pub(super) fn note(conn: &Connection, traces: Traces) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO meta (key, value) VALUES ('traces', ?1)
         ON CONFLICT DO UPDATE SET value = excluded.value",
    )?
    .execute([traces as i64])?;
    Ok(())
}

/// Leaves traces nowhere but in the log. Outside any transaction.
pub(super) fn rewrite(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch("INSERT INTO terms (terms) VALUES ('optimize')")?;
    let samples: bool = conn.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat4'",
        [],
        |row| row.get(0),
    )?;
    if samples {
        conn.execute_batch("ANALYZE")?;
    }
    let bytes: i64 = conn.query_row(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        [],
        |row| row.get(0),
    )?;
    if bytes > IN_MEMORY {
        conn.execute_batch("PRAGMA temp_store = FILE")?;
    }
    let written = conn.execute_batch("VACUUM");
    if bytes > IN_MEMORY {
        conn.execute_batch("PRAGMA temp_store = MEMORY")?;
    }
    written
}

/// Moves the log's pages into the database and empties it. False where someone
/// still reads what it holds.
pub(super) fn empty_log(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get::<_, i64>(0).map(|busy| busy == 0)
    })
}
