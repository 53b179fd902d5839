//! Blocks -> the text of a document, with links and marks.

use extract_core::{Document, Failure, Link, Mark, title};

use crate::rich::Rich;

/// Cells of a row beyond this one are put into it.
const MOST_COLUMNS: usize = 500;

/// More different headers, or footers, are left out.
const MOST_MARGINS: usize = 50;

/// A piece of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    /// With its level, from 1.
    Heading(u8, Rich),
    Paragraph(Rich),
    /// With its level, from 0, and what stands before it: `-`, `3.`; nothing
    /// where it goes on the item before it.
    Item(u8, String, Rich),
    Table(Vec<Row>),
}

/// A row of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Row {
    /// The cells that say something, with their column, from 0, in order.
    pub(crate) cells: Vec<(usize, Vec<Block>)>,
    /// How many columns there are so far.
    pub(crate) columns: usize,
}

/// What stands before the items of a list that is not counted.
pub(crate) const BULLET: &str = "-";

/// Writes one document.
pub(crate) struct Writer {
    pub(crate) document: Document,
    most: usize,
    /// Whether text was left out as there is too much.
    cut: bool,
    /// Whether no more is wanted than has been read.
    stopped: bool,
    /// For each list that is open its level, and how far its items' text is
    /// indented.
    lists: Vec<(u8, usize)>,
    last: Last,
    /// Offsets at which a page begins; the first page is not among them.
    pages: Vec<usize>,
    /// The first heading.
    heading: Option<String>,
    /// Whether headings only number the parts of the document.
    parts_only: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Last {
    Nothing,
    Item,
    Other,
}

impl Writer {
    /// Text of more than `most` bytes is cut.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            document: Document::default(),
            most,
            cut: false,
            stopped: false,
            lists: Vec::new(),
            last: Last::Nothing,
            pages: Vec::new(),
            heading: None,
            parts_only: false,
        }
    }

    /// Whether nothing more has room, or is wanted.
    pub(crate) fn full(&self) -> bool {
        self.cut || self.stopped
    }

    /// Wants no more text than has been read. `warning` says why, in a sentence
    /// for a person.
    pub(crate) fn stop(&mut self, warning: String) {
        if !self.stopped {
            self.stopped = true;
            self.warn(warning);
        }
    }

    /// A sentence for a person.
    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        self.document.warnings.push(warning.into());
    }

    /// Writes a block.
    pub(crate) fn block(&mut self, block: Block) {
        match block {
            Block::Heading(level, mut rich) => {
                rich.finish();
                rich.on_one_line();
                if self.heading.is_none() {
                    self.heading = title::tidy(&rich.text);
                }
                let marks = "#".repeat(usize::from(level.clamp(1, 6)));
                self.put(&marks, rich, Last::Other);
            }
            Block::Paragraph(mut rich) => {
                rich.finish();
                rich.escape_lines();
                self.put("", rich, Last::Other);
            }
            Block::Item(level, marker, mut rich) => {
                rich.finish();
                rich.escape_lines();
                if self.last != Last::Item {
                    self.lists.clear();
                }
                if marker.is_empty() && !self.lists.is_empty() {
                    // It goes on the item before.
                    let indent = self.lists.last().map_or(0, |list| list.1);
                    self.put(&" ".repeat(indent.saturating_sub(1)), rich, Last::Item);
                    return;
                }
                while self.lists.last().is_some_and(|list| list.0 >= level) {
                    self.lists.pop();
                }
                let indent = self.lists.last().map_or(0, |list| list.1);
                if !rich.is_blank() {
                    // A label that Markdown does not know follows a bullet.
                    let width = marker.split(' ').next().map_or(0, str::len) + 1;
                    self.lists.push((level, indent + width));
                }
                let marker = format!("{}{marker}", " ".repeat(indent));
                self.put(&marker, rich, Last::Item);
            }
            Block::Table(rows) => self.table(rows),
        }
    }

    /// The part of the original that what comes next stands in.
    pub(crate) fn part(&mut self, name: impl Into<String>) {
        self.parts_only = true;
        let offset = self.next_offset(Last::Other);
        self.document.marks.push(Mark::part(offset, name));
    }

    /// The same for a row that goes on a table.
    pub(crate) fn part_on_next_line(&mut self, name: impl Into<String>) {
        let offset = self.document.text.len() + 1;
        self.document.marks.push(Mark::part(offset, name));
    }

    /// How much text has room, in bytes.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Writes `| a | b |`. The first row of a table is its header, and says how
    /// many columns there are.
    pub(crate) fn row(&mut self, cells: Vec<Rich>, header_of: Option<usize>) {
        if self.cut {
            return;
        }
        let mut line = Rich::default();
        line.push_raw("|");
        let columns = header_of
            .unwrap_or(0)
            .clamp(cells.len(), cells.len().max(MOST_COLUMNS));
        let mut written = 0;
        for cell in cells {
            line.push_raw(" ");
            line.append(cell);
            if written < MOST_COLUMNS {
                line.push_raw(" |");
                written += 1;
            }
        }
        if header_of.is_some() {
            let columns = columns.min(MOST_COLUMNS);
            line.push_raw(&" |".repeat(columns - written.min(columns)));
            line.push_raw("\n|");
            line.push_raw(&"---|".repeat(columns));
            self.put("", line, Last::Other);
        } else {
            self.line(line);
        }
    }

    /// Writes blocks that are Markdown already.
    pub(crate) fn markdown(&mut self, note: Rich) {
        self.put("", note, Last::Other);
    }

    fn table(&mut self, mut rows: Vec<Row>) {
        rows.retain(|row| !row.cells.is_empty());
        let width = |row: &Row| row.cells.last().map_or(0, |(column, _)| column + 1);
        let columns = rows.iter().map(width).max().unwrap_or(0);
        if rows.iter().all(|row| row.cells.len() < 2) {
            // It only lays out.
            for (_, blocks) in rows.into_iter().flat_map(|row| row.cells) {
                for block in blocks {
                    self.block(block);
                }
            }
            return;
        }
        for (index, row) in rows.into_iter().enumerate() {
            if self.cut {
                return;
            }
            let mut cells = Vec::new();
            for (column, blocks) in row.cells {
                // What does not fit is written into the last column.
                cells.resize_with(column.min(MOST_COLUMNS).max(cells.len()), Rich::default);
                cells.push(flat(blocks).into_cell());
            }
            self.row(cells, (index == 0).then_some(columns));
        }
    }

    /// Where the next block will begin.
    fn next_offset(&self, next: Last) -> usize {
        self.document.text.len() + self.gap(next).len()
    }

    fn gap(&self, next: Last) -> &'static str {
        match (self.last, next) {
            (Last::Nothing, _) => "",
            (Last::Item, Last::Item) => "\n",
            _ => "\n\n",
        }
    }

    fn put(&mut self, before: &str, rich: Rich, kind: Last) {
        if rich.is_blank() {
            // Its page breaks are the next block's.
            let next = self.next_offset(Last::Other);
            self.pages.extend(rich.breaks.iter().map(|_| next));
            return;
        }
        if self.cut {
            return;
        }
        let gap = self.gap(kind);
        self.document.text.push_str(gap);
        self.document.text.push_str(before);
        if !before.is_empty() {
            self.document.text.push(' ');
        }
        self.last = kind;
        self.append(rich);
    }

    /// Writes a line right after the one before.
    fn line(&mut self, rich: Rich) {
        self.document.text.push('\n');
        self.append(rich);
    }

    fn append(&mut self, rich: Rich) {
        let text = &mut self.document.text;
        let by = text.len();
        text.push_str(&rich.text);
        if text.len() > self.most {
            let mut length = self.most;
            while !text.is_char_boundary(length) {
                length -= 1;
            }
            text.truncate(length);
            self.cut = true;
            let most = self.most;
            self.warn(format!(
                "The text was cut after {most} bytes; raise the setting max_text_bytes to have more."
            ));
        }
        let end = self.document.text.len();
        self.pages.extend(rich.breaks.iter().map(|at| at + by));
        for mut link in rich.links {
            link.span.start += by;
            link.span.end += by;
            if link.span.end <= end {
                self.document.links.push(link);
            }
        }
    }

    /// Ends the document. `pages` is how many pages the file says it has: where
    /// that is what was counted, pages are marked.
    ///
    /// # Errors
    /// None so far; callers pass on what they have.
    pub(crate) fn finish(mut self, name: &str, pages: Option<u32>) -> Result<Document, Failure> {
        let length = self.document.text.len();
        if !self.document.text.is_empty() {
            self.document.text.push('\n');
        }
        let counted = u32::try_from(self.pages.len() + 1).unwrap_or(u32::MAX);
        if counted > 1 && pages == Some(counted) {
            self.document.marks.push(Mark::page(0, 1));
            let starts = self.pages.iter().zip(2u32..);
            // Of pages without text that begin at the same place the last counts.
            for (&offset, page) in starts {
                self.document.marks.push(Mark::page(offset, page));
            }
        }
        let marks = &mut self.document.marks;
        marks.retain(|mark| mark.offset < length);
        marks.sort_by_key(|mark| mark.offset);
        let mut kept: Vec<Mark> = Vec::with_capacity(marks.len());
        for mark in marks.drain(..) {
            if kept.last().is_some_and(|last| last.offset == mark.offset) {
                kept.pop();
            }
            kept.push(mark);
        }
        *marks = kept;
        self.document
            .links
            .sort_by_key(|link: &Link| link.span.start);
        if self.document.title.is_empty() {
            let heading = self.heading.filter(|_| !self.parts_only);
            self.document.title = heading.unwrap_or_else(|| title::from_name(name));
        }
        self.document.bound_warnings();
        Ok(self.document)
    }
}

pub(crate) fn is_blank(block: &Block) -> bool {
    match block {
        Block::Heading(_, rich) | Block::Paragraph(rich) | Block::Item(_, _, rich) => {
            rich.is_blank()
        }
        Block::Table(rows) => rows.iter().all(|row| row.cells.is_empty()),
    }
}

/// Blocks as one line of text.
pub(crate) fn flat(blocks: Vec<Block>) -> Rich {
    let mut out = Rich::default();
    // Cells of tables in tables come one after another, too; the depth of
    // tables is bounded where they are read.
    let mut rest: Vec<Block> = blocks;
    rest.reverse();
    while let Some(block) = rest.pop() {
        let mut rich = match block {
            Block::Heading(_, rich) | Block::Paragraph(rich) => rich,
            Block::Item(_, marker, rich) => {
                let label = marker
                    .strip_prefix(BULLET)
                    .map_or(marker.as_str(), str::trim);
                if label.is_empty() {
                    rich
                } else {
                    let mut labelled = Rich::default();
                    labelled.push_raw(label);
                    labelled.space();
                    labelled.append(rich);
                    labelled
                }
            }
            Block::Table(rows) => {
                let cells = rows.into_iter().flat_map(|row| row.cells);
                rest.extend(cells.flat_map(|(_, blocks)| blocks).rev());
                continue;
            }
        };
        rich.finish();
        rich.on_one_line();
        if rich.is_blank() && rich.breaks.is_empty() {
            continue;
        }
        out.space();
        out.append(rich);
    }
    out
}

/// Headers or footers as one line each, each text once. A page's number alone
/// is none.
pub(crate) fn once(margins: Vec<Vec<Block>>) -> Vec<Block> {
    let mut found: Vec<String> = Vec::new();
    let mut blocks = Vec::new();
    for margin in margins {
        let rich = flat(margin);
        let says = rich.text.chars().any(char::is_alphabetic);
        if says && !found.contains(&rich.text) && found.len() < MOST_MARGINS {
            found.push(rich.text.clone());
            blocks.push(Block::Paragraph(rich));
        }
    }
    blocks
}
