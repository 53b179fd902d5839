//! Links in HTML inside Markdown.

use std::ops::Range;

/// A part of a stretch of HTML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text between tags, as written.
    Text(&'a str),
    /// `<a href=…>`.
    AnchorStart { href: String },
    /// `</a>`.
    AnchorEnd,
    /// `<img src=…>`.
    Image { src: String, alt: String },
}

/// Calls `visit` with each piece and its bytes in `html`. Comments, scripts and
/// styles have none. Ends where a tag or comment is never closed.
pub(crate) fn pieces<'a>(html: &'a str, mut visit: impl FnMut(Piece<'a>, Range<usize>)) {
    let mut at = 0;
    while let Some(length) = html[at..].find('<') {
        let open = at + length;
        if length > 0 {
            visit(Piece::Text(&html[at..open]), at..open);
        }
        if html[open..].starts_with("<!--") {
            match html[open + 4..].find("-->") {
                Some(length) => at = open + 4 + length + 3,
                None => return,
            }
            continue;
        }
        if !begins_tag(&html.as_bytes()[open + 1..]) {
            at = open + 1;
            continue;
        }
        let Some(tag) = Tag::read(html, open) else {
            return;
        };
        at = tag.end;
        if !tag.closing && (tag.is("script") || tag.is("style")) {
            match html[at..].find("</") {
                Some(length) => at += length,
                None => return,
            }
        } else if let Some(piece) = tag.piece() {
            visit(piece, open..tag.end);
        }
    }
    if at < html.len() {
        visit(Piece::Text(&html[at..]), at..html.len());
    }
}

/// Whether a tag's name, or `/` and a name, stands behind a `<`.
fn begins_tag(after: &[u8]) -> bool {
    let name = after.strip_prefix(b"/").unwrap_or(after);
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

struct Tag<'a> {
    name: &'a str,
    closing: bool,
    attributes: Vec<(&'a str, &'a str)>,
    end: usize,
}

/// Attributes beyond these are not kept.
const MAX_ATTRIBUTES: usize = 32;

impl<'a> Tag<'a> {
    /// Reads the tag that begins with the `<` at `open`; nothing when it has
    /// no end.
    fn read(html: &'a str, open: usize) -> Option<Self> {
        let bytes = html.as_bytes();
        let closing = bytes.get(open + 1) == Some(&b'/');
        let start = open + 1 + usize::from(closing);
        let end = skip(bytes, start, |byte| {
            byte.is_ascii_alphanumeric() || byte == b'-'
        });
        let mut tag = Self {
            name: &html[start..end],
            closing,
            attributes: Vec::new(),
            end,
        };
        loop {
            let start = skip(bytes, tag.end, |byte| {
                byte.is_ascii_whitespace() || byte == b'/'
            });
            if *bytes.get(start)? == b'>' {
                tag.end = start + 1;
                return Some(tag);
            }
            // An attribute's name can be nothing but `=`, as browsers see it.
            let end = skip(bytes, start + 1, |byte| {
                !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b'>' | b'/')
            });
            let equals = skip(bytes, end, |byte| byte.is_ascii_whitespace());
            tag.end = end;
            if bytes.get(equals) != Some(&b'=') {
                continue;
            }
            let value = skip(bytes, equals + 1, |byte| byte.is_ascii_whitespace());
            let value = match *bytes.get(value)? {
                quote @ (b'"' | b'\'') => {
                    let end = skip(bytes, value + 1, |byte| byte != quote);
                    bytes.get(end)?;
                    tag.end = end + 1;
                    value + 1..end
                }
                _ => {
                    tag.end = skip(bytes, value, |byte| {
                        !byte.is_ascii_whitespace() && byte != b'>'
                    });
                    value..tag.end
                }
            };
            if tag.attributes.len() < MAX_ATTRIBUTES
                && let (Some(name), Some(value)) = (html.get(start..end), html.get(value))
            {
                tag.attributes.push((name, value));
            }
        }
    }

    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    fn attribute(&self, name: &str) -> Option<String> {
        self.attributes
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| unescape(value))
    }

    fn piece(&self) -> Option<Piece<'a>> {
        if self.is("a") {
            if self.closing {
                return Some(Piece::AnchorEnd);
            }
            return self
                .attribute("href")
                .map(|href| Piece::AnchorStart { href });
        }
        if self.is("img") {
            return self.attribute("src").map(|src| Piece::Image {
                src,
                alt: self.attribute("alt").unwrap_or_default(),
            });
        }
        None
    }
}

/// The first place from `at` on whose byte does not `fit`.
fn skip(bytes: &[u8], at: usize, fit: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| fit(**byte)).count()
}

/// The character references that occur in addresses.
fn unescape(value: &str) -> String {
    if !value.contains('&') {
        return value.to_owned();
    }
    value
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(html: &str) -> Vec<String> {
        let mut found = Vec::new();
        pieces(html, |piece, range| {
            found.push(match piece {
                Piece::Text(text) => text.to_owned(),
                Piece::AnchorStart { href } => format!("a {href} {}", &html[range]),
                Piece::AnchorEnd => "/a".to_owned(),
                Piece::Image { src, alt } => format!("img {src} {alt}"),
            });
        });
        found
    }

    #[test]
    fn anchors_images_and_text() {
        assert_eq!(
            all("x <A class=k HREF = 'u?a&amp;b'>l</A><img alt=\"a b\" src=i.png/> y"),
            [
                "x ",
                "a u?a&b <A class=k HREF = 'u?a&amp;b'>",
                "l",
                "/a",
                "img i.png/ a b",
                " y"
            ]
        );
        assert_eq!(all("<a name=x>y</a>"), ["y", "/a"]);
        assert_eq!(all("1 < 2 <3 </"), ["1 ", " 2 ", "3 ", "/"]);
    }

    #[test]
    fn nothing_in_comments_scripts_and_unclosed_tags() {
        assert_eq!(all("<!-- <a href=x> -->b"), ["b"]);
        assert_eq!(all("<script>'<a href=x>'</script>b"), ["b"]);
        for html in [
            "<!-- <a href=x>",
            "<a href=x",
            "<a href='x>",
            "<a href=",
            "<a =",
        ] {
            assert!(
                all(html).iter().all(|piece| !piece.starts_with("a ")),
                "{html}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(parts in prop::collection::vec(prop::sample::select(vec![
            "<", ">", "a", " ", "href", "=", "'", "\"", "/", "<a ", "</a>", "<img ", "src=", "é",
            "<!--", "-->", "<script>", "\n",
        ]), 0..30)) {
            let html = parts.concat();
            pieces(&html, |_, range| assert!(html.get(range).is_some()));
        }
    }
}
