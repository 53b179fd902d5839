//! Searching by meaning, compared with going through all that is stored.

use std::collections::BTreeMap;

use super::*;

/// Numbers that look random and are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// From -1 to 1.
    fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|_| self.number()).collect()
    }
}

/// What a search should find, worked out plainly from the rows of the tables.
fn plainly(
    home: &Home,
    model: ModelId,
    query: &[f32],
    counts: impl Fn(ItemId) -> bool,
    limit: usize,
) -> DenseMatches {
    let rows: Vec<(i64, i64, Vec<u8>)> = home
        .store
        .pool
        .read("look", |tx| {
            tx.prepare(
                "SELECT c.id, c.item_id, v.vector FROM chunks c
                 JOIN items i ON i.id = c.item_id JOIN vectors v ON v.hash = c.hash
                 WHERE v.model_id = ?1 AND i.deleted IS NULL",
            )?
            .query_map([model.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect()
        })
        .unwrap();
    let mut items: BTreeMap<ItemId, Vec<(ChunkId, f64)>> = BTreeMap::new();
    for (chunk, item, vector) in rows {
        let scale = f32::from_le_bytes(vector[..4].try_into().unwrap());
        let numbers = vector[4..].iter().map(|byte| f64::from(byte.cast_signed()));
        let pairs = numbers.zip(query);
        let sum: f64 = pairs.map(|(v, q)| v * f64::from(*q)).sum();
        if counts(ItemId(item)) {
            let score = sum * f64::from(scale);
            items
                .entry(ItemId(item))
                .or_default()
                .push((ChunkId(chunk), score));
        }
    }
    let scores: Vec<f64> = items.values().flatten().map(|chunk| chunk.1).collect();
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let variance = scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / count;
    let mut found: Vec<ItemMatch> = items
        .into_iter()
        .map(|(item, mut chunks)| {
            chunks.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            chunks.truncate(3);
            let score = chunks[0].1;
            ItemMatch {
                item,
                score,
                chunks,
            }
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item)));
    found.truncate(limit);
    let models = home.store.models().unwrap();
    let own = models.iter().find(|known| known.id == model).unwrap();
    DenseMatches {
        items: found,
        background: Background {
            mean,
            deviation: variance.sqrt(),
            count: scores.len() as u64,
        },
        missing: own.missing,
        all_missing: own.missing > 0 && own.present == 0,
    }
}

/// The same items and chunks in the same order. `length` is that of the query
/// times that of the longest vector.
fn assert_same(found: &DenseMatches, wanted: &DenseMatches, length: f64) {
    assert_eq!(found.items.len(), wanted.items.len());
    assert_eq!(
        (found.missing, found.all_missing),
        (wanted.missing, wanted.all_missing)
    );
    let near = |a: f64, b: f64, share: f64| (a - b).abs() <= share * length;
    for (place, (found, wanted)) in found.items.iter().zip(&wanted.items).enumerate() {
        let ids = |item: &ItemMatch| -> Vec<ChunkId> { item.chunks.iter().map(|c| c.0).collect() };
        assert_eq!(
            (found.item, ids(found)),
            (wanted.item, ids(wanted)),
            "{place}"
        );
        assert!(found.score == found.chunks[0].1);
        for (found, wanted) in found.chunks.iter().zip(&wanted.chunks) {
            assert!(near(found.1, wanted.1, 1e-12), "{found:?} {wanted:?}");
        }
    }
    let (found, wanted) = (found.background, wanted.background);
    assert_eq!(found.count, wanted.count);
    // Random roundings of the query; 0.02 would hold for the worst ones.
    assert!(near(found.mean, wanted.mean, 0.005), "{found:?} {wanted:?}");
    assert!(
        near(found.deviation, wanted.deviation, 0.005),
        "{found:?} {wanted:?}"
    );
}

/// Gives a vector to every chunk that lacks one: some near to each other, some
/// all zeros, of different lengths.
fn embed_at_random(home: &Home, model: ModelId, dimensions: usize, random: &mut Random) {
    let centres: Vec<Vec<f32>> = (0..4).map(|_| random.vector(dimensions)).collect();
    let missing = home.store.unembedded(model, None, 100_000).unwrap();
    let vectors: Vec<_> = missing
        .iter()
        .map(|chunk| {
            let centre = &centres[random.below(4) as usize];
            let spread = [0.0, 0.002, 0.3, 1.0][random.below(4) as usize];
            let size = [0.0, 0.5, 1.0, 1.0, 1.0][random.below(5) as usize];
            let vector = centre
                .iter()
                .map(|x| size * (x + spread * random.number()))
                .collect();
            (chunk.hash, vector)
        })
        .collect();
    home.store.put_vectors(model, &vectors).unwrap();
}

/// A note of a few paragraphs; many are the same as others.
fn write_note(home: &Home, name: u64, random: &mut Random) -> ItemId {
    let paragraphs: Vec<String> = (0..1 + random.below(6))
        .map(|_| format!("text {}", random.below(500)))
        .collect();
    home.put(&format!("{}/{name}.md", name % 7), &paragraphs.join("\n\n"))
}

fn length(vector: &[f32]) -> f64 {
    vector
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// Compares a few searches, filtered and not.
fn compare(home: &Home, model: ModelId, dimensions: usize, random: &mut Random) {
    let seven: Vec<ItemId> = {
        let filter = Test::Path("3/".into()).into();
        let query = ItemQuery {
            filter,
            limit: 10_000,
            ..ItemQuery::default()
        };
        let page = home.store.items(&query).unwrap();
        page.entries.iter().map(|item| item.id).collect()
    };
    for limit in [1, 2, 20, 10_000] {
        let query = random.vector(dimensions);
        // No vector is longer than twice the longest centre.
        let length = length(&query) * 2.0 * (dimensions as f64).sqrt();
        let search = |filter: &Filter| home.store.dense(model, &query, filter, limit).unwrap();
        let found = search(&Filter::default());
        let wanted = plainly(home, model, &query, |_| true, limit);
        assert_same(&found, &wanted, length);
        let found = search(&Test::Path("3/".into()).into());
        let wanted = plainly(home, model, &query, |item| seven.contains(&item), limit);
        assert_same(&found, &wanted, length);
        let nobody = search(&Test::Path("nowhere/".into()).into());
        assert_eq!((nobody.items, nobody.background.count), (Vec::new(), 0));
    }
}

#[test]
fn a_search_finds_what_a_plain_ranking_finds_through_all_changes() {
    for dimensions in [1, 37, 64, 100, 384] {
        let random = &mut Random(0x9e37_79b9_7f4a_7c15 + dimensions as u64);
        let home = Home::new();
        let name = format!("m{dimensions}");
        let model = home
            .store
            .ensure_model(&name, &name, dimensions as u32)
            .unwrap();
        let mut ids: Vec<ItemId> = (0..200).map(|n| write_note(&home, n, random)).collect();
        let before = home
            .store
            .dense(model, &vec![1.0; dimensions], &Filter::default(), 1)
            .unwrap();
        assert!(before.all_missing && before.missing > 100, "{before:?}");
        embed_at_random(&home, model, dimensions, random);
        compare(&home, model, dimensions, random);
        // Replaced: their chunks come last and are not beside others of theirs.
        for n in 0..60 {
            write_note(&home, n * 3, random);
        }
        compare(&home, model, dimensions, random);
        embed_at_random(&home, model, dimensions, random);
        home.store.soft_delete(&ids[50..70], "user").unwrap();
        home.store.hard_delete(&ids.split_off(150)).unwrap();
        compare(&home, model, dimensions, random);
        home.store.restore(&ids[55..60]).unwrap();
        home.store.remove_orphan_vectors().unwrap();
        compare(&home, model, dimensions, random);
        // Another handle reads everything anew.
        let other = SqliteStore::open(home.path()).unwrap();
        let query = random.vector(dimensions);
        let search =
            |store: &SqliteStore| store.dense(model, &query, &Filter::default(), 30).unwrap();
        assert_eq!(search(&other), search(&home.store));
        home.assert_sound();
    }
}

#[test]
fn what_went_away_is_left_behind_for_good_when_it_is_much() {
    let home = Home::new();
    let random = &mut Random(7);
    let model = home.store.ensure_model("m", "m", 16).unwrap();
    for round in 0..4 {
        // Each round replaces all 1,500 chunks.
        let texts: Vec<String> = (0..1500).map(|n| format!("{round} {n}")).collect();
        for (n, part) in texts.chunks(100).enumerate() {
            home.put(&format!("3/{n}.md"), &part.join("\n\n"));
        }
        embed_at_random(&home, model, 16, random);
        compare(&home, model, 16, random);
    }
    let catalogue = home
        .store
        .pool
        .read("look", |tx| home.store.catalogue.at(tx))
        .unwrap();
    assert!(catalogue.chunks().len() < 3000 && catalogue.edition() > 0);
    assert!(!catalogue.chunks().contains(&1));
}

#[test]
fn many_vectors_are_searched_by_several_threads_alike() {
    let home = Home::new();
    let random = &mut Random(11);
    let model = home.store.ensure_model("m", "m", 4096).unwrap();
    for n in 0..90 {
        let texts: Vec<String> = (0..100).map(|chunk| format!("{n} {chunk}")).collect();
        home.put(&format!("{}/{n}.md", n % 7), &texts.join("\n\n"));
    }
    embed_at_random(&home, model, 4096, random);
    compare(&home, model, 4096, random);
}

#[test]
fn all_alike_is_ranked_by_number() {
    let home = Home::new();
    let model = home.store.ensure_model("m", "m", 3).unwrap();
    let ids: Vec<ItemId> = (0..30)
        .map(|n| home.put(&format!("{n}.md"), "same\n\nsame\n\nsame\n\nsame"))
        .collect();
    let hash = ChunkHash::of("same");
    home.store
        .put_vectors(model, &[(hash, vec![0.3, -0.7, 0.2])])
        .unwrap();
    for query in [[0.1, 0.5, -0.9], [0.0; 3], [f32::MAX; 3], [1e-45; 3]] {
        let found = home
            .store
            .dense(model, &query, &Filter::default(), 10)
            .unwrap();
        let items: Vec<ItemId> = found.items.iter().map(|found| found.item).collect();
        assert_eq!(items, ids[..10], "{query:?}");
        for item in &found.items {
            let chunks = home.store.chunks(item.item).unwrap();
            let first: Vec<ChunkId> = chunks[..3].iter().map(|chunk| chunk.id).collect();
            let named: Vec<ChunkId> = item.chunks.iter().map(|chunk| chunk.0).collect();
            assert_eq!(named, first);
        }
        assert_eq!(found.background.count, 120);
        assert!(found.background.deviation <= 1e-6 * found.background.mean.abs());
    }
    let odd = home
        .store
        .dense(model, &[0.0, f32::NAN, 0.0], &Filter::default(), 10);
    assert!(matches!(odd, Err(Error::Invalid { .. })));
    let none = home.store.dense(model, &[1.0; 3], &Filter::default(), 0);
    assert!(none.unwrap().items.is_empty());
}

#[test]
fn what_is_nearly_alike_is_told_apart() {
    let home = Home::new();
    let random = &mut Random(13);
    let model = home.store.ensure_model("m", "m", 384).unwrap();
    for n in 0..400 {
        home.put(&format!("3/{n}.md"), &format!("text {n}"));
    }
    // Multiples of a step of eight bits, so that nothing is rounded.
    let mut base: Vec<f32> = (0..384).map(|_| random.below(200) as f32 - 100.0).collect();
    base[0] = 127.0;
    let missing = home.store.unembedded(model, None, 1000).unwrap();
    let vectors: Vec<_> = missing
        .iter()
        .map(|chunk| {
            // Two numbers are a step away from those of others.
            let mut vector = base.clone();
            for _ in 0..2 {
                vector[1 + random.below(383) as usize] += 1.0;
            }
            (chunk.hash, vector)
        })
        .collect();
    home.store.put_vectors(model, &vectors).unwrap();
    for limit in [1, 20, 50, 75, 100, 150] {
        // Differences between its numbers are lost in 8 bits, and blurred in 16.
        let mut query: Vec<f32> = (0..384).map(|_| 0.5 + 1e-3 * random.number()).collect();
        query[0] = 1.0;
        let found = home
            .store
            .dense(model, &query, &Filter::default(), limit)
            .unwrap();
        let wanted = plainly(&home, model, &query, |_| true, limit);
        assert_same(&found, &wanted, length(&query) * length(&base));
    }
}
