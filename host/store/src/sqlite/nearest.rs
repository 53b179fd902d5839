//! The items nearest to a query, exactly, by way of numbers of 8 bits.
//!
//! A stored vector v is a scale and 8-bit numbers, and its score is its dot
//! product with the query q in full precision ([`exact`]). To compute that for
//! each of a hundred thousand vectors would take too long, so q is split in two
//! parts of 8-bit numbers and a rest:
//!
//! q = h·H + l·L + e
//!
//! where H is q/h rounded (h: the largest number of q over 127), and L is what
//! is left of it, rounded in the same way. Products of whole numbers are exact,
//! so by Cauchy and Schwarz
//!
//! - coarse(v) = h·H·v is within |q − h·H|·|v| of the score, about 0.01 for
//!   unit vectors of 384 numbers, and
//! - fine(v) = h·H·v + l·L·v is within |e|·|v|, about 0.00004.
//!
//! With m such a bound for the longest of all vectors, let t be the `limit`-th
//! best among the items' best approximate scores. At least `limit` items then
//! score t − m or better, so each item to be found does, and has an approximate
//! score of t − 2m or better; so have all items that tie with it. What is below
//! is left out: after the scan by coarse scores, then by fine ones, and the few
//! that remain are scored exactly. Nothing is left out that a ranking of all by
//! exact scores would find. [`ROUNDING`] covers the arithmetic itself.

use simsimd::SpatialSimilarity;

use super::catalogue::Catalogue;
use super::eligible::{Eligible, Ids};
use super::index::Vectors;
use super::scored::Scored;
use crate::{Background, ChunkId, DenseMatches, ItemId, ItemMatch};

/// Numbers one thread goes through before another one is worth starting: about
/// a millisecond's work.
const SHARE: usize = 16 << 20;
/// Rows that are compared together, or left out where none may be found.
const TOGETHER: usize = 16;
/// Numbers whose 8-bit products can be summed up in 32 bits: 2^16 · 2^14 = 2^30.
const SUMMED: usize = 1 << 16;
/// More than the relative error of any sum here: one of n numbers in 64-bit
/// floating point is within n · 2^-53 of the sum of their absolute values.
const ROUNDING: f64 = 1e-9;
/// What stands for the similarity of a chunk that is not to be found.
const NONE: f64 = f64::NEG_INFINITY;

/// At most `limit` items, best first, and the background. `query` has the
/// dimensions of the vectors and is finite; the vectors are the catalogue's,
/// row by row.
pub(super) fn search(
    catalogue: &Catalogue,
    vectors: &Vectors,
    query: &[f32],
    eligible: &Eligible,
    limit: usize,
) -> DenseMatches {
    if eligible.is_nothing() || limit == 0 {
        return DenseMatches::default();
    }
    let search = Search {
        catalogue,
        vectors,
        query: &Query::new(query),
        eligible,
        limit,
    };
    let mut coarse = vec![NONE; catalogue.chunks().len()];
    let mut scanned = search.scan(&mut coarse);
    let winners = search.winners(&coarse, scanned.leaders.threshold());
    DenseMatches {
        items: search.with_chunks(&winners, &coarse),
        background: scanned.sums.background(),
        ..DenseMatches::default()
    }
}

struct Search<'a> {
    catalogue: &'a Catalogue,
    vectors: &'a Vectors,
    query: &'a Query<'a>,
    eligible: &'a Eligible,
    limit: usize,
}

impl Search<'_> {
    /// Compares the query with everything eligible and puts the coarse scores
    /// down by row.
    fn scan(&self, coarse: &mut [f64]) -> Scanned {
        let work = coarse.len().saturating_mul(self.vectors.dimensions());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (work / SHARE).clamp(1, cores);
        let share = coarse.len().div_ceil(threads).max(1);
        let mut shares = coarse.chunks_mut(share).enumerate();
        let Some((_, first)) = shares.next() else {
            return Scanned::new(self.limit);
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = shares
                .map(|(n, part)| scope.spawn(move || self.scan_part(n * share, part)))
                .collect();
            let mut scanned = self.scan_part(0, first);
            for other in others {
                match other.join() {
                    Ok(part) => scanned.merge(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            scanned
        })
    }

    /// The rows from `start` on, as many as `coarse` is long.
    fn scan_part(&self, start: usize, coarse: &mut [f64]) -> Scanned {
        let mut scanned = Scanned::new(self.limit);
        let items = &self.catalogue.items()[start..];
        let found = |item: i64| item >= 0 && self.eligible.contains_item(item);
        // Chunks of an item mostly follow each other.
        let (mut item, mut counts, mut best) = (-1, false, NONE);
        let rows = (start..).step_by(TOGETHER);
        let parts = items.chunks(TOGETHER).zip(coarse.chunks_mut(TOGETHER));
        for (first, (items, coarse)) in rows.zip(parts) {
            if !items.iter().any(|item| found(*item)) {
                continue;
            }
            for ((row, &next), coarse) in (first..).zip(items).zip(coarse) {
                if next != item {
                    scanned.leaders.offer(item, best);
                    (item, best) = (next, NONE);
                    counts = found(item);
                }
                let Some((numbers, scale)) = self.vectors.get(row) else {
                    continue;
                };
                // Compared in any case: to pass over single rows costs more, as
                // the processor reads ahead only what is read in sequence.
                let score = self.query.coarse(numbers, scale);
                if counts {
                    *coarse = score;
                    scanned.sums.add(score);
                    best = best.max(score);
                }
            }
        }
        scanned.leaders.offer(item, best);
        scanned
    }

    /// The items to be found, best first, with their exact scores; `threshold`
    /// is the limit-th best coarse score of an item.
    fn winners(&self, coarse: &[f64], threshold: f64) -> Vec<Scored> {
        let longest = self.vectors.longest();
        let least = threshold - 2.0 * self.query.coarse_error * longest;
        let mut leaders = Leaders::new(self.limit);
        let mut candidates = Vec::new();
        for (row, &coarse) in coarse.iter().enumerate() {
            if coarse > NONE
                && coarse >= least
                && let Some((numbers, scale)) = self.vectors.get(row)
            {
                let score = coarse + self.query.finer(numbers, scale);
                let item = self.catalogue.items()[row];
                leaders.offer(item, score);
                candidates.push((row, item, score));
            }
        }
        let least = leaders.threshold() - 2.0 * self.query.fine_error * longest;
        let mut winners: Vec<Scored> = candidates
            .into_iter()
            .filter(|(_, _, fine)| *fine >= least)
            .filter_map(|(row, id, _)| {
                let (numbers, scale) = self.vectors.get(row)?;
                let score = self.query.exact(numbers, scale);
                Some(Scored { score, id })
            })
            .collect();
        // Of an item, its best.
        winners.sort_unstable_by(|a, b| a.id.cmp(&b.id).then(b.cmp(a)));
        winners.dedup_by_key(|winner| winner.id);
        winners.sort_unstable_by(|a, b| b.cmp(a));
        winners.truncate(self.limit);
        winners
    }

    /// The items, in the same order, with their best chunks.
    fn with_chunks(&self, winners: &[Scored], coarse: &[f64]) -> Vec<ItemMatch> {
        let won: Ids = winners.iter().map(|winner| winner.id).collect();
        let items = self.catalogue.items().iter().zip(coarse).enumerate();
        let mut rows: Vec<(i64, usize)> = items
            .filter(|(_, (item, coarse))| **coarse > NONE && won.contains(**item))
            .map(|(row, (item, _))| (*item, row))
            .collect();
        rows.sort_unstable();
        winners
            .iter()
            .map(|winner| {
                let begin = rows.partition_point(|(item, _)| *item < winner.id);
                let own = rows[begin..].iter();
                let own = own.take_while(|(item, _)| *item == winner.id);
                ItemMatch {
                    item: ItemId(winner.id),
                    score: winner.score,
                    chunks: self.best_chunks(own.map(|(_, row)| *row).collect(), coarse),
                }
            })
            .collect()
    }

    /// The best of an item's rows. They are narrowed down as the items are, as
    /// an item may be a book.
    fn best_chunks(&self, mut rows: Vec<usize>, coarse: &[f64]) -> Vec<(ChunkId, f64)> {
        if rows.len() > ItemMatch::CHUNKS {
            rows.sort_unstable_by(|a, b| coarse[*b].total_cmp(&coarse[*a]));
            let threshold = coarse[rows[ItemMatch::CHUNKS - 1]];
            let least = threshold - 2.0 * self.query.coarse_error * self.vectors.longest();
            let kept = rows.partition_point(|row| coarse[*row] >= least);
            rows.truncate(kept);
        }
        let mut chunks: Vec<Scored> = rows
            .into_iter()
            .filter_map(|row| {
                let (numbers, scale) = self.vectors.get(row)?;
                Some(Scored {
                    score: self.query.exact(numbers, scale),
                    id: self.catalogue.chunks()[row],
                })
            })
            .collect();
        chunks.sort_unstable_by(|a, b| b.cmp(a));
        chunks.truncate(ItemMatch::CHUNKS);
        let chunks = chunks.into_iter();
        chunks.map(|c| (ChunkId(c.id), c.score)).collect()
    }
}

/// A query and its two parts; see the module.
struct Query<'a> {
    numbers: &'a [f32],
    high: Vec<i8>,
    high_scale: f64,
    low: Vec<i8>,
    low_scale: f64,
    /// How far a coarse score can be off, for a vector of length 1.
    coarse_error: f64,
    /// The same of a fine score.
    fine_error: f64,
}

impl<'a> Query<'a> {
    fn new(numbers: &'a [f32]) -> Self {
        let mut rest: Vec<f64> = numbers.iter().map(|number| f64::from(*number)).collect();
        let rounding = length(&rest) * ROUNDING;
        let (high, high_scale) = take_part(&mut rest);
        let coarse_error = length(&rest) + rounding;
        let (low, low_scale) = take_part(&mut rest);
        let fine_error = length(&rest) + rounding;
        Self {
            numbers,
            high,
            high_scale,
            low,
            low_scale,
            coarse_error,
            fine_error,
        }
    }

    fn coarse(&self, vector: &[i8], scale: f32) -> f64 {
        dot(&self.high, vector) * self.high_scale * f64::from(scale)
    }

    /// What a fine score has beyond the coarse one.
    fn finer(&self, vector: &[i8], scale: f32) -> f64 {
        dot(&self.low, vector) * self.low_scale * f64::from(scale)
    }

    fn exact(&self, vector: &[i8], scale: f32) -> f64 {
        exact(self.numbers, vector) * f64::from(scale)
    }
}

/// The 8-bit numbers nearest to `rest`, with their scale; leaves in it what is
/// left.
fn take_part(rest: &mut [f64]) -> (Vec<i8>, f64) {
    let largest = rest.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    let scale = largest / 127.0;
    let part = rest.iter_mut().map(|number| {
        // `as` makes 0 of the 0/0 that a query of zeros gives.
        let rounded = (*number / scale).round() as i8;
        *number -= f64::from(rounded) * scale;
        rounded
    });
    (part.collect(), scale)
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The dot product of two vectors of the same length; exact.
pub(super) fn dot(a: &[i8], b: &[i8]) -> f64 {
    let parts = a.chunks(SUMMED).zip(b.chunks(SUMMED));
    parts.filter_map(|(a, b)| i8::dot(a, b)).sum()
}

/// The dot product of a query and a vector's numbers, in 64-bit floating point.
/// Each product is exact. They are summed up in eight sums at a time, always in
/// the same order, so that scores are the same everywhere.
fn exact(query: &[f32], vector: &[i8]) -> f64 {
    let mut sums = [0.0; 8];
    for (query, vector) in query.chunks(8).zip(vector.chunks(8)) {
        for ((sum, query), number) in sums.iter_mut().zip(query).zip(vector) {
            *sum += f64::from(*query) * f64::from(*number);
        }
    }
    sums.iter().sum()
}

/// What a scan found.
struct Scanned {
    leaders: Leaders,
    sums: Sums,
}

impl Scanned {
    fn new(limit: usize) -> Self {
        Self {
            leaders: Leaders::new(limit),
            sums: Sums::default(),
        }
    }

    fn merge(&mut self, other: Self) {
        for (item, score) in other.leaders.offered {
            self.leaders.offer(item, score);
        }
        self.sums.merge(&other.sums);
    }
}

/// What mean and deviation are worked out from.
#[derive(Default)]
struct Sums {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, score: f64) {
        self.count += 1;
        self.sum += score;
        self.squares += score * score;
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn background(&self) -> Background {
        if self.count == 0 {
            return Background::default();
        }
        let count = self.count as f64;
        let mean = self.sum / count;
        Background {
            mean,
            // Rounding may leave less than nothing of scores that are alike.
            deviation: (self.squares / count - mean * mean).max(0.0).sqrt(),
            count: self.count,
        }
    }
}

/// The items with the best scores among those offered, each with its best: a
/// few times as many are kept as are wanted, and from time to time all but the
/// best are let go.
struct Leaders {
    limit: usize,
    offered: Vec<(i64, f64)>,
    /// What is not better is none of them.
    threshold: f64,
}

impl Leaders {
    /// `limit` is not 0.
    fn new(limit: usize) -> Self {
        Self {
            limit,
            offered: Vec::new(),
            threshold: NONE,
        }
    }

    fn offer(&mut self, id: i64, score: f64) {
        // Nearly all of them.
        if score <= self.threshold {
            return;
        }
        self.offered.push((id, score));
        if self.offered.len() >= self.limit.saturating_mul(4).max(256) {
            self.settle();
        }
    }

    /// The limit-th best score of an item; less than everything where not as
    /// many were offered.
    fn threshold(&mut self) -> f64 {
        self.settle();
        self.threshold
    }

    /// Lets all go that are not among the best.
    fn settle(&mut self) {
        let offered = &mut self.offered;
        offered.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        offered.dedup_by_key(|(id, _)| *id);
        if offered.len() >= self.limit {
            let last = self.limit - 1;
            let (_, (_, score), _) =
                offered.select_nth_unstable_by(last, |a, b| b.1.total_cmp(&a.1));
            self.threshold = *score;
            offered.truncate(self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dot_is_the_sum_of_products_and_never_overflows() {
        for length in [1, 15, 63, 64, 65, 384, 4096, 200_000] {
            for (a, b) in [(-128, -128), (-128, 127), (127, 127)] {
                let wanted = f64::from(a) * f64::from(b) * length as f64;
                assert_eq!(dot(&vec![a as i8; length], &vec![b as i8; length]), wanted);
            }
        }
        let numbers: Vec<i8> = (-60..61).collect();
        let others: Vec<i8> = (0..121).map(|n| 100 - n).collect();
        let pairs = numbers.iter().zip(&others);
        let plain: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        assert_eq!(dot(&numbers, &others), f64::from(plain));
        assert_eq!(dot(&[], &[]), 0.0);
    }

    proptest! {
        #[test]
        fn scores_are_as_near_as_is_claimed(
            pairs in prop::collection::vec((-1.0e3_f32..1.0e3, any::<i8>()), 1..600),
            shrink in prop::sample::select(vec![1.0_f32, 1e-3, 1e-30, 1e30]),
            scale in prop::sample::select(vec![1.0_f32, 1e-3, 1e-30, 1e30]),
        ) {
            let numbers: Vec<f32> = pairs.iter().map(|pair| pair.0 * shrink).collect();
            let vector: Vec<i8> = pairs.iter().map(|pair| pair.1).collect();
            let query = Query::new(&numbers);
            let exact = query.exact(&vector, scale);
            let long = dot(&vector, &vector).sqrt() * f64::from(scale);
            let coarse = query.coarse(&vector, scale);
            prop_assert!((coarse - exact).abs() <= query.coarse_error * long);
            let fine = coarse + query.finer(&vector, scale);
            prop_assert!((fine - exact).abs() <= query.fine_error * long);
            // Half a step of 1/127 for each number, twice over.
            let largest = numbers.iter().fold(0.0_f64, |max, x| max.max(f64::from(x.abs())));
            let spread = largest * (numbers.len() as f64).sqrt();
            prop_assert!(query.coarse_error <= spread / 253.0);
            prop_assert!(query.fine_error <= spread / 64_000.0);
        }

        #[test]
        fn leaders_are_the_best_items(
            offers in prop::collection::vec((0..12_i64, -5..5_i32), 0..1_200),
            limit in 1..8_usize,
        ) {
            let mut leaders = Leaders::new(limit);
            let mut best: HashMap<i64, f64> = HashMap::new();
            for (id, score) in offers {
                leaders.offer(id, f64::from(score));
                let known = best.entry(id).or_insert(NONE);
                *known = known.max(f64::from(score));
            }
            let mut scores: Vec<f64> = best.into_values().collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            let wanted = scores.get(limit - 1).copied().unwrap_or(NONE);
            prop_assert_eq!(leaders.threshold(), wanted);
        }
    }
}
