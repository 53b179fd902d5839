//! Moving, deleting and restoring items.

use rusqlite::{Connection, OptionalExtension, params};

use super::{now, read};
use crate::{ItemId, Millis, Rename};

/// Moves one item; none where the caller is to put it as usual.
pub(super) fn rename(conn: &Connection, rename: &Rename) -> rusqlite::Result<Option<ItemId>> {
    let Some(item) = read::item_by_identity(conn, rename.source, &rename.from)? else {
        return Ok(None);
    };
    if rename.from != rename.to
        && read::item_by_identity(conn, rename.source, &rename.to)?.is_some()
    {
        return Ok(None);
    }
    conn.prepare_cached(
        "UPDATE items SET external_id = ?2, url = coalesce(?3, url) WHERE id = ?1",
    )?
    .execute(params![item.id.0, rename.to, rename.url])?;
    // A row of something skipped or failed, which the item takes the place of.
    if rename.from != rename.to {
        conn.prepare_cached("DELETE FROM ledger WHERE source_id = ?1 AND external_id = ?2")?
            .execute(params![rename.source.0, rename.to])?;
    }
    conn.prepare_cached(
        "UPDATE ledger SET external_id = ?3, stamp = ?4, updated = ?5
         WHERE source_id = ?1 AND external_id = ?2",
    )?
    .execute(params![
        rename.source.0,
        rename.from,
        rename.to,
        rename.stamp,
        now()
    ])?;
    Ok(Some(item.id))
}

pub(super) fn soft_delete(
    conn: &Connection,
    items: &[ItemId],
    cause: &str,
) -> rusqlite::Result<u64> {
    let mut update = conn.prepare_cached(
        "UPDATE items SET status = 2, deleted = ?2, deleted_from = ?3
         WHERE id = ?1 AND deleted IS NULL",
    )?;
    let now = now();
    let mut done = 0;
    for item in items {
        done += update.execute(params![item.0, now, cause])?;
    }
    Ok(done as u64)
}

pub(super) fn restore(conn: &Connection, items: &[ItemId]) -> rusqlite::Result<u64> {
    // Whether the content is the source's is what the ledger last said.
    let mut update = conn.prepare_cached(
        "UPDATE items SET deleted = NULL, deleted_from = NULL,
                status = coalesce((SELECT l.state <> 0 FROM ledger l
                                   WHERE l.source_id = items.source_id
                                     AND l.external_id = items.external_id), 0)
         WHERE id = ?1 AND deleted IS NOT NULL",
    )?;
    let mut done = 0;
    for item in items {
        done += update.execute([item.0])?;
    }
    Ok(done as u64)
}

pub(super) fn hard_delete(conn: &Connection, items: &[ItemId]) -> rusqlite::Result<u64> {
    let mut identity =
        conn.prepare_cached("SELECT source_id, external_id FROM items WHERE id = ?1")?;
    let mut ledger =
        conn.prepare_cached("DELETE FROM ledger WHERE source_id = ?1 AND external_id = ?2")?;
    let mut delete = conn.prepare_cached("DELETE FROM items WHERE id = ?1")?;
    let mut done = 0;
    for item in items {
        let found: Option<(i64, String)> = identity
            .query_row([item.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if let Some(found) = found {
            ledger.execute(found)?;
            done += delete.execute([item.0])?;
        }
    }
    Ok(done as u64)
}

pub(super) fn purge(conn: &Connection, deleted_before: Millis) -> rusqlite::Result<u64> {
    let items: Vec<ItemId> = conn
        .prepare_cached("SELECT id FROM items WHERE deleted < ?1 ORDER BY id")?
        .query_map([deleted_before], |row| Ok(ItemId(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?;
    hard_delete(conn, &items)
}
