//! How sure an answer is, from evidence that means the same in every corpus.
//! README.md in this crate says how the thresholds were chosen and how well
//! they do.

use pkb_store::ItemId;
use serde::Serialize;

use super::legs::Legs;
use super::{Prepared, Why};

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

impl Level {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Level::Strong => "strong",
            Level::Partial => "partial",
            Level::None => "none",
        }
    }
}

/// How sure an answer is, and by what.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Confidence {
    /// In one word.
    pub level: Level,
    /// The greatest share of the query's weight that the words of one of the
    /// first hits match, from 0 to 1; none where words were not looked for.
    pub share: Option<f64>,
    /// The greatest cosine similarity; none where meaning was not looked for.
    pub similarity: Option<f64>,
    /// By how much that is above the mean similarity of the query to
    /// everything.
    pub above_mean: Option<f64>,
}

/// First hits that are looked at.
const FIRST: usize = 10;
/// Chunks that a mean similarity of [`USUAL`] counts for, beside those of the
/// corpus: in a small one they are all about the query, or none is.
const PRIOR: f64 = 50.0;
/// The mean similarity of a query to chunks of other subjects.
const USUAL: f64 = 0.03;

pub(super) fn of(prepared: &Prepared, legs: &Legs, fused: &[(ItemId, Why)]) -> Confidence {
    let shares = fused.iter().take(FIRST).map(|(_, why)| why.share);
    let share = legs.lexical.as_ref().map(|_| shares.fold(0.0, f64::max));
    let best = legs.dense.as_ref().and_then(|found| found.items.first());
    let similarity = best.map(|item| item.score);
    let above_mean = similarity.map(|similarity| similarity - mean(legs));
    Confidence {
        level: level(prepared, legs, share, above_mean),
        share,
        similarity,
        above_mean,
    }
}

/// How sure it is that one item is meant, by the same evidence.
pub(super) fn of_hit(prepared: &Prepared, legs: &Legs, why: &Why) -> Level {
    let share = legs.lexical.as_ref().map(|_| why.share);
    let above_mean = legs.dense.as_ref().map(|found| {
        // What is not among the nearest is not nearer than the last of them.
        let far = found.items.last().map_or(0.0, |own| own.score);
        why.dense_score.unwrap_or(far) - mean(legs)
    });
    level(prepared, legs, share, above_mean)
}

/// The similarity that a query has to anything.
fn mean(legs: &Legs) -> f64 {
    let background = legs.background();
    let count = background.count as f64;
    (count * background.mean + PRIOR * USUAL) / (count + PRIOR)
}

fn level(prepared: &Prepared, legs: &Legs, share: Option<f64>, above_mean: Option<f64>) -> Level {
    let unknown_name = legs.lexical.as_ref().is_some_and(|found| {
        let names = prepared.names.iter();
        names
            .copied()
            .any(|word| found.holding.get(word) == Some(&0))
    });
    let level = match (share, above_mean) {
        (Some(share), Some(above)) => by_both(prepared.typed, share, above),
        (Some(share), None) => by_word(prepared.typed, share),
        (None, Some(above)) => by_meaning(above),
        (None, None) => Level::None,
    };
    // That much else is found does not make up for a name that is not.
    if level == Level::Strong && prepared.typed <= 3 && unknown_name {
        Level::Partial
    } else {
        level
    }
}

fn by_both(typed: usize, share: f64, above: f64) -> Level {
    let evidence = 0.5 * share + above;
    let whole = share >= 0.999;
    let strong = match typed {
        1 if whole => true,
        2 if whole && evidence >= 0.65 => true,
        _ => evidence >= 0.65 && above >= 0.30 && share >= 0.25,
    };
    if strong {
        Level::Strong
    } else if typed == 1 && share == 0.0 {
        if above >= 0.50 {
            Level::Partial
        } else {
            Level::None
        }
    } else if evidence >= 0.42 {
        Level::Partial
    } else {
        Level::None
    }
}

fn by_word(typed: usize, share: f64) -> Level {
    let (strong, partial) = if typed == 1 {
        (0.999, 0.5)
    } else {
        (0.62, 0.30)
    };
    if share >= strong {
        Level::Strong
    } else if share >= partial {
        Level::Partial
    } else {
        Level::None
    }
}

fn by_meaning(above: f64) -> Level {
    if above >= 0.50 {
        Level::Strong
    } else if above >= 0.35 {
        Level::Partial
    } else {
        Level::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_adds_up() {
        assert_eq!(by_both(5, 0.8, 0.5), Level::Strong);
        assert_eq!(by_both(5, 0.2, 0.9), Level::Partial);
        assert_eq!(by_both(5, 0.5, 0.2), Level::Partial);
        assert_eq!(by_both(5, 0.4, 0.1), Level::None);
        assert_eq!(by_both(1, 1.0, 0.0), Level::Strong);
        assert_eq!(by_both(1, 0.0, 0.3), Level::None);
        assert_eq!(by_word(1, 1.0), Level::Strong);
        assert_eq!(by_word(6, 0.5), Level::Partial);
        assert_eq!(by_word(6, 0.1), Level::None);
    }
}
