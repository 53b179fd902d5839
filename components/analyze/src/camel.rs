//! Words inside a word, told apart by capitals: `camelCase`, `HTTPServer`.

use std::ops::Range;

/// The longest word that is taken apart, in bytes: beyond it stand keys and
/// encoded data.
const LONGEST: usize = 64;

/// The words inside `word`, as byte ranges; none where it is but one. Single
/// letters are left out: `iPhone` holds `Phone`.
pub(crate) fn parts(word: &str) -> Vec<Range<usize>> {
    if word.len() > LONGEST || !is_mixed(word) {
        return Vec::new();
    }
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let mut bounds = vec![0];
    for (index, pair) in chars.windows(2).enumerate() {
        let [(_, before), (at, here)] = *pair else {
            continue;
        };
        let next = chars.get(index + 2).map(|&(_, next)| next);
        // A plural of capitals is one word: `URLs`.
        let is_plural = next == Some('s') && chars.len() == index + 3;
        let starts_word = next.is_some_and(char::is_lowercase) && !is_plural;
        if here.is_uppercase()
            && (before.is_lowercase()
                || starts_word && (before.is_uppercase() || before.is_numeric()))
        {
            bounds.push(at);
        }
    }
    if bounds.len() == 1 {
        return Vec::new();
    }
    bounds.push(word.len());
    bounds
        .windows(2)
        .map(|pair| pair[0]..pair[1])
        .filter(|part| word[part.clone()].chars().nth(1).is_some())
        .collect()
}

/// Whether there is a capital after the first letter, and a small letter.
fn is_mixed(word: &str) -> bool {
    if word.is_ascii() {
        let bytes = word.as_bytes();
        return bytes.iter().skip(1).any(u8::is_ascii_uppercase)
            && bytes.iter().any(u8::is_ascii_lowercase);
    }
    word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase)
}
