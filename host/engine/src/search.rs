//! The way out: a query, two legs, one fused answer.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::thread;
use std::time::{Duration, Instant};

use pkb_runtime::Leg;
use pkb_store::{ChunkHit, ChunkId, Filter, Item, ItemId, LexicalQuery};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::Error;
use crate::place::Places;
use crate::query::Query;
use crate::snippet::Snippet;

/// How many chunks each leg brings to the fusion.
const DEPTH: usize = 200;
/// How many where those are of too few items: one long log can fill a leg.
const DEEPER: usize = 5_000;
/// Length of a snippet, in bytes.
const SNIPPET: usize = 320;

/// Which legs are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By word and by meaning.
    #[default]
    Hybrid,
    /// By word alone.
    Lexical,
    /// By meaning alone.
    Dense,
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// What a person typed.
    pub query: String,
    /// Items wanted at most; 0 counts as 10.
    pub limit: usize,
    /// Which legs.
    pub mode: Mode,
    /// Which items count.
    pub filter: Filter,
}

/// The answer to a search.
#[derive(Clone, Debug, Serialize)]
pub struct SearchAnswer {
    /// The query as it was taken.
    pub query: String,
    /// The legs that were asked, `lexical` or `dense`.
    pub legs: Vec<&'static str>,
    /// Best first.
    pub hits: Vec<Hit>,
    /// What the reader should know: no model, vectors missing ...
    pub notes: Vec<String>,
    /// Where the time went.
    pub times: Times,
}

/// Time of each stage, in milliseconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Times {
    /// The lexical leg.
    pub lexical_ms: f64,
    /// Tokenizing and embedding the query.
    pub embed_ms: f64,
    /// Scanning the vectors.
    pub dense_ms: f64,
    /// Fusing the legs.
    pub fuse_ms: f64,
    /// Everything.
    pub total_ms: f64,
}

/// An item that was found, cited at its best chunk.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// Number of the item, for `get`.
    pub item: i64,
    /// `source/path`, for people and for `get`.
    pub path: String,
    /// The item's title.
    pub title: String,
    /// Where it can be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When the original was last changed, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<i64>,
    /// Headings that the chunk stands under, outermost first.
    pub headings: Vec<String>,
    /// Where the chunk stands in the original.
    pub place: Places,
    /// The part of the chunk that matched.
    pub snippet: Snippet,
    /// Why it was found.
    pub why: Why,
    /// Other chunks of the same item that were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Also>,
}

/// Why an item was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Why {
    /// The fused score; comparable within one answer only.
    pub score: f64,
    /// Rank among the items of the lexical leg, from 1.
    pub lexical_rank: Option<u32>,
    /// BM25 of the item's best chunk there; higher is better.
    pub lexical_score: Option<f64>,
    /// Rank among the items of the dense leg, from 1.
    pub dense_rank: Option<u32>,
    /// Cosine similarity of the item's best chunk there to the query.
    pub dense_score: Option<f64>,
    /// Words of the query that the chunk holds.
    pub matched: Vec<String>,
}

/// Another chunk of a hit's item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Also {
    /// Its headings.
    pub headings: Vec<String>,
    /// Where it stands.
    pub place: Places,
}

type Ranked = Vec<(ChunkId, f64)>;

impl Engine {
    /// Finds what fits `request`.
    ///
    /// # Errors
    /// When the database cannot be read, a source does not exist, or dense
    /// search was asked for and there is no model. What a person typed is never
    /// an error.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchAnswer, Error> {
        let began = Instant::now();
        let query = Query::parse(&request.query);
        let limit = if request.limit == 0 {
            10
        } else {
            request.limit.min(100)
        };
        self.know_sources(&request.filter)?;
        let filter = request.filter.clone();
        let mut answer = SearchAnswer {
            query: query.text.clone(),
            legs: Vec::new(),
            hits: Vec::new(),
            notes: Vec::new(),
            times: Times::default(),
        };
        if query.is_empty() {
            answer
                .notes
                .push("The query holds no word to look for.".into());
            return Ok(answer);
        }
        let lexical_query = LexicalQuery::any(query.terms.clone());
        let mut legs = self.legs(
            request.mode,
            &query,
            &lexical_query,
            &filter,
            DEPTH,
            &mut answer,
        )?;
        let mut found = self.group(&legs)?;
        if found.len() < limit && legs.iter().any(|(_, ranked)| ranked.len() == DEPTH) {
            answer.notes.clear();
            legs = self.legs(
                request.mode,
                &query,
                &lexical_query,
                &filter,
                DEEPER,
                &mut answer,
            )?;
            found = self.group(&legs)?;
        }

        let fusing = Instant::now();
        answer.legs = legs.iter().map(|(name, _)| *name).collect();
        let fused = self.fuse(&legs, &found)?;
        answer.times.fuse_ms = ms(fusing.elapsed());

        answer.hits = self.show(&lexical_query, &found, &fused[..fused.len().min(limit)])?;
        answer.times.total_ms = ms(began.elapsed());
        Ok(answer)
    }

    /// Both legs at the same time.
    fn legs(
        &self,
        mode: Mode,
        query: &Query,
        lexical_query: &LexicalQuery,
        filter: &Filter,
        depth: usize,
        answer: &mut SearchAnswer,
    ) -> Result<Vec<(&'static str, Ranked)>, Error> {
        let lexical = || {
            let began = Instant::now();
            let ranked = self.store().lexical(lexical_query, filter, depth)?;
            Ok::<_, Error>((ranked, ms(began.elapsed())))
        };
        match mode {
            Mode::Lexical => {
                let (ranked, took) = lexical()?;
                answer.times.lexical_ms = took;
                Ok(vec![("lexical", ranked)])
            }
            Mode::Dense => match self.dense(&query.text, filter, depth, answer)? {
                Some(ranked) => Ok(vec![("dense", ranked)]),
                None => Err(Error::NotFound {
                    what: "there are no vectors to search by meaning".into(),
                    near: Vec::new(),
                    hint: "`pkb model pull` gets the model and `pkb sync` embeds with it.".into(),
                }),
            },
            Mode::Hybrid => thread::scope(|scope| {
                let other = scope.spawn(lexical);
                let dense = self.dense(&query.text, filter, depth, answer);
                let (ranked, took) = match other.join() {
                    Ok(result) => result?,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                answer.times.lexical_ms = took;
                // What is wrong with a model must not take the words away.
                let dense = dense.unwrap_or_else(|error| {
                    answer.notes.push(format!("Searched by word only: {error}"));
                    None
                });
                let mut legs = vec![("lexical", ranked)];
                legs.extend(dense.map(|ranked| ("dense", ranked)));
                Ok(legs)
            }),
        }
    }

    /// The dense leg; none, with a note that says why, where there are no
    /// vectors to compare with.
    fn dense(
        &self,
        query: &str,
        filter: &Filter,
        depth: usize,
        answer: &mut SearchAnswer,
    ) -> Result<Option<Ranked>, Error> {
        let Some((id, model)) = self.searchable_model(&mut answer.notes)? else {
            return Ok(None);
        };
        let began = Instant::now();
        let vector = self.embed_query(&model, query)?;
        answer.times.embed_ms = ms(began.elapsed());
        let began = Instant::now();
        let found = self.store().dense(id, &vector, filter, depth)?;
        answer.times.dense_ms = ms(began.elapsed());
        Ok(Some(
            found
                .items
                .into_iter()
                .flat_map(|item| item.chunks)
                .collect(),
        ))
    }

    /// The chunks of the legs by item, each item's best first: best is what has
    /// the best rank in any leg.
    fn group(
        &self,
        legs: &[(&'static str, Ranked)],
    ) -> Result<HashMap<ItemId, Vec<ChunkHit>>, Error> {
        let mut best: HashMap<ChunkId, usize> = HashMap::new();
        for (_, ranked) in legs {
            for (rank, (id, _)) in ranked.iter().enumerate() {
                let known = best.entry(*id).or_insert(rank);
                *known = rank.min(*known);
            }
        }
        let mut ids: Vec<(usize, ChunkId)> =
            best.into_iter().map(|(id, rank)| (rank, id)).collect();
        ids.sort_unstable();
        let ids: Vec<ChunkId> = ids.into_iter().map(|(_, id)| id).collect();
        let mut groups: HashMap<ItemId, Vec<ChunkHit>> = HashMap::new();
        for chunk in self.store().hits(&ids)? {
            groups.entry(chunk.item.id).or_default().push(chunk);
        }
        Ok(groups)
    }

    /// Fuses items, not chunks: that one chunk of a note has the words and
    /// another the meaning speaks for the note. An item's rank in a leg is that
    /// of its best chunk among the items there.
    fn fuse(
        &self,
        legs: &[(&'static str, Ranked)],
        found: &HashMap<ItemId, Vec<ChunkHit>>,
    ) -> Result<Vec<(ItemId, Why)>, Error> {
        let item_of: HashMap<ChunkId, ItemId> = found
            .values()
            .flatten()
            .map(|chunk| (chunk.chunk.id, chunk.item.id))
            .collect();
        let mut scores: Vec<HashMap<ItemId, f64>> = Vec::new();
        let mut wit: Vec<Leg> = Vec::new();
        for (name, ranked) in legs {
            let mut score_of = HashMap::new();
            let mut leg = Leg {
                name: (*name).to_owned(),
                weight: 1.0,
                ids: Vec::new(),
            };
            for (chunk, score) in ranked {
                let Some(item) = item_of.get(chunk) else {
                    continue;
                };
                if let Entry::Vacant(entry) = score_of.entry(*item) {
                    entry.insert(*score);
                    leg.ids.push(item.0.cast_unsigned());
                }
            }
            scores.push(score_of);
            wit.push(leg);
        }
        let limit = u32::try_from(found.len()).unwrap_or(u32::MAX);
        let fused = self.components().fuser()?.fuse(&wit, limit, "{}")?;
        Ok(fused
            .into_iter()
            .map(|entry| {
                let item = ItemId(entry.id.cast_signed());
                let mut why = Why {
                    score: entry.score,
                    ..Why::default()
                };
                for (((name, _), scores), rank) in legs.iter().zip(&scores).zip(entry.ranks) {
                    let score = scores.get(&item).copied();
                    if *name == "lexical" {
                        (why.lexical_rank, why.lexical_score) = (rank, score);
                    } else {
                        (why.dense_rank, why.dense_score) = (rank, score);
                    }
                }
                (item, why)
            })
            .collect())
    }

    /// Makes items readable, each cited at its best chunk.
    fn show(
        &self,
        lexical: &LexicalQuery,
        found: &HashMap<ItemId, Vec<ChunkHit>>,
        fused: &[(ItemId, Why)],
    ) -> Result<Vec<Hit>, Error> {
        let groups: Vec<(&Vec<ChunkHit>, &Why)> = fused
            .iter()
            .filter_map(|(item, why)| Some((found.get(item)?, why)))
            .collect();
        let texts: Vec<&str> = groups
            .iter()
            .map(|(group, _)| group[0].text.as_str())
            .collect();
        let matches = self.store().highlights(lexical, &texts)?;
        let mut hits = Vec::with_capacity(groups.len());
        for ((group, why), matches) in groups.into_iter().zip(matches) {
            let best = &group[0];
            hits.push(Hit {
                item: best.item.id.0,
                path: item_path(&best.item),
                title: best.item.title.clone(),
                url: best.item.url.clone(),
                modified: best.item.modified,
                headings: best.chunk.headings.clone(),
                place: self.place(best)?,
                snippet: Snippet::around(&best.text, &matches, SNIPPET),
                why: Why {
                    matched: matched(&best.text, &matches),
                    ..why.clone()
                },
                also: group[1..]
                    .iter()
                    .take(3)
                    .map(|chunk| {
                        Ok(Also {
                            headings: chunk.chunk.headings.clone(),
                            place: self.place(chunk)?,
                        })
                    })
                    .collect::<Result<_, Error>>()?,
            });
        }
        Ok(hits)
    }

    fn place(&self, hit: &ChunkHit) -> Result<Places, Error> {
        let whole = self.store().text(hit.item.id)?;
        let span = hit.chunk.span.start as usize..hit.chunk.span.end as usize;
        Ok(whole
            .map(|whole| Places::of(&whole.text, &whole.marks, &span))
            .unwrap_or_default())
    }
}

/// `source/path`: what names an item for people.
pub(crate) fn item_path(item: &Item) -> String {
    format!("{}/{}", item.source, item.external_id)
}

/// The matched words as they stand in the text, each once.
fn matched(text: &str, matches: &[std::ops::Range<usize>]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for range in matches {
        let word = text[range.clone()].to_lowercase();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}
