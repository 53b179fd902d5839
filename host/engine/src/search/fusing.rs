//! Putting the legs together by reciprocal rank fusion.
//!
//! Ranks alone do not say how much either leg has found: fused by equal ranks,
//! a leg that knows nothing of a query pulls the other down by up to 0.27 in
//! nDCG@10. So there is a third leg, `both`, which ranks the items of the two by
//! their scores together; it decides, and the ranks in the other two break its
//! ties. README.md says how this was chosen and what it was measured on.

use std::collections::HashSet;

use pkb_runtime::Leg;
use pkb_store::{ItemId, Ranking};

use super::legs::Legs;
use super::{DEPTH, LegSummary, Prepared, SearchAnswer, SearchRequest, Why};
use crate::engine::Engine;
use crate::error::Error;

/// Weights of the ranks by word and by meaning beside the leg `both`.
const TIES: (f64, f64) = (0.01, 0.001);
/// Items that count as the first of a leg.
const FIRST: usize = 10;

impl Engine {
    /// Fuses items, not chunks: that one chunk of a note has the words and
    /// another the meaning speaks for the note.
    pub(super) fn fuse(
        &self,
        request: &SearchRequest,
        prepared: &Prepared,
        legs: &Legs,
        answer: &mut SearchAnswer,
    ) -> Result<Vec<(ItemId, Why)>, Error> {
        let depth = match request.fusion.depth {
            0 => DEPTH,
            depth => depth,
        };
        let by_word: Option<Vec<ItemId>> = legs.lexical.as_ref().map(|found| {
            let items = found.items.iter().take(depth);
            items.map(|own| own.found.item).collect()
        });
        let by_meaning: Option<Vec<ItemId>> = legs.dense.as_ref().map(|found| {
            let items = found.items.iter().take(depth);
            items.map(|own| own.item).collect()
        });
        let mut asked: Vec<(&'static str, f64, Vec<ItemId>)> = Vec::new();
        match (by_word, by_meaning) {
            (Some(words), Some(meaning)) if !words.is_empty() && !meaning.is_empty() => {
                match request.fusion.weights {
                    Some((word, near)) => {
                        asked.push(("lexical", word, words));
                        asked.push(("dense", near, meaning));
                    }
                    None => {
                        let both = self.both(prepared, legs, &words, &meaning);
                        asked.push(("lexical", TIES.0, words));
                        asked.push(("dense", TIES.1, meaning));
                        asked.push(("both", 1.0, both));
                    }
                }
            }
            (words, meaning) => {
                asked.extend(words.map(|items| ("lexical", 1.0, items)));
                asked.extend(meaning.map(|items| ("dense", 1.0, items)));
            }
        }
        answer.legs = asked
            .iter()
            .map(|(name, weight, items)| LegSummary {
                name,
                weight: *weight,
                items: items.len(),
            })
            .collect();
        self.fuse_ranks(request, legs, asked)
    }

    /// The items of both legs, by their scores together.
    fn both(
        &self,
        prepared: &Prepared,
        legs: &Legs,
        words: &[ItemId],
        meaning: &[ItemId],
    ) -> Vec<ItemId> {
        let trust = trust_in_meaning(prepared, legs, words, meaning);
        let most = most_by_word(legs);
        // What is not among the nearest is not nearer than the last of them.
        let dense = legs.dense.iter().flat_map(|found| &found.items);
        let far = dense.last().map_or(0.0, |own| own.score);
        let mut seen = HashSet::new();
        let mut both: Vec<(f64, ItemId)> = words
            .iter()
            .chain(meaning)
            .filter(|item| seen.insert(**item))
            .map(|&item| {
                let by_word = legs.by_word(item).map_or(0.0, |(own, _)| own.score) / most;
                let near = legs.by_meaning(item).map_or(far, |own| own.score);
                (by_word + trust * near, item)
            })
            .collect();
        both.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        both.into_iter().map(|(_, item)| item).collect()
    }

    fn fuse_ranks(
        &self,
        request: &SearchRequest,
        legs: &Legs,
        asked: Vec<(&'static str, f64, Vec<ItemId>)>,
    ) -> Result<Vec<(ItemId, Why)>, Error> {
        let names: Vec<&str> = asked.iter().map(|(name, ..)| *name).collect();
        let wit: Vec<Leg> = asked
            .into_iter()
            .map(|(name, weight, items)| Leg {
                name: name.to_owned(),
                weight,
                ids: items.iter().map(|item| item.0.cast_unsigned()).collect(),
            })
            .collect();
        let most: usize = wit.iter().map(|leg| leg.ids.len()).sum();
        let settings = match request.fusion.k {
            Some(k) => serde_json::json!({ "k": k }).to_string(),
            None => "{}".into(),
        };
        let limit = u32::try_from(most).unwrap_or(u32::MAX);
        let fused = self.components().fuser()?.fuse(&wit, limit, &settings)?;
        let mut all: Vec<(ItemId, Why)> = fused
            .into_iter()
            .map(|entry| {
                let item = ItemId(entry.id.cast_signed());
                let rank = |wanted: &str| {
                    let at = names.iter().position(|name| *name == wanted)?;
                    entry.ranks.get(at).copied().flatten()
                };
                let why = Why {
                    score: entry.score,
                    lexical_rank: rank("lexical"),
                    lexical_score: legs.by_word(item).map(|(own, _)| own.score),
                    dense_rank: rank("dense"),
                    dense_score: legs.by_meaning(item).map(|own| own.score),
                    share: legs.share(item),
                    matched: Vec::new(),
                };
                (item, why)
            })
            .collect();
        if let Some(half_life) = request.fusion.recency {
            self.prefer_recent(half_life, &mut all)?;
        }
        Ok(all)
    }

    /// Raises what is new; see [`super::Fusion::recency`].
    fn prefer_recent(&self, half_life: f64, all: &mut [(ItemId, Why)]) -> Result<(), Error> {
        let now = crate::clock::now();
        for (item, why) in &mut *all {
            if let Some(details) = self.store().item(*item)? {
                let item = details.item;
                let time = item.published.or(item.modified).or(item.created);
                let days = (now - time.unwrap_or(item.ingested)).max(0) as f64 / 86_400_000.0;
                why.score *= 1.0 + (-days / half_life.max(1e-3)).exp2();
            }
        }
        all.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(&b.0)));
        Ok(())
    }
}

/// What is lost when the words of a query are known and the meaning is not
/// trusted, and the other way round: how much a similarity counts beside the
/// score by word, from 0 to 0.9.
fn trust_in_meaning(prepared: &Prepared, legs: &Legs, words: &[ItemId], meaning: &[ItemId]) -> f64 {
    let first = |items: &[ItemId]| -> Vec<f64> {
        let items = items.iter().take(FIRST);
        items.map(|item| legs.share(*item)).collect()
    };
    let matched = first(words).into_iter().fold(0.0, f64::max);
    let near = first(meaning);
    let matched_near = near.iter().sum::<f64>() / near.len().max(1) as f64;
    let typed = prepared.typed as f64;
    0.9 * (1.0 - ramp(matched - matched_near, 0.3, 0.7))
        * (1.0 - 0.9 * unknown_share(legs))
        * (1.0 - 0.7 * ramp(matched, 0.8, 1.0) * ramp(typed, 2.0, 5.0))
}

/// 0 up to `low`, 1 from `high` on, and straight between.
fn ramp(x: f64, low: f64, high: f64) -> f64 {
    ((x - low) / (high - low)).clamp(0.0, 1.0)
}

/// The share of the query's weight that is on words no chunk holds.
fn unknown_share(legs: &Legs) -> f64 {
    let Some(found) = &legs.lexical else {
        return 0.0;
    };
    let all: f64 = found.weights.iter().sum();
    let unknown = found.weights.iter().zip(&found.holding);
    let unknown: f64 = unknown
        .filter(|(_, n)| **n == 0)
        .map(|(weight, _)| weight)
        .sum();
    if all > 0.0 { unknown / all } else { 0.0 }
}

/// What a text could score by word at most: each word more often than counts.
fn most_by_word(legs: &Legs) -> f64 {
    let weights = legs.lexical.iter().flat_map(|found| &found.weights);
    let most = weights.sum::<f64>() * (Ranking::default().k1 + 1.0);
    if most > 0.0 { most } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_goes_from_0_to_1() {
        let found: Vec<f64> = [0.0, 0.25, 0.5, 0.75, 9.0]
            .map(|x| ramp(x, 0.25, 0.75))
            .into();
        assert_eq!(found, [0.0, 0.0, 0.5, 1.0, 1.0]);
    }
}
