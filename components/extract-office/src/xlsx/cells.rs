//! The cells of a sheet.

use std::collections::HashMap;

use crate::sheets::{self, Sheets};
use crate::xml::{Handler, Ns, Step, Tag};

use super::Strings;
use super::formats::Formats;

/// No sheet has more columns.
const MOST_COLUMNS: usize = 16_384;

/// What a cell's value is.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Number,
    Shared,
    Text,
    Boolean,
}

/// Reads a sheet.
pub(super) struct Cells<'a> {
    out: &'a mut Sheets,
    strings: &'a Strings,
    formats: &'a Formats,
    comments: HashMap<String, String>,
    /// The row that is open, or was last, from 1.
    row: u32,
    cells: sheets::Row,
    /// The next column, from 0.
    column: usize,
    sort: Sort,
    style: usize,
    value: String,
    takes: bool,
    /// The cell that is open, as `B3`.
    name: String,
    in_cell: bool,
}

impl<'a> Cells<'a> {
    pub(super) fn new(
        out: &'a mut Sheets,
        strings: &'a Strings,
        formats: &'a Formats,
        comments: HashMap<String, String>,
    ) -> Self {
        Self {
            out,
            strings,
            formats,
            comments,
            row: 0,
            cells: sheets::Row::default(),
            column: 0,
            sort: Sort::Number,
            style: 0,
            value: String::new(),
            takes: false,
            name: String::new(),
            in_cell: false,
        }
    }

    /// Ends the sheet.
    pub(super) fn finish(mut self) {
        self.end_row();
        // Comments on cells in which nothing stands.
        let mut rest: Vec<_> = self.comments.drain().collect();
        rest.sort_by_cached_key(|(cell, _)| place(cell));
        for (cell, comment) in rest {
            if let Some((row, _)) = place(&cell) {
                self.out.beside(row, &format!("{cell} {comment}"));
            }
        }
    }

    fn end_cell(&mut self) {
        if !std::mem::take(&mut self.in_cell) {
            return;
        }
        let value = std::mem::take(&mut self.value);
        let mut text = match self.sort {
            Sort::Shared => {
                let index = value.trim().parse().ok();
                index
                    .and_then(|index| self.strings.get(index))
                    .unwrap_or_default()
                    .to_owned()
            }
            Sort::Text => value,
            Sort::Boolean => match value.trim() {
                "1" => "TRUE".to_owned(),
                "0" => "FALSE".to_owned(),
                _ => value,
            },
            Sort::Number => self.formats.show(value.trim(), self.style),
        };
        if let Some(comment) = self.comments.remove(&self.name) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&comment);
        }
        if self.column < MOST_COLUMNS && !text.is_empty() {
            self.cells.push(self.column, &text);
        }
        self.column += 1;
    }

    fn end_row(&mut self) {
        self.out.row(self.row, self.cells.take());
        self.column = 0;
    }
}

impl Handler for Cells<'_> {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        if tag.ns != Ns::Sheet {
            return Step::Into;
        }
        match tag.name {
            "row" => {
                self.end_row();
                self.row = tag.number("r").unwrap_or(self.row.saturating_add(1));
            }
            "c" => {
                self.in_cell = true;
                self.value.clear();
                self.name.clear();
                if let Some(name) = tag.attr("r") {
                    if let Some((_, column)) = place(&name) {
                        self.column = column;
                    }
                    self.name.push_str(&name);
                }
                self.style = tag.number("s").unwrap_or(0);
                self.sort = match tag.attr("t").as_deref() {
                    Some("s") => Sort::Shared,
                    Some("str" | "inlineStr" | "e" | "d") => Sort::Text,
                    Some("b") => Sort::Boolean,
                    _ => Sort::Number,
                };
            }
            "v" | "t" => self.takes = self.in_cell,
            // Formulas, the reading of Asian words, what is not the sheet's text.
            "f" | "rPh" | "conditionalFormatting" | "dataValidations" | "extLst" => {
                return Step::Skip;
            }
            "oddHeader" | "oddFooter" | "evenHeader" | "evenFooter" => return Step::Skip,
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, ns: Ns, name: &str) {
        if ns != Ns::Sheet {
            return;
        }
        match name {
            "v" | "t" => self.takes = false,
            "c" => self.end_cell(),
            "row" => self.end_row(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.takes {
            self.value.push_str(text);
        }
    }

    fn full(&self) -> bool {
        self.out.full()
    }
}

/// `B3` as its row, from 1, and its column, from 0.
fn place(name: &str) -> Option<(u32, usize)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, row) = name.split_at(digits);
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let mut column = 0usize;
    for c in letters.chars() {
        let letter = c.to_ascii_uppercase();
        if !letter.is_ascii_uppercase() {
            return None;
        }
        column = column * 26 + (letter as usize - 'A' as usize + 1);
    }
    Some((row.parse().ok()?, column - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_place_in_their_name() {
        assert_eq!(place("A1"), Some((1, 0)));
        assert_eq!(place("XFD1048576"), Some((1_048_576, 16_383)));
        assert_eq!(place("AA10"), Some((10, 26)));
        for wrong in ["", "A", "1", "ABCD1", "Ä1", "A1B", "A99999999999"] {
            assert_eq!(place(wrong), None, "{wrong}");
        }
    }
}
