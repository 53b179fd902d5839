//! Where sentences begin.

use unicode_segmentation::UnicodeSegmentation;

/// The most text segmented at once, in bytes.
const WINDOW: usize = 4096;
/// A run of so many characters that are neither letters nor digits ends a
/// window: what follows a full stop is looked ahead at from each of them.
const RUN: usize = 16;

/// Byte offsets in `text` where a sentence begins, ascending: by Unicode's
/// default rules (UAX #29), which know `。！？` and end a sentence at every
/// line break; but a line that goes on in lower case after one that ends
/// without a mark belongs to the same sentence, as hard-wrapped text has it.
/// Each is at a character that is no white space.
pub(crate) fn starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut from = 0;
    // Whether a sentence begins with the next text.
    let mut begins = true;
    loop {
        from += text[from..].len() - text[from..].trim_start().len();
        if from == text.len() {
            return starts;
        }
        if begins && !goes_on(text, from) {
            starts.push(from);
        }
        let end = window_end(text, from);
        let window = &text[from..end];
        begins = window.ends_with(['\n', '\r']);
        let mut next = end;
        for (offset, sentence) in window.split_sentence_bound_indices().skip(1) {
            let blank = sentence.len() - sentence.trim_start().len();
            begins = blank == sentence.len();
            if !begins && !goes_on(text, from + offset + blank) {
                starts.push(from + offset + blank);
            }
            // The last sentence of a window may go on after it, so the next
            // window begins with it; unless it is all of the window.
            if end < text.len() {
                next = from + offset;
            }
        }
        from = next;
    }
}

/// Whether the line that begins at `at` continues the sentence of the line
/// before. False where `at` is not the start of a line.
fn goes_on(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end();
    let gap = &text[before.len()..at];
    let breaks = gap.matches('\n').count().max(gap.matches('\r').count());
    !before.is_empty()
        && breaks == 1
        && text[at..].starts_with(char::is_lowercase)
        && !before.ends_with(['.', '!', '?', ':', ';', '…', '"', '”', ')'])
}

/// Where the window that begins at `from` ends.
fn window_end(text: &str, from: usize) -> usize {
    let mut run = 0;
    for (offset, character) in text[from..].char_indices() {
        if offset >= WINDOW {
            return from + offset;
        }
        run = if character.is_alphanumeric() {
            0
        } else {
            run + 1
        };
        if run == RUN {
            return from + offset + character.len_utf8();
        }
    }
    text.len()
}
