//! Rich text as tokens.

/// A piece of rich text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{`.
    Open,
    /// `}`.
    Close,
    /// Bytes of text.
    Text(&'a [u8]),
    /// `\'e4`: a byte of text.
    Byte(u8),
    /// `\word12`.
    Word(&'a str, Option<i32>),
    /// `\~`.
    Symbol(u8),
}

/// Longer words are none.
const MOST_WORD: usize = 32;

pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn run(&mut self, most: usize, belongs: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .take(most)
            .take_while(|&&byte| belongs(byte))
            .count();
        self.at += length;
        &rest[..length]
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let first = *self.bytes.get(self.at)?;
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            return Some(match first {
                b'\\' | b'{' | b'}' => Token::Text(&self.bytes[self.at - 1..self.at]),
                b'\'' => {
                    let digits = self.run(2, |byte| byte.is_ascii_hexdigit());
                    let byte = std::str::from_utf8(digits).ok();
                    let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                    byte.map_or(Token::Text(&[]), Token::Byte)
                }
                other => Token::Symbol(other),
            });
        }
        let word = self.run(MOST_WORD, |byte| byte.is_ascii_alphabetic());
        let start = self.at;
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        self.run(10, |byte| byte.is_ascii_digit());
        let number = std::str::from_utf8(&self.bytes[start..self.at]).ok();
        let number = number.and_then(|number| number.parse::<i32>().ok());
        if number.is_none() {
            self.at = start;
        }
        if self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        let word = std::str::from_utf8(word).unwrap_or_default();
        if word == "bin" {
            let length = number
                .and_then(|length| usize::try_from(length).ok())
                .unwrap_or(0);
            self.at = self.at.saturating_add(length).min(self.bytes.len());
        }
        Some(Token::Word(word, number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            match byte {
                b'{' | b'}' => {
                    self.at += 1;
                    return Some(if byte == b'{' {
                        Token::Open
                    } else {
                        Token::Close
                    });
                }
                b'\\' => {
                    self.at += 1;
                    return self.control();
                }
                // Line ends only keep the file's lines short.
                b'\r' | b'\n' | 0 => self.at += 1,
                _ => {
                    let most = self.bytes.len();
                    let text = self.run(most, |byte| {
                        !matches!(byte, b'{' | b'}' | b'\\' | b'\r' | b'\n' | 0)
                    });
                    return Some(Token::Text(text));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_a_space_that_belongs_to_them() {
        let tokens: Vec<_> =
            Tokens::new(b"{\\rtf1 a b\\u-5 ?\\'e4\\~\\{\\bin3 }}}\\par\nc\\b0}").collect();
        assert_eq!(
            tokens,
            [
                Token::Open,
                Token::Word("rtf", Some(1)),
                Token::Text(b"a b"),
                Token::Word("u", Some(-5)),
                Token::Text(b"?"),
                Token::Byte(0xE4),
                Token::Symbol(b'~'),
                Token::Text(b"{"),
                Token::Word("bin", Some(3)),
                Token::Word("par", None),
                Token::Text(b"c"),
                Token::Word("b", Some(0)),
                Token::Close,
            ]
        );
    }
}
