//! Which chunks a search may find, worked out before anything is ranked.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::json_numbers;
use crate::Filter;

/// SQL conditions on `items i`, joined by AND, with their parameters.
pub(super) struct Conditions {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Conditions {
    pub(super) fn of(filter: &Filter) -> Self {
        let mut all = Self {
            sql: "TRUE".into(),
            values: Vec::new(),
        };
        if !filter.sources.is_empty() {
            let p = all.parameter(json_strings(&filter.sources));
            all.also(&format!(
                "i.source_id IN (SELECT id FROM sources
                                 WHERE name IN (SELECT value FROM json_each({p})))"
            ));
        }
        if !filter.kinds.is_empty() {
            let p = all.parameter(json_strings(&filter.kinds));
            all.also(&format!("i.kind IN (SELECT value FROM json_each({p}))"));
        }
        for tag in &filter.tags {
            let p = all.parameter(tag.clone());
            // '0' is the character after '/': the range holds all tags below.
            all.also(&format!(
                "i.id IN (SELECT item_id FROM tags WHERE tag = {p}
                          UNION ALL
                          SELECT item_id FROM tags WHERE tag >= {p} || '/' AND tag < {p} || '0')"
            ));
        }
        if let Some(prefix) = &filter.path_prefix {
            let from = all.parameter(prefix.clone());
            let to = all.parameter(format!("{prefix}{}", char::MAX));
            all.also(&format!("i.external_id >= {from} AND i.external_id < {to}"));
        }
        if let Some(items) = &filter.items {
            let ids: Vec<i64> = items.iter().map(|id| id.0).collect();
            let p = all.parameter(json_numbers(&ids));
            all.also(&format!("i.id IN (SELECT value FROM json_each({p}))"));
        }
        all
    }

    pub(super) fn also(&mut self, condition: &str) {
        self.sql += " AND ";
        self.sql += condition;
    }

    fn parameter(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }
}

fn json_strings(strings: &[String]) -> String {
    serde_json::Value::from(strings).to_string()
}

/// The chunks that a search may find.
#[derive(Debug)]
pub(super) enum Eligible {
    /// All but these, ascending: those of soft-deleted items.
    AllBut(Vec<i64>),
    /// These, ascending.
    Only(Vec<i64>),
}

impl Eligible {
    pub(super) fn of(conn: &Connection, filter: &Filter) -> rusqlite::Result<Self> {
        let select = |conditions: &str, values: &[Value]| -> rusqlite::Result<_> {
            // CROSS JOIN: start from the items, which the conditions are about.
            let mut ids = conn
                .prepare_cached(&format!(
                    "SELECT c.id FROM items i CROSS JOIN chunks c ON c.item_id = i.id
                     WHERE {conditions}"
                ))?
                .query_map(params_from_iter(values), |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<i64>>>()?;
            ids.sort_unstable();
            Ok(ids)
        };
        if filter.is_empty() {
            return Ok(Self::AllBut(select("i.deleted IS NOT NULL", &[])?));
        }
        let mut conditions = Conditions::of(filter);
        conditions.also("i.deleted IS NULL");
        Ok(Self::Only(select(&conditions.sql, &conditions.values)?))
    }

    /// Whether no chunk at all may be found.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Only(ids) if ids.is_empty())
    }

    pub(super) fn contains(&self, chunk: i64) -> bool {
        match self {
            Self::AllBut(ids) => ids.is_empty() || ids.binary_search(&chunk).is_err(),
            Self::Only(ids) => ids.binary_search(&chunk).is_ok(),
        }
    }
}
