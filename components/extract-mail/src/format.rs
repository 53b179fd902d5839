//! What kind of mail file bytes are.

use extract_core::{Bytes, Failure, Input};

use crate::headers::{Lines, field_of, is_blank};
use crate::mbox;

/// How much of a file tells what it is.
const HEAD: u32 = 64 << 10;

/// Fields that hardly anything but mail has, in lower case.
const MAIL_FIELDS: &[&str] = &[
    "from",
    "to",
    "subject",
    "date",
    "received",
    "return-path",
    "message-id",
    "mime-version",
    "content-type",
    "delivered-to",
    "sender",
    "reply-to",
    "cc",
    "x-mailer",
    "in-reply-to",
    "references",
    "envelope-to",
    "resent-from",
    "content-transfer-encoding",
    "dkim-signature",
    "x-received",
    "content-disposition",
];

/// The kinds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One message, in these bytes of the file.
    Message { start: u64, end: u64 },
    /// Many messages.
    Mailbox,
}

impl Format {
    /// By content first; the name decides whether a file that begins with a
    /// `From ` line is a message from a mailbox or a mailbox.
    ///
    /// # Errors
    /// Where the bytes are no mail.
    pub(crate) fn of(input: Input<'_>, bytes: &dyn Bytes) -> Result<Self, Failure> {
        let head = bytes.read(0, HEAD)?;
        let size = bytes.size();
        let says_message = matches!(input.extension().as_str(), "eml" | "emlx" | "nws")
            || input.media_type.is_some_and(|media| {
                media
                    .trim()
                    .to_ascii_lowercase()
                    .starts_with("message/rfc822")
            });
        let start = skip_blank(&head);
        let rest = &head[start..];
        let line = first_line(rest);
        if let Some(length) = emlx_length(line)
            && has_fields(&rest[line.len()..], says_message)
        {
            let start = (start + line.len()) as u64;
            let end = start.saturating_add(length).min(size);
            return Ok(Self::Message { start, end });
        }
        let is_from = std::str::from_utf8(line).is_ok_and(mbox::is_plausible);
        if is_from && !says_message {
            return Ok(Self::Mailbox);
        }
        let start = if is_from || line.starts_with(b">From ") {
            start + line.len()
        } else {
            start
        };
        if has_fields(&head[start..], says_message) {
            let start = start as u64;
            return Ok(Self::Message { start, end: size });
        }
        let mut lines = Lines::new(&head, 0).map(|line| &head[line]);
        let later = lines.any(|line| std::str::from_utf8(line).is_ok_and(mbox::is_plausible));
        if later && !says_message {
            return Ok(Self::Mailbox);
        }
        Err(Failure::invalid(if size == 0 {
            "The file is empty."
        } else {
            "The file is no mail: it has neither the header of a message nor the lines between those of a mailbox."
        }))
    }
}

/// How many bytes of white space, NUL and byte order mark come first.
fn skip_blank(head: &[u8]) -> usize {
    let mark = if head.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    let blank = head[mark..]
        .iter()
        .take_while(|&&byte| byte.is_ascii_whitespace() || byte == 0)
        .count();
    mark + blank
}

fn first_line(bytes: &[u8]) -> &[u8] {
    Lines::new(bytes, 0).next().map_or(&[], |line| &bytes[line])
}

/// The length of the message, which EMLX has on its first line.
fn emlx_length(line: &[u8]) -> Option<u64> {
    let number = line.trim_ascii();
    let only = (1..=12).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    if !only {
        return None;
    }
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// Whether bytes begin with the fields of a message: two that mail has, or any
/// one where the name already says that it is mail.
fn has_fields(bytes: &[u8], says_message: bool) -> bool {
    let (mut known, mut other) = (0, 0);
    for line in Lines::new(bytes, 0) {
        let text = &bytes[line];
        if is_blank(text) {
            break;
        }
        let is_folded = text.starts_with(b" ") || text.starts_with(b"\t");
        if is_folded && known + other > 0 {
            continue;
        }
        match field_of(text) {
            Some((name, _)) => {
                let name = name.to_ascii_lowercase();
                if MAIL_FIELDS.iter().any(|field| field.as_bytes() == name) {
                    known += 1;
                } else {
                    other += 1;
                }
            }
            None if says_message => {}
            // Text that has a colon here and there is no header.
            None => break,
        }
        if known >= 2 || (says_message && known + other > 0) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str, text: &str) -> Option<Format> {
        let input = Input {
            name,
            ..Input::default()
        };
        Format::of(input, &text.as_bytes().to_vec()).ok()
    }

    const FROM: &str = "From a@b.c Tue Jan  1 00:00:00 2002\n";

    #[test]
    fn content_decides() {
        let message = "Received: x\n\ty\nSubject: z\n\ntext";
        let whole = Some(Format::Message {
            start: 0,
            end: message.len() as u64,
        });
        assert_eq!(format("1234.M1P2.host:2,S", message), whole);
        assert_eq!(
            format("x", &format!("{FROM}Subject: y\n\nz")),
            Some(Format::Mailbox)
        );
        assert_eq!(
            format("x", &format!("rubbish\n\n{FROM}Subject: y\n\nz")),
            Some(Format::Mailbox)
        );
    }

    #[test]
    fn a_message_may_have_the_line_it_had_in_a_mailbox() {
        let text = format!("{FROM}Subject: y\n\nz");
        let expected = Format::Message {
            start: FROM.len() as u64,
            end: text.len() as u64,
        };
        assert_eq!(format("a.eml", &text), Some(expected));
    }

    #[test]
    fn emlx_ends_before_its_property_list() {
        let text = "17        \nSubject: y\n\nbody\n<?xml version=\"1.0\"?>";
        let expected = Some(Format::Message { start: 11, end: 28 });
        assert_eq!(format("1.emlx", text), expected);
        assert_eq!(format("1", text), None, "one field may be anything");
        let text = text.replace("Subject: y", "Subject: y\nTo: z");
        assert_eq!(format("1", &text), expected);
    }

    #[test]
    fn other_files_are_no_mail() {
        for text in [
            "",
            "Hello: world",
            "Dear all,\n\nFrom: me",
            "%PDF-1.7",
            "{\"a\": 1}",
            "12\n34\n",
        ] {
            assert_eq!(format("x.txt", text), None, "{text}");
        }
    }
}
