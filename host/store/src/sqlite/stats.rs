//! The store in numbers.

use std::path::Path;

use rusqlite::Connection;

use super::pool::beside;
use super::{filter, ledger, migrate, sources, vectors};
use crate::{Holding, SourceId, SourceStats, Stats};

pub(super) fn stats(
    conn: &Connection,
    path: &Path,
    without: &[SourceId],
) -> rusqlite::Result<Stats> {
    let mut totals = ledger::totals(conn)?.into_iter();
    let mut count = conn.prepare_cached(
        "SELECT count(*) FILTER (WHERE deleted IS NULL), count(deleted),
                (SELECT count(*) FROM items i CROSS JOIN chunks c ON c.item_id = i.id
                 WHERE i.source_id = ?1 AND i.deleted IS NULL)
         FROM items WHERE source_id = ?1",
    )?;
    let mut all = Vec::new();
    for source in sources::all(conn)? {
        // Both lists are by name.
        let ledger = totals.next().unwrap_or_default();
        if without.contains(&source.id) {
            continue;
        }
        let (items, deleted, chunks): (i64, i64, i64) = count.query_row([source.id.0], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        all.push(SourceStats {
            last_sync: sources::last_sync(conn, source.id)?,
            ledger,
            items: items.unsigned_abs(),
            deleted: deleted.unsigned_abs(),
            chunks: chunks.unsigned_abs(),
            source,
        });
    }
    let text_bytes: i64 = conn
        .prepare_cached(&match without {
            [] => "SELECT coalesce(sum(octet_length(text)), 0) FROM texts".to_owned(),
            _ => format!(
                "SELECT coalesce(sum(octet_length(t.text)), 0) FROM texts t
                 CROSS JOIN items i ON i.id = t.item_id WHERE {}",
                filter::without(without)
            ),
        })?
        .query_row([], |row| row.get(0))?;
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    Ok(Stats {
        schema: migrate::CURRENT,
        bytes: size(path) + size(&beside(path, "-wal")),
        text_bytes: text_bytes.unsigned_abs(),
        items: all.iter().map(|source| source.items).sum(),
        deleted: all.iter().map(|source| source.deleted).sum(),
        chunks: all.iter().map(|source| source.chunks).sum(),
        sources: all,
        models: vectors::models(conn, without)?,
    })
}

/// What there is, by source, kind and language.
pub(super) fn holdings(conn: &Connection) -> rusqlite::Result<Vec<Holding>> {
    conn.prepare_cached(
        "SELECT s.name, i.kind, i.language, count(*),
                min(coalesce(i.published, i.modified, i.created)),
                max(coalesce(i.published, i.modified, i.created))
         FROM items i JOIN sources s ON s.id = i.source_id
         WHERE i.deleted IS NULL
         GROUP BY s.name, i.kind, i.language ORDER BY s.name, i.kind, i.language",
    )?
    .query_map([], |row| {
        let (first, last): (Option<i64>, Option<i64>) = (row.get(4)?, row.get(5)?);
        Ok(Holding {
            source: row.get(0)?,
            kind: row.get(1)?,
            language: row.get(2)?,
            items: row.get::<_, i64>(3)?.unsigned_abs(),
            dates: first.zip(last),
        })
    })?
    .collect()
}
