//! The frontmatter of clips: written as YAML, and read as far as it was written
//! by us or by a person in one of the usual ways.

/// What stands before the text of a note.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Frontmatter {
    /// Each key of the first level with its lines as they are, the key's own
    /// first. Comments and blank lines stay with the key before them.
    pub(super) entries: Vec<(String, String)>,
}

impl Frontmatter {
    /// Splits a note into its frontmatter and what follows; nothing where it
    /// has none.
    pub(super) fn split(note: &str) -> Option<(Self, &str)> {
        let note = note.strip_prefix('\u{FEFF}').unwrap_or(note);
        let first = note.split_inclusive('\n').next()?;
        if first.trim_end() != "---" {
            return None;
        }
        let mut entries: Vec<(String, String)> = Vec::new();
        let mut at = first.len();
        for line in note[at..].split_inclusive('\n') {
            at += line.len();
            if matches!(line.trim_end(), "---" | "...") {
                return Some((Self { entries }, &note[at..]));
            }
            match key_of(line) {
                Some(key) => entries.push((key.to_owned(), line.to_owned())),
                None => match entries.last_mut() {
                    Some((_, lines)) => lines.push_str(line),
                    None => entries.push((String::new(), line.to_owned())),
                },
            }
        }
        None
    }

    fn lines(&self, key: &str) -> Option<&str> {
        let mut entries = self.entries.iter();
        entries
            .find(|(known, _)| known == key)
            .map(|(_, lines)| &**lines)
    }

    /// The text of a key that has one on its line.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let line = self.lines(key)?.lines().next()?;
        let (_, value) = line.split_once(':')?;
        let value = scalar(value);
        (!value.is_empty()).then_some(value)
    }

    /// The texts of a key: a list in brackets or by dashes, or words between
    /// commas.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        let Some(lines) = self.lines(key) else {
            return Vec::new();
        };
        let (first, rest) = lines.split_once('\n').unwrap_or((lines, ""));
        let value = first.split_once(':').map_or("", |(_, value)| value.trim());
        let mut items: Vec<String> = match value.strip_prefix('[') {
            Some(open) => between_commas(&format!("{open} {}", rest.replace('\n', " ")), Some(']')),
            None if value.is_empty() || value.starts_with('#') => rest
                .lines()
                .filter_map(|line| line.trim().strip_prefix('-'))
                .map(scalar)
                .collect(),
            None => between_commas(value, None),
        };
        items.retain(|item| !item.is_empty());
        items
    }
}

/// The key that a line begins with, if it does.
fn key_of(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let plain = !key.is_empty()
        && !key.starts_with([' ', '\t', '#', '-', '"', '\'', '[', '{'])
        && (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']));
    plain.then(|| key.trim_end())
}

/// Splits at commas outside of quotes, up to `end` outside of them.
fn between_commas(text: &str, end: Option<char>) -> Vec<String> {
    let mut items = Vec::new();
    let mut start = 0;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') && text[start..at].trim().is_empty() => quote = Some(c),
            None if c == ',' => {
                items.push(scalar(&text[start..at]));
                start = at + 1;
            }
            None if Some(c) == end => {
                items.push(scalar(&text[start..at]));
                return items;
            }
            None => {}
        }
    }
    items.push(scalar(&text[start..]));
    items
}

/// A YAML scalar on one line: plain, or in quotes of either sort.
fn scalar(written: &str) -> String {
    let written = written.trim();
    if let Some(inner) = written.strip_prefix('\'') {
        // A doubled quote stands for one; a single one ends the text.
        let mut parts = inner.split('\'');
        let mut out = parts.next().unwrap_or_default().to_owned();
        while let (Some(""), Some(more)) = (parts.next(), parts.next()) {
            out.push('\'');
            out.push_str(more);
        }
        return out;
    }
    let Some(inner) = written.strip_prefix('"') else {
        let end = written.find(" #").unwrap_or(written.len());
        return written[..end].trim_end().to_owned();
    };
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(sign @ ('x' | 'u' | 'U')) => {
                    let digits = match sign {
                        'x' => 2,
                        'u' => 4,
                        _ => 8,
                    };
                    let code: String = chars.by_ref().take(digits).collect();
                    let code = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                    out.extend(code);
                }
                other => out.extend(other),
            },
            c => out.push(c),
        }
    }
    out
}

/// A text as a YAML scalar in double quotes, on one line.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_people_write_is_read() {
        let note = "---\r\nurl: https://x.y/a#b # mine\ntags:\n  - one\n- \"two, three\"\n# why\nrating: 5\n\
            list: [a, 'b, c', \"d\\\"\"]\nwords: x, y\nempty:\nnest:\n  key: 1\n---\nBody\n---\n";
        let (front, body) = Frontmatter::split(note).unwrap();
        assert_eq!(body, "Body\n---\n");
        assert_eq!(front.text("url").as_deref(), Some("https://x.y/a#b"));
        assert_eq!(front.list("tags"), ["one", "two, three"]);
        assert_eq!(front.list("list"), ["a", "b, c", "d\""]);
        assert_eq!(front.list("words"), ["x", "y"]);
        assert_eq!(front.list("empty"), Vec::<String>::new());
        assert_eq!(front.text("key"), None);
        let keys: Vec<_> = front.entries.iter().map(|(key, _)| &**key).collect();
        assert_eq!(
            keys,
            ["url", "tags", "rating", "list", "words", "empty", "nest"]
        );
        assert_eq!(front.lines("nest"), Some("nest:\n  key: 1\n"));
    }

    #[test]
    fn notes_without_frontmatter_have_none() {
        for note in [
            "",
            "Body",
            "---",
            "---\na: b",
            "--- \nnever closed\n",
            "\n---\na: b\n---\n",
        ] {
            assert_eq!(Frontmatter::split(note), None, "{note:?}");
        }
        let (front, body) = Frontmatter::split("---\n---\nx").unwrap();
        assert_eq!((front, body), (Frontmatter::default(), "x"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(text in "\\PC{0,20}|[\"\\\\'#,:\\[\\] \n\t\u{2028}a]{0,20}") {
            let note = format!("---\nkey: {0}\nlist: [{0}, b]\ndashes:\n  - {0}\n---\n", quoted(&text));
            let (front, _) = Frontmatter::split(&note).unwrap();
            prop_assert_eq!(front.text("key").unwrap_or_default(), text.clone());
            let given: Vec<String> = Some(text).filter(|text| !text.is_empty()).into_iter().collect();
            prop_assert_eq!(front.list("dashes"), given.clone());
            prop_assert_eq!(front.list("list"), [given, vec!["b".to_owned()]].concat());
        }

        #[test]
        fn anything_is_split(note in "(---|\n|a: |- x|\"|'|\\[|\\]|,|\\\\u){0,30}") {
            if let Some((front, _)) = Frontmatter::split(&note) {
                for (key, _) in &front.entries {
                    let _ = (front.text(key), front.list(key));
                }
            }
        }
    }
}
