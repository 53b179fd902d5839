//! How well what was retrieved covers what was asked for, as stretches of a
//! text.

use std::ops::Range;

/// A text's characters and where they begin: test sets count in characters,
/// chunks in bytes.
pub(super) struct Characters {
    /// The byte that each character begins at; last, the text's length.
    starts: Vec<usize>,
}

impl Characters {
    pub(super) fn of(text: &str) -> Characters {
        let starts = text.char_indices().map(|(at, _)| at);
        Characters {
            starts: starts.chain([text.len()]).collect(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of a range of characters; none where the text is shorter.
    pub(super) fn bytes(&self, characters: &Range<usize>) -> Option<Range<usize>> {
        Some(*self.starts.get(characters.start)?..*self.starts.get(characters.end)?)
    }

    /// The characters of a range of bytes that begins and ends between
    /// characters.
    pub(super) fn characters(&self, bytes: &Range<usize>) -> Range<usize> {
        let number = |byte: usize| self.starts.partition_point(|start| *start < byte);
        number(bytes.start)..number(bytes.end)
    }
}

/// Recall, precision and intersection over union of what was retrieved, as
/// Smith and Troynikov (2024, "Evaluating Chunking Strategies for Retrieval")
/// define them, counted in the ranges' unit instead of tokens. With E for what
/// was asked for, R for what was retrieved: |E and R| / |E|, |E and R| / |R|
/// and |E and R| / (|E| + |R| - |E and R|). What is retrieved twice, by chunks
/// that overlap, counts twice in |R| and once in |E and R|.
pub(super) fn coverage(asked: &[Range<usize>], retrieved: &[Range<usize>]) -> [f64; 3] {
    let length = |ranges: &[Range<usize>]| ranges.iter().map(Range::len).sum::<usize>();
    let asked = union(asked);
    let all = length(retrieved);
    let both = intersection(&asked, &union(retrieved));
    let share = |of: usize| {
        if of == 0 {
            0.0
        } else {
            both as f64 / of as f64
        }
    };
    [
        share(length(&asked)),
        share(all),
        share(length(&asked) + all - both),
    ]
}

/// The same stretches without overlaps, in order.
fn union(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sorted: Vec<Range<usize>> = ranges.to_vec();
    sorted.sort_by_key(|range| (range.start, range.end));
    let mut union: Vec<Range<usize>> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match union.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => union.push(range),
        }
    }
    union
}

/// How much two unions have in common.
fn intersection(some: &[Range<usize>], others: &[Range<usize>]) -> usize {
    let overlap = |one: &Range<usize>, other: &Range<usize>| {
        let end = one.end.min(other.end);
        end.saturating_sub(one.start.max(other.start))
    };
    let pairs = some
        .iter()
        .flat_map(|one| others.iter().map(move |other| (one, other)));
    pairs.map(|(one, other)| overlap(one, other)).sum()
}

#[cfg(test)]
#[allow(
    clippy::single_range_in_vec_init,
    reason = "one stretch is a list of one range"
)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn by_hand() {
        // 10 asked for, 6 of them found among 20 retrieved.
        assert_eq!(coverage(&[0..10], &[4..24]), [0.6, 0.3, 6.0 / 24.0]);
        // Retrieved twice: once in the intersection, twice in what was read.
        assert_eq!(coverage(&[0..10], &[0..10, 5..15]), [1.0, 0.5, 10.0 / 20.0]);
        assert_eq!(coverage(&[0..10], &[]), [0.0, 0.0, 0.0]);
        assert_eq!(coverage(&[0..10], &[0..10, 90..100]), [1.0, 0.5, 0.5]);
        assert_eq!(coverage(&[], &[]), [0.0, 0.0, 0.0]);
        // What is asked for twice counts once.
        assert_eq!(coverage(&[0..10, 2..8], &[0..5]), [0.5, 1.0, 0.5]);
    }

    #[test]
    fn characters_and_bytes() {
        let text = "aé日😀z";
        let characters = Characters::of(text);
        assert_eq!(characters.count(), 5);
        assert_eq!(characters.bytes(&(1..4)), Some(1..10));
        assert_eq!(&text[characters.bytes(&(2..3)).unwrap()], "日");
        assert_eq!(characters.bytes(&(0..5)), Some(0..text.len()));
        assert_eq!(characters.bytes(&(0..6)), None);
        assert_eq!(characters.characters(&(3..10)), 2..4);
        assert_eq!(characters.characters(&(0..text.len())), 0..5);
    }

    proptest! {
        #[test]
        fn as_sets_count_it(
            asked in prop::collection::vec((0_usize..60, 0_usize..12), 0..6),
            retrieved in prop::collection::vec((0_usize..60, 0_usize..12), 0..6),
        ) {
            let ranges = |pairs: &[(usize, usize)]| -> Vec<Range<usize>> {
                pairs.iter().map(|(start, length)| *start..start + length).collect()
            };
            let (asked, retrieved) = (ranges(&asked), ranges(&retrieved));
            let set = |ranges: &[Range<usize>]| -> HashSet<usize> { ranges.iter().cloned().flatten().collect() };
            let both = set(&asked).intersection(&set(&retrieved)).count();
            let all: usize = retrieved.iter().map(Range::len).sum();
            let expected = [set(&asked).len(), all, set(&asked).len() + all - both]
                .map(|of| if of == 0 { 0.0 } else { both as f64 / of as f64 });
            prop_assert_eq!(coverage(&asked, &retrieved), expected);
        }

        #[test]
        fn there_and_back(text in "[a-zé日\u{1f600}]{0,40}", a in 0_usize..41, b in 0_usize..41) {
            let characters = Characters::of(&text);
            let range = a.min(b)..a.max(b);
            match characters.bytes(&range) {
                Some(bytes) => {
                    prop_assert_eq!(text[bytes.clone()].chars().count(), range.len());
                    prop_assert_eq!(characters.characters(&bytes), range);
                }
                None => prop_assert!(range.end > characters.count()),
            }
        }
    }
}
