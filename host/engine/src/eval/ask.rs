//! Many queries at once, each as a person would ask it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use pkb_store::{Filter, Item, ItemId, ItemQuery};

use crate::engine::Engine;
use crate::error::Error;
use crate::job::{Job, Stage};
use crate::search::{Mode, SearchRequest};

/// Items listed at a time.
const PAGE: u64 = 1_000;

/// What the items of a test are called, by their numbers.
pub(super) type Names = HashMap<ItemId, String>;

/// Names of the items that a search finds, best first.
///
/// # Errors
/// As [`Engine::search`]; and when a search by both legs turns out to be one by
/// words alone, which would be measured as something that it is not.
pub(super) fn ranked(
    engine: &Engine,
    names: &Names,
    request: &SearchRequest,
) -> Result<Vec<String>, Error> {
    let (answer, items) = engine.ranked(request)?;
    let dense = answer.legs.iter().any(|leg| leg.name == "dense");
    if request.mode == Mode::Hybrid && !answer.legs.is_empty() && !dense {
        return Err(Error::usage(answer.notes.join(" "), ""));
    }
    Ok(items
        .iter()
        .filter_map(|item| names.get(item).cloned())
        .collect())
}

impl Engine {
    /// The items that the filter lets through, by source and path.
    pub(super) fn all_items(&self, filter: &Filter) -> Result<Vec<Item>, Error> {
        let mut all: Vec<Item> = Vec::new();
        loop {
            let page = self.store().items(&ItemQuery {
                filter: filter.clone(),
                offset: all.len() as u64,
                limit: PAGE,
                ..ItemQuery::default()
            })?;
            let done = page.entries.is_empty();
            all.extend(page.entries);
            if done || all.len() as u64 >= page.total {
                return Ok(all);
            }
        }
    }
}

/// `work` for every number below `count`, on all cores; the results in order.
///
/// # Errors
/// [`Error::Stopped`] when the job says so; the first error of `work`.
pub(super) fn in_parallel<T: Send>(
    count: usize,
    stage: Stage,
    job: &dyn Job,
    work: impl Fn(usize) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let (next, done, halt) = (
        AtomicUsize::new(0),
        AtomicU64::new(0),
        AtomicBool::new(false),
    );
    let worker = || {
        let mut results = Vec::new();
        while !halt.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                break;
            }
            let result = if job.stop() {
                Err(Error::Stopped)
            } else {
                work(at)
            };
            match result {
                Ok(value) => results.push((at, value)),
                Err(error) => {
                    halt.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            job.progress(stage, done, Some(count as u64));
        }
        Ok(results)
    };
    let workers = thread::available_parallelism()
        .map_or(2, usize::from)
        .min(count);
    let mut all = thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let mut all: Result<Vec<(usize, T)>, Error> = Ok(Vec::with_capacity(count));
        for thread in running {
            let results = match thread.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all = all.and_then(|mut all| {
                all.extend(results?);
                Ok(all)
            });
        }
        all
    })?;
    all.sort_unstable_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Unwatched;

    #[test]
    fn results_keep_their_order() {
        let squares = in_parallel(1_000, Stage::Asking, &Unwatched, |at| Ok(at * at)).unwrap();
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(at, square)| *square == at * at)
        );
        assert_eq!(squares.len(), 1_000);
        let none = in_parallel(0, Stage::Asking, &Unwatched, |_| Ok(())).unwrap();
        assert!(none.is_empty());
    }

    #[test]
    fn an_error_and_a_stop_end_the_work() {
        struct Stopped;
        impl Job for Stopped {
            fn stop(&self) -> bool {
                true
            }
            fn progress(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
        }
        let failed = in_parallel(1_000, Stage::Asking, &Unwatched, |at| match at {
            7 => Err(Error::usage("seven", "")),
            at => Ok(at),
        });
        assert_eq!(failed.unwrap_err().to_string(), "seven");
        let stopped = in_parallel(10, Stage::Asking, &Stopped, Ok);
        assert!(matches!(stopped, Err(Error::Stopped)));
    }
}
