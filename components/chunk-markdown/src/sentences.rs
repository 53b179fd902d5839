//! Where sentences begin.

use unicode_segmentation::UnicodeSegmentation;

/// The most text segmented at once, in bytes.
const WINDOW: usize = 4096;
/// A run of so many characters that are neither letters nor digits ends a
/// window: what follows a full stop is looked ahead at from each of them.
const RUN: usize = 16;

/// The least letters or digits of a word after which a full stop ends a sentence though
/// a small letter follows; shorter words may be abbreviations.
const WORD: usize = 4;

/// Byte offsets in `text` where a sentence begins, without 0: by Unicode's
/// default rules (UAX #29), and in text without capital letters, where those
/// find no sentence. Ascending; each is at a character that is no white space.
pub(crate) fn starts(text: &str) -> Vec<usize> {
    let mut starts = by_unicode(text);
    let small = in_small_letters(text);
    if !small.is_empty() {
        starts.extend(small);
        starts.sort_unstable();
        starts.dedup();
    }
    starts
}

/// Where a small letter follows the end of a sentence.
fn in_small_letters(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    // Of the word before.
    let mut length = 0;
    let (mut bracket, mut ended, mut parted) = (false, false, false);
    for (offset, character) in text.char_indices() {
        if character.is_whitespace() {
            parted = true;
            (length, bracket) = (0, false);
            continue;
        }
        if ended && parted && character.is_lowercase() {
            starts.push(offset);
        }
        ended = match character {
            '.' | '!' | '?' => length >= WORD || bracket,
            // Closing marks after the stop belong to the sentence.
            ')' | ']' | '"' | '\'' | '”' | '’' | '»' => ended && !parted,
            _ => false,
        };
        parted = false;
        bracket = matches!(character, ')' | ']');
        length = if character.is_alphanumeric() {
            length + 1
        } else {
            0
        };
    }
    starts
}

fn by_unicode(text: &str) -> Vec<usize> {
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
