use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::*;

#[test]
fn many_open_a_new_database_at_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pkb.db");
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (barrier, path) = (&barrier, &path);
            scope.spawn(move || {
                barrier.wait();
                let store = SqliteStore::open(path).unwrap();
                store.add_source(&spec(&format!("s{n}"))).unwrap();
            });
        }
    });
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.sources().unwrap().len(), 8);
}

#[test]
fn writers_and_readers_on_several_handles_get_along() {
    let home = Home::new();
    let model = home.store.ensure_model("f", "m", 4).unwrap();
    home.put("fixed.md", "anchor");
    let done = AtomicBool::new(false);
    let handles: Vec<SqliteStore> = (0..3)
        .map(|_| SqliteStore::open(home.path()).unwrap())
        .collect();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (store, home) = (&handles[writer % 3], &home);
                scope.spawn(move || {
                    for round in 0..30 {
                        let batch: Vec<ItemWrite> = (0..5)
                            .map(|n| {
                                let text = format!("anchor {writer} {n} {round}\n\nround {round}");
                                note(home.source, &format!("{writer}-{n}.md"), &text)
                            })
                            .collect();
                        let ids = store.put(&batch).unwrap();
                        let missing = store.unembedded(model, None, 50).unwrap();
                        let vectors: Vec<_> =
                            missing.iter().map(|c| (c.hash, vec![0.5; 4])).collect();
                        store.put_vectors(model, &vectors).unwrap();
                        store.soft_delete(&ids[..1], "user").unwrap();
                        store.restore(&ids[..1]).unwrap();
                    }
                })
            })
            .collect();
        for store in &handles {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let query = LexicalQuery::any(["anchor"]);
                    let found = store.lexical(&query, &Filter::default(), 100).unwrap();
                    assert!(!found.items.is_empty());
                    for hit in store.hits(&[found.items[0].found.chunks[0].0]).unwrap() {
                        assert!(hit.text.contains("anchor"));
                    }
                    store
                        .dense(model, &[1.0; 4], &Filter::default(), 5)
                        .unwrap();
                    assert!(store.items(&ItemQuery::default()).unwrap().total > 0);
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(home.store.stats().unwrap().items, 21);
    let found = home
        .store
        .dense(model, &[1.0; 4], &Filter::default(), 999)
        .unwrap();
    let missing = home.store.models().unwrap()[0].missing;
    assert_eq!(missing, 0);
    assert_eq!(found.len() as u64, home.store.stats().unwrap().chunks);
    home.store.remove_orphan_vectors().unwrap();
    home.assert_sound();
}

#[test]
fn readers_do_not_wait_for_a_writer() {
    let home = Home::new();
    home.put("a.md", "words");
    let other = SqliteStore::open(home.path()).unwrap();
    home.store
        .pool
        .write("hold", |tx| {
            tx.execute("UPDATE items SET title = 'changed'", [])?;
            let started = Instant::now();
            for store in [&home.store, &other] {
                let found = store.lexical(&LexicalQuery::any(["words"]), &Filter::default(), 9);
                assert_eq!(found.unwrap().items.len(), 1);
                assert_eq!(
                    store.items(&ItemQuery::default()).unwrap().entries[0].title,
                    "a"
                );
            }
            assert!(started.elapsed() < Duration::from_secs(2));
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_failed_write_leaves_nothing_and_the_next_one_works() {
    let home = Home::new();
    let failed: Result<()> = home.store.pool.write("fail", |tx| {
        tx.execute("DELETE FROM sources", [])?;
        Err(rusqlite::Error::InvalidQuery)
    });
    assert!(failed.is_err());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _: Result<()> = home.store.pool.write("panic", |tx| {
            tx.execute("DELETE FROM sources", []).unwrap();
            panic!("in the middle of a transaction");
        });
    }));
    assert!(panicked.is_err());
    home.put("a.md", "words");
    assert_eq!(home.store.sources().unwrap().len(), 1);
}
