//! The look before a search.

use std::fs;

use pkb_tests::Library;

use crate::{indexed, paths, wait_for};

#[test]
fn a_note_saved_just_before_a_search_is_found_without_a_watcher() {
    let library = Library::new();
    for n in 0..50 {
        library.write(&format!("{n}.md"), format!("number {n}"));
    }
    library.sync();
    // The look is bounded in time, so that a busy machine may need another.
    let finds = |query: &str, wanted: &[&str]| {
        wait_for(query, || paths(&library.run(&["search", query])) == wanted);
    };
    library.write("new.md", "aardvark");
    finds("aardvark", &["notes/new.md"]);
    library.write("new.md", "badger");
    finds("badger", &["notes/new.md"]);
    // Away and back again, which changes nothing in the file itself.
    let (new, aside) = (
        library.notes.path().join("new.md"),
        library.home_file("aside"),
    );
    fs::rename(&new, &aside).unwrap();
    finds("badger", &[]);
    fs::rename(&aside, &new).unwrap();
    finds("badger", &["notes/new.md"]);
    fs::remove_file(&new).unwrap();
    finds("badger", &[]);
    let answer = library.run(&["search", "number"]);
    assert!(answer["freshness"]["waiting"].is_null(), "{answer}");
    library.assert_sound();
}

#[test]
fn a_search_says_what_it_does_not_know_and_can_be_told_to_wait() {
    let library = Library::new();
    library.write("old.md", "aardvark");
    library.sync();
    for n in 0..300 {
        library.write(&format!("{n}.md"), format!("badger {n}"));
    }
    // Too many for a look to take in.
    wait_for("a look in time", || {
        let answer = library.run(&["search", "aardvark"]);
        assert_eq!(answer["hits"].as_array().unwrap().len(), 1);
        answer["freshness"]["waiting"] == 300
    });
    let told = library.output(&["search", "aardvark"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        told.contains("300 changes waiting") || told.contains("no time to look"),
        "{told}"
    );
    assert_eq!(library.run(&["status"])["now"][0]["waiting"], 300);
    assert_eq!(indexed(&library, "badger").len(), 0);
    let answer = library.run(&["search", "--fresh", "badger", "-n", "100"]);
    assert_eq!(answer["hits"].as_array().unwrap().len(), 100);
    assert!(answer["freshness"]["waiting"].is_null(), "{answer}");
    assert_eq!(library.count(), 301);
    assert_eq!(library.run(&["status"])["now"][0]["waiting"], 0);
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_is_searched_and_says_what_is_waiting() {
    use std::os::unix::fs::PermissionsExt as _;

    let library = Library::new();
    library.write("a.md", "aardvark");
    library.sync();
    library.write("b.md", "badger");
    let home = library.home.path();
    let allow = |mode| fs::set_permissions(home, fs::Permissions::from_mode(mode)).unwrap();
    let file = |mode| {
        for entry in fs::read_dir(home).unwrap().flatten() {
            if entry.path().is_file() {
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode)).unwrap();
            }
        }
    };
    file(0o400);
    allow(0o500);
    let is_root = fs::write(home.join("probe"), "x").is_ok();
    if !is_root {
        wait_for("a look in time", || {
            let answer = library.run(&["search", "aardvark"]);
            answer["freshness"]["waiting"] == 1
        });
        let watch = library.output(&["watch"]);
        assert_eq!(watch.status.code(), Some(1), "{watch:?}");
    }
    allow(0o700);
    file(0o600);
    if is_root {
        eprintln!("skipped: this user may write everything");
    }
}
