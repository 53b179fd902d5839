//! HTML bodies: what mail programs mark as signature or quotation.

use std::borrow::Cow;

/// Containers of signatures, by what their class or id has in it.
const SIGNATURES: &[&str] = &[
    "gmail_signature",
    "moz-signature",
    "protonmail_signature_block",
    "ms-outlook-mobile-signature",
    "\"signature\"",
    "\"x_signature\"",
    "apple-mail-signature",
];

/// Containers of quoted messages that are no `blockquote`.
const QUOTES: &[&str] = &[
    "yahoo_quoted",
    "zmail_extra",
    "\"mail-quote-collapse\"",
    "oriprint",
];

/// A tag longer than this is none.
const MOST_TAG: usize = 4 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Signature,
    Quote,
}

/// A container that is open.
struct Open {
    role: Role,
    name: Vec<u8>,
    /// Where its first tag begins.
    start: usize,
    /// How many of its name are open.
    depth: usize,
}

/// Leaves out what is marked as signature and makes of marked quotations
/// quotations; nothing where there is neither.
pub(crate) fn without_containers(html: &str) -> Option<String> {
    let bytes = html.as_bytes();
    let mut out = String::new();
    let (mut done, mut at) = (0, 0);
    let mut open: Option<Open> = None;
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        let start = at + found;
        at = start + 1;
        let closes = bytes.get(at) == Some(&b'/');
        let name_start = at + usize::from(closes);
        let name_end = bytes[name_start..]
            .iter()
            .take(12)
            .position(|byte| !byte.is_ascii_alphanumeric())
            .map_or(name_start, |length| name_start + length);
        let name = bytes[name_start..name_end].to_ascii_lowercase();
        if !matches!(
            name.as_slice(),
            b"div" | b"span" | b"pre" | b"table" | b"blockquote" | b"p" | b"section"
        ) {
            continue;
        }
        let window = &bytes[name_end..bytes.len().min(name_end + MOST_TAG)];
        let Some(length) = memchr::memchr(b'>', window) else {
            continue;
        };
        let end = name_end + length + 1;
        at = end;
        match &mut open {
            Some(inside) if inside.name != name => {}
            Some(inside) if !closes => inside.depth += 1,
            Some(inside) => {
                inside.depth -= 1;
                if inside.depth == 0 {
                    let (role, from) = (inside.role, inside.start);
                    open = None;
                    out.push_str(&html[done..from]);
                    if role == Role::Quote {
                        out.push_str("<blockquote>");
                        out.push_str(&html[from..end]);
                        out.push_str("</blockquote>");
                    }
                    done = end;
                }
            }
            None if closes => {}
            None => {
                open = role_of(&html[name_end..end]).map(|role| Open {
                    role,
                    name,
                    start,
                    depth: 1,
                });
            }
        }
    }
    if done == 0 {
        return None;
    }
    out.push_str(&html[done..]);
    Some(out)
}

/// What the attributes of a tag say of it.
fn role_of(attributes: &str) -> Option<Role> {
    if !attributes.contains('=') {
        return None;
    }
    let attributes = attributes.to_ascii_lowercase().replace('\'', "\"");
    let mut rest = attributes.as_str();
    while let Some(at) = rest.find(['c', 'i']) {
        rest = &rest[at..];
        let value = rest
            .strip_prefix("class=")
            .or_else(|| rest.strip_prefix("id="));
        if let Some(value) = value {
            let end = match value.strip_prefix('"') {
                Some(inner) => inner.find('"').map_or(value.len(), |end| end + 2),
                None => value.find([' ', '>']).unwrap_or(value.len()),
            };
            let value = &value[..end];
            let has = |names: &[&str]| names.iter().any(|name| value.contains(name));
            if has(SIGNATURES) {
                return Some(Role::Signature);
            }
            if has(QUOTES) {
                return Some(Role::Quote);
            }
        }
        rest = &rest[1..];
    }
    None
}

/// HTML without the addresses of pictures that are parts of the message: nobody
/// can follow them.
pub(crate) fn without_parts(html: &str) -> Cow<'_, str> {
    if !html.contains("cid:") {
        return html.into();
    }
    html.replace("src=\"cid:", "data-part=\"")
        .replace("src='cid:", "data-part='")
        .into()
}

/// HTML without the pictures that are written into it: they can be larger than
/// all text that is read.
pub(crate) fn without_data(html: &[u8]) -> Cow<'_, [u8]> {
    const LEAST: usize = 256;
    let is_data = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=;,:.%-_".contains(byte);
    let mut out = Vec::new();
    let mut done = 0;
    for at in memchr::memmem::find_iter(html, b"data:") {
        if at < done {
            continue;
        }
        let length = html[at..].iter().take_while(|byte| is_data(byte)).count();
        if length >= LEAST {
            out.extend_from_slice(&html[done..at]);
            done = at + length;
        }
    }
    if done == 0 {
        return html.into();
    }
    out.extend_from_slice(&html[done..]);
    out.into()
}

/// Whether what says to be plain text is HTML.
pub(crate) fn is_html(text: &str) -> bool {
    let start = text.trim_start().as_bytes();
    let begins = |tag: &[u8]| {
        start
            .get(..tag.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(tag))
    };
    begins(b"<!doctype html") || begins(b"<html") || begins(b"<body")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn signatures_go_and_quotes_become_quotations() {
        let html = "<div>Hi<div class=\"gmail_signature\" dir=ltr><div>Ann</div></div>!</div>";
        assert_eq!(without_containers(html).unwrap(), "<div>Hi!</div>");
        let html = "Hi<div id='yahoo_quoted_1' class=\"x yahoo_quoted\"><div>old</div></div>";
        assert_eq!(
            without_containers(html).unwrap(),
            "Hi<blockquote><div id='yahoo_quoted_1' class=\"x yahoo_quoted\"><div>old</div></div></blockquote>"
        );
    }

    #[test]
    fn a_container_that_does_not_end_stays() {
        assert_eq!(
            without_containers("<div class=\"gmail_signature\">all <div>of it</div>"),
            None
        );
        assert_eq!(without_containers("<div class=\"other\">x</div>"), None);
    }

    #[test]
    fn pictures_in_the_html_are_left_out() {
        let html = format!(
            "<img src=\"data:image/png;base64,{}\"> data:short",
            "A".repeat(1_000)
        );
        assert_eq!(
            &*without_data(html.as_bytes()),
            b"<img src=\"\"> data:short"
        );
        assert!(matches!(
            without_data(b"data: of all kinds"),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn html_in_disguise_is_known() {
        assert!(is_html("\n<!DOCTYPE html><p>") && is_html("<HTML>"));
        assert!(!is_html("<a@b.c> wrote") && !is_html("é"));
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "(<div class=\"gmail_signature\">|<div>|</div>|é|<|<p class='yahoo_quoted'>|</p>){0,20}") {
            let _ = without_containers(&text);
        }
    }
}
