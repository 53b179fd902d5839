//! Items near to a given one.
//!
//! By meaning, two items are as near as their chunks are on average to the
//! chunk of the other that is nearest to them, seen from both sides: what both
//! speak of throughout counts more than one passage in common, and a long item
//! is not near to everything. Candidates are found by the item's mean vector
//! and by the vectors of its chunks, each a search of its own.

mod near;
mod words;

use std::collections::HashMap;

use pkb_store::{ChunkHit, ChunkId, Condition, Filter, Item, ItemId, ModelId, Test};
use serde::Serialize;

use self::near::{Vectors, nearness};
use crate::citation::{Citation, item_path};
use crate::engine::Engine;
use crate::error::Error;

/// Items shown, unless asked otherwise.
const LIMIT: usize = 10;
/// Items in an answer at most.
const MOST: usize = 100;
/// Items that each search brings, beyond those that are shown.
const SPARE: usize = 20;
/// Chunks of the item that are searched for, spread over all of it: each takes
/// a pass over all vectors.
const SEARCHES: usize = 8;

/// Items near to one.
#[derive(Clone, Debug, Serialize)]
pub struct SimilarAnswer {
    /// Number of the item.
    pub item: i64,
    /// `source/path`.
    pub path: String,
    /// Its title.
    pub title: String,
    /// `meaning`, or `words` where there are no vectors.
    pub by: &'static str,
    /// Items that say exactly the same, as `source/path`; they are not among
    /// the others.
    pub copies: Vec<String>,
    /// The nearest first.
    pub similar: Vec<Similar>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// An item near to another, cited at the place that is nearest to it.
#[derive(Clone, Debug, Serialize)]
pub struct Similar {
    /// The item and the chunk; the snippet is the chunk's beginning.
    #[serde(flatten)]
    pub citation: Citation,
    /// How near it is, at most 1; none where only words were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The most telling words that both hold, where words were compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Other items that say exactly the same as this one, as `source/path`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<String>,
}

/// An item that is near, before it is made readable.
struct Candidate {
    item: ItemId,
    chunk: ChunkId,
    similarity: Option<f64>,
    words: Vec<String>,
}

impl Engine {
    /// The items nearest to the one that `wanted` names, at most `limit`; 0
    /// counts as 10. By meaning where the item has vectors, otherwise by its
    /// most telling words; no model is needed for either.
    ///
    /// # Errors
    /// As [`Engine::find_item`].
    pub fn similar(&self, wanted: &str, limit: usize) -> Result<SimilarAnswer, Error> {
        let _span = tracing::info_span!("similar").entered();
        let item = self.find_item(wanted)?;
        let limit = match limit {
            0 => LIMIT,
            limit => limit.min(MOST),
        };
        let mut answer = SimilarAnswer {
            item: item.id.0,
            path: item_path(&item),
            title: item.title.clone(),
            by: "meaning",
            copies: Vec::new(),
            similar: Vec::new(),
            notes: Vec::new(),
        };
        let text = self.store().text(item.id)?;
        let text = text.map(|text| text.text).unwrap_or_default();
        if text.trim().is_empty() {
            answer
                .notes
                .push("It has no text that could be compared.".into());
            return Ok(answer);
        }
        let found = match self.own_vectors(item.id)? {
            Some((model, own)) => self.near_by_meaning(&item, model, &own, limit)?,
            None => {
                answer.by = "words";
                answer.notes.push(
                    "Compared by its most telling words only: it has no vectors. `pkb model pull` gets the model and `pkb sync` embeds with it."
                        .into(),
                );
                self.near_by_words(&item, &text, limit + SPARE)?
            }
        };
        self.show_similar(&item, &text, found, limit, &mut answer)?;
        Ok(answer)
    }

    /// The vectors of an item's chunks, of the model that searches use, or else
    /// of the one that has most.
    fn own_vectors(&self, item: ItemId) -> Result<Option<(ModelId, Vectors)>, Error> {
        let mut models: Vec<ModelId> = self.store().current_model()?.into_iter().collect();
        if models.is_empty() {
            let mut known = self.store().models()?;
            known.sort_by_key(|model| std::cmp::Reverse(model.present));
            models.extend(known.first().map(|model| model.id));
        }
        for model in models {
            let vectors = Vectors::new(self.store().item_vectors(model, item)?);
            if !vectors.is_empty() {
                return Ok(Some((model, vectors)));
            }
        }
        Ok(None)
    }

    fn near_by_meaning(
        &self,
        item: &Item,
        model: ModelId,
        own: &Vectors,
        limit: usize,
    ) -> Result<Vec<Candidate>, Error> {
        let filter = others(item.id);
        let store = self.store().beside(item.source_id);
        let mut ids: Vec<ItemId> = Vec::new();
        for query in own.queries(SEARCHES) {
            let found = store.dense(model, &query, &filter, limit + SPARE)?;
            ids.extend(found.items.iter().map(|found| found.item));
        }
        ids.sort_unstable();
        ids.dedup();
        let mut candidates = Vec::with_capacity(ids.len());
        for id in ids {
            let vectors = Vectors::new(self.store().item_vectors(model, id)?);
            if let Some((similarity, chunk)) = nearness(own, &vectors) {
                candidates.push(Candidate {
                    item: id,
                    chunk,
                    similarity: Some(similarity),
                    words: Vec::new(),
                });
            }
        }
        candidates.sort_by(|a, b| {
            let similarity = |of: &Candidate| of.similarity.unwrap_or_default();
            similarity(b)
                .total_cmp(&similarity(a))
                .then(a.item.cmp(&b.item))
        });
        // As many again as are shown, for those that say the same.
        candidates.truncate(limit + SPARE);
        Ok(candidates)
    }

    /// Makes the candidates readable, those that say exactly the same as one.
    fn show_similar(
        &self,
        item: &Item,
        text: &str,
        candidates: Vec<Candidate>,
        limit: usize,
        answer: &mut SimilarAnswer,
    ) -> Result<(), Error> {
        let chunks: Vec<ChunkId> = candidates.iter().map(|found| found.chunk).collect();
        let mut hits: HashMap<ItemId, ChunkHit> = self
            .store()
            .hits(&chunks)?
            .into_iter()
            .map(|hit| (hit.item.id, hit))
            .collect();
        let mut shown: HashMap<[u8; 32], usize> = HashMap::new();
        let own = content(text);
        for found in candidates {
            // An item may be gone since it was found.
            let Some(hit) = hits.remove(&found.item) else {
                continue;
            };
            let whole = self.store().text(found.item)?;
            let other = content(whole.as_ref().map_or("", |whole| &whole.text));
            if other == own || hit.item.content_hash == item.content_hash {
                answer.copies.push(item_path(&hit.item));
                continue;
            }
            if let Some(twin) = shown.get(&other) {
                answer.similar[*twin].same.push(item_path(&hit.item));
                continue;
            }
            if answer.similar.len() == limit {
                continue;
            }
            shown.insert(other, answer.similar.len());
            answer.similar.push(Similar {
                citation: Citation::of(&hit, whole.as_ref(), &[]),
                similarity: found.similarity,
                words: found.words,
                same: Vec::new(),
            });
        }
        Ok(())
    }
}

/// All items but one.
fn others(item: ItemId) -> Filter {
    Filter {
        conditions: vec![Condition {
            not: true,
            test: Test::Items(vec![item]),
        }],
        ..Filter::default()
    }
}

/// What is the same for texts that say the same.
fn content(text: &str) -> [u8; 32] {
    *blake3::hash(text.trim().as_bytes()).as_bytes()
}
