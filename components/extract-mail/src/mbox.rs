//! Mailboxes: many messages in one file, each after a line that begins with
//! `From `.
//!
//! The file is read in windows and one message is held at a time, up to a
//! limit, so its size does not matter. What tells messages apart is the `From `
//! line alone: lengths that a header claims are not trusted.

use extract_core::{Bytes, Failure};

use crate::date;
use crate::headers::{field_of, is_blank};

/// How much of the file is looked at together, in bytes.
const WINDOW: usize = 4 << 20;
/// What is kept of a window before the place that is looked at, and has to be
/// there behind it: a `From ` line and the one after it.
const MARGIN: usize = 4 << 10;
/// Longer `From ` lines are text.
const MOST_FROM_LINE: usize = 512;

/// Fields that messages begin with, in lower case.
const FIRST_FIELDS: &[&str] = &[
    "return-path",
    "received",
    "delivered-to",
    "from",
    "date",
    "subject",
    "to",
    "message-id",
    "mime-version",
    "content-type",
    "x-gm-thrid",
    "x-gmail-labels",
    "x-mozilla-status",
    "x-mozilla-keys",
    "x-uidl",
    "x-account-key",
    "status",
    "x-status",
    "reply-to",
    "sender",
    "envelope-to",
    "x-original-to",
    "x-envelope-from",
    "dkim-signature",
    "x-keywords",
    "x-uid",
];

/// A message of a mailbox.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// Its bytes, up to the limit.
    pub(crate) raw: Vec<u8>,
    /// How many bytes it has beyond the limit.
    pub(crate) cut: u64,
    /// When it was delivered, in milliseconds since 1970.
    pub(crate) delivered: Option<i64>,
}

impl Entry {
    fn push(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.raw.len()).min(bytes.len());
        self.raw.extend_from_slice(&bytes[..room]);
        self.cut += (bytes.len() - room) as u64;
    }
}

/// A mailbox that is being read.
pub(crate) struct Mailbox {
    bytes: Box<dyn Bytes>,
    window: Vec<u8>,
    /// Where in the window reading goes on.
    at: usize,
    /// Where in the file the window ends.
    offset: u64,
    ended: bool,
    /// The most bytes of a message that are kept.
    limit: usize,
    /// Bytes before the first message.
    pub(crate) garbage: u64,
}

impl Mailbox {
    /// A mailbox before its first message.
    ///
    /// # Errors
    /// What reading the bytes says.
    pub(crate) fn open(bytes: Box<dyn Bytes>, limit: usize) -> Result<Self, Failure> {
        let mut mailbox = Self {
            bytes,
            window: Vec::new(),
            at: 0,
            offset: 0,
            ended: false,
            limit,
            garbage: 0,
        };
        // What comes before the first message belongs to none.
        let mut before = Entry::default();
        mailbox.read_until_from(&mut before, MARGIN)?;
        mailbox.garbage = match before
            .raw
            .iter()
            .all(|&byte| byte.is_ascii_whitespace() || byte == 0)
        {
            true => before.cut,
            false => before.raw.len() as u64 + before.cut,
        };
        Ok(mailbox)
    }

    /// The next message.
    ///
    /// # Errors
    /// What reading the bytes says.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, Failure> {
        if self.at >= self.window.len() && self.ended {
            return Ok(None);
        }
        let line = line_at(&self.window, self.at);
        let mut entry = Entry {
            delivered: date::loose(&String::from_utf8_lossy(&self.window[line.clone()])),
            ..Entry::default()
        };
        self.at = line.end;
        self.read_until_from(&mut entry, self.limit)?;
        // The blank line before the next message is not this one's.
        for end in [b"\n".as_slice(), b"\r"] {
            if entry.cut == 0 && entry.raw.ends_with(end) {
                entry.raw.pop();
            }
        }
        Ok(Some(entry))
    }

    /// Reads more of the file behind the window; what was read before the
    /// margin is let go. Only what is before [`Self::at`] may be.
    fn refill(&mut self) -> Result<(), Failure> {
        let keep_from = self.at.saturating_sub(MARGIN);
        self.window.drain(..keep_from);
        self.at -= keep_from;
        let wanted = WINDOW.saturating_sub(self.window.len()).max(WINDOW / 2);
        let piece = self
            .bytes
            .read(self.offset, u32::try_from(wanted).unwrap_or(u32::MAX))?;
        self.offset += piece.len() as u64;
        self.ended = piece.is_empty();
        self.window.extend_from_slice(&piece);
        Ok(())
    }

    /// Adds to an entry what comes before the next `From ` line and stops
    /// there, or at the end.
    fn read_until_from(&mut self, entry: &mut Entry, limit: usize) -> Result<(), Failure> {
        // Where the message begins, as long as the window has it.
        let mut is_start = true;
        let mut scan = self.at;
        loop {
            let found = memchr::memmem::find(&self.window[scan..], b"From ");
            // Near the end of the window the line after it may be missing.
            let settled = if self.ended {
                self.window.len()
            } else {
                self.window.len().saturating_sub(MARGIN)
            };
            let Some(found) = found
                .map(|found| scan + found)
                .filter(|&found| found < settled)
            else {
                if self.ended {
                    entry.push(&self.window[self.at..], limit);
                    self.at = self.window.len();
                    return Ok(());
                }
                let end = settled.max(self.at);
                entry.push(&self.window[self.at..end], limit);
                is_start &= end == self.at;
                self.at = end;
                self.refill()?;
                scan = self.at;
                continue;
            };
            scan = found + b"From ".len();
            let marks = self.window[..found]
                .iter()
                .rev()
                .take(64)
                .take_while(|&&byte| byte == b'>')
                .count();
            let start = found - marks;
            if !self.begins_line(start) {
                continue;
            }
            if marks > 0 {
                // Written so on the way into the mailbox.
                if start >= self.at {
                    entry.push(&self.window[self.at..start], limit);
                    self.at = start + 1;
                    is_start = false;
                }
            } else if self.is_from_line(start, is_start && start == self.at) {
                entry.push(&self.window[self.at..start], limit);
                self.at = start;
                return Ok(());
            }
        }
    }

    fn begins_line(&self, at: usize) -> bool {
        match at.checked_sub(1).and_then(|before| self.window.get(before)) {
            None => true,
            // Mailboxes that lay on a disk that failed have blocks of NUL, and
            // some begin with a byte order mark.
            Some(&byte) => byte == b'\n' || byte == 0 || byte == 0xBF,
        }
    }

    /// Whether the line is one before a message, and not one of a text.
    fn is_from_line(&self, at: usize, is_first: bool) -> bool {
        let line = line_at(&self.window, at);
        if line.len() > MOST_FROM_LINE {
            return false;
        }
        let Ok(text) = std::str::from_utf8(&self.window[line.clone()]) else {
            return false;
        };
        if !is_plausible(text) {
            return false;
        }
        let next = &self.window[line_at(&self.window, line.end)];
        let field = field_of(next).map(|(name, _)| name.to_ascii_lowercase());
        let known = field
            .as_deref()
            .is_some_and(|name| FIRST_FIELDS.iter().any(|first| first.as_bytes() == name));
        let before = &self.window[..at];
        let after_blank = is_first
            || before.is_empty()
            || before.ends_with(b"\n\n")
            || before.ends_with(b"\n\r\n")
            || before == b"\n"
            || before == b"\r\n"
            || before.ends_with(&[0]);
        let quoted = next.starts_with(b">From ");
        if after_blank {
            field.is_some() || quoted || is_blank(next)
        } else {
            known
        }
    }
}

/// The line that begins at a byte, with its end.
fn line_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let at = at.min(bytes.len());
    let rest = &bytes[at..];
    at..at + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)
}

/// Whether a line says who wrote and when, as the lines between messages do.
pub(crate) fn is_plausible(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("From ") else {
        return false;
    };
    rest.len() > 10 && rest.contains(':') && date::loose(rest).is_some()
}

#[cfg(test)]
mod tests;
