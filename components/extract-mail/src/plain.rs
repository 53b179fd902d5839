//! Plain text bodies -> Markdown.

use std::borrow::Cow;

use crate::quotes::depth;

/// Text with `\n` line ends and without control characters.
pub(crate) fn clean(text: String) -> String {
    let text = extract_core::unify_newlines(text);
    let unwanted = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(unwanted) {
        return text;
    }
    text.chars().filter(|&c| !unwanted(c)).collect()
}

/// Undoes `format=flowed` (RFC 3676): lines that end in a space go on in the
/// next. With `delsp` that space was put in to break the line.
pub(crate) fn unflow(text: &str, delsp: bool) -> String {
    let mut out = String::with_capacity(text.len());
    // The depth of the paragraph that the next line may go on with.
    let mut open: Option<usize> = None;
    let mut is_first = true;
    for line in text.lines() {
        let quotes = line.bytes().take_while(|&byte| byte == b'>').count();
        let content = &line[quotes..];
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_signature = content == "-- ";
        if open == Some(quotes) && !is_signature {
            if delsp {
                out.pop();
            }
        } else {
            if !is_first {
                out.push('\n');
            }
            if quotes > 0 {
                out.extend(std::iter::repeat_n('>', quotes));
                out.push(' ');
            }
        }
        is_first = false;
        out.push_str(content);
        let flows = content.ends_with(' ') && !is_signature;
        open = flows.then_some(quotes);
    }
    if text.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// The text that a PGP signature is for, and whether something is encrypted.
pub(crate) fn without_pgp(text: &str) -> (Cow<'_, str>, bool) {
    const SIGNED: &str = "-----BEGIN PGP SIGNED MESSAGE-----";
    if !text.contains("-----BEGIN PGP ") {
        return (text.into(), false);
    }
    let mut out = String::with_capacity(text.len());
    let (mut encrypted, mut in_armor, mut in_fields, mut escaped) = (false, false, false, false);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if in_armor {
            in_armor = !(bare.starts_with("-----END PGP "));
        } else if bare == SIGNED {
            (in_fields, escaped) = (true, true);
        } else if in_fields {
            in_fields = !bare.is_empty();
        } else if bare.starts_with("-----BEGIN PGP ") && bare.ends_with("-----") {
            encrypted |= bare.contains("PGP MESSAGE");
            in_armor = true;
        } else {
            let line = line.strip_prefix("- ").filter(|_| escaped).unwrap_or(line);
            out.push_str(line);
        }
    }
    (out.into(), encrypted)
}

/// Keeps plain text from turning into headings: everything else that Markdown
/// sees in it is what its writer meant.
pub(crate) fn to_markdown(text: &str) -> Cow<'_, str> {
    let mut out: Option<String> = None;
    let mut before_is_text = false;
    let mut done = 0;
    for line in text.split_inclusive('\n') {
        let start = done;
        done += line.len();
        let (_, marks) = depth(line);
        let inner = &line[marks..];
        let indent = inner.len() - inner.trim_start().len();
        let bare = inner.trim();
        let hashes = bare.bytes().take_while(|&byte| byte == b'#').count();
        let is_heading = (1..=6).contains(&hashes)
            && bare[hashes..]
                .chars()
                .next()
                .is_none_or(char::is_whitespace);
        let is_underline = before_is_text
            && !bare.is_empty()
            && (bare.bytes().all(|byte| byte == b'-') || bare.bytes().all(|byte| byte == b'='));
        if is_heading || is_underline {
            let out = out.get_or_insert_with(|| text[..start].to_owned());
            out.push_str(&line[..marks + indent]);
            out.push('\\');
            out.push_str(&inner[indent..]);
        } else if let Some(out) = &mut out {
            out.push_str(line);
        }
        before_is_text = !bare.is_empty() && !is_underline;
    }
    out.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Longer addresses are no addresses.
const MOST_ADDRESS: usize = 4 << 10;

/// Where web addresses stand in a text, in order.
pub(crate) fn addresses(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let mut done = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), b"://") {
        let scheme = ["https", "http"]
            .into_iter()
            .find(|scheme| text[done.min(at)..at].ends_with(scheme));
        let Some(scheme) = scheme else { continue };
        let start = at - scheme.len();
        let mut chars = text[start..].char_indices();
        let ends = |c: char| c.is_whitespace() || c.is_control() || "<>\"`|\\^{}".contains(c);
        let end = chars.find(|&(length, c)| length > MOST_ADDRESS || ends(c));
        let end = start + end.map_or(text.len() - start, |(length, _)| length);
        // What is in one is not looked at again.
        done = end;
        if end - start > MOST_ADDRESS {
            continue;
        }
        let mut address = &text[start..end];
        // Punctuation after an address, and the bracket around it, are not its.
        let open = address.matches('(').count();
        let mut close = address.matches(')').count();
        loop {
            let before = address.len();
            address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', ']']);
            if close > open
                && let Some(shorter) = address.strip_suffix(')')
            {
                (address, close) = (shorter, close - 1);
            }
            if address.len() == before {
                break;
            }
        }
        if address.len() > scheme.len() + 3 {
            found.push(start..start + address.len());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn flowed_lines_are_put_together_again() {
        let text = "One \ntwo \nthree\n> quoted \n> on\n>> deeper\n stuffed\n\n-- \nAnn\n";
        assert_eq!(
            unflow(text, false),
            "One two three\n> quoted on\n>> deeper\nstuffed\n\n-- \nAnn\n"
        );
        assert_eq!(unflow("寒い \nです。\n", true), "寒いです。\n");
        assert_eq!(unflow("\n\nafter two\n", false), "\n\nafter two\n");
    }

    #[test]
    fn pgp_armor_is_taken_off() {
        let signed = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nHello\n- -- \nAnn\n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\nafter\n";
        assert_eq!(
            without_pgp(signed),
            ("Hello\n-- \nAnn\nafter\n".into(), false)
        );
        let secret = "-----BEGIN PGP MESSAGE-----\n\nabc\n-----END PGP MESSAGE-----\n";
        assert_eq!(without_pgp(secret), ("".into(), true));
    }

    #[test]
    fn only_what_would_be_a_heading_is_escaped() {
        assert_eq!(
            to_markdown("# one\n#tag\nTitle\n-----\n\n-----\n> x\n> ===\n* a\n"),
            "\\# one\n#tag\nTitle\n\\-----\n\n-----\n> x\n> \\===\n* a\n"
        );
        assert!(matches!(to_markdown("a_b *c* <d>\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn addresses_end_before_punctuation() {
        let text =
            "See https://a.b/c_(d), (http://e.f/). <https://g.h?i=j>, http:// and xhttps://k.";
        let found: Vec<&str> = addresses(text)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(
            found,
            [
                "https://a.b/c_(d)",
                "http://e.f/",
                "https://g.h?i=j",
                "https://k"
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "[a> \n\\-=#é:/()h]{0,80}", delsp: bool) {
            let unflowed = unflow(&text, delsp);
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
            prop_assert_eq!(letters(&unflowed), letters(&text));
            prop_assert_eq!(letters(&to_markdown(&text)), letters(&text));
            for range in addresses(&text) {
                prop_assert!(text[range].starts_with("http"));
            }
        }
    }
}
