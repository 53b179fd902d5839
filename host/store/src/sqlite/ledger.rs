//! The ledger: what became of everything that was ever seen.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::{bad_value, count, json_numbers, now, pack_strings, sql_int, unpack_strings};
use crate::{
    Item, ItemId, LedgerQuery, LedgerRow, LedgerState, LedgerTotals, LedgerWrite, NotIndexed, Page,
    Provenance, SourceId, Stamp,
};

/// The numbers of strings that many rows share, as found so far in a batch.
#[derive(Default)]
pub(super) struct Shared(HashMap<String, i64>);

impl Shared {
    fn id(&mut self, conn: &Connection, value: &str) -> rusqlite::Result<i64> {
        if let Some(id) = self.0.get(value) {
            return Ok(*id);
        }
        let known = conn
            .prepare_cached("SELECT id FROM shared WHERE value = ?1")?
            .query_row([value], |row| row.get(0))
            .optional()?;
        let id = match known {
            Some(id) => id,
            None => conn
                .prepare_cached("INSERT INTO shared (value) VALUES (?1)")?
                .insert([value])?,
        };
        self.0.insert(value.into(), id);
        Ok(id)
    }
}

/// A row to write.
pub(super) struct Entry<'a> {
    pub(super) source: SourceId,
    pub(super) external_id: &'a str,
    pub(super) state: LedgerState,
    pub(super) reason: Option<&'a str>,
    pub(super) message: Option<&'a str>,
    pub(super) provenance: &'a Provenance,
}

fn number_of(state: LedgerState) -> i64 {
    match state {
        LedgerState::Indexed => 0,
        LedgerState::Skipped => 1,
        LedgerState::Failed => 2,
    }
}

fn state_from(row: &Row<'_>, column: usize) -> rusqlite::Result<LedgerState> {
    match row.get::<_, i64>(column)? {
        0 => Ok(LedgerState::Indexed),
        1 => Ok(LedgerState::Skipped),
        2 => Ok(LedgerState::Failed),
        other => Err(bad_value(column, format!("unknown ledger state {other}"))),
    }
}

/// Writes a row, unless it is there just so.
pub(super) fn write(
    conn: &Connection,
    shared: &mut Shared,
    entry: &Entry<'_>,
) -> rusqlite::Result<()> {
    let provenance = entry.provenance;
    let component = match &provenance.component {
        Some(component) => Some(shared.id(conn, component)?),
        None => None,
    };
    let pipeline = shared.id(conn, &provenance.pipeline)?;
    conn.prepare_cached(
        "INSERT INTO ledger (source_id, external_id, state, reason, message, warnings, component,
                             stamp, pipeline, updated)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT DO UPDATE SET state = excluded.state, reason = excluded.reason,
             message = excluded.message, warnings = excluded.warnings,
             component = excluded.component, stamp = excluded.stamp,
             pipeline = excluded.pipeline, updated = excluded.updated
         WHERE (state, reason, message, warnings, component, stamp, pipeline) IS NOT
               (excluded.state, excluded.reason, excluded.message, excluded.warnings,
                excluded.component, excluded.stamp, excluded.pipeline)",
    )?
    .execute(params![
        entry.source.0,
        entry.external_id,
        number_of(entry.state),
        entry.reason,
        entry.message,
        pack_strings(&provenance.warnings)?,
        component,
        provenance.stamp,
        pipeline,
        now(),
    ])?;
    Ok(())
}

/// Records something that was not indexed; its item, if any, becomes stale.
pub(super) fn put(
    conn: &Connection,
    shared: &mut Shared,
    row: &LedgerWrite,
) -> rusqlite::Result<()> {
    write(
        conn,
        shared,
        &Entry {
            source: row.source,
            external_id: &row.external_id,
            state: match row.outcome {
                NotIndexed::Skipped => LedgerState::Skipped,
                NotIndexed::Failed => LedgerState::Failed,
            },
            reason: Some(&row.reason),
            message: Some(&row.message),
            provenance: &row.provenance,
        },
    )?;
    conn.prepare_cached(
        "UPDATE items SET status = 1 WHERE source_id = ?1 AND external_id = ?2 AND status = 0",
    )?
    .execute(params![row.source.0, row.external_id])?;
    Ok(())
}

pub(super) fn touch(
    conn: &Connection,
    source: SourceId,
    stamps: &[(&str, &str)],
) -> rusqlite::Result<()> {
    let mut update = conn.prepare_cached(
        "UPDATE ledger SET stamp = ?3, updated = ?4
         WHERE source_id = ?1 AND external_id = ?2 AND stamp <> ?3",
    )?;
    let mut seen = conn.prepare_cached(
        "UPDATE items SET restored = NULL
         WHERE source_id = ?1 AND external_id = ?2 AND restored IS NOT NULL",
    )?;
    let now = now();
    for (external_id, stamp) in stamps {
        update.execute(params![source.0, external_id, stamp, now])?;
        seen.execute(params![source.0, external_id])?;
    }
    Ok(())
}

/// Adds a warning to the row of an item, unless it is there.
pub(super) fn warn(conn: &Connection, item: ItemId, warning: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "UPDATE ledger SET warnings = json_insert(coalesce(warnings, '[]'), '$[#]', ?2), updated = ?3
         WHERE (source_id, external_id) = (SELECT source_id, external_id FROM items WHERE id = ?1)
           AND NOT EXISTS (SELECT 1 FROM json_each(warnings) WHERE value = ?2)",
    )?
    .execute(params![item.0, warning, now()])?;
    Ok(())
}

pub(super) fn forget(
    conn: &Connection,
    source: SourceId,
    external_ids: &[&str],
) -> rusqlite::Result<u64> {
    let mut delete = conn.prepare_cached(
        "DELETE FROM ledger WHERE source_id = ?1 AND external_id = ?2
         AND NOT EXISTS (SELECT 1 FROM items WHERE source_id = ?1 AND external_id = ?2)",
    )?;
    let mut done = 0;
    for external_id in external_ids {
        done += delete.execute(params![source.0, external_id])?;
    }
    Ok(done as u64)
}

pub(super) fn stamps(
    conn: &Connection,
    source: SourceId,
) -> rusqlite::Result<HashMap<String, Stamp>> {
    conn.prepare_cached(
        "SELECT l.external_id, l.stamp, p.value, l.state, i.id, i.content_hash, i.deleted_from, i.size,
                i.restored IS NOT NULL
         FROM ledger l
         JOIN shared p ON p.id = l.pipeline
         LEFT JOIN items i ON i.source_id = l.source_id AND i.external_id = l.external_id
         WHERE l.source_id = ?1",
    )?
    .query_map([source.0], |row| {
        Ok((
            row.get(0)?,
            Stamp {
                stamp: row.get(1)?,
                pipeline: row.get(2)?,
                state: state_from(row, 3)?,
                item: row.get::<_, Option<i64>>(4)?.map(ItemId),
                content_hash: row.get(5)?,
                deleted_from: row.get(6)?,
                size: row.get::<_, Option<i64>>(7)?.map(i64::unsigned_abs),
                restored: row.get(8)?,
            },
        ))
    })?
    .collect()
}

pub(super) fn glance(
    conn: &Connection,
    source: SourceId,
    visit: &mut dyn FnMut(&str, &str, LedgerState),
) -> rusqlite::Result<HashMap<String, String>> {
    let mut rows =
        conn.prepare_cached("SELECT external_id, stamp, state FROM ledger WHERE source_id = ?1")?;
    let mut rows = rows.query([source.0])?;
    while let Some(row) = rows.next()? {
        let text = |column| row.get_ref(column).and_then(|value| Ok(value.as_str()?));
        visit(text(0)?, text(1)?, state_from(row, 2)?);
    }
    conn.prepare_cached(
        "SELECT external_id, deleted_from FROM items
         WHERE deleted IS NOT NULL AND source_id = ?1",
    )?
    .query_map([source.0], |row| Ok((row.get(0)?, row.get(1)?)))?
    .collect()
}

pub(super) fn list(conn: &Connection, query: &LedgerQuery) -> rusqlite::Result<Page<LedgerRow>> {
    let mut conditions = String::from("TRUE");
    let mut values: Vec<Value> = Vec::new();
    if let Some(source) = &query.source {
        values.push(source.clone().into());
        conditions += &format!(" AND s.name = ?{}", values.len());
    }
    if let Some(state) = query.state {
        values.push(number_of(state).into());
        conditions += &format!(" AND l.state = ?{}", values.len());
    }
    if query.with_warnings {
        conditions += " AND l.warnings IS NOT NULL";
    }
    if !query.without.is_empty() {
        let ids: Vec<i64> = query.without.iter().map(|source| source.0).collect();
        values.push(json_numbers(&ids).into());
        conditions += &format!(
            " AND s.id NOT IN (SELECT value FROM json_each(?{}))",
            values.len()
        );
    }
    let from = format!(
        "FROM ledger l
         JOIN sources s ON s.id = l.source_id
         LEFT JOIN shared c ON c.id = l.component
         LEFT JOIN items i ON i.source_id = l.source_id AND i.external_id = l.external_id
         WHERE {conditions}"
    );
    let total: i64 = conn
        .prepare_cached(&format!("SELECT count(*) {from}"))?
        .query_row(params_from_iter(&values), |row| row.get(0))?;
    values.push(query.limit.map_or(-1, sql_int).into());
    values.push(sql_int(query.offset).into());
    let entries = conn
        .prepare_cached(&format!(
            "SELECT s.name, l.external_id, l.state, l.reason, l.message, l.warnings, c.value, i.id,
                    i.deleted IS NOT NULL, l.updated
             {from} ORDER BY s.name, l.external_id LIMIT ?{} OFFSET ?{}",
            values.len() - 1,
            values.len()
        ))?
        .query_map(params_from_iter(&values), |row| {
            Ok(LedgerRow {
                source: row.get(0)?,
                external_id: row.get(1)?,
                state: state_from(row, 2)?,
                reason: row.get(3)?,
                message: row.get(4)?,
                warnings: unpack_strings(row, 5)?,
                component: row.get(6)?,
                item: row.get::<_, Option<i64>>(7)?.map(ItemId),
                deleted: row.get(8)?,
                updated: row.get(9)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Page {
        entries,
        total: total.unsigned_abs(),
    })
}

/// The warnings of an item's row.
pub(super) fn warnings(conn: &Connection, item: &Item) -> rusqlite::Result<Vec<String>> {
    let row = conn
        .prepare_cached("SELECT warnings FROM ledger WHERE source_id = ?1 AND external_id = ?2")?
        .query_row(params![item.source_id.0, item.external_id], |row| {
            unpack_strings(row, 0)
        })
        .optional()?;
    Ok(row.unwrap_or_default())
}

pub(super) fn totals(conn: &Connection) -> rusqlite::Result<Vec<LedgerTotals>> {
    conn.prepare_cached(
        "SELECT s.name,
                count(*) FILTER (WHERE i.deleted IS NULL AND l.state = 0),
                count(*) FILTER (WHERE i.deleted IS NULL AND l.state = 1),
                count(*) FILTER (WHERE i.deleted IS NULL AND l.state = 2),
                count(*) FILTER (WHERE i.deleted IS NOT NULL),
                count(l.warnings)
         FROM sources s
         LEFT JOIN ledger l ON l.source_id = s.id
         LEFT JOIN items i ON i.source_id = l.source_id AND i.external_id = l.external_id
         GROUP BY s.id ORDER BY s.name",
    )?
    .query_map([], |row| {
        Ok(LedgerTotals {
            source: row.get(0)?,
            indexed: count(row, 1)?,
            skipped: count(row, 2)?,
            failed: count(row, 3)?,
            deleted: count(row, 4)?,
            with_warnings: count(row, 5)?,
        })
    })?
    .collect()
}
