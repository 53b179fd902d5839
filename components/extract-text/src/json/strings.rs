//! What JSON's texts mean.

/// A text without its escapes.
pub(super) fn unescape(escaped: &str) -> String {
    if !escaped.contains('\\') {
        return escaped.to_owned();
    }
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let mut chars = rest[at + 1..].chars();
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r' | 'b' | 'f') => {}
            Some('u') => {
                let (c, used) = unicode(chars.as_str());
                // NUL is in no text.
                text.extend(c.filter(|&c| c != '\0'));
                rest = &chars.as_str()[used..];
                continue;
            }
            Some(c) => text.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    text.push_str(rest);
    text
}

/// The character that `XXXX` or `XXXX\uXXXX` at the start names, and the bytes
/// of that.
fn unicode(rest: &str) -> (Option<char>, usize) {
    let unit = |text: &str| {
        let digits = text.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(rest) else {
        return (None, 0);
    };
    if (0xD800..0xDC00).contains(&first)
        && let Some(second) = rest[4..].strip_prefix("\\u").and_then(unit)
        && (0xDC00..0xE000).contains(&second)
    {
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (char::from_u32(code), 10);
    }
    (char::from_u32(first).or(Some('\u{FFFD}')), 4)
}
