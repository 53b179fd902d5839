//! What of a chunk goes into the word index.

use std::ops::Range;

use rusqlite::{Connection, params};

use super::attached::{self, Names};
use super::read;
use crate::{Analyzable, Chunk, MakeTerms, Terms};

pub(super) fn insert(conn: &Connection, chunk: i64, terms: &Terms) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO terms (rowid, title, headings, body) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![chunk, terms.title, terms.headings, terms.body])?;
    Ok(())
}

/// Replaces what a chunk is found by.
pub(super) fn replace(conn: &Connection, chunk: i64, terms: &Terms) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM terms WHERE rowid = ?1")?
        .execute([chunk])?;
    insert(conn, chunk, terms)
}

pub(super) fn made_by(conn: &Connection) -> rusqlite::Result<u32> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = 'analyzer'")?
        .query_row([], |row| row.get(0))
}

/// Makes the whole index anew.
pub(super) fn rebuild(
    conn: &Connection,
    made_by: u32,
    make: &mut MakeTerms<'_>,
) -> rusqlite::Result<()> {
    conn.execute("INSERT INTO terms (terms) VALUES ('delete-all')", [])?;
    // What is staged has the terms of the analyzer before; it is made again.
    conn.execute("DELETE FROM staged", [])?;
    let items: Vec<(i64, String)> = conn
        .prepare("SELECT id, title FROM items ORDER BY id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (item, title) in items {
        let chunks: Vec<Chunk> = read::chunks(conn, item)?;
        if chunks.is_empty() {
            continue;
        }
        let aliases = attached::names(conn, Names::Aliases, item)?;
        let tags = attached::names(conn, Names::Tags, item)?;
        let text = read::text_only(conn, item)?.unwrap_or_default();
        let parts: Vec<(Range<u64>, &[String])> = chunks
            .iter()
            .map(|chunk| (chunk.span.clone(), chunk.headings.as_slice()))
            .collect();
        let terms = make(
            Analyzable {
                title: &title,
                aliases: &aliases,
                tags: &tags,
                text: &text,
            },
            &parts,
        );
        for (chunk, terms) in chunks.iter().zip(&terms) {
            insert(conn, chunk.id.0, terms)?;
        }
    }
    conn.execute(
        "UPDATE meta SET value = ?1 WHERE key = 'analyzer'",
        [made_by],
    )?;
    Ok(())
}
