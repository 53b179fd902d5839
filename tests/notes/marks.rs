//! Sources that are set apart: hidden, private.

use std::fs;
use std::path::{Path, PathBuf};

use pkb_tests::Library;
use serde_json::Value;
use tempfile::TempDir;

use crate::fails;

/// The private source's name.
pub(crate) const NAME: &str = "diaryzq";
/// What only the private source says: words of a text, a title, a file's name,
/// a folder's name, a tag.
pub(crate) const SECRETS: [&str; 6] = [NAME, "xylofrond", "Quixotic", "qzfile", "zfolder", "zqtag"];

/// A home with something to find, and the same with a private source beside it.
pub(crate) struct Pair {
    pub(crate) plain: Library,
    pub(crate) marked: Library,
    pub(crate) secret: TempDir,
}

impl Pair {
    pub(crate) fn new() -> Pair {
        let notes = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(notes.path().join(name), text).unwrap();
        write(
            "Herons.md",
            "---\nurl: https://birds.example/herons\n---\n# Herons\n\nThe heron stands in moonlit water and waits for fish. See [page](https://zq.example/page) and [[Boats]].\n",
        );
        write(
            "Boats.md",
            "# Boats\n\nA boat lies in the harbour, and another boat lies beside it all the night long.\n",
        );
        write("Gone.md", "# Gone\n\nSoon to be deleted.\n");
        let plain = Library::of(notes);
        plain.sync();
        plain.run(&["rm", "Gone", "--yes"]);
        // A copy, as items get their numbers as they come.
        let marked = Library::new();
        fs::remove_dir_all(marked.home.path()).unwrap();
        copy(plain.home.path(), marked.home.path());

        let secret = tempfile::Builder::new()
            .prefix("zfolder")
            .tempdir()
            .unwrap();
        let write = |name: &str, text: &str| fs::write(secret.path().join(name), text).unwrap();
        write(
            "qzfile.md",
            "---\ntags: [zqtag]\nurl: https://zq.example/page\n---\n# Quixotic page\n\nThe xylofrond heron in the harbour: https://birds.example/herons is [read](https://birds.example/herons).\n",
        );
        // The same as what everyone sees.
        write(
            "qzfile twin.md",
            "# Boats\n\nA boat lies in the harbour, and another boat lies beside it all the night long.\n",
        );
        write(
            "qzfile gone.md",
            "# Quixotic gone\n\nA deleted xylofrond.\n",
        );
        write("qzfile broken.pdf", "%PDF-1.4 this is none");
        let folder = secret.path().display().to_string();
        marked.run(&["add", &folder, "--name", NAME, "--private"]);
        let said = marked.output(&["sync"]);
        assert!(said.status.success(), "{said:?}");
        clean("sync", &said.stdout, &said.stderr);
        marked.run(&["rm", &format!("{NAME}/qzfile gone.md"), "--yes"]);
        Pair {
            plain,
            marked,
            secret,
        }
    }

    fn own(&self) -> String {
        fs::canonicalize(self.secret.path())
            .unwrap()
            .display()
            .to_string()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Nothing of the private source is in an answer.
fn clean(what: &str, stdout: &[u8], stderr: &[u8]) {
    let all = [stdout, stderr].map(String::from_utf8_lossy).concat();
    for secret in SECRETS {
        assert!(
            !all.to_lowercase().contains(&secret.to_lowercase()),
            "{what}: {secret} in {all}"
        );
    }
}

/// An answer without what differs from run to run.
fn steady(library: &Library, output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output).into_owned();
    let text = text.replace(&library.home.path().display().to_string(), "HOME");
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else {
        return text;
    };
    strip(&mut value);
    value.to_string()
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for key in [
                "times",
                "ingested",
                "looked",
                "started",
                "finished",
                "last_sync",
                "created",
                "updated",
                "bytes",
                "deleted_at",
                "deleted",
                "freshness",
                "id",
                "source_id",
            ] {
                if map.get(key).is_some_and(|value| !value.is_boolean()) {
                    map.remove(key);
                }
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[test]
fn a_private_source_is_as_if_it_were_not_there() {
    let pair = Pair::new();
    let number = "5";
    for arguments in [
        &["search", "heron harbour"][..],
        &["search", "heron", "--explain"],
        &["search", "boat", "--mode", "lexical"],
        // The words of the private note itself weigh nothing.
        &["search", "--", "XYLOFROND heron"],
        &["search", "\"xylofrond heron\""],
        &["search", "tag:zqtag heron"],
        &["search", "title:quixotic"],
        &["list"],
        &["list", "--recent"],
        &["list", "--status", "deleted"],
        &["browse", "--sort", "title"],
        &["browse", "--count"],
        &["browse", "--tag", "zqtag"],
        &["deleted"],
        &["ledger"],
        &["ledger", "--failed"],
        &["similar", "Boats"],
        &["links", "Herons"],
        &["get", "Herons"],
        &["get", number],
        &["get", "Quixotic page"],
        &["get", "Quixotik"],
        &["get", "qzfile.md"],
        &["get", "qzfile"],
        &["get", "https://zq.example/page"],
        &["links", "Quixotic page"],
        &["similar", number],
        &["rm", number, "--yes"],
        &["rm", "Quixotic page", "--yes"],
        &["rm", "Quixotic gone", "--yes"],
        &["restore", "Quixotic gone"],
        &["restore", "qzfile gone"],
        &["note", "update", number, "--title", "x"],
        &["note", "update", "Quixotic page", "--title", "x"],
        &["search", "heron", "--source", "diary"],
        &["ledger", "--source", "nosuch"],
        &["sync", "--source", "nosuch"],
        &["remove", "nosuch", "--yes"],
        &["eval", "--links", "--mode", "lexical"],
        &["status"],
    ] {
        for json in [false, true] {
            let mut all = arguments.to_vec();
            if json {
                all.insert(0, "--json");
            }
            let [plain, marked] = [&pair.plain, &pair.marked].map(|library| {
                let output = library.output(&all);
                (
                    output.status.code(),
                    steady(library, &output.stdout),
                    steady(library, &output.stderr),
                )
            });
            // The size of the database on disk is no secret.
            if arguments == ["status"] && !json {
                clean("status", marked.1.as_bytes(), marked.2.as_bytes());
                continue;
            }
            let look = |text: &str| text.replace("took", "");
            if arguments.contains(&"--explain") && !json {
                // Where the time went.
                assert_eq!(plain.0, marked.0);
                clean("explain", marked.1.as_bytes(), marked.2.as_bytes());
                continue;
            }
            assert_eq!(
                (plain.0, look(&plain.1), look(&plain.2)),
                (marked.0, look(&marked.1), look(&marked.2)),
                "{all:?}"
            );
        }
    }
}

#[test]
fn whoever_names_a_private_source_on_the_command_line_sees_it() {
    let pair = Pair::new();
    let library = &pair.marked;
    let secret = format!("{NAME}/qzfile.md");
    let file = PathBuf::from(pair.own()).join("qzfile.md");
    let hits = |arguments: &[&str]| library.run(arguments)["hits"].as_array().unwrap().len();
    assert_eq!(hits(&["search", "xylofrond"]), 0);
    assert_eq!(hits(&["search", "xylofrond", "--source", NAME]), 1);
    assert_eq!(hits(&["search", &format!("source:{NAME} xylofrond")]), 1);
    assert_eq!(hits(&["search", "xylofrond", "--not-source", NAME]), 0);
    assert_eq!(library.run(&["list", "--source", NAME])["total"], 2);
    assert_eq!(library.run(&["list"])["total"], 2);
    for item in [&secret, &file.display().to_string()] {
        assert_eq!(
            library.run(&["get", item])["details"]["title"],
            "Quixotic page"
        );
    }
    let updated = library.run(&["note", "update", &secret, "--tag", "new"]);
    assert_eq!(updated["tags"][1], "new");
    assert_eq!(
        library.run(&["ledger", "--source", NAME, "--failed"])["total"],
        1
    );
    assert_eq!(library.run(&["deleted", "--source", NAME])["total"], 1);
    assert_eq!(
        library.run(&["sync", "--source", NAME])["sources"][0]["source"],
        NAME
    );
    // The one place that names it unasked is the list of what is marked.
    let sources = library.run(&["source", "list"]);
    let marked = &sources["sources"][0];
    assert_eq!(
        (&marked["name"], &marked["visibility"]),
        (&NAME.into(), &"private".into())
    );
    library.run(&["source", "set", NAME, "--visible"]);
    assert_eq!(hits(&["search", "xylofrond"]), 1);
    library.assert_sound();
}

#[test]
fn a_problem_of_a_private_source_is_told_without_its_name() {
    let pair = Pair::new();
    let gone = pair.secret.path().with_extension("away");
    fs::rename(pair.secret.path(), &gone).unwrap();
    let output = pair.marked.output(&["sync"]);
    fs::rename(&gone, pair.secret.path()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    clean("sync", &output.stdout, &output.stderr);
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(says.contains("a private source"), "{says}");
}

#[test]
fn a_hidden_source_shows_itself_to_whoever_names_it() {
    let library = Library::new();
    library.write("Heron.md", "# Heron\n\nA heron stands.\n");
    let old = tempfile::tempdir().unwrap();
    fs::write(
        old.path().join("Old.md"),
        "# Old heron\n\nAn old heron, see [[Other]].\n",
    )
    .unwrap();
    fs::write(
        old.path().join("Other.md"),
        "# Other heron\n\nAnother heron stood. [[Old]]\n",
    )
    .unwrap();
    library.run(&[
        "add",
        &old.path().display().to_string(),
        "--name",
        "old",
        "--hidden",
    ]);
    library.sync();
    let total = |arguments: &[&str]| library.run(arguments)["total"].as_u64().unwrap();
    assert_eq!(total(&["list"]), 1);
    assert_eq!(total(&["list", "--source", "old"]), 2);
    assert_eq!(total(&["list", "--not-source", "notes"]), 0);
    assert_eq!(library.found("heron"), ["notes/Heron.md"]);
    assert_eq!(library.found("source:old heron").len(), 2);
    // Named, it is read, with what is beside it; a suggestion is no naming.
    assert_eq!(library.run(&["get", "Old heron"])["path"], "old/Old.md");
    assert_eq!(library.run(&["links", "Old"])["backlink_count"], 1);
    let near = library.run(&["similar", "Old"])["similar"].to_string();
    assert!(near.contains("old/Other.md"), "{near}");
    let near = library.run(&["similar", "Heron.md"])["similar"].to_string();
    assert!(!near.contains("old/"), "{near}");
    let says = fails(&library, 1, &["get", "Old herons"]);
    assert!(!says.contains("old/"), "{says}");
    assert_eq!(library.run(&["status"])["store"]["items"], 3);
    let shown = library.output(&["status"]);
    assert!(
        String::from_utf8_lossy(&shown.stdout).contains("hidden"),
        "{shown:?}"
    );
    assert_eq!(library.run(&["status"])["now"][1]["visibility"], "hidden");
    library.run(&["source", "set", "old", "--visible", "--name", "older"]);
    assert_eq!(total(&["list"]), 3);
    assert_eq!(
        library.run(&["source", "list"])["sources"][1]["name"],
        "older"
    );
}

#[test]
fn marks_stay_when_a_folder_is_added_again() {
    let library = Library::new();
    library.run(&["source", "set", "notes", "--private", "--read-only"]);
    library.run(&["add", &library.folder(), "--ignore", "x"]);
    let source = library.run(&["source", "list"])["sources"][0].clone();
    assert_eq!(
        (&source["visibility"], &source["read_only"]),
        (&"private".into(), &true.into())
    );
    library.run(&["add", &library.folder(), "--visible", "--writable"]);
    let source = library.run(&["source", "list"])["sources"][0].clone();
    assert_eq!(
        (&source["visibility"], &source["read_only"]),
        (&"visible".into(), &false.into())
    );
    assert!(fails(&library, 1, &["serve", "--private", "nosuch"]).contains("nosuch"));
    assert!(fails(&library, 2, &["source", "set", "notes"]).contains("--private"));
    assert!(
        fails(
            &library,
            2,
            &["source", "set", "notes", "--private", "--hidden"]
        )
        .contains("--hidden")
    );
}
