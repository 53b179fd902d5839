//! Link targets and their parts.

/// What a link points to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) target: String,
    pub(crate) heading: Option<String>,
    pub(crate) block: Option<String>,
}

/// Splits what stands between `[[` and `]]`: the destination, and the alias
/// behind the first `|`. Inside a table the bar is written `\|`. Nothing for
/// what names nothing or goes over a line end.
pub(crate) fn wikilink(inner: &str) -> Option<(Destination, Option<String>)> {
    if inner.contains('\n') {
        return None;
    }
    let (path, alias) = match inner.split_once('|') {
        Some((path, alias)) => (path.strip_suffix('\\').unwrap_or(path), alias),
        None => (inner, ""),
    };
    let (target, fragment) = path.split_once('#').unwrap_or((path, ""));
    let (heading, block) = split_fragment(fragment);
    let destination = Destination {
        target: target.trim().to_owned(),
        heading,
        block,
    };
    if destination == Destination::default() {
        return None;
    }
    let alias = alias.replace("\\|", "|").trim().to_owned();
    Some((destination, (!alias.is_empty()).then_some(alias)))
}

/// Splits the destination of a Markdown link. Paths are percent-decoded,
/// addresses with a scheme stay as written. Nothing for `data:` and
/// `javascript:`, which lead nowhere, and for the empty destination.
pub(crate) fn destination(written: &str) -> Option<Destination> {
    let written = written.trim();
    let scheme = scheme(written);
    if scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("data") || scheme.eq_ignore_ascii_case("javascript")
    }) {
        return None;
    }
    let (target, fragment) = written.split_once('#').unwrap_or((written, ""));
    let decode = |part: &str| {
        if scheme.is_some() || written.starts_with("//") {
            part.to_owned()
        } else {
            percent_decode(part)
        }
    };
    let (heading, block) = split_fragment(&decode(fragment));
    let destination = Destination {
        target: decode(target),
        heading,
        block,
    };
    (destination != Destination::default()).then_some(destination)
}

/// `Heading#Sub` is a heading path, `^id` a block, `Heading#^id` both.
fn split_fragment(fragment: &str) -> (Option<String>, Option<String>) {
    let (heading, block) = match fragment.strip_prefix('^') {
        Some(block) => ("", block),
        None => fragment.split_once("#^").unwrap_or((fragment, "")),
    };
    let some = |part: &str| {
        let part = part.trim();
        (!part.is_empty()).then(|| part.to_owned())
    };
    (some(heading), some(block))
}

/// The scheme of an address (RFC 3986, 3.1), of at least two letters: one
/// letter is a Windows drive.
fn scheme(written: &str) -> Option<&str> {
    let length = written
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte))
        .count();
    let scheme = &written[..length];
    let fits = length >= 2
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && written[length..].starts_with(':');
    fits.then_some(scheme)
}

/// Decodes `%20` and its like; what would not be UTF-8, or has control
/// characters, stays as written.
fn percent_decode(written: &str) -> String {
    if !written.contains('%') {
        return written.to_owned();
    }
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let value = match after {
            [high, low, ..] if first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        if let Some((high, low)) = value {
            bytes.push(high << 4 | low);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    match String::from_utf8(bytes) {
        Ok(decoded) if !decoded.contains(char::is_control) => decoded,
        _ => written.to_owned(),
    }
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

/// Whether the alias of an embed is the size to show it in: `100` or `100x50`.
pub(crate) fn is_size(alias: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    number(alias)
        || alias
            .split_once('x')
            .is_some_and(|(width, height)| number(width) && number(height))
}

/// The length of the web address that `text` begins with, if it does:
/// `http://` or `https://` up to a space or a sign that does not occur in one,
/// without the punctuation of the sentence around it (as GitHub's autolinks,
/// <https://github.github.com/gfm/#autolinks-extension->).
pub(crate) fn web_address(text: &str) -> Option<usize> {
    let start = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.starts_with(scheme).then_some(scheme.len()))?;
    let end = text
        .find(|c: char| {
            c.is_whitespace() || c.is_control() || "<>\"`|\\，。、；：！？）」』】》".contains(c)
        })
        .unwrap_or(text.len());
    let mut address = &text[..end];
    let mut unbalanced = address.matches(')').count() as i64 - address.matches('(').count() as i64;
    while let Some(last) = address.chars().next_back() {
        let trim = match last {
            ')' => {
                unbalanced -= 1;
                unbalanced >= 0
            }
            _ => "?!.,:;*_~'[]{}".contains(last),
        };
        if !trim {
            break;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    let host = address.get(start..)?;
    host.starts_with(|c: char| c.is_alphanumeric() || c == '[')
        .then_some(address.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(destination: &Destination) -> (&str, Option<&str>, Option<&str>) {
        (
            &destination.target,
            destination.heading.as_deref(),
            destination.block.as_deref(),
        )
    }

    #[test]
    fn wikilinks_have_four_parts() {
        type Parts<'a> = (&'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>);
        let cases: [(&str, Parts<'_>); 10] = [
            ("Note", ("Note", None, None, None)),
            ("Note|see this", ("Note", None, None, Some("see this"))),
            (
                "a/Note.md#One#Two",
                ("a/Note.md", Some("One#Two"), None, None),
            ),
            ("Note#^abc", ("Note", None, Some("abc"), None)),
            (
                "Note#One#^abc|x",
                ("Note", Some("One"), Some("abc"), Some("x")),
            ),
            ("#One", ("", Some("One"), None, None)),
            ("#^abc", ("", None, Some("abc"), None)),
            ("Note\\|x", ("Note", None, None, Some("x"))),
            ("Note|a|b", ("Note", None, None, Some("a|b"))),
            (" Note | ", ("Note", None, None, None)),
        ];
        for (inner, expected) in cases {
            let (destination, alias) = wikilink(inner).unwrap();
            let (target, heading, block) = parts(&destination);
            assert_eq!(
                (target, heading, block, alias.as_deref()),
                expected,
                "{inner}"
            );
        }
        for empty in ["", " ", "#", "|x", "#^", "a\nb"] {
            assert_eq!(wikilink(empty), None, "{empty:?}");
        }
    }

    #[test]
    fn paths_are_decoded_and_addresses_are_not() {
        let cases = [
            ("My%20Note.md#A%20b", ("My Note.md", Some("A b"), None)),
            ("%C3%A4.md#%5Eid", ("ä.md", None, Some("id"))),
            ("100%.md", ("100%.md", None, None)),
            ("a%2", ("a%2", None, None)),
            ("bad%FF%00", ("bad%FF%00", None, None)),
            ("nul%00", ("nul%00", None, None)),
            ("%+1", ("%+1", None, None)),
            (
                "https://x.y/a%20b#c%20d",
                ("https://x.y/a%20b", Some("c%20d"), None),
            ),
            ("//x.y/a%20b", ("//x.y/a%20b", None, None)),
            ("C:\\a%20b", ("C:\\a b", None, None)),
            ("mailto:a@b.c", ("mailto:a@b.c", None, None)),
            ("#top", ("", Some("top"), None)),
        ];
        for (written, expected) in cases {
            assert_eq!(parts(&destination(written).unwrap()), expected, "{written}");
        }
        for nowhere in ["", "#", "data:image/png;base64,AA", "JavaScript:x()"] {
            assert_eq!(destination(nowhere), None);
        }
    }

    #[test]
    fn bare_addresses_end_before_the_sentence_does() {
        let cases = [
            ("https://x.y/z. Next", "https://x.y/z"),
            ("https://x.y/a_(b) c", "https://x.y/a_(b)"),
            ("https://x.y/a_(b)).", "https://x.y/a_(b)"),
            ("http://x.y/#a,", "http://x.y/#a"),
            ("https://例え.jp/道。次", "https://例え.jp/道"),
        ];
        for (text, address) in cases {
            assert_eq!(web_address(text), Some(address.len()), "{text}");
        }
        for none in ["https://", "https://.", "http:/x", "ftp://x"] {
            assert_eq!(web_address(none), None);
        }
    }

    #[test]
    fn sizes() {
        assert!(is_size("100") && is_size("100x20"));
        assert!(!is_size("") && !is_size("x") && !is_size("100x") && !is_size("a100"));
    }
}
