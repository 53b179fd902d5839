//! Bytes of unknown encoding -> text.

use crate::model::{Failure, FailureKind};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

const REPLACEMENT: char = '\u{FFFD}';

/// Text has at most one control character in this many bytes; compressed or
/// compiled data has one in nine.
const BYTES_PER_CONTROL: usize = 20;

/// Fewer control characters than this say nothing about a file.
const FEW_CONTROLS: usize = 4;

/// A text and what was wrong with its bytes.
#[derive(Debug)]
pub struct Decoded {
    /// Without byte order mark and NUL characters.
    pub text: String,
    /// One sentence each.
    pub warnings: Vec<String>,
}

/// Decodes a file. A byte order mark decides; without one UTF-16 shows by its
/// NUL bytes, then valid UTF-8 is UTF-8, then a legacy charset is guessed from
/// the whole file, and where that does not convince, what is broken in the
/// UTF-8 is replaced. Fails for binary data and for UTF-32.
pub fn decode(bytes: Vec<u8>) -> Result<Decoded, Failure> {
    if bytes.starts_with(&[0xFF, 0xFE, 0, 0]) || bytes.starts_with(&[0, 0, 0xFE, 0xFF]) {
        return Err(Failure::new(
            FailureKind::Unsupported,
            "The file is UTF-32 text, which is not read; save it as UTF-8.",
        ));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        return Ok(utf16(rest, UTF_16LE));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFE, 0xFF]) {
        return Ok(utf16(rest, UTF_16BE));
    }
    if bytes.contains(&0) {
        return unmarked_utf16(&bytes).ok_or_else(binary);
    }
    let controls = bytes.iter().filter(|&&byte| is_control(byte)).count();
    if controls >= FEW_CONTROLS && controls * BYTES_PER_CONTROL > bytes.len() {
        return Err(binary());
    }
    Ok(match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.starts_with('\u{FEFF}') {
                text.drain(..'\u{FEFF}'.len_utf8());
            }
            Decoded {
                text,
                warnings: Vec::new(),
            }
        }
        Err(error) => not_utf8(&error.into_bytes()),
    })
}

/// `\r\n` and lone `\r` as `\n`. Neither adds nor removes a line.
pub fn unify_newlines(text: String) -> String {
    if !text.contains('\r') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\r') {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    out
}

fn binary() -> Failure {
    Failure::new(
        FailureKind::InvalidInput,
        "The file looks like a binary file, not text.",
    )
}

/// Control characters that text does not have. Tab, line ends, form feed and
/// escape (terminal colours) do occur in it.
fn is_control(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | 0x0B | 0x0C | b'\r' | 0x1B)) || byte == 0x7F
}

/// Decodes UTF-16 whose byte order mark has been taken off.
fn utf16(bytes: &[u8], encoding: &'static Encoding) -> Decoded {
    let before = count_replacements_utf16(bytes, encoding);
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let mut text = text.into_owned();
    let mut warnings = Vec::new();
    let replaced = count_replacements(&text).saturating_sub(before);
    if replaced > 0 {
        warnings.push(replaced_warning(encoding.name(), replaced));
    }
    let length = text.len();
    text.retain(|c| c != '\0');
    let nuls = length - text.len();
    if nuls > 0 {
        warnings.push(format!("{nuls} NUL characters were left out."));
    }
    Decoded { text, warnings }
}

/// How often the file itself has the replacement character.
fn count_replacements_utf16(bytes: &[u8], encoding: &'static Encoding) -> usize {
    let unit = if encoding == UTF_16LE {
        [0xFD, 0xFF]
    } else {
        [0xFF, 0xFD]
    };
    bytes.chunks_exact(2).filter(|pair| *pair == unit).count()
}

fn count_replacements(text: &str) -> usize {
    text.matches(REPLACEMENT).count()
}

fn replaced_warning(charset: &str, replaced: usize) -> String {
    let (characters, were) = if replaced == 1 {
        ("character", "was")
    } else {
        ("characters", "were")
    };
    format!(
        "The file is damaged {charset}: {replaced} {characters} could not be decoded and {were} replaced."
    )
}

/// UTF-16 without a byte order mark: in text of any script some characters (at
/// least line ends and spaces) have a NUL as their high byte, and no NUL is ever
/// a low byte. What decodes without error and without control characters then
/// is text; where most high bytes are NUL, errors are damage.
fn unmarked_utf16(bytes: &[u8]) -> Option<Decoded> {
    let units = bytes.len() / 2;
    let (mut even, mut odd) = (0, 0);
    for pair in bytes.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    let (encoding, nuls) = match (even, odd) {
        (0, odd) if odd > 0 => (UTF_16LE, odd),
        (even, 0) if even > 0 => (UTF_16BE, even),
        _ => return None,
    };
    // One NUL in other text is damage: such bytes would do as UTF-16 too.
    let mostly_ascii = nuls * 5 > units * 2;
    if units < 2 || (!mostly_ascii && is_text_but_for_nuls(bytes)) {
        return None;
    }
    let mut decoded = utf16(bytes, encoding);
    if !decoded.warnings.is_empty() && !mostly_ascii {
        return None;
    }
    let controls = decoded
        .text
        .chars()
        .filter(|&c| c != '\u{1B}' && !matches!(c, '\t'..='\r') && c.is_control())
        .count();
    let strange = decoded.text.chars().any(is_never_in_text);
    if controls * BYTES_PER_CONTROL > units || strange {
        return None;
    }
    decoded.warnings.insert(
        0,
        format!(
            "The file has no byte order mark; it was read as {}.",
            encoding.name()
        ),
    );
    Some(decoded)
}

/// Whether the bytes read well as UTF-8 or are mostly ASCII, in which the low
/// bytes of UTF-16 letters are control characters or anything at all.
fn is_text_but_for_nuls(bytes: &[u8]) -> bool {
    let (mut controls, mut printable, mut all) = (0, 0, 0);
    for &byte in bytes.iter().filter(|&&byte| byte != 0) {
        all += 1;
        controls += usize::from(is_control(byte));
        printable += usize::from(matches!(byte, b' '..=b'~'));
    }
    let utf8 = std::str::from_utf8(bytes).is_ok() && controls * BYTES_PER_CONTROL <= all;
    utf8 || printable * 10 > all * 7
}

/// Noncharacters and private use characters: random 16-bit units often are.
fn is_never_in_text(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FDD0}'..='\u{FDEF}' | '\u{FFFE}' | '\u{FFFF}')
}

fn not_utf8(bytes: &[u8]) -> Decoded {
    // Broken places, and characters of several bytes that are right.
    let (mut broken, mut right, mut cut_off) = (0, 0, false);
    for chunk in bytes.utf8_chunks() {
        right += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        let invalid = chunk.invalid();
        broken += usize::from(!invalid.is_empty());
        cut_off = ends_inside_character(invalid);
    }
    // Legacy text hardly ever has valid multi-byte sequences, and a file that
    // is sound up to a cut in its last character was UTF-8.
    let damaged = right > broken || (broken == 1 && cut_off);
    if !damaged && let Some(decoded) = legacy(bytes) {
        return decoded;
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_owned();
    Decoded {
        text,
        warnings: vec![replaced_warning("UTF-8", broken)],
    }
}

/// Whether the bytes begin a UTF-8 character of three or four bytes whose end
/// is missing. (One lone byte is as likely to be a legacy letter.)
fn ends_inside_character(invalid: &[u8]) -> bool {
    invalid.len() > 1
        && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none())
}

/// The text in a legacy charset, where the whole file speaks for one: every
/// byte decodes, into no control characters, and mostly into letters.
fn legacy(bytes: &[u8]) -> Option<Decoded> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let (mut letters, mut others) = (0, 0);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        if c.is_control() || is_never_in_text(c) {
            return None;
        }
        if c.is_alphabetic() || is_common_sign(c) {
            letters += 1;
        } else {
            others += 1;
        }
    }
    (letters > others).then(|| Decoded {
        warnings: vec![format!(
            "The file is not UTF-8; it was read as {}.",
            encoding.name()
        )],
        text: text.into_owned(),
    })
}

/// Signs beyond letters that legacy charsets were used for.
fn is_common_sign(c: char) -> bool {
    matches!(c,
        '\u{2010}'..='\u{2026}' | '\u{3000}'..='\u{303F}' | '\u{FF01}'..='\u{FF65}'
        | '€' | '£' | '§' | '°' | '·' | '«' | '»' | '¡' | '¿' | '©' | '®' | '™' | '\u{A0}')
}

#[cfg(test)]
mod tests;
