//! The part of a chunk that shows why it was found.

use std::ops::Range;

use serde::Serialize;

/// A stretch of a chunk with its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// The text, line breaks folded to spaces, `…` where it was cut.
    pub text: String,
    /// Byte ranges of the matches in `text`, ascending.
    pub matches: Vec<Range<usize>>,
}

impl Snippet {
    /// At most about `most` bytes of `text`, around where most of the matches
    /// stand together. `matches` are byte ranges of `text`, ascending.
    pub fn around(text: &str, matches: &[Range<usize>], most: usize) -> Snippet {
        let window = densest(text, matches, most);
        let start = word_start(text, window.start);
        let end = word_end(text, window.end.max(start));
        let mut snippet = Snippet::default();
        if start > 0 {
            snippet.text.push('…');
        }
        let mut at = start;
        let inside = matches
            .iter()
            .filter(|range| range.start >= start && range.end <= end);
        for range in inside {
            fold(&text[at..range.start], &mut snippet.text);
            let from = snippet.text.len();
            fold(&text[range.clone()], &mut snippet.text);
            snippet.matches.push(from..snippet.text.len());
            at = range.end;
        }
        fold(&text[at..end], &mut snippet.text);
        if end < text.len() {
            snippet.text.truncate(snippet.text.trim_end().len());
            snippet.text.push('…');
        }
        snippet
    }
}

/// Where the window of `most` bytes goes that holds most matches; the first of
/// equals.
fn densest(text: &str, matches: &[Range<usize>], most: usize) -> Range<usize> {
    if text.len() <= most {
        return 0..text.len();
    }
    let mut best = (0, 0..most);
    let mut last = 0;
    for (first, range) in matches.iter().enumerate() {
        last = last.max(first);
        while last + 1 < matches.len() && matches[last + 1].end - range.start <= most * 3 / 4 {
            last += 1;
        }
        if last + 1 - first > best.0 {
            // Some text before the first match helps to read it.
            let start = range.start.saturating_sub(most / 6).min(text.len() - most);
            best = (last + 1 - first, start..start + most);
        }
    }
    best.1
}

/// The nearest start of a word at or after `at`, if one is near.
fn word_start(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    if at == 0 || text[..at].ends_with(char::is_whitespace) {
        return at;
    }
    let near = text[at..]
        .char_indices()
        .take(24)
        .find(|(_, c)| c.is_whitespace());
    near.map_or(at, |(offset, c)| at + offset + c.len_utf8())
}

/// The nearest end of a word at or before `at`, if one is near.
fn word_end(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    if at == text.len() || text[at..].starts_with(char::is_whitespace) {
        return at;
    }
    let near = text[..at]
        .char_indices()
        .rev()
        .take(24)
        .find(|(_, c)| c.is_whitespace());
    near.map_or(at, |(offset, _)| offset)
}

/// Appends `text` with every run of white space as one space.
fn fold(text: &str, to: &mut String) {
    for c in text.chars() {
        if !c.is_whitespace() {
            to.push(c);
        } else if !to.is_empty() && !to.ends_with([' ', '…']) {
            to.push(' ');
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::single_range_in_vec_init,
    reason = "one match is a list of one range"
)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_shown_whole() {
        let snippet = Snippet::around("keep\nyour  notes", &[11..16], 100);
        assert_eq!(snippet.text, "keep your notes");
        assert_eq!(&snippet.text[snippet.matches[0].clone()], "notes");
    }

    #[test]
    fn a_long_text_is_cut_around_the_matches() {
        let text = format!(
            "{} needle in hay {}",
            "before ".repeat(100),
            "after ".repeat(100)
        );
        let at = text.find("needle").unwrap();
        let snippet = Snippet::around(&text, &[at..at + 6], 80);
        assert!(snippet.text.starts_with('…') && snippet.text.ends_with('…'));
        assert!(snippet.text.len() < 120);
        assert_eq!(&snippet.text[snippet.matches[0].clone()], "needle");
    }

    #[test]
    fn many_matches_beat_one() {
        let text = format!("one {} one two three", "x ".repeat(300));
        let far = text.rfind("one").unwrap();
        let matches = [0..3, far..far + 3, far + 4..far + 7];
        let snippet = Snippet::around(&text, &matches, 60);
        assert!(snippet.text.contains("two three"), "{}", snippet.text);
        assert_eq!(snippet.matches.len(), 2);
    }

    #[test]
    fn characters_are_never_cut() {
        let text = "日本語".repeat(100);
        for most in 1..40 {
            let snippet = Snippet::around(&text, &[30..33], most);
            assert!(snippet.text.chars().all(|c| "日本語…".contains(c)));
        }
    }
}
