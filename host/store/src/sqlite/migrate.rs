//! The layout of the tables: telling its version, and bringing it up to date.

use rusqlite::{Connection, Transaction};

/// "pkbs" in ASCII; tells our databases from other programs'.
pub(super) const APPLICATION_ID: i32 = 0x706b_6273;

/// One step per version; the first makes version 1 of an empty database.
const STEPS: &[&str] = &[
    include_str!("../schema/0001.sql"),
    include_str!("../schema/0002.sql"),
    include_str!("../schema/0003.sql"),
];

/// The version this code works with.
pub(super) const CURRENT: u32 = STEPS.len() as u32;

/// What a database file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Nothing yet.
    Empty,
    /// The tables of this version, which may be older, newer or current.
    Version(u32),
    /// Something else's tables.
    Foreign,
}

/// Looks at a database without changing it; inside a transaction, so that what
/// it sees belongs together.
pub(super) fn layout(conn: &Connection) -> rusqlite::Result<Layout> {
    let application: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if application == APPLICATION_ID {
        return Ok(u32::try_from(version).map_or(Layout::Foreign, Layout::Version));
    }
    let objects: i64 =
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application == 0 && version == 0 && objects == 0 {
        Ok(Layout::Empty)
    } else {
        Ok(Layout::Foreign)
    }
}

/// Takes the steps from that version to the present one. `tx` is a transaction
/// that writes.
pub(super) fn steps(tx: &Transaction<'_>, from: u32) -> rusqlite::Result<()> {
    for step in STEPS.iter().skip(from as usize) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", CURRENT)
}
