//! What a sync makes of a folder that changes, and of what goes wrong in it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use pkb_tests::{Library, workspace_root};
use serde_json::Value;

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
fn reading_everything_again_mends_what_was_stored_wrong() {
    let library = Library::new();
    library.write("a.md", "the aardvark sleeps");
    library.sync();
    let database = rusqlite::Connection::open(library.home_file("pkb.db")).unwrap();
    let wrong = "UPDATE texts SET text = 'the aardvark wakes.'";
    assert_eq!(database.execute(wrong, []).unwrap(), 1);
    drop(database);
    assert_eq!(library.sync()["unchanged"], 1);
    library.run(&["sync", "--all"]);
    assert_eq!(library.run(&["get", "a"])["text"], "the aardvark sleeps");
    library.assert_sound();
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
    let Some(library) = Library::new().with_model() else {
        return;
    };
    let run = |arguments: &[&str]| library.run(arguments);
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
        run(&["search", "animal in the ground", "--mode", "dense"])["legs"][0]["name"],
        "dense"
    );
}

#[test]
fn meaning_finds_what_shares_no_word() {
    let Some(library) = Library::new().with_model() else {
        return;
    };
    let run = |arguments: &[&str]| library.run(arguments);
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
    assert_eq!(library.count(), 1);
    library.assert_sound();
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
    let output = library.output(&["sync", "--json"]);
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
    assert_eq!(library.count(), 30);
    assert_eq!(
        library.run(&["sync", "--accept-removals"])["sources"][0]["deleted"],
        20
    );
    assert_eq!(library.count(), 10);
}

#[test]
fn a_folder_that_is_gone_removes_nothing() {
    let library = Library::new();
    library.write("a.md", "the aardvark sleeps");
    library.sync();
    let away = library.notes.path().with_extension("away");
    fs::rename(library.notes.path(), &away).unwrap();
    let output = library.output(&["sync", "--json"]);
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
    // What failed goes on counting as failed, not as unchanged.
    let again = library.sync();
    assert_eq!(
        (&again["failed"], &again["unchanged"]),
        (&report["failed"], &report["added"])
    );
    library.assert_sound();
}

#[test]
fn another_chunker_chunks_again() {
    let library = Library::new();
    library.write(
        "a.md",
        "# One\n\nfirst part\n\n# Two\n\nsecond part\n".repeat(40),
    );
    library.sync();
    let notes = library.folder();
    library.run(&[
        "add",
        &notes,
        "--chunker",
        "chunk-sentences",
        "--chunker-settings",
        "{\"tokens\": 40, \"overlap\": 5}",
    ]);
    assert_eq!(library.run(&["sync"])["rechunked"], 1);
    assert_eq!(library.found("second part"), ["notes/a.md"]);
    let wrong = library.output(&[
        "add",
        &notes,
        "--chunker-settings",
        "{\"tokens\": \"many\"}",
    ]);
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
    let size = fs::metadata(library.home_file("pkb.db")).unwrap().len();
    assert!(size < 6_000_000, "an 88 kB note took {size} bytes");
    assert_eq!(library.found("tag9999"), ["notes/tags.md"]);
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

#[test]
fn an_edited_note_leaves_no_vector_behind() {
    let Some(library) = Library::new().with_model() else {
        return;
    };
    library.write("a.md", "the aardvark sleeps in its burrow");
    library.sync();
    library.write("a.md", "the badger digs another one");
    let report = library.run(&["sync"]);
    assert_eq!(report["embedding"]["made"], 1, "{report}");
    library.assert_sound();
}

#[test]
fn a_damaged_model_does_not_take_the_words_away() {
    let library = Library::new();
    library.write("a.md", "the aardvark sleeps");
    library.sync();
    let model = library.home_file("models").join("minilm");
    fs::create_dir_all(&model).unwrap();
    fs::write(model.join("model.toml"), "pooling = \"sideways\"").unwrap();
    let answer = library.run(&["search", "aardvark"]);
    assert_eq!(answer["hits"][0]["path"], "notes/a.md");
    assert!(
        answer["notes"][0].as_str().unwrap().contains("model.toml"),
        "{answer}"
    );
}

#[test]
fn settings_of_the_markdown_chunker_do_not_reach_plain_text() {
    let library = Library::new();
    library.write("a.md", "# One\n\nthe aardvark sleeps");
    library.write("b.txt", "The badger digs.");
    let settings = ["--chunker-settings", "{\"context\": false}"];
    library.run(&[&["add", &library.folder()][..], &settings].concat());
    let report = library.sync();
    assert_eq!(
        (&report["added"], &report["failed"]),
        (&2.into(), &0.into()),
        "{report}"
    );
}

#[test]
fn another_chunker_begins_without_the_settings_of_the_one_before() {
    let library = Library::new();
    library.write("a.md", "# One\n\nthe aardvark sleeps");
    let folder = library.folder();
    let sentences = [
        "--chunker",
        "chunk-sentences",
        "--chunker-settings",
        "{\"overlap\": 5}",
    ];
    library.run(&[&["add", &folder][..], &sentences].concat());
    let changed = library.run(&["add", &folder, "--chunker", "chunk-markdown"]);
    assert_eq!(changed["chunker_settings"], Value::Null, "{changed}");
}

#[test]
fn one_long_item_does_not_crowd_out_the_others() {
    let library = Library::new();
    library.write("log.md", "## entry\n\naardvark\n\n".repeat(40_000));
    for n in 0..5 {
        library.write(
            &format!("note {n}.md"),
            format!(
                "an aardvark among many other words, number {n}\n\n{}",
                format!("filler{n} words{n} here{n} and{n} there{n}. ").repeat(40)
            ),
        );
    }
    library.sync();
    assert_eq!(library.found("aardvark").len(), 6);
}

#[test]
fn another_model_takes_over_and_the_vectors_of_the_one_before_go() {
    let Some(model) = pkb_tests::model_folder() else {
        return;
    };
    let library = Library::new();
    for name in ["first", "second"] {
        let folder = library.home_file(name);
        fs::create_dir_all(&folder).unwrap();
        for file in ["model.onnx", "tokenizer.json"] {
            fs::copy(model.join(file), folder.join(file)).unwrap();
        }
        // Another limit is another fingerprint.
        let limit = if name == "first" { 256 } else { 128 };
        let settings = format!("pooling = \"mean\"\nlimit = {limit}\ndimensions = 384\n");
        fs::write(folder.join("model.toml"), settings).unwrap();
        library.run(&["model", "add", name, &folder.display().to_string()]);
    }
    library.write(
        "car.md",
        "Our automobile needs new tyres before the snow comes.",
    );
    let by_meaning = || library.run(&["search", "winter wheels", "--mode", "dense"]);
    library.run(&["model", "use", "first"]);
    library.sync();
    assert_eq!(by_meaning()["hits"][0]["path"], "notes/car.md");

    library.run(&["model", "use", "second"]);
    let between = by_meaning();
    assert_eq!(between["hits"][0]["path"], "notes/car.md");
    assert!(
        !between["notes"].as_array().unwrap().is_empty(),
        "{between}"
    );
    assert_eq!(library.run(&["sync"])["embedding"]["made"], 1);
    let after = by_meaning();
    assert_eq!(after["hits"][0]["path"], "notes/car.md");
    assert!(after["notes"].as_array().unwrap().is_empty(), "{after}");
    let models = &library.run(&["status"])["store"]["models"];
    assert_eq!(models.as_array().unwrap().len(), 1, "{models}");
    library.assert_sound();
}
