//! Syncs that are stopped, killed or not alone.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::time::Duration;

use pkb_tests::Library;

#[test]
fn a_stopped_embedding_keeps_what_it_made() {
    let library = Library::new();
    for n in 0..600 {
        library.write(
            &format!("note {n}.md"),
            format!(
                "# Note {n}\n\n{}",
                "some words to embed and more of them ".repeat(15)
            ),
        );
    }
    library.sync();
    let Some(library) = library.with_model() else {
        return;
    };
    let mut sync = library.spawn(&["sync", "-q"]);
    let database = rusqlite::Connection::open(library.home_file("pkb.db")).unwrap();
    let vectors = || {
        database
            .query_row("SELECT count(*) FROM vectors", [], |row| {
                row.get::<_, i64>(0)
            })
            .unwrap()
    };
    for _ in 0..6_000 {
        if vectors() > 0 || sync.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = sync.kill();
    sync.wait().unwrap();
    let made = vectors();
    assert!(made > 0, "nothing was kept");
    assert!(made < 600, "it was through before it could be stopped");
    let missing = &library.run(&["search", "embed"])["freshness"]["vectors_missing"];
    assert_eq!(
        missing,
        &(600 - made),
        "an answer says what meaning cannot find yet"
    );
}

#[test]
fn two_syncs_at_once_do_not_disturb_each_other() {
    let library = Library::new();
    for n in 0..400 {
        library.write(
            &format!("note {n}.md"),
            format!("aardvark number {n}\n\n{}", "words and words. ".repeat(50)),
        );
    }
    let both = [library.spawn(&["sync"]), library.spawn(&["sync"])];
    let mut done = 0;
    for process in both {
        let output = process.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => done += 1,
            Some(1) => assert!(said.contains("is syncing this home"), "{said}"),
            other => panic!("{other:?}: {said}"),
        }
    }
    assert!(done >= 1);
    assert_eq!(library.count(), 400);
    library.assert_sound();
}

#[test]
fn searches_go_on_during_a_sync() {
    let library = Library::new();
    library.write("first.md", "the aardvark sleeps");
    library.sync();
    for n in 0..1_500 {
        library.write(
            &format!("note {n}.md"),
            format!("badger {n}\n\n{}", "words and words. ".repeat(80)),
        );
    }
    let mut sync = library.spawn(&["sync", "-q"]);
    let mut searches = 0;
    while sync.try_wait().unwrap().is_none() {
        assert_eq!(library.found("aardvark"), ["notes/first.md"]);
        searches += 1;
    }
    assert!(sync.wait().unwrap().success());
    assert!(searches > 0);
    assert_eq!(library.count(), 1_501);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_a_safe_point_and_the_next_sync_goes_on() {
    use std::process::Command;

    let library = Library::new();
    for n in 0..3_000 {
        library.write(
            &format!("note {n}.md"),
            format!("aardvark {n}\n\n{}", "words and more words. ".repeat(100)),
        );
    }
    let sync = library.spawn(&["sync"]);
    let database = library.home_file("pkb.db-wal");
    wait_for(|| fs::metadata(&database).is_ok_and(|meta| meta.len() > 200_000));
    Command::new("kill")
        .args(["-INT", &sync.id().to_string()])
        .status()
        .unwrap();
    let output = sync.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("goes on from there"), "{said}");
    library.assert_sound();
    let done = library.count();
    let report = library.sync();
    assert_eq!(
        report["unchanged"].as_u64().unwrap(),
        done,
        "what was done is not done again"
    );
    assert_eq!(library.count(), 3_000);
}

#[cfg(unix)]
#[test]
fn a_killed_sync_leaves_a_sound_database() {
    let library = Library::new();
    for n in 0..1_500 {
        library.write(
            &format!("note {n}.md"),
            format!("aardvark {n}\n\n{}", "words and more words. ".repeat(100)),
        );
    }
    for _ in 0..3 {
        let mut sync = library.spawn(&["sync", "-q"]);
        std::thread::sleep(Duration::from_millis(250));
        let _ = sync.kill();
        sync.wait().unwrap();
        library.assert_sound();
    }
    library.sync();
    assert_eq!(library.count(), 1_500);
}

#[cfg(unix)]
fn wait_for(mut condition: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it never happened");
}
