//! Texts and queries as the word index takes them: the analyzer's terms, laid
//! out so that words, their stems and phrases can all be found.

use std::collections::HashSet;
use std::ops::Range;

use pkb_runtime::{Analyzer, CallError, Term};
use pkb_store::{Analyzable, Terms, Word};

use crate::engine::Engine;
use crate::error::Error;

/// Grows when the same text would be laid out in other terms by the same
/// analyzer.
const LAYOUT: u32 = 1;
/// Before a stem, as the analyzer writes it.
const STEM: char = '~';
/// After the last character of a run, as the analyzer writes it.
const LAST: char = '*';
/// Bytes of text that are handed to the analyzer at once.
const AT_ONCE: usize = 1 << 20;
/// What share of its own score the very form of a word counts on top of all its
/// forms: on SciFact's training queries more does no good.
const SAME_FORM: f64 = 0.1;
impl Engine {
    /// Says with what the terms of the word index are made, for
    /// [`Store::rebuild_terms`](pkb_store::Store::rebuild_terms).
    pub(crate) fn terms_version(&self) -> Result<u32, Error> {
        let analyzer = self.components().analyzer()?;
        let mut hash = blake3::Hasher::new();
        hash.update(analyzer.info().sha256.as_bytes());
        hash.update(&LAYOUT.to_le_bytes());
        let [a, b, c, d, ..] = *hash.finalize().as_bytes();
        // 0 says that there are no terms yet.
        Ok(u32::from_le_bytes([a, b, c, d]).max(1))
    }

    /// Makes the word index anew from the texts.
    pub(crate) fn rebuild_terms(&self) -> Result<(), Error> {
        let _span = tracing::info_span!("store.terms").entered();
        let version = self.terms_version()?;
        let analyzer = self.components().analyzer()?;
        self.everything()
            .rebuild_terms(version, &mut |item, chunks| {
                terms(&analyzer, item, chunks).unwrap_or_else(|error| {
                    tracing::warn!("{:?} cannot be found by word: {error}", item.title);
                    vec![Terms::default(); chunks.len()]
                })
            })?;
        Ok(())
    }

    /// Makes the word index anew where another analyzer made it, or none yet.
    pub(crate) fn update_terms(&self) -> Result<(), Error> {
        if self.everything().terms_made_by()? != self.terms_version()? {
            tracing::info!("making the word index anew");
            self.rebuild_terms()?;
        }
        Ok(())
    }
}

/// The terms of an item's chunks, given their spans and headings. Aliases and
/// tags go with the first chunk alone: an item with many of both must not take
/// the one times the other.
pub(crate) fn terms(
    analyzer: &Analyzer,
    item: Analyzable<'_>,
    chunks: &[(Range<u64>, &[String])],
) -> Result<Vec<Terms>, CallError> {
    if chunks.is_empty() {
        return Ok(Vec::new());
    }
    let mut texts = vec![
        item.title.to_owned(),
        item.aliases.join("\n"),
        item.tags.join("\n"),
    ];
    let mut made: Vec<String> = Vec::new();
    let mut bytes = 0;
    let mut last: Option<&[String]> = None;
    for (span, own) in chunks {
        // Many chunks stand under the same headings.
        let headings = match last {
            Some(known) if known == *own => String::new(),
            _ => own.join("\n"),
        };
        last = Some(own);
        let body = &item.text[span.start as usize..span.end as usize];
        bytes += headings.len() + body.len();
        texts.push(headings);
        texts.push(body.to_owned());
        if bytes > AT_ONCE {
            made.extend(lay_out(analyzer, &texts)?);
            texts.clear();
            bytes = 0;
        }
    }
    made.extend(lay_out(analyzer, &texts)?);

    let mut made = made.into_iter();
    let title = made.next().unwrap_or_default();
    let mut aliases = made.next().unwrap_or_default();
    let mut tags = made.next().unwrap_or_default();
    let mut headings = String::new();
    let mut all = Vec::with_capacity(chunks.len());
    let mut previous: Option<&[String]> = None;
    for (_, own) in chunks {
        let (analyzed, body) = (made.next(), made.next());
        if previous != Some(*own) {
            headings = analyzed.unwrap_or_default();
        }
        previous = Some(*own);
        all.push(Terms {
            title: joined(&title, &std::mem::take(&mut aliases)),
            headings: joined(&headings, &std::mem::take(&mut tags)),
            body: body.unwrap_or_default(),
        });
    }
    Ok(all)
}

fn joined(one: &str, other: &str) -> String {
    match (one, other) {
        (one, "") => one.to_owned(),
        ("", other) => other.to_owned(),
        (one, other) => format!("{one} {other}"),
    }
}

fn lay_out(analyzer: &Analyzer, texts: &[String]) -> Result<Vec<String>, CallError> {
    let analyzed = analyzer.analyze(texts)?;
    Ok(analyzed.iter().map(|terms| column(terms)).collect())
}

/// One text's terms as they are indexed: first the first term of each position,
/// so that these stand one after the other as the words do and phrases can be
/// found; then all other variants. A stem that is the word itself is left out.
fn column(terms: &[Term]) -> String {
    let mut column = String::with_capacity(terms.iter().map(|term| term.text.len() + 1).sum());
    let mut push = |text: &str| {
        if !column.is_empty() {
            column.push(' ');
        }
        column.push_str(text);
    };
    for variants in positions(terms) {
        push(&variants[0].text);
    }
    for variants in positions(terms) {
        for variant in &variants[1..] {
            let bare = variant.text.strip_prefix(STEM);
            if bare.is_none_or(|stem| variants.iter().all(|other| other.text != stem)) {
                push(&variant.text);
            }
        }
    }
    column
}

/// The terms of each position; none of them is empty.
fn positions(terms: &[Term]) -> impl Iterator<Item = &[Term]> {
    terms.chunk_by(|a, b| a.position == b.position)
}

/// The words of a query, each different one once.
#[derive(Default)]
pub(crate) struct QueryWords {
    pub(crate) all: Vec<Word>,
    /// Those that are names made of several words, by their number.
    pub(crate) names: Vec<usize>,
}

impl QueryWords {
    /// Adds the words of a text, given its terms.
    pub(crate) fn add(&mut self, text: &str, terms: &[Term]) {
        for variants in positions(terms) {
            // A name is looked for as a whole too: that its parts stand
            // somewhere does not say that it does.
            let first = &variants[0];
            let written = &text[first.span.start as usize..first.span.end as usize];
            if plain(variants).count() > 1 && is_name(written) {
                let whole = Word {
                    any: vec![first.text.clone()],
                    ..Word::default()
                };
                if self.push(whole) {
                    self.names.push(self.all.len() - 1);
                }
            }
            self.push(word(variants));
        }
    }

    fn push(&mut self, word: Word) -> bool {
        let new = !self.all.contains(&word);
        if new {
            self.all.push(word);
        }
        new
    }
}

/// The forms of a word that are no stems: the word last, and before it names
/// that it is part of.
fn plain(variants: &[Term]) -> impl Iterator<Item = &str> {
    variants
        .iter()
        .map(|variant| variant.text.as_str())
        .filter(|text| !text.starts_with(STEM) && last_of_run(text).is_none())
}

/// Whether what is written looks like an identifier, a version, an option, an
/// address: not two words with a hyphen or slash between, or an article before
/// an apostrophe.
fn is_name(written: &str) -> bool {
    let letters = written.chars().any(char::is_alphabetic);
    letters
        && (written.chars().any(char::is_numeric)
            || written.contains(['_', '.', '@', '+', '#'])
            || written.contains("::")
            || written.starts_with(['-', '/'])
            || written
                .chars()
                .zip(written.chars().skip(1))
                .any(|(a, b)| a.is_lowercase() && b.is_uppercase()))
}

/// How a word of a query is looked for.
pub(crate) fn word(variants: &[Term]) -> Word {
    // A character inside a run only begins pairs.
    if let [only] = variants
        && let Some(character) = last_of_run(&only.text)
    {
        return Word {
            prefix: Some(character.to_owned()),
            ..Word::default()
        };
    }
    let plain: Vec<&str> = plain(variants).collect();
    let mut any: Vec<String> = Vec::new();
    for stem in variants
        .iter()
        .filter_map(|variant| variant.text.strip_prefix(STEM))
    {
        // The word that is its own stem has no other; see `column`.
        any.push(format!("{STEM}{stem}"));
        any.push(stem.to_owned());
    }
    // The last is the word; those before are names that it is part of.
    let Some(&last) = plain.last() else {
        return Word {
            any,
            ..Word::default()
        };
    };
    if any.is_empty() {
        any.push(last.to_owned());
    }
    let form = if plain.len() > 1 { plain[0] } else { last };
    let exact = (any[0] != form).then(|| (form.to_owned(), SAME_FORM));
    Word {
        any,
        prefix: None,
        exact,
    }
}

fn last_of_run(term: &str) -> Option<&str> {
    term.strip_suffix(LAST).filter(|rest| !rest.is_empty())
}

/// A phrase as it is looked for: the first term of each position, parted by
/// spaces; empty where there is no word in it. For a single word, all its
/// variants, as `any` of them will do.
pub(crate) fn phrase(terms: &[Term]) -> Vec<String> {
    let firsts: Vec<&str> = positions(terms)
        .map(|variants| variants[0].text.as_str())
        .collect();
    match firsts.as_slice() {
        [] => Vec::new(),
        [first] => {
            let mut any = vec![(*first).to_owned()];
            any.extend(last_of_run(first).map(str::to_owned));
            any
        }
        several => vec![several.join(" ")],
    }
}

/// Where the words of a query stand in a text, given the text's terms: byte
/// ranges, ascending, apart from one another.
pub(crate) struct Highlighter<'a> {
    terms: HashSet<&'a str>,
    prefixes: Vec<&'a str>,
}

impl<'a> Highlighter<'a> {
    pub(crate) fn new(words: &'a [Word], phrases: &'a [String]) -> Self {
        let of_words = words.iter().flat_map(|word| {
            let exact = word.exact.as_ref().map(|(term, _)| term);
            word.any.iter().chain(exact).map(String::as_str)
        });
        Highlighter {
            terms: of_words
                .chain(phrases.iter().flat_map(|phrase| phrase.split(' ')))
                .collect(),
            prefixes: words
                .iter()
                .filter_map(|word| word.prefix.as_deref())
                .collect(),
        }
    }

    pub(crate) fn ranges(&self, terms: &[Term]) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = terms
            .iter()
            .filter(|term| {
                self.terms.contains(term.text.as_str())
                    || self
                        .prefixes
                        .iter()
                        .any(|prefix| term.text.starts_with(prefix))
            })
            .map(|term| term.span.start as usize..term.span.end as usize)
            .collect();
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        ranges.dedup_by(|next, kept| {
            let touches = next.start < kept.end;
            if touches {
                kept.end = kept.end.max(next.end);
            }
            touches
        });
        ranges
    }
}
