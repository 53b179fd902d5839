//! Chunks that are made beside those that are searched, until they take over.

use rusqlite::{Connection, Row, params};

use super::chunk_sets::pairs;
use super::{pack_strings, read, slice, sql_int, unpack_strings, vectors, write};
use crate::{
    ChunkHash, ChunkSetId, ChunkWrite, ModelId, SourceId, StagedWrite, TakeOver, Terms, WantedSet,
};

/// Whether anything is staged.
pub(super) fn any(conn: &Connection) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM staged LIMIT 1")?
        .exists([])
}

pub(super) fn unstage(
    conn: &Connection,
    source: SourceId,
    wanted: &[WantedSet],
) -> rusqlite::Result<u64> {
    let dropped = conn
        .prepare_cached(
            "DELETE FROM staged WHERE item_id IN (
                 SELECT i.id FROM staged s CROSS JOIN items i ON i.id = s.item_id
                 JOIN (SELECT value ->> 0 AS kind, value ->> 1 AS chunk_set FROM json_each(?2)) w
                     ON w.kind = i.kind OR w.kind IS NULL
                        AND i.kind NOT IN (SELECT coalesce(value ->> 0, '') FROM json_each(?2))
                 WHERE i.source_id = ?1 AND i.chunk_set = w.chunk_set)",
        )?
        .execute(params![source.0, pairs(wanted)?])?;
    Ok(dropped as u64)
}

pub(super) fn stage(conn: &Connection, staged: &StagedWrite) -> rusqlite::Result<()> {
    let item = staged.item.0;
    let Some(text) = read::text_only(conn, item)? else {
        return Ok(());
    };
    if (staged.chunks.iter()).any(|chunk| slice(&text, &chunk.span).is_empty()) {
        return Ok(());
    }
    conn.prepare_cached("DELETE FROM staged WHERE item_id = ?1")?
        .execute([item])?;
    conn.prepare_cached("INSERT INTO staged (item_id, chunk_set) VALUES (?1, ?2)")?
        .execute([item, staged.set.0])?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO staged_chunks (item_id, ordinal, start, end, headings, context, hash,
                                    title_terms, heading_terms, body_terms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (ordinal, chunk) in staged.chunks.iter().enumerate() {
        insert.execute(params![
            item,
            ordinal as i64,
            sql_int(chunk.span.start),
            sql_int(chunk.span.end),
            pack_strings(&chunk.headings)?,
            chunk.context,
            chunk.hash.0,
            chunk.terms.title,
            chunk.terms.headings,
            chunk.terms.body,
        ])?;
    }
    Ok(())
}

/// What is staged for an item, in order.
fn chunks(conn: &Connection, item: i64) -> rusqlite::Result<Vec<ChunkWrite>> {
    let from = |row: &Row<'_>| {
        Ok(ChunkWrite {
            span: row.get::<_, i64>(0)?.unsigned_abs()..row.get::<_, i64>(1)?.unsigned_abs(),
            headings: unpack_strings(row, 2)?,
            context: row.get(3)?,
            hash: ChunkHash(row.get(4)?),
            terms: Terms {
                title: row.get(5)?,
                headings: row.get(6)?,
                body: row.get(7)?,
            },
        })
    };
    conn.prepare_cached(
        "SELECT start, end, headings, context, hash, title_terms, heading_terms, body_terms
         FROM staged_chunks WHERE item_id = ?1 ORDER BY ordinal",
    )?
    .query_map([item], from)?
    .collect()
}

pub(super) fn take_over(conn: &Connection, model: Option<ModelId>) -> rusqlite::Result<TakeOver> {
    let items: Vec<(i64, ChunkSetId)> = conn
        .prepare_cached("SELECT item_id, chunk_set FROM staged ORDER BY item_id")?
        .query_map([], |row| Ok((row.get(0)?, ChunkSetId(row.get(1)?))))?
        .collect::<rusqlite::Result<_>>()?;
    for (item, set) in &items {
        let text = read::text_only(conn, *item)?.unwrap_or_default();
        write::replace_chunks(conn, *item, &chunks(conn, *item)?, &text, None, false)?;
        conn.prepare_cached("UPDATE items SET chunk_set = ?2 WHERE id = ?1")?
            .execute([*item, set.0])?;
    }
    if !items.is_empty() {
        conn.execute("DELETE FROM staged", [])?;
        conn.execute(
            "DELETE FROM chunk_sets WHERE id NOT IN
                 (SELECT chunk_set FROM items WHERE chunk_set IS NOT NULL)",
            [],
        )?;
    }
    let mut done = TakeOver {
        items: items.len() as u64,
        model: false,
    };
    if let Some(model) = model {
        done.model = vectors::current_model(conn)? != Some(model);
        vectors::set_current_model(conn, model)?;
    }
    Ok(done)
}
