//! The words of a row -> text in logical order.

use unicode_bidi::{BidiClass, bidi_class};

use super::columns::Row;
use super::words::{Placed, Word};

/// A gap of this many font sizes is a space.
const SPACE: f64 = 0.1;
/// Between characters of scripts without spaces it takes more.
const WIDE_SPACE: f64 = 0.35;

/// Whether most letters belong to scripts that run from right to left.
pub(super) fn is_mostly_right_to_left<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let (mut left, mut right) = (0_usize, 0_usize);
    for c in texts.flat_map(str::chars) {
        match bidi_class(c) {
            BidiClass::L => left += 1,
            BidiClass::R | BidiClass::AL => right += 1,
            _ => {}
        }
    }
    right > left
}

/// The row's text.
pub(super) fn text(row: &Row, glyphs: &[Placed]) -> String {
    let mut clusters: Vec<&str> = Vec::new();
    let mut before: Option<(&Word, f64)> = None;
    for word in &row.words {
        if before.is_some_and(|(last, _)| shows_again(last, word, glyphs)) {
            continue;
        }
        if let Some((last, right)) = before
            && is_spaced(last, word, right, glyphs)
        {
            clusters.push(" ");
        }
        clusters.extend(glyphs[word.glyphs.clone()].iter().map(|glyph| &*glyph.text));
        let right = before.map_or(word.right, |(_, right)| right.max(word.right));
        before = Some((word, right));
    }
    if clusters.iter().any(|cluster| is_right_to_left(cluster)) {
        reorder(&mut clusters);
    }
    let text: String = clusters.concat();
    text.trim().to_owned()
}

/// Whether a word lies on the one before and says the same, as buttons do
/// whose text is on the page too.
fn shows_again(last: &Word, word: &Word, glyphs: &[Placed]) -> bool {
    let overlap = last.right.min(word.right) - last.left.max(word.left);
    let text = |word: &Word| -> String {
        let glyphs = glyphs[word.glyphs.clone()].iter();
        glyphs.map(|glyph| &*glyph.text).collect()
    };
    overlap > 0.5 * (word.right - word.left) && text(last) == text(word)
}

fn is_spaced(last: &Word, word: &Word, right: f64, glyphs: &[Placed]) -> bool {
    if word.spaced && word.glyphs.start == last.glyphs.end {
        return true;
    }
    // A word shown before the one it follows: its space was shown behind it.
    let size = last.size.min(word.size);
    let end = glyphs[last.glyphs.end - 1].text.chars().next_back();
    let begin = glyphs[word.glyphs.start].text.chars().next();
    let least = if end.is_some_and(has_no_spaces) && begin.is_some_and(has_no_spaces) {
        WIDE_SPACE
    } else {
        SPACE
    };
    word.left - right > least * size
}

/// Whether the character belongs to a script that puts no spaces between words.
fn has_no_spaces(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{A4CF}' | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}'
        | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}' | '\u{0E00}'..='\u{0EFF}')
}

fn is_right_to_left(cluster: &str) -> bool {
    cluster
        .chars()
        .any(|c| matches!(bidi_class(c), BidiClass::R | BidiClass::AL))
}

/// How a cluster runs: with a direction of its own, or as what is around it.
#[derive(Clone, Copy, PartialEq)]
enum Runs {
    Left,
    Right,
    Number,
    Either,
}

fn runs(cluster: &str) -> Runs {
    let mut found = Runs::Either;
    for c in cluster.chars() {
        match bidi_class(c) {
            BidiClass::R | BidiClass::AL => return Runs::Right,
            BidiClass::L => found = Runs::Left,
            BidiClass::EN | BidiClass::AN if found == Runs::Either => found = Runs::Number,
            _ => {}
        }
    }
    found
}

/// Clusters as seen from left to right -> as they are read. (What is a single
/// level deep, which is all that shows in a line of text.)
fn reorder(clusters: &mut [&str]) {
    let kinds: Vec<Runs> = clusters.iter().map(|cluster| runs(cluster)).collect();
    let left = kinds.iter().filter(|&&kind| kind == Runs::Left).count();
    let right = kinds.iter().filter(|&&kind| kind == Runs::Right).count();
    if right > left {
        // Read from the right; what runs left to right keeps its order.
        clusters.reverse();
        let kinds: Vec<Runs> = kinds.into_iter().rev().collect();
        for run in stretches(&kinds, |kind| matches!(kind, Runs::Left | Runs::Number)) {
            clusters[run].reverse();
        }
    } else {
        for run in stretches(&kinds, |kind| kind == Runs::Right) {
            clusters[run.clone()].reverse();
            let inner: Vec<Runs> = kinds[run.clone()].iter().rev().copied().collect();
            for number in stretches(&inner, |kind| kind == Runs::Number) {
                clusters[run.start + number.start..run.start + number.end].reverse();
            }
        }
    }
}

/// Stretches that begin and end with what `belongs`, with what is of either
/// direction (or a number) in between.
fn stretches(kinds: &[Runs], belongs: impl Fn(Runs) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut out: Vec<std::ops::Range<usize>> = Vec::new();
    let mut open: Option<std::ops::Range<usize>> = None;
    for (index, &kind) in kinds.iter().enumerate() {
        if belongs(kind) {
            match &mut open {
                Some(run) => run.end = index + 1,
                None => open = Some(index..index + 1),
            }
        } else if kind != Runs::Either && kind != Runs::Number {
            out.extend(open.take());
        }
    }
    out.extend(open);
    out
}
