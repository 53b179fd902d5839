//! Writing a database anew whose pages do not fit together: what a person
//! cannot get back is copied row by row, and what follows from it is made again.

use std::path::Path;

use rusqlite::{Connection, params};

use super::backup::{self, Working};
use super::pool::{Access, Pool};
use super::{catalogue, traces};
use crate::Result;

/// What cannot be made again, in an order in which rows come before those that
/// refer to them. Each must be readable to its last row.
const KEPT: [&str; 17] = [
    "meta",
    "sources",
    "cursors",
    "chunk_sets",
    "items",
    "texts",
    "chunks",
    "staged",
    "staged_chunks",
    "models",
    "categories",
    "tags",
    "aliases",
    "properties",
    "links",
    "shared",
    "ledger",
];
/// What is worth having, as far as it can be read: table and key.
const WELCOME: [(&str, &str); 2] = [("sync_runs", "id"), ("vectors", "id")];
/// Rows that are given up together where one of them cannot be read.
const TOGETHER: i64 = 32;

const DOING: &str = "be written anew";

/// Writes the database at `path` anew, in place, and keeps it as it was beside
/// it. The word index is empty then. Nothing is changed where a table that
/// cannot be made again cannot be read.
pub(super) fn rewrite(path: &Path) -> Result<()> {
    let work = Working::beside(path);
    let fresh = Pool::open_copy(work.path())?;
    let live = Pool::unopened(path, Access::Write);
    let failed = |e| live.error(DOING, e);
    fresh
        .with_writer(DOING, |conn| Ok(fill(conn, path)))?
        .map_err(failed)?;
    fresh.with_writer(DOING, traces::empty_log)?;
    drop(fresh);
    let mut target = live.connect().map_err(failed)?;
    backup::to_file(&target, &backup::before(path))?;
    let source = Pool::unopened(work.path(), Access::Write)
        .connect()
        .map_err(failed)?;
    backup::copy(&source, &mut target)
        .and_then(|()| traces::empty_log(&target))
        .map_err(failed)?;
    Ok(())
}

fn fill(conn: &Connection, damaged: &Path) -> rusqlite::Result<()> {
    conn.execute_batch("PRAGMA foreign_keys = OFF")?;
    conn.execute("ATTACH ?1 AS damaged", [damaged.to_string_lossy()])?;
    let tx = conn.unchecked_transaction()?;
    for table in KEPT {
        let columns = columns(&tx, table)?;
        // An index may be torn where its table is not.
        tx.execute_batch(&format!(
            "INSERT OR REPLACE INTO main.{table} ({columns})
             SELECT {columns} FROM damaged.{table} NOT INDEXED"
        ))?;
    }
    for (table, key) in WELCOME {
        take_what_can_be_read(&tx, table, key)?;
    }
    // Numbers that were given out are never given out again.
    tx.execute_batch(
        "DELETE FROM main.sqlite_sequence;
         INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM damaged.sqlite_sequence;
         UPDATE meta SET value = 0 WHERE key = 'analyzer';",
    )?;
    let next = catalogue::next_epoch(catalogue::generation(&tx)?);
    tx.execute(
        "UPDATE meta SET value = ?1 WHERE key = 'generation'",
        [next],
    )?;
    tx.commit()?;
    conn.execute_batch("DETACH damaged; PRAGMA foreign_keys = ON;")
}

/// The names of a table's columns, parted by commas.
fn columns(conn: &Connection, table: &str) -> rusqlite::Result<String> {
    let names: Vec<String> = conn
        .prepare("SELECT '\"' || name || '\"' FROM pragma_table_info(?1, 'main')")?
        .query_map([table], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(names.join(", "))
}

fn take_what_can_be_read(conn: &Connection, table: &str, key: &str) -> rusqlite::Result<()> {
    let columns = columns(conn, table)?;
    let last: i64 = conn.query_row(
        "SELECT coalesce(max(seq), 0) FROM damaged.sqlite_sequence WHERE name = ?1",
        [table],
        |row| row.get(0),
    )?;
    let mut take = conn.prepare(&format!(
        "INSERT OR IGNORE INTO main.{table} ({columns})
         SELECT {columns} FROM damaged.{table} NOT INDEXED WHERE {key} >= ?1 AND {key} < ?2"
    ))?;
    let mut given_up = 0;
    for from in (0..=last).step_by(TOGETHER as usize) {
        match take.execute(params![from, from + TOGETHER]) {
            Err(error) if is_damage(&error) => given_up += TOGETHER,
            other => {
                other?;
            }
        }
    }
    if given_up > 0 {
        tracing::info!("about {given_up} rows of {table} cannot be read");
    }
    Ok(())
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt)
    )
}
