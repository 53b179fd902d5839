//! An item's most telling words, as a query.

use std::collections::HashMap;

use pkb_store::{Item, LexicalQuery, Word};

use super::{Candidate, others};
use crate::engine::Engine;
use crate::error::Error;
use crate::terms;

/// Bytes of an item's text that are looked at.
const READ: usize = 64 << 10;
/// Words that may be telling: the most frequent ones, in the title first.
const CONSIDERED: usize = 120;
/// Words that are searched for.
const TELLING: usize = 24;
/// What a word in the title counts, in occurrences in the text.
const TITLE: usize = 3;

impl Engine {
    /// The items that hold most of the words that tell `item` from the others:
    /// those with the highest product of the frequency in the item and the
    /// inverse document frequency (Spärck Jones 1972).
    pub(super) fn near_by_words(
        &self,
        item: &Item,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Candidate>, Error> {
        let text = &text[..text.floor_char_boundary(READ)];
        let counted = self.counted_words(&item.title, text)?;
        let filter = others(item.id);
        let store = self.store().beside(item.source_id);
        let mut query = LexicalQuery {
            words: counted.iter().map(|(word, ..)| word.clone()).collect(),
            ..LexicalQuery::default()
        };
        // What the words weigh is known after a search for them.
        let weights = store.lexical(&query, &filter, 1)?.weights;
        let mut telling: Vec<(f64, usize)> = counted
            .iter()
            .zip(weights)
            .enumerate()
            .map(|(at, ((_, _, count), weight))| (weight * (1.0 + (*count as f64).ln()), at))
            .filter(|(worth, _)| *worth > 0.0)
            .collect();
        telling.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        telling.truncate(TELLING);
        let chosen: Vec<&(Word, String, usize)> =
            telling.iter().map(|(_, at)| &counted[*at]).collect();
        query.words = chosen.iter().map(|(word, ..)| word.clone()).collect();
        let found = store.lexical(&query, &filter, limit)?;
        let candidate = |own: pkb_store::LexicalMatch| {
            let (chunk, _) = *own.found.chunks.first()?;
            let held = own.words.iter().filter_map(|at| chosen.get(*at));
            Some(Candidate {
                item: own.found.item,
                chunk,
                similarity: None,
                words: held.map(|(_, shown, _)| shown.clone()).collect(),
            })
        };
        Ok(found.items.into_iter().filter_map(candidate).collect())
    }

    /// The words of an item as they are searched for, as they are written and
    /// how often they stand there, the most frequent first.
    fn counted_words(&self, title: &str, text: &str) -> Result<Vec<(Word, String, usize)>, Error> {
        let texts = [title.to_owned(), text.to_owned()];
        let analyzed = self.components().analyzer()?.analyze(&texts)?;
        let mut counted: Vec<(Word, String, usize)> = Vec::new();
        let mut places: HashMap<Vec<String>, usize> = HashMap::new();
        for ((whole, terms), times) in texts.iter().zip(&analyzed).zip([TITLE, 1]) {
            for variants in terms.chunk_by(|a, b| a.position == b.position) {
                let span = variants[0].span.start as usize..variants[0].span.end as usize;
                let shown = whole.get(span).unwrap_or_default();
                // A number tells little, and a lone letter nothing.
                if shown.chars().nth(1).is_none() || !shown.chars().any(char::is_alphabetic) {
                    continue;
                }
                let word = terms::word(variants);
                if word.any.is_empty() {
                    continue;
                }
                let at = *places.entry(word.any.clone()).or_insert(counted.len());
                match counted.get_mut(at) {
                    Some((.., count)) => *count += times,
                    None => counted.push((word, shown.to_lowercase(), times)),
                }
            }
        }
        counted.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
        counted.truncate(CONSIDERED);
        Ok(counted)
    }
}
