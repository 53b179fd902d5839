use super::*;

#[test]
fn sources_are_added_changed_and_removed_with_all_they_hold() {
    let home = Home::new();
    let mut wanted = spec("mail");
    wanted.settings = r#"{"a": 1}"#.into();
    wanted.chunker = Some("chunk-sentences".into());
    wanted.chunker_settings = Some("{}".into());
    let mail = home.store.add_source(&wanted).unwrap();
    assert_eq!(mail.spec, wanted);
    assert_eq!(home.store.source("mail").unwrap(), Some(mail.clone()));
    assert_eq!(home.store.source("none").unwrap(), None);
    let names: Vec<String> = home
        .store
        .sources()
        .unwrap()
        .into_iter()
        .map(|s| s.spec.name)
        .collect();
    assert_eq!(names, ["mail", "notes"]);
    let twice = home.store.add_source(&wanted).unwrap_err();
    assert_eq!(
        twice.to_string(),
        "there is already a source `mail`: choose another name"
    );

    for (name, settings, chunker_settings) in [
        (" ", "{}", None),
        ("x", "[]", None),
        ("x", "{", None),
        ("x", "{}", Some("1")),
    ] {
        let mut bad = spec(name);
        bad.settings = settings.into();
        bad.chunker_settings = chunker_settings.map(Into::into);
        assert!(matches!(
            home.store.add_source(&bad),
            Err(Error::Invalid { .. })
        ));
        assert!(matches!(
            home.store.update_source("mail", &bad),
            Err(Error::Invalid { .. })
        ));
    }
    let renamed = home.store.update_source("mail", &spec("post")).unwrap();
    assert_eq!((renamed.id, renamed.spec.name.as_str()), (mail.id, "post"));
    assert!(matches!(
        home.store.update_source("post", &spec("notes")),
        Err(Error::Exists { .. })
    ));
    assert!(matches!(
        home.store.update_source("mail", &spec("x")),
        Err(Error::NotFound { .. })
    ));

    let mut item = note(mail.id, "a", "searchable text");
    item.tags = vec!["t".into()];
    home.put_item(item);
    home.put("kept.md", "searchable text");
    home.store.set_cursor(mail.id, Some("c1")).unwrap();
    home.store.set_cursor(mail.id, Some("c2")).unwrap();
    assert_eq!(home.store.cursor(mail.id).unwrap().as_deref(), Some("c2"));
    home.store.start_sync(mail.id).unwrap();
    assert_eq!(home.store.remove_source("post").unwrap().items, 1);
    assert!(matches!(
        home.store.remove_source("post"),
        Err(Error::NotFound { .. })
    ));
    assert_eq!(home.search("searchable"), ["kept.md"]);
    assert_eq!(home.store.cursor(mail.id).unwrap(), None);
    assert!(home.store.sync_runs(9).unwrap().is_empty());
    assert!(matches!(
        home.store.set_cursor(mail.id, Some("c")),
        Err(Error::NotFound { .. })
    ));
    assert!(matches!(
        home.store.start_sync(mail.id),
        Err(Error::NotFound { .. })
    ));
    home.store.set_cursor(home.source, Some("c")).unwrap();
    home.store.set_cursor(home.source, None).unwrap();
    assert_eq!(home.store.cursor(home.source).unwrap(), None);
    home.assert_sound();
}

#[test]
fn syncs_are_recorded() {
    let home = Home::new();
    let first = home.store.start_sync(home.source).unwrap();
    let second = home.store.start_sync(home.source).unwrap();
    let counts = SyncCounts {
        added: 3,
        failed: 1,
        ..SyncCounts::default()
    };
    home.store.finish_sync(first, "done", &counts).unwrap();
    let runs = home.store.sync_runs(9).unwrap();
    assert_eq!((runs[0].id, runs[0].finished), (second, None));
    assert_eq!(runs[1].outcome.as_deref(), Some("done"));
    assert_eq!(runs[1].counts, counts);
    assert!(runs[1].finished.unwrap() >= runs[1].started);
    assert_eq!(home.store.sync_runs(1).unwrap().len(), 1);
    let stats = home.store.stats().unwrap();
    assert_eq!(stats.sources[0].last_sync.as_ref(), Some(&runs[0]));
}

#[test]
fn a_look_is_remembered_and_disturbs_no_memory() {
    let home = Home::new();
    let looked = || home.store.source("notes").unwrap().unwrap().looked;
    assert_eq!(looked(), None);
    let generation = home.store.generation().unwrap();
    home.store.looked(home.source, 2_000).unwrap();
    // One that began earlier and ended later knows less.
    home.store.looked(home.source, 1_000).unwrap();
    assert_eq!(looked(), Some(2_000));
    assert_eq!(home.store.generation().unwrap(), generation);
    home.put("a.md", "words");
    assert!(home.store.generation().unwrap() > generation);
}

#[test]
fn of_each_source_the_latest_runs_are_kept() {
    let home = Home::new();
    let other = home.store.add_source(&spec("other")).unwrap().id;
    let run = |source| {
        let run = home.store.start_sync(source).unwrap();
        let counts = SyncCounts::default();
        home.store.finish_sync(run, "done", &counts).unwrap();
        run
    };
    let others = run(other);
    let first = run(home.source);
    let many: Vec<_> = (0..205).map(|_| run(home.source)).collect();
    let last = many.last().copied();
    let runs = home.store.sync_runs(999).unwrap();
    assert_eq!(runs.len(), 201);
    assert_eq!(Some(runs[0].id), last);
    assert!(runs.iter().all(|run| run.id != first));
    assert_eq!(runs.last().map(|run| run.id), Some(others));
    let latest = home.store.last_sync(home.source).unwrap();
    assert_eq!(latest.map(|run| run.id), last);
}

fn held(outcome: Result<LockOutcome>) -> HeldLock {
    match outcome.unwrap() {
        LockOutcome::Acquired(lock) => lock,
        LockOutcome::HeldBy(holder) => panic!("{holder:?} holds it"),
    }
}

#[test]
fn one_at_a_time_holds_a_lock_and_tells_who_it_is() {
    let home = Home::new();
    let other = SqliteStore::open(home.path()).unwrap();
    assert_eq!(other.sync_holder(), None);
    let lock = held(home.store.sync_lock("reading mail"));
    let LockOutcome::HeldBy(holder) = other.sync_lock("sync").unwrap() else {
        panic!("two hold the lock");
    };
    assert_eq!(holder.pid, Some(std::process::id()));
    assert!(holder.since.unwrap() > 1_600_000_000_000);
    assert_eq!(holder.doing.as_deref(), Some("reading mail"));
    assert_eq!(holder.details, None);
    assert_eq!(other.sync_holder(), Some(holder));
    // The other lock is free all the while.
    let watching = held(other.watch_lock("watch"));
    watching.tell("{\"more\":1}\nand more").unwrap();
    let holder = home.store.watch_holder().unwrap();
    assert_eq!(holder.doing.as_deref(), Some("watch"));
    assert_eq!(holder.details.as_deref(), Some("{\"more\":1}\nand more"));
    drop(lock);
    assert_eq!(other.sync_holder(), None);
    drop(held(other.sync_lock("sync")));
}

#[test]
fn the_note_of_a_process_that_died_misleads_nobody() {
    let home = Home::new();
    let note = home.folder.path().join("pkb.db.sync-holder");
    let left = |text: &str| std::fs::write(&note, text).unwrap();
    drop(held(home.store.sync_lock("sync")));
    left("4194304 1700000000000 sync\n");
    assert_eq!(home.store.sync_holder(), None);
    let lock = held(home.store.sync_lock("watch"));
    let holder = home.store.sync_holder().unwrap();
    assert_eq!(holder.pid, Some(std::process::id()));
    // Nor does one that says nothing, while the lock is held.
    for nonsense in ["", "\n", "words and words", "-1 x"] {
        left(nonsense);
        let holder = home.store.sync_holder().unwrap();
        assert_eq!((holder.pid, holder.since), (None, None), "{nonsense:?}");
    }
    drop(lock);
}
