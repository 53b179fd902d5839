//! Folders as sources, and what becomes of their files.

use crate::{Place, stderr};

#[test]
fn a_path_that_is_no_folder_cannot_be_added() {
    let place = Place::new();
    let missing = place.notes.path().join("missing").display().to_string();
    assert!(place.fails(1, &["add", &missing]).contains("missing"));
    let unknown = place.fails(
        1,
        &[
            "add",
            &place.notes.path().display().to_string(),
            "--chunker",
            "nope",
        ],
    );
    assert!(
        unknown.contains("no chunker called \"nope\"") && unknown.contains("chunk-markdown"),
        "{unknown}"
    );
    let wrong = place.fails(
        2,
        &[
            "add",
            &place.notes.path().display().to_string(),
            "--chunker-settings",
            "[1]",
        ],
    );
    assert!(wrong.contains("not a JSON object"), "{wrong}");
}

#[test]
fn an_empty_folder_is_a_source_like_any_other() {
    let place = Place::new();
    place.add(&["--name", "empty"]);
    let report = place.json(&["sync"]);
    assert_eq!(report["sources"][0]["added"], 0);
    assert!(place.ok(&["search", "anything"]).contains("Nothing found."));
    place.ok(&["doctor"]);
}

#[test]
fn adding_a_folder_again_changes_its_settings() {
    let place = Place::new();
    place.write("a.md", "# One\n\ntext");
    place.add(&["--name", "first"]);
    place.add(&["--chunker", "chunk-sentences"]);
    let status = place.json(&["status"]);
    let sources = status["store"]["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 1);
    assert_eq!(sources[0]["name"], "first");
    assert_eq!(sources[0]["chunker"], "chunk-sentences");
}

#[test]
fn a_source_is_renamed_only_with_a_word_about_it() {
    let place = Place::filled();
    assert!(
        place
            .add(&["--name", "other"])
            .contains("notes is called other now")
    );
    for name in ["a/b", "x\u{1b}[31m", "two\nlines", ""] {
        let path = place.notes.path().display().to_string();
        let said = place.fails(2, &["add", &path, "--name", name]);
        assert!(
            said.contains("cannot be the name of a source"),
            "{name:?}: {said}"
        );
    }
}

#[test]
fn a_source_is_forgotten_only_when_that_is_confirmed() {
    let place = Place::filled();
    let output = place.run(&["remove", "notes"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--yes"));
    assert_eq!(place.json(&["list"])["total"], 3);
    place.ok(&["remove", "notes", "--yes"]);
    assert_eq!(place.json(&["list"])["total"], 0);
    assert!(
        place.notes.path().join("Errors.md").exists(),
        "the originals stay"
    );
    place.ok(&["doctor"]);
}

#[test]
fn status_and_ledger_account_for_every_file() {
    let place = Place::filled();
    place.write("picture.png", "not text");
    place.write("broken.md", "text\0\0\0with\0\u{1}binary\0parts");
    place.ok(&["sync"]);
    let status = place.json(&["status"]);
    let ledger = &status["store"]["sources"][0]["ledger"];
    assert_eq!(
        (&ledger["indexed"], &ledger["skipped"], &ledger["failed"]),
        (&3.into(), &1.into(), &1.into())
    );
    assert_eq!(status["components"].as_array().unwrap().len(), 14);
    let failed = place.json(&["ledger", "--failed"]);
    assert_eq!(failed["total"], 1);
    assert_eq!(failed["entries"][0]["external_id"], "broken.md");
    assert!(
        failed["entries"][0]["message"]
            .as_str()
            .unwrap()
            .contains("binary")
    );
    let skipped = place.json(&["ledger", "--skipped"]);
    assert_eq!(skipped["entries"][0]["external_id"], "picture.png");
    assert_eq!(place.json(&["ledger"])["total"], 5);
    assert!(place.ok(&["ledger"]).contains("nothing reads .png files"));
}
