//! Sheets as tables, whatever the format they come in.

use std::collections::BTreeSet;

use crate::rich::Rich;
use crate::writer::{Block, Writer};

/// The cells of a row that say something, by column, counted from 0.
pub(crate) type Cells = Vec<(usize, String)>;

/// Writes sheets.
pub(crate) struct Sheets {
    writer: Writer,
    sheet: String,
    /// Rows that are one table, with their numbers from 1.
    rows: Vec<(u32, Cells)>,
    /// How much text is in them, about.
    bytes: usize,
    last_row: u32,
}

impl Sheets {
    pub(crate) fn new(writer: Writer) -> Self {
        Self {
            writer,
            sheet: String::new(),
            rows: Vec::new(),
            bytes: 0,
            last_row: 0,
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
        if gap && (is_header(&cells) || narrow()) {
            self.flush();
        }
        self.last_row = number;
        self.bytes += cells.iter().map(|(_, cell)| cell.len() + 3).sum::<usize>();
        self.rows.push((number, cells));
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

    fn flush(&mut self) {
        self.bytes = 0;
        let rows = std::mem::take(&mut self.rows);
        // Columns in which nothing stands are left out.
        let used: BTreeSet<usize> = rows
            .iter()
            .flat_map(|(_, row)| row)
            .map(|cell| cell.0)
            .collect();
        let used: Vec<usize> = used.into_iter().collect();
        for (index, (number, row)) in rows.into_iter().enumerate() {
            if self.writer.full() {
                break;
            }
            let place = format!("{} row {number}", self.sheet);
            let mut cells = Vec::new();
            for (column, text) in row {
                let at = used.partition_point(|&used| used < column);
                cells.resize_with(at.max(cells.len()), Rich::default);
                let mut rich = Rich::default();
                rich.push(&text);
                rich.finish();
                cells.push(rich);
            }
            if used.len() < 2 {
                self.writer.part(place);
                for words in cells {
                    self.writer.block(Block::Paragraph(words));
                }
                continue;
            }
            let cells = cells.into_iter().map(Rich::into_cell).collect();
            if index == 0 {
                self.writer.part(place);
                self.writer.row(cells, Some(used.len()));
            } else {
                self.writer.part_on_next_line(place);
                self.writer.row(cells, None);
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
