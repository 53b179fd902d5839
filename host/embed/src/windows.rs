//! Splitting sequences that are longer than a model reads.

/// A stretch of a sequence that the network is run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Which of the sequences given.
    pub(crate) sequence: usize,
    /// Token ids, at most the limit, special tokens included.
    pub(crate) ids: Vec<u32>,
    /// How many tokens of the text itself are in it: its weight in the mean.
    pub(crate) weight: usize,
}

/// The windows of one sequence: the sequence itself where it fits, else its
/// inner tokens in the fewest stretches that do, as even in length as can be
/// and without overlap, each between the sequence's first and last token
/// (which are taken to be special, as with every encoder of the BERT kind).
/// `limit` is at least [`crate::settings::LEAST_LIMIT`].
pub(crate) fn split(sequence: usize, ids: &[u32], limit: usize) -> Vec<Window> {
    if ids.len() <= limit {
        let weight = ids.len().saturating_sub(2).max(1);
        return vec![Window {
            sequence,
            ids: ids.to_vec(),
            weight,
        }];
    }
    // Longer than the limit, so longer than three.
    let (first, inner, last) = (ids[0], &ids[1..ids.len() - 1], ids[ids.len() - 1]);
    let count = inner.len().div_ceil(limit - 2);
    let (even, longer) = (inner.len() / count, inner.len() % count);
    let mut rest = inner;
    (0..count)
        .map(|number| {
            let (stretch, after) = rest.split_at(even + usize::from(number < longer));
            rest = after;
            let mut ids = Vec::with_capacity(stretch.len() + 2);
            ids.push(first);
            ids.extend_from_slice(stretch);
            ids.push(last);
            Window {
                sequence,
                ids,
                weight: stretch.len(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_that_fits_is_left_alone() {
        for length in 1..=5 {
            let ids: Vec<u32> = (0..length).collect();
            let windows = split(7, &ids, 5);
            assert_eq!(windows.len(), 1, "{length}");
            assert_eq!(windows[0].ids, ids);
            assert_eq!(windows[0].sequence, 7);
        }
    }

    #[test]
    fn a_longer_one_becomes_even_windows_between_its_special_tokens() {
        let windows = split(0, &[101, 1, 2, 3, 4, 5, 6, 7, 102], 5);
        let ids: Vec<_> = windows.iter().map(|window| window.ids.as_slice()).collect();
        assert_eq!(
            ids,
            [
                &[101, 1, 2, 3, 102][..],
                &[101, 4, 5, 102],
                &[101, 6, 7, 102]
            ]
        );
        let weights: Vec<_> = windows.iter().map(|window| window.weight).collect();
        assert_eq!(weights, [3, 2, 2]);
    }

    proptest::proptest! {
        #[test]
        fn every_token_is_in_exactly_one_window(
            ids in proptest::collection::vec(0u32..1000, 1..400),
            limit in 3usize..64,
        ) {
            let windows = split(0, &ids, limit);
            assert!(windows.iter().all(|window| window.ids.len() <= limit));
            if windows.len() > 1 {
                let inner: Vec<u32> = windows
                    .iter()
                    .flat_map(|window| window.ids[1..window.ids.len() - 1].to_vec())
                    .collect();
                assert_eq!(inner, ids[1..ids.len() - 1]);
                let weights: usize = windows.iter().map(|window| window.weight).sum();
                assert_eq!(weights, ids.len() - 2);
                let lengths = windows.iter().map(|window| window.ids.len());
                assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1);
            } else {
                assert_eq!(windows[0].ids, ids);
            }
        }
    }
}
