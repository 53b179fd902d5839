//! The parts of a message.
//!
//! One pass over the lines, with the boundaries that are open on a stack of
//! bounded height: time is linear in the length whatever the nesting. Messages
//! inside a message are not looked into: they are files of their own.

use std::ops::Range;

use mail_parser::ContentType;

use crate::headers::{self, Headers, Lines, field_of, is_blank};
use crate::transfer::Transfer;

/// Parts nested deeper are left out.
const MOST_DEPTH: usize = 64;
/// Further parts are left out.
const MOST_PARTS: usize = 4_096;
/// The fields of a part beyond this many bytes are not read.
const MOST_HEADER_BYTES: usize = 1 << 20;
/// How far an undeclared boundary is looked for.
const MOST_PREAMBLE: usize = 4 << 10;

/// A part of a message.
#[derive(Debug)]
pub(crate) struct Part {
    /// The lines of its header.
    pub(crate) header: Range<usize>,
    /// What follows the header.
    pub(crate) body: Range<usize>,
    pub(crate) media: Media,
    /// The parts of a multipart.
    pub(crate) parts: Vec<usize>,
}

/// What a part's header says of its body.
#[derive(Debug, Default)]
pub(crate) struct Media {
    /// Type and subtype in lower case.
    pub(crate) kind: String,
    pub(crate) subtype: String,
    pub(crate) charset: Option<String>,
    pub(crate) transfer: Transfer,
    pub(crate) file_name: Option<String>,
    pub(crate) is_attachment: bool,
    pub(crate) is_inline: bool,
    pub(crate) content_id: Option<String>,
    /// `format=flowed`, and whether with `delsp=yes`.
    pub(crate) flowed: Option<bool>,
    /// `smime-type` or `protocol`, in lower case.
    pub(crate) protocol: Option<String>,
    boundary: Option<Vec<u8>>,
}

impl Media {
    pub(crate) fn is(&self, kind: &str, subtype: &str) -> bool {
        self.kind == kind && self.subtype == subtype
    }

    pub(crate) fn is_multipart(&self) -> bool {
        self.kind == "multipart"
    }

    fn of(block: &[u8], in_digest: bool) -> Self {
        let headers = Headers::of(block);
        let mut media = Self {
            kind: "text".to_owned(),
            subtype: "plain".to_owned(),
            ..Self::default()
        };
        if in_digest {
            (media.kind, media.subtype) = ("message".to_owned(), "rfc822".to_owned());
        }
        let declared = headers.content_type("content-type");
        if let Some(declared) = &declared {
            media.declare(declared);
        }
        let disposition = headers.content_type("content-disposition");
        if let Some(disposition) = &disposition {
            media.is_attachment = disposition.c_type == "attachment";
            media.is_inline = disposition.c_type == "inline";
        }
        media.file_name = disposition
            .iter()
            .filter_map(|disposition| disposition.attribute("filename"))
            .chain(
                declared
                    .iter()
                    .filter_map(|declared| declared.attribute("name")),
            )
            .find_map(file_name);
        media.transfer = headers
            .raw("content-transfer-encoding")
            .map(|name| Transfer::of(&name))
            .unwrap_or_default();
        media.content_id = headers.ids("content-id").into_iter().next();
        media
    }

    fn declare(&mut self, declared: &ContentType<'_>) {
        if let Some(subtype) = &declared.c_subtype {
            self.kind = declared.c_type.to_string();
            self.subtype = subtype.to_string();
        } else if declared.c_type == "text" {
            self.subtype = "plain".to_owned();
        }
        let lower = |name| declared.attribute(name).map(str::to_ascii_lowercase);
        self.charset = declared.attribute("charset").map(str::to_owned);
        if lower("format").as_deref() == Some("flowed") {
            self.flowed = Some(lower("delsp").as_deref() == Some("yes"));
        }
        self.protocol = lower("smime-type").or_else(|| lower("protocol"));
        self.boundary = declared
            .attribute("boundary")
            .map(|boundary| boundary.trim_end().as_bytes().to_vec())
            .filter(|boundary| !boundary.is_empty());
    }
}

/// A file name with its encoded words decoded, which they should not be.
fn file_name(raw: &str) -> Option<String> {
    if raw.contains("=?") {
        return headers::text(raw.as_bytes());
    }
    (!raw.trim().is_empty()).then(|| raw.trim().to_owned())
}

/// A message taken apart.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The first is the message itself.
    pub(crate) parts: Vec<Part>,
    pub(crate) warnings: Vec<String>,
}

/// A multipart whose end has not been seen.
struct Open {
    part: usize,
    boundary: Vec<u8>,
    is_digest: bool,
}

/// Where the reading of lines stands.
enum State {
    /// In the header of the newest part.
    Header,
    /// In the body of the newest part, which is no multipart.
    Body,
    /// Before the first part of a multipart, or behind the last.
    Between,
}

struct Walk<'a> {
    raw: &'a [u8],
    parts: Vec<Part>,
    open: Vec<Open>,
    state: State,
    too_deep: bool,
    too_many: bool,
}

/// Takes a message apart.
pub(crate) fn parse(raw: &[u8]) -> Tree {
    let mut walk = Walk {
        raw,
        parts: Vec::new(),
        open: Vec::new(),
        state: State::Between,
        too_deep: false,
        too_many: false,
    };
    walk.begin(0);
    for line in Lines::new(raw, 0) {
        walk.line(line);
    }
    walk.finish()
}

impl Walk<'_> {
    fn line(&mut self, line: Range<usize>) {
        let text = &self.raw[line.clone()];
        let is_dashed = text.starts_with(b"--");
        if is_dashed && matches!(self.state, State::Header) && field_of(text).is_none() {
            // The blank line is missing that ends the header of a multipart.
            self.end_header(line.start, line.start);
        }
        if is_dashed && let Some((level, closes)) = self.boundary(text) {
            self.end_part(line.start);
            for open in self.open.drain(level + usize::from(!closes)..) {
                self.parts[open.part].body.end = line.start;
            }
            self.state = State::Between;
            if !closes {
                self.begin(line.end);
            }
            return;
        }
        if let State::Header = self.state {
            let is_root = self.parts.len() == 1;
            let Some(part) = self.parts.last_mut() else {
                return;
            };
            if is_blank(text) {
                // Blank lines before a message's header do not end it.
                if part.header.is_empty() && is_root {
                    part.header = line.end..line.end;
                    return;
                }
                self.end_header(line.start, line.end);
            } else if part.header.is_empty() && !is_root && field_of(text).is_none() {
                // A part that has no header and no blank line to say so.
                self.end_header(line.start, line.start);
            } else {
                part.header.end = line.end;
            }
        }
    }

    /// The level of the open multipart whose boundary a line is, and whether it
    /// is the last one.
    fn boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        let rest = line[2..].trim_ascii_end();
        for (level, open) in self.open.iter().enumerate().rev() {
            match rest.strip_prefix(open.boundary.as_slice()) {
                Some(b"") => return Some((level, false)),
                Some(more) if more.starts_with(b"--") => return Some((level, true)),
                _ => {}
            }
        }
        None
    }

    /// Begins a part of the innermost open multipart, or the message.
    fn begin(&mut self, at: usize) {
        if self.parts.len() >= MOST_PARTS {
            self.too_many = true;
            return;
        }
        let part = self.parts.len();
        if let Some(open) = self.open.last() {
            self.parts[open.part].parts.push(part);
        }
        self.parts.push(Part {
            header: at..at,
            body: at..at,
            media: Media::default(),
            parts: Vec::new(),
        });
        self.state = State::Header;
    }

    /// The header of the newest part ends at `end`, its body begins at `body`.
    fn end_header(&mut self, end: usize, body: usize) {
        let in_digest = self.open.last().is_some_and(|open| open.is_digest);
        let number = self.parts.len().saturating_sub(1);
        let Some(part) = self.parts.last_mut() else {
            return;
        };
        part.header.end = end.min(part.header.start + MOST_HEADER_BYTES);
        part.body = body..body;
        part.media = Media::of(&self.raw[part.header.clone()], in_digest);
        self.state = State::Body;
        if !part.media.is_multipart() {
            return;
        }
        let boundary = part
            .media
            .boundary
            .take()
            .or_else(|| first_boundary(&self.raw[body..]));
        let Some(boundary) = boundary else { return };
        if self.open.len() >= MOST_DEPTH {
            self.too_deep = true;
            return;
        }
        self.open.push(Open {
            part: number,
            boundary,
            is_digest: part.media.subtype == "digest",
        });
        self.state = State::Between;
    }

    /// The newest part, and what is open in it, ends before the line that
    /// begins at `at`.
    fn end_part(&mut self, at: usize) {
        match self.state {
            // A header without an end has no body.
            State::Header => {
                self.end_header(at, at);
            }
            State::Body => {
                let raw = self.raw;
                if let Some(part) = self.parts.last_mut() {
                    // The end of the line before belongs to the boundary.
                    let mut end = at;
                    if end > part.body.start && raw[end - 1] == b'\n' {
                        end -= 1;
                        if end > part.body.start && raw[end - 1] == b'\r' {
                            end -= 1;
                        }
                    }
                    part.body.end = end.max(part.body.start);
                }
            }
            State::Between => {}
        }
    }

    fn finish(mut self) -> Tree {
        let end = self.raw.len();
        match self.state {
            State::Header => self.end_header(end, end),
            State::Body => {
                if let Some(part) = self.parts.last_mut() {
                    part.body.end = end;
                }
            }
            State::Between => {}
        }
        let mut warnings = Vec::new();
        for open in &self.open {
            self.parts[open.part].body.end = end;
        }
        for part in &mut self.parts {
            if part.media.is_multipart() && part.parts.is_empty() {
                // Its boundary never came: what is there is read as text.
                (part.media.kind, part.media.subtype) = ("text".to_owned(), "plain".to_owned());
            }
        }
        if !self.open.is_empty() {
            warnings.push("The message ends in the middle of a part.".to_owned());
        }
        if self.too_deep {
            warnings.push(format!(
                "Parts nested more than {MOST_DEPTH} deep were left out."
            ));
        }
        if self.too_many {
            warnings.push(format!(
                "Parts beyond the first {MOST_PARTS} were left out."
            ));
        }
        Tree {
            parts: self.parts,
            warnings,
        }
    }
}

/// Where the header of a message ends.
pub(crate) fn header_end(raw: &[u8]) -> usize {
    let mut begun = false;
    for line in Lines::new(raw, 0) {
        let blank = is_blank(&raw[line.clone()]);
        if blank && begun {
            return line.start;
        }
        begun |= !blank;
    }
    raw.len()
}

/// The boundary that a multipart uses without declaring it.
fn first_boundary(body: &[u8]) -> Option<Vec<u8>> {
    let start = &body[..body.len().min(MOST_PREAMBLE)];
    Lines::new(start, 0)
        .filter_map(|line| start[line].trim_ascii_end().strip_prefix(b"--"))
        .find(|rest| rest.len() > 2 && !rest.contains(&b' '))
        .map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests;
