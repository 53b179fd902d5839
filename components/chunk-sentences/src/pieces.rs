//! Cutting text that offers no better place: at words, then graphemes, then
//! characters.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Cuts `span` of `text` into about `parts` pieces of similar length in bytes.
/// Answers the offsets where a new piece begins, ascending, inside the span;
/// none only where the span is a single character. Graphemes stay whole unless
/// the span is a single one. Time is linear in the span.
pub(crate) fn divide(text: &str, span: Range<usize>, parts: usize) -> Vec<usize> {
    let parts = parts.max(2);
    let step = (span.len() / parts).max(1);
    let mut cuts = Vec::new();
    let mut from = span.start;
    while span.end - from > step + step / 2 || cuts.is_empty() {
        match next_cut(text, from..span.end, step) {
            Some(cut) => cuts.push(cut),
            None => break,
        }
        from = cuts[cuts.len() - 1];
    }
    if cuts.is_empty() {
        cuts = between_characters(text, span, step);
    }
    cuts
}

/// The best cut of `span` at most `step` bytes in, or the end of the first
/// grapheme where that is longer. What follows the cut begins with text. None
/// where the span is a single grapheme.
fn next_cut(text: &str, span: Range<usize>, step: usize) -> Option<usize> {
    let rest = &text[span.clone()];
    let limit = rest.floor_char_boundary(step);
    // No more than this is looked at, however long a word or grapheme is; what
    // the end of it cuts off ends past the limit and is not taken.
    let near = &rest[..rest.ceil_char_boundary(limit + 64)];
    let space = near[..limit]
        .char_indices()
        .rev()
        .take_while(|&(offset, _)| offset >= limit / 2)
        .find(|(_, character)| character.is_whitespace())
        .map(|(offset, character)| offset + character.len_utf8());
    let cut = space
        .or_else(|| last_end(near.split_word_bounds(), limit).filter(|&end| end >= limit / 2))
        .or_else(|| last_end(near.graphemes(true), limit))
        .or_else(|| rest.graphemes(true).next().map(str::len))?;
    let cut = rest.len() - rest[cut..].trim_start().len();
    (cut < rest.len()).then_some(span.start + cut)
}

/// The end of the last part that ends at or before `limit`.
fn last_end<'a>(parts: impl Iterator<Item = &'a str>, limit: usize) -> Option<usize> {
    let mut end = 0;
    for part in parts {
        if end + part.len() > limit {
            break;
        }
        end += part.len();
    }
    (end > 0).then_some(end)
}

fn between_characters(text: &str, span: Range<usize>, step: usize) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut next = span.start + step;
    for (offset, _) in text[span.clone()].char_indices().skip(1) {
        let at = span.start + offset;
        if at >= next {
            cuts.push(at);
            next = at + step;
        }
    }
    if cuts.is_empty() {
        // Shorter than a step: halve it after its first character.
        cuts.extend(
            text[span.clone()]
                .char_indices()
                .nth(1)
                .map(|(offset, _)| span.start + offset),
        );
    }
    cuts
}
