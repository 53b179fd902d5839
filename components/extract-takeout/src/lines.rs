//! The lines that calendars (RFC 5545) and contacts (RFC 6350, 2426, and vCard
//! 2.1) are written in: `group.NAME;PARAM=value:value`, folded.

use encoding_rs::Encoding;

/// One line, unfolded.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// In upper case, without group.
    pub(crate) name: String,
    /// What ties lines of a contact together, such as `item1`.
    pub(crate) group: String,
    /// Names in upper case; vCard 2.1's bare words stand as values of `TYPE`.
    pub(crate) params: Vec<(String, String)>,
    /// Escapes are still in it; quoted-printable is decoded.
    pub(crate) value: String,
}

impl Line {
    /// The first value of a parameter.
    pub(crate) fn param(&self, name: &str) -> Option<&str> {
        let mut params = self.params.iter();
        params
            .find(|param| param.0 == name)
            .map(|param| param.1.as_str())
    }

    /// The value as one text.
    pub(crate) fn text(&self) -> String {
        unescape(&self.value)
    }

    /// The value's parts, where it is a list or has fields.
    pub(crate) fn parts(&self, separator: char) -> Vec<String> {
        let mut parts = Vec::new();
        let mut start = 0;
        let mut escaped = false;
        for (at, c) in self.value.char_indices() {
            if c == separator && !escaped {
                parts.push(unescape(&self.value[start..at]));
                start = at + c.len_utf8();
            }
            escaped = c == '\\' && !escaped;
        }
        parts.push(unescape(&self.value[start..]));
        parts
    }
}

fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => text.push('\n'),
                Some(c @ ('\\' | ',' | ';' | ':' | '"')) => text.push(c),
                Some(c) => text.extend(['\\', c]),
                None => text.push('\\'),
            },
            '\r' => {}
            c => text.push(c),
        }
    }
    text.trim().to_owned()
}

/// Values over this many bytes are cut: pictures and the like, which no one
/// reads here.
const MOST_VALUE: usize = 1 << 20;

/// The lines of a text whose line ends are `\n`.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line> {
    let mut physical = text.lines().peekable();
    std::iter::from_fn(move || {
        loop {
            let mut raw = physical.next()?.to_owned();
            let quoted = is_quoted_printable(&raw);
            while let Some(next) = physical.peek() {
                if raw.len() > MOST_VALUE {
                    // Goes on to the end of the value without keeping it.
                    if !next.starts_with([' ', '\t']) {
                        break;
                    }
                } else if quoted && raw.ends_with('=') {
                    raw.pop();
                    raw.push_str(next);
                } else if let Some(more) = next.strip_prefix([' ', '\t']) {
                    raw.push_str(more);
                } else {
                    break;
                }
                physical.next();
            }
            if let Some(line) = parse(&raw) {
                return Some(line);
            }
        }
    })
}

fn is_quoted_printable(raw: &str) -> bool {
    let head = raw
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_uppercase();
    head.contains("QUOTED-PRINTABLE")
}

/// Nothing for a line without a name.
fn parse(raw: &str) -> Option<Line> {
    let mut quoted = false;
    let colon = raw.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == ':' && !quoted
    });
    let (head, value) = match colon {
        Some((at, _)) => (&raw[..at], &raw[at + 1..]),
        // A quote without an end.
        None => raw.split_once(':')?,
    };
    let mut fields = split_outside_quotes(head, ';').into_iter();
    let name = fields.next()?.trim();
    let (group, name) = name.rsplit_once('.').unwrap_or(("", name));
    if name.is_empty()
        || !name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        return None;
    }
    let mut params = Vec::new();
    for field in fields {
        let (key, values) = field.split_once('=').unwrap_or(("TYPE", field));
        let key = key.trim().to_ascii_uppercase();
        for value in split_outside_quotes(values, ',') {
            let value = value.trim().trim_matches('"');
            // vCard 4 may quote the whole list.
            let kinds = if key == "TYPE" { value } else { "" };
            for kind in kinds.split(',').filter(|kind| !kind.is_empty()) {
                // A bare word of vCard 2.1 may be an encoding, too.
                let mut encodings = ["QUOTED-PRINTABLE", "BASE64"].iter();
                let encoding = encodings.any(|name| kind.eq_ignore_ascii_case(name));
                let key = if encoding { "ENCODING" } else { "TYPE" };
                params.push((key.to_owned(), kind.trim().to_owned()));
            }
            if kinds.is_empty() {
                params.push((key.clone(), value.to_owned()));
            }
        }
    }
    let mut line = Line {
        name: name.to_ascii_uppercase(),
        group: group.to_owned(),
        params,
        value: String::new(),
    };
    line.value = if line
        .param("ENCODING")
        .is_some_and(|encoding| encoding.eq_ignore_ascii_case("QUOTED-PRINTABLE"))
    {
        // What was encoded can hold line ends, which then are escapes here.
        let text = quoted_printable(value, line.param("CHARSET"));
        text.replace("\r\n", "\\n").replace('\n', "\\n")
    } else {
        value.to_owned()
    };
    Some(line)
}

fn split_outside_quotes(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, c) in text.char_indices() {
        quoted ^= c == '"';
        if c == separator && !quoted {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

fn quoted_printable(raw: &str, charset: Option<&str>) -> String {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = (first == b'=').then(|| after.get(..2)).flatten();
        let hex = hex.filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    let encoding = charset.and_then(|label| Encoding::for_label(label.as_bytes()));
    match (encoding, String::from_utf8(bytes)) {
        (None, Ok(text)) => text,
        (None, Err(error)) => encoding_rs::WINDOWS_1252
            .decode(error.as_bytes())
            .0
            .into_owned(),
        (Some(encoding), Ok(text)) => encoding.decode(text.as_bytes()).0.into_owned(),
        (Some(encoding), Err(error)) => encoding.decode(error.as_bytes()).0.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn only(text: &str) -> Line {
        let all: Vec<Line> = lines(text).collect();
        assert_eq!(all.len(), 1, "{all:?}");
        all.into_iter().next().unwrap()
    }

    #[test]
    fn lines_are_unfolded_and_taken_apart() {
        let line = only("item1.email;type=INTERNET,pref;X-A=\"a;b:c\":an\n na@\n\texample.com");
        assert_eq!(
            (line.name.as_str(), line.group.as_str()),
            ("EMAIL", "item1")
        );
        assert_eq!(line.text(), "anna@example.com");
        assert_eq!(line.param("X-A"), Some("a;b:c"));
        let types: Vec<_> = line
            .params
            .iter()
            .filter(|param| param.0 == "TYPE")
            .collect();
        assert_eq!(types.len(), 2);
    }

    #[test]
    fn escapes_part_nothing() {
        let line = only(r"N:Doe\; Roe;Anna\, B;;;");
        assert_eq!(line.parts(';'), ["Doe; Roe", "Anna, B", "", "", ""]);
        assert_eq!(only(r"NOTE:a\nb\\n").text(), "a\nb\\n");
    }

    #[test]
    fn quoted_printable_goes_over_lines_and_charsets() {
        let line = only("NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Stra=C3=9Fe=\n 5=0D=0AHaus");
        assert_eq!(line.text(), "Straße 5\nHaus");
        let line = only("N;CHARSET=windows-1252;QUOTED-PRINTABLE:M=FCller;Anna");
        assert_eq!(line.parts(';'), ["Müller", "Anna"]);
        assert_eq!(only("N;QUOTED-PRINTABLE:M=FCller").text(), "Müller");
    }

    #[test]
    fn huge_values_are_cut() {
        let text = format!("PHOTO:{}\nFN:A", "abc\n ".repeat(1 << 20));
        let all: Vec<Line> = lines(&text).collect();
        assert_eq!(all.len(), 2);
        assert!(all[0].value.len() < MOST_VALUE + 10);
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "([A-Z;:=\", \t\n\\\\é]|QUOTED-PRINTABLE|=C3){0,60}") {
            for line in lines(&text) {
                line.text();
                line.parts(';');
            }
        }
    }
}
