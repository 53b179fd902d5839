//! How sure an answer is, from evidence that means the same in every corpus.

use pkb_store::LexicalQuery;
use serde::Serialize;

use super::legs::{Legs, share};

/// How sure an answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// What was asked about is very likely here.
    Strong,
    /// Something near it is here.
    Partial,
    /// Nothing speaks for it being here.
    #[default]
    None,
}

/// How sure an answer is, and by what.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Confidence {
    /// In one word.
    pub level: Level,
    /// The greatest share of the query's weight that one item's words match,
    /// from 0 to 1; none where words were not looked for.
    pub share: Option<f64>,
    /// The greatest cosine similarity; none where meaning was not looked for.
    pub similarity: Option<f64>,
    /// By how many standard deviations that stands out from the similarity of
    /// the query to everything.
    pub deviations: Option<f64>,
}

pub(super) fn of(query: &LexicalQuery, legs: &Legs) -> Confidence {
    let share = legs.lexical.as_ref().map(|found| {
        found
            .items
            .iter()
            .map(|item| share(&item.words, &found.weights))
            .fold(0.0, f64::max)
    });
    let best = legs.dense.as_ref().and_then(|found| found.items.first());
    let similarity = best.map(|item| item.score);
    let background = legs.background();
    let deviations = similarity
        .filter(|_| background.deviation > 0.0)
        .map(|similarity| (similarity - background.mean) / background.deviation);
    Confidence {
        level: level(query, share, similarity, deviations),
        share,
        similarity,
        deviations,
    }
}

fn level(
    _query: &LexicalQuery,
    share: Option<f64>,
    similarity: Option<f64>,
    _deviations: Option<f64>,
) -> Level {
    if share.unwrap_or(0.0) > 0.9 || similarity.unwrap_or(0.0) > 0.6 {
        Level::Strong
    } else if share.unwrap_or(0.0) > 0.3 || similarity.unwrap_or(0.0) > 0.4 {
        Level::Partial
    } else {
        Level::None
    }
}
