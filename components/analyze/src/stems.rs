//! Stems of words, remembered: the same words come again and again.

use std::collections::HashMap;

use frostem::{Algorithm, Stemmer};

use crate::fold::{fold, lower};
use crate::language::Languages;

/// Begins the term of a stem. No other term is this mark and letters alone.
const MARK: char = '~';

/// Words remembered for each stemmer.
const REMEMBERED: usize = 1 << 14;

/// Longer words are no words of a language, in bytes.
const LONGEST: usize = 64;

#[derive(Default)]
pub(crate) struct Stems {
    /// By stemmer; a call needs few of them.
    known: Vec<(Algorithm, HashMap<String, String>)>,
}

impl Stems {
    /// The terms for the stems of a word that stands in a text as `raw`; none
    /// for a number, a letter, and scripts without a stemmer.
    pub(crate) fn of(
        &mut self,
        raw: &str,
        folded: &str,
        languages: &Languages,
    ) -> [Option<String>; 2] {
        if folded.len() < 2 || raw.len() > LONGEST || folded.contains(char::is_numeric) {
            return [None, None];
        }
        let first = raw.chars().next().unwrap_or_default();
        languages
            .stemmers(first)
            .map(|algorithm| Some(self.stem(algorithm?, raw, folded)))
    }

    fn stem(&mut self, algorithm: Algorithm, raw: &str, folded: &str) -> String {
        let mut place = self.known.iter().position(|(other, _)| *other == algorithm);
        let place = *place.get_or_insert_with(|| {
            self.known.push((algorithm, HashMap::new()));
            self.known.len() - 1
        });
        let known = &mut self.known[place].1;
        if raw.is_ascii() {
            return remembered(known, algorithm, folded);
        }
        remembered(known, algorithm, &lower(raw))
    }
}

fn remembered(known: &mut HashMap<String, String>, algorithm: Algorithm, word: &str) -> String {
    if let Some(stem) = known.get(word) {
        return stem.clone();
    }
    let stem = Stemmer::new(algorithm).stem(word);
    let mut term = String::from(MARK);
    term.push_str(&fold(&stem));
    if known.len() >= REMEMBERED {
        known.clear();
    }
    known.insert(word.to_owned(), term.clone());
    term
}
