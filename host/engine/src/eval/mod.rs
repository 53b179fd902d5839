//! Measuring: how well searches find what they should, with numbers that say
//! how sure they are.
//!
//! Three kinds of test set are asked: a judged collection ([`collection`]),
//! questions with the stretches of text that answer them ([`spans`]), and a
//! user's own links ([`Engine::eval_links`]). All of them search just as a
//! person's query does, and all of them come out as a [`Report`].
//!
//! [`Engine::eval_links`]: crate::Engine::eval_links

mod ask;
mod collection;
mod compare;
mod lines;
mod links;
mod metrics;
mod ranges;
mod report;
mod scratch;
mod spans;
mod splitter;

use std::path::PathBuf;

pub use collection::collection;
pub use compare::{Change, compare};
pub use metrics::Estimate;
pub use report::{Difference, Kind, Measure, Report, Row};
pub use spans::spans;

use pkb_store::Filter;

use crate::search::{Fusion, Mode, SearchRequest};

/// How to measure.
#[derive(Clone, Debug, Default)]
pub struct EvalOptions {
    /// How the legs are put together.
    pub fusion: Fusion,
    /// The ways to search that are measured; empty takes all that can be.
    pub modes: Vec<Mode>,
    /// Queries asked at most, spread evenly over the set; none asks all.
    pub limit_queries: Option<usize>,
    /// A folder where what was indexed is kept, and used again by the next run
    /// as far as it is the same; none indexes into a folder that is removed.
    pub keep: Option<PathBuf>,
    /// The chunker; none takes the usual one, or all where chunkers are
    /// compared.
    pub chunker: Option<String>,
    /// The chunker's settings, a JSON object.
    pub chunker_settings: Option<String>,
}

impl EvalOptions {
    /// The ways to search that are measured where there is a model, or not.
    fn modes(&self, model: bool) -> Vec<Mode> {
        let all = [Mode::Lexical, Mode::Dense, Mode::Hybrid];
        let wanted = |mode: &Mode| self.modes.is_empty() || self.modes.contains(mode);
        all.into_iter()
            .filter(|mode| wanted(mode) && (model || *mode == Mode::Lexical))
            .collect()
    }

    /// A query in one way to search.
    fn request(&self, query: &str, mode: Mode, filter: &Filter, limit: usize) -> SearchRequest {
        SearchRequest {
            query: query.to_owned(),
            limit,
            mode,
            filter: filter.clone(),
            fusion: self.fusion.clone(),
            ..SearchRequest::default()
        }
    }

    /// Whether any way to search that needs vectors is wanted.
    fn wants_vectors(&self) -> bool {
        self.modes.is_empty() || self.modes.iter().any(|mode| *mode != Mode::Lexical)
    }
}

/// `limit` entries, spread evenly over `all`; all where there are fewer.
fn spread<T>(all: Vec<T>, limit: Option<usize>) -> Vec<T> {
    let count = all.len();
    let limit = limit.unwrap_or(count).min(count);
    all.into_iter()
        .enumerate()
        // As many of the first n as n * limit / count says.
        .filter(|(at, _)| (at + 1) * limit / count > at * limit / count)
        .map(|(_, entry)| entry)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_spread_evenly() {
        let all: Vec<usize> = (0..10).collect();
        assert_eq!(spread(all.clone(), Some(3)), [3, 6, 9]);
        assert_eq!(spread(all.clone(), None), all);
        assert_eq!(spread(all.clone(), Some(99)), all);
        assert_eq!(spread(all, Some(0)), Vec::<usize>::new());
        assert_eq!(spread(Vec::<usize>::new(), Some(3)), Vec::<usize>::new());
    }

    #[test]
    fn without_a_model_only_words_are_searched() {
        let all = EvalOptions::default();
        assert_eq!(all.modes(false), [Mode::Lexical]);
        assert_eq!(all.modes(true).len(), 3);
        let dense = EvalOptions {
            modes: vec![Mode::Dense],
            ..EvalOptions::default()
        };
        assert_eq!(dense.modes(true), [Mode::Dense]);
        assert!(dense.modes(false).is_empty());
        assert!(dense.wants_vectors());
    }
}
