//! Searching by word: BM25 over the word index, by item.
//!
//! FTS5 holds the index, but does not rank: its `bm25` looks up each chunk's
//! length with a statement of its own, a microsecond for every chunk that holds
//! any of the words, and cannot count variants of one word as one. Here lengths
//! and lists are in memory.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::catalogue::Latest;
use super::eligible::{Eligible, Ids};
use super::postings::{Documents, Posting, Snapshot};
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
        catalogue: &Latest,
        query: &LexicalQuery,
        eligible: &Eligible,
        limit: usize,
    ) -> rusqlite::Result<LexicalMatches> {
        let mut answer = LexicalMatches {
            weights: vec![0.0; query.words.len()],
            holding: vec![0; query.words.len()],
            ..LexicalMatches::default()
        };
        if query.words.is_empty() || eligible.is_nothing() || limit == 0 {
            return Ok(answer);
        }
        let snapshot = Snapshot::present(conn, catalogue, &self.0)?;
        let chosen = chosen(conn, &query.words)?;
        let mut scores = Scores::new(&snapshot, &query.ranking, eligible.unseen());
        for (bit, &word) in chosen.iter().enumerate() {
            let (weight, holding) = scores.add(conn, &query.words[word], bit)?;
            answer.weights[word] = weight;
            answer.holding[word] = holding as u64;
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

/// What a word's weight and a chunk's length are measured by.
#[derive(Clone, Copy)]
struct Measures {
    /// Chunks that have terms.
    present: usize,
    /// Terms that these have on average.
    average_length: f64,
    /// Terms that items have on average.
    average_item_length: f64,
}

impl Measures {
    /// As if the items that are unseen were not there.
    fn of(documents: &Documents, unseen: Option<&Ids>) -> Self {
        let Some(unseen) = unseen else {
            return Self {
                present: documents.present,
                average_length: documents.average_length,
                average_item_length: documents.average_item_length,
            };
        };
        let seen: Vec<bool> = documents
            .items
            .iter()
            .map(|item| !unseen.contains(*item))
            .collect();
        let rows = documents.item_of.iter().zip(&documents.lengths);
        let present = rows
            .filter(|(item, length)| **length > 0 && seen[**item as usize])
            .count();
        let items = documents.item_lengths.iter().zip(&seen);
        let lengths = items.filter(|(length, seen)| **length > 0 && **seen);
        let (mut total, mut items) = (0_u64, 0_usize);
        for (length, _) in lengths {
            total += u64::from(*length);
            items += 1;
        }
        Self {
            present,
            average_length: total as f64 / present.max(1) as f64,
            average_item_length: total as f64 / items.max(1) as f64,
        }
    }
}

/// What chunks and items score, word after word.
struct Scores<'a> {
    snapshot: &'a Snapshot,
    ranking: &'a Ranking,
    /// Items whose chunks count nowhere.
    unseen: Option<&'a Ids>,
    measures: Measures,
    /// Of each chunk.
    score: Vec<f32>,
    /// Of each item, its text taken as a whole.
    whole: Vec<f32>,
    /// The words that each item holds, as bits.
    held: Vec<u128>,
    /// Chunks that hold any word, in no order.
    touched: Vec<u32>,
    /// Occurrences of the present word in the text of each chunk, and in its
    /// title and headings; all 0 between words.
    in_text: Vec<f32>,
    above_text: Vec<f32>,
    /// The same for items; titles and headings count once.
    in_item: Vec<f32>,
    above_item: Vec<f32>,
}

impl<'a> Scores<'a> {
    fn new(snapshot: &'a Snapshot, ranking: &'a Ranking, unseen: Option<&'a Ids>) -> Self {
        let chunks = snapshot.documents.lengths.len();
        let items = snapshot.documents.items.len();
        Self {
            snapshot,
            ranking,
            unseen,
            measures: Measures::of(&snapshot.documents, unseen),
            score: vec![0.0; chunks],
            whole: vec![0.0; items],
            held: vec![0; items],
            touched: Vec::new(),
            in_text: vec![0.0; chunks],
            above_text: vec![0.0; chunks],
            in_item: vec![0.0; items],
            above_item: vec![0.0; items],
        }
    }

    /// Adds what a word counts and gives back its inverse document frequency
    /// and how many chunks hold it.
    fn add(
        &mut self,
        conn: &Connection,
        word: &Word,
        bit: usize,
    ) -> rusqlite::Result<(f64, usize)> {
        let mut lists = Vec::with_capacity(word.any.len());
        for term in &word.any {
            lists.push(self.snapshot.list(conn, term)?);
        }
        if let Some(prefix) = &word.prefix {
            lists.push(self.snapshot.list_of_prefix(conn, prefix)?);
        }
        let lists: Vec<&[Posting]> = lists.iter().map(|list| list.as_slice()).collect();
        let mut holding = self.count(&lists, 1.0, Some(bit));
        if let Some((term, bonus)) = &word.exact {
            let list = self.snapshot.list(conn, term)?;
            let bit = lists.iter().all(|list| list.is_empty()).then_some(bit);
            holding = holding.max(self.count(&[&list], *bonus, bit));
        }
        Ok((self.rarity(holding), holding))
    }

    /// Adds `share` of what the chunks score that are in any of the lists, and
    /// says how many these are.
    fn count(&mut self, lists: &[&[Posting]], share: f64, bit: Option<usize>) -> usize {
        let ranking = *self.ranking;
        let documents = &self.snapshot.documents;
        let mut holding: Vec<u32> = Vec::with_capacity(lists.iter().map(|list| list.len()).sum());
        for posting in lists.iter().copied().flatten() {
            let row = posting.row as usize;
            if let Some(unseen) = self.unseen
                && unseen.contains(documents.items[documents.item_of[row] as usize])
            {
                continue;
            }
            if self.in_text[row] == 0.0 && self.above_text[row] == 0.0 {
                holding.push(posting.row);
            }
            let above = ranking.title * f64::from(posting.title)
                + ranking.headings * f64::from(posting.headings);
            self.above_text[row] += above as f32;
            // Never nothing, or the chunk would count twice.
            let text = ranking.body * f64::from(posting.body);
            self.in_text[row] += (text as f32).max(f32::MIN_POSITIVE);
        }
        let rarity = share * self.rarity(holding.len());
        let score = |occurrences: f32, length: u32, average: f64| {
            let occurrences = f64::from(occurrences);
            let length = f64::from(length) / average.max(1.0);
            let room = ranking.k1 * (1.0 - ranking.b + ranking.b * length);
            (rarity * occurrences * (ranking.k1 + 1.0) / (occurrences + room)) as f32
        };
        let mut items: Vec<u32> = Vec::new();
        for &at in &holding {
            let row = at as usize;
            let text = std::mem::take(&mut self.in_text[row]);
            let above = std::mem::take(&mut self.above_text[row]);
            if self.score[row] == 0.0 {
                self.touched.push(at);
            }
            self.score[row] += score(
                text + above,
                documents.lengths[row],
                self.measures.average_length,
            )
            .max(f32::MIN_POSITIVE);
            let item = documents.item_of[row];
            let in_item = &mut self.in_item[item as usize];
            if *in_item == 0.0 {
                items.push(item);
            }
            *in_item += text;
            let above_item = &mut self.above_item[item as usize];
            *above_item = above_item.max(above);
        }
        for &at in &items {
            let item = at as usize;
            let text = std::mem::take(&mut self.in_item[item]);
            let above = std::mem::take(&mut self.above_item[item]);
            let length = documents.item_lengths[item];
            self.whole[item] += score(text + above, length, self.measures.average_item_length);
            if let Some(bit) = bit {
                self.held[item] |= 1 << bit;
            }
        }
        holding.len()
    }

    /// The inverse document frequency of a word in so many chunks, in the form
    /// that is never negative: ln(1 + (N - n + 0.5) / (n + 0.5)).
    fn rarity(&self, holding: usize) -> f64 {
        let all = self.measures.present as f64;
        let holding = holding as f64;
        (1.0 + (all - holding + 0.5) / (holding + 0.5))
            .ln()
            .max(0.0)
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
        let mut found: Vec<u32> = Vec::new();
        for &row in &self.touched {
            let row = row as usize;
            let item = documents.item_of[row] as usize;
            if !eligible.contains_item(documents.items[item]) {
                continue;
            }
            if best[item] == 0.0 {
                found.push(item as u32);
            }
            best[item] = best[item].max(self.score[row]);
        }
        answer.total = found.len() as u64;
        let all = u128::MAX >> (u128::BITS - chosen.len().max(1) as u32);
        let mix = self.ranking.whole as f32;
        for &item in &found {
            let item = item as usize;
            best[item] = (1.0 - mix) * best[item] + mix * self.whole[item];
        }
        let held = &self.held;
        // Greater is better; ids ascend, as scores may tie.
        let key = |&item: &u32| {
            let at = item as usize;
            let score = best[at].to_bits(); // in the order of scores, which are not negative
            (Reverse((held[at] == all, score)), documents.items[at])
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
                let chunk = ChunkId(documents.catalogue.chunks()[row]);
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
