//! Tables: those that lack the line of dashes that makes them Markdown, as in
//! text taken from other formats, and the sentences that introduce tables.

use std::ops::Range;

use super::lines::Mark;
use super::{Solid, SolidKind, Structure, is_container_mark};
use crate::params::{BARE_TABLE_LINES, GLUED, INTRODUCTION_BYTES, PARAGRAPH, ROW};
use crate::sentences;

/// The most text before a table that is searched for the sentence that
/// introduces it, in bytes.
const LOOK_BACK: usize = 900;

/// What introduces a table.
#[derive(Debug)]
pub(crate) struct Introduction {
    /// The bytes of the table.
    pub(crate) table: Range<usize>,
    /// The sentence before it, on one line; the end of one that is long.
    pub(crate) text: String,
}

/// Makes solids of the rows of tables without a line of dashes, and remembers
/// the sentence before each table. Linear in the text.
pub(super) fn add(text: &str, found: &mut Structure) {
    let bare = bare(text, found);
    let sorted = bare.is_empty();
    for table in bare {
        add_bare(text, &table, found);
    }
    if !sorted {
        found.solids.sort_by_key(|solid| solid.span.start);
    }
    found.introductions = introductions(text, found);
}

/// The lines of each table without a line of dashes: lines that follow one
/// another and have as many bars as the first, whose cells name the columns.
fn bare(text: &str, found: &Structure) -> Vec<Range<usize>> {
    let mut tables = Vec::new();
    let mut solids = found.solids.iter().peekable();
    // The first line of what may be one, and its bars.
    let mut open: Option<(usize, usize)> = None;
    for line in 0..found.lines.len() {
        let span = found.lines.span(&(line..line + 1));
        while solids
            .next_if(|solid| solid.span.end <= span.start)
            .is_some()
        {}
        let free = solids
            .peek()
            .is_none_or(|solid| solid.span.start >= span.end)
            && !matches!(found.lines.marks[line], Mark::Inside | Mark::Blank);
        let own = &text[span];
        let bars = if free { bars(own) } else { 0 };
        if open.is_some_and(|(_, first)| first == bars) && !begins_item(own) {
            continue;
        }
        tables.extend(open.map(|(start, _)| start..line));
        open = (bars > 0).then_some((line, bars));
    }
    tables.extend(open.map(|(start, _)| start..found.lines.len()));
    tables.retain(|table| table.len() >= BARE_TABLE_LINES);
    tables
}

/// How many bars part the cells of a line; 0 where it is no row of a table.
pub(super) fn bars(line: &str) -> usize {
    if line.contains(" | ") {
        line.matches('|').count()
    } else {
        0
    }
}

/// Whether a line is an item of a list, or quoted, rather than a row whose first
/// cell is a dash.
fn begins_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|first: char| first.is_ascii_digit());
    let marks: [&str; 3] = ["- ", "* ", "+ "];
    line.starts_with('>')
        || (marks.iter().any(|mark| line.starts_with(mark)) && !line[2..].starts_with('|'))
        || (number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") ")))
}

fn add_bare(text: &str, table: &Range<usize>, found: &mut Structure) {
    let header = found.lines.span(&(table.start..table.start + 1));
    let lead = found.leads.len();
    found.leads.push(text[header.clone()].trim().to_owned());
    found.solids.push(Solid {
        span: header,
        lead: None,
        kind: SolidKind::TableHeader,
    });
    for row in table.start + 1..table.end {
        let first = row == table.start + 1;
        found.lines.marks[row] = Mark::Start(if first { GLUED } else { ROW });
        found.solids.push(Solid {
            span: found.lines.span(&(row..row + 1)),
            lead: Some(lead),
            kind: SolidKind::TableRow,
        });
    }
    for edge in [table.start, table.end] {
        if let Some(mark @ Mark::Plain) = found.lines.marks.get_mut(edge) {
            *mark = Mark::Start(PARAGRAPH);
        }
    }
}

/// The introductions of all tables, in order.
fn introductions(text: &str, found: &Structure) -> Vec<Introduction> {
    let mut all: Vec<Introduction> = Vec::new();
    let mut headings = found.heading_lines.iter().peekable();
    // Where the solid before ends, which is no sentence.
    let mut before = 0;
    for solid in &found.solids {
        match solid.kind {
            SolidKind::TableHeader => {
                let start = solid.span.start;
                let first = found.lines.at(start);
                while let Some(heading) = headings.next_if(|heading| heading.end <= first) {
                    before = before.max(found.lines.span(heading).end);
                }
                if let Some(sentence) = last_sentence(&text[before.min(start)..start]) {
                    all.push(Introduction {
                        table: solid.span.clone(),
                        text: sentence,
                    });
                }
            }
            SolidKind::TableRow => {
                if let Some(last) = all.last_mut()
                    && last.table.end == solid.span.start
                {
                    last.table.end = solid.span.end;
                }
            }
            SolidKind::Code | SolidKind::Math => {}
        }
        before = before.max(solid.span.end);
    }
    all
}

/// The last sentence of the last block of `text`, on one line; only the end of
/// a long one.
fn last_sentence(text: &str) -> Option<String> {
    let text = text.trim_end();
    let near = &text[text.ceil_char_boundary(text.len().saturating_sub(LOOK_BACK))..];
    let mut lines: Vec<&str> = near
        .lines()
        .rev()
        .map(|line| line.trim_start_matches(is_container_mark).trim_end())
        .take_while(|line| !line.is_empty())
        .collect();
    lines.reverse();
    let block = lines.join(" ");
    let start = sentences::starts(&block).last().copied().unwrap_or(0);
    let sentence = &block[start..];
    let cut = sentence.ceil_char_boundary(sentence.len().saturating_sub(INTRODUCTION_BYTES));
    let sentence = match sentence[cut..].find(' ') {
        Some(space) if cut > 0 => &sentence[cut + space + 1..],
        _ => &sentence[cut..],
    };
    let worded = sentence.chars().filter(|c| c.is_alphabetic()).nth(3);
    worded.map(|_| sentence.to_owned())
}
