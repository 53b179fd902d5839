//! JSON cut into tokens.

use std::ops::Range;

/// A token; texts are still escaped, without their quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{` or `[`.
    Open(u8),
    /// `}` or `]`.
    Close(u8),
    Colon,
    Comma,
    Text(&'a str),
    /// A number, `true`, `false`, `null`, or a word that is not JSON.
    Word(&'a str),
}

/// Goes through a stretch of a text.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    /// The line of `at`.
    line: u32,
}

impl<'a> Scanner<'a> {
    /// Begins at the start of `range`, which stands on `line`.
    pub(super) fn new(text: &'a str, range: Range<usize>, line: u32) -> Self {
        Self {
            text,
            at: range.start,
            end: range.end,
            line,
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn line(&self) -> u32 {
        self.line
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text
            .as_bytes()
            .get(at)
            .copied()
            .filter(|_| at < self.end)
    }

    /// The next token without taking it.
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// Goes over white space and comments.
    pub(super) fn skip_blank(&mut self) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'\n' => self.line = self.line.saturating_add(1),
                b' ' | b'\t' | b'\r' | 0x0B | 0x0C | 0x1E => {}
                b'/' if self.byte(self.at + 1) == Some(b'/') => {
                    let rest = &self.text[self.at..self.end];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    continue;
                }
                b'/' if self.byte(self.at + 1) == Some(b'*') => {
                    let rest = &self.text[self.at..self.end];
                    let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
                    self.go_over(end);
                    continue;
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Goes on by `length` bytes, counting lines.
    fn go_over(&mut self, length: usize) {
        let passed = &self.text.as_bytes()[self.at..self.at + length];
        let breaks = passed.iter().filter(|&&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(breaks as u32);
        self.at += length;
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blank();
        let byte = self.byte(self.at)?;
        match byte {
            b'{' | b'[' => {
                self.at += 1;
                Some(Token::Open(byte))
            }
            b'}' | b']' => {
                self.at += 1;
                Some(Token::Close(byte))
            }
            b':' => {
                self.at += 1;
                Some(Token::Colon)
            }
            b',' => {
                self.at += 1;
                Some(Token::Comma)
            }
            b'"' | b'\'' => Some(Token::Text(self.quoted(byte))),
            _ => Some(Token::Word(self.word())),
        }
    }

    fn quoted(&mut self, quote: u8) -> &'a str {
        let start = self.at + 1;
        let mut end = start;
        while let Some(byte) = self.byte(end) {
            match byte {
                b'\\' => end += 1,
                _ if byte == quote => break,
                _ => {}
            }
            end += 1;
        }
        // A backslash at the end, or before the middle of a character.
        let end = self.text.floor_char_boundary(end.min(self.end));
        let content = &self.text[start.min(end)..end];
        self.go_over((end + 1).min(self.end) - self.at);
        content
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..self.end];
        let length = rest
            .find(|c: char| {
                c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']' | ':' | ',' | '"' | '/')
            })
            .unwrap_or(rest.len());
        // A lone slash, or white space that is none of JSON.
        let length = if length == 0 {
            rest.chars().next().map_or(0, char::len_utf8)
        } else {
            length
        };
        let word = &rest[..length];
        self.at += length;
        word
    }

    /// Goes over the next value; false where it does not end.
    pub(super) fn skip_value(&mut self) -> bool {
        let mut depth = 0usize;
        loop {
            let Some(token) = self.next() else {
                return false;
            };
            match token {
                Token::Open(_) => depth += 1,
                Token::Close(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return true;
            }
        }
    }
}
