//! What chunks are made with, and which items have others than are wanted.

use rusqlite::{Connection, OptionalExtension, params};

use super::attached::{self, Names};
use super::{filter, read, sql_limit};
use crate::{ChunkSet, ChunkSetId, ItemId, Outdated, Page, SourceId, WantedSet};

/// Texts are handed out up to about so many bytes at a time.
const TEXT_AT_ONCE: usize = 8 << 20;

pub(super) fn by_key(conn: &Connection, key: &str) -> rusqlite::Result<Option<ChunkSetId>> {
    conn.prepare_cached("SELECT id FROM chunk_sets WHERE key = ?1")?
        .query_row([key], |row| Ok(ChunkSetId(row.get(0)?)))
        .optional()
}

/// Adds the set unless another process was faster.
pub(super) fn add(conn: &Connection, set: &ChunkSet) -> rusqlite::Result<ChunkSetId> {
    if let Some(id) = by_key(conn, &set.key)? {
        return Ok(id);
    }
    conn.execute(
        "INSERT INTO chunk_sets (key, chunker, version, sha256, settings, tokenizer, budget)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            set.key,
            set.chunker,
            set.version,
            set.sha256,
            set.settings,
            set.tokenizer,
            set.budget
        ],
    )?;
    Ok(ChunkSetId(conn.last_insert_rowid()))
}

pub(super) fn in_use(
    conn: &Connection,
    without: &[SourceId],
) -> rusqlite::Result<Vec<(Option<ChunkSet>, u64)>> {
    let these = filter::without(without);
    conn.prepare_cached(&format!(
        "SELECT s.id, s.key, s.chunker, s.version, s.sha256, s.settings, s.tokenizer, s.budget, n
         FROM (SELECT i.chunk_set, count(*) n FROM items i WHERE {these} GROUP BY i.chunk_set) i
         LEFT JOIN chunk_sets s ON s.id = i.chunk_set ORDER BY n DESC, s.id"
    ))?
    .query_map([], |row| {
        let set = match row.get::<_, Option<i64>>(0)? {
            None => None,
            Some(_) => Some(ChunkSet {
                key: row.get(1)?,
                chunker: row.get(2)?,
                version: row.get(3)?,
                sha256: row.get(4)?,
                settings: row.get(5)?,
                tokenizer: row.get(6)?,
                budget: row.get(7)?,
            }),
        };
        Ok((set, super::count(row, 8)?))
    })?
    .collect()
}

/// Kinds and sets as a JSON array of pairs.
pub(super) fn pairs(wanted: &[WantedSet]) -> rusqlite::Result<String> {
    let pairs: Vec<(Option<&str>, i64)> = wanted
        .iter()
        .map(|wanted| (wanted.kind.as_deref(), wanted.set.0))
        .collect();
    serde_json::to_string(&pairs)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

pub(super) fn outdated(
    conn: &Connection,
    source: SourceId,
    wanted: &[WantedSet],
    after: Option<ItemId>,
    limit: usize,
) -> rusqlite::Result<Page<Outdated>> {
    let pairs = pairs(wanted)?;
    let from = "FROM items i
         JOIN (SELECT value ->> 0 AS kind, value ->> 1 AS chunk_set FROM json_each(?2)) w
             ON w.kind = i.kind OR w.kind IS NULL
                AND i.kind NOT IN (SELECT coalesce(value ->> 0, '') FROM json_each(?2))
         LEFT JOIN staged s ON s.item_id = i.id
         WHERE i.source_id = ?1 AND i.status = 0 AND i.id > ?3
           AND coalesce(s.chunk_set, i.chunk_set) IS NOT w.chunk_set";
    let after = after.map_or(-1, |item| item.0);
    let total: i64 = conn
        .prepare_cached(&format!("SELECT count(*) {from}"))?
        .query_row(params![source.0, pairs, after], |row| row.get(0))?;
    let mut page = Page {
        entries: Vec::new(),
        total: total.unsigned_abs(),
    };
    if total == 0 {
        return Ok(page);
    }
    let mut select = conn.prepare_cached(&format!(
        "SELECT i.id, i.external_id, i.title, w.chunk_set, i.kind {from} ORDER BY i.id LIMIT ?4"
    ))?;
    let mut rows = select.query(params![source.0, pairs, after, sql_limit(limit)])?;
    let mut bytes = 0;
    while bytes < TEXT_AT_ONCE
        && let Some(row) = rows.next()?
    {
        let id: i64 = row.get(0)?;
        let text = read::text_only(conn, id)?.unwrap_or_default();
        bytes += text.len();
        page.entries.push(Outdated {
            item: ItemId(id),
            external_id: row.get(1)?,
            kind: row.get(4)?,
            wanted: ChunkSetId(row.get(3)?),
            title: row.get(2)?,
            aliases: attached::names(conn, Names::Aliases, id)?,
            tags: attached::names(conn, Names::Tags, id)?,
            text,
        });
    }
    Ok(page)
}
