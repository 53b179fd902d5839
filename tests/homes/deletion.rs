//! `rm`, `restore`, `deleted` and `purge`.

use std::fs;

use super::{database, fails, finds, library, said, server};
use pkb_tests::Library;

const NOTES: [(&str, &str); 3] = [
    ("a.md", "# Aardvark\n\nThe aardvark sleeps. See [[b]].\n"),
    ("b.md", "# Badger\n\nThe badger digs, as in [[a]].\n"),
    ("c/deep.md", "# Cat\n\nA cat sits there.\n"),
];

#[test]
fn what_is_removed_is_out_of_everything_at_once_in_every_process() {
    let library = library(&NOTES);
    let server = server(&library);
    assert_eq!(finds(&server, "badger"), ["notes/b.md"]);
    let number = library.item("badger").to_string();

    let removed = library.run(&["rm", "b.md"]);
    assert_eq!(
        (&removed["items"], &removed["in_source"]),
        (&1.into(), &1.into())
    );
    assert!(finds(&server, "badger").is_empty());
    assert!(library.found("badger").is_empty());
    assert_eq!(library.count(), 2);
    assert_eq!(library.run(&["browse", "--count"])["total"], 2);
    assert_eq!(library.run(&["status"])["store"]["items"], 2);
    assert_eq!(library.run(&["status"])["store"]["deleted"], 1);
    let links = library.run(&["links", "a.md"]);
    assert_eq!(links["outgoing"].as_array().unwrap().len(), 0, "{links}");
    assert_eq!(links["unresolved"].as_array().unwrap().len(), 1, "{links}");
    assert_eq!(links["backlink_count"], 0, "{links}");
    let similar = library.run(&["similar", "a.md"]).to_string();
    assert!(!similar.contains("b.md"), "{similar}");
    for way in ["b.md", "notes/b.md", &number, "Badger"] {
        for command in ["get", "similar", "links"] {
            let said = fails(&library, 1, &[command, way]);
            assert!(said.contains("restore"), "{command} {way}: {said}");
        }
    }
    library.assert_sound();

    assert_eq!(library.run(&["restore", "badger"])["items"], 1);
    assert_eq!(finds(&server, "badger"), ["notes/b.md"]);
    assert_eq!(library.run(&["links", "a.md"])["backlink_count"], 1);
    library.assert_sound();
}

#[test]
fn what_a_person_removed_stays_removed_until_its_file_changes() {
    let library = library(&NOTES);
    let output = library.output(&["rm", "a.md"]);
    assert!(output.status.success());
    let said = said(&output);
    assert!(said.contains("until it changes there"), "{said}");
    library.sync();
    assert!(library.found("aardvark").is_empty());
    library.write("a.md", "# Aardvark\n\nThe aardvark is awake.\n");
    assert_eq!(library.sync()["restored"], 1);
    assert_eq!(library.found("awake"), ["notes/a.md"]);
}

#[test]
fn what_is_restored_comes_back_without_its_file_and_stays() {
    let Some(library) = library(&NOTES).with_model() else {
        return;
    };
    library.sync();
    let file = library.notes.path().join("a.md");
    let original = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert_eq!(library.sync()["deleted"], 1);
    // Anything that embeds now clears away what is not needed.
    library.write("d.md", "# Dog\n\nA dog barks.\n");
    library.sync();

    let restored = library.run(&["restore", "a.md"]);
    assert_eq!(
        (&restored["items"], &restored["not_in_source"]),
        (&1.into(), &1.into())
    );
    assert!(restored.get("embedding").is_none(), "{restored}");
    let by_meaning = library.run(&["search", "sleeping animal", "--mode", "dense"]);
    assert_eq!(by_meaning["hits"][0]["path"], "notes/a.md");
    for _ in 0..2 {
        library.sync();
        assert_eq!(library.found("aardvark")[0], "notes/a.md");
    }
    // Its file comes back as it was, and from then on counts again.
    fs::write(&file, original).unwrap();
    library.sync();
    fs::remove_file(&file).unwrap();
    assert_eq!(library.sync()["deleted"], 1);
    assert!(!library.found("aardvark").contains(&"notes/a.md".into()));
    library.assert_sound();
}

#[test]
fn what_was_restored_once_and_removed_again_stays_removed() {
    let library = library(&NOTES);
    let file = library.notes.path().join("a.md");
    fs::remove_file(&file).unwrap();
    library.sync();
    library.run(&["restore", "a.md"]);
    library.run(&["rm", "a.md"]);
    library.sync();
    assert!(library.found("aardvark").is_empty());
    assert_eq!(library.run(&["deleted"])["total"], 1);
}

#[test]
fn restoring_embeds_what_a_new_model_has_no_vector_for() {
    let Some(library) = library(&NOTES).with_model() else {
        return;
    };
    library.sync();
    library.run(&["rm", "a.md"]);
    database(&library)
        .execute("DELETE FROM vectors", [])
        .unwrap();
    library.sync();
    let restored = library.run(&["restore", "a.md"]);
    assert_eq!(restored["embedding"]["made"], 1, "{restored}");
    assert_eq!(library.run(&["status"])["model"]["missing"], 0);
}

#[test]
fn a_source_that_a_person_emptied_does_not_stop_its_sync() {
    let library = Library::new();
    for n in 0..30 {
        library.write(&format!("note {n}.md"), format!("aardvark number {n}"));
    }
    library.sync();
    fails(&library, 2, &["rm", "--source", "notes"]);
    assert_eq!(library.count(), 30);
    let removed = library.run(&["rm", "--source", "notes", "--yes"]);
    assert_eq!(removed["items"], 30);
    assert_eq!(library.count(), 0);
    let output = library.output(&["sync"]);
    assert!(output.status.success(), "{}", said(&output));
    for n in 0..30 {
        fs::remove_file(library.notes.path().join(format!("note {n}.md"))).unwrap();
    }
    library.write("new.md", "a badger");
    let output = library.output(&["sync"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(library.count(), 1);
    assert_eq!(
        library.run(&["restore", "--source", "notes"])["items"],
        30,
        "all of them can come back"
    );
    library.assert_sound();
}

#[test]
fn filters_say_what_is_removed_and_restored() {
    let library = library(&NOTES);
    library.run(&["rm", "--path", "c/", "--yes"]);
    assert!(library.found("cat").is_empty());
    assert_eq!(library.count(), 2);
    library.run(&["rm", "--title", "badger", "--yes"]);
    let deleted = library.run(&["deleted"]);
    assert_eq!(deleted["total"], 2);
    assert_eq!(deleted["items"][0]["external_id"], "b.md", "the last first");
    assert_eq!(deleted["items"][0]["deleted_from"], "user");
    assert_eq!(library.run(&["deleted", "--path", "c/"])["total"], 1);
    assert_eq!(library.run(&["restore", "--path", "c/"])["items"], 1);
    assert_eq!(library.found("cat"), ["notes/c/deep.md"]);
}

#[test]
fn nothing_happens_in_bulk_or_for_good_without_being_confirmed() {
    let library = library(&NOTES);
    for arguments in [
        &["rm", "a.md", "b.md"][..],
        &["rm", "a.md", "--hard"],
        &["rm", "--source", "notes"],
        &["rm", "--hard", "--source", "notes"],
        &["remove", "notes"],
    ] {
        let said = fails(&library, 2, arguments);
        assert!(said.contains("--yes"), "{arguments:?}: {said}");
    }
    assert_eq!(library.count(), 3);
    library.run(&["rm", "a.md"]);
    assert!(fails(&library, 2, &["purge", "--older-than", "0d"]).contains("--yes"));
    assert_eq!(library.run(&["deleted"])["total"], 1);
    // With nothing that says what is meant, or too much.
    fails(&library, 2, &["rm"]);
    fails(&library, 2, &["rm", "b.md", "--source", "notes"]);
    fails(&library, 2, &["restore"]);
    for arguments in [
        &["rm", "nowhere.md"][..],
        &["rm", "nowhere.md", "--hard", "--yes"],
    ] {
        let said = fails(&library, 1, arguments);
        assert!(said.contains("there is no item"), "{said}");
    }
    fails(&library, 1, &["restore", "b.md"]);
    fails(&library, 1, &["rm", "a.md"]);
    assert_eq!(library.count(), 2);
}

#[test]
fn what_is_deleted_softly_can_be_removed_for_good() {
    let library = library(&NOTES);
    library.run(&["rm", "a.md"]);
    fs::remove_file(library.notes.path().join("a.md")).unwrap();
    let purged = library.run(&["rm", "a.md", "--hard", "--yes"]);
    assert_eq!(
        (&purged["items"], &purged["chunks"], &purged["wiped"]),
        (&1.into(), &1.into(), &true.into())
    );
    assert_eq!(library.run(&["deleted"])["total"], 0);
    assert_eq!(library.run(&["ledger"])["total"], 2);
    library.sync();
    assert_eq!(library.count(), 2);
    library.assert_sound();
}

#[test]
fn purging_takes_what_was_deleted_long_ago() {
    let library = library(&NOTES);
    library.run(&["rm", "a.md", "b.md", "--yes"]);
    let day = 86_400_000;
    database(&library)
        .execute(
            "UPDATE items SET deleted = deleted - ?1 WHERE external_id = 'a.md'",
            [100_i64 * day],
        )
        .unwrap();
    assert_eq!(library.run(&["purge", "--older-than", "1y"])["items"], 0);
    assert_eq!(library.run(&["purge", "--yes"])["items"], 1);
    assert_eq!(library.run(&["deleted"])["items"][0]["external_id"], "b.md");
    fails(&library, 2, &["purge", "--older-than", "soon"]);
    assert_eq!(
        library.run(&["purge", "--older-than", "0d", "--yes"])["items"],
        1
    );
    assert_eq!(library.run(&["deleted"])["total"], 0);
    assert_eq!(library.found("cat"), ["notes/c/deep.md"]);
    library.assert_sound();
}

#[cfg(unix)]
#[test]
fn a_file_that_is_still_there_is_kept_out_as_the_note_says() {
    let library = library(&[
        ("it's [1].md", "an aardvark"),
        ("it's 1.md", "a badger"),
        ("old/x.md", "x"),
    ]);
    library.run(&["add", &library.folder(), "--ignore", "old"]);
    library.sync();
    let purged = library.run(&["rm", "it's [1]", "--hard", "--yes"]);
    assert_eq!(purged["in_source"], 1, "{purged}");
    let note = purged["notes"][0].as_str().unwrap();
    assert!(note.contains("reads what is still in its source again"));
    let command = note.rsplit('`').nth(1).unwrap();
    let run = std::process::Command::new("sh")
        .args(["-c", &command.replacen("pkb", "\"$PKB\"", 1)])
        .env("PKB", pkb_tests::pkb_binary())
        .env("PKB_HOME", library.home.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{command}: {}", said(&run));
    library.sync();
    assert!(library.found("aardvark").is_empty());
    assert_eq!(library.found("badger"), ["notes/it's 1.md"]);
    assert_eq!(library.count(), 1);
}

#[test]
fn a_source_can_be_forgotten_with_its_deleted_items() {
    let library = library(&NOTES);
    library.run(&["rm", "a.md"]);
    let forgotten = library.run(&["remove", "notes", "--yes"]);
    assert_eq!(
        (
            &forgotten["source"],
            &forgotten["items"],
            &forgotten["wiped"]
        ),
        (&"notes".into(), &3.into(), &true.into())
    );
    assert_eq!(library.run(&["deleted"])["total"], 0);
    library.assert_sound();
}
