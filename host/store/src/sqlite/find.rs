//! Finding an item by what a person calls it.

use std::collections::HashMap;

use rusqlite::Connection;

use super::{filter, read};
use crate::{Deleted, Item, SourceId};

/// How like a name must be to be worth a "did you mean", from 0 to 1.
const LIKENESS: f64 = 0.45;

/// What an item goes by.
struct Names {
    id: i64,
    path: String,
    title: String,
}

/// Which items are looked at.
#[derive(Clone, Copy)]
struct Among<'a> {
    deleted: Deleted,
    /// Sources whose items are as if they were not there.
    without: &'a [SourceId],
}

impl Among<'_> {
    /// The condition on `items i`.
    fn sql(self) -> String {
        format!(
            "{} AND {}",
            filter::deleted(self.deleted),
            filter::without(self.without)
        )
    }
}

fn names(conn: &Connection, among: Among<'_>) -> rusqlite::Result<Vec<Names>> {
    let these = among.sql();
    conn.prepare_cached(&format!(
        "SELECT i.id, i.external_id, i.title FROM items i WHERE {these}"
    ))?
    .query_map([], |row| {
        Ok(Names {
            id: row.get(0)?,
            path: row.get(1)?,
            title: row.get(2)?,
        })
    })?
    .collect()
}

/// The aliases of items, with their ids.
fn aliases(conn: &Connection, among: Among<'_>) -> rusqlite::Result<Vec<(i64, String)>> {
    let these = among.sql();
    conn.prepare_cached(&format!(
        "SELECT a.item_id, a.alias FROM aliases a CROSS JOIN items i ON i.id = a.item_id
         WHERE {these}"
    ))?
    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
    .collect()
}

/// A path without its last file extension.
fn without_extension(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.contains('/') => stem,
        _ => path,
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether `path` is `end`, or ends with it after a `/`.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

pub(super) fn find(
    conn: &Connection,
    wanted: &str,
    deleted: Deleted,
    without: &[SourceId],
    limit: usize,
) -> rusqlite::Result<Vec<Item>> {
    let among = Among { deleted, without };
    let names = names(conn, among)?;
    let exact: Vec<i64> = names
        .iter()
        .filter(|names| names.path == wanted)
        .map(|names| names.id)
        .collect();
    if !exact.is_empty() {
        return first(conn, exact, limit);
    }
    let wanted = wanted.trim().to_lowercase();
    let end = wanted.replace('\\', "/");
    let end = end.trim_start_matches("./").trim_matches('/');
    if end.is_empty() {
        return Ok(Vec::new());
    }
    let by_path: Vec<i64> = names
        .iter()
        .filter(|names| {
            let path = names.path.to_lowercase();
            ends_with_path(&path, end) || ends_with_path(without_extension(&path), end)
        })
        .map(|names| names.id)
        .collect();
    if !by_path.is_empty() {
        return first(conn, by_path, limit);
    }
    let mut by_name: Vec<i64> = names
        .iter()
        .filter(|names| names.title.to_lowercase() == wanted)
        .map(|names| names.id)
        .collect();
    for (id, alias) in aliases(conn, among)? {
        if alias.to_lowercase() == wanted && !by_name.contains(&id) {
            by_name.push(id);
        }
    }
    first(conn, by_name, limit)
}

fn first(conn: &Connection, ids: Vec<i64>, limit: usize) -> rusqlite::Result<Vec<Item>> {
    let mut items = read::items_by_id(conn, &ids)?;
    items.sort_by(|a, b| (&a.source, &a.external_id).cmp(&(&b.source, &b.external_id)));
    items.truncate(limit);
    Ok(items)
}

pub(super) fn similar(
    conn: &Connection,
    wanted: &str,
    deleted: Deleted,
    without: &[SourceId],
    limit: usize,
) -> rusqlite::Result<Vec<Item>> {
    let among = Among { deleted, without };
    let wanted = without_extension(file_name(wanted.trim())).to_lowercase();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        // Words in another order keep their letter pairs; a slip of the finger
        // spoils those, but is one edit. Part of a name counts as well.
        let likeness = strsim::sorensen_dice(&wanted, &name)
            .max(strsim::normalized_damerau_levenshtein(&wanted, &name));
        if wanted.len() >= 3 && name.contains(&wanted) {
            likeness.max(0.5) + 0.1
        } else {
            likeness
        }
    };
    let mut best: HashMap<i64, f64> = HashMap::new();
    for names in names(conn, among)? {
        let stem = without_extension(file_name(&names.path));
        best.insert(names.id, likeness(&names.title).max(likeness(stem)));
    }
    for (id, alias) in aliases(conn, among)? {
        if let Some(score) = best.get_mut(&id) {
            *score = score.max(likeness(&alias));
        }
    }
    let mut best: Vec<(i64, f64)> = best
        .into_iter()
        .filter(|(_, score)| *score >= LIKENESS)
        .collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.truncate(limit);
    let ids: Vec<i64> = best.into_iter().map(|(id, _)| id).collect();
    read::items_by_id(conn, &ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_and_path_ends() {
        assert_eq!(without_extension("a/b.c/d.md"), "a/b.c/d");
        assert_eq!(without_extension("a.b/c"), "a.b/c");
        assert_eq!(without_extension(".hidden"), ".hidden");
        assert!(ends_with_path("a/b/c.md", "b/c.md"));
        assert!(ends_with_path("c.md", "c.md"));
        assert!(!ends_with_path("a/bc.md", "c.md"));
    }
}
