//! What the terms of a text have to be like.

mod identifiers;
mod languages;
mod limits;
mod properties;
mod scripts;
mod vaults;
mod words;

use crate::{MAX_TERM_BYTES, Term};

/// The terms of one text, checked for what holds for every text.
fn analyze(text: &str) -> Vec<Term> {
    let mut terms = crate::analyze(&[text]).unwrap();
    assert_eq!(terms.len(), 1);
    let terms = terms.remove(0);
    assert_sound(text, &terms);
    terms
}

fn assert_sound(text: &str, terms: &[Term]) {
    let mut next = 0;
    for term in terms {
        let Term {
            text: own,
            span,
            position,
        } = term;
        assert!(
            !own.is_empty() && own.len() <= MAX_TERM_BYTES,
            "{} bytes",
            own.len()
        );
        assert!(
            !own.contains(|c: char| c.is_whitespace() || c.is_control()),
            "{}",
            own.escape_debug()
        );
        assert!(
            text.get(span.clone())
                .is_some_and(|original| !original.is_empty()),
            "{span:?} is not from the text"
        );
        assert!(
            *position == next || *position + 1 == next,
            "{position} at {span:?} comes after position {next} was to begin"
        );
        next = position + 1;
    }
    for pair in terms.windows(2) {
        assert!(
            pair[0].position == pair[1].position || pair[0].span.start <= pair[1].span.start,
            "{pair:?} go back"
        );
    }
}

/// The terms position by position, for comparing.
fn written(text: &str) -> String {
    joined(analyze(text))
}

/// The same without stems, which depend on the language of the text.
fn unstemmed(text: &str) -> String {
    let mut terms = analyze(text);
    terms.retain(|term| !is_stem(term));
    joined(terms)
}

fn is_stem(term: &Term) -> bool {
    term.text
        .strip_prefix('~')
        .is_some_and(|stem| stem.chars().all(char::is_alphabetic))
}

fn joined(terms: Vec<Term>) -> String {
    let mut written = String::new();
    let mut position = 0;
    for term in terms {
        if !written.is_empty() {
            written.push_str(if term.position == position {
                " "
            } else {
                " | "
            });
        }
        position = term.position;
        written.push_str(&term.text);
    }
    written
}

/// What of `document` a word of the query finds, as the crate's description
/// says to ask: for each position of the query the longest stretch found.
fn found<'a>(query: &str, document: &'a str) -> Vec<Option<&'a str>> {
    let query = analyze(query);
    let document_terms = analyze(document);
    let words = query.last().map_or(0, |term| term.position + 1);
    (0..words)
        .map(|position| {
            let variants: Vec<&Term> = query
                .iter()
                .filter(|term| term.position == position)
                .collect();
            document_terms
                .iter()
                .filter(|term| {
                    variants
                        .iter()
                        .any(|variant| matches(variant, variants.len(), term))
                })
                .map(|term| &document[term.span.clone()])
                .max_by_key(|stretch| stretch.len())
        })
        .collect()
}

fn matches(variant: &Term, variants: usize, term: &Term) -> bool {
    match variant.text.strip_suffix('*') {
        Some(character) if variants == 1 => term.text.starts_with(character),
        Some(_) => false,
        None => variant.text == term.text,
    }
}

/// Asserts that every word of the query is in the document, and where.
#[track_caller]
fn assert_finds(query: &str, document: &str, stretches: &[&str]) {
    let stretches: Vec<Option<&str>> = stretches.iter().copied().map(Some).collect();
    assert_eq!(
        found(query, document),
        stretches,
        "{query:?} in {document:?}"
    );
}
