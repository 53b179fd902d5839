//! Chunks that follow a Markdown document's structure.
//!
//! The text is cut into atoms (a heading, a code block, a table row, a list
//! item's line, a sentence of a long paragraph), each cut scored by how well a
//! chunk may begin there, and the atoms are packed into chunks by a small
//! dynamic programme over size and score. Sizes are real tokens of the model
//! that embeds, asked for in batches through a function that is passed in.
//!
//! The order of work: [`structure`] reads the Markdown, [`atoms`] cuts it,
//! [`refine`] measures the atoms and cuts those too large, [`pack`] chooses
//! the chunks, [`compose`] adds context and checks the
//! result.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod atoms;
mod compose;
mod context;
mod counter;
mod outline;
mod pack;
mod params;
mod pieces;
mod refine;
mod sentences;
mod settings;
mod structure;

#[cfg(target_family = "wasm")]
mod guest;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use settings::{SETTINGS_SCHEMA, Settings};

use counter::Counter;

/// One sentence for a person about what this component does.
pub const SUMMARY: &str = "Splits Markdown where its structure allows: at headings, rules, blocks, list items and sentences, never inside a code block, table row or formula that fits.";

/// The smallest budget a caller may give, in tokens.
pub const MIN_BUDGET: u32 = 16;

/// How to split a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The most tokens that a chunk, its context included, may have; at least
    /// [`MIN_BUDGET`].
    pub budget: u32,
    /// What the user chose.
    pub settings: Settings,
}

/// A stretch of the text that is searched and cited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Bytes of the text; on character boundaries, never empty, without white
    /// space at either end.
    pub span: Range<usize>,
    /// The headings in force where the span begins, outermost first, as plain
    /// text; a heading at the very start of the span counts.
    pub headings: Vec<String>,
    /// What stands before the chunk's text, and a line break, when it is
    /// embedded: the headings that are not part of the chunk joined by ` > `,
    /// then the first sentence of the paragraph on one line that the chunk
    /// begins inside, if it is short, or the sentence before the table that the
    /// chunk begins with or inside, then the header of a table or code block that
    /// began in an earlier chunk.
    pub context: Option<String>,
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
/// Spans ascend, do not overlap, and together hold every byte of the text that
/// is not white space; no chunk with its context has more than
/// `options.budget` tokens by `count`, unless a single character has. `count`
/// answers with the tokens of each text it is given, in order; it is called a
/// few times for a whole document, with at most about 4 MiB a call.
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
    let structure = structure::read(text);
    let atoms = atoms::cut(text, &structure, &sizes);
    if atoms.is_empty() {
        return Ok(Vec::new());
    }
    let mut counter = Counter::new(count);
    // A token is at least a byte of ASCII text, so a text this short needs no
    // counting: it is one chunk.
    let trimmed = text.trim();
    if trimmed.is_ascii() && trimmed.len() < sizes.target {
        return Ok(vec![compose::whole(text, &structure.outline, &atoms)]);
    }
    let atoms = refine::measure(text, atoms, &structure, &sizes, &mut counter)?;
    let groups = pack::pack(atoms, &structure.outline, &sizes);
    compose::chunks(text, &structure, groups, &sizes, &mut counter)
}
