//! Tables of cells with commas, semicolons, tabs or bars between.

use std::collections::HashSet;

use csv::{ReaderBuilder, StringRecord};
use extract_core::{Document, Place, Property};

use crate::dates;
use crate::out::{Out, one_line};

/// What may stand between cells, the likeliest first.
const DELIMITERS: [u8; 4] = [b'\t', b';', b',', b'|'];
/// Bytes and records looked at to find out how a table is written.
const SAMPLE: usize = 64 << 10;
const SAMPLE_RECORDS: usize = 100;
/// A table of more columns, or whose rows are longer on average (in bytes), is
/// written as a list of records: as a table no row could be read.
const MOST_COLUMNS: usize = 12;
const MOST_ROW: usize = 400;
/// A quote that opens and is not closed takes what follows into one cell. One
/// that holds more line breaks than this is taken for such a quote, where the
/// quotes of the file do not pair.
const MOST_BREAKS: usize = 20;
/// Longer names are those of no column, in characters.
const LONGEST_NAME: usize = 80;
/// Names listed as a property, at most.
const MOST_NAMES: usize = 200;

/// Reads a table. What is left out beyond `max_text` bytes is said.
pub(crate) fn read(text: &str, delimiter: Option<u8>, max_text: usize) -> Document {
    // Spreadsheet programs write what they put between cells first.
    let (told, skipped) = match text.split_once('\n') {
        Some((first, _)) => match first.trim().as_bytes() {
            [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', mark] => (Some(*mark), first.len() + 1),
            _ => (None, 0),
        },
        None => (None, 0),
    };
    let body = &text[skipped..];
    let delimiter = told.or(delimiter).unwrap_or_else(|| sniff(body));
    let quoting = !has_open_quote(body, delimiter);
    let shape = Shape::of(body, delimiter, quoting);
    let mut writer = Writer {
        out: Out::default(),
        shape,
        max_text,
        rows: 0,
    };
    let first_line = if skipped > 0 { 2 } else { 1 };
    let left_out = writer.write(body, records(body, delimiter, quoting), first_line);
    let Writer {
        out, shape, rows, ..
    } = writer;
    let mut document = out.finish();
    if !shape.names.is_empty() {
        let names = shape.names.iter().filter(|name| !name.is_empty());
        document
            .properties
            .push(Property::texts("columns", names.take(MOST_NAMES)));
    }
    document
        .properties
        .push(Property::number("rows", (rows + left_out) as f64));
    if !quoting {
        document.warnings.push(
            "A quote that opens a cell is never closed; quotes were taken for part of the text."
                .to_owned(),
        );
    }
    if left_out > 0 {
        document.warnings.push(format!(
            "Only the first {rows} of {} rows were read (setting max_text).",
            rows + left_out
        ));
    }
    document
}

fn records(text: &str, delimiter: u8, quoting: bool) -> csv::StringRecordsIntoIter<&[u8]> {
    ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(quoting)
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes())
        .into_records()
}

fn sample(text: &str, delimiter: u8, quoting: bool) -> Vec<StringRecord> {
    let mut end = text.len();
    if end > SAMPLE {
        let cut = text.floor_char_boundary(SAMPLE);
        end = text[..cut].rfind('\n').map_or(cut, |at| at + 1);
    }
    records(&text[..end], delimiter, quoting)
        .flatten()
        .take(SAMPLE_RECORDS)
        .collect()
}

/// The number of cells that most records have, and how many have it.
fn most_common_width(records: &[StringRecord]) -> (usize, usize) {
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for record in records {
        match counts.iter_mut().find(|(width, _)| *width == record.len()) {
            Some((_, count)) => *count += 1,
            None => counts.push((record.len(), 1)),
        }
    }
    counts
        .into_iter()
        .max_by_key(|&(width, count)| (count, width))
        .unwrap_or((0, 0))
}

/// What stands between the cells: what cuts most records into the same number
/// of cells.
fn sniff(text: &str) -> u8 {
    let mut best = (0.0, b',');
    for delimiter in DELIMITERS {
        let sample = sample(text, delimiter, true);
        let (width, count) = most_common_width(&sample);
        if width < 2 {
            continue;
        }
        let share = count as f64 / sample.len() as f64;
        // More cells count a little: a comma in each price is no delimiter.
        let score = share + (width.min(20) as f64) / 100.0;
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    best.1
}

/// Whether a cell's quote swallows what follows.
fn has_open_quote(text: &str, delimiter: u8) -> bool {
    let quotes = text.bytes().filter(|&byte| byte == b'"').count();
    quotes % 2 == 1
        && records(text, delimiter, true).flatten().any(|record| {
            record
                .iter()
                .any(|cell| cell.matches('\n').count() > MOST_BREAKS)
        })
}

/// How a table is written down.
struct Shape {
    columns: usize,
    /// How many records stand before the table.
    before: usize,
    /// The cells of the header; none where there is no header.
    names: Vec<String>,
    /// Whether as a table; else as a list of records.
    narrow: bool,
}

impl Shape {
    fn of(text: &str, delimiter: u8, quoting: bool) -> Self {
        let sample = sample(text, delimiter, quoting);
        let (common, _) = most_common_width(&sample);
        // Rows may leave out cells at their end; a header seldom does.
        let first = sample.iter().position(|record| record.len() >= common);
        let before = first.unwrap_or(0);
        let rows = &sample[before..];
        let names: Vec<String> = match rows.split_first() {
            Some((first, rest)) if is_header(first, rest) => first.iter().map(one_line).collect(),
            _ => Vec::new(),
        };
        let columns = common.max(names.len());
        let bytes: usize = rows.iter().map(|row| row.as_slice().len()).sum();
        let narrow = columns <= MOST_COLUMNS && bytes / rows.len().max(1) <= MOST_ROW;
        Self {
            columns,
            before,
            names,
            narrow,
        }
    }
}

/// Whether the first row names the columns: names are words, short, each once,
/// and most columns have one.
fn is_header(first: &StringRecord, rest: &[StringRecord]) -> bool {
    let named: Vec<&str> = first
        .iter()
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect();
    let words = named
        .iter()
        .all(|cell| !is_value(cell) && cell.chars().count() <= LONGEST_NAME);
    if !words || named.len() * 2 <= first.len() {
        return false;
    }
    let different: HashSet<&str> = named.iter().copied().collect();
    if different.len() < named.len() {
        return false;
    }
    // Where a column's name turns up among its values, it is a value.
    let repeated = first.iter().enumerate().any(|(column, name)| {
        !name.trim().is_empty() && rest.iter().any(|row| row.get(column) == Some(name))
    });
    // One row alone, or a single column of words, may be anything.
    !repeated && !rest.is_empty()
}

/// Whether a cell holds a number, a date, an address: what no column is called.
fn is_value(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let signs = cell
        .bytes()
        .filter(|byte| b".,-+/:%$ eE".contains(byte))
        .count();
    (digits > 0 && digits + signs == cell.len() && cell.len() != 4)
        || dates::parse(cell).is_some()
        || cell.contains("://")
        || (cell.contains('@') && cell.contains('.'))
}

/// How many lines stand before a record. Its position is that of the empty
/// lines before it.
fn lines_before(body: &str, record: &StringRecord) -> u32 {
    let Some(at) = record.position() else {
        return 0;
    };
    let rest = usize::try_from(at.byte()).map_or("", |byte| body.get(byte..).unwrap_or_default());
    let empty = rest.len() - rest.trim_start_matches('\n').len();
    u32::try_from(at.line() - 1 + empty as u64).unwrap_or(u32::MAX)
}

struct Writer {
    out: Out,
    shape: Shape,
    max_text: usize,
    rows: usize,
}

impl Writer {
    /// Writes all records; answers how many rows were left out.
    fn write(
        &mut self,
        body: &str,
        records: csv::StringRecordsIntoIter<&[u8]>,
        first_line: u32,
    ) -> usize {
        let mut left_out = 0;
        let mut in_table = false;
        for (index, record) in records.flatten().enumerate() {
            let number = index + 1;
            let line = first_line.saturating_add(lines_before(body, &record));
            if record.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            if self.out.text.len() >= self.max_text {
                left_out += 1;
                continue;
            }
            if index < self.shape.before {
                // What stands before the table: its title, notes.
                let words: Vec<String> = record
                    .iter()
                    .map(one_line)
                    .filter(|cell| !cell.is_empty())
                    .collect();
                self.out.line(line, &words.join(", "));
                continue;
            }
            if !in_table {
                in_table = true;
                self.out.blank();
                if self.header(line) {
                    continue;
                }
            }
            self.rows += 1;
            self.out.at_line(line);
            self.out.mark(Place::Part(format!("row {number}")));
            if self.shape.narrow {
                self.table_row(record.iter());
            } else {
                self.list_row(&record);
            }
        }
        left_out
    }

    /// Writes the header; false where the first row is none.
    fn header(&mut self, line: u32) -> bool {
        let named = !self.shape.names.is_empty();
        if self.shape.narrow {
            if named {
                self.out.at_line(line);
            }
            let names = std::mem::take(&mut self.shape.names);
            if named {
                self.table_row(names.iter().map(String::as_str));
            } else {
                self.table_row((0..self.shape.columns).map(|_| ""));
            }
            self.shape.names = names;
            let rule = format!("|{}\n", " --- |".repeat(self.shape.columns));
            self.out.push(&rule);
        }
        named
    }

    fn table_row<'a>(&mut self, cells: impl Iterator<Item = &'a str>) {
        let mut row = String::from("|");
        for cell in cells {
            row.push(' ');
            row.push_str(&one_line(cell).replace('|', "\\|"));
            row.push_str(" |");
        }
        row.push('\n');
        self.out.push(&row);
    }

    /// `- name: cell` and the other cells below; empty ones say nothing.
    fn list_row(&mut self, record: &StringRecord) {
        let mut lead = "- ";
        for (column, cell) in record.iter().enumerate() {
            let cell = one_line(cell);
            if cell.is_empty() {
                continue;
            }
            let name = self.shape.names.get(column).filter(|name| !name.is_empty());
            let cell = match name {
                Some(name) => format!("{lead}{name}: {cell}\n"),
                None => format!("{lead}{cell}\n"),
            };
            self.out.push(&cell);
            lead = "  ";
        }
    }
}

#[cfg(test)]
mod tests;
