//! Keeps words of a page from turning into markup, and no more than that: the
//! text is shown in results as it is.

/// Where a word stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spot {
    /// First on its line, behind the marks of lists and quotes.
    pub(crate) line_start: bool,
    /// In a cell of a table.
    pub(crate) cell: bool,
    /// In the label of a link or picture.
    pub(crate) label: bool,
}

/// Adds a word (no white space in it) to `out`, with backslashes where Markdown
/// would take it for something else.
pub(crate) fn push_word(out: &mut String, word: &str, spot: Spot) {
    if spot.line_start && push_line_start(out, word) {
        return;
    }
    let special = |byte: u8| b"\\<[]*_&|%`~".contains(&byte);
    let bytes = word.as_bytes();
    let spot = Spot {
        // Brackets that pair do no harm in a label.
        label: spot.label && word.matches('[').count() != word.matches(']').count(),
        ..spot
    };
    let mut from = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if special(byte) && needs_backslash(bytes, at, spot) {
            out.push_str(&word[from..at]);
            out.push('\\');
            from = at;
        }
    }
    out.push_str(&word[from..]);
}

/// What begins a heading, quote, list, rule or fence.
fn push_line_start(out: &mut String, word: &str) -> bool {
    let all = |mark: char| word.chars().all(|c| c == mark);
    let block = matches!(word, "-" | "+" | "*")
        || (word.len() <= 6 && all('#'))
        || word.starts_with('>')
        || word.starts_with("```")
        || word.starts_with("~~~")
        || (word.len() >= 2 && (all('-') || all('=') || all('_') || all('*')));
    if block {
        out.push('\\');
        out.push_str(word);
        return true;
    }
    // `[label]: address` defines a link and is not shown.
    if word.starts_with('[') && word.contains("]:") {
        out.push('\\');
        out.push_str(word);
        return true;
    }
    if let Some(digits) = word.strip_suffix(['.', ')'])
        && (1..=9).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        out.push_str(digits);
        out.push('\\');
        out.push_str(&word[digits.len()..]);
        return true;
    }
    false
}

fn needs_backslash(word: &[u8], at: usize, spot: Spot) -> bool {
    let next = word.get(at + 1).copied().unwrap_or(b' ');
    let rest = &word[at + 1..];
    match word[at] {
        b'\\' => next.is_ascii_punctuation(),
        b'<' => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'),
        // A link, and a link of a wiki.
        b'[' => spot.label || next == b'[' || follows(rest, b"]("),
        b']' => spot.label,
        // Emphasis that opens here and closes in the same word.
        b'*' => next != b'*' && next != b' ' && follows(rest, b"*"),
        b'_' => at == 0 && next != b'_' && word.last() == Some(&b'_') && word.len() > 2,
        b'&' => is_reference(rest),
        b'|' => spot.cell,
        // Obsidian's comments.
        b'%' => next == b'%' && (at == 0 || word[at - 1] != b'%'),
        b'`' => next != b'`' && follows(rest, b"`"),
        b'~' => next == b'~' && (at == 0 || word[at - 1] != b'~') && follows(&rest[1..], b"~~"),
        _ => false,
    }
}

/// Words are looked through up to here for the end of what they begin.
const REACH: usize = 256;

fn follows(rest: &[u8], what: &[u8]) -> bool {
    rest[..rest.len().min(REACH)]
        .windows(what.len())
        .any(|window| window == what)
}

/// `amp;`, `#38;`: a character reference without its `&`.
fn is_reference(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"#").unwrap_or(rest);
    let length = name
        .iter()
        .take(32)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    length > 0 && name.get(length) == Some(&b';')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(word: &str, line_start: bool) -> String {
        let mut out = String::new();
        let spot = Spot {
            line_start,
            ..Spot::default()
        };
        push_word(&mut out, word, spot);
        out
    }

    #[test]
    fn a_label_ends_where_it_should() {
        for (word, expected) in [("a]b", "a\\]b"), ("[x", "\\[x"), ("[1]", "[1]"), ("x", "x")] {
            let mut out = String::new();
            let spot = Spot {
                label: true,
                ..Spot::default()
            };
            push_word(&mut out, word, spot);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn plain_words_stay_as_they_are() {
        for word in [
            "word",
            "C++",
            "a_b_c",
            "__init__.py",
            "50%",
            "R&D",
            "x<5",
            "#tag",
            "[1]",
            "[citation",
            "-5",
            "1.5",
            "~10",
            "2*3",
            "C:\\dir",
            "…",
            "AT&T",
            "-",
            "1.",
            "#",
            ">",
            "a|b",
            "*",
        ] {
            assert_eq!(escaped(word, false), word);
        }
        for word in ["#tag", "-5", "1.5", "word", "1234567890.", "#######"] {
            assert_eq!(escaped(word, true), word);
        }
    }

    #[test]
    fn markup_is_escaped() {
        for (word, expected) in [
            ("<b>", "\\<b>"),
            ("</p>", "\\</p>"),
            ("[a](b)", "\\[a](b)"),
            ("[[a]]", "\\[[a]]"),
            ("*a*", "\\*a*"),
            ("_a_", "\\_a_"),
            ("&amp;", "\\&amp;"),
            ("&#38;", "\\&#38;"),
            ("%%", "\\%%"),
            ("`a`", "\\`a`"),
            ("~~a~~", "\\~~a~~"),
            ("\\*", "\\\\*"),
        ] {
            assert_eq!(escaped(word, false), expected);
        }
        for (word, expected) in [
            ("-", "\\-"),
            ("#", "\\#"),
            (">quote", "\\>quote"),
            ("1.", "1\\."),
            ("12)", "12\\)"),
            ("---", "\\---"),
            ("```", "\\```"),
            ("[1]:", "\\[1]:"),
        ] {
            assert_eq!(escaped(word, true), expected);
        }
    }

    #[test]
    fn long_words_cost_no_more_than_their_length() {
        for unit in ["[", "*a", "`", "&a", "~~", "_"] {
            let word = unit.repeat(100_000);
            assert!(escaped(&word, true).len() <= word.len() * 2 + 1);
        }
    }
}
