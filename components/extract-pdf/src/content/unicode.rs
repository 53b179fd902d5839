//! ToUnicode maps read leniently: what is no entry is skipped, so that a map
//! with damage or signs of its own still tells what it can.

use std::collections::HashMap;

/// More entries, or ranges, than this are left out.
const MOST_ENTRIES: usize = 70_000;

/// Codes -> text.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ToUnicode {
    single: HashMap<u32, String>,
    /// First and last code, and the text of the first.
    ranges: Vec<(u32, u32, String)>,
}

enum Token<'m> {
    Hex(&'m [u8]),
    Open,
    Close,
    Word(&'m [u8]),
}

impl ToUnicode {
    pub(super) fn parse(map: &[u8]) -> Self {
        let mut out = Self::default();
        let mut tokens = Tokens(map);
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b"beginbfchar") => out.chars(&mut tokens),
                Token::Word(b"beginbfrange") => out.ranges(&mut tokens),
                _ => {}
            }
        }
        out
    }

    /// The text of a code. An empty one belongs to a neighbour that has the
    /// text of both.
    pub(super) fn text(&self, code: u32) -> Option<String> {
        if let Some(text) = self.single.get(&code) {
            return Some(text.clone());
        }
        let (first, _, text) = self
            .ranges
            .iter()
            .find(|(first, last, _)| (*first..=*last).contains(&code))?;
        let mut chars: Vec<char> = text.chars().collect();
        let last = chars.pop()?;
        chars.push(char::from_u32(u32::from(last).checked_add(code - first)?)?);
        Some(chars.into_iter().collect())
    }

    fn chars(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(Token::Hex(code)) = tokens.next() {
            let Some(Token::Hex(text)) = tokens.next() else {
                return;
            };
            self.add(number(code), text);
        }
    }

    fn ranges(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(Token::Hex(first)) = tokens.next() {
            let Some(Token::Hex(last)) = tokens.next() else {
                return;
            };
            let (first, last) = (number(first), number(last));
            match tokens.next() {
                Some(Token::Hex(text)) => {
                    if self.ranges.len() < MOST_RANGES && first <= last {
                        self.ranges.push((first, last, utf16(text)));
                    }
                }
                Some(Token::Open) => {
                    let mut code = first;
                    while let Some(Token::Hex(text)) = tokens.next() {
                        self.add(code, text);
                        code = code.saturating_add(1);
                    }
                }
                _ => return,
            }
        }
    }

    fn add(&mut self, code: u32, text: &[u8]) {
        if self.single.len() < MOST_ENTRIES {
            self.single.insert(code, utf16(text));
        }
    }
}

/// They are sought one after the other.
const MOST_RANGES: usize = 2000;

struct Tokens<'m>(&'m [u8]);

impl<'m> Iterator for Tokens<'m> {
    type Item = Token<'m>;

    fn next(&mut self) -> Option<Token<'m>> {
        loop {
            let (&first, rest) = self.0.split_first()?;
            match first {
                b'[' => {
                    self.0 = rest;
                    return Some(Token::Open);
                }
                b']' => {
                    self.0 = rest;
                    return Some(Token::Close);
                }
                b'<' => {
                    let end = rest.iter().position(|byte| !byte.is_ascii_hexdigit() && !byte.is_ascii_whitespace());
                    let end = end.unwrap_or(rest.len());
                    let (hex, after) = rest.split_at(end);
                    self.0 = after;
                    if let [b'>', after @ ..] = after {
                        self.0 = after;
                        return Some(Token::Hex(hex));
                    }
                }
                _ if first.is_ascii_alphabetic() => {
                    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
                    let (word, after) = self.0.split_at(end.map_or(self.0.len(), |end| end + 1));
                    self.0 = after;
                    return Some(Token::Word(word));
                }
                _ => self.0 = rest,
            }
        }
    }
}

fn digits(hex: &[u8]) -> impl Iterator<Item = u32> {
    hex.iter().filter_map(|&byte| char::from(byte).to_digit(16))
}

fn number(hex: &[u8]) -> u32 {
    digits(hex).fold(0_u32, |sum, digit| sum.wrapping_mul(16).wrapping_add(digit))
}

fn utf16(hex: &[u8]) -> String {
    let digits: Vec<u32> = digits(hex).collect();
    let units = digits
        .chunks(4)
        .map(|unit| unit.iter().fold(0, |sum, digit| sum * 16 + digit) as u16);
    char::decode_utf16(units).filter_map(Result::ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_skipped() {
        let map = ToUnicode::parse(
            b"/CMapName /UC> def 2 beginbfchar <01> <0041> <02> <> endbfchar
              junk ( <<>> 2 beginbfrange <10> <12> <0061> <20> <21> [<0031> <D83DDE00>] endbfrange <",
        );
        let text = |code| map.text(code);
        assert_eq!(text(1).as_deref(), Some("A"));
        assert_eq!(text(2).as_deref(), Some(""));
        assert_eq!(text(0x12).as_deref(), Some("c"));
        assert_eq!(text(0x21).as_deref(), Some("😀"));
        assert_eq!((text(3), text(0x13)), (None, None));
    }
}
