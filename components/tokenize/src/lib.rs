//! Text to the token ids that a model reads, by any Hugging Face
//! `tokenizer.json`.
//!
//! The work is done by the `tokenizers` crate. This crate switches off what a
//! definition may ask for beyond that (truncation, padding, random dropout),
//! so that callers see every token and the same text always gives the same
//! ids, and says in plain words what is wrong with a definition.
//!
//! A definition is untrusted. Damaged ones are reported as [`Error`]; one made
//! to break the `tokenizers` crate can still make that crate panic (sound JSON
//! whose template names a special token that it does not define, for
//! instance), which costs the sandbox it runs in and nothing else.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

use serde::de::IgnoredAny;
use tokenizers::models::ModelWrapper;

#[cfg(target_family = "wasm")]
mod guest;
#[cfg(test)]
mod tests;

/// One sentence for a person about this component.
pub const SUMMARY: &str = "Turns text into a model's token ids, by the model's own tokenizer.json.";

/// Why a definition could not be read or a text not be encoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The definition is not a `tokenizer.json`, or is damaged.
    #[error("this is not a sound tokenizer.json: {reason}. {remedy}")]
    Definition {
        /// What the parser says, with line and column where it knows them.
        reason: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The definition reads well but has no tokens for a text.
    #[error(
        "text {number} of {total} cannot be encoded: {reason}. The tokenizer.json lacks something \
         its own model needs; use the file that belongs to the model"
    )]
    Text {
        /// Which text of the call, counted from 1.
        number: usize,
        /// How many texts the call had.
        total: usize,
        /// What the tokenizer says.
        reason: String,
    },
}

const REMEDY_GENERAL: &str = "Use the file tokenizer.json that belongs to the model";
const REMEDY_LFS: &str =
    "It is a Git LFS pointer, not the file itself: run `git lfs pull` where the model was cloned";
const REMEDY_EMPTY: &str = "The file is empty: download it again";

/// A tokenizer made from a `tokenizer.json`.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    special_count: u32,
}

impl Tokenizer {
    /// Reads a definition: the bytes of a `tokenizer.json`.
    ///
    /// # Errors
    /// [`Error::Definition`] when the bytes are not a sound definition;
    /// [`Error::Text`] when its model cannot even encode an empty text.
    pub fn load(definition: &[u8]) -> Result<Self, Error> {
        let refused = |reason: String| Error::Definition {
            reason,
            remedy: remedy(definition),
        };
        // The parser below panics on some definitions that end early or hold
        // invalid UTF-8, as a download that broke off does.
        let text = std::str::from_utf8(definition).map_err(|error| refused(error.to_string()))?;
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| refused(error.to_string()))?;
        let mut inner = text
            .parse::<tokenizers::Tokenizer>()
            .map_err(|error| refused(error.to_string()))?;
        inner
            .with_truncation(None)
            .map_err(|error| refused(error.to_string()))?
            .with_padding(None);
        switch_off_dropout(&mut inner);

        let mut tokenizer = Self {
            inner,
            special_count: 0,
        };
        // Measured rather than asked for: what the post-processor says it adds
        // is a constant of its kind, not what it does with this definition.
        let (bare, full) = (
            tokenizer.ids("", 1, 1, false)?.len(),
            tokenizer.ids("", 1, 1, true)?.len(),
        );
        tokenizer.special_count = as_count(full.saturating_sub(bare));
        Ok(tokenizer)
    }

    /// The ids of each text, special tokens included, in the order given;
    /// nothing is truncated or padded. A special token written out in a text,
    /// such as `[MASK]`, gives that token's id, as it does everywhere these
    /// definitions are used.
    ///
    /// # Errors
    /// [`Error::Text`] when the vocabulary has no token for a text, not even
    /// one for the unknown.
    pub fn encode<S: AsRef<str>>(&self, texts: &[S]) -> Result<Vec<Vec<u32>>, Error> {
        self.each(texts, true, <[u32]>::to_vec)
    }

    /// The number of tokens of each text, special tokens not included, in the
    /// order given.
    ///
    /// # Errors
    /// As for [`Tokenizer::encode`].
    pub fn count<S: AsRef<str>>(&self, texts: &[S]) -> Result<Vec<u32>, Error> {
        self.each(texts, false, |ids| as_count(ids.len()))
    }

    /// How many special tokens stand around one text.
    #[must_use]
    pub fn special_count(&self) -> u32 {
        self.special_count
    }

    fn each<S: AsRef<str>, T>(
        &self,
        texts: &[S],
        special: bool,
        take: impl Fn(&[u32]) -> T,
    ) -> Result<Vec<T>, Error> {
        texts
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let encoding = self.ids(text.as_ref(), index + 1, texts.len(), special)?;
                Ok(take(encoding.get_ids()))
            })
            .collect()
    }

    // `encode_fast` leaves out offsets and the tokens' own text, which nobody
    // asks for here and which cost more than the ids. The crate's batch calls
    // are for threads, which a sandbox does not have.
    fn ids(
        &self,
        text: &str,
        number: usize,
        total: usize,
        special: bool,
    ) -> Result<tokenizers::Encoding, Error> {
        self.inner
            .encode_fast(text, special)
            .map_err(|error| Error::Text {
                number,
                total,
                reason: error.to_string(),
            })
    }
}

/// Dropout skips merges at random: a training aid which a definition may have
/// been saved with, and which would make one text give different ids each time.
fn switch_off_dropout(tokenizer: &mut tokenizers::Tokenizer) {
    let ModelWrapper::BPE(model) = tokenizer.get_model() else {
        return;
    };
    if model.dropout.is_some() {
        let mut model = model.clone();
        model.dropout = None;
        tokenizer.with_model(model);
    }
}

/// What to do about a definition that does not parse, by what it looks like.
fn remedy(definition: &[u8]) -> &'static str {
    if definition.is_empty() {
        REMEDY_EMPTY
    } else if definition.starts_with(b"version https://git-lfs") {
        REMEDY_LFS
    } else {
        REMEDY_GENERAL
    }
}

/// A text has fewer tokens than bytes, and no text of 4 GiB fits a sandbox.
fn as_count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
