//! `note update`.

use std::fs;

use pkb_tests::Library;
use serde_json::json;

use crate::fails;

const NOTE: &str = "\u{FEFF}---\r\n# first\r\nrating:   5 # of 5\r\nTitle: 'Old one'   # why\r\ntags:\r\n  - birds\r\n  - 'long legs' # both\r\naliases: [x,  y]\r\n---\r\n# Heading\r\n\r\nThe heron stands. #inline\r\n";

fn read(library: &Library) -> String {
    fs::read_to_string(library.notes.path().join("a/Heron.md")).unwrap()
}

#[test]
fn title_and_tags_change_and_every_other_byte_stays() {
    let library = Library::new();
    library.write("a/Heron.md", NOTE);
    library.sync();
    let updated = library.run(&[
        "note",
        "update",
        "notes/a/Heron.md",
        "--title",
        "It's: new",
        "--tag",
        "wading",
        "--untag",
        "BIRDS",
    ]);
    let wanted = NOTE
        .replace("'Old one'", "'It''s: new'")
        .replace("  - birds\r\n", "")
        .replace("# both\r\n", "# both\r\n  - wading\r\n");
    assert_eq!(read(&library), wanted);
    assert_eq!(updated["title"], "It's: new");
    assert_eq!(updated["tags"], json!(["long legs", "wading", "inline"]));
    assert_eq!(updated["changed"], true);
    // In the index at once, as the same item.
    let item = updated["item"].to_string();
    let got = library.run(&["get", &item]);
    assert_eq!(got["details"]["title"], "It's: new");
    assert_eq!(library.run(&["list", "--tag", "wading"])["total"], 1);
    assert_eq!(library.run(&["list", "--tag", "birds"])["total"], 0);
    assert_eq!(library.sync()["unchanged"], 1);
    // The same again touches nothing.
    let again = library.run(&[
        "note",
        "update",
        &item,
        "--title",
        "It's: new",
        "--tag",
        "wading",
    ]);
    assert_eq!(again["changed"], false);
    assert_eq!(again["hash"], updated["hash"]);
    library.assert_sound();
}

#[test]
fn tags_are_set_and_those_in_the_text_are_told_of() {
    let library = Library::new();
    library.write("a/Heron.md", "# Heron\n\nIt stands. #inline\n");
    library.sync();
    let updated = library.run(&["note", "update", "Heron", "--set-tags", "birds,work/plans"]);
    assert_eq!(
        read(&library),
        "---\ntags: [birds, work/plans]\n---\n# Heron\n\nIt stands. #inline\n"
    );
    let warning = updated["warnings"][0].as_str().unwrap();
    assert!(warning.contains("#inline stands in the text"), "{warning}");
    library.run(&["note", "update", "Heron", "--set-tags", ""]);
    assert_eq!(
        read(&library),
        "---\ntags: []\n---\n# Heron\n\nIt stands. #inline\n"
    );
}

#[test]
fn what_could_not_be_indexed_yet_is_told_as_the_file_has_it() {
    let library = Library::new();
    library.write(
        "a/Heron.md",
        "---\ntitle: Old\ntags: [birds]\n---\nIt stands. #inline\n",
    );
    library.sync();
    let lock = fs::read_dir(library.home.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().ends_with(".sync-lock"))
        .unwrap();
    let lock = fs::File::options().write(true).open(lock).unwrap();
    lock.lock().unwrap();
    let updated = library.run(&[
        "note",
        "update",
        "notes/a/Heron.md",
        "--title",
        "New",
        "--tag",
        "wading",
        "--untag",
        "birds",
    ]);
    assert_eq!(updated["title"], "New");
    assert_eq!(updated["tags"], json!(["wading"]));
    let warnings = updated["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{updated}");
    assert!(
        updated["warnings"][0]
            .as_str()
            .unwrap()
            .contains("not in the index yet, as a sync is running"),
        "{updated}"
    );
    drop(lock);
    library.sync();
    let got = library.run(&["get", "notes/a/Heron.md"]);
    assert_eq!(got["details"]["title"], "New");
}

#[test]
fn a_file_that_changed_since_is_read_as_it_is() {
    let library = Library::new();
    library.write("a/Heron.md", "---\ntags: [a]\n---\nOld text.\n");
    library.sync();
    library.write("a/Heron.md", "---\ntags: [b]\n---\nA zephyrine text.\n");
    let updated = library.run(&["note", "update", "notes/a/Heron.md", "--tag", "c"]);
    assert_eq!(updated["tags"], json!(["b", "c"]));
    assert_eq!(
        read(&library),
        "---\ntags: [b, c]\n---\nA zephyrine text.\n"
    );
    assert_eq!(library.found("zephyrine"), ["notes/a/Heron.md"]);
    // Unless the caller knows better what it wants to change.
    let hash = updated["hash"].as_str().unwrap().to_owned();
    library.write("a/Heron.md", "---\ntags: [d]\n---\nAnother.\n");
    let says = fails(
        &library,
        2,
        &[
            "note",
            "update",
            "notes/a/Heron.md",
            "--tag",
            "e",
            "--expect",
            &hash,
        ],
    );
    assert!(says.contains("changed meanwhile"), "{says}");
    assert_eq!(read(&library), "---\ntags: [d]\n---\nAnother.\n");
}

#[test]
fn what_is_no_note_of_its_own_is_refused_with_what_to_do() {
    let library = Library::new();
    library.write("page.html", "<title>Page</title><p>Some text here.</p>");
    library.write("broken.md", "---\ntags: [a\nx: y\n---\nText\n");
    library.write("mail.mbox", "From a@b.c Mon Jan  1 00:00:00 2024\nSubject: Hello\nFrom: a@b.c\n\nBody of it.\n\nFrom a@b.c Mon Jan  1 00:00:01 2024\nSubject: Second\nFrom: a@b.c\n\nBody two.\n");
    library.write("good.md", "Good\n");
    library.sync();
    let says = fails(
        &library,
        2,
        &["note", "update", "notes/page.html", "--tag", "x"],
    );
    assert!(
        says.contains("not a Markdown file") && says.contains("Add a note"),
        "{says}"
    );
    let says = fails(
        &library,
        2,
        &["note", "update", "notes/broken.md", "--tag", "x"],
    );
    assert!(
        says.contains("not valid YAML") && says.contains("by hand"),
        "{says}"
    );
    let path = library.item("Body of it").to_string();
    let says = fails(&library, 2, &["note", "update", &path, "--tag", "x"]);
    assert!(says.contains("inside the file mail.mbox"), "{says}");
    for wrong in ["#", "a]b"] {
        let says = fails(
            &library,
            2,
            &["note", "update", "notes/good.md", "--set-tags", wrong],
        );
        assert!(says.contains("cannot be a tag"), "{wrong}: {says}");
    }
    assert!(fails(&library, 2, &["note", "update", "notes/good.md"]).contains("--title"));
    library.run(&["source", "set", "notes", "--read-only"]);
    let says = fails(
        &library,
        2,
        &["note", "update", "notes/good.md", "--tag", "x"],
    );
    assert!(says.contains("read-only"), "{says}");
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_write_protection_counts() {
    use std::os::unix::fs::PermissionsExt as _;

    let library = Library::new();
    library.write("a/Heron.md", "Text\n");
    library.sync();
    let file = library.notes.path().join("a/Heron.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    library.run(&["note", "update", "notes/a/Heron.md", "--tag", "x"]);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).unwrap();
    let before = read(&library);
    let says = fails(
        &library,
        1,
        &["note", "update", "notes/a/Heron.md", "--tag", "y"],
    );
    assert!(says.contains("write-protected"), "{says}");
    assert_eq!(read(&library), before);
}
