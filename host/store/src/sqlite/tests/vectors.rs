use super::*;

/// A vector of unit length that depends on the words alone.
fn embed(text: &str) -> Vec<f32> {
    let hash = blake3::hash(text.as_bytes());
    let mut vector: Vec<f32> = hash.as_bytes()[..8]
        .iter()
        .map(|&b| f32::from(b) - 127.5)
        .collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// Embeds all that is missing and says how many chunks that were.
fn embed_all(store: &SqliteStore, model: ModelId) -> usize {
    let mut after = None;
    let mut done = 0;
    loop {
        let page = store.unembedded(model, after, 2).unwrap();
        let Some(last) = page.last() else {
            return done;
        };
        after = Some(last.cursor);
        let vectors: Vec<_> = page.iter().map(|c| (c.hash, embed(&c.text))).collect();
        done += store.put_vectors(model, &vectors).unwrap() as usize;
    }
}

fn nearest(home: &Home, model: ModelId, text: &str, limit: usize) -> Vec<(String, f64)> {
    let found = home
        .store
        .dense(model, &embed(text), &Filter::default(), limit)
        .unwrap();
    let item = |id| home.store.item(id).unwrap().unwrap().item;
    let named = found.items.iter();
    named
        .map(|found| (item(found.item).external_id, found.score))
        .collect()
}

#[test]
fn vectors_are_found_by_meaning_and_follow_every_change() {
    let home = Home::new();
    let model = home.store.ensure_model("f1", "tiny", 8).unwrap();
    assert_eq!(home.store.ensure_model("f1", "tiny", 8).unwrap(), model);
    let a = home.put("a.md", "alpha\n\nbeta\n\ngamma");
    home.put("copy.md", "beta");
    let other = SqliteStore::open(home.path()).unwrap();
    assert!(nearest(&home, model, "beta", 1).is_empty());
    assert_eq!(embed_all(&other, model), 3);
    let found = nearest(&home, model, "beta", 2);
    assert_eq!(found[0].0, "a.md");
    assert_eq!(found[1].0, "copy.md");
    assert!((found[0].1 - 1.0).abs() < 0.01 && found[0].1 == found[1].1);

    // Deleted, it is out at once; restored, it is back without embedding.
    other.soft_delete(&[a], "user").unwrap();
    assert_eq!(nearest(&home, model, "beta", 1)[0].0, "copy.md");
    assert_eq!(nearest(&home, model, "alpha", 9).len(), 1);
    other.restore(&[a]).unwrap();
    assert_eq!(nearest(&home, model, "beta", 1)[0].0, "a.md");

    // Replaced from another handle: gone chunks are gone, new ones wait for
    // their vectors, and a chunk that comes back needs no embedding.
    let put = |text: &str| other.put(&[note(home.source, "a.md", text)]).unwrap();
    put("delta");
    let left = nearest(&home, model, "alpha", 9);
    assert_eq!((left.len(), left[0].0.as_str()), (1, "copy.md"));
    assert_eq!(embed_all(&other, model), 1);
    assert_eq!(nearest(&home, model, "delta", 1)[0].0, "a.md");
    put("alpha\n\ndelta");
    assert_eq!(embed_all(&other, model), 0);
    assert!((nearest(&home, model, "alpha", 1)[0].1 - 1.0).abs() < 0.01);
    assert!((nearest(&home, model, "delta", 1)[0].1 - 1.0).abs() < 0.01);

    // Hard deletion takes along the vectors that nobody else needs.
    assert_eq!(other.hard_delete(&[a]).unwrap().vectors, 3);
    assert_eq!(nearest(&home, model, "alpha", 9).len(), 1);
    home.assert_sound();
    // The same text again is embedded again, into a place that was freed.
    put("alpha");
    assert_eq!(embed_all(&other, model), 1);
    assert!((nearest(&home, model, "alpha", 1)[0].1 - 1.0).abs() < 0.01);
}

#[test]
fn models_stand_side_by_side() {
    let home = Home::new();
    home.put("a.md", "alpha\n\nbeta");
    let b = home.put("b.md", "alpha\n\ngone");
    let old = home.store.ensure_model("old", "small", 8).unwrap();
    let new = home.store.ensure_model("new", "big", 16).unwrap();
    assert!(matches!(
        home.store.ensure_model("old", "small", 9),
        Err(Error::Invalid { .. })
    ));
    assert!(matches!(
        home.store.ensure_model("x", "none", 0),
        Err(Error::Invalid { .. })
    ));
    home.store.soft_delete(&[b], "user").unwrap();
    assert_eq!(home.store.current_model().unwrap(), None);
    embed_all(&home.store, old);
    home.store.set_current_model(old).unwrap();
    let hash = ChunkHash::of("alpha");
    let put = |model, hash, vector| home.store.put_vectors(model, &[(hash, vector)]);
    assert_eq!(put(new, hash, vec![0.5; 16]).unwrap(), 1);
    assert_eq!(put(new, hash, vec![0.7; 16]).unwrap(), 0);
    assert!(matches!(
        put(new, hash, vec![0.5; 8]),
        Err(Error::Invalid { .. })
    ));
    assert!(matches!(
        put(old, hash, vec![f32::INFINITY; 8]),
        Err(Error::Invalid { .. })
    ));
    assert!(matches!(
        put(ModelId(9), hash, vec![0.5; 8]),
        Err(Error::NotFound { .. })
    ));
    let models = home.store.models().unwrap();
    assert_eq!(
        (models[0].present, models[0].missing, models[0].current),
        (2, 0, true)
    );
    assert_eq!(
        (models[1].present, models[1].missing, models[1].current),
        (1, 1, false)
    );
    assert_eq!(models[1].dimensions, 16);
    let dense = |model, dims| {
        home.store
            .dense(model, &vec![1.0; dims], &Filter::default(), 9)
    };
    assert_eq!(dense(old, 8).unwrap().background.count, 2);
    assert_eq!(dense(new, 16).unwrap().background.count, 1);
    assert_eq!(dense(old, 8).unwrap().background.count, 2);
    assert!(matches!(dense(new, 8), Err(Error::Invalid { .. })));
    assert!(matches!(dense(ModelId(9), 8), Err(Error::NotFound { .. })));
    assert!(matches!(
        home.store.set_current_model(ModelId(9)),
        Err(Error::NotFound { .. })
    ));
    home.store.set_current_model(new).unwrap();
    assert_eq!(home.store.current_model().unwrap(), Some(new));
    assert_eq!(home.store.remove_model(old).unwrap(), 2);
    assert_eq!(home.store.remove_model(new).unwrap(), 1);
    assert_eq!(home.store.current_model().unwrap(), None);
    assert!(home.store.models().unwrap().is_empty());
    assert!(matches!(dense(old, 8), Err(Error::NotFound { .. })));
    home.assert_sound();
}

#[test]
fn unembedded_chunks_come_with_what_is_embedded() {
    let home = Home::new();
    let model = home.store.ensure_model("f", "m", 8).unwrap();
    let mut item = note(home.source, "a.md", "one\n\ntwö\n\none");
    item.chunks[1].context = Some("ctx".into());
    home.put_item(item);
    let page = home.store.unembedded(model, None, 10).unwrap();
    assert_eq!(page.len(), 2);
    assert_eq!(
        (page[0].text.as_str(), page[0].context.as_deref()),
        ("one", None)
    );
    assert_eq!(
        (page[1].text.as_str(), page[1].context.as_deref()),
        ("twö", Some("ctx"))
    );
    let rest = home
        .store
        .unembedded(model, Some(page[1].cursor), 10)
        .unwrap();
    assert_eq!(rest.len(), 1);
}

#[test]
fn the_vectors_of_an_item_come_in_the_order_of_its_chunks() {
    let home = Home::new();
    let model = home.store.ensure_model("f1", "tiny", 8).unwrap();
    let item = home.put("a.md", "alpha\n\nbeta\n\ngamma");
    assert!(home.store.item_vectors(model, item).unwrap().is_empty());
    embed_all(&home.store, model);
    let found = home.store.item_vectors(model, item).unwrap();
    assert_eq!(found.len(), 3);
    for (own, text) in found.iter().zip(["alpha", "beta", "gamma"]) {
        let cosine: f32 = own.vector.iter().zip(embed(text)).map(|(a, b)| a * b).sum();
        assert!((cosine - 1.0).abs() < 0.01, "{text}: {cosine}");
    }
    assert!(home.store.item_vectors(ModelId(99), item).is_err());
}
