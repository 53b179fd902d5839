//! Rich text: the words, without how they look.

use encoding_rs::{Encoding, WINDOWS_1252};
use extract_core::{Document, Property, title};

use crate::out::{Out, escape_before, one_line};

/// Deeper groups are not told apart.
const MOST_DEPTH: usize = 1000;

/// Groups that hold no words of the text.
const SILENT: [&str; 20] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "pict",
    "object",
    "objdata",
    "themedata",
    "colorschememapping",
    "datastore",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "xmlnstbl",
    "fldinst",
    "filetbl",
    "revtbl",
    "header",
    "footer",
    "latentstyles",
];

/// Where words go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Text,
    Nowhere,
    Title,
    Author,
}

#[derive(Clone, Copy)]
struct Group {
    goal: Goal,
    /// Characters after a `\u` that stand for it in old programs.
    skip: usize,
}

struct Rtf {
    groups: Vec<Group>,
    /// Groups beyond those that are told apart.
    deeper: usize,
    encoding: &'static Encoding,
    /// Bytes in `encoding` whose characters may not be complete.
    bytes: Vec<u8>,
    /// Characters that are still to be skipped.
    to_skip: usize,
    high: Option<u32>,
    text: String,
    title: String,
    author: String,
}

/// Reads a document.
pub(crate) fn read(text: &str) -> Document {
    let mut rtf = Rtf {
        groups: vec![Group {
            goal: Goal::Text,
            skip: 1,
        }],
        deeper: 0,
        encoding: WINDOWS_1252,
        bytes: Vec::new(),
        to_skip: 0,
        high: None,
        text: String::new(),
        title: String::new(),
        author: String::new(),
    };
    rtf.parse(text);
    rtf.flush();
    let mut out = Out::without_lines();
    for line in rtf.text.lines() {
        let line = one_line(line);
        if !line.is_empty() {
            out.push(escape_before(&line));
            out.push(&line);
            out.push("\n\n");
        }
    }
    let mut document = out.finish();
    document.title = title::tidy(&rtf.title).unwrap_or_default();
    let author = one_line(&rtf.author);
    if !author.is_empty() {
        document.properties.push(Property::text("author", author));
    }
    document
}

impl Rtf {
    fn parse(&mut self, text: &str) {
        let mut rest = text;
        // Whether `\*` has just said that a group can be passed over.
        let mut star = false;
        while let Some(at) = rest.find(['\\', '{', '}', '\r', '\n']) {
            self.words(&rest[..at]);
            let sign = rest.as_bytes()[at];
            rest = &rest[at + 1..];
            match sign {
                b'{' => {
                    self.flush();
                    if self.groups.len() < MOST_DEPTH {
                        self.groups.push(self.group());
                    } else {
                        self.deeper += 1;
                    }
                }
                b'}' => {
                    self.flush();
                    if self.deeper > 0 {
                        self.deeper -= 1;
                    } else if self.groups.len() > 1 {
                        self.groups.pop();
                    }
                }
                b'\\' => {
                    let (word, number, after) = control(rest);
                    rest = after;
                    if word == "*" {
                        star = true;
                        continue;
                    }
                    if word == "'" {
                        rest = self.hex(rest);
                    } else if let Some(length) = number.filter(|_| word == "bin") {
                        // Bytes that are no text.
                        let length = usize::try_from(length).unwrap_or(0).min(rest.len());
                        rest = &rest[rest.ceil_char_boundary(length)..];
                    } else {
                        self.command(word, number, star);
                    }
                }
                _ => {}
            }
            star = false;
        }
        self.words(rest);
    }

    fn group(&self) -> Group {
        self.groups.last().copied().unwrap_or(Group {
            goal: Goal::Text,
            skip: 1,
        })
    }

    fn set_goal(&mut self, goal: Goal) {
        if let Some(group) = self.groups.last_mut()
            && self.deeper == 0
        {
            group.goal = goal;
        }
    }

    fn words(&mut self, words: &str) {
        let skipped: usize = words.chars().take(self.to_skip).map(char::len_utf8).sum();
        self.to_skip -= words.chars().take(self.to_skip).count();
        let words = &words[skipped..];
        if !words.is_empty() {
            self.flush();
            self.push(words);
        }
    }

    fn push(&mut self, words: &str) {
        match self.group().goal {
            Goal::Text => self.text.push_str(words),
            Goal::Title => self.title.push_str(words),
            Goal::Author => self.author.push_str(words),
            Goal::Nowhere => {}
        }
    }

    /// Decodes the bytes that have come together.
    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            let (words, _) = self.encoding.decode_without_bom_handling(&bytes);
            let words: String = words.chars().filter(|c| !c.is_control()).collect();
            self.push(&words);
        }
    }

    /// A byte in hexadecimal digits.
    fn hex<'a>(&mut self, rest: &'a str) -> &'a str {
        let byte = rest
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let Some(byte) = byte else {
            return rest;
        };
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else {
            self.bytes.push(byte);
        }
        &rest[2..]
    }

    fn command(&mut self, word: &str, number: Option<i32>, star: bool) {
        if word == "u" {
            self.flush();
            self.unicode(number.unwrap_or(0));
            return;
        }
        self.flush();
        match word {
            "par" | "sect" | "page" | "row" | "line" => self.push("\n"),
            "tab" => self.push("\t"),
            "cell" => self.push(" | "),
            "emdash" => self.push("—"),
            "endash" => self.push("–"),
            "bullet" => self.push("•"),
            "lquote" => self.push("‘"),
            "rquote" => self.push("’"),
            "ldblquote" => self.push("“"),
            "rdblquote" => self.push("”"),
            "~" => self.push(" "),
            "_" => self.push("-"),
            "\\" | "{" | "}" => self.push(word),
            "\n" | "\r" => self.push("\n"),
            "uc" => {
                if let Some(group) = self.groups.last_mut() {
                    group.skip = usize::try_from(number.unwrap_or(1)).unwrap_or(0).min(16);
                }
            }
            "ansicpg" => self.encoding = code_page(number.unwrap_or(0)),
            "info" => self.set_goal(Goal::Nowhere),
            "title" => self.set_goal(Goal::Title),
            "author" => self.set_goal(Goal::Author),
            // Notes are words too.
            "footnote" => self.push(" ("),
            "shptxt" | "fldrslt" => {}
            _ if star || SILENT.contains(&word) => self.set_goal(Goal::Nowhere),
            _ => {}
        }
    }

    /// A character as a number of 16 bits, perhaps half of one.
    fn unicode(&mut self, number: i32) {
        self.to_skip = self.group().skip;
        let unit = (number & 0xFFFF) as u32;
        let c = match (self.high.take(), unit) {
            (_, 0xD800..=0xDBFF) => {
                self.high = Some(unit);
                return;
            }
            (Some(high), 0xDC00..=0xDFFF) => {
                char::from_u32(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00))
            }
            (_, unit) => char::from_u32(unit),
        };
        if let Some(c) = c.filter(|c| !c.is_control()) {
            self.push(c.encode_utf8(&mut [0; 4]));
        }
    }
}

/// The word after a backslash, its number, and what follows.
fn control(rest: &str) -> (&str, Option<i32>, &str) {
    let end = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    if end == 0 {
        let end = rest.chars().next().map_or(0, char::len_utf8);
        return (&rest[..end], None, &rest[end..]);
    }
    let (word, after) = rest.split_at(end);
    let digits = after
        .bytes()
        .enumerate()
        .take(12)
        .take_while(|(at, byte)| byte.is_ascii_digit() || (*at == 0 && *byte == b'-'))
        .count();
    let number = after[..digits].parse().ok();
    let after = &after[digits..];
    (word, number, after.strip_prefix(' ').unwrap_or(after))
}

fn code_page(number: i32) -> &'static Encoding {
    let label = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        866 => "ibm866".to_owned(),
        10000 => "macintosh".to_owned(),
        65001 => "utf-8".to_owned(),
        other => format!("windows-{other}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_read() {
        let document = read(
            "{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0 Arial;}}{\\*\\generator X;}{\\info{\\title My \\'cf text}{\\author Ada}}\\pard\\b Bold\\b0  and \\u8220?quoted\\u8221? \\'cf\\'f0\\par\n- no list\\par{\\pict 0102}A\\cell B\\row \\uc2\\u-10179??\\u-8704?? \\{x\\}}",
        );
        assert_eq!(
            document.text,
            "Bold and “quoted” Пр\n\n\\- no list\n\nA | B\n\n\u{1F600} {x}\n"
        );
        assert_eq!(document.title, "My П text");
        assert_eq!(document.properties, [Property::text("author", "Ada")]);
    }
}
