//! Putting right what follows from what is there.

use rusqlite::{Connection, params};

use super::{check, now};

/// Rows that refer to something that is gone: the table, what it refers to, and
/// what becomes of them.
pub(super) const STRAYS: [(&str, &str, &str); 17] = [
    (
        "cursors",
        "sources",
        "DELETE FROM cursors WHERE source_id NOT IN (SELECT id FROM sources)",
    ),
    (
        "sync_runs",
        "sources",
        "DELETE FROM sync_runs WHERE source_id NOT IN (SELECT id FROM sources)",
    ),
    (
        "ledger",
        "sources",
        "DELETE FROM ledger WHERE source_id NOT IN (SELECT id FROM sources)",
    ),
    (
        "ledger",
        "shared",
        // No pipeline is called so: what has it is read again.
        "INSERT INTO shared (value) VALUES ('') ON CONFLICT DO NOTHING;
         UPDATE ledger SET component = NULL WHERE component NOT IN (SELECT id FROM shared);
         UPDATE ledger SET pipeline = (SELECT id FROM shared WHERE value = '')
         WHERE pipeline NOT IN (SELECT id FROM shared)",
    ),
    (
        "items",
        "chunk_sets",
        "UPDATE items SET chunk_set = NULL WHERE chunk_set NOT IN (SELECT id FROM chunk_sets)",
    ),
    (
        "texts",
        "items",
        "DELETE FROM texts WHERE item_id NOT IN (SELECT id FROM items)",
    ),
    (
        "chunks",
        "items",
        "DELETE FROM chunks WHERE item_id NOT IN (SELECT id FROM items)",
    ),
    (
        "categories",
        "items",
        "DELETE FROM categories WHERE item_id NOT IN (SELECT id FROM items)",
    ),
    (
        "tags",
        "items",
        "DELETE FROM tags WHERE item_id NOT IN (SELECT id FROM items)",
    ),
    (
        "aliases",
        "items",
        "DELETE FROM aliases WHERE item_id NOT IN (SELECT id FROM items)",
    ),
    (
        "properties",
        "items",
        "DELETE FROM properties WHERE item_id NOT IN (SELECT id FROM items)",
    ),
    (
        "links",
        "items",
        "DELETE FROM links WHERE item_id NOT IN (SELECT id FROM items)",
    ),
    (
        "staged",
        "items",
        "DELETE FROM staged WHERE item_id NOT IN (SELECT id FROM items)",
    ),
    (
        "staged",
        "chunk_sets",
        "DELETE FROM staged WHERE chunk_set NOT IN (SELECT id FROM chunk_sets)",
    ),
    (
        "staged_chunks",
        "staged",
        "DELETE FROM staged_chunks WHERE item_id NOT IN (SELECT item_id FROM staged)",
    ),
    (
        "vectors",
        "models",
        "DELETE FROM vectors WHERE model_id NOT IN (SELECT id FROM models)",
    ),
    (
        "ledger",
        "items",
        // Not a reference of the tables' own: an indexed row without an item.
        "DELETE FROM ledger WHERE state = 0 AND NOT EXISTS (SELECT 1 FROM items i
            WHERE i.source_id = ledger.source_id AND i.external_id = ledger.external_id)",
    ),
];

/// Removes or unties them all; says how many rows that were.
pub(super) fn remove_strays(conn: &Connection) -> rusqlite::Result<u64> {
    let before = conn.total_changes();
    for (_, _, remedy) in STRAYS {
        conn.execute_batch(remedy)?;
    }
    Ok(conn.total_changes() - before)
}

/// See [`Store::mend_ledger`](crate::Store::mend_ledger).
pub(super) fn ledger(conn: &Connection) -> rusqlite::Result<u64> {
    let before = conn.total_changes();
    let mut damaged = Vec::new();
    check::items(conn, &mut |item, _| damaged.push(item))?;
    damaged.dedup();
    remove_strays(conn)?;
    // No file has this stamp and no pipeline this name, so that the next sync
    // reads the item again.
    conn.execute_batch("INSERT INTO shared (value) VALUES ('') ON CONFLICT DO NOTHING")?;
    conn.execute(
        "INSERT INTO ledger (source_id, external_id, state, stamp, pipeline, updated)
         SELECT i.source_id, i.external_id, 0, '', (SELECT id FROM shared WHERE value = ''), ?1
         FROM items i JOIN sources s ON s.id = i.source_id
         WHERE NOT EXISTS (SELECT 1 FROM ledger l
                           WHERE l.source_id = i.source_id AND l.external_id = i.external_id)",
        [now()],
    )?;
    // What is deleted would come back if it was read again.
    let mut read_again = conn.prepare(
        "UPDATE ledger SET stamp = '', pipeline = (SELECT id FROM shared WHERE value = ''),
                updated = ?2
         WHERE (source_id, external_id) IN (SELECT source_id, external_id FROM items
                                            WHERE id = ?1 AND deleted IS NULL)",
    )?;
    for item in damaged {
        read_again.execute(params![item, now()])?;
    }
    conn.execute_batch(
        "UPDATE items SET status = (SELECT l.state <> 0 FROM ledger l
                                    WHERE l.source_id = items.source_id
                                      AND l.external_id = items.external_id)
         WHERE status < 2
           AND status <> (SELECT l.state <> 0 FROM ledger l
                          WHERE l.source_id = items.source_id
                            AND l.external_id = items.external_id)",
    )?;
    Ok(conn.total_changes() - before)
}
