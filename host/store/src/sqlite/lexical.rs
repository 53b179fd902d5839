//! Searching by word, and showing where the words match.

use std::collections::HashSet;
use std::ops::Range;

use rusqlite::{Connection, params};

use super::catalogue::Catalogue;
use super::eligible::Eligible;
use super::top::Top;
use crate::{ChunkId, LexicalQuery, Weights};

/// Different terms of a query that count.
const TERMS: usize = 256;

/// The query in FTS5's language: each term a string literal, joined by OR; none
/// when there is nothing to look for. A literal that holds no word matches
/// nothing.
pub(super) fn expression(query: &LexicalQuery) -> Option<String> {
    let mut seen = HashSet::new();
    let literals: Vec<String> = query
        .terms
        .iter()
        .map(|term| term.trim())
        .filter(|term| !term.is_empty() && seen.insert(*term))
        .take(TERMS)
        // FTS5 reads up to the first NUL.
        .map(|term| format!("\"{}\"", term.replace('\0', " ").replace('"', "\"\"")))
        .collect();
    (!literals.is_empty()).then(|| literals.join(" OR "))
}

pub(super) fn search(
    conn: &Connection,
    expression: &str,
    weights: &Weights,
    catalogue: &Catalogue,
    eligible: &Eligible,
    limit: usize,
) -> rusqlite::Result<Vec<(ChunkId, f64)>> {
    let mut top = Top::new(limit);
    if eligible.is_nothing() || limit == 0 {
        return Ok(Vec::new());
    }
    let mut select = conn
        .prepare_cached("SELECT rowid, bm25(terms, ?2, ?3, ?4) FROM terms WHERE terms MATCH ?1")?;
    let mut rows = select.query(params![
        expression,
        weights.title,
        weights.headings,
        weights.body
    ])?;
    while let Some(row) = rows.next()? {
        let chunk = row.get(0)?;
        if catalogue
            .item_of(chunk)
            .is_some_and(|item| eligible.contains_item(item))
        {
            // FTS5 gives better matches lower numbers.
            top.offer(chunk, -row.get::<_, f64>(1)?);
        }
    }
    Ok(top
        .into_sorted()
        .map(|(chunk, score)| (ChunkId(chunk), score))
        .collect())
}

/// A connection to nothing but a table in memory, for [`highlights`].
pub(super) fn highlighter() -> rusqlite::Result<Connection> {
    let conn = Connection::open_in_memory()?;
    conn.execute_batch(
        "CREATE VIRTUAL TABLE highlighted USING fts5 (
           body, tokenize = 'porter unicode61 remove_diacritics 2'
         );",
    )?;
    Ok(conn)
}

/// Where in each text the query matches. The index of the database holds no
/// texts, so that these are indexed here for a moment, with the same tokenizer.
pub(super) fn highlights(
    conn: &mut Connection,
    expression: &str,
    texts: &[&str],
) -> rusqlite::Result<Vec<Vec<Range<usize>>>> {
    let mut found = vec![Vec::new(); texts.len()];
    let Some((open, close)) = unused_characters(texts) else {
        return Ok(found);
    };
    // Never committed, so that the table stays empty.
    let tx = conn.transaction()?;
    let mut insert = tx.prepare_cached("INSERT INTO highlighted (rowid, body) VALUES (?1, ?2)")?;
    for (index, text) in texts.iter().enumerate() {
        // FTS5 would give the text back up to the first NUL.
        insert.execute(params![index as i64, text.replace('\0', " ")])?;
    }
    let mut select = tx.prepare_cached(
        "SELECT rowid, highlight(highlighted, 0, ?2, ?3) FROM highlighted
         WHERE highlighted MATCH ?1",
    )?;
    let mut rows = select.query(params![expression, open.to_string(), close.to_string()])?;
    while let Some(row) = rows.next()? {
        let index: i64 = row.get(0)?;
        let marked: String = row.get(1)?;
        if let Some(ranges) = usize::try_from(index)
            .ok()
            .and_then(|index| found.get_mut(index))
        {
            *ranges = marked_ranges(&marked, open, close);
        }
    }
    Ok(found)
}

/// Two characters for private use that are in none of the texts; none when the
/// texts use them all.
fn unused_characters(texts: &[&str]) -> Option<(char, char)> {
    let private = '\u{e000}'..='\u{f8ff}';
    let used: HashSet<char> = texts
        .iter()
        .flat_map(|text| text.chars())
        .filter(|character| private.contains(character))
        .collect();
    let mut unused = private.filter(|character| !used.contains(character));
    unused.next().zip(unused.next())
}

/// What stands between `open` and `close`, as ranges of the text without them.
fn marked_ranges(marked: &str, open: char, close: char) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    let mut position = 0;
    for character in marked.chars() {
        if character == open {
            start = Some(position);
        } else if character == close {
            ranges.extend(start.take().map(|start| start..position));
        } else {
            position += character.len_utf8();
        }
    }
    ranges
}
