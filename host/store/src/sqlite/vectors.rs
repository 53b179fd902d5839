//! Models and their vectors: a cache that can be filled again from the texts.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Row, Statement, params};

use super::{filter, read, slice, sql_limit, staged};
use crate::{
    ChunkHash, ChunkId, ChunkVector, EmbedCursor, ItemId, ModelId, ModelStats, SourceId, Unembedded,
};

/// Bytes of the scale before the numbers of a stored vector.
const SCALE: usize = 4;
/// The largest byte of a stored vector.
const LARGEST: f64 = 127.0;

/// A vector as it is stored: a scale, then a byte a number. The scale gives it
/// the length it had, so that the dot product of unit vectors stays a cosine.
/// For those of 384 numbers it moves by about 0.0004, and takes half the space
/// of half precision. None when a number is not finite.
pub(super) fn pack(vector: &[f32]) -> Option<Vec<u8>> {
    if !vector.iter().all(|number| number.is_finite()) {
        return None;
    }
    let largest = vector.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
    let step = f64::from(largest) / LARGEST;
    let mut bytes = vec![0; SCALE];
    bytes.reserve_exact(vector.len());
    let (mut length, mut rounded_length) = (0.0, 0.0);
    for number in vector.iter().map(|number| f64::from(*number)) {
        // `as` makes 0 of the 0/0 that a vector of zeros gives.
        let rounded = (number / step).round() as i8;
        length += number * number;
        rounded_length += f64::from(rounded) * f64::from(rounded);
        bytes.extend(rounded.to_le_bytes());
    }
    let scale = if largest > 0.0 {
        (length / rounded_length).sqrt()
    } else {
        0.0
    };
    bytes[..SCALE].copy_from_slice(&(scale as f32).to_le_bytes());
    Some(bytes)
}

/// The scale and the numbers of a stored vector; none when it has not the
/// wanted number of dimensions, or is not of our making.
pub(super) fn unpack(bytes: &[u8], dimensions: usize) -> Option<(f32, &[u8])> {
    let (scale, numbers) = bytes.split_first_chunk::<SCALE>()?;
    let scale = f32::from_le_bytes(*scale);
    (numbers.len() == dimensions && scale.is_finite()).then_some((scale, numbers))
}

/// What is known of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) id: ModelId,
    pub(super) dimensions: u32,
}

fn model_from(row: &Row<'_>) -> rusqlite::Result<Model> {
    Ok(Model {
        id: ModelId(row.get(0)?),
        dimensions: row.get(1)?,
    })
}

pub(super) fn model(conn: &Connection, id: ModelId) -> rusqlite::Result<Option<Model>> {
    conn.prepare_cached("SELECT id, dimensions FROM models WHERE id = ?1")?
        .query_row([id.0], model_from)
        .optional()
}

pub(super) fn model_by_fingerprint(
    conn: &Connection,
    fingerprint: &str,
) -> rusqlite::Result<Option<Model>> {
    conn.prepare_cached("SELECT id, dimensions FROM models WHERE fingerprint = ?1")?
        .query_row([fingerprint], model_from)
        .optional()
}

/// Adds the model unless it is there.
pub(super) fn ensure_model(
    conn: &Connection,
    fingerprint: &str,
    name: &str,
    dimensions: u32,
) -> rusqlite::Result<Model> {
    if let Some(model) = model_by_fingerprint(conn, fingerprint)? {
        return Ok(model);
    }
    conn.execute(
        "INSERT INTO models (fingerprint, name, dimensions) VALUES (?1, ?2, ?3)",
        params![fingerprint, name, dimensions],
    )?;
    Ok(Model {
        id: ModelId(conn.last_insert_rowid()),
        dimensions,
    })
}

pub(super) fn current_model(conn: &Connection) -> rusqlite::Result<Option<ModelId>> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = 'current_model'")?
        .query_row([], |row| Ok(ModelId(row.get(0)?)))
        .optional()
}

pub(super) fn set_current_model(conn: &Connection, model: ModelId) -> rusqlite::Result<()> {
    if current_model(conn)? != Some(model) {
        conn.execute(
            "INSERT INTO meta (key, value) VALUES ('current_model', ?1)
             ON CONFLICT DO UPDATE SET value = excluded.value",
            [model.0],
        )?;
    }
    Ok(())
}

/// Removes a model and says how many vectors it had.
pub(super) fn remove_model(conn: &Connection, model: ModelId) -> rusqlite::Result<u64> {
    let vectors = conn.execute("DELETE FROM vectors WHERE model_id = ?1", [model.0])?;
    conn.execute("DELETE FROM models WHERE id = ?1", [model.0])?;
    conn.execute(
        "DELETE FROM meta WHERE key = 'current_model' AND value = ?1",
        [model.0],
    )?;
    Ok(vectors as u64)
}

/// All models; the chunks of those sources are left out.
pub(super) fn models(conn: &Connection, without: &[SourceId]) -> rusqlite::Result<Vec<ModelStats>> {
    let these = filter::without(without);
    let current = current_model(conn)?;
    let hashes = |chunks: &str| {
        format!(
            "SELECT count(*), count(v.id) FROM (SELECT DISTINCT hash FROM ({chunks})) live
             LEFT JOIN vectors v ON v.model_id = ?1 AND v.hash = live.hash"
        )
    };
    let mut count = conn.prepare_cached(&hashes(&format!(
        "SELECT c.hash FROM chunks c CROSS JOIN items i ON i.id = c.item_id
         WHERE i.deleted IS NULL AND {these}"
    )))?;
    // Nearly always nothing is staged, and one count is enough.
    let staging = staged::any(conn)?;
    let mut count_wanted = conn.prepare_cached(&hashes(&format!(
        "SELECT c.hash FROM chunks c CROSS JOIN items i ON i.id = c.item_id
         WHERE i.deleted IS NULL AND {these}
           AND c.item_id NOT IN (SELECT item_id FROM staged)
         UNION ALL
         SELECT c.hash FROM staged_chunks c CROSS JOIN items i ON i.id = c.item_id
         WHERE i.deleted IS NULL AND {these}"
    )))?;
    conn.prepare_cached("SELECT id, fingerprint, name, dimensions FROM models ORDER BY id")?
        .query_map([], |row| {
            let id = ModelId(row.get(0)?);
            let counts = |row: &Row<'_>| Ok((super::count(row, 0)?, super::count(row, 1)?));
            let (live, present) = count.query_row([id.0], counts)?;
            let (wanted, ready) = if staging {
                count_wanted.query_row([id.0], counts)?
            } else {
                (live, present)
            };
            Ok(ModelStats {
                id,
                fingerprint: row.get(1)?,
                name: row.get(2)?,
                dimensions: row.get(3)?,
                present,
                missing: live - present,
                wanted,
                pending: wanted - ready,
                current: current == Some(id),
            })
        })?
        .collect()
}

/// The next chunks without a vector, each hash once: those of items with nothing
/// staged, then the staged ones.
pub(super) fn unembedded(
    conn: &Connection,
    model: ModelId,
    after: Option<EmbedCursor>,
    limit: usize,
) -> rusqlite::Result<Vec<Unembedded>> {
    let mut found = Vec::new();
    let searched = match after {
        None => Some(-1),
        Some(EmbedCursor::Searched(chunk)) => Some(chunk.0),
        Some(EmbedCursor::Staged(_)) => None,
    };
    if let Some(after) = searched {
        let mut select = conn.prepare_cached(
            "SELECT c.id, c.hash, c.context, c.start, c.end, c.item_id
             FROM chunks c CROSS JOIN items i ON i.id = c.item_id
             WHERE c.id > ?2 AND i.deleted IS NULL
               AND c.item_id NOT IN (SELECT item_id FROM staged)
               AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model_id = ?1 AND v.hash = c.hash)
             ORDER BY c.id LIMIT ?3",
        )?;
        let cursor = |id| EmbedCursor::Searched(ChunkId(id));
        collect(
            conn,
            &mut select,
            (model, after, limit),
            &cursor,
            &mut found,
        )?;
    }
    if found.is_empty() {
        let mut select = conn.prepare_cached(
            "SELECT c.id, c.hash, c.context, c.start, c.end, c.item_id
             FROM staged_chunks c CROSS JOIN items i ON i.id = c.item_id
             WHERE c.id > ?2 AND i.deleted IS NULL
               AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model_id = ?1 AND v.hash = c.hash)
             ORDER BY c.id LIMIT ?3",
        )?;
        let after = match after {
            Some(EmbedCursor::Staged(id)) => id,
            _ => -1,
        };
        collect(
            conn,
            &mut select,
            (model, after, limit),
            &EmbedCursor::Staged,
            &mut found,
        )?;
    }
    Ok(found)
}

fn collect(
    conn: &Connection,
    select: &mut Statement<'_>,
    (model, after, limit): (ModelId, i64, usize),
    cursor: &dyn Fn(i64) -> EmbedCursor,
    found: &mut Vec<Unembedded>,
) -> rusqlite::Result<()> {
    let mut rows = select.query(params![model.0, after, sql_limit(limit)])?;
    let mut seen = HashSet::new();
    // Chunks of one item mostly follow each other; its text is read once.
    let mut text: (i64, String) = (-1, String::new());
    while let Some(row) = rows.next()? {
        let hash = ChunkHash(row.get(1)?);
        if !seen.insert(hash) {
            continue;
        }
        let item: i64 = row.get(5)?;
        if text.0 != item {
            text = (item, read::text_only(conn, item)?.unwrap_or_default());
        }
        let span = row.get::<_, i64>(3)?.unsigned_abs()..row.get::<_, i64>(4)?.unsigned_abs();
        found.push(Unembedded {
            hash,
            cursor: cursor(row.get(0)?),
            item: ItemId(item),
            context: row.get(2)?,
            text: slice(&text.1, &span).to_owned(),
        });
    }
    Ok(())
}

/// The vectors of an item's chunks, in their order; chunks that have none are
/// left out.
pub(super) fn of_item(
    conn: &Connection,
    model: Model,
    item: ItemId,
) -> rusqlite::Result<Vec<ChunkVector>> {
    let mut select = conn.prepare_cached(
        "SELECT c.id, v.vector FROM chunks c
         CROSS JOIN vectors v ON v.model_id = ?1 AND v.hash = c.hash
         WHERE c.item_id = ?2 ORDER BY c.ordinal",
    )?;
    let mut rows = select.query(params![model.id.0, item.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let stored = row.get_ref(1)?.as_blob()?;
        if let Some((scale, numbers)) = unpack(stored, model.dimensions as usize) {
            let number = |byte: &u8| f32::from(byte.cast_signed()) * scale;
            found.push(ChunkVector {
                chunk: ChunkId(row.get(0)?),
                vector: numbers.iter().map(number).collect(),
            });
        }
    }
    Ok(found)
}

/// Stores packed vectors that are not there yet and says how many those were.
pub(super) fn put(
    conn: &Connection,
    model: ModelId,
    vectors: &[(ChunkHash, Vec<u8>)],
) -> rusqlite::Result<u64> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO vectors (model_id, hash, vector) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
    )?;
    let mut new = 0;
    for (hash, vector) in vectors {
        new += insert.execute(params![model.0, hash.0, vector])?;
    }
    Ok(new as u64)
}

pub(super) fn remove_orphans(conn: &Connection) -> rusqlite::Result<u64> {
    let removed = conn.execute(
        "DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM chunks)
         AND hash NOT IN (SELECT hash FROM staged_chunks)",
        [],
    )?;
    Ok(removed as u64)
}

/// The condition on `vectors v` that a vector has not its model's length.
pub(super) const DAMAGED: &str =
    "length(v.vector) <> 4 + (SELECT m.dimensions FROM models m WHERE m.id = v.model_id)";

pub(super) fn remove_damaged(conn: &Connection) -> rusqlite::Result<u64> {
    let removed = conn.execute(
        &format!("DELETE FROM vectors WHERE id IN (SELECT v.id FROM vectors v WHERE {DAMAGED})"),
        [],
    )?;
    Ok(removed as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back_as_near_as_bytes_allow() {
        let vector: Vec<f32> = (0..37).map(|n| (n as f32 * 0.7).sin() / 5.0).collect();
        let packed = pack(&vector).unwrap();
        assert_eq!(packed.len(), 41);
        let (scale, numbers) = unpack(&packed, 37).unwrap();
        for (wanted, byte) in vector.iter().zip(numbers) {
            let found = f32::from(byte.cast_signed()) * scale;
            assert!(
                (wanted - found).abs() <= 0.2 / 127.0 / 1.8,
                "{wanted} {found}"
            );
        }
        let length = |numbers: &mut dyn Iterator<Item = f32>| {
            numbers.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt()
        };
        let before = length(&mut vector.iter().copied());
        let after = length(&mut numbers.iter().map(|b| f32::from(b.cast_signed()) * scale));
        assert!((before - after).abs() < 1e-6 * before, "{before} {after}");
        assert!(unpack(&packed, 36).is_none());
        assert!(unpack(&[1, 2], 0).is_none());
        assert_eq!(pack(&[0.0, -0.0]).unwrap(), [0; 6]);
        for odd in [f32::NAN, f32::INFINITY] {
            assert!(pack(&[1.0, odd]).is_none());
        }
        // The extremes do not wrap around.
        for extreme in [f32::MAX, f32::MIN_POSITIVE, 1e-45] {
            let packed = pack(&[extreme, -extreme]).unwrap();
            let bytes = packed[4..]
                .iter()
                .map(|b| b.cast_signed())
                .collect::<Vec<_>>();
            assert!(bytes[0] >= 0 && bytes[1] <= 0, "{bytes:?}");
        }
    }
}
