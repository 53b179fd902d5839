//! What the Markdown of a text says about where it may be cut.

mod framed;
mod lines;
mod math;
mod records;
mod tables;
mod titles;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::outline::Outline;
use crate::params::{
    BLOCK, CODE_EDGE, GLUED, HEADING, HEADING_BYTES, ITEM, LINE, NESTING, NESTING_LEVELS, RECORD,
    ROW, RULE,
};
pub(crate) use lines::{Lines, Mark};
pub(crate) use tables::Introduction;

/// A stretch that stays whole where it fits the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Solid {
    /// Whole lines, or a formula inside a line.
    pub(crate) span: Range<usize>,
    /// What is repeated before a piece of it that begins in a later chunk:
    /// an index into [`Structure::leads`].
    pub(crate) lead: Option<usize>,
    pub(crate) kind: SolidKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolidKind {
    /// A code block; with its fences, if it has some.
    Code,
    /// A table's header with the line under it.
    TableHeader,
    TableRow,
    Math,
}

/// What [`read`] finds.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub(crate) lines: Lines,
    /// Ascending, apart from one another.
    pub(crate) solids: Vec<Solid>,
    /// Links, code spans and formulas in running text: no sentence begins
    /// inside one. Ascending, apart from one another.
    pub(crate) inline: Vec<Range<usize>>,
    /// Cuts beside a formula of several lines that shares its first or last
    /// line with other text. Ascending.
    pub(crate) beside_math: Vec<usize>,
    /// Table headers and opening fences, without the marks of quotes around.
    pub(crate) leads: Vec<String>,
    /// First line and line after the last of every heading, those in lists and
    /// quotes included.
    pub(crate) heading_lines: Vec<Range<usize>>,
    pub(crate) outline: Outline,
    /// Bytes of the paragraphs that are lists of records, one to a line.
    /// Ascending.
    pub(crate) records: Vec<Range<usize>>,
    /// What introduces the tables that something does, in their order.
    pub(crate) introductions: Vec<Introduction>,
}

impl Structure {
    /// The link, code span or formula that a cut at `at` would cut.
    pub(crate) fn inline_around(&self, at: usize) -> Option<&Range<usize>> {
        let next = self.inline.partition_point(|span| span.end <= at);
        self.inline.get(next).filter(|span| span.start < at)
    }

    /// Whether the byte at `at` belongs to a list of records.
    pub(crate) fn is_record(&self, at: usize) -> bool {
        let next = self.records.partition_point(|list| list.end <= at);
        self.records.get(next).is_some_and(|list| list.start <= at)
    }

    /// What introduces the table that holds the byte at `at`.
    pub(crate) fn introduction(&self, at: usize) -> Option<&str> {
        let next = self
            .introductions
            .partition_point(|known| known.table.end <= at);
        let known = self.introductions.get(next)?;
        (known.table.start <= at).then_some(known.text.as_str())
    }
}

/// Reads the structure of `text`.
pub(crate) fn read(text: &str) -> Structure {
    let mut reader = Reader::new(text);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_WIKILINKS;
    for (event, span) in Parser::new_ext(text, options).into_offset_iter() {
        reader.take(event, span);
    }
    math::add_blocks(text, &mut reader.found);
    tables::add(text, &mut reader.found);
    reader.found
}

/// The heading being read.
struct OpenHeading {
    level: u8,
    text: String,
    span: Range<usize>,
}

struct Reader<'a> {
    text: &'a str,
    found: Structure,
    /// How many lists, items, quotes and footnotes are open.
    depth: usize,
    /// How many of them are lists.
    lists: usize,
    heading: Option<OpenHeading>,
    /// A line after which the next block begins with at least this quality.
    edge: Option<(usize, f32)>,
    /// The lead of the table that is open.
    table: Option<usize>,
    first_row: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            found: Structure {
                lines: Lines::new(text),
                ..Structure::default()
            },
            depth: 0,
            lists: 0,
            heading: None,
            edge: None,
            table: None,
            first_row: false,
        }
    }

    fn take(&mut self, event: Event<'_>, span: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, span),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => self.heading_text(&words),
            Event::Code(words) | Event::InlineMath(words) => {
                self.heading_text(&words);
                self.inline(span);
            }
            Event::DisplayMath(words) => {
                self.heading_text(&words);
                self.display_math(span);
            }
            Event::SoftBreak | Event::HardBreak => self.heading_text(" "),
            Event::Rule => {
                // It parts what is around it, and a chunk had better begin
                // after it.
                let line = self.claim(&span, LINE);
                if self.depth == 0 {
                    self.edge = Some((line, RULE));
                }
            }
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } => self.start_heading(*level, span),
            Tag::CodeBlock(kind) => self.code(kind, span),
            Tag::Paragraph => {
                self.claim(&span, self.block());
                self.framed_headings(&span);
                self.records(&span);
            }
            Tag::HtmlBlock => {
                self.claim(&span, self.block());
            }
            Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
                self.claim(&span, self.block());
                self.depth += 1;
            }
            Tag::List(_) => {
                self.claim(&span, self.block());
                self.depth += 1;
                self.lists += 1;
            }
            Tag::Item => {
                let levels = self.lists.saturating_sub(1).min(NESTING_LEVELS);
                self.claim(&span, ITEM - NESTING * levels as f32);
                self.depth += 1;
            }
            Tag::Table(_) => {
                self.claim(&span, self.block());
                self.table = None;
            }
            Tag::TableHead => self.table_header(&span),
            Tag::TableRow => self.table_row(&span),
            Tag::Link { .. } | Tag::Image { .. } => self.inline(span),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition | TagEnd::Item => self.depth -= 1,
            TagEnd::List(_) => {
                self.depth -= 1;
                self.lists -= 1;
            }
            TagEnd::Heading(_) => {
                if let Some(heading) = self.heading.take()
                    && self.depth == 0
                {
                    self.found
                        .outline
                        .push(heading.span, heading.level, &heading.text);
                }
            }
            _ => {}
        }
    }

    /// Quality of a block inside the containers that are open.
    fn block(&self) -> f32 {
        BLOCK - NESTING * self.depth.min(NESTING_LEVELS) as f32
    }

    /// Says that a block begins on the line of `span.start`; the outermost
    /// block of a line decides. Answers the line.
    fn claim(&mut self, span: &Range<usize>, quality: f32) -> usize {
        let line = self.found.lines.at(span.start);
        let quality = match self.edge {
            Some((edge, least)) if line > edge => {
                self.edge = None;
                quality.max(least)
            }
            _ => quality,
        };
        if self.found.lines.marks[line] == Mark::Plain {
            self.found.lines.marks[line] = Mark::Start(quality);
        }
        line
    }

    fn start_heading(&mut self, level: HeadingLevel, span: Range<usize>) {
        let level = level as u8;
        let quality = if self.depth == 0 {
            HEADING[usize::from(level - 1)]
        } else {
            self.block()
        };
        self.claim(&span, quality);
        let lines = self.found.lines.covering(self.text, &span);
        self.found.lines.close(lines.clone());
        self.heading = Some(OpenHeading {
            level,
            text: String::new(),
            span: span.start..self.found.lines.span(&lines).end,
        });
        self.found.heading_lines.push(lines);
    }

    /// Takes the headings that a paragraph holds in a wiki's way of writing.
    fn framed_headings(&mut self, paragraph: &Range<usize>) {
        if self.depth > 0 || !self.text[paragraph.clone()].contains('=') {
            return;
        }
        for line in self.found.lines.covering(self.text, paragraph) {
            let span = self.found.lines.span(&(line..line + 1));
            let line_text = &self.text[span.clone()];
            if let Some((level, words)) = framed::heading(line_text) {
                let quality = HEADING[usize::from(level - 1)];
                self.found.lines.marks[line] = Mark::Start(quality);
                self.found.heading_lines.push(line..line + 1);
                let indentation = line_text.len() - line_text.trim_start().len();
                let span = span.start + indentation..span.end;
                self.found.outline.push(span, level, words);
            }
        }
    }

    /// Takes a paragraph that is a list of records, one to a line.
    fn records(&mut self, paragraph: &Range<usize>) {
        let lines = self.found.lines.covering(self.text, paragraph);
        if self.depth > 0 || !records::are_records(self.text, &self.found.lines, &lines) {
            return;
        }
        for mark in &mut self.found.lines.marks[lines.start + 1..lines.end] {
            if *mark == Mark::Plain {
                *mark = Mark::Start(RECORD);
            }
        }
        let span = self.found.lines.span(&lines);
        self.found.records.push(span);
    }

    fn heading_text(&mut self, words: &str) {
        if let Some(heading) = &mut self.heading
            // More than is kept of any heading.
            && heading.text.len() <= 8 * HEADING_BYTES
        {
            heading.text.push_str(words);
        }
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>, span: Range<usize>) {
        let quality = if self.depth == 0 {
            CODE_EDGE
        } else {
            self.block()
        };
        self.claim(&span, quality);
        let lines = self.found.lines.covering(self.text, &span);
        if self.depth == 0 {
            self.edge = Some((lines.end - 1, CODE_EDGE));
        }
        let lead = match kind {
            CodeBlockKind::Fenced(_) => {
                let opening = self.found.lines.span(&(lines.start..lines.start + 1));
                Some(self.add_lead(span.start.max(opening.start)..opening.end))
            }
            CodeBlockKind::Indented => None,
        };
        self.solid(&lines, lead, SolidKind::Code);
    }

    fn table_header(&mut self, span: &Range<usize>) {
        let line = self.found.lines.at(span.start);
        // The line of dashes under it belongs to it.
        let lines = line..(line + 2).min(self.found.lines.len());
        let lead = self.add_lead(span.start..self.found.lines.span(&lines).end);
        self.table = Some(lead);
        self.first_row = true;
        self.solid(&lines, None, SolidKind::TableHeader);
    }

    fn table_row(&mut self, span: &Range<usize>) {
        let quality = if self.first_row { GLUED } else { ROW };
        let line = self.claim(span, quality);
        self.first_row = false;
        self.solid(&(line..line + 1), self.table, SolidKind::TableRow);
    }

    fn add_lead(&mut self, span: Range<usize>) -> usize {
        let lead: Vec<&str> = self.text[span]
            .lines()
            .map(|line| line.trim_start_matches(is_container_mark).trim_end())
            .collect();
        self.found.leads.push(lead.join("\n").trim_end().to_owned());
        self.found.leads.len() - 1
    }

    /// Makes whole lines a solid; nothing where they overlap the one before.
    fn solid(&mut self, lines: &Range<usize>, lead: Option<usize>, kind: SolidKind) {
        self.found.lines.close(lines.clone());
        let span = self.found.lines.span(lines);
        self.add_solid(Solid { span, lead, kind });
    }

    fn add_solid(&mut self, solid: Solid) {
        if self
            .found
            .solids
            .last()
            .is_none_or(|last| last.span.end <= solid.span.start)
        {
            self.found.solids.push(solid);
        }
    }

    fn inline(&mut self, span: Range<usize>) {
        let lines = self.found.lines.covering(self.text, &span);
        self.found.lines.close(lines);
        if self
            .found
            .inline
            .last()
            .is_none_or(|last| last.end <= span.start)
        {
            self.found.inline.push(span);
        }
    }

    /// A formula between `$$` that is not alone on its line is running text,
    /// but one of several lines is set apart.
    fn display_math(&mut self, span: Range<usize>) {
        let lines = self.found.lines.covering(self.text, &span);
        let whole = self.found.lines.span(&lines);
        let before = self.text[whole.start..span.start].trim_start_matches(is_container_mark);
        let after = self.text[span.end..whole.end].trim();
        self.inline(span.clone());
        if self.heading.is_some() || (lines.len() == 1 && !(before.is_empty() && after.is_empty()))
        {
            return;
        }
        let start = if before.is_empty() {
            whole.start
        } else {
            self.found.beside_math.push(span.start);
            span.start
        };
        if !after.is_empty() {
            let gap = self.text[span.end..].len() - self.text[span.end..].trim_start().len();
            self.found.beside_math.push(span.end + gap);
        }
        self.add_solid(Solid {
            span: start..span.end,
            lead: None,
            kind: SolidKind::Math,
        });
    }
}

/// Characters that only say which quote or list a line belongs to.
pub(crate) fn is_container_mark(character: char) -> bool {
    character == '>' || character.is_whitespace()
}
