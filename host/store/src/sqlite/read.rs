//! Reading items, texts and chunks.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::attached::{self, Names};
use super::filter::{self, Conditions};
use super::{bad_value, json_numbers, ledger, marks, slice, unpack_strings};
use crate::{
    Chunk, ChunkHash, ChunkHit, ChunkId, Deleted, Filter, Item, ItemDetails, ItemId, ItemQuery,
    ItemStatus, ItemText, Order, Page, SourceId,
};

/// The columns [`item_from`] reads, of `items i JOIN sources s`.
pub(super) const ITEM_COLUMNS: &str =
    "i.id, i.source_id, s.name, i.external_id, i.kind, i.title, i.url, i.author, i.language,
     i.created, i.modified, i.published, i.ingested, i.duration, i.views, i.size, i.content_hash,
     i.status, i.deleted, i.deleted_from";

const ITEM_TABLES: &str = "items i JOIN sources s ON s.id = i.source_id";

pub(super) fn item_from(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        id: ItemId(row.get(0)?),
        source_id: SourceId(row.get(1)?),
        source: row.get(2)?,
        external_id: row.get(3)?,
        kind: row.get(4)?,
        title: row.get(5)?,
        url: row.get(6)?,
        author: row.get(7)?,
        language: row.get(8)?,
        created: row.get(9)?,
        modified: row.get(10)?,
        published: row.get(11)?,
        ingested: row.get(12)?,
        duration: row.get(13)?,
        views: row.get::<_, Option<i64>>(14)?.map(i64::unsigned_abs),
        size: row.get::<_, i64>(15)?.unsigned_abs(),
        content_hash: row.get(16)?,
        status: match row.get::<_, i64>(17)? {
            0 => ItemStatus::Indexed,
            1 => ItemStatus::Stale,
            2 => ItemStatus::Deleted,
            other => return Err(bad_value(17, format!("unknown item status {other}"))),
        },
        deleted: row.get(18)?,
        deleted_from: row.get(19)?,
    })
}

pub(super) fn item(conn: &Connection, id: ItemId) -> rusqlite::Result<Option<Item>> {
    conn.prepare_cached(&format!(
        "SELECT {ITEM_COLUMNS} FROM {ITEM_TABLES} WHERE i.id = ?1"
    ))?
    .query_row([id.0], item_from)
    .optional()
}

pub(super) fn item_by_identity(
    conn: &Connection,
    source: SourceId,
    external_id: &str,
) -> rusqlite::Result<Option<Item>> {
    conn.prepare_cached(&format!(
        "SELECT {ITEM_COLUMNS} FROM {ITEM_TABLES} WHERE i.source_id = ?1 AND i.external_id = ?2"
    ))?
    .query_row(params![source.0, external_id], item_from)
    .optional()
}

/// The items inside another, by external id: theirs goes on after its with
/// `//`.
pub(super) fn inside(
    conn: &Connection,
    source: SourceId,
    external_id: &str,
    deleted: Deleted,
) -> rusqlite::Result<Vec<Item>> {
    // The character after the slash ends the range.
    let (from, until) = (format!("{external_id}//"), format!("{external_id}/0"));
    let deleted = filter::deleted(deleted);
    let Conditions { sql, mut values } = {
        let mut conditions = Conditions::of(&Filter::default());
        conditions.also(&deleted);
        conditions
    };
    let first = values.len();
    values.extend([source.0.into(), from.into(), until.into()]);
    conn.prepare_cached(&format!(
        "SELECT {ITEM_COLUMNS} FROM {ITEM_TABLES}
         WHERE {sql} AND i.source_id = ?{} AND i.external_id >= ?{} AND i.external_id < ?{}
         ORDER BY i.external_id",
        first + 1,
        first + 2,
        first + 3
    ))?
    .query_map(params_from_iter(&values), item_from)?
    .collect()
}

pub(super) fn details(conn: &Connection, id: ItemId) -> rusqlite::Result<Option<ItemDetails>> {
    let Some(item) = item(conn, id)? else {
        return Ok(None);
    };
    Ok(Some(ItemDetails {
        item,
        categories: attached::names(conn, Names::Categories, id.0)?,
        tags: attached::names(conn, Names::Tags, id.0)?,
        aliases: attached::names(conn, Names::Aliases, id.0)?,
        properties: attached::properties(conn, id.0)?,
        links: attached::links(conn, id.0)?,
    }))
}

pub(super) fn items(conn: &Connection, query: &ItemQuery) -> rusqlite::Result<Page<Item>> {
    let mut conditions = Conditions::of(&query.filter);
    conditions.also(&filter::deleted(query.deleted));
    let Conditions { sql, mut values } = conditions;
    let total: i64 = conn
        .prepare_cached(&format!("SELECT count(*) FROM items i WHERE {sql}"))?
        .query_row(params_from_iter(&values), |row| row.get(0))?;
    if query.limit == 0 {
        return Ok(Page {
            entries: Vec::new(),
            total: total.unsigned_abs(),
        });
    }
    let order = order(query.order, query.reverse);
    values.push(super::sql_int(query.limit).into());
    values.push(super::sql_int(query.offset).into());
    let entries = conn
        .prepare_cached(&format!(
            "SELECT {ITEM_COLUMNS} FROM {ITEM_TABLES} WHERE {sql} ORDER BY {order}
             LIMIT ?{} OFFSET ?{}",
            values.len() - 1,
            values.len()
        ))?
        .query_map(params_from_iter(&values), item_from)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Page {
        entries,
        total: total.unsigned_abs(),
    })
}

/// An order as the terms of ORDER BY.
fn order(order: Order, reverse: bool) -> String {
    let (up, down) = if reverse {
        ("DESC", "ASC")
    } else {
        ("ASC", "DESC")
    };
    let by = |value: &str| format!("({value}) IS NULL, {value} {up}, i.id");
    match order {
        Order::Path => format!("s.name {up}, i.external_id {up}"),
        Order::Title => by("sort_key(i.title)"),
        Order::Time(time) => by(filter::time_column(time)),
        Order::Duration => by("i.duration"),
        Order::Views => by("i.views"),
        Order::Deleted => format!("i.deleted {down}, i.id {down}"),
        Order::Recent => format!("coalesce(i.modified, i.ingested) {down}, i.id {down}"),
    }
}

/// The items of these ids, in that order; those that are gone are left out.
pub(super) fn items_by_id(conn: &Connection, ids: &[i64]) -> rusqlite::Result<Vec<Item>> {
    let mut found: HashMap<i64, Item> = conn
        .prepare_cached(&format!(
            "SELECT {ITEM_COLUMNS} FROM {ITEM_TABLES}
             WHERE i.id IN (SELECT value FROM json_each(?1))"
        ))?
        .query_map([json_numbers(ids)], |row| {
            let item = item_from(row)?;
            Ok((item.id.0, item))
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

pub(super) fn text(conn: &Connection, id: i64) -> rusqlite::Result<Option<ItemText>> {
    conn.prepare_cached("SELECT text, marks FROM texts WHERE item_id = ?1")?
        .query_row([id], |row| {
            let packed: Option<Vec<u8>> = row.get(1)?;
            let marks = marks::unpack(&packed.unwrap_or_default())
                .ok_or_else(|| bad_value(1, format!("the marks of item {id} cannot be read")))?;
            Ok(ItemText {
                text: row.get(0)?,
                marks,
            })
        })
        .optional()
}

pub(super) fn text_only(conn: &Connection, id: i64) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT text FROM texts WHERE item_id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()
}

/// The columns [`chunk_from`] reads, of `chunks c`.
const CHUNK_COLUMNS: &str = "c.id, c.ordinal, c.start, c.end, c.headings, c.context, c.hash";

fn chunk_from(row: &Row<'_>) -> rusqlite::Result<Chunk> {
    Ok(Chunk {
        id: ChunkId(row.get(0)?),
        ordinal: row.get(1)?,
        span: row.get::<_, i64>(2)?.unsigned_abs()..row.get::<_, i64>(3)?.unsigned_abs(),
        headings: unpack_strings(row, 4)?,
        context: row.get(5)?,
        hash: ChunkHash(row.get(6)?),
    })
}

pub(super) fn chunks(conn: &Connection, item: i64) -> rusqlite::Result<Vec<Chunk>> {
    conn.prepare_cached(&format!(
        "SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.item_id = ?1 ORDER BY c.ordinal"
    ))?
    .query_map([item], chunk_from)?
    .collect()
}

/// Chunks with all that is needed to show them, in the order asked for.
pub(super) fn hits(conn: &Connection, ids: &[ChunkId]) -> rusqlite::Result<Vec<ChunkHit>> {
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let mut found: HashMap<ChunkId, (Chunk, i64)> = conn
        .prepare_cached(&format!(
            "SELECT {CHUNK_COLUMNS}, c.item_id FROM chunks c JOIN items i ON i.id = c.item_id
             WHERE c.id IN (SELECT value FROM json_each(?1)) AND i.deleted IS NULL"
        ))?
        .query_map([json_numbers(&numbers)], |row| {
            let chunk = chunk_from(row)?;
            Ok((chunk.id, (chunk, row.get(7)?)))
        })?
        .collect::<rusqlite::Result<_>>()?;
    // An item's text is read once, however many of its chunks are asked for.
    let mut items: HashMap<i64, (Item, ItemText, Vec<String>)> = HashMap::new();
    let mut hits = Vec::with_capacity(found.len());
    for id in ids {
        let Some((chunk, item_id)) = found.remove(id) else {
            continue;
        };
        let (item, text, warnings) = match items.entry(item_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => match item(conn, ItemId(item_id))?.zip(text(conn, item_id)?) {
                Some((item, text)) => {
                    let warnings = ledger::warnings(conn, &item)?;
                    new.insert((item, text, warnings))
                }
                None => continue,
            },
        };
        let before = slice(&text.text, &(0..chunk.span.start));
        let line_breaks = before.bytes().filter(|&byte| byte == b'\n').count();
        hits.push(ChunkHit {
            text: slice(&text.text, &chunk.span).to_owned(),
            text_line: u32::try_from(line_breaks).map_or(u32::MAX, |n| n.saturating_add(1)),
            marks: marks::covering(&text.marks, chunk.span.start, chunk.span.end),
            item: item.clone(),
            warnings: warnings.clone(),
            chunk,
        });
    }
    Ok(hits)
}
