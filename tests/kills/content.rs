//! What a database holds, put so that two can be compared: without numbers that
//! depend on the order of work, and without times.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// Rows of a database, each as one line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content(BTreeSet<String>);

const ROWS: &[(&str, &str)] = &[
    (
        "item",
        "SELECT s.name, i.external_id, i.kind, i.title, i.url, i.author, i.language, i.created,
                i.modified, i.published, i.size, hex(i.content_hash), i.status, i.deleted_from,
                (SELECT key FROM chunk_sets WHERE id = i.chunk_set)
         FROM items i JOIN sources s ON s.id = i.source_id",
    ),
    (
        "text",
        "SELECT i.external_id, t.text, hex(t.marks) FROM texts t JOIN items i ON i.id = t.item_id",
    ),
    (
        "chunk",
        "SELECT i.external_id, c.ordinal, c.start, c.end, c.headings, c.context, hex(c.hash)
         FROM chunks c JOIN items i ON i.id = c.item_id",
    ),
    (
        "term",
        "SELECT i.external_id, c.ordinal, o.col, o.offset, o.term FROM occurrences o
         JOIN chunks c ON c.id = o.doc JOIN items i ON i.id = c.item_id",
    ),
    (
        "vector",
        "SELECT m.fingerprint, hex(v.hash), hex(v.vector) FROM vectors v
         JOIN models m ON m.id = v.model_id",
    ),
    (
        "model",
        "SELECT m.fingerprint FROM models m JOIN meta ON value = m.id AND key = 'current_model'",
    ),
    ("staged", "SELECT item_id FROM staged"),
    (
        "ledger",
        "SELECT s.name, l.external_id, l.state, l.reason, l.message, l.warnings, l.stamp, p.value
         FROM ledger l JOIN sources s ON s.id = l.source_id JOIN shared p ON p.id = l.pipeline",
    ),
    (
        "tag",
        "SELECT i.external_id, t.seq, t.tag FROM tags t JOIN items i ON i.id = t.item_id",
    ),
    (
        "link",
        "SELECT i.external_id, l.seq, l.kind, l.target, l.start, l.end
         FROM links l JOIN items i ON i.id = l.item_id",
    ),
    (
        "property",
        "SELECT i.external_id, p.name, p.seq, p.type, p.value
         FROM properties p JOIN items i ON i.id = p.item_id",
    ),
];

impl Content {
    pub(crate) fn of(database: &Path) -> Content {
        let conn = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let mut lines = BTreeSet::new();
        for (what, sql) in ROWS {
            let mut select = conn.prepare(sql).unwrap();
            let columns = select.column_count();
            let mut rows = select.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let mut line = (*what).to_owned();
                for column in 0..columns {
                    let value: rusqlite::types::Value = row.get(column).unwrap();
                    line += &format!(" | {value:?}");
                }
                lines.insert(line);
            }
        }
        Content(lines)
    }

    /// Lines that only one of the two has, for a message.
    pub(crate) fn differences(&self, other: &Content) -> Vec<String> {
        let cut = |line: &String| line.chars().take(300).collect::<String>();
        let missing = self
            .0
            .difference(&other.0)
            .map(|line| format!("- {}", cut(line)));
        let extra = other
            .0
            .difference(&self.0)
            .map(|line| format!("+ {}", cut(line)));
        missing.take(5).chain(extra.take(5)).collect()
    }
}
