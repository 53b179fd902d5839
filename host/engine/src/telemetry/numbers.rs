//! The numbers of all stages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::histogram::Histogram;

/// Different stages, different fields of one, and different words of a field
/// that are told apart: more than there are, so that a damaged file or a slip
/// in the code cannot make the numbers grow without end.
const MOST_STAGES: usize = 200;
const MOST_FIELDS: usize = 20;
const MOST_WORDS: usize = 50;

/// What the words above that number are counted as.
const OTHER: &str = "other";

/// A name that is known when pkb is built, or was read from a file.
pub(super) type Name = Cow<'static, str>;

/// What was measured of all stages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Numbers(BTreeMap<Name, Stage>);

/// What was measured of one stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Stage {
    pub(super) calls: u64,
    /// Of all calls together, in nanoseconds.
    pub(super) total: u64,
    /// Of the longest, in nanoseconds.
    pub(super) longest: u64,
    pub(super) times: Histogram,
    /// Sums of the fields that are numbers.
    pub(super) sums: BTreeMap<Name, u64>,
    /// How often a field was which word.
    pub(super) words: BTreeMap<Name, BTreeMap<Name, u64>>,
}

impl Numbers {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn stages(&self) -> impl Iterator<Item = (&str, &Stage)> {
        self.0.iter().map(|(name, stage)| (&**name, stage))
    }

    pub(super) fn stage(&self, name: &str) -> Option<&Stage> {
        self.0.get(name)
    }

    /// Lets `change` work on a stage, which is made where it is missing.
    pub(super) fn change(&mut self, name: &Name, change: impl FnOnce(&mut Stage)) {
        if let Some(stage) = within(&mut self.0, name, MOST_STAGES) {
            change(stage);
        }
    }

    pub(super) fn merge(&mut self, other: &Numbers) {
        for (name, stage) in &other.0 {
            self.change(name, |own| own.merge(stage));
        }
    }
}

impl Stage {
    /// One call more, of `time` nanoseconds.
    pub(super) fn call(&mut self, time: u64) {
        self.calls += 1;
        self.total = self.total.saturating_add(time);
        self.longest = self.longest.max(time);
        self.times.record(time);
    }

    pub(super) fn add(&mut self, field: &Name, number: u64) {
        if let Some(sum) = within(&mut self.sums, field, MOST_FIELDS) {
            *sum = sum.saturating_add(number);
        }
    }

    pub(super) fn count(&mut self, field: &Name, word: &Name, number: u64) {
        let Some(words) = within(&mut self.words, field, MOST_FIELDS) else {
            return;
        };
        let full = words.len() >= MOST_WORDS && !words.contains_key(&**word);
        let word = if full { OTHER.into() } else { word.clone() };
        let count = words.entry(word).or_default();
        *count = count.saturating_add(number);
    }

    fn merge(&mut self, other: &Stage) {
        self.calls = self.calls.saturating_add(other.calls);
        self.total = self.total.saturating_add(other.total);
        self.longest = self.longest.max(other.longest);
        self.times.merge(&other.times);
        for (field, &sum) in &other.sums {
            self.add(field, sum);
        }
        for (field, words) in &other.words {
            for (word, &count) in words {
                self.count(field, word, count);
            }
        }
    }

    /// The sum of a field.
    pub(super) fn sum(&self, field: &str) -> u64 {
        self.sums.get(field).copied().unwrap_or(0)
    }

    /// How often a field was `word`.
    pub(super) fn counted(&self, field: &str, word: &str) -> u64 {
        let words = self.words.get(field);
        words
            .and_then(|words| words.get(word))
            .copied()
            .unwrap_or(0)
    }
}

/// The entry of that name, made where there are fewer than `most`.
fn within<'a, V: Default>(
    map: &'a mut BTreeMap<Name, V>,
    name: &Name,
    most: usize,
) -> Option<&'a mut V> {
    // Looked up twice, as a name that is there needs no copy.
    if map.contains_key(&**name) {
        return map.get_mut(&**name);
    }
    (map.len() < most).then(|| map.entry(name.clone()).or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(calls: &[(&'static str, u64)]) -> Numbers {
        let mut numbers = Numbers::default();
        for &(name, time) in calls {
            numbers.change(&name.into(), |stage| {
                stage.call(time);
                stage.add(&"bytes".into(), 10);
                stage.count(&"verdict".into(), &"strong".into(), 1);
            });
        }
        numbers
    }

    #[test]
    fn merging_adds_up() {
        let mut a = numbers(&[("search", 5), ("sync", 7)]);
        a.merge(&numbers(&[("search", 9), ("embed", 1)]));
        let both = numbers(&[("search", 5), ("sync", 7), ("search", 9), ("embed", 1)]);
        assert_eq!(a, both);
        let search = a.stage("search").unwrap();
        assert_eq!((search.calls, search.total, search.longest), (2, 14, 9));
        assert_eq!(search.sum("bytes"), 20);
        assert_eq!(search.counted("verdict", "strong"), 2);
        assert_eq!(search.counted("verdict", "none"), 0);
    }

    #[test]
    fn they_are_read_as_they_were_written() {
        let numbers = numbers(&[("search", 123_456_789), ("sync", u64::MAX)]);
        let text = serde_json::to_string(&numbers).unwrap();
        assert_eq!(serde_json::from_str::<Numbers>(&text).unwrap(), numbers);
    }

    #[test]
    fn names_without_end_do_not_make_them_grow_without_end() {
        let mut numbers = Numbers::default();
        for number in 0..1_000 {
            let name: Name = format!("stage {number}").into();
            numbers.change(&name, |stage| stage.call(1));
            numbers.change(&"search".into(), |stage| {
                stage.add(&name, 1);
                stage.count(&"reason".into(), &name, 1);
            });
        }
        assert_eq!(numbers.0.len(), MOST_STAGES);
        let search = numbers.stage("search").unwrap();
        assert_eq!(search.sums.len(), MOST_FIELDS);
        let reasons = &search.words["reason"];
        assert_eq!(reasons.len(), MOST_WORDS + 1);
        assert_eq!(reasons.values().sum::<u64>(), 1_000);
    }
}
