//! What people and scripts see: answers on stdout, everything else on stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Titles and names.
pub(crate) const STRONG: Style = Style::new().bold();
/// What is less important.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What matched.
pub(crate) const MATCH: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
/// Where something stands.
pub(crate) const PLACE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));
const BAD: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const NOTE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// Width that text is wrapped to where there is no terminal, in columns.
const WIDTH: usize = 100;

/// Where answers and messages go.
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Output { json, quiet }
    }

    /// One line of an answer. A reader that went away ends the program: it has
    /// what it wanted.
    pub(crate) fn line(&self, line: impl Display) {
        self.text(&format!("{line}\n"));
    }

    pub(crate) fn text(&self, text: &str) {
        let mut stdout = anstream::stdout().lock();
        if let Err(error) = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
        {
            if error.kind() == io::ErrorKind::BrokenPipe {
                std::process::exit(0);
            }
            let _ = writeln!(
                anstream::stderr(),
                "{BAD}error:{BAD:#} the answer cannot be written: {error}"
            );
            std::process::exit(1);
        }
    }

    /// The answer as JSON.
    pub(crate) fn json(&self, value: &impl Serialize) -> anyhow::Result<()> {
        self.line(serde_json::to_string_pretty(value)?);
        Ok(())
    }

    /// Something a person should know, beside the answer.
    pub(crate) fn note(&self, note: impl Display) {
        if !self.quiet {
            let _ = writeln!(anstream::stderr(), "{NOTE}note:{NOTE:#} {note}");
        }
    }

    pub(crate) fn error(&self, error: &anyhow::Error) {
        let mut stderr = anstream::stderr();
        let _ = writeln!(stderr, "{BAD}error:{BAD:#} {error:#}");
        if let Some(hint) = error
            .downcast_ref::<pkb_engine::Error>()
            .and_then(pkb_engine::Error::hint)
        {
            let _ = writeln!(stderr, "{NOTE}hint:{NOTE:#} {hint}");
        }
    }

    /// Columns there are for text.
    pub(crate) fn width(&self) -> usize {
        terminal_size::terminal_size()
            .map_or(WIDTH, |(width, _)| usize::from(width.0))
            .clamp(40, 120)
    }

    /// Whether there is someone to ask.
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a question that is answered with yes or no. Without a terminal the
    /// answer is no.
    pub(crate) fn confirm(&self, question: &str) -> bool {
        if !self.can_ask() {
            return false;
        }
        let _ = write!(anstream::stderr(), "{question} [y/N] ");
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).is_ok() && answer.trim().eq_ignore_ascii_case("y")
    }
}

/// Rows in columns. Cells may hold styles; a column is as wide as its widest
/// cell, and numbers stand right.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
}

struct Cell {
    text: String,
    style: Style,
    right: bool,
}

impl Table {
    pub(crate) fn row(&mut self) -> Row<'_> {
        self.rows.push(Vec::new());
        Row(self)
    }

    pub(crate) fn print(&self, output: &Output) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.text.width())
                .max()
        };
        let widths: Vec<usize> = (0..columns)
            .map(|column| width(column).unwrap_or(0))
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            for (at, cell) in row.iter().enumerate() {
                let pad = widths[at] - cell.text.width();
                let style = cell.style;
                let last = at + 1 == row.len();
                if cell.right {
                    text.push_str(&" ".repeat(pad));
                }
                text.push_str(&format!("{style}{}{style:#}", cell.text));
                if !cell.right && !last {
                    text.push_str(&" ".repeat(pad));
                }
                if !last {
                    text.push_str("  ");
                }
            }
            text.push('\n');
        }
        output.text(&text);
    }
}

pub(crate) struct Row<'a>(&'a mut Table);

impl Row<'_> {
    pub(crate) fn text(self, text: impl Display) -> Self {
        self.cell(text, Style::new(), false)
    }

    pub(crate) fn styled(self, text: impl Display, style: Style) -> Self {
        self.cell(text, style, false)
    }

    pub(crate) fn number(self, number: u64) -> Self {
        self.cell(thousands(number), Style::new(), true)
    }

    /// What stands at the right edge of its column, as numbers do.
    pub(crate) fn right(self, text: impl Display, style: Style) -> Self {
        self.cell(text, style, true)
    }

    fn cell(self, text: impl Display, style: Style, right: bool) -> Self {
        if let Some(row) = self.0.rows.last_mut() {
            row.push(Cell {
                text: printable(&text.to_string()),
                style,
                right,
            });
        }
        self
    }
}

/// Text from items, safe to show on a terminal: control characters, escape
/// sequences among them, become visible.
pub(crate) fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// 12345 -> 12,345.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 note`, `2 notes`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        thousands(number),
        if number == 1 { one } else { many }
    )
}

/// Bytes, as people read them.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let mut size = number as f64;
    let mut unit = "bytes";
    for next in UNITS {
        if size < 1000.0 {
            break;
        }
        size /= 1000.0;
        unit = next;
    }
    if unit == "bytes" {
        format!("{number} bytes")
    } else {
        format!("{size:.1} {unit}")
    }
}

/// Breaks `text` into lines of at most `width` columns. `styled` are byte
/// ranges, ascending, shown in `style`.
pub(crate) fn wrap(
    text: &str,
    styled: &[std::ops::Range<usize>],
    style: Style,
    width: usize,
) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    let mut word_at = 0;
    for word in text.split_inclusive(' ') {
        let columns = word.trim_end().width();
        if used > 0 && used + columns > width {
            lines.push(String::new());
            used = 0;
        }
        for (offset, c) in word.char_indices() {
            let at = word_at + offset;
            let wide = c.width().unwrap_or(0);
            if used + wide > width && c != ' ' {
                lines.push(String::new());
                used = 0;
            }
            let Some(line) = lines.last_mut() else {
                continue;
            };
            if styled.iter().any(|range| range.start == at) {
                line.push_str(&style.render().to_string());
            }
            line.push_str(&printable(c.encode_utf8(&mut [0; 4])));
            used += wide;
            if styled.iter().any(|range| range.end == at + c.len_utf8()) {
                line.push_str(&style.render_reset().to_string());
            }
        }
        word_at += word.len();
    }
    lines
        .into_iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
#[allow(
    clippy::single_range_in_vec_init,
    reason = "one match is a list of one range"
)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(16_800_000), "16.8 MB");
        assert_eq!(count(1, "note", "notes"), "1 note");
    }

    #[test]
    fn wrapping_keeps_words_and_marks() {
        let lines = wrap("keep your notes in step", &[5..9], MATCH, 12);
        let plain: Vec<String> = lines
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect();
        assert_eq!(plain, ["keep your", "notes in", "step"]);
        assert!(lines[0].contains(&MATCH.render().to_string()));
        assert_eq!(wrap("日本語日本語", &[], MATCH, 6), ["日本語", "日本語"]);
    }

    #[test]
    fn items_cannot_drive_the_terminal() {
        assert_eq!(
            printable("a\u{1b}[31mb\u{202e}c\n"),
            "a\u{fffd}[31mb\u{fffd}c\n"
        );
    }
}
