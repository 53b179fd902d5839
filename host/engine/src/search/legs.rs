//! Running the legs at the same time.

use std::collections::HashMap;
use std::thread;
use std::time::Instant;

use pkb_store::{Background, DenseMatches, ItemId, ItemMatch, LexicalMatches};

use super::{Mode, Prepared, SearchAnswer, SearchRequest, ms};
use crate::engine::{Engine, NOTHING_EMBEDDED};
use crate::error::Error;

/// Items that each leg is asked for: more than are fused, so that what one leg
/// thinks of an item of the other is mostly known.
const WIDE: usize = 1_000;

/// Why meaning is not looked for while the model is loaded.
const LOADING: &str = "Searched by word only: the model is being loaded, which takes a moment. Search again to find \
                       by meaning too.";

/// What the legs found; none for one that was not asked.
#[derive(Default)]
pub(super) struct Legs {
    pub(super) lexical: Option<LexicalMatches>,
    pub(super) dense: Option<DenseMatches>,
    lexical_place: HashMap<ItemId, usize>,
    dense_place: HashMap<ItemId, usize>,
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

    fn index(mut self) -> Self {
        let found = self.lexical.iter().flat_map(|found| &found.items);
        self.lexical_place = (0..)
            .zip(found)
            .map(|(at, own)| (own.found.item, at))
            .collect();
        let found = self.dense.iter().flat_map(|found| &found.items);
        self.dense_place = (0..).zip(found).map(|(at, own)| (own.item, at)).collect();
        self
    }

    /// An item in the lexical leg, with the share of the query's weight that
    /// its words match.
    pub(super) fn by_word(&self, item: ItemId) -> Option<(&ItemMatch, f64)> {
        let found = self.lexical.as_ref()?;
        let own = found.items.get(*self.lexical_place.get(&item)?)?;
        Some((&own.found, share(&own.words, &found.weights)))
    }

    /// The share of the query's weight that an item's words match, as far as
    /// the lexical leg knows it.
    pub(super) fn share(&self, item: ItemId) -> f64 {
        self.by_word(item).map_or(0.0, |(_, share)| share)
    }

    /// An item in the dense leg.
    pub(super) fn by_meaning(&self, item: ItemId) -> Option<&ItemMatch> {
        let found = self.dense.as_ref()?;
        found.items.get(*self.dense_place.get(&item)?)
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
        let depth = request.fusion.depth.max(WIDE);
        let lexical = || {
            let began = Instant::now();
            let _span = tracing::debug_span!("search.lexical").entered();
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
                let search = tracing::Span::current();
                let other = scope.spawn(move || search.in_scope(lexical));
                let dense = if self.preload.is_running() {
                    answer.notes.push(LOADING.into());
                    Ok(None)
                } else {
                    self.dense(prepared, depth, answer)
                };
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
        Ok(legs.index())
    }

    /// The dense leg; none, with a note that says why, where there are no
    /// vectors to compare with.
    fn dense(
        &self,
        prepared: &Prepared,
        depth: usize,
        answer: &mut SearchAnswer,
    ) -> Result<Option<DenseMatches>, Error> {
        let Some(own) = self.searchable_model(&mut answer.notes)? else {
            return Ok(None);
        };
        let began = Instant::now();
        let vector = tracing::debug_span!("search.embed")
            .in_scope(|| self.embed_query(&own.model, &prepared.query.text))?;
        answer.times.embed_ms = ms(began.elapsed());
        let began = Instant::now();
        let found = tracing::debug_span!("search.dense")
            .in_scope(|| self.store().dense(own.id, &vector, &prepared.filter, depth))?;
        answer.times.dense_ms = ms(began.elapsed());
        if found.all_missing {
            answer.notes.push(NOTHING_EMBEDDED.into());
            return Ok(None);
        }
        if own.missing.is_none() && found.missing > 0 {
            answer.notes.push(format!(
                "{} chunks have no vector yet and can only be found by word. `pkb sync` makes them.",
                found.missing
            ));
        }
        answer.freshness.vectors_missing = Some(own.missing.unwrap_or(found.missing));
        Ok(Some(found))
    }
}
