//! Plain text as Markdown.

/// Plain text that shows as itself when it is read as Markdown: what would
/// become a heading, a code fence, a quotation or HTML gets a backslash. What
/// reads the same either way (lists, emphasis, addresses) stays as it was
/// written, for this text is searched and shown. Line ends stay where they are.
pub fn escape_plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_start_matches([' ', '\t']);
        out.push_str(&line[..line.len() - body.len()]);
        if opens_block(body.trim_end()) {
            out.push('\\');
        }
        push_inline(&mut out, body);
    }
    out
}

/// The same for what must stay on one line: a heading, an item of a list, a
/// link's text. Line ends become spaces.
pub fn escape_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    escape_plain(&words.join(" "))
}

fn opens_block(line: &str) -> bool {
    let hashes = line.len() - line.trim_start_matches('#').len();
    let heading = (1..=6).contains(&hashes)
        && line[hashes..]
            .chars()
            .next()
            .is_none_or(char::is_whitespace);
    // Below a line of text these make it a heading.
    let underline = !line.is_empty()
        && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'));
    heading
        || underline
        || line.starts_with('>')
        || line.starts_with("```")
        || line.starts_with("~~~")
}

/// `<` before what could be a tag.
fn push_inline(out: &mut String, mut text: &str) {
    while let Some(at) = text.find('<') {
        out.push_str(&text[..at]);
        let next = text[at + 1..].bytes().next();
        if next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?'))
        {
            out.push('\\');
        }
        out.push('<');
        text = &text[at + 1..];
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_be_markup_gets_a_backslash() {
        for (raw, expected) in [
            ("# no heading\n#tag", "\\# no heading\n#tag"),
            ("a\n---\nb\n===", "a\n\\---\nb\n\\==="),
            ("> said\n  ```\n~~~", "\\> said\n  \\```\n\\~~~"),
            ("- one\n1. two\n* three", "- one\n1. two\n* three"),
            ("a < b, <b>bold</b> <3", "a < b, \\<b>bold\\</b> <3"),
            ("snake_case *star* [x]", "snake_case *star* [x]"),
            ("", ""),
            ("\n\n", "\n\n"),
        ] {
            assert_eq!(escape_plain(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(escape_line(" a\n# b\r\n c "), "a # b c");
        assert_eq!(escape_line("# b"), "\\# b");
    }
}
