//! Tags: what they may be made of, and each once.

use std::collections::HashSet;

/// Tags in order of appearance, each once whatever its case; the first spelling
/// stays.
#[derive(Debug, Default)]
pub(crate) struct TagSet {
    tags: Vec<String>,
    seen: HashSet<String>,
}

impl TagSet {
    pub(crate) fn add(&mut self, tag: &str) {
        if self.seen.insert(tag.to_lowercase()) {
            self.tags.push(tag.to_owned());
        }
    }

    pub(crate) fn into_vec(self) -> Vec<String> {
        self.tags
    }
}

/// A tag of the frontmatter without its `#`; nothing when nothing is left.
pub(crate) fn clean(raw: &str) -> Option<String> {
    let tag = raw.trim().trim_start_matches('#').trim();
    let tag = tag.trim_matches('/');
    (!tag.is_empty()).then(|| tag.to_owned())
}

/// The tag that `text`, which follows a `#`, begins with, if it does; and how
/// many bytes of the text it takes. A tag has a letter, a sign or an emoji in
/// it: `#1984` is a number.
pub(crate) fn at_start(text: &str) -> Option<(&str, usize)> {
    let length = text.find(|c| !is_tag_char(c)).unwrap_or(text.len());
    let tag = text[..length].trim_matches('/');
    let mut chars = tag.chars();
    let worded = chars.clone().any(|c| !c.is_ascii_punctuation());
    let numeric = chars.all(|c| c.is_numeric() || c == '/');
    (worded && !numeric).then_some((tag, length))
}

/// Letters, digits, marks and emoji of any script, `_`, `-` and `/`: all but
/// space, control characters and punctuation.
fn is_tag_char(c: char) -> bool {
    match c {
        '_' | '-' | '/' => true,
        _ if c.is_alphanumeric() => true,
        // Joiners inside words of some scripts and between emoji.
        '\u{200C}' | '\u{200D}' => true,
        _ if c.is_ascii() || c.is_whitespace() || c.is_control() => false,
        // Latin-1 signs, general punctuation, supplemental punctuation, CJK
        // punctuation and its small, vertical and full-width forms.
        '\u{80}'..='\u{BF}'
        | '×'
        | '÷'
        | '\u{2000}'..='\u{206F}'
        | '\u{2E00}'..='\u{2E7F}'
        | '\u{3000}'..='\u{303F}'
        | '\u{FE10}'..='\u{FE1F}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF65}' => false,
        // Hebrew, Arabic, Devanagari, Thai, Tibetan and katakana marks that end
        // or divide sentences.
        '־' | '׀' | '׃' | '،' | '؛' | '؟' | '۔' | '।' | '॥' | '๏' | '๚' | '๛' | '་' | '།'
        | '・' => false,
        '\u{FFFC}' | '\u{FFFD}' | '\u{FEFF}' => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_end_at_punctuation() {
        let cases = [
            ("tag", "tag"),
            ("tag.", "tag"),
            ("nested/tag-1_x, y", "nested/tag-1_x"),
            ("trailing/ x", "trailing"),
            ("日本語。次", "日本語"),
            ("हिन्दी।", "हिन्दी"),
            ("ภาษาไทย่ x", "ภาษาไทย่"),
            ("עברית\u{2014}", "עברית"),
            ("👩\u{200D}🔬!", "👩\u{200D}🔬"),
            ("2024-05x", "2024-05x"),
            ("2024-05", "2024-05"),
            ("a#b", "a"),
        ];
        for (text, tag) in cases {
            assert_eq!(at_start(text).map(|(tag, _)| tag), Some(tag), "{text}");
        }
    }

    #[test]
    fn numbers_and_signs_are_no_tags() {
        for text in ["", " a", "1984", "1/2", "٣٤", "-", "_/", "!a", "#a", "。"] {
            assert_eq!(at_start(text), None, "{text}");
        }
    }

    #[test]
    fn each_tag_once_in_its_first_spelling() {
        let mut set = TagSet::default();
        for tag in ["B", "a", "b", "Ä", "ä"] {
            set.add(tag);
        }
        assert_eq!(set.into_vec(), ["B", "a", "Ä"]);
    }

    #[test]
    fn frontmatter_tags_lose_their_hash() {
        assert_eq!(clean(" #a/b/ "), Some("a/b".into()));
        assert_eq!(clean("machine learning"), Some("machine learning".into()));
        assert_eq!(clean("##"), None);
    }
}
