//! Sources that are as if they were not there: whatever is asked is answered as
//! by a store that does not hold them.

use super::*;

/// A store with one source, and one with the same and another.
fn homes() -> (Home, Home, SourceId) {
    let (plain, both) = (Home::new(), Home::new());
    for home in [&plain, &both] {
        let b = home.put("b.md", "the vault is here\n\nand the river");
        home.put("a.md", "a river, a vault and much more of other things");
        let model = home.store.ensure_model("m", "m", 2).unwrap();
        home.store.set_current_model(model).unwrap();
        let chunks = home.store.chunks(b).unwrap();
        let vector = (chunks[0].hash, vec![1.0, 0.5]);
        home.store.put_vectors(model, &[vector]).unwrap();
    }
    let other = both.store.add_source(&spec("other")).unwrap().id;
    let mut secret = note(
        other,
        "secret.md",
        "the vault\n\nxylofrond vault\n\nriver xylofrond",
    );
    secret.aliases = vec!["Hidden river".into()];
    secret.tags = vec!["zq".into()];
    let id = both.put_item(secret);
    both.put_item(note(other, "a.md", "the same name, and a river"));
    let model = both.store.current_model().unwrap().unwrap();
    let chunks = both.store.chunks(id).unwrap();
    let vectors: Vec<_> = chunks
        .iter()
        .map(|own| (own.hash, vec![1.0, 1.0]))
        .collect();
    both.store.put_vectors(model, &vectors).unwrap();
    both.store
        .put_ledger(&[LedgerWrite {
            source: other,
            external_id: "broken.pdf".into(),
            outcome: NotIndexed::Failed,
            reason: "damaged".into(),
            message: "it is damaged".into(),
            provenance: Provenance::default(),
        }])
        .unwrap();
    (plain, both, other)
}

fn without(source: SourceId) -> Filter {
    Filter {
        without: vec![source],
        ..Filter::default()
    }
}

#[test]
fn searches_by_word_weigh_and_find_the_same() {
    let (plain, both, other) = homes();
    for words in [
        "vault",
        "river vault",
        "xylofrond",
        "xylofrond river",
        "the",
        "zq hidden",
    ] {
        let query = LexicalQuery::any(words.split(' '));
        for test in [None, Some(Test::Title("a".into())), Some(Test::Untagged)] {
            let (mut all, mut rest) = (Filter::default(), without(other));
            all.conditions.extend(test.clone().map(Condition::from));
            rest.conditions.extend(test.map(Condition::from));
            let expected = plain.store.lexical(&query, &all, 10).unwrap();
            let found = both.store.lexical(&query, &rest, 10).unwrap();
            assert_eq!(found, expected, "{words}");
        }
    }
    // Others weigh it all.
    let query = LexicalQuery::any(["xylofrond"]);
    let whole = both.store.lexical(&query, &Filter::default(), 10).unwrap();
    assert_eq!((whole.items.len(), whole.holding[0]), (1, 2));
}

#[test]
fn searches_by_meaning_find_and_miss_the_same() {
    let (plain, both, other) = homes();
    let model = |home: &Home| home.store.current_model().unwrap().unwrap();
    for query in [[1.0, 0.0], [0.2, 0.9]] {
        let all = Filter::default();
        let expected = plain.store.dense(model(&plain), &query, &all, 10).unwrap();
        let found = both.store.dense(model(&both), &query, &without(other), 10);
        assert_eq!(found.unwrap(), expected);
    }
}

#[test]
fn listings_names_and_numbers_are_the_same() {
    let (plain, both, other) = homes();
    let items = |home: &Home, filter: Filter| {
        let page = home.store.items(&ItemQuery {
            filter,
            ..ItemQuery::default()
        });
        let page = page.unwrap();
        let ids: Vec<String> = page.entries.into_iter().map(|i| i.external_id).collect();
        (ids, page.total)
    };
    assert_eq!(
        items(&both, without(other)),
        items(&plain, Filter::default())
    );
    let names = |home: &Home, rest: &[SourceId]| {
        let wanted = ["a.md", "a", "secret", "Hidden river", "secrat", "b"];
        wanted.map(|wanted| {
            let found = home.store.find(wanted, Deleted::Exclude, rest, 9).unwrap();
            let near = home
                .store
                .similar(wanted, Deleted::Exclude, rest, 9)
                .unwrap();
            let ids = |items: Vec<Item>| items.into_iter().map(|i| i.id).collect::<Vec<_>>();
            (ids(found), ids(near))
        })
    };
    assert_eq!(names(&both, &[other]), names(&plain, &[]));
    assert_ne!(names(&both, &[]), names(&plain, &[]));
    let ledger = |home: &Home, without: Vec<SourceId>| {
        let page = home.store.ledger(&LedgerQuery {
            without,
            ..LedgerQuery::default()
        });
        let page = page.unwrap();
        let ids: Vec<String> = page
            .entries
            .into_iter()
            .map(|row| row.external_id)
            .collect();
        (ids, page.total)
    };
    assert_eq!(ledger(&both, vec![other]), ledger(&plain, Vec::new()));
    let numbers = |stats: Stats| {
        let sources: Vec<_> = stats
            .sources
            .into_iter()
            .map(|own| (own.source.spec.name, own.items, own.ledger.failed))
            .collect();
        let models: Vec<_> = stats
            .models
            .into_iter()
            .map(|own| (own.present, own.missing))
            .collect();
        (stats.items, stats.chunks, stats.text_bytes, sources, models)
    };
    let expected = numbers(plain.store.stats().unwrap());
    assert_eq!(
        numbers(both.store.stats_without(&[other]).unwrap()),
        expected
    );
    assert_ne!(numbers(both.store.stats().unwrap()), expected);
    let sets = |home: &Home, rest: &[SourceId]| home.store.chunk_sets(rest).unwrap()[0].1;
    assert_eq!(sets(&both, &[other]), sets(&plain, &[]));
}
