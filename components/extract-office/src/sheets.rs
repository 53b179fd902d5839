//! Sheets as tables, whatever the format they come in.

use std::collections::BTreeSet;

use crate::rich::Rich;
use crate::writer::{Block, Writer};

/// The cells of a row that say something, by column, counted from 0.
pub(crate) type Cells = Vec<(usize, String)>;

/// Of a row's text more is left out, in bytes. What a file says once many cells
/// may show.
const MOST_ROW: usize = 4 << 20;

/// More cells do not wait in memory for the end of their table. Which columns
/// are left out is decided by then.
const MOST_WAITING: usize = 200_000;

/// The cells of a row as they come.
#[derive(Default)]
pub(crate) struct Row {
    cells: Cells,
    bytes: usize,
}

impl Row {
    /// Puts a cell into the row.
    pub(crate) fn push(&mut self, column: usize, text: &str) {
        self.bytes += text.len();
        if self.bytes <= MOST_ROW {
            self.cells.push((column, text.to_owned()));
        }
    }

    /// The cells in order, and none of them left.
    pub(crate) fn take(&mut self) -> Cells {
        let mut cells = std::mem::take(self).cells;
        cells.sort_by_key(|cell| cell.0);
        cells.dedup_by_key(|cell| cell.0);
        cells
    }
}

/// Writes sheets.
pub(crate) struct Sheets {
    writer: Writer,
    sheet: String,
    /// Rows that are one table, with their numbers from 1.
    rows: Vec<(u32, Cells)>,
    /// How much text is in them, about.
    bytes: usize,
    last_row: u32,
    /// How many cells wait to be written.
    waiting: usize,
    /// The columns of the table that is open in which something stands.
    used: Vec<usize>,
    /// Whether some of its rows are written.
    begun: bool,
}

impl Sheets {
    pub(crate) fn new(writer: Writer) -> Self {
        Self {
            writer,
            sheet: String::new(),
            rows: Vec::new(),
            bytes: 0,
            last_row: 0,
            waiting: 0,
            used: Vec::new(),
            begun: false,
        }
    }

    /// A sheet begins.
    pub(crate) fn begin(&mut self, name: &str) {
        self.flush();
        self.last_row = 0;
        name.trim().clone_into(&mut self.sheet);
        let mut rich = Rich::default();
        rich.push(&self.sheet);
        if !rich.is_blank() {
            self.writer.part(self.sheet.clone());
        }
        self.writer.block(Block::Heading(1, rich));
    }

    /// A row, its number from 1, its cells by column. Blank rows need not come.
    pub(crate) fn row(&mut self, number: u32, mut cells: Cells) {
        cells.retain(|(_, cell)| !cell.trim().is_empty());
        if cells.is_empty() || self.full() {
            return;
        }
        // After a gap another table begins, where its first row says so.
        let gap = number > self.last_row.saturating_add(1);
        let narrow = || self.rows.iter().all(|(_, row)| row.len() < 2);
        if gap && (is_header(&cells) || (!self.begun && narrow())) {
            self.flush();
        }
        self.last_row = number;
        self.bytes += cells.iter().map(|(_, cell)| cell.len() + 3).sum::<usize>();
        self.waiting += cells.len();
        self.rows.push((number, cells));
        if self.waiting > MOST_WAITING {
            self.write();
        }
    }

    /// Words beside the table, that a row has to do with.
    pub(crate) fn beside(&mut self, row: u32, words: &str) {
        self.flush();
        let mut rich = Rich::default();
        rich.push(words);
        self.writer.part(format!("{} row {row}", self.sheet));
        self.writer.block(Block::Paragraph(rich));
    }

    /// Whether there is no room for more.
    pub(crate) fn full(&self) -> bool {
        self.writer.full() || self.bytes > self.writer.most()
    }

    /// Ends the table.
    fn flush(&mut self) {
        self.write();
        self.used.clear();
        self.begun = false;
    }

    /// Writes the rows that wait.
    fn write(&mut self) {
        self.bytes = 0;
        self.waiting = 0;
        let rows = std::mem::take(&mut self.rows);
        // Columns in which nothing stands are left out.
        let columns = rows.iter().flat_map(|(_, row)| row).map(|cell| cell.0);
        let used: BTreeSet<usize> = columns.chain(self.used.drain(..)).collect();
        self.used = used.into_iter().collect();
        for (number, row) in rows {
            if self.writer.full() {
                break;
            }
            let place = format!("{} row {number}", self.sheet);
            let mut cells = Vec::new();
            for (column, text) in row {
                let at = self.used.partition_point(|&used| used < column);
                cells.resize_with(at.max(cells.len()), Rich::default);
                let mut rich = Rich::default();
                rich.push(&text);
                rich.finish();
                cells.push(rich);
            }
            if self.used.len() < 2 {
                self.writer.part(place);
                for words in cells {
                    self.writer.block(Block::Paragraph(words));
                }
                continue;
            }
            let cells = cells.into_iter().map(Rich::into_cell).collect();
            if std::mem::replace(&mut self.begun, true) {
                self.writer.part_on_next_line(place);
                self.writer.row(cells, None);
            } else {
                self.writer.part(place);
                self.writer.row(cells, Some(self.used.len()));
            }
        }
    }

    /// Ends the document.
    pub(crate) fn finish(mut self) -> Writer {
        // What is over the limit is cut, and told of, when it is written.
        self.flush();
        self.writer
    }

    /// A sentence for a person.
    pub(crate) fn warn(&mut self, warning: String) {
        self.writer.warn(warning);
    }
}

/// Whether a row looks like the names of columns: several, and no numbers.
fn is_header(cells: &Cells) -> bool {
    let is_number = |cell: &str| {
        cell.trim_start_matches(['-', '+', '$', '€', ' '])
            .starts_with(|c: char| c.is_ascii_digit())
    };
    cells.len() > 1 && !cells.iter().any(|(_, cell)| is_number(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_row_ends_a_table_where_another_begins() {
        let mut sheets = Sheets::new(Writer::new(10_000));
        sheets.begin("Data");
        let cells = |cells: &[(usize, &str)]| {
            cells
                .iter()
                .map(|(at, text)| (*at, (*text).to_owned()))
                .collect()
        };
        sheets.row(1, cells(&[(2, "Report")]));
        sheets.row(3, cells(&[(1, "Name"), (4, "Sum | all")]));
        sheets.row(4, cells(&[(1, "a"), (4, "1")]));
        sheets.row(6, cells(&[(4, "2")]));
        sheets.row(8, cells(&[(1, "Other"), (2, "Table")]));
        sheets.row(9, cells(&[(1, "x"), (2, " ")]));
        let document = sheets.finish().finish("x.xlsx", None).unwrap();
        assert_eq!(
            document.text,
            "# Data\n\nReport\n\n| Name | Sum \\| all |\n|---|---|\n| a | 1 |\n|  | 2 |\n\n| Other | Table |\n|---|---|\n| x |\n"
        );
        let places: Vec<_> = document
            .marks
            .iter()
            .map(|mark| {
                let line = document.text[mark.offset..].lines().next().unwrap();
                (line, mark.place.clone())
            })
            .collect();
        let part = |name: &str| extract_core::Place::Part(name.to_owned());
        assert_eq!(places[0], ("# Data", part("Data")));
        assert_eq!(places[3], ("| a | 1 |", part("Data row 4")));
        assert_eq!(places[4], ("|  | 2 |", part("Data row 6")));
        assert_eq!(places[6], ("| x |", part("Data row 9")));
    }
}
