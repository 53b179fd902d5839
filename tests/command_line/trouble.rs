//! Wrong uses, damaged files, and surroundings that are not as they should be.

use std::fs;

use pkb_tests::pkb;

use crate::{Place, stderr};

#[test]
fn wrong_usage_ends_with_2_and_says_how() {
    let place = Place::new();
    for arguments in [
        &["frobnicate"][..],
        &["search"],
        &["search", "x", "--limit", "0"],
        &["get", "x", "--lines", "5:2"],
        &["sync", "--nonsense"],
        &[],
    ] {
        let said = place.fails(2, arguments);
        assert!(
            said.contains("Usage") || said.contains("error"),
            "{arguments:?}: {said}"
        );
    }
    let help = place.ok(&["--help"]);
    for command in [
        "add", "sync", "search", "get", "list", "browse", "status", "ledger", "doctor", "model",
        "plugin", "serve",
    ] {
        assert!(help.contains(command), "{command} is not in the help");
    }
}

#[test]
fn an_empty_home_says_what_to_do_first() {
    let place = Place::new();
    let said = place.fails(1, &["search", "anything"]);
    assert!(said.contains("pkb add"), "{said}");
    assert!(
        !place.home.path().join("pkb.db").exists(),
        "a search creates nothing"
    );
    let output = place.run(&["sync"]);
    assert!(output.status.success());
    assert!(stderr(&output).contains("pkb add PATH"));
}

#[test]
fn the_doctor_looks_at_settings_and_plugins_too() {
    let place = Place::filled();
    let settings = place.home.path().join("settings.toml");
    fs::write(&settings, "garbage = = [").unwrap();
    let output = place.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("settings.toml"));
    fs::remove_file(settings).unwrap();
    let plugins = place.home.path().join("plugins");
    fs::create_dir_all(&plugins).unwrap();
    fs::write(plugins.join("plugins.json"), "{").unwrap();
    assert_eq!(place.run(&["doctor"]).status.code(), Some(1));
}

#[test]
fn a_home_that_is_a_file_is_not_called_missing() {
    let place = Place::new();
    let file = place.notes.path().join("file");
    fs::write(&file, "x").unwrap();
    let said = place.fails(1, &["--home", &file.display().to_string(), "search", "x"]);
    assert!(!said.contains("pkb add"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    let place = Place::filled();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = pkb(place.home.path())
        .args(["list"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("cannot be written"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_damaged_database_is_named_with_a_remedy() {
    let place = Place::filled();
    fs::write(
        place.home.path().join("pkb.db"),
        b"this was a database once, and is none any more",
    )
    .unwrap();
    for file in ["pkb.db-wal", "pkb.db-shm"] {
        let _ = fs::remove_file(place.home.path().join(file));
    }
    for arguments in [&["search", "x"][..], &["sync"], &["doctor"]] {
        let said = place.fails(1, arguments);
        assert!(
            said.contains("pkb.db") && said.contains("backup"),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn a_database_of_a_newer_pkb_is_left_alone() {
    let place = Place::filled();
    let file = place.home.path().join("pkb.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.pragma_update(None, "user_version", 9_999).unwrap();
    drop(database);
    let said = place.fails(1, &["search", "tomatoes"]);
    assert!(
        said.contains("9999") && said.contains("update pkb"),
        "{said}"
    );
    place.fails(1, &["sync"]);
}

#[test]
fn a_wrong_model_is_refused_with_the_reason() {
    let place = Place::new();
    let folder = place.notes.path().join("model");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.display().to_string();
    assert!(
        place
            .fails(1, &["model", "add", "mine", &path])
            .contains("model.toml")
    );
    fs::write(
        folder.join("model.toml"),
        "pooling = \"mean\"\nlimit = 256\ndimensions = 384\n",
    )
    .unwrap();
    fs::write(folder.join("tokenizer.json"), "{}").unwrap();
    fs::write(folder.join("model.onnx"), b"not a network").unwrap();
    assert!(
        place
            .fails(1, &["model", "add", "mine", &path])
            .contains("model.onnx")
    );
    assert!(place.fails(1, &["model", "use", "mine"]).contains("mine"));
    assert!(
        place.ok(&["model", "list"]).contains("minilm"),
        "what can be pulled is listed"
    );
}

#[test]
fn pulling_without_a_network_says_how_to_go_on() {
    let place = Place::new();
    let output = pkb(place.home.path())
        .args(["model", "pull"])
        // Nothing listens there: the discard port of this machine.
        .env("HF_ENDPOINT", "http://127.0.0.1:9")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("pkb model add"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::filled();
    let binary = pkb_tests::pkb_binary();
    let script = format!(
        "set -o pipefail; '{}' --home '{}' ledger | head -n 0",
        binary.display(),
        place.home.path().display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
}

#[test]
fn a_note_cannot_drive_the_terminal() {
    let place = Place::new();
    place.write(
        "evil.md",
        "# Evil \u{1b}]0;owned\u{7}\n\nescape \u{1b}[31mred\u{202e} text\n",
    );
    place.add(&[]);
    place.ok(&["sync"]);
    for arguments in [
        &["search", "escape"][..],
        &["get", "evil.md"],
        &["list"],
        &["ledger"],
    ] {
        let shown = place.ok(arguments);
        assert!(
            !shown.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{arguments:?}: {shown:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_can_still_be_searched() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::filled();
    if is_root(place.home.path()) {
        eprintln!("skipped: root writes everywhere");
        return;
    }
    fs::set_permissions(place.home.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let found = place.run(&["search", "tomatoes", "--json"]);
    let refused = place.run(&["sync"]);
    fs::set_permissions(place.home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(found.status.success(), "{}", stderr(&found));
    assert_eq!(refused.status.code(), Some(1));
}

#[cfg(unix)]
fn is_root(folder: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(folder).unwrap().uid() == 0
}
