//! Formats by what files begin with.

use super::{
    ACTIVITY, ARCHIVE, BOOK, BOOKMARKS, CALENDAR, CODE, CONTACTS, DATA, DOCUMENT, Format, MAILBOX,
    MARKDOWN, MESSAGE, ORG, PAGE, SHEET, SLIDES, SUBTITLES, TEXT, by_name,
};

/// What the first bytes say.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sniffed {
    Is(&'static Format),
    /// A format that nothing reads.
    Nothing,
    Unknown,
}

/// How far into a file a PDF may begin.
const PDF_REACH: usize = 1024;
/// Where a tar header says that it is one.
const TAR: (usize, &[u8]) = (257, b"ustar");
/// How far the names of a zip's first entries are looked for.
const ZIP_REACH: usize = 64 << 10;
/// How much of a JSON file is searched for its members.
const JSON_REACH: usize = 16 << 10;
/// Fields one of which begins nearly every message, in lower case.
const MAIL_FIELDS: [&str; 16] = [
    "received",
    "return-path",
    "delivered-to",
    "message-id",
    "mime-version",
    "from",
    "to",
    "subject",
    "date",
    "x-received",
    "x-mailer",
    "dkim-signature",
    "arc-seal",
    "envelope-to",
    "reply-to",
    "content-type",
];

/// By bytes that stand for one format and no other.
pub(super) fn by_magic(head: &[u8], name: &str) -> Sniffed {
    let format: &'static Format = if begins_as_pdf(head) {
        &super::PDF
    } else if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return in_zip(head, name);
    } else if head.starts_with(b"mozLz40\0") {
        &BOOKMARKS
    } else if head.starts_with(b"{\\rtf") {
        &DOCUMENT
    } else if head.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        // Older Office files, new ones with a password, Outlook's messages: their
        // reader says what can be done.
        match by_name(name) {
            Some(format) if [&DOCUMENT, &SLIDES, &SHEET].contains(&format) => format,
            _ => &DOCUMENT,
        }
    } else if head.starts_with(b"\x1F\x8B")
        || head.starts_with(b"\x28\xB5\x2F\xFD")
        || head.starts_with(b"\xFD7zXZ\0")
        || head.starts_with(b"BZh") && head.get(4..10) == Some(b"1AY&SY")
        || head.get(TAR.0..TAR.0 + TAR.1.len()) == Some(TAR.1)
    {
        &ARCHIVE
    } else if is_pdf_after_something(head, name) {
        &super::PDF
    } else {
        return Sniffed::Unknown;
    };
    Sniffed::Is(format)
}

const PDF_MARK: &[u8] = b"%PDF-";

fn begins_as_pdf(head: &[u8]) -> bool {
    let begin = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    begin.trim_ascii_start().starts_with(PDF_MARK)
}

/// Only where the name says so, or where what comes before is no text: notes
/// about PDF quote its mark.
fn is_pdf_after_something(head: &[u8], name: &str) -> bool {
    let reach = &head[..head.len().min(PDF_REACH)];
    let doubtful = by_name(name) == Some(&super::PDF) || !super::is_text(reach);
    doubtful && find(reach, PDF_MARK).is_some()
}

/// What a zip is, by the names of its first entries: many formats are zips.
fn in_zip(head: &[u8], name: &str) -> Sniffed {
    let head = &head[..head.len().min(ZIP_REACH)];
    let has = |what: &str| find(head, what.as_bytes()).is_some();
    let promised = by_name(name);
    let format: &'static Format =
        if has("mimetypeapplication/epub+zip") || has("META-INF/container.xml") {
            &BOOK
        } else if has("mimetypeapplication/vnd.oasis.opendocument.text") {
            &DOCUMENT
        } else if has("mimetypeapplication/vnd.oasis.opendocument.spreadsheet") {
            &SHEET
        } else if has("mimetypeapplication/vnd.oasis.opendocument.presentation") {
            &SLIDES
        } else if has("[Content_Types].xml") || has("_rels/.rels") {
            match promised {
                Some(format) if [&DOCUMENT, &SLIDES, &SHEET].contains(&format) => format,
                _ if has("word/") => &DOCUMENT,
                _ if has("xl/") => &SHEET,
                _ if has("ppt/") => &SLIDES,
                _ => return Sniffed::Nothing,
            }
        } else {
            let extension = name.rsplit_once('.').map(|(_, extension)| extension);
            match promised {
                // Written by a program that puts other entries first.
                Some(format) if format.extractor == DOCUMENT.extractor => format,
                Some(format) if format == &ARCHIVE => &ARCHIVE,
                _ if extension.is_none_or(|extension| extension.len() > 5) => &ARCHIVE,
                // Some program's own format.
                _ => return Sniffed::Nothing,
            }
        };
    Sniffed::Is(format)
}

/// Among formats that are text, by what they look like. A name that promises
/// text written by people is believed.
pub(super) fn by_text(head: &[u8], promised: Option<&Format>) -> Option<&'static Format> {
    let believed = [&MARKDOWN, &CODE, &ORG, &super::MARKUP];
    if promised.is_some_and(|promised| believed.contains(&promised)) {
        return None;
    }
    let open = promised.is_none_or(|promised| promised == &TEXT);
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let start = head.trim_ascii_start();
    if open && is_mailbox(head) {
        return Some(&MAILBOX);
    }
    match start.first()? {
        b'<' => markup(head, start, promised),
        b'{' | b'[' if promised.is_none_or(|promised| promised == &DATA) => {
            let start = &start[..start.len().min(JSON_REACH)];
            json(start).or_else(|| promised.is_none().then_some(&DATA))
        }
        _ if starts_with(start, b"WEBVTT") => Some(&SUBTITLES),
        _ if starts_with(start, b"BEGIN:VCALENDAR") => Some(&CALENDAR),
        _ if starts_with(start, b"BEGIN:VCARD") => Some(&CONTACTS),
        _ if promised == Some(&DATA) => is_youtube_table(start).then_some(&ACTIVITY),
        _ if promised == Some(&MESSAGE) || promised == Some(&MAILBOX) => None,
        _ if promised.is_none() && is_web_archive(head) => Some(&PAGE),
        _ if promised.is_none() && is_message(head) => Some(&MESSAGE),
        _ => None,
    }
}

fn markup(head: &[u8], start: &[u8], promised: Option<&Format>) -> Option<&'static Format> {
    if starts_with(start, b"<!DOCTYPE NETSCAPE-Bookmark-file") {
        return Some(&BOOKMARKS);
    }
    let is_page = promised == Some(&PAGE);
    let looks_like_a_page = starts_with(start, b"<!DOCTYPE html")
        || starts_with(start, b"<html")
        || find(&head[..head.len().min(2048)], b"<html").is_some();
    let reach = &head[..head.len().min(4096)];
    if find(reach, b"urn:oasis:names:tc:opendocument:xmlns:office:1.0").is_some() {
        return promised
            .is_none_or(|own| own.extractor != DOCUMENT.extractor)
            .then_some(&DOCUMENT);
    }
    let may_be_a_page = promised.is_none_or(|own| own == &TEXT);
    if !(is_page || looks_like_a_page && may_be_a_page) {
        return promised
            .is_none()
            .then_some(&DATA)
            .filter(|_| starts_with(start, b"<?xml"));
    }
    let has = |what: &str| find(head, what.as_bytes()).is_some();
    let is_note = has("<div class=\"note\"") && has("<div class=\"heading\"");
    if has("class=\"outer-cell") || is_note {
        return Some(&ACTIVITY);
    }
    // Firefox and others leave the usual first line out at times.
    if has("<DL><p>") && has("ADD_DATE=") {
        return Some(&BOOKMARKS);
    }
    Some(&PAGE)
}

/// Files of browsers and of Google Takeout, by their members.
fn json(head: &[u8]) -> Option<&'static Format> {
    let has = |what: &str| find(head, what.as_bytes()).is_some();
    if has("\"bookmark_bar\"") && has("\"roots\"") || has("text/x-moz-place") {
        return Some(&BOOKMARKS);
    }
    let is_activity = has("\"titleUrl\"") && has("\"products\"")
        || begins_with_member(head, b"\"header\"")
        || has("\"Browser History\"")
        || has("\"userEditedTimestampUsec\"")
        || has("\"isTrashed\"") && (has("\"textContent\"") || has("\"listContent\""))
        || has("\"youtube#");
    is_activity.then_some(&ACTIVITY)
}

/// Whether a list of objects begins, the first of which begins with this
/// member, and that is a text.
fn begins_with_member(head: &[u8], name: &[u8]) -> bool {
    let mut rest = head;
    for token in [b"[".as_slice(), b"{", name, b":", b"\""] {
        match rest.trim_ascii_start().strip_prefix(token) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

/// Playlists, subscriptions and comments: some row begins with an id of a video, a
/// playlist or a channel. Headings are in the account's language.
fn is_youtube_table(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&head[..head.len().min(4096)]);
    let is_id = |cell: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        cell.chars().all(plain)
            && (cell.len() == 24 && (cell.starts_with("UC") || cell.starts_with("FL"))
                || cell.len() == 34 && cell.starts_with("PL")
                || cell.len() >= 20 && cell.starts_with("Ug")
                || cell.len() == 11 && cell.chars().any(|c| !c.is_ascii_digit() && c != '-'))
    };
    let is_time = |cell: &str| cell.starts_with("20") && cell.contains(':');
    let rows = head.lines().filter(|line| line.contains(',')).take(8);
    rows.skip(1).any(|row| {
        let mut cells = row.split(',').map(str::trim);
        let first = cells.next().unwrap_or_default();
        // A video stands in a row of two cells, with the time that it was added.
        let video = first.len() == 11;
        is_id(first) && (!video || cells.next().is_some_and(is_time) && cells.next().is_none())
    })
}

/// `From someone Mon Jan  1 ...` and then a header.
fn is_mailbox(head: &[u8]) -> bool {
    let Some(rest) = head.strip_prefix(b"From ") else {
        return false;
    };
    let end = rest.iter().position(|&byte| byte == b'\n');
    let Some((line, rest)) = end.map(|end| rest.split_at(end + 1)) else {
        return false;
    };
    let has_time = line
        .windows(3)
        .any(|at| at[0].is_ascii_digit() && at[1] == b':' && at[2].is_ascii_digit());
    has_time && fields(rest).next().is_some()
}

/// A page with all that belongs to it, as browsers save it.
fn is_web_archive(head: &[u8]) -> bool {
    let head = &head[..head.len().min(2048)];
    is_message(head)
        && find(&head.to_ascii_lowercase(), b"multipart/related").is_some()
        && (find(head, b"Snapshot-Content-Location:").is_some()
            || find(head, b"<Saved by ").is_some())
}

/// A header of mail: at least two of its fields, and nothing else before the
/// empty line.
fn is_message(head: &[u8]) -> bool {
    let known = fields(head).filter(|name| MAIL_FIELDS.contains(&name.as_str()));
    known.take(2).count() == 2
}

/// The names of the fields that a header begins with, in lower case.
fn fields(header: &[u8]) -> impl Iterator<Item = String> {
    header
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.starts_with(b" ") && !line.starts_with(b"\t"))
        .map_while(|line| {
            let colon = line.iter().position(|&byte| byte == b':')?;
            let name = std::str::from_utf8(&line[..colon]).ok()?;
            let plain = |c: char| c.is_ascii_graphic();
            let fine = !name.is_empty() && name.len() <= 64 && name.chars().all(plain);
            fine.then(|| name.to_ascii_lowercase())
        })
}

/// Whether a file without a telling extension is a program's text.
pub(super) fn is_code(head: &[u8], name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "makefile",
        "gnumakefile",
        "dockerfile",
        "containerfile",
        "jenkinsfile",
        "justfile",
        "gemfile",
        "rakefile",
        "procfile",
        "vagrantfile",
        "brewfile",
        "cmakelists.txt",
    ];
    head.starts_with(b"#!") || NAMES.contains(&name.to_lowercase().as_str())
}

fn starts_with(head: &[u8], words: &[u8]) -> bool {
    head.get(..words.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(words))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, what)
}
