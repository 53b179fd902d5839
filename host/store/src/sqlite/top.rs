//! Keeping the best few of many scored chunks.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A chunk or item and its score; the better one is the greater: by score, then
/// by the smaller id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) score: f64,
    pub(super) id: i64,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scored {}

/// The best `limit` of what was offered.
#[derive(Debug)]
pub(super) struct Top {
    limit: usize,
    worst_first: BinaryHeap<std::cmp::Reverse<Scored>>,
}

impl Top {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            worst_first: BinaryHeap::new(),
        }
    }

    pub(super) fn offer(&mut self, chunk: i64, score: f64) {
        let new = Scored { score, id: chunk };
        if self.worst_first.len() < self.limit {
            self.worst_first.push(std::cmp::Reverse(new));
        } else if let Some(mut worst) = self.worst_first.peek_mut()
            && new > worst.0
        {
            worst.0 = new;
        }
    }

    /// Best first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = (i64, f64)> {
        // Ascending order of the reversed scores: the best comes first.
        let sorted = self.worst_first.into_sorted_vec();
        sorted
            .into_iter()
            .map(|scored| (scored.0.id, scored.0.score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_and_ties_go_by_id() {
        let mut top = Top::new(3);
        for (chunk, score) in [(9, 1.0), (4, 2.0), (7, 2.0), (1, 0.5), (2, 2.0), (3, 3.0)] {
            top.offer(chunk, score);
        }
        top.offer(8, 2.5);
        let best: Vec<_> = top.into_sorted().collect();
        assert_eq!(best, [(3, 3.0), (8, 2.5), (2, 2.0)]);
        let mut none = Top::new(0);
        none.offer(1, 1.0);
        assert_eq!(none.into_sorted().count(), 0);
    }
}
