use super::*;

const DIMENSIONS: u32 = 4;

fn set(home: &Home, key: &str) -> ChunkSetId {
    let set = ChunkSet {
        key: key.into(),
        chunker: "chunk-lines".into(),
        version: "1.0.0".into(),
        sha256: "00".into(),
        settings: "{}".into(),
        tokenizer: "t".into(),
        budget: 100,
    };
    home.store.add_chunk_set(&set).unwrap()
}

fn wanted(set: ChunkSetId) -> [WantedSet; 1] {
    [WantedSet {
        kind: Some("note".into()),
        set,
    }]
}

/// One chunk for the whole of a text.
fn whole(item: &Outdated) -> StagedWrite {
    let span = 0..item.text.len() as u64;
    StagedWrite {
        item: item.item,
        set: item.wanted,
        chunks: vec![ChunkWrite {
            hash: ChunkHash::of(&item.text),
            headings: Vec::new(),
            context: None,
            terms: Terms {
                title: words(&item.title),
                headings: String::new(),
                body: words(&item.text),
            },
            span,
        }],
    }
}

/// Stages one chunk an item for all that are outdated.
fn stage_all(home: &Home, set: ChunkSetId) -> usize {
    let page = home
        .store
        .outdated(home.source, &wanted(set), None, 100)
        .unwrap();
    let staged: Vec<StagedWrite> = page.entries.iter().map(whole).collect();
    home.store.stage(&staged).unwrap();
    staged.len()
}

fn put_with(home: &Home, id: &str, text: &str, set: ChunkSetId) -> ItemId {
    let mut item = note(home.source, id, text);
    item.chunk_set = Some(set);
    home.put_item(item)
}

fn embed(home: &Home, model: ModelId, limit: usize) -> usize {
    let mut after = None;
    let mut made = 0;
    loop {
        let page = home.store.unembedded(model, after, limit).unwrap();
        let Some(last) = page.last() else {
            return made;
        };
        after = Some(last.cursor);
        let rows: Vec<_> = page
            .iter()
            .map(|chunk| (chunk.hash, vec![0.5; DIMENSIONS as usize]))
            .collect();
        made += home.store.put_vectors(model, &rows).unwrap() as usize;
    }
}

fn chunk_count(home: &Home, item: ItemId) -> usize {
    home.store.chunks(item).unwrap().len()
}

#[test]
fn staged_chunks_are_searched_only_once_they_took_over() {
    let home = Home::new();
    let old = set(&home, "old");
    let a = put_with(&home, "a.md", "alpha\n\nbeta", old);
    let b = put_with(&home, "b.md", "gamma\n\ndelta", old);
    let model = home.store.ensure_model("f1", "tiny", DIMENSIONS).unwrap();
    home.store.set_current_model(model).unwrap();
    assert_eq!(embed(&home, model, 3), 4);

    let new = set(&home, "new");
    assert_eq!(stage_all(&home, new), 2);
    assert_eq!(stage_all(&home, new), 0, "what is staged is not outdated");
    home.assert_sound();
    assert_eq!((chunk_count(&home, a), chunk_count(&home, b)), (2, 2));
    assert_eq!(home.search("beta"), ["a.md"]);
    let stats = &home.store.models().unwrap()[0];
    assert_eq!((stats.present, stats.missing), (4, 0));
    assert_eq!((stats.wanted, stats.pending), (2, 2));

    assert_eq!(embed(&home, model, 1), 2);
    assert_eq!(home.store.remove_orphan_vectors().unwrap(), 0);
    let taken = home.store.take_over(Some(model)).unwrap();
    assert_eq!(
        taken,
        TakeOver {
            items: 2,
            model: false
        }
    );
    assert_eq!((chunk_count(&home, a), chunk_count(&home, b)), (1, 1));
    assert_eq!(home.search("alpha"), ["a.md"]);
    assert_eq!(home.store.remove_orphan_vectors().unwrap(), 4);
    let stats = &home.store.models().unwrap()[0];
    assert_eq!((stats.present, stats.missing, stats.pending), (2, 0, 0));
    let sets = home.store.chunk_sets(&[]).unwrap();
    assert_eq!(sets.len(), 1);
    assert_eq!(sets[0].0.as_ref().unwrap().key, "new");
    assert_eq!(sets[0].1, 2);
    home.assert_sound();
    assert_eq!(
        home.store.take_over(Some(model)).unwrap(),
        TakeOver::default()
    );
}

#[test]
fn chunks_that_stay_the_same_keep_their_ids_when_others_take_over() {
    let home = Home::new();
    let a = put_with(&home, "a.md", "only one paragraph", set(&home, "old"));
    let before = home.store.chunks(a).unwrap();
    stage_all(&home, set(&home, "new"));
    home.store.take_over(None).unwrap();
    assert_eq!(home.store.chunks(a).unwrap(), before);
    home.assert_sound();
}

#[test]
fn a_text_that_changed_drops_what_was_staged_for_it() {
    let home = Home::new();
    let (old, new) = (set(&home, "old"), set(&home, "new"));
    let a = put_with(&home, "a.md", "alpha\n\nbeta", old);
    let outdated = home
        .store
        .outdated(home.source, &wanted(new), None, 10)
        .unwrap();
    stage_all(&home, new);
    put_with(&home, "a.md", "al", new);
    assert_eq!(home.store.take_over(None).unwrap(), TakeOver::default());
    assert_eq!(home.search("al"), ["a.md"]);

    // Chunks made before the change no longer fit and are passed over.
    home.store.stage(&[whole(&outdated.entries[0])]).unwrap();
    assert_eq!(home.store.take_over(None).unwrap(), TakeOver::default());
    assert_eq!(chunk_count(&home, a), 1);
    home.assert_sound();
}

#[test]
fn going_back_to_the_chunker_before_drops_what_was_staged() {
    let home = Home::new();
    let (old, new) = (set(&home, "old"), set(&home, "new"));
    put_with(&home, "a.md", "alpha\n\nbeta", old);
    stage_all(&home, new);
    assert_eq!(home.store.unstage(home.source, &wanted(new)).unwrap(), 0);
    assert_eq!(home.store.unstage(home.source, &wanted(old)).unwrap(), 1);
    assert_eq!(stage_all(&home, old), 0);
    assert_eq!(home.store.take_over(None).unwrap(), TakeOver::default());
}

#[test]
fn only_live_items_of_the_kinds_asked_for_are_outdated() {
    let home = Home::new();
    let (old, new) = (set(&home, "old"), set(&home, "new"));
    put_with(&home, "a.md", "alpha", old);
    let mut other = note(home.source, "b.txt", "beta");
    other.kind = "text".into();
    home.put_item(other);
    home.put("unknown.md", "made before chunk sets were kept");
    let gone = put_with(&home, "gone.md", "gamma", old);
    home.store.soft_delete(&[gone], "user").unwrap();
    let page = home
        .store
        .outdated(home.source, &wanted(new), None, 1)
        .unwrap();
    assert_eq!((page.entries.len(), page.total), (1, 2));
    let rest = home
        .store
        .outdated(home.source, &wanted(new), Some(page.entries[0].item), 9)
        .unwrap();
    assert_eq!(rest.entries[0].external_id, "unknown.md");
    assert_eq!(rest.total, 1);
}

#[test]
fn a_model_takes_over_together_with_the_chunks_made_for_it() {
    let home = Home::new();
    put_with(&home, "a.md", "alpha\n\nbeta", set(&home, "old"));
    let first = home.store.ensure_model("f1", "first", DIMENSIONS).unwrap();
    home.store.set_current_model(first).unwrap();
    embed(&home, first, 9);
    let second = home.store.ensure_model("f2", "second", DIMENSIONS).unwrap();
    stage_all(&home, set(&home, "new"));
    assert_eq!(embed(&home, second, 9), 1);
    assert_eq!(home.store.current_model().unwrap(), Some(first));
    let taken = home.store.take_over(Some(second)).unwrap();
    assert_eq!(
        taken,
        TakeOver {
            items: 1,
            model: true
        }
    );
    assert_eq!(home.store.current_model().unwrap(), Some(second));
    assert!(home.store.take_over(Some(ModelId(99))).is_err());
}

#[test]
fn warnings_are_added_once() {
    let home = Home::new();
    let a = home.put("a.md", "alpha");
    for warning in ["one", "two", "one"] {
        home.store.warn(a, warning).unwrap();
    }
    home.store.warn(ItemId(99), "nobody").unwrap();
    let rows = home.store.ledger(&LedgerQuery::default()).unwrap();
    assert_eq!(rows.entries[0].warnings, ["one", "two"]);
}
