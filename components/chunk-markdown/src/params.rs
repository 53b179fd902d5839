//! Every number that shapes the chunks, in one place.
//!
//! Qualities say how well a chunk may begin at a cut, from 0 (in the middle of
//! a word) to 1 (at a level-1 heading).

use std::ops::RangeInclusive;

/// Size to aim for when the user names none, in tokens.
pub(crate) const DEFAULT_TARGET: usize = 165;
/// The most of the budget that the default target takes, as a fraction; the
/// rest is room for context.
pub(crate) const TARGET_SHARE: (usize, usize) = (3, 4);
/// The most of the budget that headings in the context take: one in so many.
pub(crate) const CONTEXT_SHARE: usize = 4;
/// The least room, in tokens, in which a heading that is too long is shortened
/// rather than left out.
pub(crate) const SHORTEST_HEADING: usize = 6;
/// The most tokens of a paragraph's first sentence, with the line break after
/// it, that the context of a later part of the paragraph repeats; a longer
/// sentence would outweigh the part's own text and is left out.
pub(crate) const OPENING_TOKENS: usize = 40;
/// The longest first sentence that is counted at all, in bytes.
pub(crate) const OPENING_BYTES: usize = 300;
/// The longest heading kept, in bytes; a longer one is shortened.
pub(crate) const HEADING_BYTES: usize = 300;

/// Quality of a heading by level, 1 to 6.
pub(crate) const HEADING: [f32; 6] = [1.0, 0.97, 0.92, 0.87, 0.82, 0.78];
/// Quality just after a thematic break.
pub(crate) const RULE: f32 = 0.74;
/// Quality at either edge of a code block.
pub(crate) const CODE_EDGE: f32 = 0.66;
/// Quality of a block after a blank line.
pub(crate) const BLOCK: f32 = 0.6;
/// Quality of a list item.
pub(crate) const ITEM: f32 = 0.42;
/// Quality of a table row.
pub(crate) const ROW: f32 = 0.36;
/// What each container around a block, and each list around an item, takes
/// off its quality, for at most [`NESTING_LEVELS`] of them.
pub(crate) const NESTING: f32 = 0.05;
/// See [`NESTING`].
pub(crate) const NESTING_LEVELS: usize = 3;
/// Quality of a line.
pub(crate) const LINE: f32 = 0.2;
/// Quality of a line after one that is longer than [`WRAPPED_BYTES`].
pub(crate) const PARAGRAPH: f32 = 0.5;
/// No editor wraps lines at more than this, in bytes.
pub(crate) const WRAPPED_BYTES: usize = 160;
/// Quality of a line that titles the paragraph after it.
pub(crate) const TITLE: f32 = 0.6;
/// The longest line taken for a title, in bytes.
pub(crate) const TITLE_BYTES: usize = 100;
/// Quality after a title: a chunk had better begin with the title itself.
pub(crate) const AFTER_TITLE: f32 = 0.0;
/// A paragraph of at least so many lines may be a list of records.
pub(crate) const RECORD_LINES: usize = 5;
/// How long a line is that may be a record, in bytes.
pub(crate) const RECORD_BYTES: RangeInclusive<usize> = 30..=400;
/// The least that the lines of a list of records have on average, in bytes:
/// shorter ones say too little alone.
pub(crate) const RECORD_MEAN_BYTES: usize = 60;
/// Quality of a record.
pub(crate) const RECORD: f32 = 0.5;
/// How many times a record's tokens count against the target. A chunk of a
/// dozen records says little of any one of them.
pub(crate) const RECORD_WEIGHT: usize = 4;
/// Lines with as many bars, one after another, that make a table without a line
/// of dashes.
pub(crate) const BARE_TABLE_LINES: usize = 3;
/// The most of the sentence before a table that the context of the table's
/// chunks repeats, in bytes.
pub(crate) const INTRODUCTION_BYTES: usize = 360;
/// The most tokens that this takes of the budget: one in so many.
pub(crate) const INTRODUCTION_SHARE: usize = 2;
/// Quality of a sentence.
pub(crate) const SENTENCE: f32 = 0.1;
/// Quality of a cut that only size forces.
pub(crate) const FORCED: f32 = 0.0;
/// Stands for a quality where a chunk should not begin at all: after a
/// heading, after a table's header.
pub(crate) const GLUED: f32 = -1.0;
/// Factor on the quality of a cut after a colon, which announces what follows.
pub(crate) const AFTER_COLON: f32 = 0.6;
/// Headings up to this level start a new chunk once the current one has a
/// [`STRONG_FILL`]th of the target.
pub(crate) const STRONG_LEVEL: u8 = 2;
/// See [`STRONG_LEVEL`].
pub(crate) const STRONG_FILL: usize = 3;

/// Cost of a cut of quality 0; a cut of quality 1 costs nothing.
pub(crate) const CUT_COST: f64 = 1.5;
/// Cost of a [`GLUED`] cut.
pub(crate) const GLUE_COST: f64 = 40.0;
/// Cost of a chunk half the target short, times four.
pub(crate) const UNDER_COST: f64 = 0.7;
/// Cost of a chunk of twice the target.
pub(crate) const OVER_COST: f64 = 6.0;
/// Cost of going on over a cut of at least [`INNER_QUALITY`] when the chunk has
/// its target already, in proportion less before: a chunk of one whole
/// paragraph is found better than one with half of the next.
pub(crate) const INNER_COST: f64 = 0.5;
/// See [`INNER_COST`].
pub(crate) const INNER_QUALITY: f32 = 0.5;
/// Cost of going on over a strong heading.
pub(crate) const STRONG_COST: f64 = 0.8;
/// Chunks of several atoms are not grown beyond so many targets.
pub(crate) const REACH: usize = 2;
/// Text that is no code, table or formula is cut into sentences, then words,
/// where one piece has more than this fraction of the target.
pub(crate) const LOOSE_LIMIT: (usize, usize) = (5, 4);

/// A line is cut into sentences where it has more bytes than the target has
/// tokens times this: about a quarter of the target in English.
pub(crate) const SENTENCE_BYTES: usize = 1;
/// A text counts as at least one token for so many bytes that are no white
/// space: tokenizers that give up on long words would let a chunk grow without
/// end.
pub(crate) const TOKEN_BYTES: usize = 32;
/// Bytes to a token, assumed only to make the first cut of a text too long to
/// count as one.
pub(crate) const GUESSED_TOKEN_BYTES: usize = 4;
/// A chunk whose parts add up to at most this fraction of the budget is not
/// counted again as a whole: joining texts at white space does not make them
/// grow by a tenth.
pub(crate) const SURE_SHARE: (usize, usize) = (9, 10);
