//! Running the legs at the same time, weighing and fusing them.

use std::thread;
use std::time::Instant;

use pkb_runtime::Leg;
use pkb_store::{Background, DenseMatches, ItemId, ItemMatch, LexicalMatches};

use super::{DEPTH, LegSummary, Mode, Prepared, SearchAnswer, SearchRequest, Why, ms};
use crate::engine::Engine;
use crate::error::Error;

/// What the legs found; none for one that was not asked.
#[derive(Default)]
pub(super) struct Legs {
    pub(super) lexical: Option<LexicalMatches>,
    pub(super) dense: Option<DenseMatches>,
}

impl Legs {
    pub(super) fn is_empty(&self) -> bool {
        self.lexical
            .as_ref()
            .is_none_or(|found| found.items.is_empty())
            && self
                .dense
                .as_ref()
                .is_none_or(|found| found.items.is_empty())
    }

    /// An item in the lexical leg, with the share of the query's weight that
    /// its words match.
    pub(super) fn by_word(&self, item: ItemId) -> Option<(&ItemMatch, f64)> {
        let found = self.lexical.as_ref()?;
        let own = found.items.iter().find(|own| own.found.item == item)?;
        Some((&own.found, share(&own.words, &found.weights)))
    }

    /// An item in the dense leg.
    pub(super) fn by_meaning(&self, item: ItemId) -> Option<&ItemMatch> {
        let found = self.dense.as_ref()?;
        found.items.iter().find(|own| own.item == item)
    }

    pub(super) fn background(&self) -> Background {
        self.dense
            .as_ref()
            .map(|found| found.background)
            .unwrap_or_default()
    }
}

/// The share of the weight of all words that these have.
pub(super) fn share(words: &[usize], weights: &[f64]) -> f64 {
    let all: f64 = weights.iter().sum();
    let held: f64 = words.iter().filter_map(|&word| weights.get(word)).sum();
    if all > 0.0 { held / all } else { 0.0 }
}

impl Engine {
    /// Both legs at the same time.
    pub(super) fn legs(
        &self,
        request: &SearchRequest,
        prepared: &Prepared,
        answer: &mut SearchAnswer,
    ) -> Result<Legs, Error> {
        let depth = match request.fusion.depth {
            0 => DEPTH,
            depth => depth,
        };
        let lexical = || {
            let began = Instant::now();
            let found = self
                .store()
                .lexical(&prepared.lexical, &prepared.filter, depth)?;
            Ok::<_, Error>((found, ms(began.elapsed())))
        };
        let mut legs = Legs::default();
        match request.mode {
            Mode::Lexical => {
                let (found, took) = lexical()?;
                answer.times.lexical_ms = took;
                legs.lexical = Some(found);
            }
            Mode::Dense => {
                legs.dense = self.dense(prepared, depth, answer)?;
                if legs.dense.is_none() {
                    return Err(Error::NotFound {
                        what: "there are no vectors to search by meaning".into(),
                        near: Vec::new(),
                        hint: "`pkb model pull` gets the model and `pkb sync` embeds with it."
                            .into(),
                    });
                }
            }
            Mode::Hybrid => thread::scope(|scope| {
                let other = scope.spawn(lexical);
                let dense = self.dense(prepared, depth, answer);
                let (found, took) = match other.join() {
                    Ok(result) => result?,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                answer.times.lexical_ms = took;
                legs.lexical = Some(found);
                // What is wrong with a model must not take the words away.
                legs.dense = dense.unwrap_or_else(|error| {
                    answer.notes.push(format!("Searched by word only: {error}"));
                    None
                });
                Ok::<_, Error>(())
            })?,
        }
        Ok(legs)
    }

    /// The dense leg; none, with a note that says why, where there are no
    /// vectors to compare with.
    fn dense(
        &self,
        prepared: &Prepared,
        depth: usize,
        answer: &mut SearchAnswer,
    ) -> Result<Option<DenseMatches>, Error> {
        let Some((id, model)) = self.searchable_model(&mut answer.notes)? else {
            return Ok(None);
        };
        let began = Instant::now();
        let vector = self.embed_query(&model, &prepared.query.text)?;
        answer.times.embed_ms = ms(began.elapsed());
        let began = Instant::now();
        let found = self.store().dense(id, &vector, &prepared.filter, depth)?;
        answer.times.dense_ms = ms(began.elapsed());
        Ok(Some(found))
    }

    /// Fuses the legs: items, not chunks, as that one chunk of a note has the
    /// words and another the meaning speaks for the note.
    pub(super) fn fuse(
        &self,
        request: &SearchRequest,
        legs: &Legs,
        answer: &mut SearchAnswer,
    ) -> Result<Vec<(ItemId, Why)>, Error> {
        let (lexical_weight, dense_weight) =
            request.fusion.weights.unwrap_or_else(|| weights(legs));
        let lexical = legs.lexical.as_ref().map(|found| {
            let items = found.items.iter().map(|own| own.found.item);
            leg("lexical", lexical_weight, items)
        });
        let dense = legs.dense.as_ref().map(|found| {
            let items = found.items.iter().map(|own| own.item);
            leg("dense", dense_weight, items)
        });
        let asked: Vec<Leg> = lexical.into_iter().chain(dense).collect();
        answer.legs = asked
            .iter()
            .map(|leg| LegSummary {
                name: if leg.name == "lexical" {
                    "lexical"
                } else {
                    "dense"
                },
                weight: leg.weight,
                items: leg.ids.len(),
            })
            .collect();
        let most = asked.iter().map(|leg| leg.ids.len()).sum::<usize>();
        let settings = match request.fusion.k {
            Some(k) => serde_json::json!({ "k": k }).to_string(),
            None => "{}".into(),
        };
        let limit = u32::try_from(most).unwrap_or(u32::MAX);
        let fused = self.components().fuser()?.fuse(&asked, limit, &settings)?;
        let mut all: Vec<(ItemId, Why)> = fused
            .into_iter()
            .map(|entry| {
                let item = ItemId(entry.id.cast_signed());
                let mut why = Why {
                    score: entry.score,
                    ..Why::default()
                };
                for (leg, rank) in asked.iter().zip(entry.ranks) {
                    if leg.name == "lexical" {
                        why.lexical_rank = rank;
                    } else {
                        why.dense_rank = rank;
                    }
                }
                if let Some((own, share)) = legs.by_word(item) {
                    (why.lexical_score, why.share) = (Some(own.score), share);
                }
                why.dense_score = legs.by_meaning(item).map(|own| own.score);
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

fn leg(name: &str, weight: f64, items: impl Iterator<Item = ItemId>) -> Leg {
    Leg {
        name: name.to_owned(),
        weight,
        ids: items.map(|item| item.0.cast_unsigned()).collect(),
    }
}

/// Weights of the lexical and the dense leg by the evidence of this query.
fn weights(_legs: &Legs) -> (f64, f64) {
    (1.0, 1.0)
}
