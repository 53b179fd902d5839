//! Lines that title what follows without being Markdown headings, as in text
//! taken from web pages, papers and office documents.

use super::lines::{Lines, Mark};
use crate::params::{BLOCK, TITLE_BYTES};

/// What a line has to do with a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Title {
    /// It is one.
    Itself,
    /// It is the first line under one.
    Below,
}

/// The titles among `lines`: short lines that end without punctuation and
/// stand just before a whole paragraph on one line, or before another title.
/// Linear in the text.
pub(super) fn find(lines: &Lines, text: &str) -> Vec<Option<Title>> {
    let mut found = vec![None; lines.len()];
    // The line below, blank ones left out, and whether a title may stand over
    // it.
    let mut below: Option<(usize, bool)> = None;
    for line in (0..lines.len()).rev() {
        let may_begin = match lines.marks[line] {
            Mark::Blank => continue,
            Mark::Inside => false,
            Mark::Plain => true,
            Mark::Start(quality) => quality >= BLOCK,
        };
        let title = match below {
            Some((under, true)) if may_begin && is_short(lines.text(text, line)) => Some(under),
            _ => None,
        };
        if let Some(under) = title {
            found[line] = Some(Title::Itself);
            found[under] = Some(Title::Below);
        }
        let titled = title.is_some() || (may_begin && lines.is_unwrapped(text, line));
        below = Some((line, titled));
    }
    found
}

/// Whether the text of a line may be a title: no sentence, list item, table
/// row, quote or Markdown heading.
fn is_short(line: &str) -> bool {
    let line = line.trim();
    line.len() <= TITLE_BYTES
        && line.chars().any(char::is_alphabetic)
        && line.starts_with(|first: char| first.is_alphanumeric() || "*_=\"'“‘(".contains(first))
        && !line.starts_with("* ")
        && !line.contains('|')
        && !line.ends_with(|last: char| ".,;:!?…。，；：！？|-".contains(last))
}
