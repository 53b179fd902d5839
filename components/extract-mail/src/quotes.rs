//! What a message adds, without what it quotes and what signs it.
//!
//! A mailbox has the quoted message too, so quotes are left out of the text;
//! short ones that an answer follows stay, as the answer means nothing without
//! them. What is passed on is not a quote.

use std::ops::Range;

use crate::phrases::{self, Attribution, Label, bare};

/// Longer quotes are not kept before an answer.
const MOST_CONTEXT: usize = 3;
/// More lines after `-- ` are no signature.
const MOST_SIGNATURE: usize = 15;
/// So many lines at the end may be the footer of a mailing list.
const MOST_FOOTER: usize = 12;
/// Within so many lines of each other stand the fields of a quoted header.
const MOST_HEADER: usize = 8;

/// The parts of a text that stay.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Separated {
    /// In order, whole lines with their ends.
    pub(crate) kept: Vec<Range<usize>>,
    /// How many lines of quoted messages were left out.
    pub(crate) quoted: usize,
    /// Whether nothing of what the message says itself is in it.
    pub(crate) only_quotes: bool,
}

/// A line by its place: there may be millions.
struct Line {
    start: u32,
    end: u32,
    /// How many `>` it begins with.
    depth: u32,
    is_blank: bool,
}

/// The depth of quotation of a line, and how many bytes tell it.
pub(crate) fn depth(line: &str) -> (usize, usize) {
    let bytes = line.as_bytes();
    let (mut depth, mut at, mut spaces) = (0, 0, 0);
    let mut end = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'>' => {
                depth += 1;
                spaces = 0;
                end = at;
            }
            b' ' if spaces < 2 => spaces += 1,
            _ => break,
        }
    }
    // `From ` at the start of a line is written so on its way.
    if depth == 1 && line.starts_with(">From ") {
        return (0, 0);
    }
    (depth, end)
}

/// Tells what a text adds from what it quotes; `is_forward` where the whole
/// message passes another one on.
pub(crate) fn separate(text: &str, is_forward: bool) -> Separated {
    let Ok(mut lines) = lines_of(text) else {
        // Bodies are bounded far below the gigabytes that do not fit.
        return Separated {
            kept: std::iter::once(0..text.len()).collect(),
            ..Separated::default()
        };
    };
    join_broken_quotes(text, &mut lines);
    let mut sieve = Sieve {
        text,
        keep: vec![true; lines.len()],
        quoted: 0,
        end: lines.len(),
        last_quoted: lines.iter().rposition(|line| line.depth > 0),
        last_said: lines.iter().rposition(|line| !line.is_blank),
        lines,
    };
    sieve.stop_at_forward();
    sieve.drop_whole_quote(is_forward);
    sieve.drop_list_footer();
    sieve.drop_signature();
    sieve.drop_quote_blocks();
    sieve.drop_mobile_signature();
    sieve.finish()
}

fn lines_of(text: &str) -> Result<Vec<Line>, std::num::TryFromIntError> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let from = u32::try_from(start)?;
            start += line.len();
            Ok(Line {
                start: from,
                end: u32::try_from(start)?,
                depth: u32::try_from(depth(line).0)?,
                is_blank: line.trim().is_empty(),
            })
        })
        .collect()
}

impl Line {
    fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.range()]
    }
}

/// The rest of a quoted line that was broken on its way stands without a mark.
fn join_broken_quotes(text: &str, lines: &mut [Line]) {
    for at in 1..lines.len().saturating_sub(1) {
        let [before, line, after] = &mut lines[at - 1..=at + 1] else {
            continue;
        };
        let broken = before.depth > 0
            && after.depth > 0
            && line.depth == 0
            && !line.is_blank
            && before.range().len() > 60
            && line.range().len() < 30
            && line.text(text).starts_with(char::is_lowercase);
        if broken {
            line.depth = before.depth;
        }
    }
}

struct Sieve<'a> {
    text: &'a str,
    lines: Vec<Line>,
    keep: Vec<bool>,
    quoted: usize,
    /// What is from here on has been settled.
    end: usize,
    last_quoted: Option<usize>,
    last_said: Option<usize>,
}

impl<'a> Sieve<'a> {
    fn line(&self, at: usize) -> &'a str {
        self.lines[at].text(self.text)
    }

    fn bare(&self, at: usize) -> String {
        bare(self.line(at))
    }

    fn drop(&mut self, range: Range<usize>, quoted: bool) {
        for at in range {
            if self.keep[at] {
                self.keep[at] = false;
                self.quoted += usize::from(quoted && !self.lines[at].is_blank);
            }
        }
    }

    /// Whether a line is in the message's own words.
    fn is_own(&self, at: usize) -> bool {
        self.keep[at] && self.lines[at].depth == 0 && !self.lines[at].is_blank
    }

    fn has_own(&self, range: Range<usize>) -> bool {
        range.into_iter().any(|at| self.is_own(at))
    }

    /// What is passed on stays as it is.
    fn stop_at_forward(&mut self) {
        for at in 0..self.end {
            let line = self.line(at);
            let (level, marks) = depth(line);
            let said = level < 2 && phrases::is_forward(&bare(&line[marks..]));
            if said {
                self.end = at;
                return;
            }
        }
    }

    /// Outlook and its kind put the whole message they answer below the answer,
    /// without marks.
    fn drop_whole_quote(&mut self, is_forward: bool) {
        for at in 0..self.end {
            if self.lines[at].depth > 0 || self.lines[at].is_blank {
                continue;
            }
            let bare = self.bare(at);
            let clear = self.is_clear_attribution(at, &bare);
            if !clear && !phrases::is_original(&bare) && !self.is_header(at, &bare) {
                continue;
            }
            if is_forward && !clear {
                self.end = at;
                return;
            }
            let start = self.rule_before(at);
            if self.has_own(0..start) {
                self.drop(start..self.end, true);
                self.end = start;
            } else if self.last_quoted.is_none() {
                // Nothing but the quoted message.
                self.drop(start..self.end, true);
                self.end = start;
            }
            return;
        }
    }

    /// `On Monday, Ann wrote:` on one to three lines, with no marks on anything
    /// after it.
    fn is_clear_attribution(&self, at: usize, first: &str) -> bool {
        if !phrases::opens_attribution(first) {
            return false;
        }
        let mut joined = first.to_owned();
        for next in at..self.end.min(at + 3) {
            if self.lines[next].is_blank || self.lines[next].depth > 0 {
                return false;
            }
            if next > at {
                joined.push(' ');
                joined.push_str(&self.bare(next));
            }
            if phrases::attribution(&joined) == Some(Attribution::Clear) {
                return self.last_said > Some(next) && self.last_quoted < Some(next);
            }
        }
        false
    }

    /// Whether the header of a quoted message begins at a line.
    fn is_header(&self, at: usize, first: &str) -> bool {
        if phrases::label(first) != Some(Label::From) {
            return false;
        }
        let (mut dated, mut other) = (false, false);
        for next in at + 1..self.end.min(at + MOST_HEADER) {
            if self.lines[next].depth > 0 {
                break;
            }
            match phrases::label(&self.bare(next)) {
                Some(Label::Date) => dated = true,
                Some(Label::Other) => other = true,
                _ => {}
            }
        }
        dated && other
    }

    /// The first of the rules and blank lines before a line.
    fn rule_before(&self, at: usize) -> usize {
        let mut start = at;
        while start > 0 {
            let text = self.line(start - 1).trim();
            let rule = text.len() >= 3
                && text
                    .chars()
                    .all(|c| matches!(c, '_' | '-' | '*' | '=' | '\\' | ' '));
            if !rule && !text.is_empty() {
                break;
            }
            start -= 1;
        }
        start
    }

    fn drop_list_footer(&mut self) {
        let from = self.end.saturating_sub(MOST_FOOTER);
        for at in from..self.end {
            let text = self.line(at).trim();
            let rule = text.len() >= 20
                && text
                    .chars()
                    .all(|c| matches!(c, '_' | '-' | '=' | '*' | '~' | '\\'));
            if !rule || self.lines[at].depth > 0 {
                continue;
            }
            let is_footer =
                (at + 1..self.end).any(|next| phrases::is_list_footer(&self.bare(next)));
            if is_footer {
                self.drop(at..self.end, false);
                self.end = at;
                return;
            }
        }
    }

    /// From `-- ` on to the end, or to the quote below.
    fn drop_signature(&mut self) {
        let Some(at) = (0..self.end).rev().find(|&at| {
            let line = &self.lines[at];
            line.depth == 0 && matches!(self.line(at).trim_end(), "--" | "\\--" | "\\-\\-" | "—")
        }) else {
            return;
        };
        let quote = (at..self.end).find(|&next| self.lines[next].depth > 0);
        let end = match quote {
            Some(quote) => self.attribution_before(quote).max(at + 1),
            None => self.end,
        };
        let length = (at + 1..end)
            .filter(|&next| !self.lines[next].is_blank)
            .count();
        if length <= MOST_SIGNATURE
            && (self.has_own(0..at) || self.lines[..at].iter().any(|line| line.depth > 0))
        {
            self.drop(at..end, false);
        }
    }

    /// The first line of what says who wrote the quote that begins at a line;
    /// that line itself where nothing does.
    fn attribution_before(&self, quote: usize) -> usize {
        let mut last = quote;
        while last > 0 && self.lines[last - 1].is_blank {
            last -= 1;
        }
        let (mut joined, mut found) = (String::new(), quote);
        for back in 1..=3 {
            let Some(at) = last.checked_sub(back) else {
                break;
            };
            if self.lines[at].is_blank || self.lines[at].depth > 0 {
                break;
            }
            let line = self.bare(at);
            joined = if joined.is_empty() {
                line
            } else {
                format!("{line} {joined}")
            };
            if phrases::attribution(&joined).is_none() {
                if back == 1 && !joined.ends_with([':', '：']) {
                    break;
                }
                continue;
            }
            let opens = phrases::opens_attribution(&joined);
            if opens || found == quote {
                found = at;
            }
            if opens {
                break;
            }
        }
        found
    }

    fn drop_quote_blocks(&mut self) {
        let mut at = 0;
        while at < self.end {
            if self.lines[at].depth == 0 {
                at += 1;
                continue;
            }
            let start = at;
            let mut last = at;
            while at < self.end && (self.lines[at].depth > 0 || self.lines[at].is_blank) {
                if self.lines[at].depth > 0 {
                    last = at;
                }
                at += 1;
            }
            self.settle_quote(start, last + 1);
        }
    }

    fn settle_quote(&mut self, start: usize, end: usize) {
        let attribution = self.attribution_before(start);
        if attribution < start {
            self.drop(attribution..start, true);
        }
        let answered = self.next_is_answer(end);
        // Who wrote what is quoted in it, and its empty lines at the start.
        let (mut says, mut other) = (0, Vec::new());
        for at in start..end {
            let (line, text) = (&self.lines[at], self.line(at));
            let content = text[depth(text).1..].trim();
            let is_word = line.depth == 1
                && !content.is_empty()
                && phrases::attribution(&bare(content)).is_none();
            says += usize::from(is_word);
            if !is_word && (says == 0 || line.depth > 1 || !content.is_empty()) {
                other.push(at);
            }
        }
        if (1..=MOST_CONTEXT).contains(&says) && answered {
            for at in other {
                self.drop(at..at + 1, true);
            }
        } else {
            self.drop(start..end, true);
        }
    }

    /// Whether own words follow that are not said of a further quote.
    fn next_is_answer(&self, from: usize) -> bool {
        let Some(first) = (from..self.end).find(|&at| self.keep[at] && !self.lines[at].is_blank)
        else {
            return false;
        };
        if self.lines[first].depth > 0 {
            return false;
        }
        match (first..self.end).find(|&at| self.lines[at].depth > 0) {
            Some(quote) => self.attribution_before(quote) > first,
            None => true,
        }
    }

    fn drop_mobile_signature(&mut self) {
        let last = (0..self.end).rev().find(|&at| self.is_own(at));
        let Some(at) = last else { return };
        if phrases::is_mobile_signature(&self.bare(at)) && self.has_own(0..at) {
            self.drop(at..at + 1, false);
        }
    }

    fn finish(self) -> Separated {
        let only_quotes = self.quoted > 0
            && (0..self.lines.len()).all(|at| !self.keep[at] || self.lines[at].is_blank);
        let mut kept: Vec<Range<usize>> = Vec::new();
        let mut blank = true;
        for (line, keep) in self.lines.iter().zip(&self.keep) {
            // No gap of several blank lines where something was.
            if !keep || (line.is_blank && blank) {
                continue;
            }
            blank = line.is_blank;
            let range = line.range();
            match kept.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => kept.push(range),
            }
        }
        Separated {
            kept,
            quoted: self.quoted,
            only_quotes,
        }
    }
}

/// The first lines of what a text quotes, for a message that says nothing
/// itself.
pub(crate) fn first_lines(text: &str) -> Separated {
    let mut found = Separated::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let (_, marks) = depth(line);
        let says = !line[marks..].trim().is_empty();
        if found.kept.len() < MOST_CONTEXT && says && phrases::attribution(&bare(line)).is_none() {
            found.kept.push(range);
        } else if says {
            found.quoted += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests;
