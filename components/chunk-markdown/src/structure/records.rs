//! Paragraphs that are no running text but a list of records, one to a line:
//! references, log entries, addresses.

use std::ops::Range;

use super::lines::Lines;
use super::tables;
use crate::params::{RECORD_BYTES, RECORD_LINES, RECORD_MEAN_BYTES};

/// Whether each of `paragraph`'s lines is a record of its own. Most have a
/// record's length and do not begin with a small letter; and most end although
/// the next word would have fitted, so that the break is meant. Linear in the
/// text.
pub(super) fn are_records(text: &str, lines: &Lines, paragraph: &Range<usize>) -> bool {
    if paragraph.len() < RECORD_LINES {
        return false;
    }
    let all: Vec<&str> = paragraph
        .clone()
        .map(|line| lines.text(text, line).trim())
        .collect();
    let width = all.iter().map(|line| line.len()).max().unwrap_or(0);
    let bytes: usize = all.iter().map(|line| line.len()).sum();
    let likely = all.iter().filter(|line| {
        RECORD_BYTES.contains(&line.len())
            && !line.starts_with(char::is_lowercase)
            && tables::bars(line) == 0
    });
    let broken = all.windows(2).filter(|pair| {
        let next = pair[1].split_whitespace().next().map_or(0, str::len);
        pair[0].len() + 1 + next <= width
    });
    let most = |count: usize| count * 4 >= all.len() * 3;
    bytes >= RECORD_MEAN_BYTES * all.len() && most(likely.count()) && most(broken.count() + 1)
}
