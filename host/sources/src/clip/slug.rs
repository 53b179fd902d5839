//! Titles as names of files.

/// Longer names are cut, in characters and in bytes.
const MAX_CHARS: usize = 60;
const MAX_BYTES: usize = 120;

/// The letters and digits of a title in lower case, with dashes between the
/// words; `page` where it has none.
pub(super) fn slug(title: &str) -> String {
    let mut slug = String::new();
    let mut chars = 0;
    let mut word_end = 0;
    for c in title.chars().flat_map(char::to_lowercase) {
        let plain = match c {
            // An apostrophe does not end a word, nor does an accent apart.
            '\'' | '’' | '\u{300}'..='\u{36F}' => continue,
            c if c.is_alphanumeric() => c,
            _ => '-',
        };
        if plain == '-' {
            word_end = slug.trim_end_matches('-').len();
            if slug.is_empty() || slug.ends_with('-') {
                continue;
            }
        }
        if chars == MAX_CHARS || slug.len() + plain.len_utf8() > MAX_BYTES {
            // Cut between words, where that leaves most of it.
            if word_end * 2 > slug.len() {
                slug.truncate(word_end);
            }
            break;
        }
        slug.push(plain);
        chars += 1;
    }
    let length = slug.trim_end_matches('-').len();
    slug.truncate(length);
    if slug.is_empty() {
        "page".to_owned()
    } else {
        slug
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        for (title, expected) in [
            ("Herons at Work!", "herons-at-work"),
            ("  --C++ & Rust: what’s new?  ", "c-rust-whats-new"),
            ("日本語のタイトル", "日本語のタイトル"),
            ("Über/unter\\..", "über-unter"),
            ("Cafe\u{301}", "cafe"),
            ("…", "page"),
            ("", "page"),
            ("CON", "con"),
        ] {
            assert_eq!(slug(title), expected);
        }
        let long = slug(&"many words ".repeat(20));
        assert_eq!(
            long,
            "many-words-many-words-many-words-many-words-many-words-many"
        );
        assert_eq!(slug(&"a".repeat(500)).len(), MAX_CHARS);
        assert!(slug(&"語".repeat(500)).len() <= MAX_BYTES);
    }
}
