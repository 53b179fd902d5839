//! Glyphs -> lines of text in reading order.
//!
//! Glyphs are grouped by the direction they run in, joined to words by the
//! order they were shown in, words to rows by their base line, and rows cut
//! into columns where a gutter of white goes through several of them.

mod accents;
mod columns;
mod order;
mod words;

use crate::content::PageContent;
use columns::Row;
use words::Word;

/// A line of text as a reader reads it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// In logical order, never empty.
    pub(crate) text: String,
    /// Left and right end, in points. (In the frame of the line's direction.)
    pub(crate) left: f64,
    pub(crate) right: f64,
    /// The base line, growing downwards.
    pub(crate) base: f64,
    /// Height of the font that most of it has.
    pub(crate) size: f64,
    /// Whether it runs as the page does; then the places are the page's.
    pub(crate) upright: bool,
    /// Addresses that it, or a part of it, links to.
    pub(crate) links: Vec<String>,
}

/// Lines that belong together, such as a column.
pub(crate) type Block = Vec<Line>;

/// The page's text, in blocks.
pub(crate) fn blocks(content: &PageContent) -> Vec<Block> {
    let mut out = Vec::new();
    for group in words::groups(&content.glyphs) {
        let right_to_left = order::is_mostly_right_to_left(group.glyphs.iter().map(|g| &*g.text));
        let rows = rows(&group.words);
        for block in columns::blocks(rows, right_to_left) {
            let lines: Block = block
                .iter()
                .filter_map(|row| line(row, &group.glyphs, group.upright))
                .collect();
            if !lines.is_empty() {
                out.push(lines);
            }
        }
    }
    out
}

/// How far, in font sizes, base lines of one row may lie apart.
const SAME_BASE: f64 = 0.15;

/// Words on a base line, from left to right. Small words a little above or
/// below a row, such as footnote signs and indices, belong to it.
fn rows(words: &[Word]) -> Vec<Row> {
    let mut sorted: Vec<&Word> = words.iter().collect();
    sorted.sort_by(|a, b| a.base.total_cmp(&b.base).then(a.left.total_cmp(&b.left)));
    let mut rows: Vec<Row> = Vec::new();
    for word in sorted {
        match rows.last_mut() {
            Some(row) if word.base - row.base <= SAME_BASE * row.size.max(word.size) => {
                row.words.push(word.clone());
                row.size = row.size.max(word.size);
            }
            _ => rows.push(Row {
                words: vec![word.clone()],
                base: word.base,
                size: word.size,
            }),
        }
    }
    let mut rows = adopt_small(rows);
    for row in &mut rows {
        row.words.sort_by(|a, b| a.left.total_cmp(&b.left));
    }
    rows
}

/// Rows on each side that a small word may belong to: between them lie those
/// of other columns.
const NEAR_ROWS: usize = 4;
/// Rows of more words are left as they are.
const MOST_ROW_WORDS: usize = 120;

/// Moves raised and lowered small words to the row they touch.
fn adopt_small(mut rows: Vec<Row>) -> Vec<Row> {
    let mut moves: Vec<(usize, usize, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let near = at.saturating_sub(NEAR_ROWS)..(at + NEAR_ROWS + 1).min(rows.len());
        let homes: Vec<usize> = near
            .filter(|&home| home != at && rows[home].words.len() <= MOST_ROW_WORDS)
            .collect();
        for (index, word) in row.words.iter().enumerate() {
            let home = homes.iter().find(|&&home| rows[home].touches_small(word));
            if let Some(&home) = home {
                moves.push((at, index, home));
            }
        }
    }
    // From the back, so that the places of the others stay.
    for &(from, index, to) in moves.iter().rev() {
        let word = rows[from].words.remove(index);
        rows[to].words.push(word);
    }
    rows.retain(|row| !row.words.is_empty());
    rows
}

fn line(row: &Row, glyphs: &[words::Placed], upright: bool) -> Option<Line> {
    let text = order::text(row, glyphs);
    let (left, right) = row.extent()?;
    (!text.is_empty()).then_some(Line {
        text,
        left,
        right,
        base: row.base,
        size: row.size,
        upright,
        links: Vec::new(),
    })
}
