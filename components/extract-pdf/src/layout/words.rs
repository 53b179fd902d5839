//! Glyphs -> words.

use std::collections::{HashMap, HashSet};
use std::f64::consts::FRAC_PI_2;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::accents;
use crate::content::Glyph;

/// A gap of this many font sizes parts words.
const WORD_GAP: f64 = 0.1;
/// Going back this many font sizes does too.
const BACK_STEP: f64 = 0.3;
/// Base lines within a word differ less, in font sizes.
const SAME_LINE: f64 = 0.06;
/// Font sizes within a word differ less, as a share.
const SAME_SIZE: f64 = 0.2;
/// Turned less than this (radians) text counts as upright: scans are crooked.
const CROOKED: f64 = 0.17;

/// A glyph in the frame of the direction it runs in.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
}

/// Glyphs shown one after the other without a gap.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Which glyphs of the group.
    pub(super) glyphs: Range<usize>,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) base: f64,
    pub(super) size: f64,
    /// Whether a space was shown before it.
    pub(super) spaced: bool,
}

/// All that runs in one direction.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) glyphs: Vec<Placed>,
    pub(super) words: Vec<Word>,
    pub(super) upright: bool,
}

/// The glyphs by direction, that with the most first.
pub(super) fn groups(glyphs: &[Glyph]) -> Vec<Group> {
    let mut found: Vec<(i32, f64, Vec<&Glyph>)> = Vec::new();
    let mut by_key: HashMap<i32, usize> = HashMap::new();
    let mut angle = 0.0;
    for glyph in glyphs {
        if glyph.advance.0.hypot(glyph.advance.1) > glyph.size * 0.01 {
            angle = glyph.advance.1.atan2(glyph.advance.0);
        }
        let (key, turn) = direction(angle);
        let index = *by_key.entry(key).or_insert_with(|| {
            found.push((key, turn, Vec::new()));
            found.len() - 1
        });
        found[index].2.push(glyph);
    }
    found.sort_by_key(|(_, _, glyphs)| std::cmp::Reverse(glyphs.len()));
    found
        .into_iter()
        .map(|(key, turn, glyphs)| group(&glyphs, turn, key == 0))
        .collect()
}

/// A key for the directions that are read together, and their angle.
fn direction(angle: f64) -> (i32, f64) {
    let quarter = (angle / FRAC_PI_2).round();
    if (angle - quarter * FRAC_PI_2).abs() < CROOKED {
        let quarter = (quarter as i32).rem_euclid(4);
        return (quarter, f64::from(quarter) * FRAC_PI_2);
    }
    (100 + angle.to_degrees().round() as i32, angle)
}

fn group(glyphs: &[&Glyph], turn: f64, upright: bool) -> Group {
    let (sin, cos) = turn.sin_cos();
    let mut placed: Vec<Placed> = Vec::with_capacity(glyphs.len());
    let mut words: Vec<Word> = Vec::new();
    let mut seen = Seen::default();
    let mut spaced = false;
    for glyph in glyphs {
        let left = glyph.at.x * cos + glyph.at.y * sin;
        let along = glyph.advance.0 * cos + glyph.advance.1 * sin;
        let (left, right) = (left.min(left + along), left.max(left + along));
        let base = glyph.at.y * cos - glyph.at.x * sin;
        let size = glyph.size.max(1e-3);
        if glyph.text.is_empty() {
            continue;
        }
        if glyph.text.chars().all(char::is_whitespace) {
            spaced = true;
            continue;
        }
        if seen.again(&glyph.text, left, base, size) {
            continue;
        }
        let index = placed.len();
        let mark = glyph
            .text
            .chars()
            .all(unicode_normalization::char::is_combining_mark);
        if mark && let Some(word) = words.last_mut().filter(|_| !spaced) {
            // A mark belongs to the letter it was shown with.
            if let Some(letter) = placed.last_mut().filter(|letter| {
                left < letter.right + 0.3 * size && right > letter.left - 0.3 * size
            }) {
                letter.text.push_str(&glyph.text);
                letter.right = letter.right.max(right);
                word.right = word.right.max(right);
                continue;
            }
        }
        if let Some(letter) = placed.last_mut()
            && let Some(both) = accents::joined(letter, &glyph.text, left, right, size)
        {
            letter.text = both;
            letter.left = letter.left.min(left);
            letter.right = letter.right.max(right);
            if let Some(word) = words.last_mut() {
                word.left = word.left.min(left);
                word.right = word.right.max(right);
            }
            continue;
        }
        placed.push(Placed {
            text: glyph.text.trim().to_owned(),
            left,
            right,
        });
        match words.last_mut() {
            Some(word) if !spaced && goes_on(word, &placed[index - 1], left, base, size) => {
                word.glyphs.end = index + 1;
                word.left = word.left.min(left);
                word.right = word.right.max(right);
            }
            _ => words.push(Word {
                glyphs: index..index + 1,
                left,
                right,
                base,
                size,
                spaced,
            }),
        }
        spaced = false;
    }
    Group {
        glyphs: placed,
        words,
        upright,
    }
}

fn goes_on(word: &Word, last: &Placed, left: f64, base: f64, size: f64) -> bool {
    let most = word.size.max(size);
    let gap = left - last.right;
    (base - word.base).abs() <= SAME_LINE * most
        && (size - word.size).abs() <= SAME_SIZE * most
        && gap <= WORD_GAP * most
        && gap >= -BACK_STEP * most
}

/// Text shown twice at nearly the same place, to look bold or shaded, is one.
/// Texts are known by their hashes: there are many.
#[derive(Default)]
struct Seen(HashSet<(u64, i64, i64)>);

impl Seen {
    fn again(&mut self, text: &str, left: f64, base: f64, size: f64) -> bool {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let text = hasher.finish();
        let cell = size * 0.15;
        let (x, y) = ((left / cell).round() as i64, (base / cell).round() as i64);
        // A neighbouring cell counts where the place is near its border.
        let near = |at: f64, cell_at: i64| -> i64 {
            let off = at / cell - cell_at as f64;
            cell_at.saturating_add(if off < 0.0 { -1 } else { 1 })
        };
        let (x2, y2) = (near(left, x), near(base, y));
        let known = [(x, y), (x2, y), (x, y2), (x2, y2)]
            .into_iter()
            .any(|(x, y)| self.0.contains(&(text, x, y)));
        if !known {
            self.0.insert((text, x, y));
        }
        known
    }
}
