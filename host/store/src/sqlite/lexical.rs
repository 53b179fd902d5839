//! Searching by word: BM25 over the word index, by item.
//!
//! FTS5 holds the index, but does not rank: its `bm25` looks up each chunk's
//! length with a statement of its own, a microsecond for every chunk that holds
//! any of the words, and cannot count variants of one word as one. Here lengths
//! and lists are in memory.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::filter::Eligible;
use super::postings::{Posting, Snapshot};
use crate::{
    ChunkId, ItemId, ItemMatch, LexicalMatch, LexicalMatches, LexicalQuery, Ranking, Word,
};

/// Different words of a query that count; of more, the rarest do.
const WORDS: usize = 128;

/// Searches by word; see the module.
#[derive(Debug, Default)]
pub(super) struct WordIndex(Mutex<Option<Arc<Snapshot>>>);

impl WordIndex {
    /// The best `limit` items. `conn` is inside a transaction.
    pub(super) fn search(
        &self,
        conn: &Connection,
        query: &LexicalQuery,
        eligible: &Eligible,
        limit: usize,
    ) -> rusqlite::Result<LexicalMatches> {
        let mut answer = LexicalMatches {
            weights: vec![0.0; query.words.len()],
            ..LexicalMatches::default()
        };
        if query.words.is_empty() || eligible.is_nothing() || limit == 0 {
            return Ok(answer);
        }
        let snapshot = Snapshot::present(conn, &self.0)?;
        let chosen = chosen(conn, &query.words)?;
        let mut scores = Scores::new(&snapshot, &query.ranking);
        for (bit, &word) in chosen.iter().enumerate() {
            answer.weights[word] = scores.add(conn, &query.words[word], bit)?;
        }
        scores.best(eligible, &chosen, limit, &mut answer);
        Ok(answer)
    }
}

/// The numbers of the words that count, each different one once.
fn chosen(conn: &Connection, words: &[Word]) -> rusqlite::Result<Vec<usize>> {
    let mut chosen: Vec<usize> = (0..words.len())
        .filter(|&at| !words[..at].contains(&words[at]) || at >= 4 * WORDS)
        .collect();
    if chosen.len() <= WORDS {
        return Ok(chosen);
    }
    let mut select = conn.prepare_cached("SELECT doc FROM vocabulary WHERE term = ?1")?;
    let mut by_rarity = Vec::with_capacity(chosen.len());
    for &at in &chosen {
        let mut holding = 0_i64;
        for term in &words[at].any {
            let mut rows = select.query([term])?;
            if let Some(row) = rows.next()? {
                holding += row.get::<_, i64>(0)?;
            }
        }
        // What is nowhere finds nothing.
        if holding > 0 {
            by_rarity.push((holding, at));
        }
    }
    by_rarity.sort_unstable();
    by_rarity.truncate(WORDS);
    chosen = by_rarity.into_iter().map(|(_, at)| at).collect();
    chosen.sort_unstable();
    Ok(chosen)
}

/// What the chunks score, word after word.
struct Scores<'a> {
    snapshot: &'a Snapshot,
    ranking: &'a Ranking,
    /// Of each chunk.
    score: Vec<f32>,
    /// The words that each chunk holds, as bits.
    held: Vec<u128>,
    /// Chunks that hold any word, in no order.
    touched: Vec<u32>,
    /// Occurrences of the present word in each chunk; all 0 between words.
    occurrences: Vec<f32>,
}

impl<'a> Scores<'a> {
    fn new(snapshot: &'a Snapshot, ranking: &'a Ranking) -> Self {
        let count = snapshot.documents.chunks.len();
        Self {
            snapshot,
            ranking,
            score: vec![0.0; count],
            held: vec![0; count],
            touched: Vec::new(),
            occurrences: vec![0.0; count],
        }
    }

    /// Adds what a word counts and gives back its inverse document frequency.
    fn add(&mut self, conn: &Connection, word: &Word, bit: usize) -> rusqlite::Result<f64> {
        let mut lists = Vec::with_capacity(word.any.len());
        for term in &word.any {
            lists.push(self.snapshot.list(conn, term)?);
        }
        if let Some(prefix) = &word.prefix {
            lists.push(self.snapshot.list_of_prefix(conn, prefix)?);
        }
        let lists: Vec<&[Posting]> = lists.iter().map(|list| list.as_slice()).collect();
        let frequency = self.count(&lists, 1.0, Some(bit));
        if let Some((term, bonus)) = &word.exact {
            let list = self.snapshot.list(conn, term)?;
            // A form that only the query has says nothing of the word.
            let found = self.count(&[&list], *bonus, (!lists_hold(&lists)).then_some(bit));
            return Ok(self.rarity(frequency.max(found)));
        }
        Ok(self.rarity(frequency))
    }

    /// Adds `share` of what the chunks score that are in any of the lists, and
    /// says how many these are.
    fn count(&mut self, lists: &[&[Posting]], share: f64, bit: Option<usize>) -> usize {
        let ranking = self.ranking;
        let mut holding: Vec<u32> = Vec::with_capacity(lists.iter().map(|list| list.len()).sum());
        for posting in lists.iter().copied().flatten() {
            let occurrences = &mut self.occurrences[posting.row as usize];
            if *occurrences == 0.0 {
                holding.push(posting.row);
            }
            let weighed = ranking.title * f64::from(posting.title)
                + ranking.headings * f64::from(posting.headings)
                + ranking.body * f64::from(posting.body);
            // Never nothing, or the chunk would count twice.
            *occurrences += (weighed as f32).max(f32::MIN_POSITIVE);
        }
        let rarity = share * self.rarity(holding.len());
        let documents = &self.snapshot.documents;
        let average = documents.average_length.max(1.0);
        for &row in &holding {
            let row_at = row as usize;
            let occurrences = f64::from(std::mem::take(&mut self.occurrences[row_at]));
            let length = f64::from(documents.lengths[row_at]) / average;
            let room = ranking.k1 * (1.0 - ranking.b + ranking.b * length);
            let score = rarity * occurrences * (ranking.k1 + 1.0) / (occurrences + room);
            if self.held[row_at] == 0 && self.score[row_at] == 0.0 {
                self.touched.push(row);
            }
            self.score[row_at] += score as f32;
            if let Some(bit) = bit {
                self.held[row_at] |= 1 << bit;
            }
        }
        holding.len()
    }

    /// The inverse document frequency of a word in so many chunks, in the form
    /// that is never negative: ln(1 + (N - n + 0.5) / (n + 0.5)).
    fn rarity(&self, holding: usize) -> f64 {
        let (all, holding) = (self.score.len() as f64, holding as f64);
        (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
    }

    /// Gathers the chunks by item and keeps the best items.
    fn best(
        &self,
        eligible: &Eligible,
        chosen: &[usize],
        limit: usize,
        answer: &mut LexicalMatches,
    ) {
        let documents = &self.snapshot.documents;
        let mut best: Vec<f32> = vec![0.0; documents.items.len()];
        let mut held: Vec<u128> = vec![0; documents.items.len()];
        let mut found: Vec<u32> = Vec::new();
        for &row in &self.touched {
            let row = row as usize;
            if !eligible.contains(documents.chunks[row]) {
                continue;
            }
            let item = documents.item_of[row] as usize;
            if held[item] == 0 && best[item] == 0.0 {
                found.push(item as u32);
            }
            best[item] = best[item].max(self.score[row]);
            held[item] |= self.held[row];
        }
        answer.total = found.len() as u64;
        let all = u128::MAX >> (u128::BITS - chosen.len().max(1) as u32);
        let all_first = chosen.len() <= self.ranking.all_first;
        // Greater is better; ids ascend, as scores may tie.
        let key = |&item: &u32| {
            let at = item as usize;
            let complete = all_first && held[at] == all;
            let score = best[at].to_bits(); // in the order of scores, which are not negative
            (Reverse((complete, score)), documents.items[at])
        };
        if found.len() > limit {
            found.select_nth_unstable_by_key(limit, key);
            found.truncate(limit);
        }
        found.sort_unstable_by_key(key);

        let mut place: Vec<u32> = vec![u32::MAX; documents.items.len()];
        for (at, &item) in found.iter().enumerate() {
            place[item as usize] = at as u32;
            answer.items.push(LexicalMatch {
                found: ItemMatch {
                    item: ItemId(documents.items[item as usize]),
                    score: f64::from(best[item as usize]),
                    chunks: Vec::new(),
                },
                words: (0..chosen.len())
                    .filter(|bit| held[item as usize] >> bit & 1 == 1)
                    .map(|bit| chosen[bit])
                    .collect(),
            });
        }
        for &row in &self.touched {
            let row = row as usize;
            let at = place[documents.item_of[row] as usize];
            if let Some(item) = answer.items.get_mut(at as usize) {
                let chunk = ChunkId(documents.chunks[row]);
                item.found.chunks.push((chunk, f64::from(self.score[row])));
            }
        }
        for item in &mut answer.items {
            let chunks = &mut item.found.chunks;
            chunks.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            chunks.truncate(ItemMatch::CHUNKS);
        }
    }
}

fn lists_hold(lists: &[&[Posting]]) -> bool {
    lists.iter().any(|list| !list.is_empty())
}
