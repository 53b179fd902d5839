//! Text -> words with what joins them, runs of characters, emoji.

use std::ops::Range;

use crate::classes::{Class, class, is_regional};

/// What joins two words into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// As in `o'brien`.
    Apostrophe,
    /// As in `foo_bar`, `node.js`, `R&D`, `1,000`: the words make one name.
    Name,
    /// As in `/usr/share`, `user@example.org`: names make one address.
    Path,
}

/// One word of a script that puts spaces between words, without joints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Atom {
    pub(crate) span: Range<usize>,
    /// What joins it to the atom before; of no meaning for the first.
    pub(crate) joint: Joint,
}

/// What the scanner finds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words joined into one, with the symbols that belong to it on both
    /// sides; its atoms are in [`Scanner::atoms`].
    Compound(Range<usize>),
    /// A run of characters without spaces. `tag` is where its `#` stands.
    Run {
        span: Range<usize>,
        tag: Option<usize>,
    },
    Emoji(Range<usize>),
}

/// Symbols before a word that belong to it.
const PREFIXES: [&str; 15] = [
    "-", "--", "#", "@", "/", "./", "../", "~/", ".", "$", "_", "__", "\\", "\\\\", "+",
];

/// Symbols between two words that join them into an address, alone or with
/// others.
const PATH_SYMBOLS: &[u8] = b"/\\:@?=#+~%";

/// The longest row of symbols that joins, in bytes: `://`, `/../`.
const LONGEST_JOINT: usize = 4;

pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Where the symbols begin that may belong to the next word.
    symbols: usize,
    /// Where the last compound ended.
    word_end: Option<usize>,
    pub(crate) atoms: Vec<Atom>,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Scanner {
            text,
            at: 0,
            symbols: 0,
            word_end: None,
            atoms: Vec::new(),
        }
    }

    /// The next piece; none at the end of the text.
    pub(crate) fn advance(&mut self) -> Option<Piece> {
        while let Some(c) = char_at(self.text, self.at) {
            match class(c) {
                Class::Word => return Some(self.compound()),
                Class::Bigram => return Some(self.run()),
                Class::Emoji => return Some(self.emoji()),
                Class::Extend | Class::Other => {
                    self.at += c.len_utf8();
                    if !matches!(
                        c,
                        '-' | '#' | '@' | '/' | '.' | '~' | '$' | '_' | '\\' | '+'
                    ) {
                        self.symbols = self.at;
                    }
                }
            }
        }
        None
    }

    fn compound(&mut self) -> Piece {
        self.atoms.clear();
        let mut joint = Joint::Name;
        let mut start = self.at;
        let end = loop {
            let end = word_end(self.text, start);
            self.atoms.push(Atom {
                span: start..end,
                joint,
            });
            let Some((next, length)) = joint_at(self.text, start, end) else {
                break end;
            };
            joint = next;
            start = end + length;
        };
        let prefix = self.prefix();
        let end = end + suffix(&self.text[end..], prefix);
        let start = self.at - prefix.len();
        self.at = end;
        self.symbols = end;
        self.word_end = Some(end);
        Piece::Compound(start..end)
    }

    /// The symbols before here, where they belong to the word that begins here.
    fn prefix(&self) -> &'a str {
        let symbols = &self.text[self.symbols..self.at];
        let is_free = self.word_end != Some(self.symbols);
        if is_free && PREFIXES.contains(&symbols) {
            // `_word_` is emphasis.
            if symbols == "_" && self.is_emphasis() {
                return "";
            }
            return symbols;
        }
        ""
    }

    fn is_emphasis(&self) -> bool {
        self.atoms
            .last()
            .is_some_and(|atom| self.text[atom.span.end..].starts_with('_'))
    }

    fn run(&mut self) -> Piece {
        let tag = (self.prefix() == "#").then_some(self.symbols);
        let start = self.at;
        while let Some(c) = char_at(self.text, self.at)
            && matches!(class(c), Class::Bigram | Class::Extend)
        {
            self.at += c.len_utf8();
        }
        self.symbols = self.at;
        Piece::Run {
            span: start..self.at,
            tag,
        }
    }

    fn emoji(&mut self) -> Piece {
        let start = self.at;
        let mut before = '\u{200d}';
        let mut count = 0;
        while let Some(c) = char_at(self.text, self.at) {
            let goes_on = match class(c) {
                Class::Emoji if is_regional(c) => count == 0 || count == 1 && is_regional(before),
                Class::Emoji => before == '\u{200d}' || crate::classes::is_skin_tone(c),
                Class::Extend => true,
                _ => false,
            };
            if !goes_on {
                break;
            }
            before = c;
            count += 1;
            self.at += c.len_utf8();
        }
        self.symbols = self.at;
        Piece::Emoji(start..self.at)
    }
}

fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(*byte as char),
        _ => text.get(at..)?.chars().next(),
    }
}

fn word_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    loop {
        while bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
            end += 1;
        }
        match char_at(text, end) {
            Some(c) if !c.is_ascii() && matches!(class(c), Class::Word | Class::Extend) => {
                end += c.len_utf8();
            }
            _ => return end,
        }
    }
}

/// What joins the word `start..end` to the one after, and its length in bytes;
/// none where no word follows.
fn joint_at(text: &str, start: usize, end: usize) -> Option<(Joint, usize)> {
    let first = char_at(text, end)?;
    if first.is_whitespace() {
        return None;
    }
    let is_word = |at: usize| char_at(text, at).is_some_and(|c| class(c) == Class::Word);
    let single = first.len_utf8();
    let before = text[start..end].chars().next_back()?;
    let after = char_at(text, end + single)?;
    let joint = match first {
        '\'' | '\u{2019}' | '\u{2bc}' if before.is_alphabetic() && after.is_alphabetic() => {
            Joint::Apostrophe
        }
        '-' | '.' | '&' | '_' | '\u{b7}' | '\u{2010}' | '\u{2011}' => Joint::Name,
        ',' if before.is_ascii_digit() && after.is_ascii_digit() => Joint::Name,
        _ => {
            return path_joint(text, end)
                .filter(|length| is_word(end + length))
                .map(path);
        }
    };
    if is_word(end + single) {
        return Some((joint, single));
    }
    // `a__b` is one name, `a--b` is not.
    let low_lines = text[end..].bytes().take_while(|&byte| byte == b'_').count();
    if low_lines > 1 && is_word(end + low_lines) {
        return Some((Joint::Name, low_lines));
    }
    path_joint(text, end)
        .filter(|length| is_word(end + length))
        .map(path)
}

fn path(length: usize) -> (Joint, usize) {
    (Joint::Path, length)
}

/// The length of the row of symbols at `at`, where it can join names into an
/// address.
fn path_joint(text: &str, at: usize) -> Option<usize> {
    let row = text.as_bytes()[at..]
        .iter()
        .take(LONGEST_JOINT)
        .take_while(|byte| PATH_SYMBOLS.contains(byte) || b"._-&".contains(byte));
    let (length, joins) = row.fold((0, false), |(length, joins), byte| {
        (length + 1, joins || PATH_SYMBOLS.contains(byte))
    });
    joins.then_some(length)
}

/// How many bytes of `rest` belong to the word before: `C++`, `F#`, `50%`,
/// `__init__`.
fn suffix(rest: &str, prefix: &str) -> usize {
    if rest.starts_with("++") || prefix == "__" && rest.starts_with("__") {
        return 2;
    }
    let is_last = rest
        .chars()
        .nth(1)
        .is_none_or(|c| !matches!(class(c), Class::Word | Class::Bigram));
    usize::from(rest.starts_with(['+', '#', '%']) && is_last)
}
