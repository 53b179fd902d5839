//! Rich text (RTF).

mod charsets;
mod tokens;
mod words;

use std::collections::HashMap;

use encoding_rs::Encoding;
use extract_core::{Document, Failure, FailureKind};

use crate::flow::{Flow, Kind, warn_of_changes};
use crate::labels;
use crate::properties::Facts;
use crate::rich::Rich;
use crate::settings::Settings;
use crate::writer::{Block, Writer, once};
use tokens::{Token, Tokens};

/// Groups nested deeper than this end the reading.
const MOST_DEPTH: usize = 1_000;

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Body,
    Skip,
    Fonts,
    Styles,
    /// A fact of the document.
    Fact(&'static str),
    /// The instruction of a field.
    Instruction,
    /// The label of an item.
    Label,
    /// Who wrote a comment.
    Author,
}

/// What ends with a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Nothing,
    Field,
    Footnote,
    Comment,
    Header,
    Footer,
    Box,
    Date(&'static str),
}

/// What holds in a group.
#[derive(Clone, Copy)]
struct State {
    target: Target,
    ends: Ends,
    encoding: &'static Encoding,
    /// How many characters stand for one of Unicode.
    fallback: usize,
    hidden: bool,
    deleted: bool,
}

/// What holds for the paragraph.
#[derive(Clone, Copy, Default)]
struct Format {
    heading: Option<u8>,
    in_table: bool,
    level: u8,
}

/// A stretch such as a note: the table in it.
#[derive(Clone, Copy, Default)]
struct Stretch {
    table: bool,
    row: bool,
    cell: bool,
}

struct Reader {
    flow: Flow,
    facts: Facts,
    states: Vec<State>,
    state: State,
    format: Format,
    stretches: Vec<Stretch>,
    stretch: Stretch,
    fonts: HashMap<i32, &'static Encoding>,
    font: i32,
    styles: HashMap<i32, u8>,
    style: i32,
    style_level: Option<u8>,
    ansi: &'static Encoding,
    /// Bytes of text that wait for the rest of a character.
    bytes: Vec<u8>,
    /// Half of a character beyond the first 65,536.
    high: Option<u16>,
    value: String,
    instruction: String,
    label: String,
    author: String,
    date: [i32; 5],
    /// Fallback characters yet to be left out.
    leave_out: usize,
    /// The result of the field that is open is the number of a page.
    page_number: bool,
    headers: Vec<Vec<Block>>,
    footers: Vec<Vec<Block>>,
    footnotes: u32,
    endnotes: u32,
    comments: u32,
    is_endnote: bool,
    deleted: usize,
    hidden: usize,
}

/// Reads a rich text file.
///
/// # Errors
/// Where the bytes are none.
pub(crate) fn read(bytes: Vec<u8>, name: &str, settings: &Settings) -> Result<Document, Failure> {
    let writer = Writer::new(settings.max_text_bytes);
    let ansi = encoding_rs::WINDOWS_1252;
    let state = State {
        target: Target::Body,
        ends: Ends::Nothing,
        encoding: ansi,
        fallback: 1,
        hidden: false,
        deleted: false,
    };
    let mut reader = Reader {
        flow: Flow::new(writer),
        facts: Facts::default(),
        states: Vec::new(),
        state,
        format: Format::default(),
        stretches: Vec::new(),
        stretch: Stretch::default(),
        fonts: HashMap::new(),
        font: 0,
        styles: HashMap::new(),
        style: 0,
        style_level: None,
        ansi,
        bytes: Vec::new(),
        high: None,
        value: String::new(),
        instruction: String::new(),
        label: String::new(),
        author: String::new(),
        date: [0; 5],
        leave_out: 0,
        page_number: false,
        headers: Vec::new(),
        footers: Vec::new(),
        footnotes: 0,
        endnotes: 0,
        comments: 0,
        is_endnote: false,
        deleted: 0,
        hidden: 0,
    };
    let mut warning = None;
    let mut closed = false;
    for token in Tokens::new(&bytes) {
        if reader.flow.writer.full() {
            closed = true;
            break;
        }
        if closed {
            // What comes after the document's group is none of it.
            break;
        }
        match token {
            Token::Open => {
                if reader.states.len() >= MOST_DEPTH {
                    warning = Some("The file is nested too deep; what comes after was left out.");
                    closed = true;
                } else {
                    reader.open();
                }
            }
            Token::Close => {
                reader.close();
                closed = reader.states.is_empty();
            }
            Token::Text(text) => reader.text(text),
            Token::Byte(byte) => reader.byte(byte),
            Token::Word(word, number) => reader.word(word, number),
            Token::Symbol(symbol) => reader.symbol(symbol),
        }
    }
    if reader.flow.writer.document.text.is_empty() && !closed && reader.states.is_empty() {
        return Err(Failure::new(
            FailureKind::InvalidInput,
            "The file begins as rich text does, but holds none.",
        ));
    }
    if !closed {
        warning = Some("The file is cut off: its end is missing.");
    }
    reader.finish(name, warning)
}

impl Reader {
    fn finish(mut self, name: &str, warning: Option<&str>) -> Result<Document, Failure> {
        self.flush();
        while !self.states.is_empty() {
            self.close();
        }
        self.end_table();
        self.flow.close_all();
        for footer in once(std::mem::take(&mut self.footers)) {
            self.flow.block(footer);
        }
        let (deleted, hidden) = (self.deleted, self.hidden);
        let mut writer = self.flow.finish();
        self.facts.apply(&mut writer.document);
        writer.document.warnings.extend(warning.map(str::to_owned));
        warn_of_changes(&mut writer, deleted, hidden);
        writer.finish(name, None)
    }

    fn open(&mut self) {
        self.flush();
        self.states.push(self.state);
        self.state.ends = Ends::Nothing;
        self.leave_out = 0;
    }

    fn close(&mut self) {
        self.flush();
        self.leave_out = 0;
        let Some(outer) = self.states.pop() else {
            return;
        };
        let state = std::mem::replace(&mut self.state, outer);
        match state.target {
            Target::Fact(name) if outer.target != state.target => {
                let value = std::mem::take(&mut self.value);
                self.facts.add(name, &value);
            }
            Target::Instruction if outer.target != state.target => {
                if let Some(address) = crate::docx::link(&self.instruction)
                    && outer.target == Target::Body
                {
                    self.paragraph();
                    self.flow.rich();
                    self.flow.open_link(&address);
                }
                // Pages count in headers and footers, and say nothing there.
                let in_margin = |state: &State| matches!(state.ends, Ends::Header | Ends::Footer);
                self.page_number = crate::docx::counts_pages(&self.instruction)
                    && self.states.iter().any(in_margin);
                self.instruction.clear();
            }
            _ => {}
        }
        match state.ends {
            Ends::Nothing => {}
            Ends::Field => {
                self.flow.close_link(true);
            }
            Ends::Footnote => {
                let blocks = self.end_stretch();
                let label = if std::mem::take(&mut self.is_endnote) {
                    self.endnotes += 1;
                    format!("e{}", self.endnotes)
                } else {
                    self.footnotes += 1;
                    self.footnotes.to_string()
                };
                self.paragraph();
                self.flow.note(label, blocks);
            }
            Ends::Comment => {
                let mut blocks = self.end_stretch();
                let mut by = Rich::default();
                match std::mem::take(&mut self.author).trim() {
                    "" => by.push("Comment:"),
                    author => by.push(&format!("Comment by {author}:")),
                }
                blocks.insert(0, Block::Paragraph(by));
                self.comments += 1;
                self.paragraph();
                self.flow.note(format!("c{}", self.comments), blocks);
            }
            Ends::Header => {
                let blocks = self.end_stretch();
                self.headers.push(blocks);
            }
            Ends::Footer => {
                let blocks = self.end_stretch();
                self.footers.push(blocks);
            }
            Ends::Box => {
                for block in self.end_stretch() {
                    self.flow.block_after(block);
                }
            }
            Ends::Date(name) => {
                let [year, month, day, hour, minute] = std::mem::take(&mut self.date);
                let date = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00");
                self.facts.add(name, &date);
            }
        }
    }

    /// Begins a note or a box; what lies too deep is left out.
    fn begin_stretch(&mut self, ends: Ends) {
        if self.flow.open_frame() {
            self.stretches.push(std::mem::take(&mut self.stretch));
            self.state.target = Target::Body;
            self.state.ends = ends;
        } else {
            self.state.target = Target::Skip;
        }
    }

    fn end_stretch(&mut self) -> Vec<Block> {
        self.end_table();
        self.stretch = self.stretches.pop().unwrap_or_default();
        self.flow.close_frame()
    }

    /// Makes sure that text has a place to go to.
    fn paragraph(&mut self) {
        if !self.format.in_table {
            self.end_table();
        } else if !self.stretch.cell {
            if !self.stretch.table {
                self.stretch.table = self.flow.open_table();
                if !self.stretch.table {
                    return;
                }
            }
            if !self.stretch.row {
                self.flow.open_row();
                self.stretch.row = true;
            }
            self.stretch.cell = self.flow.open_frame();
        }
    }

    fn end_cell(&mut self) {
        if std::mem::take(&mut self.stretch.cell) {
            self.end_paragraph();
            let blocks = self.flow.close_frame();
            self.flow.cell(blocks, 1);
        }
    }

    fn end_table(&mut self) {
        self.end_cell();
        self.stretch.row = false;
        if std::mem::take(&mut self.stretch.table) {
            self.flow.close_table();
        }
    }

    fn end_paragraph(&mut self) {
        let label = std::mem::take(&mut self.label);
        let label = label.trim();
        if !self.flow.in_paragraph() {
            return;
        }
        let kind = match self.format.heading {
            Some(level) => {
                if !label.is_empty() {
                    let rest = std::mem::take(self.flow.rich());
                    let rich = self.flow.rich();
                    rich.push(label);
                    rich.space();
                    rich.append(rest);
                }
                Kind::Heading(level)
            }
            None if label.is_empty() => Kind::Paragraph,
            None => {
                let says = label.chars().any(char::is_alphanumeric);
                let marker = labels::marker(if says { label } else { "" });
                Kind::Item(self.format.level, marker)
            }
        };
        self.flow.close_paragraph(kind);
    }

    /// Text of Unicode.
    fn put(&mut self, text: &str) {
        match self.state.target {
            Target::Body if self.state.deleted => {}
            Target::Body if self.state.hidden => {
                self.hidden += usize::from(!text.trim().is_empty())
            }
            Target::Body => {
                self.paragraph();
                self.flow.rich().push(text);
            }
            Target::Fact(_) | Target::Styles => self.value.push_str(text),
            Target::Instruction => {
                if self.instruction.len() < 4_096 {
                    self.instruction.push_str(text);
                }
            }
            Target::Label => {
                if self.label.len() < 100 {
                    self.label.push_str(text);
                }
            }
            Target::Author => self.author.push_str(text),
            Target::Skip | Target::Fonts => {}
        }
        if self.state.target == Target::Styles {
            self.style_text();
        }
    }

    /// The name of a style tells headings where its level does not.
    fn style_text(&mut self) {
        if let Some((name, _)) = self.value.split_once(';') {
            let name = name.trim().to_lowercase();
            let by_name = name
                .strip_prefix("heading ")
                .and_then(|level| level.parse().ok());
            let by_name = by_name.or((name == "title").then_some(1u8));
            if let Some(level) = self
                .style_level
                .take()
                .or(by_name)
                .filter(|&level| level <= 9)
            {
                self.styles.insert(self.style, level);
            }
            self.value.clear();
        }
    }

    /// Decodes the bytes that wait.
    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            let (text, _) = self.state.encoding.decode_without_bom_handling(&bytes);
            self.put(&text);
        }
    }

    fn text(&mut self, text: &[u8]) {
        let left_out = self.leave_out.min(text.len());
        self.leave_out -= left_out;
        if matches!(self.state.target, Target::Skip | Target::Fonts) {
            return;
        }
        self.bytes.extend_from_slice(&text[left_out..]);
    }

    fn byte(&mut self, byte: u8) {
        if self.leave_out > 0 {
            self.leave_out -= 1;
        } else if !matches!(self.state.target, Target::Skip | Target::Fonts) {
            self.bytes.push(byte);
        }
    }

    fn unicode(&mut self, number: i32) {
        self.flush();
        self.leave_out = self.state.fallback;
        // Numbers over 32,767 are written as negative ones.
        let unit = number as u16;
        let found = match (self.high.take(), unit) {
            (None, 0xD800..=0xDBFF) => {
                self.high = Some(unit);
                return;
            }
            (Some(high), _) => char::decode_utf16([high, unit]).next(),
            (None, _) => char::decode_utf16([unit]).next(),
        };
        if let Some(Ok(c)) = found {
            self.put(c.encode_utf8(&mut [0; 4]));
        }
    }
}
