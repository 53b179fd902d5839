//! Sources, their cursors, and the runs of their syncs.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::now;
use crate::{Millis, Source, SourceId, SourceSpec, SyncCounts, SyncRun, SyncRunId};

const COLUMNS: &str =
    "id, name, kind, location, settings, chunker, chunker_settings, created, looked";
/// Runs kept of each source.
const RUNS: i64 = 200;

/// What is wrong with a specification, if anything.
pub(super) fn problem(spec: &SourceSpec) -> Option<String> {
    if spec.name.trim().is_empty() {
        return Some("a source needs a name".into());
    }
    for (what, json) in [
        ("settings", Some(&spec.settings)),
        ("chunker settings", spec.chunker_settings.as_ref()),
    ] {
        if let Some(json) = json
            && serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json).is_err()
        {
            return Some(format!("its {what} are not a JSON object: {json}"));
        }
    }
    None
}

fn source_from(row: &Row<'_>) -> rusqlite::Result<Source> {
    Ok(Source {
        id: SourceId(row.get(0)?),
        spec: SourceSpec {
            name: row.get(1)?,
            kind: row.get(2)?,
            location: row.get(3)?,
            settings: row.get(4)?,
            chunker: row.get(5)?,
            chunker_settings: row.get(6)?,
        },
        created: row.get(7)?,
        looked: row.get(8)?,
    })
}

pub(super) fn by_name(conn: &Connection, name: &str) -> rusqlite::Result<Option<Source>> {
    conn.prepare_cached(&format!("SELECT {COLUMNS} FROM sources WHERE name = ?1"))?
        .query_row([name], source_from)
        .optional()
}

pub(super) fn all(conn: &Connection) -> rusqlite::Result<Vec<Source>> {
    conn.prepare_cached(&format!("SELECT {COLUMNS} FROM sources ORDER BY name"))?
        .query_map([], source_from)?
        .collect()
}

/// Adds a source; none when the name is taken.
pub(super) fn add(conn: &Connection, spec: &SourceSpec) -> rusqlite::Result<Option<Source>> {
    let added = conn
        .prepare_cached(
            "INSERT INTO sources (name, kind, location, settings, chunker, chunker_settings, created)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            spec.name,
            spec.kind,
            spec.location,
            spec.settings,
            spec.chunker,
            spec.chunker_settings,
            now(),
        ])?;
    if added == 0 {
        return Ok(None);
    }
    by_name(conn, &spec.name)
}

/// What came of an update.
pub(super) enum Updated {
    Done(Source),
    NotFound,
    NameTaken,
}

pub(super) fn update(
    conn: &Connection,
    name: &str,
    spec: &SourceSpec,
) -> rusqlite::Result<Updated> {
    let Some(source) = by_name(conn, name)? else {
        return Ok(Updated::NotFound);
    };
    let changed = conn
        .prepare_cached(
            "UPDATE OR IGNORE sources SET name = ?2, kind = ?3, location = ?4, settings = ?5,
                    chunker = ?6, chunker_settings = ?7 WHERE id = ?1",
        )?
        .execute(params![
            source.id.0,
            spec.name,
            spec.kind,
            spec.location,
            spec.settings,
            spec.chunker,
            spec.chunker_settings,
        ])?;
    if changed == 0 {
        return Ok(Updated::NameTaken);
    }
    Ok(by_name(conn, &spec.name)?.map_or(Updated::NotFound, Updated::Done))
}

pub(super) fn cursor(conn: &Connection, source: SourceId) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT cursor FROM cursors WHERE source_id = ?1")?
        .query_row([source.0], |row| row.get(0))
        .optional()
}

pub(super) fn set_cursor(
    conn: &Connection,
    source: SourceId,
    cursor: Option<&str>,
) -> rusqlite::Result<()> {
    match cursor {
        Some(cursor) => conn
            .prepare_cached(
                "INSERT INTO cursors (source_id, cursor, updated) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET cursor = excluded.cursor, updated = excluded.updated",
            )?
            .execute(params![source.0, cursor, now()])?,
        None => conn
            .prepare_cached("DELETE FROM cursors WHERE source_id = ?1")?
            .execute([source.0])?,
    };
    Ok(())
}

pub(super) fn start_sync(conn: &Connection, source: SourceId) -> rusqlite::Result<SyncRunId> {
    conn.execute(
        "INSERT INTO sync_runs (source_id, started, counts) VALUES (?1, ?2, '{}')",
        params![source.0, now()],
    )?;
    Ok(SyncRunId(conn.last_insert_rowid()))
}

pub(super) fn finish_sync(
    conn: &Connection,
    run: SyncRunId,
    outcome: &str,
    counts: &SyncCounts,
) -> rusqlite::Result<usize> {
    let counts = serde_json::to_string(counts)
        .map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))?;
    conn.execute(
        "UPDATE sync_runs SET finished = ?2, outcome = ?3, counts = ?4 WHERE id = ?1",
        params![run.0, now(), outcome, counts],
    )?;
    conn.execute(
        "DELETE FROM sync_runs
         WHERE source_id = (SELECT source_id FROM sync_runs WHERE id = ?1)
           AND id <= (SELECT o.id FROM sync_runs r JOIN sync_runs o ON o.source_id = r.source_id
                      WHERE r.id = ?1 ORDER BY o.id DESC LIMIT 1 OFFSET ?2)",
        params![run.0, RUNS],
    )
}

pub(super) fn looked(
    conn: &Connection,
    source: SourceId,
    began: Millis,
) -> rusqlite::Result<usize> {
    conn.prepare_cached(
        "UPDATE sources SET looked = ?2 WHERE id = ?1 AND coalesce(looked, 0) < ?2",
    )?
    .execute(params![source.0, began])
}

const RUN_COLUMNS: &str = "r.id, s.name, r.started, r.finished, r.outcome, r.counts
                           FROM sync_runs r JOIN sources s ON s.id = r.source_id";

fn run_from(row: &Row<'_>) -> rusqlite::Result<SyncRun> {
    let counts: String = row.get(5)?;
    Ok(SyncRun {
        id: SyncRunId(row.get(0)?),
        source: row.get(1)?,
        started: row.get(2)?,
        finished: row.get(3)?,
        outcome: row.get(4)?,
        counts: serde_json::from_str(&counts).map_err(|e| super::bad_value(5, e))?,
    })
}

pub(super) fn sync_runs(conn: &Connection, limit: usize) -> rusqlite::Result<Vec<SyncRun>> {
    conn.prepare_cached(&format!("SELECT {RUN_COLUMNS} ORDER BY r.id DESC LIMIT ?1"))?
        .query_map([super::sql_limit(limit)], run_from)?
        .collect()
}

pub(super) fn last_sync(conn: &Connection, source: SourceId) -> rusqlite::Result<Option<SyncRun>> {
    conn.prepare_cached(&format!(
        "SELECT {RUN_COLUMNS} WHERE r.source_id = ?1 ORDER BY r.id DESC LIMIT 1"
    ))?
    .query_row([source.0], run_from)
    .optional()
}
