//! Items made readable: cited at their best chunk, with what matched in it.

use std::collections::HashMap;
use std::ops::Range;

use pkb_runtime::Term;
use pkb_store::{ChunkHit, ChunkId, Item, ItemId, ItemMatch};

use super::legs::Legs;
use super::{Also, Hit, Level, Prepared, Why, confidence};
use crate::citation::{Citation, item_path, place};
use crate::engine::Engine;
use crate::error::Error;
use crate::resemblance::Sketch;
use crate::terms::Highlighter;

/// Chunks of one item that an answer mentions, beside the best.
const ALSO: usize = 3;
/// The share of terms two chunks must have in common to say nearly the same ...
const SAME: f64 = 0.9;
/// ... if they have at least so many different ones; fewer are alike by chance.
const SAME_FROM: usize = 8;

/// Some of the hits.
pub(super) struct Page {
    pub(super) hits: Vec<Hit>,
    /// Whether others come after them.
    pub(super) more: bool,
    /// Whether some are no longer there as they were found.
    pub(super) lost: bool,
}

/// The terms of a chunk's text, and of its headings.
type Analyzed = (Vec<Term>, Vec<Term>);

/// An item with the chunks it was found by, the best first.
struct Shown<'a> {
    chunks: Vec<ChunkHit>,
    terms: Vec<Term>,
    heading_terms: Vec<Term>,
    why: &'a Why,
    same: Vec<String>,
}

impl Engine {
    /// The hits for the items, in their order, from the one to the other.
    pub(super) fn show(
        &self,
        prepared: &Prepared,
        legs: &Legs,
        fused: &[(ItemId, Why)],
        wanted: Range<usize>,
    ) -> Result<Page, Error> {
        let _span = tracing::debug_span!("search.show").entered();
        let ranked: Vec<Vec<ChunkId>> = fused
            .iter()
            .map(|(item, _)| best_chunks(*item, legs))
            .collect();
        let ids: Vec<ChunkId> = ranked.iter().flatten().copied().collect();
        let mut found: HashMap<ChunkId, ChunkHit> = self
            .store()
            .hits(&ids)?
            .into_iter()
            .map(|hit| (hit.chunk.id, hit))
            .collect();
        let mut lost = false;
        let mut shown: Vec<Shown<'_>> = Vec::new();
        for ((_, why), ids) in fused.iter().zip(&ranked) {
            let chunks: Vec<ChunkHit> = ids.iter().filter_map(|id| found.remove(id)).collect();
            // An item may be gone since it was found, or have other chunks.
            if chunks.is_empty() {
                lost |= !ids.is_empty();
            } else {
                shown.push(Shown {
                    chunks,
                    terms: Vec::new(),
                    heading_terms: Vec::new(),
                    why,
                    same: Vec::new(),
                });
            }
        }
        let highlighter = Highlighter::new(&prepared.lexical.words, &prepared.phrases);
        self.analyze_shown(&mut shown, &highlighter)?;
        let mut shown = fold_same(shown);
        let more = shown.len() > wanted.end;
        shown.truncate(wanted.end);
        let hits: Result<Vec<Hit>, Error> = shown
            .iter()
            .skip(wanted.start)
            .map(|shown| {
                let mut hit = self.hit(shown, &highlighter)?;
                hit.confidence = confidence::of_hit(prepared, legs, &hit.why);
                Ok(hit)
            })
            .collect();
        Ok(Page {
            hits: hits?,
            more,
            lost,
        })
    }

    /// Has the best chunks analyzed. Where the text of one holds no word of the
    /// query though the item was found by words, the others are too, and the
    /// first that does goes first.
    fn analyze_shown(
        &self,
        shown: &mut [Shown<'_>],
        highlighter: &Highlighter<'_>,
    ) -> Result<(), Error> {
        let best = shown.iter().map(|shown| &shown.chunks[0]);
        let mut analyzed = self.analyze_chunks(best)?.into_iter();
        for shown in &mut *shown {
            (shown.terms, shown.heading_terms) = analyzed.next().unwrap_or_default();
        }
        let holds = |terms: &[Term]| !highlighter.ranges(terms).is_empty();
        let mut wordless: Vec<&mut Shown<'_>> = shown
            .iter_mut()
            .filter(|shown| shown.why.lexical_rank.is_some() && !holds(&shown.terms))
            .collect();
        let others = wordless.iter().flat_map(|shown| &shown.chunks[1..]);
        let mut analyzed = self.analyze_chunks(others)?.into_iter();
        for shown in &mut wordless {
            let others: Vec<_> = analyzed.by_ref().take(shown.chunks.len() - 1).collect();
            let mut others = others.into_iter().enumerate();
            if let Some((at, terms)) = others.find(|(_, (body, _))| holds(body)) {
                shown.chunks.swap(0, at + 1);
                (shown.terms, shown.heading_terms) = terms;
            }
        }
        Ok(())
    }

    /// The terms of each chunk's text, and of its headings.
    fn analyze_chunks<'a>(
        &self,
        chunks: impl Iterator<Item = &'a ChunkHit>,
    ) -> Result<Vec<Analyzed>, Error> {
        let texts: Vec<String> = chunks
            .flat_map(|chunk| [chunk.text.clone(), chunk.chunk.headings.join("\n")])
            .collect();
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let mut analyzed = self.components().analyzer()?.analyze(&texts)?.into_iter();
        let mut pairs = Vec::with_capacity(texts.len() / 2);
        while let (Some(text), Some(headings)) = (analyzed.next(), analyzed.next()) {
            pairs.push((text, headings));
        }
        Ok(pairs)
    }

    fn hit(&self, shown: &Shown<'_>, highlighter: &Highlighter<'_>) -> Result<Hit, Error> {
        let best = &shown.chunks[0];
        let matches = highlighter.ranges(&shown.terms);
        let headings = best.chunk.headings.join("\n");
        let mut matched: Vec<String> = Vec::new();
        for (text, ranges) in [
            (best.text.as_str(), &matches),
            (&headings, &highlighter.ranges(&shown.heading_terms)),
        ] {
            for range in ranges {
                let word = text[range.clone()].to_lowercase();
                if !matched.contains(&word) {
                    matched.push(word);
                }
            }
        }
        let whole = self.store().text(best.item.id)?;
        let also = shown.chunks[1..].iter().take(ALSO).map(|chunk| Also {
            chunk: chunk.chunk.id.0,
            headings: chunk.chunk.headings.clone(),
            place: place(chunk, whole.as_ref()),
        });
        Ok(Hit {
            citation: Citation::of(best, whole.as_ref(), &matches),
            modified: best.item.modified,
            confidence: Level::default(),
            why: Why {
                matched,
                ..shown.why.clone()
            },
            also: also.collect(),
            same: shown.same.clone(),
        })
    }

    /// The beginning of an item; none where it has no text.
    pub(super) fn opening(&self, item: &Item) -> Result<Option<Hit>, Error> {
        let Some(first) = self.store().chunks(item.id)?.into_iter().next() else {
            return Ok(None);
        };
        let found = self.store().hits(&[first.id])?;
        let Some(chunk) = found.first() else {
            return Ok(None);
        };
        Ok(Some(Hit {
            citation: Citation::of(chunk, self.store().text(item.id)?.as_ref(), &[]),
            modified: item.modified,
            confidence: Level::default(),
            why: Why::default(),
            also: Vec::new(),
            same: Vec::new(),
        }))
    }
}

/// The chunks an item was found by, best first: by what they score in both
/// legs, each measured by the best chunk of the item there.
fn best_chunks(item: ItemId, legs: &Legs) -> Vec<ChunkId> {
    let mut scores: HashMap<ChunkId, f64> = HashMap::new();
    let mut add = |found: &ItemMatch, floor: f64| {
        let best = found.score - floor;
        for (chunk, score) in &found.chunks {
            if best > 0.0 {
                *scores.entry(*chunk).or_default() += ((score - floor) / best).max(0.0);
            }
        }
    };
    if let Some((found, _)) = legs.by_word(item) {
        add(found, 0.0);
    }
    if let Some(found) = legs.by_meaning(item) {
        // Similarities begin at what anything has with anything.
        add(found, legs.background().mean.min(found.score - 1e-6));
    }
    let mut chunks: Vec<(ChunkId, f64)> = scores.into_iter().collect();
    chunks.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    chunks.into_iter().map(|(chunk, _)| chunk).collect()
}

/// Leaves out items whose best chunk says nearly what that of a better one
/// does, or that are the same page, and notes them there.
fn fold_same(shown: Vec<Shown<'_>>) -> Vec<Shown<'_>> {
    let mut kept: Vec<(Shown<'_>, Sketch)> = Vec::new();
    for next in shown {
        let terms = Sketch::new(next.terms.iter().map(|term| &term.text));
        let page = page(&next);
        let twin = kept.iter_mut().find(|(kept, other)| {
            let common = terms.common(other);
            common.both >= SAME_FROM && common.share() >= SAME
                || page.is_some() && page == self::page(kept)
        });
        match twin {
            Some((twin, _)) => twin.same.push(item_path(&next.chunks[0].item)),
            None => kept.push((next, terms)),
        }
    }
    kept.into_iter().map(|(shown, _)| shown).collect()
}

/// The page on the web that an item is; none for what is opened elsewhere.
fn page<'a>(shown: &'a Shown<'_>) -> Option<&'a str> {
    let url = shown.chunks[0].item.url.as_deref()?;
    url.starts_with("http").then_some(url)
}
