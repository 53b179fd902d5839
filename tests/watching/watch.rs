//! `pkb watch`.

use std::fs;

use pkb_tests::Library;
use serde_json::json;

use crate::{Watch, eventually_indexed, indexed, wait_for};

#[test]
fn what_changes_is_taken_in_while_watching() {
    let library = Library::new();
    library.write("stays.md", "something that stays");
    library.write("a.md", "aardvark");
    library.write("folder/deep/b.md", "badger");
    let watch = Watch::ready(&library);
    eventually_indexed(&library, "badger", &["notes/folder/deep/b.md"]);

    // New, changed in place, saved by writing another file over it.
    library.write("new folder/c.md", "caracal");
    eventually_indexed(&library, "caracal", &["notes/new folder/c.md"]);
    library.write("new folder/c.md", "cassowary");
    eventually_indexed(&library, "cassowary", &["notes/new folder/c.md"]);
    assert!(indexed(&library, "caracal").is_empty());
    let path = |name: &str| library.notes.path().join(name);
    library.write("a.md.tmp", "anteater");
    fs::rename(path("a.md.tmp"), path("a.md")).unwrap();
    eventually_indexed(&library, "anteater", &["notes/a.md"]);

    // A folder moved, and something written where it is now.
    fs::rename(path("folder"), path("new folder/moved")).unwrap();
    eventually_indexed(&library, "badger", &["notes/new folder/moved/deep/b.md"]);
    library.write("new folder/moved/deep/d.md", "dingo");
    eventually_indexed(&library, "dingo", &["notes/new folder/moved/deep/d.md"]);

    fs::remove_file(path("a.md")).unwrap();
    eventually_indexed(&library, "anteater", &[]);
    fs::remove_dir_all(path("new folder")).unwrap();
    eventually_indexed(&library, "dingo", &[]);

    let status = library.run(&["status"]);
    assert_eq!(status["now"][0]["watched"]["how"], "events", "{status}");
    assert_eq!(status["watching"]["pid"], watch.child.id());
    assert_eq!(status["watching"]["doing"], "watch");
    drop(watch);
    let status = library.run(&["status"]);
    assert!(status["watching"].is_null(), "the dead watch nothing");
    assert!(status["now"][0]["watched"].is_null(), "{status}");
    library.assert_sound();
}

#[test]
fn a_watch_tells_each_change_and_ends_when_asked() {
    let library = Library::new();
    library.write("a.md", "aardvark");
    let watch = Watch::start(&library);
    let watching = watch.next("watching");
    assert_eq!(
        (&watching["source"], &watching["how"]),
        (&json!("notes"), &json!("events"))
    );
    let changed = watch.next("changed");
    assert_eq!(
        changed["changes"],
        json!([{"what": "added", "path": "a.md"}])
    );
    let path = |name: &str| library.notes.path().join(name);
    fs::rename(path("a.md"), path("b.md")).unwrap();
    let changed = watch.next("changed");
    assert_eq!(
        changed["changes"],
        json!([{"what": "moved", "path": "b.md", "from": "a.md"}])
    );
    #[cfg(unix)]
    assert_eq!(watch.interrupt(), Some(0));
}

#[test]
fn a_folder_that_vanishes_is_taken_up_when_it_is_back() {
    let library = Library::new();
    library.write("a.md", "aardvark");
    let watch = Watch::ready(&library);
    eventually_indexed(&library, "aardvark", &["notes/a.md"]);
    let aside = library.home_file("aside");
    fs::rename(library.notes.path(), &aside).unwrap();
    let problem = watch.next("problem");
    assert_eq!(problem["source"], "notes");
    wait_for("status tells of it", || {
        library.run(&["status"])["now"][0]["watched"]["how"] == "gone"
    });
    assert_eq!(indexed(&library, "aardvark"), ["notes/a.md"]);
    fs::write(aside.join("b.md"), "badger").unwrap();
    fs::rename(&aside, library.notes.path()).unwrap();
    watch.next("recovered");
    eventually_indexed(&library, "badger", &["notes/b.md"]);
    library.write("c.md", "caracal");
    eventually_indexed(&library, "caracal", &["notes/c.md"]);
}

#[test]
fn sources_that_come_and_go_are_followed() {
    let library = Library::new();
    let watch = Watch::ready(&library);
    let more = tempfile::tempdir().unwrap();
    fs::write(more.path().join("m.md"), "marmot").unwrap();
    library.run(&["add", &more.path().display().to_string(), "--name", "more"]);
    eventually_indexed(&library, "marmot", &["more/m.md"]);
    fs::write(more.path().join("n.md"), "newt").unwrap();
    eventually_indexed(&library, "newt", &["more/n.md"]);
    library.run(&["remove", "more", "--yes"]);
    assert_eq!(watch.next("forgotten")["source"], "more");
    assert!(indexed(&library, "marmot").is_empty());
}

#[test]
fn looks_that_find_nothing_leave_no_trace_but_their_time() {
    let library = Library::new();
    library.write("a.md", "aardvark");
    library.sync();
    let state = || {
        let database = rusqlite::Connection::open(library.home_file("pkb.db")).unwrap();
        let number = |sql: &str| {
            database
                .query_row(sql, [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        (
            number("SELECT count(*) FROM sync_runs"),
            number("SELECT value FROM meta WHERE key = 'generation'"),
            number("SELECT looked FROM sources"),
        )
    };
    let (runs, generation, looked) = state();
    for _ in 0..3 {
        let report = library.sync();
        assert_eq!(report["unchanged"], 1);
    }
    let now = state();
    assert_eq!((now.0, now.1), (runs, generation));
    assert!(now.2 > looked);
    let synced = &library.run(&["search", "--as-is", "aardvark"])["freshness"]["last_sync"];
    assert_eq!(synced, &now.2, "what was looked at is fresh");
    // A folder that is not there is recorded once, and so is its return.
    let aside = library.home_file("aside");
    fs::rename(library.notes.path(), &aside).unwrap();
    for _ in 0..3 {
        assert!(!library.output(&["sync"]).status.success());
    }
    assert_eq!(state().0, runs + 1);
    assert_eq!(state().2, now.2, "it was not looked at");
    fs::rename(&aside, library.notes.path()).unwrap();
    library.sync();
    assert_eq!(state().0, runs + 2);
}

#[test]
fn a_folder_of_notes_that_moves_is_embedded_once() {
    let Some(library) = Library::new().with_model() else {
        return;
    };
    for n in 0..40 {
        library.write(
            &format!("there/{n}.md"),
            format!("aardvark number {n} sleeps under tree {}", n * 7),
        );
    }
    let watch = Watch::ready(&library);
    let embedded = watch.next("embedded");
    assert_eq!(embedded["made"], 40, "{embedded}");
    let path = |name: &str| library.notes.path().join(name);
    fs::rename(path("there"), path("here")).unwrap();
    wait_for("the move is taken in", || {
        indexed(&library, "aardvark")
            .iter()
            .all(|path| path.contains("/here/"))
    });
    let vectors = || {
        let database = rusqlite::Connection::open(library.home_file("pkb.db")).unwrap();
        database
            .query_row("SELECT count(*), max(id) FROM vectors", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            })
            .unwrap()
    };
    assert_eq!(vectors(), (40, 40), "none was made anew");
    // Something new is found by meaning soon.
    library.write("here/new.md", "The cat sat on the mat.");
    let embedded = watch.next("embedded");
    assert_eq!(
        (&embedded["made"], &embedded["missing"]),
        (&json!(1), &json!(0))
    );
}
