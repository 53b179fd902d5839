//! The order of what is scored.

use std::cmp::Ordering;

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
