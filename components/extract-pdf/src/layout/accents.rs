//! Accents shown apart from their letters.

use unicode_normalization::UnicodeNormalization;

use super::words::Placed;

/// The letter with the accent that was shown just before it, at the same
/// place; nothing where they do not belong together.
pub(super) fn joined(
    accent: &Placed,
    letter: &str,
    left: f64,
    right: f64,
    size: f64,
) -> Option<String> {
    let mark = combining(&accent.text)?;
    let mut chars = letter.chars();
    let base = match (chars.next()?, chars.next()) {
        ('ı', None) => 'i',
        ('ȷ', None) => 'j',
        (c, None) if c.is_alphabetic() => c,
        _ => return None,
    };
    let apart = (accent.left + accent.right - left - right).abs() / 2.0;
    (apart < 0.3 * size).then(|| [base, mark].into_iter().nfc().collect())
}

fn combining(accent: &str) -> Option<char> {
    let mut chars = accent.chars();
    let (accent, None) = (chars.next()?, chars.next()) else {
        return None;
    };
    Some(match accent {
        '`' | '\u{2CB}' => '\u{300}',
        '´' | '\u{2CA}' => '\u{301}',
        '^' | 'ˆ' => '\u{302}',
        '~' | '˜' => '\u{303}',
        '¯' | '\u{2C9}' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30A}',
        '˝' => '\u{30B}',
        'ˇ' => '\u{30C}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        _ => return None,
    })
}
