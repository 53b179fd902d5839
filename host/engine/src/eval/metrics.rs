//! Measures of a ranked list against judgements, and how sure they are.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Resamples of the bootstrap.
const RESAMPLES: usize = 1_000;

/// A mean over queries with its 95% confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// 2.5% of resampled means are lower.
    pub low: f64,
    /// 2.5% of resampled means are higher.
    pub high: f64,
}

impl Estimate {
    /// The mean of `values`, with a percentile bootstrap over them (Efron and
    /// Tibshirani 1993, chapter 13). The same values give the same interval.
    pub fn of(values: &[f64]) -> Estimate {
        if values.is_empty() {
            return Estimate::default();
        }
        let mean = |sum: f64| sum / values.len() as f64;
        // xorshift64*, with a fixed seed: any spread of indices will do.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut draw = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % values.len()
        };
        let mut means: Vec<f64> = (0..RESAMPLES)
            .map(|_| mean((0..values.len()).map(|_| values[draw()]).sum()))
            .collect();
        means.sort_by(f64::total_cmp);
        Estimate {
            mean: mean(values.iter().sum()),
            low: means[RESAMPLES / 40],
            high: means[RESAMPLES - 1 - RESAMPLES / 40],
        }
    }

    /// How much higher `values` are than `others`, query by query: the two are
    /// of the same queries in the same order. Pairing takes out what makes
    /// queries hard or easy for both.
    pub fn of_difference(values: &[f64], others: &[f64]) -> Estimate {
        let differences: Vec<f64> = values.iter().zip(others).map(|(a, b)| a - b).collect();
        Estimate::of(&differences)
    }

    /// Whether no difference at all is among what is likely; for an estimate
    /// of a difference.
    pub fn is_noise(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

/// Judgements of one query: document id -> gain, above 0.
pub(super) type Judged = HashMap<String, f64>;

/// Normalised discounted cumulative gain of the first `k`: gain / log2(rank +
/// 1), over that of the best order (Jarvelin and Kekalainen 2002, with linear
/// gain, as trec_eval computes it).
pub(super) fn ndcg(ranked: &[String], judged: &Judged, k: usize) -> f64 {
    let discount = |at: usize| 1.0 / ((at + 2) as f64).log2();
    let gained: f64 = ranked
        .iter()
        .take(k)
        .enumerate()
        .map(|(at, id)| judged.get(id).copied().unwrap_or(0.0) * discount(at))
        .sum();
    let mut best: Vec<f64> = judged.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal: f64 = best
        .iter()
        .take(k)
        .enumerate()
        .map(|(at, gain)| gain * discount(at))
        .sum();
    if ideal > 0.0 { gained / ideal } else { 0.0 }
}

/// The share of the judged documents among the first `k`.
pub(super) fn recall(ranked: &[String], judged: &Judged, k: usize) -> f64 {
    let found = ranked
        .iter()
        .take(k)
        .filter(|id| judged.contains_key(*id))
        .count();
    if judged.is_empty() {
        0.0
    } else {
        found as f64 / judged.len() as f64
    }
}

/// One over the rank of the first judged document among the first `k`.
pub(super) fn reciprocal_rank(ranked: &[String], judged: &Judged, k: usize) -> f64 {
    ranked
        .iter()
        .take(k)
        .position(|id| judged.contains_key(id))
        .map_or(0.0, |at| 1.0 / (at + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn judged(pairs: &[(&str, f64)]) -> Judged {
        pairs
            .iter()
            .map(|(id, gain)| ((*id).to_owned(), *gain))
            .collect()
    }

    #[test]
    fn measures_agree_with_hand_computed_ones() {
        let judged = judged(&[("b", 1.0), ("d", 1.0)]);
        let ranked = ids("a b c d e");
        // 1/log2(3) + 1/log2(5), over 1/log2(2) + 1/log2(3).
        assert!((ndcg(&ranked, &judged, 10) - (0.63093 + 0.43068) / 1.63093).abs() < 1e-4);
        assert!((ndcg(&ranked, &judged, 2) - 0.63093 / 1.63093).abs() < 1e-4);
        assert_eq!(recall(&ranked, &judged, 3), 0.5);
        assert_eq!(reciprocal_rank(&ranked, &judged, 10), 0.5);
        assert_eq!(reciprocal_rank(&ranked, &judged, 1), 0.0);
        assert_eq!(ndcg(&[], &judged, 10), 0.0);
    }

    #[test]
    fn a_perfect_list_scores_one() {
        let judged = judged(&[("a", 2.0), ("b", 1.0)]);
        assert!((ndcg(&ids("a b c"), &judged, 10) - 1.0).abs() < 1e-12);
        assert!(ndcg(&ids("b a c"), &judged, 10) < 1.0);
    }

    #[test]
    fn an_interval_holds_its_mean_and_shrinks_with_more_queries() {
        let some: Vec<f64> = (0..50).map(|n| f64::from(n % 2)).collect();
        let many: Vec<f64> = (0..5_000).map(|n| f64::from(n % 2)).collect();
        let (some, many) = (Estimate::of(&some), Estimate::of(&many));
        assert!(some.low < 0.5 && 0.5 < some.high && some.mean == 0.5);
        assert!(many.high - many.low < (some.high - some.low) / 5.0);
        assert_eq!(
            Estimate::of(&[0.25; 9]),
            Estimate {
                mean: 0.25,
                low: 0.25,
                high: 0.25
            }
        );
    }

    #[test]
    fn pairing_finds_a_difference_that_the_single_intervals_hide() {
        let hard_and_easy: Vec<f64> = (0..60).map(|n| f64::from(n % 2)).collect();
        let a_little_better: Vec<f64> = hard_and_easy
            .iter()
            .enumerate()
            .map(|(at, value)| value * 0.9 + if at % 3 == 0 { 0.08 } else { 0.02 })
            .collect();
        let (one, other) = (Estimate::of(&hard_and_easy), Estimate::of(&a_little_better));
        assert!(one.low < other.high && other.low < one.high);
        let difference = Estimate::of_difference(&a_little_better, &hard_and_easy);
        assert!((difference.mean - (other.mean - one.mean)).abs() < 1e-12);
        assert!(!Estimate::of_difference(&[0.2, 0.3], &[0.1, 0.2]).is_noise());
        assert!(Estimate::of_difference(&[0.2, 0.1], &[0.1, 0.2]).is_noise());
        assert!(difference.high - difference.low < (one.high - one.low) / 2.0);
    }
}
