//! The lists that hang on an item: categories, tags, aliases, properties, links.
//! Each is written only when it differs from what is there.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, ToSql, params};

use super::bad_value;
use crate::{Link, LinkKind, Property, Scalar, Value};

/// A list of strings, one table each.
#[derive(Clone, Copy)]
pub(super) enum Names {
    Categories,
    Tags,
    Aliases,
}

impl Names {
    fn select(self) -> &'static str {
        match self {
            Self::Categories => "SELECT category FROM categories WHERE item_id = ?1 ORDER BY seq",
            Self::Tags => "SELECT tag FROM tags WHERE item_id = ?1 ORDER BY seq",
            Self::Aliases => "SELECT alias FROM aliases WHERE item_id = ?1 ORDER BY seq",
        }
    }

    fn insert(self) -> &'static str {
        match self {
            Self::Categories => {
                "INSERT INTO categories (item_id, seq, category) VALUES (?1, ?2, ?3)"
            }
            Self::Tags => "INSERT INTO tags (item_id, seq, tag) VALUES (?1, ?2, ?3)",
            Self::Aliases => "INSERT INTO aliases (item_id, seq, alias) VALUES (?1, ?2, ?3)",
        }
    }

    fn delete(self) -> &'static str {
        match self {
            Self::Categories => "DELETE FROM categories WHERE item_id = ?1",
            Self::Tags => "DELETE FROM tags WHERE item_id = ?1",
            Self::Aliases => "DELETE FROM aliases WHERE item_id = ?1",
        }
    }
}

pub(super) fn names(conn: &Connection, list: Names, item: i64) -> rusqlite::Result<Vec<String>> {
    conn.prepare_cached(list.select())?
        .query_map([item], |row| row.get(0))?
        .collect()
}

/// The strings in their order, each once.
pub(super) fn each_once(list: &[String]) -> Vec<&str> {
    let mut seen = std::collections::HashSet::new();
    list.iter()
        .map(String::as_str)
        .filter(|name| seen.insert(*name))
        .collect()
}

/// Says whether anything was written. `fresh` says that nothing is there yet.
pub(super) fn set_names(
    conn: &Connection,
    list: Names,
    item: i64,
    wanted: &[String],
    fresh: bool,
) -> rusqlite::Result<bool> {
    let wanted = each_once(wanted);
    if !fresh {
        let present = names(conn, list, item)?;
        if present == wanted {
            return Ok(false);
        }
        conn.prepare_cached(list.delete())?.execute([item])?;
    }
    if wanted.is_empty() {
        return Ok(!fresh);
    }
    let mut insert = conn.prepare_cached(list.insert())?;
    for (seq, name) in wanted.iter().enumerate() {
        insert.execute(params![item, seq as i64, name])?;
    }
    Ok(true)
}

pub(super) const TEXT: i64 = 0;
pub(super) const NUMBER: i64 = 1;
pub(super) const BOOLEAN: i64 = 2;
pub(super) const TIMESTAMP: i64 = 3;
const EMPTY_LIST: i64 = 4;

pub(super) fn properties(conn: &Connection, item: i64) -> rusqlite::Result<Vec<Property>> {
    let mut select = conn.prepare_cached(
        "SELECT name, seq, type, value FROM properties WHERE item_id = ?1 ORDER BY name, seq",
    )?;
    let mut rows = select.query([item])?;
    let mut found: Vec<Property> = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let scalar = scalar_from(row)?;
        if row.get::<_, i64>(1)? < 0 {
            if let Some(scalar) = scalar {
                found.push(Property {
                    name,
                    value: Value::One(scalar),
                });
            }
            continue;
        }
        match found.last_mut() {
            Some(Property {
                name: last,
                value: Value::Many(list),
            }) if *last == name => list.extend(scalar),
            _ => found.push(Property {
                name,
                value: Value::Many(scalar.into_iter().collect()),
            }),
        }
    }
    Ok(found)
}

fn scalar_from(row: &Row<'_>) -> rusqlite::Result<Option<Scalar>> {
    Ok(Some(match row.get::<_, i64>(2)? {
        TEXT => Scalar::Text(row.get(3)?),
        NUMBER => Scalar::Number(row.get(3)?),
        BOOLEAN => Scalar::Boolean(row.get(3)?),
        TIMESTAMP => Scalar::Timestamp(row.get(3)?),
        EMPTY_LIST => return Ok(None),
        other => return Err(bad_value(2, format!("unknown type {other} of a property"))),
    }))
}

fn type_and_value(scalar: &Scalar) -> (i64, &dyn ToSql) {
    match scalar {
        Scalar::Text(text) => (TEXT, text),
        // SQLite turns "not a number" into NULL.
        Scalar::Number(number) if number.is_nan() => (TEXT, &"NaN"),
        Scalar::Number(number) => (NUMBER, number),
        Scalar::Boolean(boolean) => (BOOLEAN, boolean),
        Scalar::Timestamp(time) => (TIMESTAMP, time),
    }
}

/// Says whether anything was written.
pub(super) fn set_properties(
    conn: &Connection,
    item: i64,
    wanted: &[Property],
    fresh: bool,
) -> rusqlite::Result<bool> {
    let by_name: BTreeMap<&str, &Value> = wanted
        .iter()
        .map(|property| (property.name.as_str(), &property.value))
        .collect();
    if !fresh {
        let present = properties(conn, item)?;
        let same = present.len() == by_name.len()
            && present
                .iter()
                .all(|property| by_name.get(property.name.as_str()) == Some(&&property.value));
        if same {
            return Ok(false);
        }
        conn.prepare_cached("DELETE FROM properties WHERE item_id = ?1")?
            .execute([item])?;
    }
    if by_name.is_empty() {
        return Ok(!fresh);
    }
    let mut insert = conn.prepare_cached(
        "INSERT INTO properties (item_id, name, seq, type, value) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (name, value) in by_name {
        match value {
            Value::One(scalar) => {
                let (kind, value) = type_and_value(scalar);
                insert.execute(params![item, name, -1, kind, value])?;
            }
            Value::Many(list) if list.is_empty() => {
                insert.execute(params![item, name, 0, EMPTY_LIST, None::<i64>])?;
            }
            Value::Many(list) => {
                for (seq, scalar) in list.iter().enumerate() {
                    let (kind, value) = type_and_value(scalar);
                    insert.execute(params![item, name, seq as i64, kind, value])?;
                }
            }
        }
    }
    Ok(true)
}

/// The columns [`link_from`] reads, of `links`.
pub(super) const LINK_COLUMNS: &str = "kind, target, heading, block, label, start, end";

pub(super) fn link_from(row: &Row<'_>) -> rusqlite::Result<Link> {
    let start: i64 = row.get(5)?;
    let end: i64 = row.get(6)?;
    Ok(Link {
        kind: match row.get::<_, i64>(0)? {
            0 => LinkKind::Wikilink,
            1 => LinkKind::Embed,
            2 => LinkKind::Hyperlink,
            3 => LinkKind::Image,
            other => return Err(bad_value(0, format!("unknown kind {other} of a link"))),
        },
        target: row.get(1)?,
        heading: row.get(2)?,
        block: row.get(3)?,
        label: row.get(4)?,
        span: start.unsigned_abs()..end.unsigned_abs(),
    })
}

pub(super) fn links(conn: &Connection, item: i64) -> rusqlite::Result<Vec<Link>> {
    conn.prepare_cached(&format!(
        "SELECT {LINK_COLUMNS} FROM links WHERE item_id = ?1 ORDER BY seq"
    ))?
    .query_map([item], link_from)?
    .collect()
}

/// Says whether anything was written.
pub(super) fn set_links(
    conn: &Connection,
    item: i64,
    wanted: &[Link],
    fresh: bool,
) -> rusqlite::Result<bool> {
    if !fresh {
        if links(conn, item)? == wanted {
            return Ok(false);
        }
        conn.prepare_cached("DELETE FROM links WHERE item_id = ?1")?
            .execute([item])?;
    }
    if wanted.is_empty() {
        return Ok(!fresh);
    }
    let mut insert = conn.prepare_cached(
        "INSERT INTO links (item_id, seq, kind, target, heading, block, label, start, end)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for (seq, link) in wanted.iter().enumerate() {
        let kind = match link.kind {
            LinkKind::Wikilink => 0,
            LinkKind::Embed => 1,
            LinkKind::Hyperlink => 2,
            LinkKind::Image => 3,
        };
        insert.execute(params![
            item,
            seq as i64,
            kind,
            link.target,
            link.heading,
            link.block,
            link.label,
            link.span.start as i64,
            link.span.end as i64,
        ])?;
    }
    Ok(true)
}
