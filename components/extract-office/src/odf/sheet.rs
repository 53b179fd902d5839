//! The body of a spreadsheet.

use crate::sheets::{Row, Sheets};
use crate::writer::Writer;
use crate::xml::{Handler, Ns, Step, Tag};

/// No sheet has more columns.
const MOST_COLUMNS: usize = 16_384;
/// Of equal rows, and of equal cells in a row, no more are written.
const MOST_REPEATED: u32 = 200;

#[derive(Default)]
struct Cell {
    /// What the file says the cell's value is, where its text does not count
    /// or there is none.
    value: Option<String>,
    exact: bool,
    text: String,
    times: usize,
}

/// Reads the sheets.
pub(super) struct Reader {
    sheets: Sheets,
    in_table: usize,
    /// The number of the next row, from 1.
    row_number: u32,
    row: Row,
    /// The next column, from 0.
    column: usize,
    row_times: u32,
    cell: Option<Cell>,
    /// How many paragraphs are open.
    paragraphs: usize,
    comment: Option<String>,
    in_comment: bool,
    creator: String,
    in_creator: bool,
    columns_left_out: bool,
}

impl Reader {
    pub(super) fn new(sheets: Sheets) -> Self {
        Self {
            sheets,
            in_table: 0,
            row_number: 1,
            row: Row::default(),
            column: 0,
            row_times: 1,
            cell: None,
            paragraphs: 0,
            comment: None,
            in_comment: false,
            creator: String::new(),
            in_creator: false,
            columns_left_out: false,
        }
    }

    /// Ends the document.
    pub(super) fn finish(mut self) -> Writer {
        self.end_row();
        if self.columns_left_out {
            self.sheets
                .warn(format!("Cells beyond column {MOST_COLUMNS} were left out."));
        }
        self.sheets.finish()
    }

    /// Adds to the cell, or to its comment.
    fn add(&mut self, text: &str) {
        let comment = self.comment.as_mut().filter(|_| self.in_comment);
        let cell = self.cell.as_mut().map(|cell| &mut cell.text);
        if let Some(target) = comment.or(cell) {
            target.push_str(text);
        }
    }

    fn end_cell(&mut self) {
        let Some(cell) = self.cell.take() else { return };
        let mut text = match cell.value {
            Some(value) if cell.exact || cell.text.trim().is_empty() => value,
            _ => cell.text.trim().to_owned(),
        };
        if let Some(comment) = self.comment.take() {
            let comment = comment.trim();
            let by = match self.creator.trim() {
                "" => String::new(),
                creator => format!(" by {creator}"),
            };
            text.push_str(&format!(" (Comment{by}: {comment})"));
            self.creator.clear();
        }
        if !text.trim().is_empty() {
            self.columns_left_out |= self.column >= MOST_COLUMNS;
            let last = MOST_COLUMNS.min(
                self.column
                    .saturating_add(cell.times.min(MOST_REPEATED as usize)),
            );
            for column in self.column..last {
                self.row.push(column, &text);
            }
        }
        self.column = self.column.saturating_add(cell.times);
    }

    fn end_row(&mut self) {
        let row = self.row.take();
        let times = std::mem::replace(&mut self.row_times, 1);
        self.column = 0;
        if !row.is_empty() {
            for more in 0..times.min(MOST_REPEATED) {
                if self.sheets.full() {
                    break;
                }
                self.sheets
                    .row(self.row_number.saturating_add(more), row.clone());
            }
        }
        self.row_number = self.row_number.saturating_add(times);
    }
}

impl Handler for Reader {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match (tag.ns, tag.name) {
            (
                Ns::Office,
                "automatic-styles" | "styles" | "master-styles" | "scripts" | "meta" | "settings"
                | "font-face-decls" | "forms",
            )
            | (Ns::Table, "tracked-changes" | "content-validations" | "shapes") => {
                return Step::Skip;
            }
            (Ns::Table, "table") => {
                // A table in a cell is none of the sheet.
                if self.in_table > 0 {
                    return Step::Skip;
                }
                self.in_table += 1;
                self.row_number = 1;
                self.row = Row::default();
                self.column = 0;
                self.sheets.begin(&tag.attr("name").unwrap_or_default());
            }
            (Ns::Table, "table-row") => {
                self.row = Row::default();
                self.column = 0;
                self.row_times = tag.number("number-rows-repeated").unwrap_or(1);
            }
            (Ns::Table, "table-cell" | "covered-table-cell") => {
                let exact = match tag.attr("value-type").as_deref() {
                    Some("date") => tag.attr("date-value"),
                    _ => None,
                };
                let value = exact
                    .as_ref()
                    .map(|date| date.trim_end_matches("T00:00:00").replace('T', " "));
                let other = || {
                    let names = ["string-value", "value", "time-value", "boolean-value"];
                    let found = names.into_iter().find_map(|name| tag.attr(name));
                    found.map(|value| value.into_owned())
                };
                self.cell = Some(Cell {
                    exact: value.is_some(),
                    value: value.or_else(other),
                    text: String::new(),
                    times: tag.number("number-columns-repeated").unwrap_or(1),
                });
            }
            (Ns::Office, "annotation") => {
                self.comment = Some(String::new());
                self.in_comment = true;
            }
            (Ns::Dc, "creator") => self.in_creator = true,
            (Ns::Dc | Ns::Meta, _) => return Step::Skip,
            (Ns::Text, "p") => {
                self.paragraphs += 1;
                self.add(" ");
            }
            (Ns::Text, "s" | "tab" | "line-break") => self.add(" "),
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, ns: Ns, name: &str) {
        match (ns, name) {
            (Ns::Table, "table") => self.in_table = self.in_table.saturating_sub(1),
            (Ns::Table, "table-row") => self.end_row(),
            (Ns::Table, "table-cell" | "covered-table-cell") => self.end_cell(),
            (Ns::Office, "annotation") => self.in_comment = false,
            (Ns::Dc, "creator") => self.in_creator = false,
            (Ns::Text, "p") => self.paragraphs = self.paragraphs.saturating_sub(1),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_creator {
            self.creator.push_str(text);
        } else if self.paragraphs > 0 {
            self.add(text);
        }
    }

    fn full(&self) -> bool {
        self.sheets.full()
    }
}
