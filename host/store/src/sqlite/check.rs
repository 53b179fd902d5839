//! Looking for anything that is not as it should be.

use rusqlite::Connection;

use super::{mend, read, vectors};
use crate::{Problem, Remedy};

/// Problems of one kind that are listed one by one.
const LISTED: usize = 20;

/// All problems; reads everything once.
pub(super) fn check(conn: &Connection) -> rusqlite::Result<Vec<Problem>> {
    let mut problems = Vec::new();
    pages(conn, &mut problems)?;
    if problems
        .iter()
        .any(|problem| problem.remedy == Remedy::Rewrite)
    {
        // What follows would stumble over the same damage.
        return Ok(problems);
    }
    references(conn, &mut problems)?;
    terms(conn, &mut problems)?;
    texts(conn, &mut problems)?;
    ledger(conn, &mut problems)?;
    stored_vectors(conn, &mut problems)?;
    Ok(problems)
}

/// SQLite's own check of pages, indices and constraints, and FTS5's of the word
/// index.
pub(super) fn pages(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let mut select = conn.prepare(&format!("PRAGMA integrity_check({LISTED})"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let message: String = row.get(0)?;
        if message == "ok" {
            continue;
        }
        let about = |what: &[&str]| what.iter().any(|what| message.contains(what));
        let remedy = if about(&["fts5", "FTS5"]) {
            Remedy::RebuildTerms
        } else if about(&["missing from index", "entries in index", "entry in index"]) {
            Remedy::Reindex
        } else {
            Remedy::Rewrite
        };
        problems.push(Problem { message, remedy });
    }
    Ok(())
}

fn references(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let mut select = conn.prepare(
        "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (table, parent, count): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        problems.push(Problem {
            message: format!("{count} rows of {table} refer to rows of {parent} that are gone"),
            remedy: if mend::STRAYS
                .iter()
                .any(|(known, of, _)| *known == table && *of == parent)
            {
                Remedy::RemoveStrays
            } else {
                Remedy::Restore
            },
        });
    }
    Ok(())
}

fn terms(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let remedy = Remedy::RebuildTerms;
    for (sql, what) in [
        (
            "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM terms_docsize)",
            "chunks are not in the word index",
        ),
        (
            "SELECT count(*) FROM terms_docsize WHERE id NOT IN (SELECT id FROM chunks)",
            "entries of the word index belong to no chunk",
        ),
    ] {
        let count: i64 = conn.query_row(sql, [], |row| row.get(0))?;
        if count > 0 {
            problems.push(Problem {
                message: format!("{count} {what}"),
                remedy,
            });
        }
    }
    Ok(())
}

fn texts(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let mut found = 0;
    items(conn, &mut |_, message| {
        found += 1;
        if found <= LISTED {
            problems.push(Problem {
                message,
                remedy: Remedy::Resync,
            });
        }
    })
}

/// Whether spans lie in their texts, marks can be read, chunks are numbered in
/// order: reports each item where that is not so, and how.
pub(super) fn items(
    conn: &Connection,
    report: &mut dyn FnMut(i64, String),
) -> rusqlite::Result<()> {
    let mut select = conn.prepare("SELECT id, external_id FROM items ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
        let text = match read::text(conn, id) {
            Ok(Some(text)) => text.text,
            Ok(None) => {
                report(id, format!("`{name}` (item {id}) has no text"));
                continue;
            }
            Err(rusqlite::Error::FromSqlConversionFailure(_, _, cause)) => {
                report(id, format!("`{name}` (item {id}): {cause}"));
                continue;
            }
            Err(error) => return Err(error),
        };
        for (index, chunk) in read::chunks(conn, id)?.iter().enumerate() {
            let span = usize::try_from(chunk.span.start)
                .ok()
                .zip(usize::try_from(chunk.span.end).ok());
            if span.is_none_or(|(start, end)| text.get(start..end).is_none()) {
                report(
                    id,
                    format!(
                        "`{name}` (item {id}): the span {}..{} of chunk {} is outside its text or inside a character",
                        chunk.span.start, chunk.span.end, chunk.id
                    ),
                );
            }
            if chunk.ordinal as usize != index {
                report(
                    id,
                    format!("`{name}` (item {id}): its chunks are not numbered in order"),
                );
            }
        }
    }
    Ok(())
}

fn ledger(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let mut select = conn.prepare(
        "SELECT i.external_id, l.state IS NULL
         FROM items i
         LEFT JOIN ledger l ON l.source_id = i.source_id AND l.external_id = i.external_id
         WHERE l.state IS NULL OR (i.status < 2 AND i.status <> (l.state <> 0))
         UNION ALL
         SELECT l.external_id, 2 FROM ledger l
         WHERE l.state = 0 AND NOT EXISTS (SELECT 1 FROM items i
            WHERE i.source_id = l.source_id AND i.external_id = l.external_id)",
    )?;
    let mut rows = select.query([])?;
    let mut found = 0;
    while let Some(row) = rows.next()? {
        found += 1;
        if found > LISTED {
            break;
        }
        let name: String = row.get(0)?;
        let message = match row.get::<_, i64>(1)? {
            0 => format!("the ledger and the item `{name}` do not agree on its status"),
            1 => format!("the ledger has no row for the item `{name}`"),
            _ => format!("the ledger calls `{name}` indexed, but there is no such item"),
        };
        problems.push(Problem {
            message,
            remedy: Remedy::MendLedger,
        });
    }
    Ok(())
}

fn stored_vectors(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let damaged: i64 = conn.query_row(
        &format!("SELECT count(*) FROM vectors v WHERE {}", vectors::DAMAGED),
        [],
        |row| row.get(0),
    )?;
    if damaged > 0 {
        problems.push(Problem {
            message: format!("{damaged} vectors have not the length their model asks for"),
            remedy: Remedy::RemoveDamagedVectors,
        });
    }
    // Vectors of no chunk are no damage: what was edited or replaced leaves them
    // until the next embedding pass clears them away.
    Ok(())
}
