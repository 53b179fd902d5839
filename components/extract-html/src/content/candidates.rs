//! Scores paragraphs, and chooses the element that holds most of them.

use std::ops::Range;

use extract_markup::{Attribute, Name, NodeId};

use super::Strictness;
use super::state::{Counts, State};
use super::walk::Block;
use super::words::Names;

/// Shorter paragraphs, in characters, say nothing.
const SHORTEST: u32 = 25;
/// How far up a paragraph's score is felt.
const LEVELS: usize = 5;
/// How many candidates are compared.
const CANDIDATES: usize = 5;
/// How many candidates make what is around them all the better one.
const COMMON: usize = 3;

/// The scores of elements; those that have none are not in the running.
struct Scores(Vec<f32>);

impl Scores {
    fn get(&self, id: NodeId) -> Option<f32> {
        Some(self.0[id]).filter(|score| !score.is_nan())
    }
}

/// The stretches of the page that are its content.
pub(super) fn choose(
    state: &State<'_>,
    counts: &Counts,
    blocks: &[Block],
    body: NodeId,
    strictness: Strictness,
) -> Vec<Range<NodeId>> {
    let dom = state.dom;
    let (scores, top) = score(state, counts, blocks, strictness);
    let Some(&best) = top.first().filter(|&&best| best != body) else {
        return std::iter::once(dom.descendants(body)).collect();
    };
    let best = climb(state, &scores, best, &top, body);
    let mut scores = scores;
    if scores.get(best).is_none() {
        scores.0[best] = first_score(state, best, strictness);
    }
    join_siblings(state, counts, &scores, best)
}

fn score(
    state: &State<'_>,
    counts: &Counts,
    blocks: &[Block],
    strictness: Strictness,
) -> (Scores, Vec<NodeId>) {
    let dom = state.dom;
    let mut scores = Scores(vec![f32::NAN; dom.len()]);
    let mut candidates = Vec::new();
    for block in blocks {
        let chars = counts.chars(&block.stretch);
        if chars < SHORTEST {
            continue;
        }
        #[allow(clippy::cast_precision_loss)]
        let content = (2 + counts.commas(&block.stretch) + (chars / 100).min(3)) as f32;
        let mut ancestor = block.parent;
        for level in 0..LEVELS {
            if matches!(dom.name(ancestor), Name::Root | Name::Html) {
                break;
            }
            if scores.get(ancestor).is_none() {
                scores.0[ancestor] = first_score(state, ancestor, strictness);
                candidates.push(ancestor);
            }
            scores.0[ancestor] += match level {
                0 => content,
                1 => content / 2.0,
                2 => content / 6.0,
                3 => content / 9.0,
                _ => content / 12.0,
            };
            ancestor = state.parent(ancestor);
        }
    }
    for &id in &candidates {
        scores.0[id] *= 1.0 - counts.link_density(&(id..dom.end(id)));
    }
    candidates.sort_by(|&a, &b| scores.0[b].total_cmp(&scores.0[a]));
    candidates.truncate(CANDIDATES);
    (scores, candidates)
}

/// What an element is worth by its name and its class.
fn first_score(state: &State<'_>, id: NodeId, strictness: Strictness) -> f32 {
    let by_name = match state.name(id) {
        Name::Div => 5.0,
        Name::Pre | Name::Td | Name::Blockquote => 3.0,
        Name::Address
        | Name::Ol
        | Name::Ul
        | Name::Dl
        | Name::Dd
        | Name::Dt
        | Name::Li
        | Name::Form => -3.0,
        Name::Th => -5.0,
        name if name.heading().is_some() => -5.0,
        _ => 0.0,
    };
    if strictness.weigh_names {
        by_name + Names::of(state.dom, id).weight()
    } else {
        by_name
    }
}

/// From the best candidate up to what holds more of the content.
fn climb(state: &State<'_>, scores: &Scores, best: NodeId, top: &[NodeId], body: NodeId) -> NodeId {
    let is_top = |id: NodeId| id == body || matches!(state.dom.name(id), Name::Root | Name::Html);
    let ancestors = |id: NodeId| {
        let mut at = id;
        std::iter::from_fn(move || {
            at = state.parent(at);
            (!is_top(at)).then_some(at)
        })
    };
    let mut best = best;
    let best_score = scores.get(best).unwrap_or(0.0);
    let near: Vec<NodeId> = top[1..]
        .iter()
        .copied()
        .filter(|&id| scores.get(id).unwrap_or(0.0) >= best_score * 0.75)
        .collect();
    if near.len() >= COMMON {
        let holds = |outer: NodeId, id: NodeId| outer < id && id < state.dom.end(outer);
        let around = ancestors(best)
            .find(|&outer| near.iter().filter(|&&id| holds(outer, id)).count() >= COMMON);
        best = around.unwrap_or(best);
    }
    // A score that rises on the way up says that more content lies there.
    let mut last = scores.get(best).unwrap_or(0.0);
    let least = last / 3.0;
    for outer in ancestors(best) {
        let Some(score) = scores.get(outer) else {
            continue;
        };
        if score < least {
            break;
        }
        if score > last {
            best = outer;
            break;
        }
        last = score;
    }
    // The siblings of an only child are those of what is around it.
    for outer in ancestors(best) {
        if state.elements(outer).take(2).count() + state.runs_of(outer).len() != 1 {
            break;
        }
        best = outer;
    }
    best
}

/// The best candidate, and those beside it that are content too.
fn join_siblings(
    state: &State<'_>,
    counts: &Counts,
    scores: &Scores,
    best: NodeId,
) -> Vec<Range<NodeId>> {
    let dom = state.dom;
    let parent = state.parent(best);
    let best_score = scores.get(best).unwrap_or(0.0);
    let least = (best_score * 0.2).max(10.0);
    let class = |id| dom.attribute(id, Attribute::Class).unwrap_or_default();
    let mut stretches: Vec<Range<NodeId>> = Vec::new();
    let mut siblings: Vec<NodeId> = state.elements(parent).collect();
    if !siblings.contains(&best) {
        siblings.push(best);
    }
    for id in siblings {
        let whole = id..dom.end(id);
        let same = !class(best).is_empty() && class(id) == class(best);
        let bonus = if same { best_score * 0.2 } else { 0.0 };
        let by_score = scores.get(id).is_some_and(|score| score + bonus >= least);
        let is_p = state.name(id) == Name::P || state.is_shell(id);
        if id == best || by_score || (is_p && reads_well(state, counts, &whole)) {
            stretches.push(whole);
        }
    }
    for (run, _) in state.runs_of(parent) {
        if reads_well(state, counts, run) {
            stretches.push(run.clone());
        }
    }
    stretches.sort_by_key(|stretch| stretch.start);
    // One that was pushed for its own sake may lie in a shell.
    stretches.dedup_by(|next, last| next.start < last.end);
    stretches
}

/// Whether a paragraph is long and has few links, or is a sentence without any.
fn reads_well(state: &State<'_>, counts: &Counts, stretch: &Range<NodeId>) -> bool {
    let chars = counts.chars(stretch);
    let links = counts.link_density(stretch);
    if chars > 80 {
        return links < 0.25;
    }
    if chars == 0 || links > 0.0 {
        return false;
    }
    let text = state.text(stretch.clone());
    let text = text.trim();
    text.ends_with('.') || text.contains(". ")
}
