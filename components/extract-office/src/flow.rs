//! Paragraphs, tables, text boxes and notes, nested as the file nests them, on
//! their way to the writer.

use crate::rich::Rich;
use crate::writer::{Block, Row, Writer, flat, is_blank};

/// Tables, boxes and notes nested deeper than this are left out.
const MOST_NESTED: usize = 24;
/// More paragraphs do not wait in memory for the end of a table.
const MOST_WAITING: usize = 400_000;
/// A longer address is none that a person would follow, in bytes.
const MOST_ADDRESS: usize = 2_048;
/// All addresses together, in bytes. A file says each once, and may refer to
/// it from a thousand places.
const MOST_LINKS: usize = 16 << 20;
/// A cell that spans more columns than this spans this many.
const MOST_SPAN: usize = 64;

/// What a paragraph is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// With its level, from 1.
    Heading(u8),
    Paragraph,
    /// With its level, from 0, and its label.
    Item(u8, String),
}

/// A stretch of blocks: the body, a cell, a text box, a note.
#[derive(Default)]
struct Frame {
    blocks: Vec<Block>,
    paragraph: Option<Rich>,
    /// What is anchored in the paragraph and comes after it.
    after: Vec<Block>,
    /// The row of the innermost table.
    rows: Option<Vec<Row>>,
}

/// Where a reader puts what it reads.
pub(crate) struct Flow {
    pub(crate) writer: Writer,
    /// The first is the body, and never goes.
    frames: Vec<Frame>,
    body: Frame,
    /// Notes and comments that have been referred to, with their labels.
    notes: Vec<(String, Vec<Block>)>,
    /// How many of them belong to the list that is open.
    held: usize,
    too_deep: usize,
    /// How many blocks wait in stretches that are open.
    waiting: usize,
    /// How much addresses take up, in bytes.
    links: usize,
}

impl Flow {
    pub(crate) fn new(writer: Writer) -> Self {
        Self {
            writer,
            frames: Vec::new(),
            body: Frame::default(),
            notes: Vec::new(),
            held: 0,
            too_deep: 0,
            waiting: 0,
            links: 0,
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap_or(&mut self.body)
    }

    /// The paragraph that is open; one is opened where there is none.
    pub(crate) fn rich(&mut self) -> &mut Rich {
        self.frame().paragraph.get_or_insert_default()
    }

    /// Whether a paragraph is open.
    pub(crate) fn in_paragraph(&mut self) -> bool {
        self.frame().paragraph.is_some()
    }

    /// Begins a link in the paragraph that is open. False where it stays words:
    /// it stands in no paragraph, or addresses take up too much already.
    pub(crate) fn open_link(&mut self, address: &str) -> bool {
        let room = MOST_LINKS.saturating_sub(self.links);
        if address.len() > MOST_ADDRESS.min(room) || !self.in_paragraph() {
            return false;
        }
        let opened = self.rich().open_link(address);
        self.links += if opened { address.len() + 64 } else { 0 };
        opened
    }

    /// Ends a link in the paragraph that is open, where one was opened.
    pub(crate) fn close_link(&mut self, opened: bool) {
        if opened && let Some(rich) = &mut self.frame().paragraph {
            rich.close_link();
        }
    }

    /// Ends the paragraph that is open.
    pub(crate) fn close_paragraph(&mut self, kind: Kind) {
        let Some(mut rich) = self.frame().paragraph.take() else {
            return;
        };
        rich.finish();
        let block = match kind {
            Kind::Heading(level) => Block::Heading(level, rich),
            Kind::Paragraph => Block::Paragraph(rich),
            Kind::Item(level, label) => Block::Item(level, label, rich),
        };
        self.block(block);
        for block in std::mem::take(&mut self.frame().after) {
            self.block(block);
        }
    }

    /// Puts a block where the reader stands.
    pub(crate) fn block(&mut self, block: Block) {
        if let Some(frame) = self.frames.last_mut() {
            // What says nothing is not worth its memory.
            if !is_blank(&block) || begins_a_page(&block) {
                frame.blocks.push(block);
                self.waiting += 1;
            }
            if self.waiting > MOST_WAITING {
                self.writer.stop(format!(
                    "The text was cut in a table, a box or a slide of over {MOST_WAITING} paragraphs."
                ));
            }
            return;
        }
        self.waiting = 0;
        // Notes between its items would end a list: they come after it.
        if matches!(block, Block::Item(..)) {
            self.writer.block(block);
            self.held = self.notes.len();
        } else {
            let own = self.notes.split_off(self.held.min(self.notes.len()));
            self.flush_notes();
            self.writer.block(block);
            self.notes = own;
            self.flush_notes();
        }
    }

    /// Puts a block after the paragraph that is open.
    pub(crate) fn block_after(&mut self, block: Block) {
        if self.in_paragraph() {
            self.frame().after.push(block);
        } else {
            self.block(block);
        }
    }

    /// Begins a stretch of its own. False where it lies too deep and is to be
    /// left out.
    pub(crate) fn open_frame(&mut self) -> bool {
        let fits = self.frames.len() < MOST_NESTED;
        if fits {
            self.frames.push(Frame::default());
        } else {
            self.too_deep += 1;
        }
        fits
    }

    /// Ends the stretch, and hands it over.
    pub(crate) fn close_frame(&mut self) -> Vec<Block> {
        self.close_paragraph(Kind::Paragraph);
        self.close_table();
        self.frames
            .pop()
            .map_or_else(Vec::new, |frame| frame.blocks)
    }

    /// Begins a table. False where it is to be left out.
    pub(crate) fn open_table(&mut self) -> bool {
        self.close_paragraph(Kind::Paragraph);
        if self.frames.len() >= MOST_NESTED || self.frame().rows.is_some() {
            self.too_deep += 1;
            return false;
        }
        self.frame().rows = Some(Vec::new());
        true
    }

    /// Begins a row.
    pub(crate) fn open_row(&mut self) {
        if let Some(rows) = &mut self.frame().rows {
            match rows.last_mut() {
                Some(row) if row.cells.is_empty() => row.columns = 0,
                _ => rows.push(Row::default()),
            }
        }
    }

    /// Puts a cell into the row, over so many columns.
    pub(crate) fn cell(&mut self, blocks: Vec<Block>, span: usize) {
        if let Some(rows) = &mut self.frame().rows {
            if rows.is_empty() {
                rows.push(Row::default());
            }
            if let Some(row) = rows.last_mut() {
                if !blocks.is_empty() {
                    row.cells.push((row.columns, blocks));
                }
                row.columns += span.clamp(1, MOST_SPAN);
            }
        }
    }

    /// Takes the last row away.
    pub(crate) fn drop_row(&mut self) {
        if let Some(rows) = &mut self.frame().rows {
            rows.pop();
        }
    }

    /// Ends the table.
    pub(crate) fn close_table(&mut self) {
        if let Some(rows) = self.frame().rows.take() {
            self.block(Block::Table(rows));
        }
    }

    /// Refers to a note and keeps it for when the paragraph is over.
    pub(crate) fn note(&mut self, label: String, blocks: Vec<Block>) {
        let rich = self.rich();
        rich.push_raw("[^");
        rich.push_raw(&label);
        rich.push_raw("]");
        self.notes.push((label, blocks));
    }

    /// Writes the notes that have been referred to.
    fn flush_notes(&mut self) {
        self.held = 0;
        for (label, blocks) in std::mem::take(&mut self.notes) {
            let text = flat(blocks);
            if text.is_blank() {
                continue;
            }
            let mut note = Rich::default();
            note.push_raw("[^");
            note.push_raw(&label);
            note.push_raw("]: ");
            note.append(text);
            self.writer.markdown(note);
        }
    }

    /// Ends all stretches that are open, those too that a damaged file left so,
    /// and hands over the outermost.
    pub(crate) fn close_all_frames(&mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        while !self.frames.is_empty() {
            let mut outer = self.close_frame();
            outer.append(&mut blocks);
            blocks = outer;
        }
        blocks
    }

    /// Ends everything that a damaged file left open.
    pub(crate) fn close_all(&mut self) {
        while !self.frames.is_empty() {
            let blocks = self.close_frame();
            if self.frame().rows.is_some() {
                self.cell(blocks, 1);
            } else {
                for block in blocks {
                    self.block_after(block);
                }
            }
        }
        self.close_paragraph(Kind::Paragraph);
        self.close_table();
        self.flush_notes();
    }

    /// Ends the document.
    pub(crate) fn finish(mut self) -> Writer {
        self.close_all();
        if self.too_deep > 0 {
            let count = self.too_deep;
            self.writer.warn(format!(
                "Tables and text boxes nested over {MOST_NESTED} deep were left out: {count}."
            ));
        }
        self.writer
    }
}

/// Says what of a document was left out on purpose.
pub(crate) fn warn_of_changes(writer: &mut Writer, deleted: usize, hidden: usize) {
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    };
    if deleted > 0 {
        let deletions = count(deleted, "deletion", "deletions");
        writer.warn(format!(
            "The document has tracked changes: the text of {deletions} was left out."
        ));
    }
    if hidden > 0 {
        let places = count(hidden, "place", "places");
        writer.warn(format!("Hidden text was left out in {places}."));
    }
}

fn begins_a_page(block: &Block) -> bool {
    match block {
        Block::Heading(_, rich) | Block::Paragraph(rich) | Block::Item(_, _, rich) => {
            !rich.breaks.is_empty()
        }
        Block::Table(_) => false,
    }
}
