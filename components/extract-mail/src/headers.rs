//! Header fields of a message or of a part.

use std::borrow::Cow;
use std::ops::Range;

use mail_parser::parsers::MessageStream;
use mail_parser::{Address as Parsed, ContentType, DateTime, HeaderValue};

use crate::charset;
use crate::date;

/// Longer fields are cut: a list of a thousand recipients fits, and no parser
/// of a field sees more than this.
const MOST_FIELD_BYTES: usize = 64 << 10;
/// More fields than this are not looked at.
const MOST_FIELDS: usize = 2_000;
/// More people, or ids, than this are not listed.
const MOST_ENTRIES: usize = 1_000;

/// Fields as they stand in the message, folded.
#[derive(Debug, Default)]
pub(crate) struct Headers<'a> {
    fields: Vec<(&'a [u8], &'a [u8])>,
}

/// One person of an address field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) name: Option<String>,
    pub(crate) address: Option<String>,
}

impl Person {
    /// `Name <address>`, or what there is of it.
    pub(crate) fn full(&self) -> String {
        match (&self.name, &self.address) {
            (Some(name), Some(address)) => format!("{name} <{address}>"),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => String::new(),
        }
    }

    /// The name, else the address.
    pub(crate) fn short(&self) -> String {
        self.name
            .clone()
            .or_else(|| self.address.clone())
            .unwrap_or_default()
    }
}

/// What is on the lines of a header block, and where it ends.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }
}

impl Iterator for Lines<'_> {
    /// The line with its end.
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        self.at = start + length;
        Some(start..self.at)
    }
}

/// Whether a line has nothing but white space.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// The name and the rest of a line that begins a field.
pub(crate) fn field_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', &line[..line.len().min(256)])?;
    let name = line[..colon].trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(|byte| (0x21..=0x7E).contains(byte));
    is_name.then_some((name, &line[colon + 1..]))
}

impl<'a> Headers<'a> {
    /// The fields in a block. Lines that belong to no field are passed over.
    pub(crate) fn of(block: &'a [u8]) -> Self {
        let mut fields: Vec<(&[u8], Range<usize>)> = Vec::new();
        for line in Lines::new(block, 0) {
            let text = &block[line.clone()];
            if text
                .first()
                .is_some_and(|&byte| byte == b' ' || byte == b'\t')
            {
                if let Some((_, value)) = fields.last_mut() {
                    value.end = line.end;
                }
            } else if let Some((name, rest)) = field_of(text)
                && fields.len() < MOST_FIELDS
            {
                fields.push((name, line.end - rest.len()..line.end));
            }
        }
        let cut = |value: Range<usize>| {
            let end = value.end.min(value.start + MOST_FIELD_BYTES);
            &block[value.start..end]
        };
        Self {
            fields: fields
                .into_iter()
                .map(|(name, value)| (name, cut(value)))
                .collect(),
        }
    }

    pub(crate) fn all<'n>(
        &self,
        name: &'n str,
    ) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n, '_> {
        self.fields
            .iter()
            .filter(move |(own, _)| own.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| *value)
    }

    /// A field as it stands, on one line.
    pub(crate) fn raw(&self, name: &str) -> Option<String> {
        let value = charset::header(self.all(name).next()?);
        let mut out = String::new();
        for word in value.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        (!out.is_empty()).then_some(out)
    }

    /// A field as text, encoded words decoded.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.all(name).find_map(text)
    }

    /// The people in all fields of a name.
    pub(crate) fn people(&self, name: &str) -> Vec<Person> {
        let mut people = Vec::new();
        for value in self.all(name) {
            parse(value, |stream| {
                if let HeaderValue::Address(address) = stream.parse_address() {
                    add_people(&address, &mut people);
                }
            });
        }
        people.truncate(MOST_ENTRIES);
        people
    }

    /// Message ids without angle brackets.
    pub(crate) fn ids(&self, name: &str) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for value in self.all(name) {
            parse(value, |stream| match stream.parse_id() {
                HeaderValue::Text(one) => ids.push(clean_id(&one)),
                HeaderValue::TextList(many) => ids.extend(many.iter().map(|id| clean_id(id))),
                _ => {}
            });
        }
        ids.retain(|id| !id.is_empty());
        ids.truncate(MOST_ENTRIES);
        ids
    }

    /// The first date of a name that is one, in milliseconds since 1970.
    pub(crate) fn date(&self, name: &str) -> Option<i64> {
        self.all(name).find_map(date::of_field)
    }

    /// When the message was last received, in milliseconds since 1970.
    pub(crate) fn received(&self) -> Option<i64> {
        self.all("received").find_map(|value| {
            let value = charset::header(value);
            let (_, stamp) = value.rsplit_once(';')?;
            date::of_field(stamp.as_bytes())
        })
    }

    pub(crate) fn content_type(&self, name: &str) -> Option<ContentType<'static>> {
        let value = self.all(name).next()?;
        let mut found = None;
        parse(value, |stream| {
            if let HeaderValue::ContentType(parsed) = stream.parse_content_type() {
                found = Some(owned(&parsed));
            }
        });
        found
    }
}

fn owned(parsed: &ContentType<'_>) -> ContentType<'static> {
    let keep = |text: &str| Cow::Owned(text.to_owned());
    ContentType {
        c_type: keep(&parsed.c_type.to_ascii_lowercase()),
        c_subtype: parsed
            .c_subtype
            .as_deref()
            .map(|text| keep(&text.to_ascii_lowercase())),
        attributes: parsed.attributes.as_ref().map(|attributes| {
            attributes
                .iter()
                .map(|attribute| mail_parser::Attribute {
                    name: keep(&attribute.name.to_ascii_lowercase()),
                    value: keep(&attribute.value),
                })
                .collect()
        }),
    }
}

/// The text of a field's value, encoded words decoded.
pub(crate) fn text(value: &[u8]) -> Option<String> {
    let mut found = None;
    parse(value, |stream| {
        if let HeaderValue::Text(text) = stream.parse_unstructured() {
            found = Some(text.into_owned());
        }
    });
    let text = found?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The date of a field's value, read by the mail parser.
pub(crate) fn parsed_date(value: &[u8]) -> Option<DateTime> {
    let mut found = None;
    parse(value, |stream| {
        if let HeaderValue::DateTime(date) = stream.parse_date() {
            found = Some(date);
        }
    });
    found
}

/// Lets a parser of the mail crate read a value as UTF-8 with an end of line,
/// without which it reads nothing.
fn parse(value: &[u8], read: impl FnOnce(&mut MessageStream<'_>)) {
    // Encoded words say the charset of all there is in them, raw bytes too.
    let has_words = memchr::memmem::find(value, b"=?").is_some();
    let text = match std::str::from_utf8(value) {
        Err(_) if has_words => Cow::Borrowed(value),
        _ => match charset::header(value) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        },
    };
    let mut line = join_words(text.trim_ascii_end());
    line.push(b'\n');
    read(&mut MessageStream::new(&line));
}

/// Puts encoded words of one charset that follow one another into one: some
/// programs cut them in the middle of a character.
fn join_words(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len() + 1);
    // The prefix of the word that `out` ends with, where another may join it.
    let mut open: Option<&[u8]> = None;
    let mut rest = value;
    while let Some(at) = memchr::memmem::find(rest, b"=?") {
        let (before, word) = rest.split_at(at);
        let Some((prefix, payload)) = word_of(word) else {
            out.extend_from_slice(&rest[..at + 2]);
            (rest, open) = (&rest[at + 2..], None);
            continue;
        };
        let joins = open.is_some_and(|open| open.eq_ignore_ascii_case(prefix)) && is_blank(before);
        if joins {
            out.truncate(out.len() - b"?=".len());
        } else {
            out.extend_from_slice(before);
            out.extend_from_slice(prefix);
        }
        out.extend_from_slice(payload);
        out.extend_from_slice(b"?=");
        rest = &word[prefix.len() + payload.len() + b"?=".len()..];
        // Base64 can go on only where no bits are left over.
        let is_base64 = prefix.ends_with(b"?B?") || prefix.ends_with(b"?b?");
        let goes_on = !is_base64 || (payload.len() % 4 == 0 && !payload.ends_with(b"="));
        open = goes_on.then_some(prefix);
    }
    out.extend_from_slice(rest);
    out
}

/// The encoded word that bytes begin with, in front of its `?=`: what says how
/// it is written, and what is written.
fn word_of(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    const MOST_CHARSET: usize = 60;
    let charset = memchr::memchr(b'?', bytes.get(2..2 + MOST_CHARSET.min(bytes.len() - 2))?)? + 2;
    let encoding = bytes.get(charset + 1)?;
    if !matches!(encoding, b'B' | b'b' | b'Q' | b'q') || bytes.get(charset + 2) != Some(&b'?') {
        return None;
    }
    let (prefix, after) = bytes.split_at(charset + 3);
    let length = memchr::memchr2(b'?', b'\n', after)?;
    after[length..]
        .starts_with(b"?=")
        .then(|| (prefix, &after[..length]))
}

fn add_people(address: &Parsed<'_>, people: &mut Vec<Person>) {
    for one in address.iter() {
        let clean = |text: &Option<Cow<'_, str>>| {
            let text = text.as_deref()?;
            let words: Vec<&str> = text.split_whitespace().collect();
            let text = words.join(" ");
            (!text.is_empty()).then_some(text)
        };
        let (name, address) = (clean(&one.name), clean(&one.address));
        if name.is_none() && address.is_none() {
            continue;
        }
        // Some programs write the address where the name should be.
        let name = name.filter(|name| {
            let bare = name.trim_matches(|c| matches!(c, '\'' | '"' | '<' | '>'));
            address
                .as_deref()
                .is_none_or(|address| !bare.eq_ignore_ascii_case(address))
        });
        people.push(Person { name, address });
    }
}

/// An id without white space and control characters, of bearable length.
fn clean_id(id: &str) -> String {
    id.chars()
        .filter(|c| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>'))
        .take(300)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(block: &str) -> Headers<'_> {
        Headers::of(block.as_bytes())
    }

    #[test]
    fn fields_are_unfolded_and_garbage_between_them_is_passed_over() {
        let block = "Subject: one\r\n two\r\ngarbage\r\nTo: a@b.c\r\n";
        let headers = headers(block);
        assert_eq!(headers.text("subject").unwrap(), "one two");
        assert_eq!(headers.people("TO")[0].full(), "a@b.c");
    }

    #[test]
    fn encoded_words_and_raw_bytes_of_legacy_charsets_are_decoded() {
        let block = "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= =?iso-8859-1?B?9g==?=\n";
        assert_eq!(headers(block).text("Subject").unwrap(), "Grüßeö");
        let raw = Headers::of(b"Subject: Gr\xFC\xDFe aus M\xFCnchen\n");
        assert_eq!(raw.text("Subject").unwrap(), "Grüße aus München");
        let both = Headers::of(b"Subject: =?iso-8859-1?q?Fr\xF6sche?=\n");
        assert_eq!(both.text("Subject").unwrap(), "Frösche");
    }

    #[test]
    fn characters_cut_by_encoded_words_are_whole() {
        let block = "Subject: =?utf-8?B?R3LD?=\n =?UTF-8?B?vMOfZQ==?= =?utf-8?q?=C3?= =?utf-8?q?=BC?= x =?utf-8?q?a?= b\n";
        assert_eq!(headers(block).text("subject").unwrap(), "Grüßeü x a b");
        for odd in [
            "=?",
            "=?utf-8?q?",
            "=?utf-8?x?a?=",
            "=?=?=?",
            "=?utf-8?b?R3LD?==?utf-8?b?",
        ] {
            assert_eq!(join_words(odd.as_bytes()), odd.as_bytes());
        }
    }

    #[test]
    fn people_have_name_and_address_once() {
        let headers = headers(
            "From: \"a@b.c\" <a@b.c>, =?utf-8?q?J=C3=B6rg?= <j@x.de>\nTo: team: x@y.z, Q <q@y.z>;\n",
        );
        let from: Vec<_> = headers.people("from").iter().map(Person::full).collect();
        assert_eq!(from, ["a@b.c", "Jörg <j@x.de>"]);
        let to: Vec<_> = headers.people("to").iter().map(Person::short).collect();
        assert_eq!(to, ["x@y.z", "Q"]);
    }

    #[test]
    fn ids_lose_brackets_and_folds() {
        let headers = headers("References: <a@b>\n <c@d> <e@f>\nMessage-ID:\n <long@id>\n");
        assert_eq!(headers.ids("references"), ["a@b", "c@d", "e@f"]);
        assert_eq!(headers.ids("message-id"), ["long@id"]);
    }

    #[test]
    fn the_last_hop_says_when_a_message_was_received() {
        let headers = headers(
            "Received: from a by b; Tue, 2 Jan 2001 00:00:00 +0000\nReceived: x; Mon, 1 Jan 2001 00:00:00 +0000\n",
        );
        assert_eq!(headers.received(), Some(978_393_600_000));
    }

    #[test]
    fn a_field_of_any_length_is_cut() {
        let block = format!("Subject: {}\nTo: a@b.c\n", "=?utf-8?q?".repeat(100_000));
        let headers = headers(&block);
        assert!(headers.text("subject").unwrap().len() <= MOST_FIELD_BYTES);
        assert_eq!(headers.people("to").len(), 1);
    }
}
