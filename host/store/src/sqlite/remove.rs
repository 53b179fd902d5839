//! Moving, deleting and restoring items.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::traces::{self, Traces};
use super::{count, now, read, sources, vectors};
use crate::{Erased, ItemId, Millis, Rename, SourceId};

/// Stands before the number of an item that is on its way: no source gives out
/// such an id.
const ON_ITS_WAY: char = '\0';

/// Moves items, all at the same time; none where the caller is to put one as
/// usual.
pub(super) fn rename(conn: &Connection, batch: &[Rename]) -> rusqlite::Result<Vec<Option<ItemId>>> {
    let moving = movable(conn, batch)?;
    // What stands where another is to go steps aside first.
    let aside = |id: ItemId| format!("{ON_ITS_WAY}{id}");
    let wanted: HashSet<(SourceId, &str)> = batch
        .iter()
        .map(|rename| (rename.source, rename.to.as_str()))
        .collect();
    let steps_aside = |rename: &Rename| {
        rename.from != rename.to && wanted.contains(&(rename.source, rename.from.as_str()))
    };
    for (rename, id) in batch.iter().zip(&moving) {
        if let Some(id) = id
            && steps_aside(rename)
        {
            re_identify(conn, rename.source, &rename.from, &aside(*id))?;
        }
    }
    for (rename, id) in batch.iter().zip(&moving) {
        let Some(id) = id else { continue };
        let from = match steps_aside(rename) {
            true => aside(*id),
            false => rename.from.clone(),
        };
        if from != rename.to {
            // A row of something skipped or failed, which the item takes the
            // place of.
            conn.prepare_cached("DELETE FROM ledger WHERE source_id = ?1 AND external_id = ?2")?
                .execute(params![rename.source.0, rename.to])?;
            re_identify(conn, rename.source, &from, &rename.to)?;
        }
        conn.prepare_cached("UPDATE items SET url = coalesce(?2, url) WHERE id = ?1")?
            .execute(params![id.0, rename.url])?;
        conn.prepare_cached(
            "UPDATE ledger SET stamp = ?3, updated = ?4 WHERE source_id = ?1 AND external_id = ?2",
        )?
        .execute(params![rename.source.0, rename.to, rename.stamp, now()])?;
    }
    Ok(moving)
}

/// The items that can move: that there are, to where nothing is or what is
/// there moves too.
fn movable(conn: &Connection, batch: &[Rename]) -> rusqlite::Result<Vec<Option<ItemId>>> {
    let item = |source, external_id: &str| {
        let item = read::item_by_identity(conn, source, external_id)?;
        Ok::<_, rusqlite::Error>(item.map(|item| item.id))
    };
    let mut moving = Vec::with_capacity(batch.len());
    let mut occupied = Vec::with_capacity(batch.len());
    for rename in batch {
        moving.push(item(rename.source, &rename.from)?);
        occupied.push(item(rename.source, &rename.to)?);
    }
    // One that cannot go may be in the way of another.
    loop {
        let mut leaving = HashSet::new();
        let mut taken = HashSet::new();
        let mut fits = Vec::with_capacity(batch.len());
        let away: HashSet<ItemId> = batch
            .iter()
            .zip(&moving)
            .filter(|(rename, _)| rename.from != rename.to)
            .filter_map(|(_, id)| *id)
            .collect();
        for ((rename, id), there) in batch.iter().zip(&moving).zip(&occupied) {
            fits.push(id.is_some_and(|id| {
                there.is_none_or(|there| there == id || away.contains(&there))
                    && !leaving.contains(&id)
                    && taken.insert((rename.source, rename.to.as_str()))
                    && leaving.insert(id)
            }));
        }
        let mut changed = false;
        for (id, fits) in moving.iter_mut().zip(fits) {
            changed |= id.is_some() && !fits;
            *id = id.filter(|_| fits);
        }
        if !changed {
            return Ok(moving);
        }
    }
}

/// Gives an item and its ledger row another identity, which is free.
fn re_identify(conn: &Connection, source: SourceId, from: &str, to: &str) -> rusqlite::Result<()> {
    for table in ["items", "ledger"] {
        conn.prepare_cached(&format!(
            "UPDATE {table} SET external_id = ?3 WHERE source_id = ?1 AND external_id = ?2"
        ))?
        .execute(params![source.0, from, to])?;
    }
    Ok(())
}

pub(super) fn soft_delete(
    conn: &Connection,
    items: &[ItemId],
    cause: &str,
) -> rusqlite::Result<u64> {
    let mut update = conn.prepare_cached(
        "UPDATE items SET status = 2, deleted = ?2, deleted_from = ?3, restored = NULL
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
        "UPDATE items SET deleted = NULL, deleted_from = NULL, restored = ?2,
                status = coalesce((SELECT l.state <> 0 FROM ledger l
                                   WHERE l.source_id = items.source_id
                                     AND l.external_id = items.external_id), 0)
         WHERE id = ?1 AND deleted IS NOT NULL",
    )?;
    let now = now();
    let mut done = 0;
    for item in items {
        done += update.execute(params![item.0, now])?;
    }
    Ok(done as u64)
}

pub(super) fn hard_delete(conn: &Connection, items: &[ItemId]) -> rusqlite::Result<Erased> {
    let mut identity = conn.prepare_cached(
        "SELECT source_id, external_id,
                (SELECT count(*) FROM chunks WHERE item_id = items.id),
                (SELECT octet_length(text) FROM texts WHERE item_id = items.id)
         FROM items WHERE id = ?1",
    )?;
    let mut ledger =
        conn.prepare_cached("DELETE FROM ledger WHERE source_id = ?1 AND external_id = ?2")?;
    let mut delete = conn.prepare_cached("DELETE FROM items WHERE id = ?1")?;
    let mut erased = Erased::default();
    for item in items {
        let mut rows = identity.query([item.0])?;
        let Some(row) = rows.next()? else {
            continue;
        };
        let found: (i64, String) = (row.get(0)?, row.get(1)?);
        erased.chunks += count(row, 2)?;
        erased.text_bytes += row.get::<_, Option<i64>>(3)?.unwrap_or(0).unsigned_abs();
        erased.items += 1;
        drop(rows);
        ledger.execute(found)?;
        delete.execute([item.0])?;
    }
    if erased.items > 0 {
        erased.vectors = leave_no_rest(conn)?;
    }
    Ok(erased)
}

pub(super) fn purge(conn: &Connection, deleted_before: Millis) -> rusqlite::Result<Erased> {
    let items: Vec<ItemId> = conn
        .prepare_cached("SELECT id FROM items WHERE deleted < ?1 ORDER BY id")?
        .query_map([deleted_before], |row| Ok(ItemId(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?;
    hard_delete(conn, &items)
}

/// Removes a source with all that hangs on it; none when there is no such
/// source.
pub(super) fn source(conn: &Connection, name: &str) -> rusqlite::Result<Option<Erased>> {
    let Some(source) = sources::by_name(conn, name)? else {
        return Ok(None);
    };
    let mut erased = conn.query_row(
        "SELECT count(*),
                coalesce(sum((SELECT count(*) FROM chunks WHERE item_id = items.id)), 0),
                coalesce(sum((SELECT octet_length(text) FROM texts WHERE item_id = items.id)), 0)
         FROM items WHERE source_id = ?1",
        [source.id.0],
        |row| {
            Ok(Erased {
                items: count(row, 0)?,
                chunks: count(row, 1)?,
                vectors: 0,
                text_bytes: count(row, 2)?,
            })
        },
    )?;
    conn.execute("DELETE FROM sources WHERE id = ?1", [source.id.0])?;
    erased.vectors = leave_no_rest(conn)?;
    Ok(Some(erased))
}

/// Removes what only belonged to rows that are gone, notes that traces of all
/// this are to be wiped out, and says how many vectors went.
fn leave_no_rest(conn: &Connection) -> rusqlite::Result<u64> {
    let vectors = vectors::remove_orphans(conn)?;
    conn.execute(
        "DELETE FROM shared WHERE id NOT IN (SELECT pipeline FROM ledger)
           AND id NOT IN (SELECT component FROM ledger WHERE component IS NOT NULL)",
        [],
    )?;
    traces::note(conn, Traces::Everywhere)?;
    Ok(vectors)
}
