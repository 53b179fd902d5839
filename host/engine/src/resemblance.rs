//! How much two texts have in common, as sets of what stands in them.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Features kept of a text, at most.
const KEPT: usize = 400;
/// Words in a shingle.
const SHINGLE: usize = 3;

/// The set of a text's features (terms, shingles), as hashes: all of them, or
/// where there are many those with the smallest hashes, which are a fair sample
/// (Broder 1997): the share that two samples have in common is that of the
/// texts, to about 0.03.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sketch(Vec<u64>);

/// What two sketches have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Common {
    /// Features that both have.
    pub(crate) both: usize,
    /// Features that either has.
    pub(crate) either: usize,
}

impl Common {
    /// The share of all features that both have, from 0 to 1 (Jaccard 1912); 0
    /// where there is none at all.
    pub(crate) fn share(self) -> f64 {
        self.both as f64 / self.either.max(1) as f64
    }
}

impl Sketch {
    /// Of any features.
    pub(crate) fn new(features: impl IntoIterator<Item = impl Hash>) -> Sketch {
        let hashes: HashSet<u64> = features.into_iter().map(hash).collect();
        let mut hashes: Vec<u64> = hashes.into_iter().collect();
        if hashes.len() > KEPT {
            hashes.select_nth_unstable(KEPT);
            hashes.truncate(KEPT);
        }
        hashes.sort_unstable();
        Sketch(hashes)
    }

    /// Of a text's shingles: each three words that follow one another. Of
    /// scripts that do not part words, each character counts as one.
    pub(crate) fn of_text(text: &str) -> Sketch {
        let words: Vec<u64> = words(text).map(hash).collect();
        Sketch::new(words.windows(SHINGLE))
    }

    /// The features, as hashes, ascending.
    pub(crate) fn features(&self) -> &[u64] {
        &self.0
    }

    /// What this and another have in common.
    pub(crate) fn common(&self, other: &Sketch) -> Common {
        let (mut one, mut two) = (self.0.as_slice(), other.0.as_slice());
        let mut common = Common { both: 0, either: 0 };
        // The smallest of both together are a sample of both together.
        while common.either < KEPT {
            match (one, two) {
                ([a, rest_a @ ..], [b, rest_b @ ..]) => {
                    common.both += usize::from(a == b);
                    let (from_one, from_two) = (a <= b, b <= a);
                    if from_one {
                        one = rest_a;
                    }
                    if from_two {
                        two = rest_b;
                    }
                }
                ([_, rest @ ..], []) => one = rest,
                ([], [_, rest @ ..]) => two = rest,
                ([], []) => break,
            }
            common.either += 1;
        }
        common
    }
}

fn hash(feature: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    feature.hash(&mut hasher);
    hasher.finish()
}

/// Runs of letters and digits, in small letters; each character by itself from
/// the CJK radicals on.
fn words(text: &str) -> impl Iterator<Item = String> {
    const ALONE: char = '\u{2E80}';
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(|word| {
            let mut parts = Vec::new();
            let mut rest = word;
            while let Some(first) = rest.chars().next() {
                let end = match first {
                    ALONE.. => first.len_utf8(),
                    _ => rest.find(|c| c >= ALONE).unwrap_or(rest.len()),
                };
                let (part, more) = rest.split_at(end);
                parts.push(part.to_lowercase());
                rest = more;
            }
            parts
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(one: &str, other: &str) -> f64 {
        Sketch::of_text(one).common(&Sketch::of_text(other)).share()
    }

    #[test]
    fn the_same_words_in_the_same_order_count() {
        assert!((share("One two, three four", "one two three FOUR!") - 1.0).abs() < 1e-9);
        // "one two three" of three shingles.
        assert!((share("one two three four", "one two three five") - 1.0 / 3.0).abs() < 1e-9);
        assert!(share("one two three", "three two one").abs() < 1e-9);
        assert!(share("", "").abs() < 1e-9);
        assert!(
            share("one two", "one two").abs() < 1e-9,
            "too short to tell"
        );
        assert!((share("日本語の本", "日本語の木") - 0.5).abs() < 1e-9);
    }

    #[test]
    fn samples_are_fair() {
        let text =
            |from: usize, to: usize| (from..to).map(|n| format!("w{n} ")).collect::<String>();
        // Two thirds of each are in the other: half of what either has.
        let found = share(&text(0, 30_000), &text(10_000, 40_000));
        assert!((found - 0.5).abs() < 0.06, "{found}");
        assert_eq!(Sketch::of_text(&text(0, 9_999)).features().len(), KEPT);
    }

    #[test]
    fn small_sets_are_counted_exactly() {
        let one = Sketch::new(["a", "b", "c"]);
        let common = one.common(&Sketch::new(["c", "d", "c"]));
        assert_eq!(common, Common { both: 1, either: 4 });
        assert_eq!(one.common(&Sketch::default()).either, 3);
    }
}
