//! Many processes on one home.

use std::fs;
use std::process::{Child, Stdio};

use pkb_tests::Library;
use serde_json::Value;

use crate::{Watch, indexed, wait_for};

#[test]
fn a_sync_beside_a_watcher_simply_succeeds() {
    let library = Library::new();
    for n in 0..200 {
        library.write(&format!("{n}.md"), format!("aardvark {n}"));
    }
    let watch = Watch::ready(&library);
    for round in 0..5 {
        library.write(&format!("{round}.md"), format!("badger{round}"));
        library.sync();
        let found = indexed(&library, &format!("badger{round}"));
        assert_eq!(found, [format!("notes/{round}.md")]);
    }
    assert_eq!(library.count(), 200);
    drop(watch);
    library.assert_sound();
}

#[test]
fn a_sync_that_finds_another_says_whose_and_waits_if_asked() {
    let library = Library::new();
    for n in 0..2_500 {
        library.write(
            &format!("{n}.md"),
            format!("aardvark {n}\n\n{}", "words and words. ".repeat(80)),
        );
    }
    let mut first = library.spawn(&["sync", "-q"]);
    let pid = first.id();
    wait_for("the first one begins", || {
        let holder = fs::read_to_string(library.home_file("pkb.db.sync-holder"));
        holder.is_ok_and(|holder| holder.starts_with(&pid.to_string()))
    });
    let status = library.run(&["status"]);
    if first.try_wait().unwrap().is_none() {
        assert_eq!(status["syncing"]["pid"], pid, "{status}");
    }
    let second = library.output(&["sync"]);
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    if second.status.code() != Some(0) {
        assert_eq!(second.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("({pid}, pkb sync, for ")), "{said}");
        assert!(said.contains("--wait"), "{said}");
    }
    let third = library.run(&["sync", "--wait"]);
    assert_eq!(third["sources"][0]["unchanged"], 2_500, "{third}");
    assert!(first.wait().unwrap().success());
    // One that was killed leaves its note, which holds up nobody.
    fs::write(
        library.home_file("pkb.db.sync-holder"),
        format!("{pid} 1700000000000 sync\n"),
    )
    .unwrap();
    assert!(library.run(&["status"])["syncing"].is_null());
    assert_eq!(library.sync()["unchanged"], 2_500);
}

#[test]
fn many_processes_start_at_once_on_a_fresh_home() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().join("not yet there");
    let notes: Vec<_> = (0..6).map(|_| tempfile::tempdir().unwrap()).collect();
    let children: Vec<Child> = notes
        .iter()
        .enumerate()
        .map(|(n, folder)| {
            fs::write(folder.path().join("a.md"), format!("aardvark {n}")).unwrap();
            let mut command = pkb_tests::pkb(&home);
            command
                .args(["add", "--name", &format!("n{n}")])
                .arg(folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let output = pkb_tests::pkb(&home)
        .args(["sync", "--json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["sources"].as_array().unwrap().len(), 6, "{report}");
}

#[test]
fn forty_searches_at_once_succeed_during_a_sync() {
    let library = Library::new();
    library.write("first.md", "the aardvark sleeps");
    library.sync();
    for n in 0..2_000 {
        library.write(
            &format!("note {n}.md"),
            format!("badger {n}\n\n{}", "words and words. ".repeat(80)),
        );
    }
    let mut sync = library.spawn(&["sync", "-q"]);
    let searches: Vec<Child> = (0..40)
        .map(|_| library.spawn(&["--json", "search", "aardvark"]))
        .collect();
    for search in searches {
        let output = search.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["hits"][0]["path"], "notes/first.md");
    }
    assert!(sync.wait().unwrap().success());
    assert_eq!(library.count(), 2_001);
}
