//! Bytes of a page -> text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How far the page's own word on its charset is looked for. The standard says
/// 1,024 bytes; comments and scripts before it make real pages need more.
const PRESCAN: usize = 16 << 10;
/// Text that happens to be sound UTF-8 with so many characters of several
/// bytes is UTF-8, whatever is said of it.
const SURELY_UTF8: usize = 3;

/// Decodes a page: by its byte order mark, else the charset that came with it
/// (of a media type, an HTTP header), else the one it names itself, else the
/// one its bytes look like. A charset that the bytes contradict is not
/// believed. The text has no byte order mark and no NUL; the warnings are one
/// sentence each.
pub fn decode_html(bytes: &[u8], header_charset: Option<&str>) -> (String, Vec<String>) {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[length..]);
    }
    let declared = [
        header_charset.and_then(encoding_for),
        declared_charset(bytes),
    ];
    let mut declared = declared.into_iter().flatten().peekable();
    let named = declared.peek().copied();
    if named.is_none_or(|encoding| encoding == UTF_16LE || encoding == UTF_16BE)
        && let Some(encoding) = unmarked_utf16(bytes)
    {
        return decode_as(encoding, bytes);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let several = text.chars().filter(|c| !c.is_ascii()).nth(SURELY_UTF8 - 1);
        if several.is_some() || named.is_none_or(|encoding| encoding == UTF_8) {
            let mut warnings = Vec::new();
            if let Some(encoding) = named.filter(|&encoding| encoding != UTF_8) {
                warnings.push(format!(
                    "The page is said to be {}, but is UTF-8, and was read as that.",
                    encoding.name()
                ));
            }
            return (without_nul(text.to_owned(), &mut warnings), warnings);
        }
    }
    for encoding in declared {
        if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            let mut warnings = Vec::new();
            return (without_nul(text.into_owned(), &mut warnings), warnings);
        }
    }
    undeclared(bytes, named)
}

/// What no charset that was named fits.
fn undeclared(bytes: &[u8], named: Option<&'static Encoding>) -> (String, Vec<String>) {
    // A damaged page is still what it says, if it mostly reads as that.
    if let Some(encoding) = named {
        let (text, mut warnings) = decode_as(encoding, bytes);
        let replaced = text.matches('\u{FFFD}').count();
        let right = text.chars().filter(|c| !c.is_ascii()).count() - replaced;
        if right > replaced * 4 {
            return (text, warnings);
        }
        warnings.clear();
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    let (text, mut warnings) = decode_as(encoding, bytes);
    let said = match named {
        Some(named) => format!("The page is said to be {}, but is not", named.name()),
        None => "The page does not say its charset".to_owned(),
    };
    warnings.insert(0, format!("{said}; it was read as {}.", encoding.name()));
    (text, warnings)
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> (String, Vec<String>) {
    let own = if encoding == UTF_8 {
        count(bytes, "\u{FFFD}".as_bytes())
    } else {
        0
    };
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let mut warnings = Vec::new();
    let replaced = text.matches('\u{FFFD}').count().saturating_sub(own);
    if replaced > 0 {
        let characters = if replaced == 1 {
            "character"
        } else {
            "characters"
        };
        warnings.push(format!(
            "The page is damaged {}: {replaced} {characters} could not be decoded.",
            encoding.name()
        ));
    }
    (without_nul(text.into_owned(), &mut warnings), warnings)
}

fn count(bytes: &[u8], what: &[u8]) -> usize {
    bytes
        .windows(what.len())
        .filter(|window| *window == what)
        .count()
}

fn without_nul(mut text: String, warnings: &mut Vec<String>) -> String {
    let length = text.len();
    text.retain(|c| c != '\0');
    let nuls = length - text.len();
    if nuls > 0 {
        warnings.push(format!("{nuls} NUL characters were left out."));
    }
    text
}

/// The encoding a label names; as the standard has it for pages.
fn encoding_for(label: &str) -> Option<&'static Encoding> {
    let label = label.trim_matches(|c: char| c.is_ascii_whitespace() || c == '"' || c == '\'');
    let encoding = Encoding::for_label_no_replacement(label.as_bytes())?;
    Some(if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

/// The charset that a page names in `meta` or in an XML declaration. What is
/// named in bytes that read as ASCII is not UTF-16.
fn declared_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN)];
    let mut at = 0;
    while let Some(length) = head[at..].iter().position(|&byte| byte == b'<') {
        let tag = &head[at + length..];
        if tag.starts_with(b"<!--") {
            let end = tag.windows(3).skip(2).position(|window| window == b"-->");
            at += length + 2 + end? + 3;
            continue;
        }
        let end = tag.iter().position(|&byte| byte == b'>')?;
        let is_meta = tag.len() > 5 && tag[1..5].eq_ignore_ascii_case(b"meta");
        let named = if is_meta {
            value_after(&tag[..end], b"charset")
        } else if tag.starts_with(b"<?xml") {
            value_after(&tag[..end], b"encoding")
        } else {
            None
        };
        if let Some(encoding) = named.and_then(encoding_for) {
            return Some(if encoding == UTF_16LE || encoding == UTF_16BE {
                UTF_8
            } else {
                encoding
            });
        }
        // An attribute may hold a `>`; looking at what follows it is harmless.
        at += length + end.max(1);
    }
    None
}

/// What stands behind `name=` in a tag, inside another attribute's value too
/// (`content="text/html; charset=utf-8"`).
fn value_after<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let at = tag
        .windows(name.len())
        .position(|window| window.eq_ignore_ascii_case(name))?;
    let rest = tag[at + name.len()..].trim_ascii_start();
    let rest = rest.strip_prefix(b"=")?.trim_ascii_start();
    let rest = rest
        .strip_prefix(b"\"")
        .or(rest.strip_prefix(b"'"))
        .unwrap_or(rest);
    let end = rest
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || b"\"';/>".contains(byte))
        .unwrap_or(rest.len());
    std::str::from_utf8(&rest[..end]).ok()
}

/// The order of bytes where every other one is NUL nearly always, as in markup
/// in UTF-16 that has no byte order mark.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN)];
    let units = head.len() / 2;
    let (mut even, mut odd) = (0, 0);
    for pair in head.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    let mostly = |nuls: usize| nuls * 5 > units * 2 && units > 1;
    if mostly(odd) && even == 0 {
        Some(UTF_16LE)
    } else if mostly(even) && odd == 0 {
        Some(UTF_16BE)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GERMAN: &str = "<p>Grüße aus Köln, schön wär's, überall Bäume";

    fn latin1(text: &str) -> Vec<u8> {
        WINDOWS_1252.encode(text).0.into_owned()
    }

    #[test]
    fn a_mark_goes_before_all() {
        let bytes = [b"\xEF\xBB\xBF".as_slice(), GERMAN.as_bytes()].concat();
        assert_eq!(decode_html(&bytes, Some("latin1")), (GERMAN.into(), vec![]));
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(GERMAN.encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(decode_html(&bytes, Some("utf-8")).0, GERMAN);
        let (text, _) = decode_html(&bytes[2..], None);
        assert_eq!(text, GERMAN);
    }

    #[test]
    fn the_header_goes_before_the_page_where_it_fits() {
        let page = format!("<meta charset=koi8-r>{GERMAN}");
        let (text, warnings) = decode_html(&latin1(&page), Some(" \"ISO-8859-1\""));
        assert_eq!((text, warnings), (page, vec![]));
        let page = format!("<meta charset=windows-1252>{GERMAN}");
        let (text, warnings) = decode_html(&latin1(&page), Some("utf-8"));
        assert_eq!((text, warnings), (page, vec![]));
    }

    #[test]
    fn pages_name_their_charset_in_many_ways() {
        for meta in [
            "<meta charset=\"shift_jis\">",
            "<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=Shift_JIS'>",
            "<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>",
            "<!-- <meta charset=utf-8> --><title>x</title><meta charset = sjis/>",
        ] {
            let page = format!("{meta}<p>これは日本語");
            let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(&page);
            let (text, warnings) = decode_html(&bytes, None);
            assert_eq!((text, warnings), (page, vec![]), "{meta}");
        }
        // A label that cannot be true and one that is none.
        for meta in ["<meta charset=utf-16>", "<meta charset=martian>"] {
            let page = format!("{meta}{GERMAN}");
            assert_eq!(decode_html(page.as_bytes(), None), (page, vec![]));
        }
    }

    #[test]
    fn what_the_bytes_contradict_is_not_believed() {
        let page = format!("<meta charset=iso-8859-1>{GERMAN}");
        let (text, warnings) = decode_html(page.as_bytes(), None);
        assert_eq!(text, page);
        assert!(warnings[0].contains("said to be windows-1252, but is UTF-8"));

        let page = format!("<meta charset=utf-8>{GERMAN}");
        let (text, warnings) = decode_html(&latin1(&page), None);
        assert_eq!(text, page);
        assert!(warnings[0].contains("said to be UTF-8, but is not; it was read as windows-1252"));
    }

    #[test]
    fn nothing_said_is_detected_and_said() {
        let russian = "<p>Это заметка о том, как мы поехали на дачу.";
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        let (text, warnings) = decode_html(&bytes, None);
        assert_eq!(text, russian);
        assert!(warnings[0].contains("does not say its charset; it was read as windows-1251"));
    }

    #[test]
    fn damage_is_replaced_and_counted() {
        let mut bytes = format!("<meta charset=utf-8>{GERMAN}").into_bytes();
        bytes.extend(b"\xFF x \0");
        let (text, warnings) = decode_html(&bytes, None);
        assert!(text.ends_with("Bäume\u{FFFD} x "));
        assert!(
            warnings[0].contains("UTF-8: 1 character could") && warnings[1].contains("1 NUL"),
            "{warnings:?}"
        );
    }
}
