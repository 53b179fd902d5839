//! Titles, wherever they come from.

/// Longer titles are cut: a title is shown in lists and put before chunks.
const MAX_CHARS: usize = 300;

/// The file name without its last extension.
pub fn from_name(name: &str) -> String {
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    tidy(stem).unwrap_or_else(|| name.to_owned())
}

/// One line, single spaces, of bearable length; nothing when nothing is left.
pub fn tidy(raw: &str) -> Option<String> {
    let mut title = String::new();
    let mut chars = 0;
    for word in raw.split_whitespace() {
        if chars > 0 {
            title.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars == MAX_CHARS {
                title.push('…');
                return Some(title);
            }
            title.push(c);
            chars += 1;
        }
        if chars >= MAX_CHARS {
            title.push('…');
            return Some(title);
        }
    }
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_its_last_extension_only() {
        assert_eq!(from_name("a b.c.md"), "a b.c");
        assert_eq!(from_name("README"), "README");
        assert_eq!(from_name(".md"), ".md");
        assert_eq!(from_name(" .md"), " .md");
    }

    #[test]
    fn titles_are_one_line_of_bearable_length() {
        assert_eq!(tidy(" a\n  b\t"), Some("a b".into()));
        assert_eq!(tidy(" \n "), None);
        let long = tidy(&"wörd ".repeat(10_000)).unwrap();
        assert!(long.chars().count() <= MAX_CHARS + 2 && long.ends_with('…'));
    }
}
