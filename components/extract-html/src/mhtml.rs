//! Web archives: a page and what it shows in one MIME message (RFC 2557).

use extract_core::Failure;

/// Messages in messages deeper than this are not looked into.
const MAX_DEPTH: usize = 4;
/// More parts than this are not looked at.
const MAX_PARTS: usize = 10_000;
/// Headers of a message are at most this long, in bytes.
const MAX_HEADERS: usize = 64 << 10;

/// The page in a web archive.
#[derive(Debug)]
pub(crate) struct Archived {
    pub(crate) html: Vec<u8>,
    pub(crate) charset: Option<String>,
    /// Where it was saved from.
    pub(crate) url: Option<String>,
}

/// Whether bytes are a web archive: headers that say `multipart/related`.
pub(crate) fn is_archive(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let names_a_header = start
        .iter()
        .position(|&byte| !(byte.is_ascii_alphanumeric() || byte == b'-'))
        .is_some_and(|at| at > 0 && start[at] == b':');
    names_a_header
        && Part::read(start)
            .content_type()
            .0
            .eq_ignore_ascii_case("multipart/related")
}

/// Takes the page out of a web archive.
pub(crate) fn read(bytes: &[u8]) -> Result<Archived, Failure> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let archive = Part::read(bytes);
    let (_, parameters) = archive.content_type();
    let start = parameter(&parameters, "start");
    let mut leaves = Vec::new();
    leaves_of(&archive, MAX_DEPTH, &mut leaves);
    let is_page = |part: &&Part<'_>| {
        let (kind, _) = part.content_type();
        kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
    };
    let root = start.and_then(|id| {
        let with_id = |part: &&Part<'_>| part.header("content-id").as_deref() == Some(&id);
        leaves.iter().filter(is_page).find(with_id)
    });
    let page = root
        .or_else(|| leaves.iter().find(is_page))
        .ok_or_else(|| Failure::invalid("There is no page in the web archive."))?;
    let web = |address: &String| address.starts_with("http://") || address.starts_with("https://");
    Ok(Archived {
        html: page.decoded(),
        charset: parameter(&page.content_type().1, "charset"),
        url: archive
            .header("snapshot-content-location")
            .filter(web)
            .or_else(|| page.header("content-location").filter(web))
            .or_else(|| archive.header("content-location").filter(web)),
    })
}

struct Part<'a> {
    headers: &'a [u8],
    body: &'a [u8],
}

impl<'a> Part<'a> {
    fn read(bytes: &'a [u8]) -> Self {
        let mut at = 0;
        while at < bytes.len().min(MAX_HEADERS) {
            let end = line_end(bytes, at);
            let line = bytes[at..end].trim_ascii_end();
            if line.is_empty() {
                return Self {
                    headers: &bytes[..at],
                    body: &bytes[end..],
                };
            }
            at = end;
        }
        Self {
            headers: &bytes[..at.min(bytes.len())],
            body: &[],
        }
    }

    /// The value of a header, on one line.
    fn header(&self, name: &str) -> Option<String> {
        let mut at = 0;
        while at < self.headers.len() {
            let mut end = line_end(self.headers, at);
            while matches!(self.headers.get(end), Some(b' ' | b'\t')) {
                end = line_end(self.headers, end);
            }
            let field = String::from_utf8_lossy(&self.headers[at..end]);
            if let Some((known, value)) = field.split_once(':')
                && known.trim().eq_ignore_ascii_case(name)
            {
                // An address that was folded has no spaces of its own.
                return Some(value.split(['\r', '\n']).map(str::trim).collect());
            }
            at = end;
        }
        None
    }

    /// The media type, and its parameters.
    fn content_type(&self) -> (String, String) {
        let value = self.header("content-type").unwrap_or_default();
        let (kind, parameters) = value.split_once(';').unwrap_or((&value, ""));
        (kind.trim().to_owned(), parameters.to_owned())
    }

    fn decoded(&self) -> Vec<u8> {
        let encoding = self.header("content-transfer-encoding").unwrap_or_default();
        match &*encoding.to_ascii_lowercase() {
            "quoted-printable" => quoted_printable(self.body),
            "base64" => base64(self.body),
            _ => self.body.to_vec(),
        }
    }
}

/// The parts of a message that have no parts.
fn leaves_of<'a>(part: &Part<'a>, depth: usize, leaves: &mut Vec<Part<'a>>) {
    let (_, parameters) = part.content_type();
    let Some(boundary) = parameter(&parameters, "boundary") else {
        return;
    };
    let boundary = format!("--{boundary}");
    let mut start = None;
    let mut at = 0;
    while at < part.body.len() && leaves.len() < MAX_PARTS {
        let end = line_end(part.body, at);
        let rest = part.body[at..end].strip_prefix(boundary.as_bytes());
        let ends = rest.is_some_and(|rest| rest.trim_ascii_end() == b"--");
        if ends || rest.is_some_and(|rest| rest.trim_ascii_end().is_empty()) {
            if let Some(start) = start {
                add(&part.body[start..at], depth, leaves);
            }
            start = Some(end);
            if ends {
                return;
            }
        }
        at = end;
    }
    // Cut off, but what there is can be read.
    if let Some(start) = start {
        add(&part.body[start..], depth, leaves);
    }
}

fn add<'a>(bytes: &'a [u8], depth: usize, leaves: &mut Vec<Part<'a>>) {
    let part = Part::read(bytes);
    let (kind, _) = part.content_type();
    if depth > 0 && kind.to_ascii_lowercase().starts_with("multipart/") {
        leaves_of(&part, depth - 1, leaves);
    } else {
        leaves.push(part);
    }
}

/// One past the end of the line at `at`.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().position(|&byte| byte == b'\n');
    length.map_or(bytes.len(), |length| at + length + 1)
}

/// A parameter of a header, without quotes.
fn parameter(parameters: &str, name: &str) -> Option<String> {
    let mut rest = parameters;
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find(';').unwrap_or(after.len())),
        };
        if key
            .trim_matches([' ', ';', '\t'])
            .eq_ignore_ascii_case(name)
        {
            return Some(value.trim().to_owned());
        }
        rest = next.trim_start_matches([' ', ';', '\t']);
    }
    None
}

fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let hex = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at + 1..];
        if bytes[at] != b'=' {
            out.push(bytes[at]);
            at += 1;
        } else if let (Some(high), Some(low)) = (hex(rest.first()), hex(rest.get(1))) {
            out.extend(u8::try_from(high * 16 + low));
            at += 3;
        } else {
            // A soft line end, with blanks before it or not.
            let blanks = rest
                .iter()
                .take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'\r'));
            let blanks = blanks.take(1_000).count();
            if rest.get(blanks) == Some(&b'\n') {
                at += blanks + 2;
            } else {
                out.push(b'=');
                at += 1;
            }
        }
    }
    out
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for &byte in bytes {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = (bits << 6 | u32::from(value)) & 0xFF_FFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xFF) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARCHIVE: &str = "From: <Saved by Blink>\r\n\
        Snapshot-Content-Location: https://x.y/a?b=c\r\n\
        Subject: A page\r\n\
        MIME-Version: 1.0\r\n\
        Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\
        \tboundary=\"--b--1\"\r\n\r\n\r\n\
        ----b--1\r\nContent-Type: text/css\r\n\r\np{}\r\n\
        ----b--1\r\nContent-Type: text/html; charset=utf-8\r\nContent-ID: <f@x>\r\n\
        Content-Transfer-Encoding: quoted-printable\r\n\r\n\
        <p class=3D\"a\">Gr=C3=BC=\r\n=C3=9Fe = x=\r\n\
        ----b--1\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\
        Content-Location: https://x.y/frame\r\n\r\nPHA+ZnJh\r\nbWU=\r\n----b--1--\r\n";

    #[test]
    fn the_page_is_taken_out() {
        assert!(is_archive(ARCHIVE.as_bytes()));
        let page = read(ARCHIVE.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8(page.html).unwrap(),
            "<p class=\"a\">Grüße = x"
        );
        assert_eq!(page.charset.as_deref(), Some("utf-8"));
        assert_eq!(page.url.as_deref(), Some("https://x.y/a?b=c"));
    }

    #[test]
    fn the_start_names_the_page() {
        let archive = ARCHIVE
            .replace("type=\"text/html\"", "start=\"<2>\"")
            .replace("Snapshot-", "X-")
            .replace(
                "\r\nContent-Location",
                "\r\nContent-ID: <2>\r\nContent-Location",
            );
        let page = read(archive.as_bytes()).unwrap();
        assert_eq!(page.html, b"<p>frame");
        assert_eq!(page.url.as_deref(), Some("https://x.y/frame"));
    }

    #[test]
    fn cut_archives_give_what_they_have() {
        let cut = &ARCHIVE[..ARCHIVE.find("=C3=9F").unwrap()];
        assert_eq!(
            read(cut.as_bytes()).unwrap().html,
            "<p class=\"a\">Grü=\r\n".replace("=\r\n", "").as_bytes()
        );
        let none = &ARCHIVE[..ARCHIVE.find("----b--1\r\nContent-Type: text/html").unwrap()];
        assert!(
            read(none.as_bytes())
                .unwrap_err()
                .message
                .contains("no page")
        );
    }

    #[test]
    fn other_messages_and_pages_are_no_archives() {
        for other in [
            "<html>",
            "",
            "a: b",
            "Subject: x\n\nContent-Type: multipart/related",
            "Content-Type: text/plain\n\nx",
        ] {
            assert!(!is_archive(other.as_bytes()), "{other}");
        }
    }
}
