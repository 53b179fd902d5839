//! The command line as people and scripts use it, wrong uses included.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pkb_tests::pkb;
use serde_json::Value;
use tempfile::TempDir;

/// A home and a folder of notes, both empty.
struct Place {
    home: TempDir,
    notes: TempDir,
}

impl Place {
    fn new() -> Place {
        Place {
            home: tempfile::tempdir().unwrap(),
            notes: tempfile::tempdir().unwrap(),
        }
    }

    /// With some notes that are a source called `notes` and were synced.
    fn filled() -> Place {
        let place = Place::new();
        place.write(
            "Garden/Watering.md",
            "# Watering\n\nTomatoes want water every morning.\n\n## Winter\n\nAlmost none.\n",
        );
        place.write(
            "Errors.md",
            "---\ntags: [work]\n---\n# Errors\n\nThe pump reports ERR-4471 when it runs dry.\n",
        );
        place.write("plain.txt", "A plain text about the cellar. It is damp.\n");
        place.add(&["--name", "notes"]);
        place.ok(&["sync"]);
        place
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.notes.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn add(&self, options: &[&str]) -> String {
        let notes = self.notes.path().display().to_string();
        let mut arguments = vec!["add", &notes];
        arguments.extend(options);
        self.ok(&arguments)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        pkb(self.home.path()).args(arguments).output().unwrap()
    }

    /// Stdout of a run that must succeed.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            stderr(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["--json"];
        all.extend(arguments);
        serde_json::from_str(&self.ok(&all)).unwrap()
    }

    /// Stderr of a run that must end with `code`.
    fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(
            output.stdout.is_empty(),
            "{arguments:?} failed and still answered"
        );
        stderr(&output)
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_word_is_found_and_cited_by_its_lines() {
    let place = Place::filled();
    let answer = place.json(&["search", "ERR-4471"]);
    let hit = &answer["hits"][0];
    assert_eq!(hit["path"], "notes/Errors.md");
    assert_eq!(hit["title"], "Errors");
    assert_eq!(
        hit["place"]["lines"],
        serde_json::json!([4, 6]),
        "lines of the file, frontmatter counted"
    );
    let snippet = hit["snippet"]["text"].as_str().unwrap();
    let range = &hit["snippet"]["matches"][0];
    let (start, end) = (
        range["start"].as_u64().unwrap() as usize,
        range["end"].as_u64().unwrap() as usize,
    );
    assert_eq!(&snippet[start..end], "ERR-4471");
    assert_eq!(hit["why"]["lexical_rank"], 1);
    assert_eq!(answer["legs"][0]["name"], "lexical");
    assert_eq!(answer["legs"].as_array().unwrap().len(), 1);
    assert!(
        answer["notes"][0]
            .as_str()
            .unwrap()
            .contains("pkb model pull"),
        "{}",
        answer["notes"]
    );

    let shown = place.ok(&["search", "ERR-4471", "--explain"]);
    assert!(
        shown.contains("notes/Errors.md") && shown.contains("lines 4-6"),
        "{shown}"
    );
    assert!(
        !shown.contains('\u{1b}'),
        "no colours where there is no terminal"
    );
    assert!(
        place
            .ok(&["search", "ERR-4471", "--color", "always"])
            .contains('\u{1b}')
    );
}

#[test]
fn searches_can_be_narrowed() {
    let place = Place::filled();
    let paths = |arguments: &[&str]| -> Vec<String> {
        let answer = place.json(arguments);
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["path"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths(&["search", "water pump cellar"]).len(), 3);
    assert_eq!(
        paths(&["search", "water pump cellar", "--tag", "work"]),
        ["notes/Errors.md"]
    );
    assert_eq!(
        paths(&["search", "water pump cellar", "--path", "Garden/"]),
        ["notes/Garden/Watering.md"]
    );
    assert_eq!(
        paths(&["search", "water pump cellar", "--limit", "1"]).len(),
        1
    );
    assert!(
        place
            .fails(1, &["search", "x", "--source", "nothing"])
            .contains("There are: notes.")
    );
}

#[test]
fn items_are_browsed_by_what_they_are() {
    let place = Place::filled();
    place.write(
        "Talk.md",
        "---\ntitle: Ein Gespräch\nauthor: Ada\nlang: de-AT\ncreated: 2020-05-01\nrating: 4\ntags: [work/talks]\n---\nText.\n",
    );
    place.ok(&["sync"]);
    let titles = |filters: &[&str]| -> Vec<String> {
        let mut arguments = vec!["browse"];
        arguments.extend(filters);
        let page = place.json(&arguments);
        let items = page["items"].as_array().unwrap();
        items
            .iter()
            .map(|item| item["external_id"].as_str().unwrap().to_owned())
            .collect()
    };
    for filters in [
        &["--title", "GESPRÄCH"][..],
        &["--author", "ada"],
        &["--lang", "de"],
        &["--created", "2020..2021"],
        &["--created", "2020-05-01"],
        &["--tag", "work/talks"],
        &["--property", "Rating=4.0"],
        &["--path", "notes/t*.md"],
        &["--tag", "work", "--not-path", "Errors"],
    ] {
        assert_eq!(titles(filters), ["Talk.md"], "{filters:?}");
    }
    for filters in [
        &["--created", "..2019"][..],
        &["--after", "1d", "--before", "1d"],
        &["--min-duration", "5m"],
        &["--status", "stale"],
    ] {
        assert!(titles(filters).is_empty(), "{filters:?}");
    }
    assert_eq!(titles(&["--untagged"]).len(), 2);
    assert_eq!(titles(&["--sort", "created", "-n", "1"]), ["Talk.md"]);
    assert_eq!(
        titles(&["--sort", "title", "--desc", "-n", "1"]),
        ["Garden/Watering.md"]
    );
    assert_eq!(place.ok(&["browse", "--count", "--tag", "work"]), "2\n");
    let output = place.run(&["browse", "--sort", "created", "-n", "2", "--offset", "1"]);
    assert!(
        stderr(&output).contains("showing 2-3 of 4 items; --offset 3 shows the next"),
        "{}",
        stderr(&output)
    );
    let table = place.ok(&["browse", "--sort", "created", "-n", "1"]);
    assert!(table.contains("2020-05-01  Ein Gespräch"), "{table}");
    let found = place.json(&["search", "text pump", "--author", "ada"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    fs::remove_file(place.notes.path().join("Talk.md")).unwrap();
    place.ok(&["sync"]);
    assert_eq!(titles(&["--status", "deleted"]), ["Talk.md"]);
    assert_eq!(titles(&["--author", "ada"]).len(), 0);
}

#[test]
fn wrong_filters_name_the_option_and_what_is_right() {
    let place = Place::filled();
    for (arguments, flag, right) in [
        (&["--after", "someday"][..], "--after", "last-month"),
        (&["--created", "2025..2024"], "--created", "2024-03"),
        (&["--min-duration", "long"], "--min-duration", "1h30m"),
        (&["--status", "lost"], "--status", "stale"),
        (&["--sort", "colour"], "--sort", "views"),
        (&["--property", "=x"], "--property", "NAME=VALUE"),
        (&["--tag", ""], "--tag", "value"),
    ] {
        let mut all = vec!["browse"];
        all.extend(arguments);
        let said = place.fails(2, &all);
        assert!(said.contains(flag) && said.contains(right), "{said}");
    }
    let said = place.fails(2, &["list", "--min-duration", "9", "--max-duration", "3"]);
    assert!(
        said.contains("9 s, is more than the greatest, 3 s"),
        "{said}"
    );
    let said = place.fails(1, &["browse", "--not-source", "nothing"]);
    assert!(said.contains("There are: notes."), "{said}");
}

#[test]
fn no_query_is_an_error() {
    let place = Place::filled();
    for query in [
        "can't open o'brien",
        "\"half",
        "",
        "   ",
        "foo:bar",
        "a AND OR NOT (",
        "*",
        "^x",
        "\"\"",
        "NEAR(a b)",
        "🎉",
        "c++ {x}",
    ] {
        place.json(&["search", query]);
    }
    place.json(&["search", &"paste ".repeat(15_000)]);
    place.json(&["search", "--", "--dry-run"]);
    assert!(place.ok(&["search", "zzzz"]).contains("Nothing found."));
}

#[test]
fn items_are_read_by_number_path_and_title() {
    let place = Place::filled();
    let number = place.json(&["search", "tomatoes"])["hits"][0]["item"].to_string();
    for wanted in [
        &number,
        "Garden/Watering.md",
        "Watering",
        "watering",
        "notes/Garden/Watering.md",
        "[[Watering]]",
        &place
            .notes
            .path()
            .canonicalize()
            .unwrap()
            .join("Garden")
            .join("Watering.md")
            .display()
            .to_string(),
    ] {
        let reading = place.json(&["get", wanted]);
        assert_eq!(reading["path"], "notes/Garden/Watering.md", "{wanted}");
    }
    let part = place.json(&["get", "Watering", "--lines", "3:3"]);
    assert_eq!(part["text"], "Tomatoes want water every morning.\n");
    assert_eq!(part["lines"], serde_json::json!([3, 3]));
    assert!(
        place
            .fails(2, &["get", "Watering", "--lines", "50:60"])
            .contains("goes to line 7")
    );
    let missed = place.fails(1, &["get", "Waterng"]);
    assert!(
        missed.contains("there is no item \"Waterng\"")
            && missed.contains("Did you mean notes/Garden/Watering.md"),
        "{missed}"
    );
}

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
fn a_path_that_is_no_folder_cannot_be_added() {
    let place = Place::new();
    place.write("note.md", "x");
    let file = place.notes.path().join("note.md").display().to_string();
    assert!(place.fails(1, &["add", &file]).contains("note.md"));
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
    assert_eq!(status["components"].as_array().unwrap().len(), 6);
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
    assert!(place.ok(&["ledger"]).contains("no extractor for .png"));
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
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
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
fn is_root(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(folder).unwrap().uid() == 0
}
