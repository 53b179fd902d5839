use super::*;

fn full(source: SourceId) -> ItemWrite {
    let mut item = note(source, "a/Full.md", "first line\n\nsecond ünit here");
    item.title = "Full".into();
    item.url = Some("file:///a/Full.md".into());
    item.author = Some("Ann".into());
    item.language = Some("en".into());
    item.created = Some(-5);
    item.modified = Some(1_700_000_000_000);
    item.published = Some(3);
    item.duration = Some(12.5);
    item.views = Some(7);
    item.categories = vec!["Music".into()];
    item.tags = vec!["b/c".into(), "a".into(), "b/c".into()];
    item.aliases = vec!["Other name".into()];
    item.marks = vec![
        Mark {
            offset: 0,
            place: Place::Line(4),
        },
        Mark {
            offset: 12,
            place: Place::Line(6),
        },
    ];
    let property = |name: &str, value| Property {
        name: name.into(),
        value,
    };
    item.properties = vec![
        property("done", Value::One(Scalar::Boolean(true))),
        property("empty", Value::Many(vec![])),
        property(
            "mixed",
            Value::Many(vec![Scalar::Number(3.0), Scalar::Text("x".into())]),
        ),
        property("one", Value::Many(vec![Scalar::Timestamp(9)])),
        property("rating", Value::One(Scalar::Number(4.5))),
    ];
    item.links = vec![Link {
        kind: LinkKind::Embed,
        target: "Other".into(),
        heading: Some("H".into()),
        block: None,
        label: Some("see".into()),
        span: 0..5,
    }];
    item.chunks[1].headings = vec!["Top".into(), "Sub \u{1f}\"x\"".into()];
    item.chunks[1].context = Some("Top > Sub".into());
    item
}

#[test]
fn an_item_comes_back_as_it_was_put() {
    let home = Home::new();
    let item = full(home.source);
    let id = home.put_item(item.clone());
    let back = home.store.item(id).unwrap().unwrap();
    assert_eq!(back.item.external_id, item.external_id);
    assert_eq!(back.item.source, "notes");
    assert_eq!(back.item.title, item.title);
    assert_eq!(back.item.url, item.url);
    assert_eq!(back.item.author, item.author);
    assert_eq!(back.item.language, item.language);
    assert_eq!(back.item.created, item.created);
    assert_eq!(back.item.modified, item.modified);
    assert_eq!(back.item.published, item.published);
    assert_eq!(back.item.duration, item.duration);
    assert_eq!(back.item.views, item.views);
    assert_eq!(back.item.size, item.size);
    assert_eq!(back.item.content_hash, item.content_hash);
    assert_eq!(back.item.status, ItemStatus::Indexed);
    assert_eq!(back.categories, item.categories);
    assert_eq!(back.tags, ["b/c", "a"]);
    assert_eq!(back.aliases, item.aliases);
    assert_eq!(back.properties, item.properties);
    assert_eq!(back.links, item.links);
    let text = home.store.text(id).unwrap().unwrap();
    assert_eq!(text.text, item.text);
    assert_eq!(text.marks, item.marks);
    let chunks = home.store.chunks(id).unwrap();
    for (ordinal, (stored, put)) in chunks.iter().zip(&item.chunks).enumerate() {
        assert_eq!(stored.ordinal as usize, ordinal);
        assert_eq!(stored.span, put.span);
        assert_eq!(stored.headings, put.headings);
        assert_eq!(stored.context, put.context);
        assert_eq!(stored.hash, put.hash);
    }
    let hit = &home.store.hits(&[chunks[1].id]).unwrap()[0];
    assert_eq!(hit.text, "second ünit here");
    assert_eq!(hit.text_line, 3);
    assert_eq!(hit.marks, item.marks[1..]);
    assert_eq!(hit.item, back.item);
    home.assert_sound();
}

#[test]
fn putting_the_same_again_writes_nothing() {
    let home = Home::new();
    let item = full(home.source);
    let id = home.put_item(item.clone());
    let generation = |home: &Home| -> i64 {
        home.store
            .pool
            .read("look", |tx| {
                tx.query_row("SELECT value FROM meta WHERE key = 'generation'", [], |r| {
                    r.get(0)
                })
            })
            .unwrap()
    };
    let before = (generation(&home), home.store.chunks(id).unwrap());
    assert_eq!(home.put_item(item.clone()), id);
    assert_eq!((generation(&home), home.store.chunks(id).unwrap()), before);
    // A new stamp alone touches the ledger alone.
    let mut touched = item;
    touched.provenance.stamp = "other".into();
    home.put_item(touched);
    assert_ne!(generation(&home), before.0);
    assert_eq!(home.store.chunks(id).unwrap(), before.1);
    assert_eq!(
        home.store.stamps(home.source).unwrap()["a/Full.md"].stamp,
        "other"
    );
}

#[test]
fn every_change_of_an_item_is_taken_in() {
    let home = Home::new();
    let first = full(home.source);
    let changes: Vec<fn(&mut ItemWrite)> = vec![
        |i| i.kind = "page".into(),
        |i| i.title = "New".into(),
        |i| i.url = None,
        |i| i.author = None,
        |i| i.language = None,
        |i| i.created = None,
        |i| i.modified = None,
        |i| i.published = None,
        |i| i.duration = None,
        |i| i.views = None,
        |i| i.size = 1,
        |i| i.content_hash = [1; 32],
        |i| i.categories.clear(),
        |i| i.tags.clear(),
        |i| i.aliases.clear(),
        |i| i.properties[0].value = Value::One(Scalar::Boolean(false)),
        |i| i.links.clear(),
        |i| i.marks.clear(),
    ];
    for change in changes {
        let id = home.put_item(first.clone());
        let before = home.store.item(id).unwrap().unwrap();
        let text_before = home.store.text(id).unwrap();
        let mut changed = first.clone();
        change(&mut changed);
        assert_eq!(home.put_item(changed), id);
        let mut after = home.store.item(id).unwrap().unwrap();
        after.item.ingested = before.item.ingested;
        let same = after == before && home.store.text(id).unwrap() == text_before;
        assert!(!same, "nothing changed: {after:?}");
    }
    home.assert_sound();
}

#[test]
fn chunks_that_stay_the_same_keep_their_ids() {
    let home = Home::new();
    let id = home.put("a.md", "alpha one\n\nbeta two\n\ngamma three\n\nbeta two");
    let before = home.store.chunks(id).unwrap();
    home.put("a.md", "new start\n\nalpha one\n\ngamma three\n\nbeta two");
    let after = home.store.chunks(id).unwrap();
    let ids = |list: &[Chunk]| list.iter().map(|chunk| chunk.id).collect::<Vec<_>>();
    assert_eq!(ids(&after)[1..], [before[0].id, before[2].id, before[1].id]);
    assert!(!ids(&before).contains(&after[0].id));
    assert_eq!(home.search("alpha"), ["a.md"]);
    assert_eq!(home.search("beta"), ["a.md"]);
    assert_eq!(home.search("start"), ["a.md"]);
    home.assert_sound();
}

#[test]
fn title_aliases_tags_and_headings_are_found_and_replaced() {
    let home = Home::new();
    home.put_item(full(home.source));
    for word in ["full", "other", "sub", "second", "b"] {
        assert!(!home.search(word).is_empty(), "{word}");
    }
    let mut changed = full(home.source);
    changed.title = "Renamed".into();
    changed.aliases = vec!["Nickname".into()];
    changed.tags = vec!["zebra".into()];
    home.put_item(changed);
    for word in ["full", "other", "b"] {
        assert!(home.search(word).is_empty(), "{word}");
    }
    let chunks = |word: &str| {
        let query = LexicalQuery::any([word]);
        let found = home.store.lexical(&query, &Filter::default(), 9).unwrap();
        found.items[0].found.chunks.len()
    };
    assert_eq!(chunks("renamed"), 2, "the title, in each chunk");
    for word in ["nickname", "zebra"] {
        assert_eq!(chunks(word), 1, "{word}, with the first chunk");
    }
    home.assert_sound();
}

#[test]
fn a_batch_with_a_bad_item_stores_nothing() {
    let home = Home::new();
    let good = note(home.source, "good.md", "fine");
    let cases: Vec<(&str, std::ops::Range<u64>)> = vec![
        ("outside", 0..5),
        ("empty", 2..2),
        ("inside a character", 2..4),
        ("far outside", 3..u64::MAX),
    ];
    for (what, span) in cases {
        let mut bad = note(home.source, "bad.md", "aüb");
        bad.chunks[0].span = span;
        let error = home.store.put(&[good.clone(), bad]).unwrap_err();
        assert!(
            matches!(&error, Error::Invalid { name, .. } if name == "bad.md"),
            "{what}"
        );
    }
    let mut backwards = full(home.source);
    backwards.marks.reverse();
    assert!(matches!(
        home.store.put(&[good.clone(), backwards]),
        Err(Error::Invalid { .. })
    ));
    assert!(matches!(
        home.store.put(&[note(home.source, "", "x")]),
        Err(Error::Invalid { .. })
    ));
    assert!(matches!(
        home.store
            .put(&[good.clone(), note(SourceId(99), "x", "x")]),
        Err(Error::NotFound { .. })
    ));
    assert_eq!(home.store.stats().unwrap().items, 0);
    assert_eq!(home.store.put(&[]).unwrap(), []);
}

#[test]
fn renaming_keeps_chunks() {
    let home = Home::new();
    let id = home.put("old.md", "some words");
    home.put("taken.md", "others");
    let chunks = home.store.chunks(id).unwrap();
    let rename = |from: &str, to: &str| Rename {
        source: home.source,
        from: from.into(),
        to: to.into(),
        url: Some("file:///new".into()),
        stamp: "s2".into(),
    };
    home.store
        .put_ledger(&[skipped(home.source, "dir/new.md")])
        .unwrap();
    let done = home
        .store
        .rename(&[
            rename("old.md", "taken.md"),
            rename("missing.md", "x.md"),
            rename("old.md", "dir/new.md"),
        ])
        .unwrap();
    assert_eq!(done, [None, None, Some(id)]);
    assert_eq!(home.store.chunks(id).unwrap(), chunks);
    let item = home.store.item(id).unwrap().unwrap().item;
    assert_eq!(item.external_id, "dir/new.md");
    assert_eq!(item.url.as_deref(), Some("file:///new"));
    assert_eq!(home.search("words"), ["dir/new.md"]);
    let stamps = home.store.stamps(home.source).unwrap();
    assert!(!stamps.contains_key("old.md"));
    assert_eq!(stamps["dir/new.md"].stamp, "s2");
    assert_eq!(stamps["dir/new.md"].state, LedgerState::Indexed);
    home.assert_sound();
}

#[test]
fn items_exchange_their_identities_and_follow_each_other() {
    let home = Home::new();
    let [a, b, c, d] = ["a", "b", "c", "d"]
        .map(|name| home.put(&format!("{name}.md"), &format!("word{name} here")));
    home.store.soft_delete(&[d], "user").unwrap();
    let rename = |from: &str, to: &str| Rename {
        source: home.source,
        from: format!("{from}.md"),
        to: format!("{to}.md"),
        url: None,
        stamp: format!("of {from}"),
    };
    // A swap; a chain that ends at a new place; what is in nobody's way.
    let done = home
        .store
        .rename(&[
            rename("a", "b"),
            rename("b", "a"),
            rename("c", "d"),
            rename("d", "e"),
        ])
        .unwrap();
    assert_eq!(done, [Some(a), Some(b), Some(c), Some(d)]);
    let at = |name: &str| {
        let item = home
            .store
            .item_by_identity(home.source, &format!("{name}.md"))
            .unwrap();
        item.map(|item| item.id)
    };
    assert_eq!(
        ["a", "b", "c", "d", "e"].map(at),
        [Some(b), Some(a), None, Some(c), Some(d)]
    );
    assert_eq!(home.search("worda"), ["b.md"]);
    assert!(home.search("wordd").is_empty(), "it stays deleted");
    let stamps = home.store.stamps(home.source).unwrap();
    assert_eq!(stamps.len(), 4);
    for (name, from, item) in [("a", "b", b), ("b", "a", a), ("d", "c", c), ("e", "d", d)] {
        let stamp = &stamps[&format!("{name}.md")];
        assert_eq!(
            (stamp.stamp.as_str(), stamp.item),
            (&*format!("of {from}"), Some(item))
        );
    }
    // One that cannot go keeps those that would follow.
    let done = home
        .store
        .rename(&[
            rename("a", "b"),
            rename("b", "d"),
            rename("e", "x"),
            rename("e", "y"),
            rename("d", "d"),
        ])
        .unwrap();
    assert_eq!(done, [None, None, Some(d), None, Some(c)]);
    assert_eq!(
        ["a", "b", "d", "x"].map(at),
        [Some(b), Some(a), Some(c), Some(d)]
    );
    home.assert_sound();
}

fn skipped(source: SourceId, external_id: &str) -> LedgerWrite {
    LedgerWrite {
        source,
        external_id: external_id.into(),
        outcome: NotIndexed::Skipped,
        reason: "too-large".into(),
        message: "it has 200 MB".into(),
        provenance: Provenance {
            stamp: "s1".into(),
            pipeline: "p1".into(),
            component: None,
            warnings: vec!["a warning".into()],
        },
    }
}

#[test]
fn deleting_takes_items_out_at_once_and_restoring_brings_them_back() {
    let home = Home::new();
    let a = home.put("a.md", "shared word");
    let b = home.put("b.md", "shared word");
    assert_eq!(home.store.soft_delete(&[a, ItemId(99)], "user").unwrap(), 1);
    assert_eq!(home.store.soft_delete(&[a], "other").unwrap(), 0);
    assert_eq!(home.search("shared"), ["b.md"]);
    // The one that is left is found even when only one is asked for.
    assert_eq!(home.search_in("shared", &Filter::default(), 1), ["b.md"]);
    let listed = |deleted| {
        let query = ItemQuery {
            deleted,
            ..ItemQuery::default()
        };
        let page = home.store.items(&query).unwrap();
        assert_eq!(page.total as usize, page.entries.len());
        page.entries
            .into_iter()
            .map(|item| item.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(Deleted::Exclude), [b]);
    assert_eq!(listed(Deleted::Only), [a]);
    assert_eq!(listed(Deleted::Include), [a, b]);
    let item = home.store.item(a).unwrap().unwrap().item;
    assert_eq!(item.status, ItemStatus::Deleted);
    assert_eq!(item.deleted_from.as_deref(), Some("user"));
    let stamp = &home.store.stamps(home.source).unwrap()["a.md"];
    assert_eq!(stamp.deleted_from.as_deref(), Some("user"));
    assert!(
        home.store
            .find("a.md", Deleted::Exclude, &[], 9)
            .unwrap()
            .is_empty()
    );
    let stats = home.store.stats().unwrap();
    assert_eq!((stats.items, stats.deleted, stats.chunks), (1, 1, 1));
    home.assert_sound();

    assert_eq!(home.store.restore(&[a, b]).unwrap(), 1);
    assert_eq!(home.search("shared").len(), 2);
    // Putting it brings it back as well.
    home.store.soft_delete(&[a], "file_deleted").unwrap();
    home.put("a.md", "shared word");
    assert_eq!(home.search("shared").len(), 2);
    home.assert_sound();
}

#[test]
fn hard_deletion_and_purge_leave_nothing() {
    let home = Home::new();
    let a = home.put("a.md", "one word");
    let b = home.put("b.md", "one word");
    let c = home.put("c.md", "one word");
    let erased = home.store.hard_delete(&[a, a, ItemId(50)]).unwrap();
    assert_eq!((erased.items, erased.chunks, erased.text_bytes), (1, 1, 8));
    home.store.soft_delete(&[b], "user").unwrap();
    let deleted = home.store.item(b).unwrap().unwrap().item.deleted.unwrap();
    assert_eq!(home.store.purge(deleted).unwrap(), Erased::default());
    assert_eq!(home.store.purge(deleted + 1).unwrap().items, 1);
    assert_eq!(home.search("word"), ["c.md"]);
    for gone in [a, b] {
        assert_eq!(home.store.item(gone).unwrap(), None);
        assert_eq!(home.store.text(gone).unwrap(), None);
        assert!(home.store.chunks(gone).unwrap().is_empty());
    }
    assert_eq!(home.store.stamps(home.source).unwrap().len(), 1);
    assert!(home.store.item(c).unwrap().is_some());
    home.assert_sound();
}

#[test]
fn a_failure_keeps_the_last_good_content() {
    let home = Home::new();
    let a = home.put("a.md", "good words");
    let mut failure = skipped(home.source, "a.md");
    failure.outcome = NotIndexed::Failed;
    home.store
        .put_ledger(&[failure, skipped(home.source, "b.bin")])
        .unwrap();
    assert_eq!(home.search("good"), ["a.md"]);
    let status = |home: &Home| home.store.item(a).unwrap().unwrap().item.status;
    assert_eq!(status(&home), ItemStatus::Stale);
    home.store.soft_delete(&[a], "user").unwrap();
    home.store.restore(&[a]).unwrap();
    assert_eq!(status(&home), ItemStatus::Stale);
    home.assert_sound();
    let all = home.store.ledger(&LedgerQuery::default()).unwrap();
    assert_eq!(all.total, 2);
    assert_eq!(all.entries[0].item, Some(a));
    assert_eq!(all.entries[1].message.as_deref(), Some("it has 200 MB"));
    assert_eq!(all.entries[1].warnings, ["a warning"]);
    let failed = home
        .store
        .ledger(&LedgerQuery {
            source: Some("notes".into()),
            state: Some(LedgerState::Failed),
            with_warnings: true,
            offset: 0,
            limit: Some(1),
        })
        .unwrap();
    assert_eq!(failed.entries[0].external_id, "a.md");
    assert_eq!(
        home.store.ledger_totals().unwrap(),
        [LedgerTotals {
            source: "notes".into(),
            skipped: 1,
            failed: 1,
            with_warnings: 2,
            ..LedgerTotals::default()
        }]
    );
    // Only what never became an item is forgotten.
    let forgotten = home.store.forget(home.source, &["a.md", "b.bin", "c"]);
    assert_eq!(forgotten.unwrap(), 1);
    home.put("a.md", "good words");
    assert_eq!(status(&home), ItemStatus::Indexed);
    let row = &home.store.ledger(&LedgerQuery::default()).unwrap().entries[0];
    assert_eq!(
        (row.state, row.reason.as_ref()),
        (LedgerState::Indexed, None)
    );
    home.store
        .touch(home.source, &[("a.md", "new"), ("none", "new")])
        .unwrap();
    let stamps = home.store.stamps(home.source).unwrap();
    assert_eq!(stamps.len(), 1);
    assert_eq!(stamps["a.md"].stamp, "new");
    assert_eq!(stamps["a.md"].pipeline, "p1");
    home.assert_sound();
}

#[test]
fn listings_filter_sort_and_page() {
    let home = Home::new();
    let other = home.store.add_source(&spec("another")).unwrap().id;
    let mut items = vec![
        note(home.source, "dir/a.md", "x"),
        note(home.source, "dir/sub/b.md", "x"),
        note(home.source, "dir2/c.md", "x"),
        note(other, "d.md", "x"),
    ];
    items[0].modified = Some(30);
    items[1].modified = Some(40);
    items[2].modified = Some(10);
    items[3].modified = Some(20);
    items[0].tags = vec!["Work/Plan".into(), "x".into()];
    items[1].tags = vec!["work".into()];
    items[2].tags = vec!["workshop".into(), "work0".into()];
    items[3].kind = "page".into();
    let ids = home.store.put(&items).unwrap();
    let list = |query: ItemQuery| {
        let page = home.store.items(&query).unwrap();
        let names: Vec<String> = page.entries.into_iter().map(|i| i.external_id).collect();
        (names.join(" "), page.total)
    };
    let filtered = |filter| {
        let query = ItemQuery {
            filter,
            ..ItemQuery::default()
        };
        list(query).0
    };
    assert_eq!(
        list(ItemQuery::default()),
        ("d.md dir/a.md dir/sub/b.md dir2/c.md".into(), 4)
    );
    let recent = ItemQuery {
        order: Order::Recent,
        offset: 1,
        limit: 2,
        ..ItemQuery::default()
    };
    assert_eq!(list(recent), ("dir/a.md d.md".into(), 4));
    assert_eq!(
        filtered(Test::Source(vec!["another".into(), "none".into()]).into()),
        "d.md"
    );
    assert_eq!(filtered(Test::Kind(vec!["page".into()]).into()), "d.md");
    assert_eq!(
        filtered(Test::Tag("WORK".into()).into()),
        "dir/a.md dir/sub/b.md"
    );
    assert_eq!(
        filtered(Filter::from(Test::Tag("work".into())).and(Test::Tag("x".into()))),
        "dir/a.md"
    );
    assert_eq!(
        filtered(Test::Path("dir/".into()).into()),
        "dir/a.md dir/sub/b.md"
    );
    assert_eq!(
        filtered(Test::Items(vec![ids[2], ItemId(77)]).into()),
        "dir2/c.md"
    );
    assert_eq!(filtered(Test::Items(vec![]).into()), "");
}

#[test]
fn items_are_found_by_what_people_call_them() {
    let home = Home::new();
    let mut item = note(home.source, "Guides/Sync your notes.md", "x");
    item.title = "Sync Notes".into();
    item.aliases = vec!["Étude".into()];
    home.put_item(item);
    home.put("Other/sync your notes.md", "x");
    home.put("plain", "x");
    let find = |wanted: &str| {
        let found = home.store.find(wanted, Deleted::Exclude, &[], 9).unwrap();
        found.into_iter().map(|i| i.external_id).collect::<Vec<_>>()
    };
    let guide = "Guides/Sync your notes.md";
    assert_eq!(find(guide), [guide]);
    assert_eq!(find("guides\\sync your notes"), [guide]);
    assert_eq!(find("./Guides/Sync your notes.md"), [guide]);
    assert_eq!(find("SYNC YOUR NOTES.md").len(), 2);
    assert_eq!(find("sync notes"), [guide]);
    assert_eq!(find("étude"), [guide]);
    assert_eq!(find("plain"), ["plain"]);
    for nothing in ["notes.md", "", "/", "%", "sync"] {
        assert!(find(nothing).is_empty(), "{nothing}");
    }
    assert_eq!(
        home.store
            .find("sync your notes", Deleted::Exclude, &[], 1)
            .unwrap()
            .len(),
        1
    );
    let similar = |wanted: &str| {
        let found = home
            .store
            .similar(wanted, Deleted::Exclude, &[], 2)
            .unwrap();
        found.into_iter().map(|i| i.external_id).collect::<Vec<_>>()
    };
    assert_eq!(similar("Synk Nots")[0], guide);
    assert_eq!(similar("plian.md"), ["plain"]);
    assert_eq!(similar("etude"), [guide]);
    assert!(similar("zzzz").is_empty());
    assert_eq!(
        home.store
            .item_by_identity(home.source, "plain")
            .unwrap()
            .unwrap()
            .title,
        "plain"
    );
}

#[test]
fn links_and_what_they_can_name_are_read_by_what_is_asked() {
    let home = Home::new();
    let linked = |name: &str, target: &str| {
        let mut item = note(home.source, name, "to and fro");
        item.aliases = vec![format!("other {name}")];
        item.url = Some(format!("https://e.org/{name}"));
        item.links = vec![Link {
            kind: LinkKind::Wikilink,
            target: target.into(),
            heading: None,
            block: None,
            label: None,
            span: 0..2,
        }];
        home.put_item(item)
    };
    let a = linked("a.md", "b");
    let b = linked("b.md", "a");
    let gone = linked("gone.md", "a");
    home.store.soft_delete(&[gone], "user").unwrap();
    home.store
        .put_ledger(&[LedgerWrite {
            source: home.source,
            external_id: "a.png".into(),
            outcome: NotIndexed::Skipped,
            reason: "kind".into(),
            message: String::new(),
            provenance: Provenance::default(),
        }])
        .unwrap();

    let mut files = home.store.files(home.source).unwrap();
    files.sort_by(|a, b| a.external_id.cmp(&b.external_id));
    let files: Vec<_> = files
        .iter()
        .map(|file| (file.external_id.as_str(), file.item))
        .collect();
    assert_eq!(
        files,
        [("a.md", Some(a)), ("a.png", None), ("b.md", Some(b))]
    );
    let mut aliases = home.store.aliases(home.source).unwrap();
    aliases.sort_unstable();
    assert_eq!(
        aliases,
        [(a, "other a.md".to_owned()), (b, "other b.md".to_owned())]
    );
    let to_a = home.store.links_to(&mut |target| target == "a").unwrap();
    assert_eq!(to_a.len(), 1);
    assert_eq!((to_a[0].0.id, to_a[0].1.target.as_str()), (b, "a"));
    let at = home
        .store
        .at_addresses(&mut |url| url.ends_with(".md"))
        .unwrap();
    assert_eq!(at.len(), 2);
}
