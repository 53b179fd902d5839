//! What a person typed -> what is looked for. No input is ever an error.

use pkb_store::Condition;
use serde::Serialize;

/// The longest query that is taken whole, in bytes; the rest is left out.
const LONGEST: usize = 64 << 10;

/// A query, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// As typed, trimmed and without control characters.
    pub text: String,
    /// Words to look for.
    pub words: Vec<String>,
    /// Phrases.
    pub phrases: Vec<Phrase>,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// Echo.
    pub understood: Vec<Understood>,
}

/// A phrase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// It must not be there.
    pub not: bool,
    /// As typed.
    pub text: String,
}

/// How a part of the query was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Understood {
    /// As typed.
    pub as_typed: String,
    /// What it means.
    pub meaning: String,
}

impl Query {
    /// Takes `input` apart.
    pub fn parse(input: &str) -> Query {
        let text = clean(input);
        let mut terms = Vec::new();
        let mut phrases = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('"') {
            words(before, &mut terms);
            match after.split_once('"') {
                Some((phrase, after)) => {
                    phrases.push(Phrase {
                        not: false,
                        text: phrase.into(),
                    });
                    rest = after;
                }
                None => {
                    rest = after;
                    break;
                }
            }
        }
        words(rest, &mut terms);
        if terms.iter().any(|term| !is_stopword(term)) {
            terms.retain(|term| !is_stopword(term));
        }
        Query {
            text,
            words: terms,
            phrases,
            ..Query::default()
        }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }
}

/// English function words, as a person would type them.
const STOPWORDS: [&str; 62] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me",
    "my", "no", "not", "of", "on", "or", "our", "should", "so", "some", "such", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we", "were",
    "what", "when", "where", "which", "who", "why", "will", "with", "you",
];

fn is_stopword(term: &str) -> bool {
    let bare = term.trim_matches(|c: char| !c.is_alphanumeric());
    // `IT` and `Who` are more likely names than function words.
    bare.chars().skip(1).all(|c| !c.is_uppercase())
        && STOPWORDS
            .iter()
            .any(|stopword| bare.eq_ignore_ascii_case(stopword))
}

fn words(text: &str, terms: &mut Vec<String>) {
    for word in text.split_whitespace() {
        push(word, terms);
    }
}

fn push(term: &str, terms: &mut Vec<String>) {
    if term.chars().any(char::is_alphanumeric) {
        terms.push(term.to_owned());
    }
}

fn clean(input: &str) -> String {
    let mut end = input.len().min(LONGEST);
    while !input.is_char_boundary(end) {
        end -= 1;
    }
    let plain: String = input[..end]
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.trim().to_owned()
}
