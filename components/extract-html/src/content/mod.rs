//! Finds the main content of a page: Mozilla's Readability
//! (<https://github.com/mozilla/readability>, Apache-2.0), on a tree that is
//! not changed, in linear time.

mod candidates;
mod clean;
mod state;
mod walk;
mod words;

use std::ops::Range;

use extract_markup::{Dom, Name, NodeId};
use state::{Counts, State};

/// Content of fewer characters than this is looked for again, less strictly.
const ENOUGH: u32 = 500;

/// How strictly content is told from what is around it.
#[derive(Debug, Clone, Copy)]
struct Strictness {
    strip_unlikely: bool,
    weigh_names: bool,
    clean: bool,
}

/// The main content of a page.
pub(crate) struct Content {
    /// What to render, in order.
    pub(crate) stretches: Vec<Range<NodeId>>,
    /// By node: whether it, and all in it, is left out.
    pub(crate) left_out: Vec<bool>,
    /// Who wrote the page, where a line of it says so.
    pub(crate) byline: Option<String>,
    /// Characters of text, white space counted once.
    pub(crate) chars: u32,
}

/// The main content of a page whose title is known; nothing where there is no
/// text at all. `has_author` says that the byline is not needed, and stays in
/// the text where it is.
pub(crate) fn find(dom: &Dom, title: Option<&str>, has_author: bool) -> Option<Content> {
    let start = State::new(dom);
    let body = body(dom);
    let mut best: Option<Content> = None;
    for step in 0..4 {
        let strictness = Strictness {
            strip_unlikely: step < 1,
            weigh_names: step < 2,
            clean: step < 3,
        };
        let mut state = start.clone();
        let walk = walk::walk(&mut state, body, title, has_author, strictness);
        let counts = Counts::new(&state);
        let stretches = candidates::choose(&state, &counts, &walk.blocks, body, strictness);
        clean::clean(&mut state, &counts, &stretches, strictness);
        let counts = Counts::new(&state);
        let chars = stretches.iter().map(|stretch| counts.chars(stretch)).sum();
        if best.as_ref().is_none_or(|best| chars > best.chars) {
            best = Some(Content {
                left_out: (0..dom.len()).map(|id| state.is_gone(id)).collect(),
                stretches,
                byline: walk.byline,
                chars,
            });
        }
        if chars >= ENOUGH {
            break;
        }
    }
    best.filter(|best| best.chars > 0)
}

/// The page's body, or all of it where it has none.
pub(crate) fn body(dom: &Dom) -> NodeId {
    dom.first(Dom::ROOT, Name::Body).map_or(Dom::ROOT, |body| {
        // A body that ends early, or is one of several, does not hold the page.
        let rest = dom.end(body)..dom.end(Dom::ROOT);
        let more = rest.clone().any(|id| !dom.text(id).trim().is_empty());
        if more { Dom::ROOT } else { body }
    })
}
