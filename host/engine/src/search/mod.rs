//! The way out: a query, two legs, one fused answer.

mod confidence;
mod fusing;
mod legs;
mod show;

use std::time::{Duration, Instant};

use pkb_store::{Condition, Filter, ItemId, ItemQuery, LexicalQuery, Millis, Order, Test};
use serde::{Deserialize, Serialize};
use tracing::field::Empty;

use self::legs::Legs;
use crate::citation::Citation;
use crate::engine::Engine;
use crate::error::Error;
use crate::place::Places;
use crate::query::{Query, Understood};
use crate::terms::{self, QueryWords};

pub use self::confidence::{Confidence, Level};

/// Items that each leg brings to the fusion, unless asked otherwise.
const DEPTH: usize = 200;
/// Items in an answer at most.
const MOST: usize = 100;
/// Searches for one answer at most, where what is found changes meanwhile.
const ATTEMPTS: u32 = 5;
/// Items taken beyond the limit, as some may be the same as others.
const SPARE: usize = 10;

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

impl Mode {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
            Mode::Dense => "dense",
        }
    }
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// What a person typed, in pkb's query language; see [`Query`].
    pub query: String,
    /// Items wanted at most; 0 counts as 10.
    pub limit: usize,
    /// Hits to pass over: those of the pages before.
    pub offset: usize,
    /// Which legs.
    pub mode: Mode,
    /// Which items count, besides what the query says.
    pub filter: Filter,
    /// How the legs are put together.
    pub fusion: Fusion,
}

/// How the legs are put together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fusion {
    /// Items that each leg brings; 0 counts as 200.
    pub depth: usize,
    /// The constant of reciprocal rank fusion; none for the component's own,
    /// 60.
    pub k: Option<f64>,
    /// Weights of the lexical and the dense leg; none to weigh them by the
    /// evidence of each query.
    pub weights: Option<(f64, f64)>,
    /// Half-life in days: an item that is new counts up to twice, one of this
    /// age one and a half times. None leaves time out.
    pub recency: Option<f64>,
}

/// The answer to a search.
#[derive(Clone, Debug, Serialize)]
pub struct SearchAnswer {
    /// What was looked for, without the parts that only choose items.
    pub query: String,
    /// How parts of the query were understood that are not plain words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub understood: Vec<Understood>,
    /// The legs that were asked.
    pub legs: Vec<LegSummary>,
    /// How sure the answer is.
    pub confidence: Confidence,
    /// How well it knows the present state of the sources.
    pub freshness: Freshness,
    /// Best first.
    pub hits: Vec<Hit>,
    /// Whether more were found than are wanted here.
    pub more: bool,
    /// What the reader should know: no model, vectors missing ...
    pub notes: Vec<String>,
    /// Where the time went.
    pub times: Times,
}

/// What a leg did for an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LegSummary {
    /// `lexical`, `dense`, or `both`: the items of the two, ranked by their
    /// scores together.
    pub name: &'static str,
    /// What its ranks counted in the fusion.
    pub weight: f64,
    /// Items it brought.
    pub items: usize,
}

/// How well an answer knows the present state of the sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Freshness {
    /// When the source was last gone through that was left alone longest, in
    /// milliseconds since 1970; none where one never was.
    pub last_sync: Option<Millis>,
    /// Chunks that can only be found by word so far; none where meaning was not
    /// looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors_missing: Option<u64>,
    /// Files that were found new, changed or gone, and that the answer does not
    /// know as they are.
    #[serde(skip_serializing_if = "is_zero")]
    pub waiting: u64,
    /// Sources that could not be looked at, or not in time, by name: what
    /// changed there since the last sync is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Time of each stage, in milliseconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Times {
    /// Looking at the sources beforehand.
    pub look_ms: f64,
    /// Taking the query apart.
    pub analyze_ms: f64,
    /// The lexical leg.
    pub lexical_ms: f64,
    /// Tokenizing and embedding the query.
    pub embed_ms: f64,
    /// Scanning the vectors.
    pub dense_ms: f64,
    /// Fusing the legs.
    pub fuse_ms: f64,
    /// Reading and cutting what is shown.
    pub show_ms: f64,
    /// Everything.
    pub total_ms: f64,
}

/// An item that was found, cited at its best chunk.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// The item and the chunk; the snippet is the part that matched.
    #[serde(flatten)]
    pub citation: Citation,
    /// When the original was last changed, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<i64>,
    /// How sure it is that this item is meant.
    pub confidence: Level,
    /// Why it was found.
    pub why: Why,
    /// Other chunks of the same item that were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Also>,
    /// Other items that say nearly the same in the chunk they were found by,
    /// as `source/path`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<String>,
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
    /// Share of the query's weight that the item's words match, from 0 to 1.
    pub share: f64,
    /// Words of the query as they stand in the chunk and its headings.
    pub matched: Vec<String>,
}

/// Another chunk of a hit's item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Also {
    /// Its number.
    pub chunk: i64,
    /// Its headings.
    pub headings: Vec<String>,
    /// Where it stands.
    pub place: Places,
}

/// A query with its words as the word index has them.
struct Prepared {
    query: Query,
    lexical: LexicalQuery,
    /// Terms of the phrases that must be there.
    phrases: Vec<String>,
    /// What the query and the request ask of an item.
    filter: Filter,
    /// Words as typed, those of phrases included.
    typed: usize,
    /// The words that are names made of several, by their number.
    names: Vec<usize>,
}

/// What was found, before it is made readable.
struct Ranking {
    prepared: Prepared,
    legs: Legs,
    /// Best first.
    fused: Vec<(ItemId, Why)>,
}

impl Engine {
    /// Finds what fits `request`.
    ///
    /// # Errors
    /// When the database cannot be read, a source does not exist, or dense
    /// search was asked for and there is no model. What a person typed is never
    /// an error.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchAnswer, Error> {
        let began = Instant::now();
        let mode = request.mode.name();
        let span = tracing::info_span!("search", mode, hits = Empty, verdict = Empty).entered();
        let limit = match request.limit {
            0 => 10,
            limit => limit.min(MOST),
        };
        let mut attempts = ATTEMPTS;
        loop {
            attempts -= 1;
            let (mut answer, ranking) = self.rank(request, limit)?;
            let mut lost = false;
            if let Some(Ranking {
                prepared,
                legs,
                fused,
            }) = ranking
            {
                let showing = Instant::now();
                let end = request.offset.saturating_add(limit);
                let wanted = &fused[..fused.len().min(end.saturating_add(SPARE))];
                let shown = self.show(&prepared, &legs, wanted, request.offset..end)?;
                answer.more = shown.more || wanted.len() < fused.len();
                (answer.hits, lost) = (shown.hits, shown.lost);
                answer.times.show_ms = ms(showing.elapsed());
                span.record("verdict", answer.confidence.level.name());
                span.record("hits", answer.hits.len());
            }
            // An item that was stored anew between the two would be missing,
            // though it is there.
            if lost && attempts > 0 {
                continue;
            }
            answer.times.total_ms = ms(began.elapsed());
            return Ok(answer);
        }
    }

    /// The items that fit `request`, best first and not more than its limit,
    /// with all that an answer says but the hits. Items that say nearly the
    /// same stand beside one another here.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub(crate) fn ranked(
        &self,
        request: &SearchRequest,
    ) -> Result<(SearchAnswer, Vec<ItemId>), Error> {
        let (answer, ranking) = self.rank(request, request.limit)?;
        let fused = ranking.map(|ranking| ranking.fused).unwrap_or_default();
        let items = fused.into_iter().map(|(item, _)| item);
        Ok((answer, items.take(request.limit).collect()))
    }

    /// Everything but the hits; no ranking where nothing is looked for.
    fn rank(
        &self,
        request: &SearchRequest,
        limit: usize,
    ) -> Result<(SearchAnswer, Option<Ranking>), Error> {
        let began = Instant::now();
        self.know_sources(&request.filter)?;
        let query = Query::parse(&request.query);
        let mut answer = SearchAnswer {
            query: query.text.clone(),
            understood: query.understood.clone(),
            legs: Vec::new(),
            confidence: Confidence::default(),
            freshness: self.freshness()?,
            hits: Vec::new(),
            more: false,
            notes: query.notes.clone(),
            times: Times::default(),
        };
        self.note_unknown_sources(&query, &mut answer)?;
        let mut prepared =
            tracing::debug_span!("search.parse").in_scope(|| self.prepare(query, request))?;
        answer.times.analyze_ms = ms(began.elapsed());
        if prepared.query.is_empty() {
            self.browse_instead(&prepared.filter, request.offset, limit, &mut answer)?;
            return Ok((answer, None));
        }
        let mut legs = self.legs(request, &prepared, &mut answer)?;
        if legs.is_empty() && !prepared.phrases.is_empty() {
            // Quoted from memory: better near it than nothing.
            self.drop_phrases(&mut prepared, request, &mut answer);
            legs = self.legs(request, &prepared, &mut answer)?;
        }

        let fusing = Instant::now();
        let fused = tracing::debug_span!("search.fuse")
            .in_scope(|| self.fuse(request, &prepared, &legs, &mut answer))?;
        answer.times.fuse_ms = ms(fusing.elapsed());
        answer.confidence = confidence::of(&prepared, &legs, &fused);
        let ranking = Ranking {
            prepared,
            legs,
            fused,
        };
        Ok((answer, Some(ranking)))
    }

    /// Has the words and phrases analyzed.
    fn prepare(&self, query: Query, request: &SearchRequest) -> Result<Prepared, Error> {
        let mut texts = vec![query.words.join(" ")];
        texts.extend(query.phrases.iter().map(|phrase| phrase.text.clone()));
        let mut prepared = Prepared {
            filter: request.filter.clone(),
            lexical: LexicalQuery::default(),
            phrases: Vec::new(),
            typed: query.words.len(),
            names: Vec::new(),
            query,
        };
        prepared
            .filter
            .conditions
            .extend(prepared.query.conditions.iter().cloned());
        if texts.iter().all(String::is_empty) {
            return Ok(prepared);
        }
        let mut analyzed = self.components().analyzer()?.analyze(&texts)?.into_iter();
        let mut words = QueryWords::default();
        words.add(&texts[0], &analyzed.next().unwrap_or_default());
        for (phrase, terms) in prepared.query.phrases.iter().zip(analyzed) {
            let any = terms::phrase(&terms);
            if any.is_empty() {
                continue;
            }
            prepared.filter.conditions.push(Condition {
                not: phrase.not,
                test: Test::Terms(any.clone()),
            });
            if !phrase.not {
                prepared.phrases.extend(any);
                prepared.typed += phrase.text.split_whitespace().count();
                words.add(&phrase.text, &terms);
            }
        }
        prepared.lexical.words = words.all;
        prepared.names = words.names;
        Ok(prepared)
    }

    /// A source that is not there finds nothing, which deserves a word. It is an
    /// error only where a program asks for it.
    fn note_unknown_sources(&self, query: &Query, answer: &mut SearchAnswer) -> Result<(), Error> {
        for condition in &query.conditions {
            match self.know_sources(&condition.test.clone().into()) {
                Err(Error::NotFound { what, hint, .. }) => {
                    let what = what.replacen("there", "There", 1);
                    answer.notes.push(format!("{what}. {hint}"));
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Takes the phrases that must be there as words.
    fn drop_phrases(
        &self,
        prepared: &mut Prepared,
        request: &SearchRequest,
        answer: &mut SearchAnswer,
    ) {
        let phrases: Vec<String> = prepared
            .query
            .phrases
            .iter()
            .filter(|phrase| !phrase.not)
            .map(|phrase| format!("\"{}\"", phrase.text))
            .collect();
        let own = request.filter.conditions.len() + prepared.query.conditions.len();
        let mut at = 0;
        prepared.filter.conditions.retain(|condition| {
            at += 1;
            at <= own || condition.not
        });
        prepared.phrases.clear();
        answer.notes.push(format!(
            "Nothing holds {} word for word; this is what holds the words.",
            phrases.join(" and ")
        ));
    }

    /// Where nothing is looked for, the latest of what is eligible.
    fn browse_instead(
        &self,
        filter: &Filter,
        offset: usize,
        limit: usize,
        answer: &mut SearchAnswer,
    ) -> Result<(), Error> {
        if filter.is_empty() {
            answer
                .notes
                .push("The query holds no word to look for.".into());
            return Ok(());
        }
        let page = self.store().items(&ItemQuery {
            filter: filter.clone(),
            order: Order::Recent,
            offset: offset as u64,
            limit: limit as u64,
            ..ItemQuery::default()
        })?;
        answer.notes.push(format!(
            "The query holds no word to look for: these are the latest of {} that fit.",
            page.total
        ));
        let passed = offset.saturating_add(page.entries.len()) as u64;
        answer.more = !page.entries.is_empty() && passed < page.total;
        for item in &page.entries {
            answer.hits.extend(self.opening(item)?);
        }
        Ok(())
    }

    fn freshness(&self) -> Result<Freshness, Error> {
        let last = self.store().last_syncs()?;
        Ok(Freshness {
            last_sync: last
                .into_iter()
                .map(|(source, run)| source.looked.or(run.and_then(|run| run.finished)))
                .min()
                .flatten(),
            ..Freshness::default()
        })
    }
}

pub(crate) fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}
