//! Rows -> columns, in reading order.

use super::words::Word;

/// A gutter is at least this wide, in font sizes.
const GUTTER: f64 = 0.8;
/// A column has at least so many rows,
const FEWEST_ROWS: usize = 3;
/// is at least this wide, in font sizes,
const NARROWEST: f64 = 7.0;
/// and its text fills this share of it in most rows.
const FILL: f64 = 0.5;
/// Columns in columns deeper than this are not sought.
const MOST_DEPTH: usize = 6;
/// Columns begin after at most so many rows that have text in one only.
const MOST_ONE_SIDED: usize = 10;
/// Gutters tried, the widest first.
const MOST_GUTTERS: usize = 4;
/// Rows looked at for gutters: so many, and for each row there is
const MOST_LOOKS: usize = 20_000;
/// so many more.
const MOST_LOOKS_A_ROW: usize = 4;

/// Words on one base line.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// From left to right.
    pub(super) words: Vec<Word>,
    pub(super) base: f64,
    /// The largest font's.
    pub(super) size: f64,
}

impl Row {
    /// Left and right end.
    pub(super) fn extent(&self) -> Option<(f64, f64)> {
        let left = self.words.iter().map(|word| word.left).reduce(f64::min)?;
        let right = self.words.iter().map(|word| word.right).reduce(f64::max)?;
        Some((left, right))
    }

    /// Whether a word is a raised or lowered sign beside one of the row's.
    pub(super) fn touches_small(&self, word: &Word) -> bool {
        let overlap = word.base.min(self.base) - (word.base - word.size).max(self.base - self.size);
        word.size < 0.85 * self.size
            && overlap > 0.4 * word.size
            && self.words.iter().any(|own| {
                own.size > word.size * 1.15
                    && word.left - own.right < 0.3 * self.size
                    && own.left - word.right < 0.3 * self.size
            })
    }

    /// The stretches without a word, from left to right.
    fn white(&self) -> Vec<(f64, f64)> {
        let mut gaps = Vec::with_capacity(self.words.len() + 1);
        let mut at = f64::NEG_INFINITY;
        for word in &self.words {
            if word.left > at {
                gaps.push((at, word.left));
            }
            at = at.max(word.right);
        }
        gaps.push((at, f64::INFINITY));
        gaps
    }
}

/// The rows in blocks, each to be read from its first row to its last.
pub(super) fn blocks(rows: Vec<Row>, right_to_left: bool) -> Vec<Vec<Row>> {
    let mut out = Vec::new();
    split(rows, right_to_left, 0, &mut out);
    out
}

fn split(rows: Vec<Row>, right_to_left: bool, depth: usize, out: &mut Vec<Vec<Row>>) {
    if depth == MOST_DEPTH || rows.len() < FEWEST_ROWS {
        push(rows, out);
        return;
    }
    let mut plain: Vec<Row> = Vec::new();
    let mut looks = MOST_LOOKS + MOST_LOOKS_A_ROW * rows.len();
    let mut at = 0;
    while at < rows.len() {
        let Some((count, gutter)) = gutter(&rows[at..], &mut looks) else {
            plain.push(rows[at].clone());
            at += 1;
            continue;
        };
        push(std::mem::take(&mut plain), out);
        let (left, right) = cut(&rows[at..at + count], gutter);
        let sides = if right_to_left {
            [right, left]
        } else {
            [left, right]
        };
        for side in sides {
            split(side, right_to_left, depth + 1, out);
        }
        at += count;
    }
    push(plain, out);
}

fn push(rows: Vec<Row>, out: &mut Vec<Vec<Row>>) {
    if !rows.is_empty() {
        out.push(rows);
    }
}

/// How many of the rows, from the first on, a gutter goes through, and where
/// its middle is; nothing where the first rows are no columns.
fn gutter(rows: &[Row], looks: &mut usize) -> Option<(usize, f64)> {
    // White that has text on both sides has two finite ends.
    let is_inner = |gap: &(f64, f64)| gap.0.is_finite() && gap.1.is_finite();
    let mut white = vec![(f64::NEG_INFINITY, f64::INFINITY)];
    let mut count = 0;
    for row in rows {
        *looks = looks.checked_sub(1)?;
        let next = intersect(&white, &row.white(), GUTTER * row.size);
        let inner = next.iter().any(is_inner);
        if !inner && white.iter().any(is_inner) {
            break;
        }
        if !inner && count == MOST_ONE_SIDED {
            return None;
        }
        white = next;
        count += 1;
    }
    let mut inner: Vec<(f64, f64)> = white.into_iter().filter(is_inner).collect();
    inner.sort_by(|a, b| (b.1 - b.0).total_cmp(&(a.1 - a.0)));
    inner
        .iter()
        .take(MOST_GUTTERS)
        .map(|(a, b)| (a + b) / 2.0)
        .find(|&middle| are_columns(&rows[..count], middle))
        .map(|middle| (count, middle))
}

/// What two lists of stretches, both in order, have in common, where that is
/// at least so wide.
fn intersect(one: &[(f64, f64)], two: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(i), two.get(j)) {
        let both = (a.0.max(b.0), a.1.min(b.1));
        if both.1 - both.0 >= width {
            out.push(both);
        }
        if a.1 < b.1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// The parts of rows left and right of `middle`.
fn cut(rows: &[Row], middle: f64) -> (Vec<Row>, Vec<Row>) {
    let side = |keep: &dyn Fn(&Word) -> bool| -> Vec<Row> {
        let parts = rows.iter().filter_map(|row| {
            let words: Vec<Word> = row
                .words
                .iter()
                .filter(|word| keep(word))
                .cloned()
                .collect();
            let size = words.iter().map(|word| word.size).reduce(f64::max)?;
            Some(Row {
                words,
                base: row.base,
                size,
            })
        });
        parts.collect()
    };
    (
        side(&|word| word.left < middle),
        side(&|word| word.left >= middle),
    )
}

/// Whether what is left and right of `middle` is running text, to be read one
/// side after the other, and not a table.
fn are_columns(rows: &[Row], middle: f64) -> bool {
    let (left, right) = cut(rows, middle);
    let (left_text, right_text) = (Side::of(&left), Side::of(&right));
    if !left_text.could_be || !right_text.could_be {
        return false;
    }
    if left_text.is_full && right_text.is_full {
        return true;
    }
    // In tables the rows of both sides stand on the same base lines.
    let both = left.len() + right.len() - rows.len();
    let aligned = both * 2 > left.len().min(right.len());
    (left_text.is_full || right_text.is_full) && !aligned
}

/// What one side of a gutter looks like.
struct Side {
    could_be: bool,
    is_full: bool,
}

impl Side {
    fn of(rows: &[Row]) -> Self {
        let extents: Vec<(f64, f64)> = rows.iter().filter_map(Row::extent).collect();
        let left = extents.iter().map(|e| e.0).fold(f64::INFINITY, f64::min);
        let right = extents
            .iter()
            .map(|e| e.1)
            .fold(f64::NEG_INFINITY, f64::max);
        let mut sizes: Vec<f64> = rows.iter().map(|row| row.size).collect();
        sizes.sort_by(f64::total_cmp);
        let size = sizes.get(sizes.len() / 2).copied().unwrap_or_default();
        let width = right - left;
        let full = extents.iter().filter(|e| e.1 - e.0 >= FILL * width).count();
        Self {
            could_be: rows.len() >= FEWEST_ROWS && width >= NARROWEST * size,
            is_full: full * 2 > rows.len(),
        }
    }
}
