//! What sets a book's chapters apart from web pages.

use extract_core::{Link, LinkKind};

use crate::rich::Rich;

/// Elements of HTML that have no end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// In XML `<title/>` is empty; HTML takes it for a start tag, and what follows
/// for a title. Gives such tags their end.
pub(super) fn expand_empty(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (end, has_end_tag) = if let Some(comment) = rest.strip_prefix("<!--") {
            (comment.find("-->").map(|end| end + 7), false)
        } else {
            let end = tag_end(rest);
            (end, end.is_some_and(|end| rest[..end].ends_with("/>")))
        };
        let Some(end) = end else { break };
        let tag = &rest[..end];
        let name = tag[1..]
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        if has_end_tag && !name.is_empty() && !VOID.contains(&name.to_ascii_lowercase().as_str()) {
            out.push_str(&tag[..tag.len() - 2]);
            out.push_str("></");
            out.push_str(name);
            out.push('>');
        } else {
            out.push_str(tag);
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// One past the `>` that ends the tag at the beginning of the text.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (byte, quote) {
            (b'>', None) => return Some(at + 1),
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    None
}

/// `%20` as a space and the like.
pub(super) fn unescape_path(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

/// Links within the book lead nowhere outside it: what they show stays.
pub(super) fn without_inner_links(text: String, links: Vec<Link>) -> Rich {
    let mut out = Rich::default();
    let mut from = 0;
    for mut link in links {
        if link.span.start < from {
            // A link in a link that went.
            continue;
        }
        let written = &text[link.span.start..link.span.end];
        let inner = !link.target.contains(':') && !link.target.starts_with("//");
        let opening = if link.kind == LinkKind::Image {
            "!["
        } else {
            "["
        };
        let label = written
            .strip_prefix(opening)
            .and_then(|rest| rest.rsplit_once("]("))
            .map(|(label, _)| label);
        out.text.push_str(&text[from..link.span.start]);
        from = link.span.end;
        match label {
            Some(label) if inner && link.kind == LinkKind::Image => {
                out.text.push_str("![");
                out.text.push_str(label);
                out.text.push_str("]()");
            }
            Some(label) if inner => out.text.push_str(label),
            _ => {
                link.span.start = out.text.len();
                out.text.push_str(written);
                link.span.end = out.text.len();
                out.links.push(link);
            }
        }
    }
    out.text.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_elements_get_their_end() {
        assert_eq!(
            expand_empty("<?xml v?><title/><a id='x>/>' /><br/><!-- <p/> --><p>1 < 2</p><i/"),
            "<?xml v?><title></title><a id='x>/>' ></a><br/><!-- <p/> --><p>1 < 2</p><i/"
        );
    }

    #[test]
    fn links_within_the_book_are_words() {
        let html = r##"<p>A <a href="b.xhtml#n">note</a>, <img src="c.png" alt="a cat"/> <a href="https://x.example/">site</a>.</p>"##;
        let converted = extract_markup::to_markdown(html);
        let rich = without_inner_links(converted.text, converted.links);
        assert_eq!(rich.text, "A note, ![a cat]() [site](https://x.example/).");
        assert_eq!(rich.links.len(), 1);
        let span = rich.links[0].span;
        assert_eq!(
            &rich.text[span.start..span.end],
            "[site](https://x.example/)"
        );
    }

    #[test]
    fn paths_are_unescaped() {
        assert_eq!(unescape_path("a%20b%C3%A4%"), "a bä%");
        assert_eq!(unescape_path("%FF"), "%FF");
    }
}
