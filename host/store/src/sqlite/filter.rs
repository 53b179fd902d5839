//! Filters as conditions in SQL.

use std::borrow::Cow;

use rusqlite::types::Value;

use super::attached::TIMESTAMP;
use super::json_numbers;
use crate::{Deleted, Filter, SourceId, Test, Time};

/// SQL conditions on `items i`, joined by AND, with their parameters.
pub(super) struct Conditions {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Conditions {
    pub(super) fn of(filter: &Filter) -> Self {
        let mut all = Self {
            sql: EVERYTHING.into(),
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
        all.also(&without(&filter.without));
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
                format!("i.kind COLLATE NOCASE IN (SELECT value FROM json_each({p}))")
            }
            Test::Tag(tag) => {
                let tag = tag.trim_start_matches('#').trim_end_matches('/');
                let p = self.parameter(tag.to_owned());
                if !tag.is_ascii() {
                    return format!("i.id IN (SELECT item_id FROM tags WHERE below(tag, {p}))");
                }
                // '0' is the character after '/': the range holds all tags below.
                format!(
                    "i.id IN (SELECT item_id FROM tags WHERE tag = {p}
                              UNION ALL
                              SELECT item_id FROM tags WHERE tag >= {p} || '/' AND tag < {p} || '0')"
                )
            }
            Test::Path(wanted) => {
                let p = self.parameter(wanted.clone());
                let anywhere = format!("path_fits(i.external_id, {p})");
                // No source has a '/' in its name.
                let Some((source, rest)) = wanted.split_once('/') else {
                    return anywhere;
                };
                let source = self.parameter(source.to_owned());
                let rest = self.parameter(rest.to_owned());
                format!(
                    "({anywhere}
                      OR i.source_id = (SELECT id FROM sources WHERE name = {source})
                         AND path_fits(i.external_id, {rest}))"
                )
            }
            Test::Title(part) => {
                let p = self.parameter(part.clone());
                format!(
                    "(holds(i.title, {p})
                      OR i.id IN (SELECT item_id FROM aliases WHERE holds(alias, {p})))"
                )
            }
            Test::Author(part) => {
                let p = self.parameter(part.clone());
                format!("holds(i.author, {p})")
            }
            Test::Language(tag) => {
                let p = self.parameter(tag.to_ascii_lowercase().replace('_', "-"));
                let language = "lower(replace(i.language, '_', '-'))";
                // '.' is the character after '-': the range holds all its forms.
                format!(
                    "({language} = {p} OR {language} >= {p} || '-' AND {language} < {p} || '.')"
                )
            }
            Test::Property { name, value } => {
                let name = self.parameter(name.trim().to_owned());
                let fits = value.as_ref().map_or("TRUE".into(), |value| {
                    let p = self.parameter(value.clone());
                    format!(
                        "value_fits(type, CASE type WHEN {TIMESTAMP} THEN
                             strftime('%Y-%m-%dT%H:%M:%fZ', value / 1000.0, 'unixepoch')
                         ELSE value END, {p})"
                    )
                });
                // Steps from name to name through the index: there are few.
                format!(
                    "i.id IN (
                       WITH RECURSIVE names (name) AS (
                         SELECT min(name) FROM properties
                         UNION ALL
                         SELECT (SELECT min(name) FROM properties WHERE name > names.name)
                         FROM names WHERE names.name IS NOT NULL)
                       SELECT item_id FROM properties
                       WHERE name IN (SELECT name FROM names WHERE same(name, {name})) AND {fits})"
                )
            }
            Test::Time { which, from, until } => {
                self.range(time_column(*which), *from, *until, "<")
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
        if condition != EVERYTHING {
            self.sql += " AND ";
            self.sql += condition;
        }
    }

    fn parameter(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }
}

/// The condition that everything meets.
const EVERYTHING: &str = "TRUE";

/// The condition on `items i` that they are of none of these sources.
pub(super) fn without(sources: &[SourceId]) -> Cow<'static, str> {
    if sources.is_empty() {
        return EVERYTHING.into();
    }
    let ids: Vec<String> = sources.iter().map(|source| source.0.to_string()).collect();
    format!("i.source_id NOT IN ({})", ids.join(", ")).into()
}

/// The condition on `items i` that it shows them.
pub(super) fn deleted(deleted: Deleted) -> Cow<'static, str> {
    match deleted {
        Deleted::Exclude => "i.deleted IS NULL".into(),
        Deleted::Only => "i.deleted IS NOT NULL".into(),
        Deleted::Before(time) => format!("i.deleted < {time}").into(),
        Deleted::Include => EVERYTHING.into(),
    }
}

/// A time, of `items i`.
pub(super) fn time_column(time: Time) -> &'static str {
    match time {
        Time::Any => "coalesce(i.published, i.modified, i.created, i.ingested)",
        Time::Created => "i.created",
        Time::Modified => "i.modified",
        Time::Published => "i.published",
        Time::Ingested => "i.ingested",
    }
}

fn json_strings(strings: &[String]) -> String {
    serde_json::Value::from(strings).to_string()
}
