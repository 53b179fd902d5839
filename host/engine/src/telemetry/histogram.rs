//! Times, counted in buckets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Bits of a time that count: a bucket is at most 1/32 of its times wide.
const BITS: u32 = 6;

/// How often which times were measured. As in HdrHistogram, the buckets are of
/// even width within each power of two, so that the error is the same share of
/// short and of long times, and those of two histograms can be added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Histogram(BTreeMap<u64, u64>);

impl Histogram {
    /// Counts one time, in nanoseconds.
    pub(super) fn record(&mut self, time: u64) {
        *self.0.entry(bucket(time)).or_default() += 1;
    }

    pub(super) fn merge(&mut self, other: &Histogram) {
        for (&time, &count) in &other.0 {
            // What was read from a file may be no bucket of ours.
            let own = self.0.entry(bucket(time)).or_default();
            *own = own.saturating_add(count);
        }
    }

    /// The time, in nanoseconds, that this share of all times (from 0 to 1) was
    /// not above, to within 2%; 0 where there are none.
    pub(super) fn quantile(&self, share: f64) -> u64 {
        let all = self.0.values().fold(0_u64, |sum, n| sum.saturating_add(*n));
        let wanted = ((all as f64 * share).ceil() as u64).clamp(1, all.max(1));
        let mut seen = 0_u64;
        for (&from, &count) in &self.0 {
            seen = seen.saturating_add(count);
            if seen >= wanted {
                return from + width(from) / 2;
            }
        }
        0
    }
}

/// The start of the bucket that a time falls into.
fn bucket(time: u64) -> u64 {
    time & !(width(time) - 1)
}

/// How wide the bucket is that a time falls into.
fn width(time: u64) -> u64 {
    let length = u64::BITS - time.leading_zeros();
    1 << length.saturating_sub(BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_two_percent() {
        let mut times = Histogram::default();
        for time in 1..=100_000_u64 {
            times.record(time * 1_000);
        }
        for share in [0.01, 0.5, 0.95, 0.99, 1.0] {
            let (found, exact) = (times.quantile(share) as f64, 1e8 * share);
            assert!((found / exact - 1.0).abs() < 0.02, "{share}: {found}");
        }
        assert!(times.0.len() < 32 * 18, "{} buckets", times.0.len());
    }

    #[test]
    fn the_extremes_have_buckets() {
        let mut times = Histogram::default();
        assert_eq!(times.quantile(0.5), 0);
        times.record(0);
        assert_eq!(times.quantile(0.99), 0);
        times.record(u64::MAX);
        assert!(times.quantile(0.99) > u64::MAX / 64 * 63);
        for time in 0..64 {
            assert_eq!(bucket(time), time);
        }
        assert_eq!(bucket(129), 128);
    }

    #[test]
    fn two_histograms_add_up_as_one() {
        let (mut a, mut b, mut both) = Default::default();
        for time in [5, 1_000, 1_001, 77_777, 1 << 40] {
            Histogram::record(&mut a, time);
            Histogram::record(&mut b, time * 3);
            Histogram::record(&mut both, time);
            Histogram::record(&mut both, time * 3);
        }
        a.merge(&b);
        assert_eq!(a, both);
    }
}
