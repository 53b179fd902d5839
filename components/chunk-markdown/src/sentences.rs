//! Where sentences begin.

use unicode_segmentation::UnicodeSegmentation;

/// The most text segmented at once, in bytes.
const WINDOW: usize = 4096;
/// A run of so many characters that are neither letters nor digits ends a
/// window: what follows a full stop is looked ahead at from each of them.
const RUN: usize = 16;

/// Byte offsets in `text` where a sentence begins, by Unicode's default rules
/// (UAX #29), without 0. Each is at a character that is no white space.
pub(crate) fn starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut from = 0;
    // Whether a sentence begins with the next text.
    let mut begins = false;
    loop {
        from += text[from..].len() - text[from..].trim_start().len();
        if from == text.len() {
            return starts;
        }
        if begins {
            starts.push(from);
        }
        let end = window_end(text, from);
        let window = &text[from..end];
        begins = window.ends_with(['\n', '\r']);
        let mut next = end;
        for (offset, sentence) in window.split_sentence_bound_indices().skip(1) {
            let blank = sentence.len() - sentence.trim_start().len();
            begins = blank == sentence.len();
            if !begins {
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
