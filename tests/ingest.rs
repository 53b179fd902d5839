//! What a sync makes of a folder that changes, and of what goes wrong in it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use pkb_tests::{model_folder, pkb, workspace_root};
use serde_json::Value;
use tempfile::TempDir;

struct Library {
    home: TempDir,
    notes: TempDir,
}

impl Library {
    fn new() -> Library {
        let library = Library {
            home: tempfile::tempdir().unwrap(),
            notes: tempfile::tempdir().unwrap(),
        };
        let notes = library.notes.path().display().to_string();
        library.run(&["add", &notes, "--name", "notes"]);
        library
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.notes.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Value {
        let output = pkb(self.home.path())
            .args(arguments)
            .arg("--json")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Syncs and returns what became of the one source's items.
    fn sync(&self) -> Value {
        self.run(&["sync"])["sources"][0].clone()
    }

    fn found(&self, query: &str) -> Vec<String> {
        let answer = self.run(&["search", query]);
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["path"].as_str().unwrap().to_owned())
            .collect()
    }

    fn item(&self, query: &str) -> i64 {
        self.run(&["search", query])["hits"][0]["item"]
            .as_i64()
            .unwrap()
    }
}

#[test]
fn a_second_sync_finds_nothing_to_do() {
    let library = Library::new();
    for n in 0..50 {
        library.write(
            &format!("note {n}.md"),
            format!("# Note {n}\n\nAbout the number {n}.\n"),
        );
    }
    assert_eq!(library.sync()["added"], 50);
    let again = library.sync();
    assert_eq!(
        (&again["added"], &again["updated"], &again["unchanged"]),
        (&0.into(), &0.into(), &50.into())
    );
}

#[test]
fn an_edited_note_is_found_by_its_new_words_only() {
    let library = Library::new();
    library.write("a.md", "the aardvark sleeps");
    library.sync();
    let item = library.item("aardvark");
    library.write("a.md", "the badger wakes up");
    assert_eq!(library.sync()["updated"], 1);
    assert!(library.found("aardvark").is_empty());
    assert_eq!(
        library.item("badger"),
        item,
        "an edited note keeps its identity"
    );
}

#[test]
fn a_note_saved_again_with_the_same_bytes_is_unchanged() {
    let library = Library::new();
    library.write("a.md", "the aardvark sleeps");
    library.sync();
    std::thread::sleep(Duration::from_millis(20));
    library.write("a.md", "the aardvark sleeps");
    let report = library.sync();
    assert_eq!(
        (&report["updated"], &report["unchanged"]),
        (&0.into(), &1.into())
    );
}

#[test]
fn a_moved_note_keeps_its_identity() {
    let library = Library::new();
    library.write("old/a.md", "the aardvark sleeps");
    library.write("b.md", "something else");
    library.sync();
    let item = library.item("aardvark");
    fs::create_dir_all(library.notes.path().join("new")).unwrap();
    fs::rename(
        library.notes.path().join("old/a.md"),
        library.notes.path().join("new/renamed.md"),
    )
    .unwrap();
    let report = library.sync();
    assert_eq!(
        (&report["moved"], &report["added"], &report["deleted"]),
        (&1.into(), &0.into(), &0.into())
    );
    assert_eq!(library.item("aardvark"), item);
    assert_eq!(library.found("aardvark"), ["notes/new/renamed.md"]);
    assert_eq!(
        library.found("renamed"),
        ["notes/new/renamed.md"],
        "the title follows the file's name"
    );
}

#[test]
fn moving_notes_embeds_nothing_again() {
    let Some(model) = model_folder() else { return };
    let library = Library::new();
    let run = |arguments: &[&str]| -> Value {
        let output = pkb(library.home.path())
            .env("PKB_MODELS", model.parent().unwrap())
            .args(arguments)
            .arg("--json")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    };
    library.write("a/one.md", "# One\n\nThe aardvark sleeps in its burrow.\n");
    library.write("a/two.md", "Without a heading: the badger digs.\n");
    assert_eq!(run(&["sync"])["embedding"]["made"], 2);
    fs::rename(
        library.notes.path().join("a"),
        library.notes.path().join("b"),
    )
    .unwrap();
    fs::rename(
        library.notes.path().join("b/two.md"),
        library.notes.path().join("b/three.md"),
    )
    .unwrap();
    let moved = run(&["sync"]);
    assert_eq!(
        (&moved["sources"][0]["moved"], &moved["embedding"]["made"]),
        (&2.into(), &0.into())
    );
    assert_eq!(
        run(&["search", "animal in the ground", "--mode", "dense"])["legs"],
        serde_json::json!(["dense"])
    );
}

#[test]
fn meaning_finds_what_shares_no_word() {
    let Some(model) = model_folder() else { return };
    let library = Library::new();
    let run = |arguments: &[&str]| -> Value {
        let output = pkb(library.home.path())
            .env("PKB_MODELS", model.parent().unwrap())
            .args(arguments)
            .arg("--json")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    };
    library.write(
        "car.md",
        "Our automobile needs new tyres before the snow comes.\n",
    );
    library.write("bread.md", "Flour, salt and yeast make a good loaf.\n");
    run(&["sync"]);
    let answer = run(&["search", "winter wheels for the vehicle"]);
    assert_eq!(answer["hits"][0]["path"], "notes/car.md");
    assert_eq!(answer["hits"][0]["why"]["dense_rank"], 1);
    let status = run(&["status"]);
    assert_eq!(
        (&status["model"]["vectors"], &status["model"]["missing"]),
        (&2.into(), &0.into())
    );
}

#[test]
fn a_deleted_note_is_found_no_more_and_comes_back_with_its_file() {
    let library = Library::new();
    library.write("a.md", "the aardvark sleeps");
    library.write("b.md", "the badger digs");
    library.sync();
    let item = library.item("aardvark");
    fs::remove_file(library.notes.path().join("a.md")).unwrap();
    assert_eq!(library.sync()["deleted"], 1);
    assert!(library.found("aardvark").is_empty());
    library.write("a.md", "the aardvark sleeps");
    assert_eq!(library.sync()["restored"], 1);
    assert_eq!(library.item("aardvark"), item);
}

#[test]
fn a_note_cleared_to_nothing_loses_its_text() {
    let library = Library::new();
    library.write("a.md", "the aardvark sleeps");
    library.sync();
    library.write("a.md", "");
    library.sync();
    assert!(library.found("aardvark").is_empty());
    assert_eq!(library.run(&["list"])["total"], 1);
    assert!(
        library.run(&["doctor"])["left"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn most_of_a_source_is_not_removed_without_asking() {
    let library = Library::new();
    for n in 0..30 {
        library.write(&format!("note {n}.md"), format!("aardvark number {n}"));
    }
    library.sync();
    for n in 0..20 {
        fs::remove_file(library.notes.path().join(format!("note {n}.md"))).unwrap();
    }
    let output = pkb(library.home.path())
        .args(["sync", "--json"])
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(1),
        "a sync that held back does not claim success"
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        report["sources"][0]["problem"]
            .as_str()
            .unwrap()
            .contains("--accept-removals")
    );
    assert_eq!(library.run(&["list"])["total"], 30);
    assert_eq!(
        library.run(&["sync", "--accept-removals"])["sources"][0]["deleted"],
        20
    );
    assert_eq!(library.run(&["list"])["total"], 10);
}

#[test]
fn a_folder_that_is_gone_removes_nothing() {
    let library = Library::new();
    library.write("a.md", "the aardvark sleeps");
    library.sync();
    let away = library.notes.path().with_extension("away");
    fs::rename(library.notes.path(), &away).unwrap();
    let output = pkb(library.home.path())
        .args(["sync", "--json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(library.found("aardvark"), ["notes/a.md"]);
    fs::rename(&away, library.notes.path()).unwrap();
    assert_eq!(library.sync()["unchanged"], 1);
}

#[test]
fn odd_files_cost_ledger_lines_and_nothing_else() {
    let library = Library::new();
    let odd = workspace_root().join("fixtures").join("odd");
    for entry in fs::read_dir(&odd).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), library.notes.path().join(entry.file_name())).unwrap();
    }
    library.write("good.md", "the aardvark sleeps");
    library.write("huge.md", "x");
    // 200 MB that take no room on disk.
    fs::OpenOptions::new()
        .write(true)
        .open(library.notes.path().join("huge.md"))
        .unwrap()
        .set_len(200 << 20)
        .unwrap();
    let report = library.sync();
    assert_eq!(library.found("aardvark"), ["notes/good.md"]);
    let failed = library.run(&["ledger", "--failed"]);
    assert_eq!(failed["total"], report["failed"]);
    let huge = failed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["external_id"] == "huge.md")
        .unwrap();
    assert!(
        huge["message"]
            .as_str()
            .unwrap()
            .contains("209715200 bytes"),
        "{huge}"
    );
    // Everything that is there has a line: nothing is passed over silently.
    // Hidden files alone have none.
    let here = fs::read_dir(library.notes.path())
        .unwrap()
        .filter(|entry| {
            !entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with('.')
        })
        .count();
    assert_eq!(library.run(&["ledger"])["total"], here);
    // What failed is not tried again until it changes, or when asked.
    assert_eq!(library.sync()["failed"], report["failed"]);
    assert_eq!(
        library.run(&["sync", "--retry-failed"])["sources"][0]["failed"],
        report["failed"]
    );
    assert!(
        library.run(&["doctor"])["left"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn another_chunker_chunks_again() {
    let library = Library::new();
    library.write(
        "a.md",
        "# One\n\nfirst part\n\n# Two\n\nsecond part\n".repeat(40),
    );
    library.sync();
    let notes = library.notes.path().display().to_string();
    library.run(&[
        "add",
        &notes,
        "--chunker",
        "chunk-sentences",
        "--chunker-settings",
        "{\"tokens\": 40, \"overlap\": 5}",
    ]);
    assert_eq!(library.sync()["updated"], 1);
    assert_eq!(library.found("second part"), ["notes/a.md"]);
    let wrong = pkb(library.home.path())
        .args([
            "add",
            &notes,
            "--chunker-settings",
            "{\"tokens\": \"many\"}",
        ])
        .output()
        .unwrap();
    assert_eq!(
        wrong.status.code(),
        Some(2),
        "settings are tried before they cost every file a line"
    );
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert!(
        said.contains("chunk-sentences does not take the settings"),
        "{said}"
    );
    assert_eq!(
        library.sync()["unchanged"],
        1,
        "the settings stay as they were"
    );
}

#[test]
fn many_tags_do_not_multiply_with_chunks() {
    let library = Library::new();
    let tags: Vec<String> = (0..10_000).map(|n| format!("#tag{n}")).collect();
    library.write("tags.md", tags.join(" "));
    library.sync();
    let size = fs::metadata(library.home.path().join("pkb.db"))
        .unwrap()
        .len();
    assert!(size < 6_000_000, "an 88 kB note took {size} bytes");
    assert_eq!(library.found("tag9999"), ["notes/tags.md"]);
}

#[test]
fn a_stopped_embedding_keeps_what_it_made() {
    let Some(model) = model_folder() else { return };
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
    library.run(&["sync"]);
    let mut sync = pkb(library.home.path())
        .env("PKB_MODELS", model.parent().unwrap())
        .args(["sync", "-q"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let database = rusqlite::Connection::open(library.home.path().join("pkb.db")).unwrap();
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
    let spawn = || {
        pkb(library.home.path())
            .args(["sync", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let both = [spawn(), spawn()];
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
    assert_eq!(library.run(&["list", "-n", "1"])["total"], 400);
    assert!(
        library.run(&["doctor"])["left"]
            .as_array()
            .unwrap()
            .is_empty()
    );
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
    let mut sync = pkb(library.home.path())
        .args(["sync", "-q"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut searches = 0;
    while sync.try_wait().unwrap().is_none() {
        assert_eq!(library.found("aardvark"), ["notes/first.md"]);
        searches += 1;
    }
    assert!(sync.wait().unwrap().success());
    assert!(searches > 0);
    assert_eq!(library.run(&["list", "-n", "1"])["total"], 1_501);
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
    let sync = pkb(library.home.path())
        .args(["sync"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let database = library.home.path().join("pkb.db-wal");
    wait_for(|| fs::metadata(&database).is_ok_and(|meta| meta.len() > 200_000));
    Command::new("kill")
        .args(["-INT", &sync.id().to_string()])
        .status()
        .unwrap();
    let output = sync.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("goes on from there"), "{said}");
    assert!(
        library.run(&["doctor"])["left"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    let done = library.run(&["list", "-n", "1"])["total"].as_u64().unwrap();
    let report = library.sync();
    assert_eq!(
        report["unchanged"].as_u64().unwrap(),
        done,
        "what was done is not done again"
    );
    assert_eq!(library.run(&["list", "-n", "1"])["total"], 3_000);
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
        let mut sync = pkb(library.home.path())
            .args(["sync", "-q"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(250));
        let _ = sync.kill();
        sync.wait().unwrap();
        assert!(
            library.run(&["doctor"])["left"]
                .as_array()
                .unwrap()
                .is_empty()
        );
    }
    library.sync();
    assert_eq!(library.run(&["list", "-n", "1"])["total"], 1_500);
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

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    let library = Library::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "the aardvark is secret").unwrap();
    std::os::unix::fs::symlink(
        outside.path().join("secret.md"),
        library.notes.path().join("link.md"),
    )
    .unwrap();
    std::os::unix::fs::symlink(outside.path(), library.notes.path().join("folder")).unwrap();
    std::os::unix::fs::symlink(library.notes.path(), library.notes.path().join("loop")).unwrap();
    library.write("a.md", "nothing to see");
    let report = library.sync();
    assert_eq!(report["added"], 1);
    assert!(library.found("aardvark").is_empty());
    let skipped = library.run(&["ledger", "--skipped"]);
    assert_eq!(skipped["total"], 3, "{skipped}");
    assert!(Path::new(&outside.path().join("secret.md")).exists());
}
