//! Content transfer encodings: base64, quoted-printable, uuencode. All are read
//! with patience: mail has been through a lot.

use std::borrow::Cow;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Transfer {
    #[default]
    Plain,
    Base64,
    QuotedPrintable,
    Uuencode,
}

impl Transfer {
    /// By the value of `Content-Transfer-Encoding`.
    pub(crate) fn of(name: &str) -> Self {
        let name = name.trim().trim_matches('"');
        let name = name.split(';').next().unwrap_or_default().trim();
        match name.to_ascii_lowercase().as_str() {
            "base64" | "base-64" => Self::Base64,
            "quoted-printable" | "quoted_printable" => Self::QuotedPrintable,
            "x-uuencode" | "x-uue" | "uuencode" => Self::Uuencode,
            _ => Self::Plain,
        }
    }

    /// The bytes that were written, and whether they are not as they should be.
    pub(crate) fn decode(self, bytes: &[u8]) -> (Cow<'_, [u8]>, bool) {
        match self {
            Self::Plain => (bytes.into(), false),
            Self::QuotedPrintable => (quoted_printable(bytes).into(), false),
            Self::Base64 => match base64(bytes) {
                Some((decoded, broken)) => (decoded.into(), broken),
                None => (bytes.into(), true),
            },
            Self::Uuencode => match uuencoded(bytes) {
                Some(file) => (file.content.into(), false),
                None => (bytes.into(), true),
            },
        }
    }
}

const SKIP: u8 = 0xFF;

const BASE64: [u8; 256] = {
    let mut table = [SKIP; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut at = 0;
    while at < 64 {
        table[alphabet[at] as usize] = at as u8;
        at += 1;
    }
    table
};

/// The decoded bytes, and whether there was something else among them. Nothing
/// where it is no base64 at all.
fn base64(bytes: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    let (mut bits, mut count, mut strange, mut spaces) = (0_u32, 0, 0_usize, 0_usize);
    // What follows a padding on its line is nothing.
    let mut padded = false;
    for &byte in bytes {
        let value = BASE64[byte as usize];
        if padded {
            padded = byte != b'\n';
        } else if value != SKIP {
            bits = bits << 6 | u32::from(value);
            count += 1;
            if count == 4 {
                out.extend_from_slice(&bits.to_be_bytes()[1..]);
                (bits, count) = (0, 0);
            }
        } else if byte == b'=' {
            // The end, or that of one of several put together.
            flush(&mut out, bits, count);
            (bits, count) = (0, 0);
            padded = true;
        } else if byte == b' ' {
            spaces += 1;
        } else if !byte.is_ascii_whitespace() {
            strange += 1;
        }
    }
    flush(&mut out, bits, count);
    let is_text = (strange + spaces) * 16 > bytes.len();
    (!is_text).then_some((out, strange > 0))
}

fn flush(out: &mut Vec<u8>, bits: u32, count: u32) {
    match count {
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    }
}

fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    // White space before the end of a line was added on the way, unless it was
    // written as a code.
    let mut written = 0;
    while let Some(at) = memchr::memchr2(b'=', b'\n', rest) {
        out.extend_from_slice(&rest[..at]);
        if rest[at] == b'\n' {
            let carriage = out.len() > written && out.last() == Some(&b'\r');
            if carriage {
                out.pop();
            }
            while out.len() > written && matches!(out.last(), Some(b' ' | b'\t')) {
                out.pop();
            }
            if carriage {
                out.push(b'\r');
            }
            out.push(b'\n');
            rest = &rest[at + 1..];
        } else {
            rest = &rest[at + 1..];
            match *rest {
                [high, low, ..] if hex(high).is_some() && hex(low).is_some() => {
                    out.push(hex(high).unwrap_or(0) << 4 | hex(low).unwrap_or(0));
                    rest = &rest[2..];
                }
                _ => match soft_break(rest) {
                    Some(length) => rest = &rest[length..],
                    None => out.push(b'='),
                },
            }
        }
        written = out.len();
    }
    out.extend_from_slice(rest);
    out
}

/// How long the end of a line is that was put in on the way.
fn soft_break(rest: &[u8]) -> Option<usize> {
    let blanks = rest
        .iter()
        .take(80)
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .count();
    match rest.get(blanks) {
        Some(b'\n') => Some(blanks + 1),
        None => Some(blanks),
        _ => None,
    }
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// A file written into a text by uuencode.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Uuencoded {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
    /// Where it stands, its first and last line included.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The first file in a text.
pub(crate) fn uuencoded(text: &[u8]) -> Option<Uuencoded> {
    for found in memchr::memmem::find_iter(text, b"begin ") {
        if found > 0 && text[found - 1] != b'\n' {
            continue;
        }
        let mut at = found;
        let mut next_line = || {
            let rest = &text[at..];
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            at += length;
            (length > 0).then(|| (rest[..length].trim_ascii_end(), at))
        };
        let Some((first, _)) = next_line() else { break };
        let mut words = first.splitn(3, |&byte| byte == b' ').skip(1);
        let mode = words.next().unwrap_or_default();
        let is_mode = matches!(mode.len(), 3 | 4) && mode.iter().all(u8::is_ascii_digit);
        let Some(name) = words.next().filter(|name| is_mode && !name.is_empty()) else {
            continue;
        };
        let mut content = Vec::new();
        while let Some((line, end)) = next_line() {
            if line == b"end" {
                return Some(Uuencoded {
                    name: crate::charset::header(name).into_owned(),
                    content,
                    start: found,
                    end,
                });
            }
            if !uuencoded_line(line, &mut content) {
                break;
            }
        }
    }
    None
}

/// Adds what a line says; false where it is none.
fn uuencoded_line(line: &[u8], content: &mut Vec<u8>) -> bool {
    let Some((&first, rest)) = line.split_first() else {
        return true;
    };
    let value = |byte: u8| (0x20..=0x60).contains(&byte).then(|| (byte - 0x20) & 0x3F);
    let Some(length) = value(first).map(usize::from) else {
        return false;
    };
    if rest.len() > 70 || rest.len() + 3 < length.div_ceil(3) * 4 {
        return false;
    }
    let from = content.len();
    for group in rest.chunks(4) {
        let mut bits = 0_u32;
        for at in 0..4 {
            let Some(value) = value(group.get(at).copied().unwrap_or(b' ')) else {
                return false;
            };
            bits = bits << 6 | u32::from(value);
        }
        content.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    content.truncate(from + length);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(transfer: Transfer, text: &str) -> String {
        let (bytes, _) = transfer.decode(text.as_bytes());
        String::from_utf8(bytes.into_owned()).unwrap()
    }

    #[test]
    fn base64_is_read_over_line_ends_paddings_and_strays() {
        let read = |text: &str| read(Transfer::Base64, text);
        assert_eq!(read("SGVs\r\nbG8="), "Hello");
        assert_eq!(read("SGVsbG8=\nSGVsbG8= ignored"), "HelloHello");
        assert_eq!(read("SGVsbG8"), "Hello");
        let strays = format!("{}!SGVsbG8=", "SGVs".repeat(10));
        assert_eq!(read(&strays), "Hel".repeat(10) + "Hello");
        assert!(Transfer::Base64.decode(b"This is no base64 at all.").1);
        assert_eq!(
            read("This is no base64 at all."),
            "This is no base64 at all."
        );
    }

    #[test]
    fn quoted_printable_is_read_with_its_usual_faults() {
        let read = |text| read(Transfer::QuotedPrintable, text);
        assert_eq!(read("a=C3=A4b=\r\nc  \r\nd=20\r\n"), "aäbc\r\nd \r\n");
        assert_eq!(read("1 + 1 = 2 =zz =3D =3d="), "1 + 1 = 2 =zz = =");
        assert_eq!(read("soft= \t\nbreak"), "softbreak");
    }

    #[test]
    fn uuencoded_files_are_found_in_text() {
        let text = b"Hi\nbegin 644 cat.txt\n#0V%T\n`\nend\nBye\n";
        let file = uuencoded(text).unwrap();
        assert_eq!(
            (file.name.as_str(), file.content.as_slice()),
            ("cat.txt", &b"Cat"[..])
        );
        assert_eq!(&text[file.end..], b"Bye\n");
        assert_eq!(uuencoded(b"begin 2024 with joy\nand more\nend\n"), None);
    }

    #[test]
    fn names_of_encodings_are_read_loosely() {
        assert_eq!(Transfer::of(" BASE64 "), Transfer::Base64);
        assert_eq!(
            Transfer::of("quoted-printable; x"),
            Transfer::QuotedPrintable
        );
        assert_eq!(Transfer::of("8bit"), Transfer::Plain);
    }
}
