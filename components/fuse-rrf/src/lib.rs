//! Reciprocal rank fusion: many ranked lists into one.
//!
//! An item's score is the sum, over the legs that hold it, of
//! `weight / (k + rank)`, with ranks from 1. From G. V. Cormack, C. L. A.
//! Clarke and S. Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and
//! individual Rank Learning Methods", SIGIR 2009, which found `k = 60` to work
//! well everywhere; the weights are the usual addition. Only ranks count, so
//! legs whose scores are not comparable (BM25, cosine) can be merged.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

use std::collections::HashMap;

use serde::Deserialize;

#[cfg(target_family = "wasm")]
mod guest;
#[cfg(test)]
mod tests;

/// One sentence for a person about this component.
pub const SUMMARY: &str = "Merges ranked lists by reciprocal rank: weight / (k + rank), summed.";

/// JSON Schema of [`Settings`].
pub const SETTINGS_SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "k": {
      "type": "number",
      "exclusiveMinimum": 0,
      "default": 60,
      "description": "How little the first ranks stand out: the score of rank r is weight / (k + r)"
    }
  },
  "additionalProperties": false
}"#;

/// What a user can set.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// How little the first ranks stand out; finite, over 0. 60 by default.
    pub k: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { k: 60.0 }
    }
}

impl Settings {
    /// Reads a JSON object; a blank text means the defaults.
    ///
    /// # Errors
    /// [`Error::Settings`] for anything but a JSON object of known settings,
    /// [`Error::K`] for a `k` that is not a finite number over 0.
    pub fn parse(json: &str) -> Result<Self, Error> {
        if json.trim().is_empty() {
            return Ok(Self::default());
        }
        let settings: Self =
            serde_json::from_str(json).map_err(|error| Error::Settings(error.to_string()))?;
        settings.check()?;
        Ok(settings)
    }

    fn check(self) -> Result<(), Error> {
        if self.k.is_finite() && self.k > 0.0 {
            Ok(())
        } else {
            Err(Error::K(self.k))
        }
    }
}

/// One ranked list.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// Such as `lexical` or `dense`; used in messages only.
    pub name: String,
    /// How much the leg counts; finite, at least 0.
    pub weight: f64,
    /// Best first. Where an id stands twice, its first rank counts.
    pub ids: Vec<u64>,
}

/// One entry of the fused list.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    /// The id the legs gave.
    pub id: u64,
    /// Higher is better; comparable within one answer only.
    pub score: f64,
    /// The id's rank in each leg, from 1, in the order of the legs; none where
    /// the leg does not hold it.
    pub ranks: Vec<Option<u32>>,
}

/// Why lists could not be fused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings are not a JSON object of known settings.
    #[error(
        "the settings of fuse-rrf are not right: {0}. They are a JSON object such as {{\"k\": 60}}"
    )]
    Settings(String),
    /// `k` is not a finite number over 0.
    #[error("the setting k of fuse-rrf is {0}, but must be a finite number over 0; 60 is usual")]
    K(f64),
    /// A leg's weight is negative or not a finite number.
    #[error(
        "the weight of the leg \"{leg}\" is {weight}, but must be a finite number of at least 0"
    )]
    Weight {
        /// The leg's name.
        leg: String,
        /// The weight it came with.
        weight: f64,
    },
}

/// Fuses ranked lists into one of at most `limit` entries: best score first,
/// equal scores by ascending id, each id once. The answer depends on the input
/// alone; the order of the legs changes nothing but the order of `ranks`.
///
/// # Errors
/// [`Error::K`] and [`Error::Weight`], when a number is out of its range.
pub fn fuse(legs: &[Leg], limit: usize, settings: Settings) -> Result<Vec<Fused>, Error> {
    settings.check()?;
    for leg in legs {
        if !(leg.weight.is_finite() && leg.weight >= 0.0) {
            return Err(Error::Weight {
                leg: leg.name.clone(),
                weight: leg.weight,
            });
        }
    }

    let mut ranks: HashMap<u64, Vec<Option<u32>>> = HashMap::new();
    for (index, leg) in legs.iter().enumerate() {
        // No leg that fits a sandbox's memory is longer than u32 can count.
        for (rank, id) in (1u32..).zip(&leg.ids) {
            let ranks = ranks.entry(*id).or_insert_with(|| vec![None; legs.len()]);
            ranks[index].get_or_insert(rank);
        }
    }

    let mut fused: Vec<Fused> = ranks
        .into_iter()
        .map(|(id, ranks)| Fused {
            id,
            score: score(legs, &ranks, settings.k),
            ranks,
        })
        .collect();
    fused.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    fused.truncate(limit);
    Ok(fused)
}

/// Floating-point sums depend on the order of their terms, so the terms are
/// added smallest first: the same score whichever leg came first, which is what
/// makes equal entries tie.
fn score(legs: &[Leg], ranks: &[Option<u32>], k: f64) -> f64 {
    let mut terms: Vec<f64> = legs
        .iter()
        .zip(ranks)
        .filter_map(|(leg, rank)| Some(leg.weight / (k + f64::from((*rank)?))))
        .collect();
    terms.sort_unstable_by(f64::total_cmp);
    terms.iter().sum()
}
