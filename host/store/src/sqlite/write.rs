//! Storing an item with all that belongs to it.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::attached::{self, Names};
use super::ledger::{self, Shared};
use super::{marks, now, read, slice, sql_int, terms};
use crate::{
    Chunk, ChunkHash, ChunkWrite, Error, Item, ItemId, ItemStatus, ItemWrite, LedgerState, Result,
};

/// Refuses an item that cannot be stored.
pub(super) fn validate(item: &ItemWrite) -> Result<()> {
    let invalid = |problem: String| {
        Err(Error::Invalid {
            name: item.external_id.clone(),
            problem,
        })
    };
    if item.external_id.is_empty() {
        return Err(Error::Invalid {
            name: item.title.clone(),
            problem: "its external id is empty".into(),
        });
    }
    for (index, chunk) in item.chunks.iter().enumerate() {
        let (start, end) = (chunk.span.start, chunk.span.end);
        let text = usize::try_from(start)
            .ok()
            .zip(usize::try_from(end).ok())
            .and_then(|(start, end)| item.text.get(start..end));
        if text.is_none_or(str::is_empty) {
            return invalid(format!(
                "the span {start}..{end} of its chunk {index} is empty, outside the text of {} bytes or inside a character",
                item.text.len()
            ));
        }
    }
    if let Some(pair) = item.marks.windows(2).find(|w| w[0].offset > w[1].offset) {
        return invalid(format!(
            "its marks are not in order: {} comes before {}",
            pair[0].offset, pair[1].offset
        ));
    }
    Ok(())
}

/// Stores one item, new or not.
pub(super) fn put(
    conn: &Connection,
    shared: &mut Shared,
    item: &ItemWrite,
) -> rusqlite::Result<ItemId> {
    let known = read::item_by_identity(conn, item.source, &item.external_id)?;
    let id = match known {
        Some(known) => {
            let id = replace(conn, &known, item)?;
            conn.prepare_cached(
                "UPDATE items SET restored = NULL WHERE id = ?1 AND restored IS NOT NULL",
            )?
            .execute([id])?;
            id
        }
        None => insert(conn, item)?,
    };
    ledger::write(
        conn,
        shared,
        &ledger::Entry {
            source: item.source,
            external_id: &item.external_id,
            state: LedgerState::Indexed,
            reason: None,
            message: None,
            provenance: &item.provenance,
        },
    )?;
    Ok(ItemId(id))
}

fn insert(conn: &Connection, item: &ItemWrite) -> rusqlite::Result<i64> {
    let id = conn
        .prepare_cached(
            "INSERT INTO items (source_id, external_id, kind, title, url, author, language, created,
                modified, published, ingested, duration, views, size, content_hash, chunk_set, status)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, 0)",
        )?
        .insert(params![
            item.source.0,
            item.external_id,
            item.kind,
            item.title,
            item.url,
            item.author,
            item.language,
            item.created,
            item.modified,
            item.published,
            now(),
            item.duration,
            item.views.map(sql_int),
            sql_int(item.size),
            item.content_hash,
            item.chunk_set.map(|set| set.0),
        ])?;
    conn.prepare_cached("INSERT INTO texts (item_id, text, marks) VALUES (?1, ?2, ?3)")?
        .execute(params![id, item.text, marks::pack(&item.marks)])?;
    attach(conn, id, item, true)?;
    for (ordinal, chunk) in item.chunks.iter().enumerate() {
        insert_chunk(conn, id, ordinal, chunk)?;
    }
    Ok(id)
}

/// Says which of the lists differed: (any of them, those that are indexed).
fn attach(
    conn: &Connection,
    id: i64,
    item: &ItemWrite,
    fresh: bool,
) -> rusqlite::Result<(bool, bool)> {
    let tags = attached::set_names(conn, Names::Tags, id, &item.tags, fresh)?;
    let aliases = attached::set_names(conn, Names::Aliases, id, &item.aliases, fresh)?;
    let categories = attached::set_names(conn, Names::Categories, id, &item.categories, fresh)?;
    let properties = attached::set_properties(conn, id, &item.properties, fresh)?;
    let links = attached::set_links(conn, id, &item.links, fresh)?;
    let indexed = tags || aliases;
    Ok((indexed || categories || properties || links, indexed))
}

fn replace(conn: &Connection, known: &Item, item: &ItemWrite) -> rusqlite::Result<i64> {
    let id = known.id.0;
    let (lists, indexed_lists) = attach(conn, id, item, false)?;
    let text = replace_text(conn, id, item)?;
    let reindex = indexed_lists || known.title != item.title;
    let chunks = replace_chunks(conn, id, &item.chunks, &item.text, text.as_deref(), reindex)?;
    // Made for what the item was.
    conn.prepare_cached("DELETE FROM staged WHERE item_id = ?1")?
        .execute([id])?;
    let chunk_set = item.chunk_set.map(|set| set.0);
    conn.prepare_cached("UPDATE items SET chunk_set = ?2 WHERE id = ?1 AND chunk_set IS NOT ?2")?
        .execute(params![id, chunk_set])?;
    let same_columns = known.kind == item.kind
        && known.title == item.title
        && known.url == item.url
        && known.author == item.author
        && known.language == item.language
        && known.created == item.created
        && known.modified == item.modified
        && known.published == item.published
        && known.duration == item.duration
        && known.views == item.views
        && known.size == item.size
        && known.content_hash == item.content_hash
        && known.status == ItemStatus::Indexed;
    if !same_columns || lists || chunks || text.is_some() {
        conn.prepare_cached(
            "UPDATE items SET kind = ?2, title = ?3, url = ?4, author = ?5, language = ?6,
                created = ?7, modified = ?8, published = ?9, ingested = ?10, duration = ?11,
                views = ?12, size = ?13, content_hash = ?14, status = 0, deleted = NULL,
                deleted_from = NULL
             WHERE id = ?1",
        )?
        .execute(params![
            id,
            item.kind,
            item.title,
            item.url,
            item.author,
            item.language,
            item.created,
            item.modified,
            item.published,
            now(),
            item.duration,
            item.views.map(sql_int),
            sql_int(item.size),
            item.content_hash,
        ])?;
    }
    Ok(id)
}

/// Writes text and marks where they differ; then gives back the text as it was.
fn replace_text(conn: &Connection, id: i64, item: &ItemWrite) -> rusqlite::Result<Option<String>> {
    let present: Option<(String, Option<Vec<u8>>)> = conn
        .prepare_cached("SELECT text, marks FROM texts WHERE item_id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let marks = marks::pack(&item.marks);
    if let Some((text, old_marks)) = &present
        && *text == item.text
        && *old_marks == marks
    {
        return Ok(None);
    }
    conn.prepare_cached(
        "INSERT INTO texts (item_id, text, marks) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET text = excluded.text, marks = excluded.marks",
    )?
    .execute(params![id, item.text, marks])?;
    Ok(Some(present.map_or_else(String::new, |(text, _)| text)))
}

/// What makes a chunk the same as one that is stored.
#[derive(PartialEq, Eq, Hash)]
struct Sameness<'a> {
    hash: ChunkHash,
    headings: &'a [String],
    context: Option<&'a str>,
    text: &'a str,
}

/// Brings the chunks of an item to what is wanted, keeping those that stay the
/// same. `before` is the item's text as it was, where that differs. Says
/// whether anything was written.
pub(super) fn replace_chunks(
    conn: &Connection,
    id: i64,
    chunks: &[ChunkWrite],
    now: &str,
    before: Option<&str>,
    reindex: bool,
) -> rusqlite::Result<bool> {
    let present = read::chunks(conn, id)?;
    let mut reusable: HashMap<Sameness<'_>, Vec<&Chunk>> = HashMap::new();
    // Last first, so that taking from the end keeps equal chunks in order.
    for chunk in present.iter().rev() {
        let key = Sameness {
            hash: chunk.hash,
            headings: &chunk.headings,
            context: chunk.context.as_deref(),
            text: slice(before.unwrap_or(now), &chunk.span),
        };
        reusable.entry(key).or_default().push(chunk);
    }
    let kept: Vec<Option<&Chunk>> = chunks
        .iter()
        .map(|chunk| {
            let key = Sameness {
                hash: chunk.hash,
                headings: &chunk.headings,
                context: chunk.context.as_deref(),
                text: slice(now, &chunk.span),
            };
            reusable.get_mut(&key).and_then(Vec::pop)
        })
        .collect();
    let mut written = false;
    for gone in reusable.values().flatten() {
        conn.prepare_cached("DELETE FROM chunks WHERE id = ?1")?
            .execute([gone.id.0])?;
        written = true;
    }
    for (ordinal, (chunk, kept)) in chunks.iter().zip(kept).enumerate() {
        let Some(kept) = kept else {
            insert_chunk(conn, id, ordinal, chunk)?;
            written = true;
            continue;
        };
        if kept.ordinal as usize != ordinal || kept.span != chunk.span {
            conn.prepare_cached(
                "UPDATE chunks SET ordinal = ?2, start = ?3, end = ?4 WHERE id = ?1",
            )?
            .execute(params![
                kept.id.0,
                ordinal as i64,
                sql_int(chunk.span.start),
                sql_int(chunk.span.end),
            ])?;
            written = true;
        }
        // What is first may be found by more than the others.
        let first_changed = (kept.ordinal == 0) != (ordinal == 0);
        if reindex || first_changed {
            terms::replace(conn, kept.id.0, &chunk.terms)?;
            written = true;
        }
    }
    Ok(written)
}

fn insert_chunk(
    conn: &Connection,
    item: i64,
    ordinal: usize,
    chunk: &ChunkWrite,
) -> rusqlite::Result<()> {
    let id = conn
        .prepare_cached(
            "INSERT INTO chunks (item_id, ordinal, start, end, headings, context, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .insert(params![
            item,
            ordinal as i64,
            sql_int(chunk.span.start),
            sql_int(chunk.span.end),
            super::pack_strings(&chunk.headings)?,
            chunk.context,
            chunk.hash.0,
        ])?;
    terms::insert(conn, id, &chunk.terms)
}
