//! Markdown, written piece by piece.

use extract_core::{Link, LinkKind};

use crate::address;
use crate::escape::{Spot, push_word};

mod marks;

/// What stands between two pieces of text, at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    None,
    Line,
    Blank,
}

/// Deeper quotes and lists are written as these are, which keeps lines short.
const MAX_CONTAINERS: usize = 8;

#[derive(Debug)]
enum Container {
    Quote,
    Item {
        /// Not written yet.
        marker: Option<String>,
        width: usize,
    },
    /// Too deep to be shown.
    Silent,
}

/// Marks around words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inline {
    Strong,
    Emphasis,
    Struck,
    Quoted,
    Code,
    /// With its destination.
    Link(String),
    /// Nothing is written.
    Silent,
}

#[derive(Debug)]
struct OpenInline {
    inline: Inline,
    /// Where its opening mark stands, once it is written.
    written: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) out: String,
    pub(crate) links: Vec<Link>,
    containers: Vec<Container>,
    /// How many of the containers were open when text was last written.
    shared: usize,
    gap: Gap,
    space: bool,
    line_start: bool,
    /// The level of a heading that has no text yet.
    heading: Option<u8>,
    inlines: Vec<OpenInline>,
    /// Where the last link begins, and where its label ends.
    last_link: Option<(usize, usize)>,
    /// Line ends are spaces: in headings and cells.
    flat: bool,
    cell: bool,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self {
            out: String::new(),
            links: Vec::new(),
            containers: Vec::new(),
            shared: 0,
            gap: Gap::Blank,
            space: false,
            line_start: true,
            heading: None,
            inlines: Vec::new(),
            last_link: None,
            flat: false,
            cell: false,
        }
    }

    pub(crate) fn is_flat(&self) -> bool {
        self.flat
    }

    /// What comes next stands on another line, or below a blank one.
    pub(crate) fn gap(&mut self, gap: Gap) {
        if gap == Gap::None {
            return;
        }
        if self.flat {
            self.space = true;
            return;
        }
        self.suspend();
        self.space = false;
        // The first block of an item stands behind its marker.
        let begun = !matches!(
            self.containers.last(),
            Some(Container::Item {
                marker: Some(_),
                ..
            })
        );
        if begun {
            self.gap = self.gap.max(gap);
        }
    }

    /// `br`: another line, and with the one before a blank one. A link goes on
    /// over it.
    pub(crate) fn line_break(&mut self) {
        let in_link = self
            .inlines
            .iter()
            .any(|open| open.written.is_some() && matches!(open.inline, Inline::Link(_)));
        if self.flat || in_link {
            self.space = true;
        } else if self.gap == Gap::None {
            self.gap(Gap::Line);
        } else {
            self.gap(Gap::Blank);
        }
    }

    pub(crate) fn open_quote(&mut self) {
        self.gap(Gap::Blank);
        self.push_container(Container::Quote);
    }

    /// `marker` is what begins the item, with the space behind it.
    pub(crate) fn open_item(&mut self, marker: String) {
        self.gap(Gap::Line);
        let width = marker.len();
        self.push_container(Container::Item {
            marker: Some(marker),
            width,
        });
    }

    fn push_container(&mut self, container: Container) {
        let shown = self.containers.iter();
        let shown = shown.filter(|open| !matches!(open, Container::Silent));
        let fits = !self.flat && shown.count() < MAX_CONTAINERS;
        self.containers
            .push(if fits { container } else { Container::Silent });
    }

    /// Ends the innermost quote or item.
    pub(crate) fn close_container(&mut self, gap: Gap) {
        self.gap(gap);
        self.containers.pop();
        self.shared = self.shared.min(self.containers.len());
    }

    pub(crate) fn open_heading(&mut self, level: u8) {
        self.gap(Gap::Blank);
        if !self.flat {
            self.heading = Some(level);
            self.flat = true;
        }
    }

    /// Ends the heading that [`Self::open_heading`] began outside of flat text.
    pub(crate) fn close_heading(&mut self) {
        self.suspend();
        self.heading = None;
        self.flat = false;
        self.gap(Gap::Blank);
    }

    /// A picture; `alt` is one line.
    pub(crate) fn image(&mut self, alt: &str, src: &str) {
        self.begin();
        let start = self.out.len();
        self.out.push_str("![");
        let spot = Spot {
            label: true,
            ..self.spot(false)
        };
        for word in alt.split_whitespace() {
            if !self.out.ends_with('[') {
                self.out.push(' ');
            }
            push_word(&mut self.out, word, spot);
        }
        self.out.push_str("](");
        address::push_destination(&mut self.out, src);
        self.out.push(')');
        self.record(LinkKind::Image, src, alt, start);
        self.line_start = false;
    }

    /// Text of the page, with white space as it comes.
    pub(crate) fn text(&mut self, text: &str) {
        let code = self.in_code();
        for (at, word) in text.split(char::is_whitespace).enumerate() {
            if at > 0 {
                self.space = true;
            }
            if word.is_empty() {
                continue;
            }
            if word.bytes().all(|byte| byte.is_ascii_graphic()) {
                self.word(word, code);
            } else if let Some(word) = visible(word) {
                self.word(&word, code);
            }
        }
    }

    fn word(&mut self, word: &str, code: bool) {
        self.begin();
        if code {
            for c in word.chars().filter(|&c| c != '`') {
                // In a table a bar ends the cell, in code too.
                if c == '|' && self.cell {
                    self.out.push('\\');
                }
                self.out.push(c);
            }
        } else {
            let spot = self.spot(self.line_start);
            push_word(&mut self.out, word, spot);
        }
        self.line_start = false;
    }

    /// TeX in a line.
    pub(crate) fn formula(&mut self, tex: &str) {
        self.begin();
        self.out.push('$');
        for (at, word) in tex.split_whitespace().enumerate() {
            if at > 0 {
                self.out.push(' ');
            }
            self.out.push_str(word);
        }
        self.out.push('$');
        self.line_start = false;
    }

    fn spot(&self, line_start: bool) -> Spot {
        let in_link = |open: &OpenInline| matches!(open.inline, Inline::Link(_));
        Spot {
            line_start,
            cell: self.cell,
            label: self.inlines.iter().any(in_link),
        }
    }

    fn in_code(&self) -> bool {
        self.inlines.iter().any(|open| open.inline == Inline::Code)
    }

    /// A line of three dashes.
    pub(crate) fn rule(&mut self) {
        if !self.flat {
            self.gap(Gap::Blank);
            self.begin_line();
            self.out.push_str("---");
            self.gap(Gap::Blank);
        }
    }

    /// Text whose spaces and lines count, fenced.
    pub(crate) fn preformatted(&mut self, text: &str, language: &str) {
        if self.flat {
            self.text(text);
            return;
        }
        let mut longest = 0;
        let mut run = 0;
        for byte in text.bytes() {
            run = if byte == b'`' { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        let fence = "`".repeat((longest + 1).max(3));
        self.gap(Gap::Blank);
        self.begin_line();
        self.out.push_str(&fence);
        self.out.push_str(language);
        for line in text.split('\n') {
            self.new_line(self.containers.len());
            self.out.push_str(line.trim_end_matches('\r'));
        }
        self.new_line(self.containers.len());
        self.out.push_str(&fence);
        self.gap(Gap::Blank);
    }

    /// Begins a row of a table.
    pub(crate) fn open_row(&mut self) {
        self.gap(Gap::Line);
        self.begin_line();
        self.out.push('|');
        self.flat = true;
        self.cell = true;
    }

    pub(crate) fn open_cell(&mut self) {
        self.out.push(' ');
        self.space = false;
        self.line_start = true;
    }

    pub(crate) fn close_cell(&mut self) {
        self.suspend();
        self.space = false;
        self.out.push_str(" |");
    }

    pub(crate) fn close_row(&mut self) {
        self.flat = false;
        self.cell = false;
        self.gap(Gap::Line);
    }

    /// The line between the head and the rows.
    pub(crate) fn row_rule(&mut self, columns: usize) {
        self.gap(Gap::Line);
        self.begin_line();
        self.out.push('|');
        self.out.push_str(&" --- |".repeat(columns));
        self.gap(Gap::Line);
    }

    /// Gets ready for text: the line end or space before it, the marks of its
    /// line, the marks around it.
    fn begin(&mut self) {
        self.begin_line();
        self.rejoin_link();
        if std::mem::take(&mut self.space) && !self.line_start {
            self.out.push(' ');
        }
        for at in 0..self.inlines.len() {
            let open = &mut self.inlines[at];
            let mark = match (&open.inline, open.written) {
                (Inline::Silent, _) | (_, Some(_)) => continue,
                (Inline::Strong, _) => "**",
                (Inline::Emphasis, _) => "*",
                (Inline::Struck, _) => "~~",
                (Inline::Quoted, _) => "“",
                (Inline::Code, _) => "`",
                (Inline::Link(_), _) => "[",
            };
            open.written = Some(self.out.len());
            self.out.push_str(mark);
            self.line_start = false;
        }
    }

    fn begin_line(&mut self) {
        if self.gap != Gap::None && !self.flat || self.heading.is_some() {
            if self.out.is_empty() {
                self.prefix(self.containers.len());
            } else {
                if self.gap == Gap::Blank {
                    self.new_line(self.shared);
                    let length = self.out.trim_end_matches(' ').len();
                    self.out.truncate(length);
                }
                self.new_line(self.containers.len());
            }
            self.shared = self.containers.len();
            self.gap = Gap::None;
            self.space = false;
            self.line_start = true;
        }
        if let Some(level) = self.heading.take() {
            self.out
                .push_str(&"######"[..usize::from(level.clamp(1, 6))]);
            self.out.push(' ');
        }
    }

    fn new_line(&mut self, containers: usize) {
        self.out.push('\n');
        self.prefix(containers);
    }

    /// What the outermost containers put before each of their lines.
    fn prefix(&mut self, containers: usize) {
        for container in &mut self.containers[..containers] {
            match container {
                Container::Quote => self.out.push_str("> "),
                Container::Item { marker, width } => match marker.take() {
                    Some(marker) => self.out.push_str(&marker),
                    None => self.out.extend(std::iter::repeat_n(' ', *width)),
                },
                Container::Silent => {}
            }
        }
    }
}

/// The word without the characters that only say where a line may end; nothing
/// when it has no others (mails are padded with those).
fn visible(word: &str) -> Option<String> {
    let padding = |c: char| {
        matches!(
            c,
            '\u{34F}' | '\u{200C}' | '\u{200D}' | '\u{200E}' | '\u{200F}' | '\u{2061}'..='\u{2064}'
        )
    };
    let word: String = word
        .chars()
        .filter(|&c| {
            !matches!(c, '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}') && !c.is_control()
        })
        .collect();
    (!word.chars().all(padding)).then_some(word)
}
