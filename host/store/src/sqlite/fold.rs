//! Text without what does not count when it is compared: letter case, and how a
//! letter with a mark is written.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Texts that differ only in letter case, in any script, or in how a character
/// is composed become the same.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return ascii(text);
    }
    // Most text is composed, and telling so is quicker than taking it apart.
    let folded = if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        small(text.chars())
    } else {
        small(text.nfd())
    };
    Cow::Owned(if is_nfc_quick(folded.chars()) == IsNormalized::Yes {
        folded
    } else {
        folded.nfc().collect()
    })
}

/// What titles are ordered by: folded, and letters with a mark beside those
/// without.
pub(super) fn sort_key(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return ascii(text);
    }
    let bare = text.nfd().filter(|c| !is_combining_mark(*c));
    Cow::Owned(small(bare).nfc().collect())
}

/// Small letters. By way of the large ones, as some have no other way to meet:
/// `ß` and `SS`, `ς` and `σ`; and small ones before that for `ẞ`, which is its
/// own large letter.
fn small(text: impl Iterator<Item = char>) -> String {
    let mut small = String::new();
    for c in text {
        if c.is_ascii() {
            small.push(c.to_ascii_lowercase());
        } else {
            let large = c.to_lowercase().flat_map(char::to_uppercase);
            small.extend(large.flat_map(char::to_lowercase));
        }
    }
    small
}

fn ascii(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// The text with each character composed.
pub(super) fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_and_composition_do_not_count() {
        for (a, b) in [
            ("Étude", "e\u{301}tude"),
            ("STRASSE", "straße"),
            ("STRAẞE", "straße"),
            ("ΟΔΟΣ", "οδος"),
            ("Привет", "привет"),
            ("ǅ", "ǆ"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
        ] {
            assert_eq!(fold(a), fold(b), "{a} {b}");
        }
        assert_ne!(fold("é"), fold("e"));
        assert_eq!(sort_key("Éa"), "ea");
        assert_eq!(composed("e\u{301}"), "é");
    }

    #[test]
    fn every_character_folds_alike_composed_and_taken_apart() {
        for c in '\u{80}'..=char::MAX {
            let text = c.to_string();
            let (composed, apart): (String, String) = (text.nfc().collect(), text.nfd().collect());
            assert_eq!(fold(&composed), fold(&apart), "{c:?}");
            assert_eq!(fold(&text), fold(&apart), "{c:?}");
        }
    }

    proptest! {
        #[test]
        fn folding_again_changes_nothing(text in "\\PC{0,12}") {
            let once = fold(&text).into_owned();
            prop_assert_eq!(fold(&once).into_owned(), once.clone());
            let (small, large) = (text.to_lowercase(), text.to_uppercase());
            prop_assert_eq!(fold(&small), fold(&large));
            let (composed, apart): (String, String) = (text.nfc().collect(), text.nfd().collect());
            prop_assert_eq!(fold(&composed), fold(&apart));
            prop_assert_eq!(fold(&composed), fold(&text));
        }
    }
}
