//! Writing a database anew whose pages do not fit together: what a person
//! cannot get back is copied row by row, and what follows from it is made again.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

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

const DOING: &str = "be written anew";

/// Writes the database at `path` anew, in place, and keeps it as it was beside
/// it. The word index is empty then. Nothing is changed where a table that
/// cannot be made again cannot be read.
pub(super) fn rewrite(path: &Path) -> Result<()> {
    let work = Working::beside(path);
    let fresh = Pool::open_copy(work.path())?;
    let live = Pool::unopened(path, Access::Write);
    let failed = |e| live.error(DOING, e);
    let damaged = live.connect().map_err(failed)?;
    fresh
        .with_writer(DOING, |conn| Ok(fill(conn, &damaged, path)))?
        .map_err(failed)?;
    drop(damaged);
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

fn fill(conn: &Connection, damaged: &Connection, path: &Path) -> rusqlite::Result<()> {
    conn.execute_batch("PRAGMA foreign_keys = OFF")?;
    conn.execute("ATTACH ?1 AS damaged", [path.to_string_lossy()])?;
    let tx = conn.unchecked_transaction()?;
    for table in KEPT {
        let columns = columns(&tx, table)?;
        // An index may be torn where its table is not. Each table's own order
        // begins with its first column, and keeps SQLite from reading an index
        // that holds all columns, which NOT INDEXED alone does not.
        tx.execute_batch(&format!(
            "INSERT OR REPLACE INTO main.{table} ({columns})
             SELECT {columns} FROM damaged.{table} NOT INDEXED ORDER BY 1"
        ))?;
    }
    for (table, key) in WELCOME {
        take_what_can_be_read(&tx, damaged, table, key)?;
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

/// Reads with a connection of its own: once a statement that writes comes across
/// a torn page, its connection is good for nothing more.
fn take_what_can_be_read(
    conn: &Connection,
    damaged: &Connection,
    table: &str,
    key: &str,
) -> rusqlite::Result<()> {
    let columns = columns(conn, table)?;
    let places = vec!["?"; columns.split(", ").count()].join(", ");
    let mut insert = conn.prepare(&format!(
        "INSERT OR IGNORE INTO main.{table} ({columns}) VALUES ({places})"
    ))?;
    let mut select = damaged.prepare(&format!(
        "SELECT {columns} FROM {table} NOT INDEXED WHERE {key} = ?1"
    ))?;
    let last: i64 = conn.query_row(
        "SELECT coalesce(max(seq), 0) FROM damaged.sqlite_sequence WHERE name = ?1",
        [table],
        |row| row.get(0),
    )?;
    let width = insert.parameter_count();
    let mut given_up = 0;
    for number in 1..=last {
        let row: rusqlite::Result<Option<Vec<Value>>> = select
            .query_row([number], |row| {
                (0..width).map(|column| row.get(column)).collect()
            })
            .optional();
        match row {
            Ok(Some(row)) => {
                insert.execute(params_from_iter(row))?;
            }
            Ok(None) => {}
            Err(error) if is_damage(&error) => given_up += 1,
            Err(error) => return Err(error),
        }
    }
    if given_up > 0 {
        tracing::info!("at most {given_up} rows of {table} are lost");
    }
    Ok(())
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt)
    )
}
