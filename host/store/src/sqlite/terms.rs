//! What of a chunk goes into the word index.

use rusqlite::{Connection, params};

use super::attached::{self, Names};
use super::{read, slice};
use crate::Chunk;

/// The title column of the item's chunk at `ordinal`. Aliases go with the first
/// chunk alone: an item with many of both must not take the one times the
/// other.
pub(super) fn title_column<'a>(ordinal: usize, title: &'a str, aliases: &[&'a str]) -> String {
    let mut column = String::from(title);
    for alias in aliases.iter().filter(|_| ordinal == 0) {
        column.push('\n');
        column.push_str(alias);
    }
    column
}

/// The headings column of the item's chunk at `ordinal`. Tags go with the first
/// chunk alone, as aliases do.
pub(super) fn headings_column(ordinal: usize, headings: &[String], tags: &[&str]) -> String {
    let mut column = headings.join("\n");
    for tag in tags.iter().filter(|_| ordinal == 0) {
        column.push('\n');
        column.push_str(tag);
    }
    column
}

pub(super) fn insert(
    conn: &Connection,
    chunk: i64,
    title: &str,
    headings: &str,
    body: &str,
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO terms (rowid, title, headings, body) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![chunk, title, headings, body])?;
    Ok(())
}

/// Indexes the chunks of one item from what is stored of it. `present` says
/// that they are in the index already.
pub(super) fn index_item(conn: &Connection, item: i64, present: bool) -> rusqlite::Result<()> {
    let chunks: Vec<Chunk> = read::chunks(conn, item)?;
    if chunks.is_empty() {
        return Ok(());
    }
    let title: String = conn
        .prepare_cached("SELECT title FROM items WHERE id = ?1")?
        .query_row([item], |row| row.get(0))?;
    let aliases = attached::names(conn, Names::Aliases, item)?;
    let tags = attached::names(conn, Names::Tags, item)?;
    let aliases: Vec<&str> = aliases.iter().map(String::as_str).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let text = read::text_only(conn, item)?.unwrap_or_default();
    for (ordinal, chunk) in chunks.iter().enumerate() {
        if present {
            conn.prepare_cached("DELETE FROM terms WHERE rowid = ?1")?
                .execute([chunk.id.0])?;
        }
        insert(
            conn,
            chunk.id.0,
            &title_column(ordinal, &title, &aliases),
            &headings_column(ordinal, &chunk.headings, &tags),
            slice(&text, &chunk.span),
        )?;
    }
    Ok(())
}

/// Makes the whole index anew.
pub(super) fn rebuild(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("INSERT INTO terms (terms) VALUES ('delete-all')", [])?;
    let items: Vec<i64> = conn
        .prepare("SELECT DISTINCT item_id FROM chunks ORDER BY item_id")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for item in items {
        index_item(conn, item, false)?;
    }
    Ok(())
}
