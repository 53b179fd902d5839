//! Any sequence of writes keeps chunks, word index and vectors in step.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

const WORDS: [&str; 8] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "théta",
];

#[derive(Clone, Debug)]
enum Step {
    Put {
        name: usize,
        words: Vec<usize>,
        tag: Option<usize>,
    },
    Rename {
        from: usize,
        to: usize,
    },
    SoftDelete(usize),
    Restore(usize),
    HardDelete(usize),
    Fail(usize),
    Embed,
    Collect,
}

fn step() -> impl Strategy<Value = Step> {
    let name = 0..5_usize;
    let word = 0..WORDS.len();
    prop_oneof![
        6 => (name.clone(), prop::collection::vec(word.clone(), 0..7), prop::option::of(word))
            .prop_map(|(name, words, tag)| Step::Put { name, words, tag }),
        2 => (name.clone(), name.clone()).prop_map(|(from, to)| Step::Rename { from, to }),
        2 => name.clone().prop_map(Step::SoftDelete),
        2 => name.clone().prop_map(Step::Restore),
        1 => name.clone().prop_map(Step::HardDelete),
        1 => name.prop_map(Step::Fail),
        2 => Just(Step::Embed),
        1 => Just(Step::Collect),
    ]
}

/// What the store is to hold of an item.
#[derive(Clone, Debug)]
struct Model {
    id: ItemId,
    title: String,
    paragraphs: Vec<String>,
    tag: Option<String>,
    deleted: bool,
}

impl Model {
    fn matches(&self, word: &str) -> bool {
        let holds = |text: &str| text.split(' ').any(|w| w == word);
        // The title counts for each chunk, the tag for the first one.
        self.paragraphs.iter().enumerate().any(|(at, text)| {
            holds(&self.title) || holds(text) || at == 0 && self.tag.as_deref() == Some(word)
        })
    }
}

fn vector(text: &str) -> Vec<f32> {
    blake3::hash(text.as_bytes()).as_bytes()[..4]
        .iter()
        .map(|&b| f32::from(b) - 128.0)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn everything_stays_in_step(steps in prop::collection::vec(step(), 1..40)) {
        let home = Home::new();
        let other = SqliteStore::open(home.path()).unwrap();
        let model = home.store.ensure_model("f", "m", 4).unwrap();
        let mut items: BTreeMap<usize, Model> = BTreeMap::new();
        let mut embedded: BTreeSet<String> = BTreeSet::new();
        let name = |n: usize| format!("n{n}.md");
        for (turn, step) in steps.into_iter().enumerate() {
            // Both handles write, so that neither relies on what it knows.
            let store = if turn % 2 == 0 { &home.store } else { &other };
            match step {
                Step::Put { name: n, words, tag } => {
                    let paragraphs: Vec<String> = words
                        .chunks(2)
                        .map(|pair| pair.iter().map(|&w| WORDS[w]).collect::<Vec<_>>().join(" "))
                        .collect();
                    let mut item = note(home.source, &name(n), &paragraphs.join("\n\n"));
                    item.tags = tag.map(|t| WORDS[t].to_owned()).into_iter().collect();
                    let id = store.put(&[analyzed(item)]).unwrap()[0];
                    if let Some(known) = items.get(&n) {
                        prop_assert_eq!(known.id, id);
                    }
                    items.insert(n, Model {
                        id,
                        title: format!("n{n}"),
                        paragraphs,
                        tag: tag.map(|t| WORDS[t].to_owned()),
                        deleted: false,
                    });
                }
                Step::Rename { from, to } => {
                    let done = store.rename(&[Rename {
                        source: home.source,
                        from: name(from),
                        to: name(to),
                        url: None,
                        stamp: "s".into(),
                    }]).unwrap()[0];
                    let allowed = items.contains_key(&from) && (from == to || !items.contains_key(&to));
                    prop_assert_eq!(done, allowed.then(|| items[&from].id));
                    if allowed && let Some(item) = items.remove(&from) {
                        items.insert(to, item);
                    }
                }
                Step::SoftDelete(n) => {
                    if let Some(item) = items.get_mut(&n) {
                        let done = store.soft_delete(&[item.id], "user").unwrap();
                        prop_assert_eq!(done, u64::from(!item.deleted));
                        item.deleted = true;
                    }
                }
                Step::Restore(n) => {
                    if let Some(item) = items.get_mut(&n) {
                        let done = store.restore(&[item.id]).unwrap();
                        prop_assert_eq!(done, u64::from(item.deleted));
                        item.deleted = false;
                    }
                }
                Step::HardDelete(n) => {
                    if let Some(item) = items.remove(&n) {
                        prop_assert_eq!(store.hard_delete(&[item.id]).unwrap().items, 1);
                        // It takes along what nobody needs any more.
                        let all: BTreeSet<&String> = items.values().flat_map(|i| &i.paragraphs).collect();
                        embedded.retain(|text| all.contains(text));
                    }
                }
                Step::Fail(n) => {
                    store.put_ledger(&[LedgerWrite {
                        source: home.source,
                        external_id: name(n),
                        outcome: NotIndexed::Failed,
                        reason: "internal".into(),
                        message: "m".into(),
                        provenance: Provenance::default(),
                    }]).unwrap();
                }
                Step::Embed => {
                    let missing = store.unembedded(model, None, 1000).unwrap();
                    let vectors: Vec<_> = missing.iter().map(|c| (c.hash, vector(&c.text))).collect();
                    store.put_vectors(model, &vectors).unwrap();
                    embedded.extend(missing.into_iter().map(|c| c.text));
                }
                Step::Collect => {
                    store.remove_orphan_vectors().unwrap();
                    let all: BTreeSet<&String> = items.values().flat_map(|i| &i.paragraphs).collect();
                    embedded.retain(|text| all.contains(text));
                }
            }
            // A search now and then, so that the index in memory follows from
            // many different states.
            if turn % 3 == 0 {
                home.store.dense(model, &[1.0; 4], &Filter::default(), 3).unwrap();
            }
        }

        let problems = home.store.check().unwrap();
        prop_assert!(problems.is_empty(), "{:?}", problems);
        let live = || items.values().filter(|item| !item.deleted);
        for word in WORDS.iter().copied().chain(["title", "n1", "nothing"]) {
            let found = home.store.lexical(&LexicalQuery::any([word]), &Filter::default(), 1000).unwrap();
            let wanted: usize = live().filter(|item| item.matches(word)).count();
            prop_assert_eq!(found.items.len(), wanted, "{}", word);
        }
        let query = [0.3, -0.5, 0.8, 0.1];
        let found = home.store.dense(model, &query, &Filter::default(), 1000).unwrap();
        let score = |text: &String| vector(text).iter().zip(&query).map(|(a, b)| a * b).sum::<f32>();
        let mut compared = 0;
        let mut expected = 0;
        for item in live() {
            let mut wanted: Vec<f32> = item.paragraphs.iter()
                .filter(|text| embedded.contains(*text))
                .map(score)
                .collect();
            compared += wanted.len() as u64;
            expected += usize::from(!wanted.is_empty());
            wanted.sort_by(|a, b| b.total_cmp(a));
            wanted.truncate(ItemMatch::CHUNKS);
            let found = found.items.iter().find(|found| found.item == item.id);
            let chunks = found.map_or(&[][..], |found| &found.chunks);
            prop_assert_eq!(chunks.len(), wanted.len());
            for (found, wanted) in chunks.iter().zip(wanted) {
                prop_assert!((found.1 - f64::from(wanted)).abs() < 2.0, "{} {}", found.1, wanted);
            }
        }
        prop_assert_eq!(found.items.len(), expected);
        prop_assert_eq!(found.background.count, compared);
        let stats = home.store.stats().unwrap();
        prop_assert_eq!(stats.items as usize, live().count());
        prop_assert_eq!(stats.deleted as usize, items.len() - live().count());
    }
}
