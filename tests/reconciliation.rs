//! What a sync takes for the same item, for another, and for none.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::path::PathBuf;

use pkb_store::{ItemId, SqliteStore, Store};
use pkb_tests::Library;
use serde_json::Value;

/// Forty words that no other number gives.
fn words(n: usize) -> String {
    (0..40).map(|word| format!("word{n}x{word} ")).collect()
}

fn path(library: &Library, name: &str) -> PathBuf {
    library.notes.path().join(name)
}

fn rename(library: &Library, from: &str, to: &str) {
    let to = path(library, to);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(path(library, from), to).unwrap();
}

/// What became of the items: (added, updated, moved, deleted, restored).
fn changes(report: &Value) -> [u64; 5] {
    ["added", "updated", "moved", "deleted", "restored"].map(|what| report[what].as_u64().unwrap())
}

fn ledger(library: &Library, name: &str) -> Value {
    let rows = library.run(&["ledger"]);
    let rows = rows["entries"].as_array().unwrap();
    let row = rows.iter().find(|row| row["external_id"] == name);
    row.cloned().unwrap_or_default()
}

fn store(library: &Library) -> SqliteStore {
    SqliteStore::open(library.home_file("pkb.db")).unwrap()
}

#[test]
fn a_note_that_moved_and_was_edited_is_the_same() {
    let library = Library::new();
    library.write("drafts/a.md", words(1));
    library.write("drafts/b.md", words(2));
    library.write("drafts/c.md", words(3));
    library.sync();
    let items = [1, 2, 3].map(|n| library.item(&format!("word{n}x5")));
    rename(&library, "drafts/a.md", "done/first.md");
    rename(&library, "drafts/b.md", "done/b.md");
    fs::remove_file(path(&library, "drafts/c.md")).unwrap();
    library.write("done/first.md", format!("{} and an aardvark", words(1)));
    library.write("done/b.md", format!("A badger\n\n{}", words(2)));
    library.write("done/other.md", words(4));
    assert_eq!(changes(&library.sync()), [1, 0, 2, 1, 0]);
    assert_eq!(library.item("aardvark"), items[0]);
    assert_eq!(library.item("badger"), items[1]);
    assert_eq!(library.found("first"), ["notes/done/first.md"]);
    assert!(library.found("word3x5").is_empty());
    library.assert_sound();
}

#[test]
fn notes_that_exchange_their_names_exchange_nothing_else() {
    let library = Library::new();
    for n in 1..=5 {
        library.write(&format!("{n}.md"), words(n));
    }
    library.sync();
    let items = |library: &Library| {
        (1..=5)
            .map(|n| library.item(&format!("word{n}x5")))
            .collect()
    };
    let before: Vec<i64> = items(&library);
    // Two swap; the others each take the name of the next, the last a new one.
    for (from, to) in [
        ("1", "x"),
        ("2", "1"),
        ("x", "2"),
        ("5", "6"),
        ("4", "5"),
        ("3", "4"),
    ] {
        rename(&library, &format!("{from}.md"), &format!("{to}.md"));
    }
    assert_eq!(changes(&library.sync()), [0, 0, 5, 0, 0]);
    assert_eq!(items(&library), before);
    for (n, name) in [(1, 2), (2, 1), (3, 4), (4, 5), (5, 6)] {
        let found = library.run(&["search", &format!("word{n}x5")]);
        assert_eq!(found["hits"][0]["path"], format!("notes/{name}.md"));
        assert_eq!(found["hits"][0]["title"], name.to_string());
    }
    library.assert_sound();
}

#[test]
fn a_folder_of_500_notes_moves_without_embedding_anything() {
    let Some(library) = Library::new().with_model() else {
        return;
    };
    for n in 0..500 {
        library.write(
            &format!("old/{}/{n}.md", n % 7),
            format!("About the number {n}."),
        );
    }
    assert_eq!(library.run(&["sync"])["embedding"]["made"], 500);
    rename(&library, "old", "archive/new");
    let report = library.run(&["sync"]);
    assert_eq!(report["embedding"]["made"], 0);
    assert_eq!(changes(&report["sources"][0]), [0, 0, 500, 0, 0]);
    let again = library.run(&["sync"]);
    assert_eq!(again["sources"][0]["unchanged"], 500);
    library.assert_sound();
}

#[test]
fn a_name_in_other_letters_is_the_same_note() {
    let library = Library::new();
    library.write("Note.md", words(1));
    library.write("caf\u{e9}.md", words(2));
    library.sync();
    let items = [1, 2].map(|n| library.item(&format!("word{n}x5")));
    rename(&library, "Note.md", "aside");
    rename(&library, "aside", "NOTE.md");
    rename(&library, "caf\u{e9}.md", "aside");
    rename(&library, "aside", "cafe\u{301}.md");
    // Not a word of the old ones is left.
    library.write("NOTE.md", words(3));
    library.write("cafe\u{301}.md", words(4));
    let report = library.sync();
    assert_eq!(changes(&report)[3], 0, "{report}");
    assert_eq!([3, 4].map(|n| library.item(&format!("word{n}x5"))), items);
}

#[test]
fn twins_in_case_and_encoding_are_two_items() {
    let library = Library::new();
    let names = ["Note.md", "note.md", "caf\u{e9}.md", "cafe\u{301}.md"];
    for (n, name) in names.iter().enumerate() {
        library.write(name, words(n));
    }
    let on_disk = fs::read_dir(library.notes.path()).unwrap().count();
    assert_eq!(library.sync()["added"], on_disk);
    if on_disk < names.len() {
        eprintln!("skipped: this disk has one name for both");
        return;
    }
    for (n, name) in names.iter().enumerate() {
        let text = &library.run(&["get", name])["text"];
        assert!(
            text.as_str().unwrap().contains(&format!("word{n}x5")),
            "{name}: {text}"
        );
    }
    fs::remove_file(path(&library, "note.md")).unwrap();
    fs::remove_file(path(&library, "caf\u{e9}.md")).unwrap();
    assert_eq!(changes(&library.sync()), [0, 0, 0, 2, 0]);
    assert_eq!(library.found("word0x5"), ["notes/Note.md"]);
    assert_eq!(library.found("word3x5"), ["notes/cafe\u{301}.md"]);
}

#[test]
fn a_note_that_was_cleared_has_its_text_again_when_it_comes_back() {
    let library = Library::new();
    library.write("a.md", words(1));
    library.write("b.md", words(2));
    library.sync();
    let item = library.item("word1x5");
    library.write("a.md", "");
    assert_eq!(changes(&library.sync()), [0, 1, 0, 0, 0]);
    assert!(store(&library).chunks(ItemId(item)).unwrap().is_empty());
    assert_eq!(library.run(&["get", "a"])["text"], "");
    library.write("a.md", words(1));
    assert_eq!(changes(&library.sync()), [0, 1, 0, 0, 0]);
    assert_eq!(library.item("word1x5"), item);
}

#[test]
fn what_editors_write_beside_a_note_costs_it_nothing() {
    let library = Library::new();
    library.write("a.md", words(1));
    library.write("b.md", words(2));
    library.sync();
    let item = library.item("word1x5");
    // Written beside, then moved into place.
    library.write("a.md.tmp", format!("{} aardvark", words(1)));
    assert_eq!(changes(&library.sync()), [0; 5]);
    rename(&library, "a.md.tmp", "a.md");
    assert_eq!(changes(&library.sync()), [0, 1, 0, 0, 0]);
    // Put aside first, as Vim and Emacs do, with a look in between.
    library.write("4913", "");
    rename(&library, "a.md", "a.md~");
    assert_eq!(changes(&library.sync()), [0, 0, 0, 1, 0]);
    library.write("a.md", format!("{} badger", words(1)));
    assert_eq!(changes(&library.sync()), [0, 0, 0, 0, 1]);
    // Deleted and made anew.
    fs::remove_file(path(&library, "a.md")).unwrap();
    library.sync();
    library.write("a.md", format!("{} caracal", words(1)));
    library.sync();
    assert_eq!(library.item("caracal"), item);
    assert_eq!(library.count(), 2);
    assert_eq!(
        library.run(&["ledger"])["total"],
        2,
        "nothing of it is recorded"
    );
    library.assert_sound();
}

#[test]
fn a_copy_that_a_sync_tool_made_is_found_and_told_of() {
    let library = Library::new();
    library.write("Plan.md", words(1));
    let copies = [
        "Plan.sync-conflict-20250101-120000-ABCDEFG.md",
        "Plan (Ada's conflicted copy 2025-01-01).md",
    ];
    for (n, copy) in copies.iter().enumerate() {
        library.write(copy, words(n + 2));
    }
    assert_eq!(library.sync()["added"], 3);
    assert_eq!(library.found("word2x5"), [format!("notes/{}", copies[0])]);
    for copy in copies {
        let warnings = ledger(&library, copy)["warnings"].to_string();
        assert!(warnings.contains("a copy of Plan.md"), "{warnings}");
    }
    assert_eq!(
        ledger(&library, "Plan.md")["warnings"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn a_note_that_a_cloud_took_away_stays_as_it_was() {
    let library = Library::new();
    library.write("a.md", words(1));
    library.write("b.md", words(2));
    library.write(".new.md.icloud", "placeholder");
    library.sync();
    let item = library.item("word1x5");
    rename(&library, "a.md", ".a.md.icloud");
    library.write(".a.md.icloud", "placeholder");
    let report = library.sync();
    assert_eq!((changes(&report), &report["skipped"]), ([0; 5], &2.into()));
    assert_eq!(library.found("word1x5"), ["notes/a.md"]);
    let row = ledger(&library, "a.md");
    assert_eq!(
        (&row["state"], &row["reason"]),
        (&"skipped".into(), &"not-downloaded".into())
    );
    assert!(
        row["message"].as_str().unwrap().contains("in a cloud"),
        "{row}"
    );
    assert_eq!(changes(&library.sync()), [0; 5]);
    // Downloaded again, and then gone for good.
    fs::remove_file(path(&library, ".a.md.icloud")).unwrap();
    library.write("a.md", words(1));
    library.sync();
    assert_eq!(library.item("word1x5"), item);
    assert_eq!(ledger(&library, "a.md")["state"], "indexed");
    fs::remove_file(path(&library, "a.md")).unwrap();
    assert_eq!(changes(&library.sync()), [0, 0, 0, 1, 0]);
    library.assert_sound();
}

#[test]
fn a_folder_that_comes_back_empty_loses_nothing_unasked() {
    let library = Library::new();
    library.write("sub/only.md", words(1));
    library.sync();
    let elsewhere = library.home_file("elsewhere");
    fs::rename(path(&library, "sub"), &elsewhere).unwrap();
    let output = library.output(&["sync", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let problem = report["sources"][0]["problem"].as_str().unwrap();
    assert!(
        problem.contains("where 1 item was (sub/only.md)"),
        "{problem}"
    );
    assert!(problem.contains("--accept-removals"), "{problem}");
    assert_eq!(library.found("word1x5"), ["notes/sub/only.md"]);
    // The drive is back.
    fs::rename(&elsewhere, path(&library, "sub")).unwrap();
    assert_eq!(library.sync()["unchanged"], 1);
    fs::remove_dir_all(path(&library, "sub")).unwrap();
    let report = library.run(&["sync", "--accept-removals"]);
    assert_eq!(changes(&report["sources"][0]), [0, 0, 0, 1, 0]);
    assert_eq!(
        changes(&library.sync()),
        [0; 5],
        "an empty folder is no problem by itself"
    );
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    let library = Library::new();
    library.write("a.md", words(1));
    library.write("b.md/inner.md", words(2));
    library.sync();
    let items = [1, 2].map(|n| library.item(&format!("word{n}x5")));
    rename(&library, "a.md", "x");
    rename(&library, "x", "a.md/inner.md");
    rename(&library, "b.md/inner.md", "x");
    fs::remove_dir(path(&library, "b.md")).unwrap();
    rename(&library, "x", "b.md");
    assert_eq!(changes(&library.sync()), [0, 0, 2, 0, 0]);
    assert_eq!([1, 2].map(|n| library.item(&format!("word{n}x5"))), items);
    library.assert_sound();
}

#[test]
fn what_a_person_deleted_stays_so_until_its_file_says_something_else() {
    let library = Library::new();
    library.write("a.md", words(1));
    library.write("b.md", words(2));
    library.sync();
    let item = ItemId(library.item("word1x5"));
    assert_eq!(store(&library).soft_delete(&[item], "user").unwrap(), 1);
    // Touched, read in another way, read anew, moved.
    library.write("a.md", words(1));
    let folder = library.folder();
    for change in ["touched", "--all", "another chunker", "moved"] {
        let all: &[&str] = if change == "--all" {
            &["sync", "--all"]
        } else {
            &["sync"]
        };
        if change == "another chunker" {
            library.run(&["add", &folder, "--chunker", "chunk-sentences"]);
        }
        if change == "moved" {
            rename(&library, "a.md", "sub/c.md");
        }
        library.run(all);
        assert!(library.found("word1x5").is_empty(), "{change}");
    }
    assert_eq!(library.sync()["unchanged"], 2);
    library.write("sub/c.md", format!("{} aardvark", words(1)));
    assert_eq!(changes(&library.sync()), [0, 0, 0, 0, 1]);
    assert_eq!(ItemId(library.item("aardvark")), item);
}

#[test]
fn a_deleted_note_is_the_same_when_it_appears_elsewhere() {
    let library = Library::new();
    library.write("a.md", words(1));
    library.write("b.md", words(2));
    library.sync();
    let items = [1, 2].map(|n| library.item(&format!("word{n}x5")));
    // As tools do that delete here first and write there later.
    fs::remove_file(path(&library, "a.md")).unwrap();
    assert_eq!(changes(&library.sync()), [0, 0, 0, 1, 0]);
    library.write("sub/a.md", words(1));
    assert_eq!(changes(&library.sync()), [0, 0, 0, 0, 1]);
    assert_eq!(library.item("word1x5"), items[0]);
    // Moved to where a deleted one was, which can still be brought back.
    fs::remove_file(path(&library, "sub/a.md")).unwrap();
    library.sync();
    rename(&library, "b.md", "sub/a.md");
    assert_eq!(changes(&library.sync()), [0, 0, 1, 0, 0]);
    assert_eq!(library.item("word2x5"), items[1]);
    let deleted = store(&library)
        .item(ItemId(items[0]))
        .unwrap()
        .unwrap()
        .item;
    assert_eq!(deleted.external_id, "b.md");
    library.assert_sound();
}

#[test]
fn a_change_within_one_tick_of_the_clock_is_not_missed() {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    let library = Library::new();
    let file = path(&library, "a.md");
    for _ in 0..20 {
        // As a file system says that keeps whole seconds.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let second = UNIX_EPOCH + Duration::from_secs(now.as_secs());
        let write = |text: &str| {
            library.write("a.md", text);
            let file = fs::File::options().write(true).open(&file).unwrap();
            file.set_modified(second).unwrap();
        };
        write("aardvark");
        library.sync();
        let slow = second.elapsed().unwrap() > Duration::from_secs(2);
        write("badgers!");
        library.sync();
        // Nobody writes two seconds later and within the same one.
        if !slow {
            assert_eq!(library.found("badgers"), ["notes/a.md"]);
            return;
        }
    }
    eprintln!("skipped: this machine is too slow today");
}

#[cfg(unix)]
#[test]
fn odd_names_move_like_others() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let library = Library::new();
    let odd = path(&library, "").join(OsStr::from_bytes(b"caf\xE9.md"));
    if fs::write(&odd, words(1)).is_err() {
        eprintln!("skipped: this file system takes Unicode names only");
        return;
    }
    library.sync();
    let item = library.item("word1x5");
    let deep = path(&library, "")
        .join("x/y/z")
        .join(OsStr::from_bytes(b"\xFF\xFE.md"));
    fs::create_dir_all(deep.parent().unwrap()).unwrap();
    fs::rename(&odd, &deep).unwrap();
    assert_eq!(changes(&library.sync()), [0, 0, 1, 0, 0]);
    assert_eq!(library.item("word1x5"), item);
}

#[cfg(unix)]
#[test]
fn a_note_that_becomes_a_link_is_no_item() {
    let library = Library::new();
    library.write("a.md", words(1));
    library.write("b.md", words(2));
    library.sync();
    fs::remove_file(path(&library, "a.md")).unwrap();
    std::os::unix::fs::symlink("b.md", path(&library, "a.md")).unwrap();
    assert_eq!(changes(&library.sync()), [0, 0, 0, 1, 0]);
    assert_eq!(changes(&library.sync()), [0; 5]);
    fs::remove_file(path(&library, "a.md")).unwrap();
    library.write("a.md", words(1));
    assert_eq!(changes(&library.sync()), [0, 0, 0, 0, 1]);
    library.assert_sound();
}
