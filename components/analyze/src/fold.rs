//! One form for what readers take for the same word.

use unicode_normalization::UnicodeNormalization;

use crate::classes::{is_invisible, is_skin_tone};

/// The longest term, in bytes. Words beyond it are cut, in documents and in
/// queries alike.
pub(crate) const MAX_TERM: usize = 256;

/// The start of `text`, at most `bytes` long and cut between characters.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    &text[..text.floor_char_boundary(bytes)]
}

/// Compatibility forms, case and diacritics folded away: `ﬁ` is `fi`, `É` is
/// `e`, `ß` is `ss`. Neither white space nor control characters come out.
pub(crate) fn fold(raw: &str) -> String {
    let raw = head(raw, MAX_TERM);
    if raw.is_ascii() {
        return raw.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(raw.len());
    let bare = raw
        .nfkd()
        .flat_map(char::to_lowercase)
        .filter(|&c| !is_diacritic(c) && is_kept(c));
    for c in bare.nfc() {
        push_plain(c, &mut folded);
    }
    folded.truncate(head(&folded, MAX_TERM).len());
    folded
}

/// The form a stemmer reads: lower case, accents kept, vowel marks of Arabic
/// left out.
pub(crate) fn lower(raw: &str) -> String {
    head(raw, MAX_TERM)
        .nfkc()
        .flat_map(char::to_lowercase)
        .filter(|&c| !is_vowel_mark(c) && is_kept(c))
        .map(|c| if c == '\u{2019}' { '\'' } else { c })
        .nfc()
        .collect()
}

/// A character of a script whose marks tell words apart, with its marks.
pub(crate) fn fold_unit(raw: &str) -> String {
    head(raw, MAX_TERM / 4)
        .nfkc()
        .flat_map(char::to_lowercase)
        .filter(|&c| is_kept(c))
        .nfc()
        .collect()
}

/// An emoji without the choice of picture or text, and one without skin colour
/// too.
pub(crate) fn fold_emoji(raw: &str) -> (String, String) {
    let full: String = head(raw, MAX_TERM)
        .chars()
        .filter(|&c| !matches!(c, '\u{fe00}'..='\u{fe0f}') && is_printed(c))
        .collect();
    let plain = full.chars().filter(|&c| !is_skin_tone(c)).collect();
    (full, plain)
}

fn is_kept(c: char) -> bool {
    is_printed(c) && !is_invisible(c)
}

fn is_printed(c: char) -> bool {
    !c.is_whitespace() && !c.is_control()
}

fn is_vowel_mark(c: char) -> bool {
    matches!(
        c,
        '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}'
            | '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}'
            | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}'
    )
}

/// Marks that readers leave out when they type. In Indic scripts marks are
/// vowels, in Japanese they change the consonant; those stay.
fn is_diacritic(c: char) -> bool {
    is_vowel_mark(c)
        || matches!(
            c,
            '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{653}'..='\u{65f}'
                | '\u{730}'..='\u{74a}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
                | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
        )
}

/// Letters that no decomposition takes apart.
fn push_plain(c: char, folded: &mut String) {
    match c {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'þ' => folded.push_str("th"),
        'ø' => folded.push('o'),
        'đ' | 'ð' => folded.push('d'),
        'ł' => folded.push('l'),
        'ı' => folded.push('i'),
        'ħ' => folded.push('h'),
        'ŧ' => folded.push('t'),
        'ς' => folded.push('σ'),
        'ى' | 'ی' => folded.push('ي'),
        'ک' => folded.push('ك'),
        'ة' => folded.push('ه'),
        // An apostrophe and hyphens that only look different.
        '\u{2019}' | '\u{2bc}' => folded.push('\''),
        '\u{2010}' | '\u{2011}' => folded.push('-'),
        '\u{2044}' => folded.push('/'),
        '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}' => {
            // The ten digits of both rows lie at 0 to 9 of their sixteen.
            folded.extend(char::from_digit(c as u32 & 0xf, 10));
        }
        _ => folded.push(c),
    }
}
