//! Bytes of a header or of a body -> text, whatever they claim to be.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use mail_parser::decoders::charsets::map::charset_decoder;

/// How much of a text tells its charset.
const MOST_SNIFFED: usize = 64 << 10;
/// How far into HTML its own charset is looked for.
const MOST_META: usize = 4 << 10;

/// The value of a header as UTF-8. Old programs write bytes of their own
/// charset there, which no field names.
pub(crate) fn header(value: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(value) {
        Ok(text) if !text.contains("\u{1B}$") => Cow::Borrowed(text),
        _ => guess(value, Iso2022JpDetection::Allow)
            .decode_without_bom_handling(value)
            .0
            .into_owned()
            .into(),
    }
}

fn guess(bytes: &[u8], iso_2022_jp: Iso2022JpDetection) -> &'static Encoding {
    let mut detector = EncodingDetector::new(iso_2022_jp);
    detector.feed(&bytes[..bytes.len().min(MOST_SNIFFED)], true);
    detector.guess(None, Utf8Detection::Deny)
}

/// The text of a body and, where its charset was not the one it claims, a
/// sentence about that.
pub(crate) fn body(
    bytes: &[u8],
    declared: Option<&str>,
    is_html: bool,
) -> (String, Option<String>) {
    let (mut text, warning) = decode(bytes, declared, is_html);
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    (text, warning)
}

fn decode(bytes: &[u8], declared: Option<&str>, is_html: bool) -> (String, Option<String>) {
    let declared = declared.map(str::trim).filter(|label| !label.is_empty());
    // Plain ASCII says nothing of the charset, and needs none.
    let says_ascii = declared.is_none_or(|label| {
        [
            "us-ascii",
            "ascii",
            "default_charset",
            "unknown-8bit",
            "x-unknown",
            "utf-8",
            "utf8",
        ]
        .iter()
        .any(|known| label.eq_ignore_ascii_case(known))
    });
    let escapes = memchr::memmem::find(bytes, b"\x1B$").is_some();
    if says_ascii {
        if let Ok(text) = std::str::from_utf8(bytes)
            && !escapes
        {
            return (text.to_owned(), None);
        }
        let inner = is_html.then(|| meta(bytes)).flatten();
        if let Some(encoding) = inner.filter(|&encoding| encoding != UTF_8)
            && let Some(text) = sound(encoding, bytes)
        {
            return (text, None);
        }
        return detected(bytes, declared);
    }
    let label = declared.unwrap_or_default();
    match Encoding::for_label(label.as_bytes()) {
        Some(encoding) => {
            // UTF-8 hardly ever happens by accident.
            let may_be_utf8 = encoding.is_single_byte() && !bytes.is_ascii();
            if may_be_utf8 && let Ok(text) = std::str::from_utf8(bytes) {
                return (text.to_owned(), Some(not_declared(label, UTF_8)));
            }
            match sound(encoding, bytes) {
                Some(text) => (text, None),
                None if !escapes && std::str::from_utf8(bytes).is_ok() => {
                    (utf8(bytes), Some(not_declared(label, UTF_8)))
                }
                None => damaged(encoding, bytes, label),
            }
        }
        // Charsets of mail that the web does not know: UTF-7, IBM code pages.
        None => match charset_decoder(label.as_bytes()) {
            Some(decode) => (decode(bytes), None),
            None => detected(bytes, declared),
        },
    }
}

fn utf8(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The text, where every byte decodes.
fn sound(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    encoding
        .decode_without_bom_handling_and_without_replacement(bytes)
        .map(Cow::into_owned)
}

/// A charset that does not fit: little damage is damage, much is another
/// charset.
fn damaged(encoding: &'static Encoding, bytes: &[u8], label: &str) -> (String, Option<String>) {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let broken = text.matches('\u{FFFD}').count();
    let foreign = text.chars().filter(|c| !c.is_ascii()).count();
    if broken * 10 <= foreign {
        let warning = format!("The text is damaged {label}: {broken} characters were replaced.");
        return (text.into_owned(), Some(warning));
    }
    detected(bytes, Some(label))
}

fn detected(bytes: &[u8], declared: Option<&str>) -> (String, Option<String>) {
    if std::str::from_utf8(bytes).is_ok() && memchr::memmem::find(bytes, b"\x1B$").is_none() {
        return (
            utf8(bytes),
            declared.map(|label| not_declared(label, UTF_8)),
        );
    }
    let replaced = bytes
        .utf8_chunks()
        .filter(|chunk| !chunk.invalid().is_empty());
    let right = utf8(bytes).chars().filter(|c| !c.is_ascii()).count();
    let broken = replaced.count();
    // UTF-8 with a few broken places is UTF-8.
    if right > broken * 4 {
        let warning = format!("The text is damaged UTF-8: {broken} characters were replaced.");
        return (utf8(bytes), Some(warning));
    }
    let encoding = guess(bytes, Iso2022JpDetection::Allow);
    let text = match sound(encoding, bytes) {
        Some(text) => text,
        None => WINDOWS_1252
            .decode_without_bom_handling(bytes)
            .0
            .into_owned(),
    };
    let warning = match declared {
        Some(label) => not_declared(label, encoding),
        None => format!(
            "The message does not say its charset; it was read as {}.",
            encoding.name()
        ),
    };
    (text, Some(warning))
}

fn not_declared(label: &str, encoding: &'static Encoding) -> String {
    let label: String = label.chars().filter(|c| !c.is_control()).take(40).collect();
    format!(
        "The text is not the {label} it claims to be; it was read as {}.",
        encoding.name()
    )
}

/// The charset that HTML declares itself.
fn meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(MOST_META)];
    let lower = start.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&lower[from..], b"charset") {
        let rest = &lower[from + found + b"charset".len()..];
        from += found + b"charset".len();
        let Some(rest) = rest.trim_ascii_start().strip_prefix(b"=") else {
            continue;
        };
        let rest = rest.trim_ascii_start();
        let rest = match rest.first() {
            Some(b'"' | b'\'') => &rest[1..],
            _ => rest,
        };
        let end = rest
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || b"-_:.".contains(byte)))
            .unwrap_or(rest.len());
        if let Some(encoding) = Encoding::for_label(&rest[..end]) {
            return Some(encoding);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], declared: &str) -> (String, bool) {
        let declared = (!declared.is_empty()).then_some(declared);
        let (text, warning) = body(bytes, declared, false);
        (text, warning.is_some())
    }

    #[test]
    fn what_is_declared_and_true_is_read_without_a_word() {
        let cases: [(&[u8], &str, &str); 7] = [
            (b"plain", "", "plain"),
            ("Grüße".as_bytes(), "utf-8", "Grüße"),
            (b"Gr\xFC\xDFe", "ISO-8859-1", "Grüße"),
            (b"\x1B$B$3$s\x1B(B", "iso-2022-jp", "こん"),
            (b"\xC4\xE3\xBA\xC3", "gb2312", "你好"),
            (b"Hi Mom -+Jjo--!", "utf-7", "Hi Mom -☺-!"),
            (b"\x84", "cp850", "ä"),
        ];
        for (bytes, declared, text) in cases {
            assert_eq!(
                read(bytes, declared),
                (text.to_owned(), false),
                "{declared}"
            );
        }
    }

    #[test]
    fn a_wrong_charset_is_found_out_and_said() {
        assert_eq!(
            read("Grüße".as_bytes(), "iso-8859-1"),
            ("Grüße".into(), true)
        );
        let latin = b"Viele Gr\xFC\xDFe aus M\xFCnchen, und sch\xF6ne Feiertage!";
        let text = "Viele Grüße aus München, und schöne Feiertage!";
        for declared in ["utf-8", "us-ascii", "x-nonsense", ""] {
            assert_eq!(read(latin, declared), (text.into(), true), "{declared}");
        }
    }

    #[test]
    fn html_may_declare_its_charset_itself() {
        let html = b"<html><META http-equiv=Content-Type content=\"text/html; charset=koi8-r\"><p>\xF0\xD2\xC9\xD7\xC5\xD4";
        let (text, warning) = body(html, None, true);
        assert!(text.ends_with("Привет") && warning.is_none(), "{text}");
    }

    #[test]
    fn damage_is_replaced_and_said() {
        let mut bytes = "Größe, Güte, Übermut und Ähnliches".as_bytes().to_vec();
        bytes[0] = 0xFF;
        let (text, warned) = read(&bytes, "utf-8");
        assert!(text.contains("Güte, Übermut") && warned);
    }
}
