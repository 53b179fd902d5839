//! What links can name, and the links that name something.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::{attached, json_numbers, read};
use crate::{Item, ItemId, Link, Named, SourceId};

/// Everything a source holds: its items, and what the ledger knows beside them.
pub(super) fn files(conn: &Connection, source: SourceId) -> rusqlite::Result<Vec<Named>> {
    let mut select = conn.prepare_cached(
        "SELECT external_id, id FROM items WHERE source_id = ?1 AND deleted IS NULL
         UNION ALL
         SELECT l.external_id, NULL FROM ledger l WHERE l.source_id = ?1 AND l.state <> 0
           AND NOT EXISTS (SELECT 1 FROM items i
                           WHERE i.source_id = ?1 AND i.external_id = l.external_id)",
    )?;
    select
        .query_map([source.0], |row| {
            Ok(Named {
                external_id: row.get(0)?,
                item: row.get::<_, Option<i64>>(1)?.map(ItemId),
            })
        })?
        .collect()
}

pub(super) fn aliases(
    conn: &Connection,
    source: SourceId,
) -> rusqlite::Result<Vec<(ItemId, String)>> {
    conn.prepare_cached(
        "SELECT a.item_id, a.alias FROM aliases a CROSS JOIN items i ON i.id = a.item_id
         WHERE i.source_id = ?1 AND i.deleted IS NULL",
    )?
    .query_map([source.0], |row| Ok((ItemId(row.get(0)?), row.get(1)?)))?
    .collect()
}

/// The items whose address passes `keep`.
pub(super) fn at_addresses(
    conn: &Connection,
    keep: &mut dyn FnMut(&str) -> bool,
) -> rusqlite::Result<Vec<Item>> {
    // A note about a page is opened where it is, and says in a property which
    // page it is about.
    let mut select = conn.prepare_cached(
        "SELECT id, url FROM items WHERE url IS NOT NULL AND deleted IS NULL
         UNION ALL
         SELECT i.id, p.value FROM properties AS p JOIN items AS i ON i.id = p.item_id
         WHERE p.name = 'url' AND p.type = 0 AND i.deleted IS NULL",
    )?;
    let mut rows = select.query([])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        if row.get_ref(1)?.as_str().is_ok_and(&mut *keep) {
            ids.push(row.get(0)?);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    read::items_by_id(conn, &ids)
}

/// The links whose target passes `keep`, with the items they stand in: by
/// item, in order of appearance.
pub(super) fn links_to(
    conn: &Connection,
    keep: &mut dyn FnMut(&str) -> bool,
) -> rusqlite::Result<Vec<(Item, Link)>> {
    // Nearly all links are passed over, so only their targets are read here.
    let mut select = conn.prepare_cached("SELECT item_id, seq, target FROM links")?;
    let mut rows = select.query([])?;
    let mut places: Vec<(i64, i64)> = Vec::new();
    while let Some(row) = rows.next()? {
        if row.get_ref(2)?.as_str().is_ok_and(&mut *keep) {
            places.push((row.get(0)?, row.get(1)?));
        }
    }
    let mut ids: Vec<i64> = places.iter().map(|(item, _)| *item).collect();
    ids.dedup();
    let items: HashMap<i64, Item> = live_items(conn, &ids)?;
    let mut link = conn.prepare_cached(&format!(
        "SELECT {} FROM links WHERE item_id = ?1 AND seq = ?2",
        attached::LINK_COLUMNS
    ))?;
    let mut found = Vec::with_capacity(places.len());
    for (item, seq) in places {
        if let Some(from) = items.get(&item) {
            found.push((
                from.clone(),
                link.query_row(params![item, seq], attached::link_from)?,
            ));
        }
    }
    Ok(found)
}

fn live_items(conn: &Connection, ids: &[i64]) -> rusqlite::Result<HashMap<i64, Item>> {
    conn.prepare_cached(&format!(
        "SELECT {} FROM items i JOIN sources s ON s.id = i.source_id
         WHERE i.id IN (SELECT value FROM json_each(?1)) AND i.deleted IS NULL",
        read::ITEM_COLUMNS
    ))?
    .query_map([json_numbers(ids)], |row| {
        let item = read::item_from(row)?;
        Ok((item.id.0, item))
    })?
    .collect()
}
