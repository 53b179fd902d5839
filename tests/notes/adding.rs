//! `note add`.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use pkb_tests::Library;

use crate::fails;

#[test]
fn a_note_is_written_and_found_at_once() {
    let library = Library::new();
    library.write("Old.md", "# Old\n\nThe first zephyrine.\n");
    library.sync();
    let added = library.run(&[
        "note",
        "add",
        "Herons: at work?",
        "They stand and *wait*.",
        "--folder",
        "Birds/2026",
        "--tag",
        "#birds",
        "--tag",
        "long legs",
        "--property",
        "rating=5",
    ]);
    assert_eq!(added["path"], "notes/Birds/2026/Herons at work.md");
    assert_eq!(added["title"], "Herons: at work?");
    assert!(added.get("warnings").is_none(), "{added}");
    let file = library.notes.path().join("Birds/2026/Herons at work.md");
    assert_eq!(
        Path::new(added["file"].as_str().unwrap()),
        file.canonicalize().unwrap()
    );
    let note = fs::read_to_string(&file).unwrap();
    let (front, text) = note.split_once("---\n\n").unwrap();
    assert!(
        front.starts_with("---\ntitle: \"Herons: at work?\"\ntags: [birds, long-legs]\ncreated: 2"),
        "{note}"
    );
    assert!(front.ends_with("\nrating: 5\n"), "{note}");
    assert_eq!(text, "They stand and *wait*.\n");
    // Nothing else is beside it, and no sync is needed.
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    assert_eq!(
        library.found("stand wait"),
        ["notes/Birds/2026/Herons at work.md"]
    );
    let read = library.run(&["get", &added["item"].to_string()]);
    assert_eq!(read["details"]["title"], "Herons: at work?");
    assert_eq!(
        read["details"]["tags"],
        serde_json::json!(["birds", "long-legs"])
    );
    // What else the source holds is as it was.
    assert_eq!(library.found("zephyrine"), ["notes/Old.md"]);
    let synced = library.sync();
    assert_eq!(
        (&synced["unchanged"], &synced["added"]),
        (&2.into(), &0.into()),
        "{synced}"
    );
    library.assert_sound();
}

#[test]
fn nothing_is_ever_overwritten() {
    let library = Library::new();
    library.write("Plan.md", "mine\n");
    library.write("plan 2.MD", "mine too\n");
    let paths: Vec<String> = (0..2)
        .map(|n| {
            let added = library.run(&["note", "add", "Plan", &format!("text {n}")]);
            added["path"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(paths, ["notes/Plan 3.md", "notes/Plan 4.md"]);
    let read = |name: &str| fs::read_to_string(library.notes.path().join(name)).unwrap();
    assert_eq!(
        (read("Plan.md").as_str(), read("plan 2.MD").as_str()),
        ("mine\n", "mine too\n")
    );
    assert!(
        read("Plan 3.md").contains("title: Plan\n"),
        "{}",
        read("Plan 3.md")
    );
}

#[test]
fn text_comes_from_stdin() {
    let library = Library::new();
    let mut command = library.command(&["--json", "note", "add", "Piped", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = "---\nmood: good # kept\n---\n# A heading\n\nLine é.\n";
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let note = fs::read_to_string(library.notes.path().join("Piped.md")).unwrap();
    assert!(
        note.starts_with("---\nmood: good # kept\ntitle: Piped\ncreated: ")
            && note.ends_with("---\n# A heading\n\nLine é.\n"),
        "{note}"
    );
    assert_eq!(library.found("heading"), ["notes/Piped.md"]);
}

/// All files below a folder, as paths relative to it.
fn files(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path.display().to_string()),
        }
    }
    all
}

#[test]
fn no_title_and_no_folder_leads_out_of_the_source() {
    let outer = tempfile::tempdir().unwrap();
    let inner = tempfile::TempDir::new_in(outer.path()).unwrap();
    let library = Library::of(inner);
    let long = "x".repeat(5_000);
    for title in [
        "../../escaped",
        "/etc/escaped",
        "..\\..\\escaped",
        "C:\\escaped",
        "CON",
        "..",
        "🎉",
        "a\u{202E}b",
    ] {
        let added = library.run(&["note", "add", title, "text"]);
        let file = added["file"].as_str().unwrap();
        let inside = library.notes.path().canonicalize().unwrap();
        assert!(
            Path::new(file).parent().unwrap() == inside,
            "{title:?}: {file}"
        );
        assert_eq!(added["title"], title);
    }
    assert!(library.notes.path().join("_CON.md").is_file());
    assert!(fails(&library, 2, &["note", "add", &long, "text"]).contains("300 are the most"));
    assert!(fails(&library, 2, &["note", "add", " \n ", "text"]).contains("title is empty"));
    for folder in [
        "..",
        "../x",
        "a/../../x",
        "/tmp",
        "\\\\server\\x",
        "C:\\x",
        "~/x",
        ".obsidian",
        "CON",
        "a/./b",
        &long,
    ] {
        let says = fails(
            &library,
            2,
            &["note", "add", "Title", "text", "--folder", folder],
        );
        assert!(says.contains("folder"), "{folder:?}: {says}");
    }
    assert_eq!(files(outer.path()).len(), 8);
    assert!(!outer.path().join("x").exists());
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_source() {
    let outside = tempfile::tempdir().unwrap();
    let library = Library::new();
    library.write("real/a.md", "A\n");
    std::os::unix::fs::symlink(outside.path(), library.notes.path().join("out")).unwrap();
    std::os::unix::fs::symlink("real", library.notes.path().join("in")).unwrap();
    library.sync();
    for folder in ["out", "in", "out/deeper", "real/a.md"] {
        let says = fails(&library, 1, &["note", "add", "T", "x", "--folder", folder]);
        assert!(says.contains("not a folder"), "{folder}: {says}");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(files(&library.notes.path().join("real")).len(), 1);
    // A link in the place of the note is not written through either.
    let target = outside.path().join("target.md");
    std::os::unix::fs::symlink(&target, library.notes.path().join("Linked.md")).unwrap();
    let added = library.run(&["note", "add", "Linked", "x"]);
    assert_eq!(added["path"], "notes/Linked 2.md");
    assert!(!target.exists());
}

#[test]
fn a_note_goes_where_it_would_be_taken() {
    let library = Library::new();
    library.run(&[
        "add",
        &library.folder(),
        "--ignore",
        "Templates",
        "--ignore",
        "draft*",
    ]);
    for (title, folder) in [("Note", "Templates/x"), ("draft one", "")] {
        let says = fails(
            &library,
            2,
            &["note", "add", title, "x", "--folder", folder],
        );
        assert!(
            says.contains("would not take") && says.contains("--ignore"),
            "{says}"
        );
    }
    library.run(&["add", &library.folder(), "--include", "Journal"]);
    let says = fails(&library, 2, &["note", "add", "Note", "x"]);
    assert!(says.contains("--include"), "{says}");
    let added = library.run(&["note", "add", "Note", "x", "--folder", "Journal"]);
    assert_eq!(added["path"], "notes/Journal/Note.md");
    assert_eq!(files(library.notes.path()).len(), 1);
}

#[test]
fn the_source_has_to_be_one_that_can_be_written() {
    let library = Library::new();
    let other = tempfile::tempdir().unwrap();
    library.run(&[
        "add",
        &other.path().display().to_string(),
        "--name",
        "other",
    ]);
    let says = fails(&library, 2, &["note", "add", "T", "x"]);
    assert!(says.contains("notes, other"), "{says}");
    assert!(
        fails(
            &library,
            1,
            &["note", "add", "T", "x", "--source", "nosuch"]
        )
        .contains("nosuch")
    );
    library.run(&["source", "set", "other", "--read-only"]);
    assert_eq!(
        library.run(&["note", "add", "T", "x"])["path"],
        "notes/T.md"
    );
    let says = fails(&library, 2, &["note", "add", "T", "x", "--source", "other"]);
    assert!(
        says.contains("read-only") && says.contains("--writable"),
        "{says}"
    );
    let says = fails(
        &library,
        2,
        &[
            "clip",
            "http://127.0.0.1:9/",
            "--source",
            "other",
            "--allow-private",
        ],
    );
    assert!(says.contains("read-only"), "{says}");
    library.run(&["source", "set", "notes", "--read-only"]);
    let says = fails(&library, 2, &["note", "add", "T", "x"]);
    assert!(
        says.contains("no source that a note could be written into"),
        "{says}"
    );
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    // A file is none either.
    let file = other.path().join("one.md");
    fs::write(&file, "One\n").unwrap();
    library.run(&["add", &file.display().to_string(), "--name", "single"]);
    let says = fails(
        &library,
        2,
        &["note", "add", "T", "x", "--source", "single"],
    );
    assert!(says.contains("no folder"), "{says}");
}

#[cfg(unix)]
#[test]
fn a_write_protected_folder_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let library = Library::new();
    fs::set_permissions(library.notes.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let says = fails(&library, 2, &["note", "add", "T", "x", "--source", "notes"]);
    fs::set_permissions(library.notes.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(says.contains("write-protected"), "{says}");
    assert_eq!(fs::read_dir(library.notes.path()).unwrap().count(), 0);
}
