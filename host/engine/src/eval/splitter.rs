//! The plain splitter that chunkers are measured beside: cuts at the coarsest
//! separator that is there, and again at finer ones where a piece is too large,
//! then puts neighbours together as long as they fit. It knows nothing of what
//! a text means.
//!
//! It does what the `RecursiveTokenChunker` of Chroma's evaluation does
//! (Smith and Troynikov 2024, "Evaluating Chunking Strategies for Retrieval"),
//! without overlap and with the separators kept at the start of what follows.

use std::ops::Range;

use crate::error::Error;

/// From coarse to fine: paragraphs, lines, sentences, words, characters.
const SEPARATORS: [&str; 7] = ["\n\n", "\n", ".", "?", "!", " ", ""];
/// Text counted in one call, in bytes.
const COUNTED_AT_ONCE: usize = 1 << 20;

/// Counts the tokens of each text.
pub(super) type Count<'a> = dyn Fn(&[String]) -> Result<Vec<u32>, Error> + 'a;

/// Cuts `text` into chunks of at most `size` tokens: byte ranges that ascend,
/// do not overlap, have no white space at either end and together hold all
/// that is not white space. Only a single character can have more tokens.
pub(super) fn split(text: &str, size: u32, count: &Count<'_>) -> Result<Vec<Range<usize>>, Error> {
    let mut chunks = Vec::new();
    let mut splitter = Splitter {
        text,
        size,
        count,
        chunks: &mut chunks,
    };
    splitter.cut(0..text.len(), &SEPARATORS)?;
    Ok(chunks)
}

struct Splitter<'a> {
    text: &'a str,
    size: u32,
    count: &'a Count<'a>,
    chunks: &'a mut Vec<Range<usize>>,
}

impl Splitter<'_> {
    fn cut(&mut self, range: Range<usize>, separators: &[&str]) -> Result<(), Error> {
        let whole = &self.text[range.clone()];
        let present = separators
            .iter()
            .position(|separator| whole.contains(separator));
        let Some((separator, finer)) = present.and_then(|at| separators[at..].split_first()) else {
            self.push(range);
            return Ok(());
        };
        let pieces = pieces(whole, separator, range.start);
        let tokens = self.tokens(&pieces)?;
        // What is put together so far, and its tokens.
        let mut open: Option<(Range<usize>, u32)> = None;
        for (piece, tokens) in pieces.into_iter().zip(tokens) {
            if tokens >= self.size && !finer.is_empty() {
                if let Some((range, _)) = open.take() {
                    self.push(range);
                }
                self.cut(piece, finer)?;
                continue;
            }
            open = Some(match open {
                Some((range, sum)) if sum.saturating_add(tokens) <= self.size => {
                    (range.start..piece.end, sum + tokens)
                }
                Some((range, _)) => {
                    self.push(range);
                    (piece, tokens)
                }
                None => (piece, tokens),
            });
        }
        if let Some((range, _)) = open {
            self.push(range);
        }
        Ok(())
    }

    fn tokens(&self, pieces: &[Range<usize>]) -> Result<Vec<u32>, Error> {
        let mut tokens = Vec::with_capacity(pieces.len());
        let mut batch: Vec<String> = Vec::new();
        let mut bytes = 0;
        for piece in pieces {
            if bytes + piece.len() > COUNTED_AT_ONCE && !batch.is_empty() {
                tokens.extend((self.count)(&batch)?);
                batch.clear();
                bytes = 0;
            }
            batch.push(self.text[piece.clone()].to_owned());
            bytes += piece.len();
        }
        if !batch.is_empty() {
            tokens.extend((self.count)(&batch)?);
        }
        Ok(tokens)
    }

    fn push(&mut self, range: Range<usize>) {
        let text = &self.text[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        let end = start + text.trim().len();
        if start < end {
            self.chunks.push(start..end);
        }
    }
}

/// `text` cut before each separator, or at every character where that is
/// empty; ranges begin at `base`.
fn pieces(text: &str, separator: &str, base: usize) -> Vec<Range<usize>> {
    let mut cuts: Vec<usize> = if separator.is_empty() {
        text.char_indices().map(|(at, _)| at).collect()
    } else {
        text.match_indices(separator).map(|(at, _)| at).collect()
    };
    if cuts.first() != Some(&0) {
        cuts.insert(0, 0);
    }
    cuts.push(text.len());
    cuts.windows(2)
        .map(|cut| base + cut[0]..base + cut[1])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A token is a word, or a mark of punctuation.
    fn words(texts: &[String]) -> Result<Vec<u32>, Error> {
        let count = |text: &String| {
            let words = text
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty());
            words.count() + text.chars().filter(|c| c.is_ascii_punctuation()).count()
        };
        Ok(texts.iter().map(|text| count(text) as u32).collect())
    }

    /// A token is a character.
    fn characters(texts: &[String]) -> Result<Vec<u32>, Error> {
        Ok(texts
            .iter()
            .map(|text| text.chars().count() as u32)
            .collect())
    }

    fn texts(text: &str, size: u32) -> Vec<&str> {
        let chunks = split(text, size, &words).unwrap();
        chunks.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn coarse_separators_come_first() {
        let text = "One two three.\n\nFour five.\n\nSix seven eight nine. Ten eleven twelve.";
        assert_eq!(
            texts(text, 8),
            [
                "One two three.\n\nFour five.",
                "Six seven eight nine. Ten eleven twelve",
                "."
            ]
        );
        assert_eq!(texts(text, 100), [text]);
        assert_eq!(texts(" \n\n ", 8), Vec::<&str>::new());
        assert_eq!(texts("", 8), Vec::<&str>::new());
    }

    proptest! {
        #[test]
        fn chunks_hold_everything_and_fit(text in "[ab é日\u{1f600}.?!\n ]{0,200}", size in 1_u32..40) {
            let chunks = split(&text, size, &characters).unwrap();
            let mut at = 0;
            for chunk in &chunks {
                prop_assert!(chunk.start >= at && chunk.end > chunk.start);
                prop_assert!(text[at..chunk.start].trim().is_empty());
                let inside = &text[chunk.clone()];
                prop_assert_eq!(inside.trim(), inside);
                prop_assert!(inside.chars().count() <= size as usize);
                at = chunk.end;
            }
            prop_assert!(text[at..].trim().is_empty());
        }
    }
}
