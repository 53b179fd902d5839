//! JSON's values written as nested lists.

use std::ops::Range;

use extract_core::Place;

use super::scan::{Scanner, Token};
use super::strings::unescape;
use crate::out::{Out, is_data, one_line};

/// Objects with more bytes than this become sections with their keys as
/// headings, down to this level.
const SECTION: usize = 400;
const DEEPEST_SECTION: usize = 3;
/// Nesting is shown down to this depth.
const DEEPEST: usize = 8;
/// Lists of words that are not longer than this, in bytes, stand on one line.
const ONE_LINE: usize = 400;
/// A list that begins with more numbers than this is one of numbers: a vector,
/// a shape on a map, a curve.
const MOST_NUMBERS: usize = 32;
/// Bytes looked at for that.
const LOOK: usize = 4096;

/// The containers that are open.
#[derive(Default)]
struct Open {
    /// `{` or `[` each.
    kinds: Vec<u8>,
}

pub(super) struct Writer<'a> {
    text: &'a str,
    out: Out,
    max_text: usize,
    /// Line from which on nothing was written.
    full_at: Option<u32>,
    /// Line of the first thing that is not JSON.
    wrong_at: Option<u32>,
    /// Line of the record that is about to be written.
    record: Option<u32>,
    numbers: usize,
    data: usize,
    /// No list that begins before this byte is one of numbers.
    looked: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(text: &'a str, max_text: usize) -> Self {
        Self {
            text,
            out: Out::of(text),
            max_text,
            full_at: None,
            wrong_at: None,
            record: None,
            numbers: 0,
            data: 0,
            looked: 0,
        }
    }

    /// The text and what is to be said of it.
    pub(super) fn finish(self) -> (Out, Vec<String>) {
        let mut warnings = Vec::new();
        if let Some(line) = self.wrong_at {
            warnings.push(format!(
                "The file is not sound JSON from line {line} on; it was read as far as it makes sense."
            ));
        }
        if self.numbers > 0 {
            warnings.push(format!(
                "Numbers in long lists were left out: {}.",
                self.numbers
            ));
        }
        if self.data > 0 {
            warnings.push(format!(
                "Texts that are packed data were left out: {}.",
                self.data
            ));
        }
        if let Some(line) = self.full_at {
            warnings.push(format!(
                "What follows line {line} was left out (setting max_text)."
            ));
        }
        (self.out, warnings)
    }

    fn wrong(&mut self, line: u32) {
        self.wrong_at.get_or_insert(line);
    }

    /// Writes a value: an object as sections, where it is large, its small
    /// values first so that they stand under no heading of another.
    pub(super) fn sections(&mut self, range: Range<usize>, line: u32, level: usize) {
        // Stretches to be written, the last first: no call of its own for what
        // lies inside.
        let mut left = vec![(range, line, level, None::<&str>)];
        while let Some((range, line, level, key)) = left.pop() {
            if let Some(key) = key {
                self.out.blank();
                let heading = one_line(&unescape(key));
                self.out
                    .line(line, &format!("{} {heading}", "#".repeat(level)));
                self.out.blank();
            }
            let is_object =
                Scanner::new(self.text, range.clone(), line).peek() == Some(Token::Open(b'{'));
            if !is_object || level > DEEPEST_SECTION || range.len() < SECTION {
                self.values(range, line);
                continue;
            }
            let mut large = self.small_values(range, line, level + 1);
            large.reverse();
            left.append(&mut large);
        }
    }

    /// Writes the small values of an object and answers the others.
    fn small_values(
        &mut self,
        range: Range<usize>,
        line: u32,
        level: usize,
    ) -> Vec<(Range<usize>, u32, usize, Option<&'a str>)> {
        let mut large = Vec::new();
        let mut scanner = Scanner::new(self.text, range, line);
        scanner.next();
        loop {
            scanner.skip_blank();
            let (start, line) = (scanner.at(), scanner.line());
            let key = match scanner.next() {
                Some(Token::Text(key) | Token::Word(key)) => key,
                Some(Token::Comma) => continue,
                Some(Token::Close(b'}')) => break,
                Some(_) => {
                    self.wrong(line);
                    continue;
                }
                None => {
                    self.wrong(line);
                    break;
                }
            };
            if scanner.peek() != Some(Token::Colon) {
                self.wrong(line);
                continue;
            }
            scanner.next();
            scanner.skip_blank();
            let (value, value_line) = (scanner.at(), scanner.line());
            let opens = matches!(scanner.peek(), Some(Token::Open(_)));
            if !scanner.skip_value() {
                self.wrong(value_line);
            }
            if opens && scanner.at() - value >= SECTION {
                large.push((value..scanner.at(), value_line, level, Some(key)));
            } else {
                self.inside(start..scanner.at(), line, Some(b'{'));
            }
        }
        if scanner.peek().is_some() {
            self.wrong(scanner.line());
        }
        large
    }

    /// Writes the values of JSON Lines. A record is written as many lines and
    /// stands on one, so it is named by that.
    pub(super) fn records(&mut self) {
        self.out = Out::without_lines();
        self.inside(0..self.text.len(), 1, None);
    }

    /// Writes values one after the other, each an item of a list.
    fn values(&mut self, range: Range<usize>, line: u32) {
        self.inside(range, line, None);
    }

    /// Writes a stretch: values, or with `container` what lies in one.
    fn inside(&mut self, range: Range<usize>, line: u32, container: Option<u8>) {
        let mut scanner = Scanner::new(self.text, range, line);
        let mut open = Open::default();
        if let Some(kind) = container {
            open.kinds.push(kind);
        } else {
            // The container of a value that stands alone adds no level; those
            // of JSON Lines are items.
            let mut ahead = scanner.clone();
            let alone = ahead.skip_value() && ahead.peek().is_none();
            if !alone {
                open.kinds.push(b'[');
            }
        }
        let base = open.kinds.len();
        let is_lines = container.is_none() && base > 0;
        let mut key: Option<(&str, u32)> = None;
        // Whether the item that is being written has its dash still to come.
        let mut dash = false;
        loop {
            scanner.skip_blank();
            let (at, line) = (scanner.at(), scanner.line());
            let Some(token) = scanner.next() else { break };
            if self.out.text.len() >= self.max_text {
                self.full_at.get_or_insert(line);
                return;
            }
            let inner = open.kinds.last().copied();
            if is_lines && open.kinds.len() == base && token != Token::Comma {
                self.record = Some(line);
            }
            match token {
                Token::Comma => {
                    if let Some((_, line)) = key.take() {
                        self.wrong(line);
                    }
                    dash = false;
                }
                Token::Colon => self.wrong(line),
                Token::Close(close) => {
                    let fits = matches!((inner, close), (Some(b'{'), b'}') | (Some(b'['), b']'));
                    if !fits || (base > 0 && open.kinds.len() <= base) {
                        self.wrong(line);
                    }
                    if open.kinds.len() > base {
                        open.kinds.pop();
                    }
                    key = None;
                    dash = false;
                }
                Token::Text(text) | Token::Word(text)
                    if inner == Some(b'{')
                        && key.is_none()
                        && scanner.peek() == Some(Token::Colon) =>
                {
                    scanner.next();
                    key = Some((text, line));
                }
                Token::Text(_) | Token::Word(_) => {
                    let value = self.scalar(token, line);
                    if let Some(value) = value {
                        let name = key.map(|(name, _)| name);
                        self.item(&open, &mut dash, name, &value, line);
                    }
                    key = None;
                }
                Token::Open(kind) => {
                    let name = key.take().map(|(name, _)| name);
                    let shown = if kind == b'[' {
                        self.short_list(&mut scanner, at)
                    } else {
                        None
                    };
                    if let Some(value) = shown {
                        if !value.is_empty() {
                            self.item(&open, &mut dash, name, &value, line);
                        }
                        continue;
                    }
                    if let Some(name) = name {
                        self.item(&open, &mut dash, Some(name), "", line);
                        dash = false;
                    } else if inner == Some(b'[') {
                        // An object as an item: its first key takes the dash.
                        dash = kind == b'{';
                    }
                    open.kinds.push(kind);
                }
            }
        }
        if open.kinds.len() > base {
            self.wrong(scanner.line());
        }
    }

    /// A scalar for people; nothing for what says nothing.
    fn scalar(&mut self, token: Token<'_>, line: u32) -> Option<String> {
        match token {
            Token::Text(text) => {
                let text = unescape(text);
                if is_data(&text) {
                    self.data += 1;
                    return None;
                }
                (!text.trim().is_empty()).then_some(text)
            }
            Token::Word("null") => None,
            Token::Word(word) => {
                let known = matches!(word, "true" | "false" | "NaN" | "Infinity" | "-Infinity");
                if !known && !is_number(word) {
                    self.wrong(line);
                }
                Some(word.to_owned())
            }
            _ => None,
        }
    }

    /// A list that stands on one line, or is only counted; the scanner is then
    /// after it. What has been looked at without success is not looked at
    /// again from inside, but for a short list of words.
    fn short_list(&mut self, scanner: &mut Scanner<'a>, start: usize) -> Option<String> {
        let deep = start >= self.looked;
        let most = if deep { LOOK } else { ONE_LINE };
        let mut ahead = scanner.clone();
        let (mut depth, mut count, mut flat, mut words) = (1usize, 0usize, true, false);
        let mut found = Vec::new();
        while depth > 0 {
            let token = ahead.next()?;
            let length = ahead.at() - start;
            match token {
                Token::Open(b'[') if deep => {
                    flat = false;
                    depth += 1;
                }
                Token::Open(_) | Token::Colon => return self.no_list(deep, ahead.at()),
                Token::Close(_) => depth -= 1,
                Token::Comma => {}
                Token::Word(word) if is_number(word) => count += 1,
                Token::Word(_) | Token::Text(_) => words = true,
            }
            if words && (!flat || length > ONE_LINE) || length > most {
                return self.no_list(deep, ahead.at());
            }
            if !words && count > MOST_NUMBERS {
                return Some(self.count_numbers(scanner));
            }
            if matches!(token, Token::Word(_) | Token::Text(_)) {
                found.push((token, ahead.line()));
            }
        }
        if !flat {
            return self.no_list(deep, ahead.at());
        }
        *scanner = ahead;
        let words: Vec<String> = found
            .into_iter()
            .filter_map(|(token, line)| self.scalar(token, line))
            .map(|word| one_line(&word))
            .collect();
        Some(words.join(", "))
    }

    fn no_list(&mut self, deep: bool, until: usize) -> Option<String> {
        if deep {
            self.looked = until;
        }
        None
    }

    /// Goes over the list and says how many numbers it has.
    fn count_numbers(&mut self, scanner: &mut Scanner<'_>) -> String {
        let (mut depth, mut count) = (1usize, 0usize);
        while depth > 0 {
            match scanner.next() {
                Some(Token::Open(_)) => depth += 1,
                Some(Token::Close(_)) => depth -= 1,
                Some(Token::Word(_) | Token::Text(_)) => count += 1,
                Some(_) => {}
                None => break,
            }
        }
        self.numbers += count;
        format!("({count} numbers)")
    }

    /// Writes a line of a list.
    fn item(&mut self, open: &Open, dash: &mut bool, name: Option<&str>, value: &str, line: u32) {
        // The keys of an object that is an item stand below one another;
        // everything else is an item itself.
        let kinds = &open.kinds;
        let depth = kinds.len().saturating_sub(1);
        let in_item =
            kinds.last() == Some(&b'{') && kinds.len() >= 2 && kinds[kinds.len() - 2] == b'[';
        let shown = depth.saturating_sub(usize::from(in_item)).min(DEEPEST);
        let mut indent = "  ".repeat(shown);
        if !in_item || *dash {
            indent.push_str("- ");
            *dash = false;
        } else {
            indent.push_str("  ");
        }
        self.out.at_line(line);
        if let Some(line) = self.record.take() {
            self.out.mark(Place::Part(format!("line {line}")));
        }
        self.out.push(&indent);
        if let Some(name) = name {
            self.out.push(&one_line(&unescape(name)));
            self.out.push(if value.is_empty() { ":" } else { ": " });
        }
        let deeper = " ".repeat(indent.len());
        let mut lines = value
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty());
        self.out.push(lines.next().unwrap_or_default());
        self.out.push("\n");
        for text in lines {
            self.out.at_line(line);
            self.out.push(&deeper);
            self.out.push(text.trim_start());
            self.out.push("\n");
        }
    }
}

fn is_number(word: &str) -> bool {
    word.bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit() || b"-+.".contains(&byte))
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-+.".contains(&byte))
}
