//! Lines -> paragraphs.

use crate::layout::{Block, Line};

/// Lines that are read as one stretch.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Paragraph {
    /// In reading order, none of them empty.
    pub(crate) lines: Vec<String>,
    /// For a heading: 1 to 6.
    pub(crate) level: Option<u8>,
}

/// Spacing this many times the usual parts paragraphs.
const WIDE: f64 = 1.35;
/// Where the usual spacing is not known, one of so many font sizes does.
const WIDE_ALONE: f64 = 1.9;
/// Fonts that differ more, as a share, are of different paragraphs.
const OTHER_SIZE: f64 = 0.15;
/// A first line begins at least so many font sizes further right,
const INDENT: f64 = 0.8;
/// and at most so many.
const MOST_INDENT: f64 = 4.0;

/// The paragraphs of a block.
pub(crate) fn of(block: &Block, levels: &[Option<u8>]) -> Vec<Paragraph> {
    let usual = usual_spacing(block);
    let left = block.iter().map(|line| line.left).fold(f64::INFINITY, f64::min);
    let mut out: Vec<Paragraph> = Vec::new();
    let mut last: Option<(&Line, Option<u8>)> = None;
    for (line, level) in block.iter().zip(levels) {
        let joined = last.is_some_and(|(before, level_before)| {
            level_before == *level && !parts(before, line, left, usual)
        });
        match out.last_mut() {
            Some(paragraph) if joined => paragraph.lines.push(line.text.clone()),
            _ => out.push(Paragraph {
                lines: vec![line.text.clone()],
                level: *level,
            }),
        }
        last = Some((line, *level));
    }
    out
}

fn parts(before: &Line, line: &Line, left: f64, usual: Option<f64>) -> bool {
    let spacing = line.base - before.base;
    let size = line.size.max(before.size);
    let wide = match usual {
        Some(usual) => (WIDE * usual).max(1.2 * size),
        None => WIDE_ALONE * size,
    };
    let indent = line.left - left;
    let indented = line.left - before.left > INDENT * size
        && before.left - left < 0.5 * size
        && indent < MOST_INDENT * size;
    spacing <= 0.0
        || spacing > wide
        || (line.size - before.size).abs() > OTHER_SIZE * size
        || indented
}

/// The median distance of base lines, where there are enough to tell.
fn usual_spacing(block: &Block) -> Option<f64> {
    let mut spacings: Vec<f64> = block
        .windows(2)
        .map(|pair| pair[1].base - pair[0].base)
        .filter(|&spacing| spacing > 0.0)
        .collect();
    if spacings.len() < 2 {
        return None;
    }
    // Below the middle: paragraphs of a line or two do not make wide usual.
    let index = spacings.len() * 2 / 5;
    let (_, &mut usual, _) = spacings.select_nth_unstable_by(index, f64::total_cmp);
    Some(usual)
}

/// The paragraphs of plain text: blank lines part them.
pub(crate) fn of_plain(text: &str) -> Vec<Paragraph> {
    let mut out: Vec<Paragraph> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            open = false;
            continue;
        }
        match out.last_mut() {
            Some(paragraph) if open => paragraph.lines.push(line),
            _ => out.push(Paragraph {
                lines: vec![line],
                level: None,
            }),
        }
        open = true;
    }
    out
}
