//! Which chunks a search may find, worked out before anything is ranked.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::json_numbers;
use crate::{Filter, Test, Time};

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
        for condition in &filter.conditions {
            let test = all.test(&condition.test);
            // What is NULL of an item that lacks it must fail the test and
            // pass its contrary.
            all.also(&if condition.not {
                format!("NOT coalesce(({test}), FALSE)")
            } else {
                test
            });
        }
        all
    }

    fn test(&mut self, test: &Test) -> String {
        match test {
            Test::Source(names) => {
                let p = self.parameter(json_strings(names));
                format!(
                    "i.source_id IN (SELECT id FROM sources
                                     WHERE name IN (SELECT value FROM json_each({p})))"
                )
            }
            Test::Kind(kinds) => {
                let p = self.parameter(json_strings(kinds));
                format!("i.kind IN (SELECT value FROM json_each({p}))")
            }
            Test::Tag(tag) => {
                let p = self.parameter(tag.clone());
                // '0' is the character after '/': the range holds all tags below.
                format!(
                    "i.id IN (SELECT item_id FROM tags WHERE tag = {p}
                              UNION ALL
                              SELECT item_id FROM tags WHERE tag >= {p} || '/' AND tag < {p} || '0')"
                )
            }
            Test::Path(prefix) => {
                let from = self.parameter(prefix.clone());
                let to = self.parameter(format!("{prefix}{}", char::MAX));
                format!("i.external_id >= {from} AND i.external_id < {to}")
            }
            Test::Time { which, from, until } => {
                let column = match which {
                    Time::Any => "coalesce(i.published, i.modified, i.created, i.ingested)",
                    Time::Created => "i.created",
                    Time::Modified => "i.modified",
                    Time::Published => "i.published",
                    Time::Ingested => "i.ingested",
                };
                self.range(column, *from, *until, "<")
            }
            Test::Duration { least, most } => self.range("i.duration", *least, *most, "<="),
            Test::Terms(any) if any.is_empty() => "FALSE".into(),
            Test::Terms(any) => {
                // Each a string literal, which the tokenizer takes apart at its
                // spaces. FTS5 reads up to the first NUL.
                let literals: Vec<String> = any
                    .iter()
                    .map(|terms| format!("\"{}\"", terms.replace('\0', " ").replace('"', "\"\"")))
                    .collect();
                let p = self.parameter(literals.join(" OR "));
                format!(
                    "i.id IN (SELECT item_id FROM chunks
                              WHERE id IN (SELECT rowid FROM terms WHERE terms MATCH {p}))"
                )
            }
            Test::Status(status) => format!("i.status = {}", *status as i64),
            Test::Untagged => "NOT EXISTS (SELECT 1 FROM tags WHERE item_id = i.id)".into(),
            Test::Items(items) => {
                let ids: Vec<i64> = items.iter().map(|id| id.0).collect();
                let p = self.parameter(json_numbers(&ids));
                format!("i.id IN (SELECT value FROM json_each({p}))")
            }
            Test::Title(_) | Test::Language(_) | Test::Author(_) | Test::Property { .. } => {
                "FALSE".into()
            }
        }
    }

    fn range<T: Into<Value>>(
        &mut self,
        column: &str,
        from: Option<T>,
        to: Option<T>,
        below: &str,
    ) -> String {
        let mut test = format!("{column} IS NOT NULL");
        if let Some(from) = from {
            let p = self.parameter(from);
            test += &format!(" AND {column} >= {p}");
        }
        if let Some(to) = to {
            let p = self.parameter(to);
            test += &format!(" AND {column} {below} {p}");
        }
        test
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
