//! Words of every script as lexical terms, for documents and queries alike.
//!
//! # What a term is
//! A [`Term`] has a text that is compared byte for byte, the span of the
//! original it was made from, and a position. Positions count the words of a
//! text from 0 without gaps; the terms of one position are variants of one
//! word, the whole word first, stems last. A term's text never holds white
//! space or a control character, is never empty and has at most
//! [`MAX_TERM_BYTES`] bytes.
//!
//! # How terms are written
//! | what | written | `Running` | `DEC-0054` | `図書館` |
//! | --- | --- | --- | --- | --- |
//! | word, folded | as it is | `running` | `dec`, `0054` | |
//! | stem, folded | after `~` | `~run` | `~dec` | |
//! | several words in one, joined | as it is | | `dec0054` | |
//! | two characters of a run | as they are | | | `図書`, `書館` |
//! | last character of a run | before `*` | | | `館*` |
//!
//! * **Folded**: compatibility forms (NFKC), case, diacritics, the vowel marks
//!   of Hebrew and Arabic and letters that only look different (`ß` and `ss`,
//!   Arabic and Persian kaf) make no difference.
//! * **Stems** have a mark of their own, `~`, so that the stem of one word
//!   never is another word: `organization` meets `organ` as `~organ`, but only
//!   `organ` itself is `organ`. Every word of a script with a stemmer has one,
//!   even when it equals the word; otherwise `run` could not meet `running`.
//! * **Joined words**: `foo_bar`, `foo-bar`, `fooBar` and `foobar` all have the
//!   term `foobar`; those with parts have the parts too, each at a position of
//!   its own, the joined form at that of the first. Joints between digits stay
//!   (`v1.2.3`, `2024-01-02`), those of thousands do not (`1,000`).
//! * **Identifiers with more than that** (`--dry-run`, `/usr/share`, `C++`,
//!   `#tag`, `user@example.org`, `GB/s`, addresses) also have the term that
//!   they are as written, folded, before all others.
//! * **Apostrophes**: `can't` is `cant`, `user's` is `user`, `l'impôt` is
//!   `limpot` and `impot`, `o'brien` is `obrien` and `brien`.
//! * **Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese** become
//!   overlapping pairs of characters (with their marks). The last character of
//!   a run stands with the last pair, marked `*`; a run of one character has
//!   nothing but that.
//! * **Emoji** are terms as they are, with and without their skin colour.
//!
//! # How to ask
//! A query is analyzed like a document. A word is found where any term of its
//! position is. One rule is the asker's: a term that ends in `*` is left out
//! where its position has others, and otherwise is looked for as a prefix
//! without the `*`, because a character inside a run only begins pairs. No
//! other term ends in `*`.
//!
//! Scores of the variants of one position must not be added up: a document
//! that has the word itself has its stem too, and rare inflections would count
//! most. On SciFact's training queries (BM25, stopwords left out, documents
//! indexed with all variants) adding them up gives nDCG@10 0.683; stems alone,
//! and the word where there is no stem, 0.702; for each position the best
//! variant 0.701; the same with the weight of the position's commonest variant
//! for all of them, plus a tenth of the other variants' scores, 0.703.
//!
//! # Languages
//! The stemmer is chosen for each text: by script, and among the languages of
//! Latin script by function words and letters. A text too short to tell, as a
//! query or a title is, gets the stems of English and of the likeliest other
//! language, so it meets documents of either.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

use std::ops::Range;

mod camel;
mod classes;
mod emit;
mod fold;
mod functionwords;
mod language;
mod scan;
mod stems;

#[cfg(target_family = "wasm")]
mod guest;
#[cfg(test)]
mod tests;

use emit::Emitter;
use stems::Stems;

/// One sentence for a person about this component.
pub const SUMMARY: &str =
    "Turns text of any script into words to search by: folded, stemmed, identifiers in parts.";

/// The most that one call takes, over all its texts, in bytes.
pub const MAX_BYTES: usize = 8 << 20;

/// The longest term, in bytes. What stands for a longer word is cut.
pub const MAX_TERM_BYTES: usize = fold::MAX_TERM + 1;

/// One word of a text, as the lexical index holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// What is stored and compared.
    pub text: String,
    /// Bytes of the text it was made from; on character boundaries, not empty.
    pub span: Range<usize>,
    /// The word's number in its text, from 0.
    pub position: u32,
}

/// Why texts could not be analyzed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The texts are over [`MAX_BYTES`] together.
    #[error(
        "the texts have {bytes} bytes together, but one call takes at most {MAX_BYTES}; analyze \
         fewer or shorter texts at once"
    )]
    TooLarge {
        /// What the texts have together.
        bytes: usize,
    },
}

/// The terms of each text, in the order given. The answer for a text depends
/// on that text alone.
///
/// # Errors
/// [`Error::TooLarge`] for texts of more than [`MAX_BYTES`] together.
pub fn analyze<T: AsRef<str>>(texts: &[T]) -> Result<Vec<Vec<Term>>, Error> {
    let bytes = texts.iter().map(|text| text.as_ref().len()).sum();
    if bytes > MAX_BYTES {
        return Err(Error::TooLarge { bytes });
    }
    let mut stems = Stems::default();
    Ok(texts
        .iter()
        .map(|text| Emitter::new(text.as_ref(), &mut stems).terms())
        .collect())
}
