//! Windows of whole sentences, for plain text.
//!
//! The text is cut into sentences, sentences longer than a window into words
//! or less, and windows are filled with them one after the other; each begins
//! with the last sentences of the one before. Sizes are real tokens of the
//! model that embeds, asked for in batches through a function that is passed
//! in.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod atoms;
mod counter;
mod pieces;
mod sentences;
mod settings;
mod windows;

#[cfg(target_family = "wasm")]
mod guest;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use settings::{SETTINGS_SCHEMA, Settings};

use counter::Counter;

/// One sentence for a person about what this component does.
pub const SUMMARY: &str =
    "Splits plain text into windows of whole sentences, each repeating the end of the one before.";

/// The smallest budget a caller may give, in tokens.
pub const MIN_BUDGET: u32 = 16;

/// How to split a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The most tokens that a chunk may have; at least [`MIN_BUDGET`].
    pub budget: u32,
    /// What the user chose.
    pub settings: Settings,
}

/// A stretch of the text that is searched and cited. It has no headings and
/// no context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Bytes of the text; on character boundaries, never empty, without white
    /// space at either end.
    pub span: Range<usize>,
}

/// Why a text could not be split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Who has to act.
    pub kind: FailureKind,
    /// One sentence for a person: what is wrong and what to do.
    pub message: String,
}

/// The kinds of failure this component knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The settings or the budget cannot be used as they are.
    InvalidInput,
    /// The token counter broke its promise.
    Internal,
}

/// Splits `text` into chunks.
///
/// Spans ascend in start and in end, may overlap, and together hold every byte
/// of the text that is not white space; none has more tokens by `count` than
/// the window or the budget, unless a single character has. `count` answers
/// with the tokens of each text it is given, in order; it is called a few
/// times for a whole document, with at most about 4 MiB a call.
///
/// The title is no part of any chunk: what is embedded must not change when
/// an item is renamed.
///
/// # Errors
/// [`FailureKind::InvalidInput`] for a budget below [`MIN_BUDGET`] or settings
/// out of range; [`FailureKind::Internal`] when `count` answers with the wrong
/// number of counts.
pub fn split(
    _title: &str,
    text: &str,
    options: &Options,
    count: &mut dyn FnMut(&[&str]) -> Vec<u32>,
) -> Result<Vec<Chunk>, Failure> {
    let sizes = options.settings.sizes(options.budget)?;
    let start = text.len() - text.trim_start().len();
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Ok(Vec::new());
    }
    // A token is at least a byte of ASCII text, so a text this short needs no
    // counting.
    if trimmed.is_ascii() && trimmed.len() < sizes.window {
        return Ok(vec![Chunk {
            span: start..start + trimmed.len(),
        }]);
    }
    let mut counter = Counter::new(count);
    let atoms = atoms::measured(text, &sizes, &mut counter)?;
    let windows = windows::fill(text, &atoms, &sizes);
    let spans = windows::checked(text, atoms, windows, &sizes, &mut counter)?;
    Ok(spans.into_iter().map(|span| Chunk { span }).collect())
}
