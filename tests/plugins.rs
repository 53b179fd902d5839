//! Plugins through the real binary: a behaved one that is added and used, and
//! a hostile one that costs ledger lines and nothing else.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use pkb_tests::{builtin_component, example_component, guest_component, pkb};
use serde_json::Value;
use tempfile::TempDir;

/// Runs `pkb` in a home of its own.
struct Home(TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = pkb(&self.0.path().join("home"))
            .args(args)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("panicked"), "pkb {args:?}: {said}");
        output
    }

    /// What it printed; it must have done what it was asked.
    fn stdout(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success(),
            "pkb {args:?} ended with {}: {said}",
            output.status
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(&[args, &["--json"]].concat())).unwrap()
    }

    /// What it said when it refused; it must have, and without an answer.
    fn refusal(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success(), "pkb {args:?} did it");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "pkb {args:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn folder(&self, files: &[(&str, String)]) -> String {
        let folder = self.0.path().join("notes");
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
        path(&folder)
    }
}

fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The paths of the items found, best first.
fn found(answer: &Value) -> Vec<&str> {
    answer["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["path"].as_str().unwrap())
        .collect()
}

const TRIP: &str = "Before the first section.\n\n## Packing\n\nA raincoat and a torch.\n\n## Journey\n\nBy night train \
                    to Narvik.\n\n### The ferry\n\nIt leaves at noon.\n\n## Return\n\nHome on Sunday.\n";

#[test]
fn a_plugin_of_ones_own_is_added_and_used() {
    let home = Home::new();
    let file = path(&example_component("chunk-sections"));
    let notes = home.folder(&[("trip.md", TRIP.into())]);

    let trial = home.json(&["plugin", "test", &file, &format!("{notes}/trip.md")]);
    let chunks = trial["chunks"].as_array().unwrap();
    let headings: Vec<_> = chunks
        .iter()
        .map(|chunk| chunk["headings"].to_string())
        .collect();
    assert_eq!(
        headings,
        ["[]", r#"["Packing"]"#, r#"["Journey"]"#, r#"["Return"]"#]
    );
    let whole: String = chunks
        .iter()
        .map(|chunk| chunk["text"].as_str().unwrap())
        .collect();
    assert_eq!(whole, TRIP);
    assert!(
        home.stdout(&["plugin", "test", &file, &format!("{notes}/trip.md")])
            .ends_with("4 chunks\n")
    );

    // The three commands of the README.
    let shown = home.stdout(&["plugin", "add", &file]);
    assert!(shown.contains("chunk-sections is added"), "{shown}");
    home.stdout(&[
        "add",
        &notes,
        "--name",
        "trips",
        "--chunker",
        "chunk-sections",
    ]);
    let report = home.json(&["sync"]);
    assert_eq!(report["sources"][0]["added"], 1, "{report}");

    let listed = home.json(&["plugin", "list"]);
    let listed = listed.as_array().unwrap();
    let mine: Vec<_> = listed
        .iter()
        .filter(|one| one["builtin"] == false)
        .collect();
    assert_eq!(mine.len(), 1);
    assert_eq!(
        (&mine[0]["name"], &mine[0]["world"]),
        (&"chunk-sections".into(), &"chunker".into())
    );
    let info = home.json(&["plugin", "info", "chunk-sections"]);
    assert_eq!(info["sha256"], mine[0]["sha256"]);
    assert_eq!(info["summary"], "One chunk for each `## ` section.");

    assert_eq!(home.json(&["status"])["store"]["chunks"], 4);
    let answer = home.json(&["search", "ferry"]);
    assert_eq!(found(&answer), ["trips/trip.md"]);
    assert_eq!(
        answer["hits"][0]["headings"],
        serde_json::json!(["Journey"])
    );
    assert_eq!(home.stdout(&["doctor"]), "Everything fits together.\n");

    // Without it nothing can be read, and what was read is still there.
    let removed = home.run(&["plugin", "remove", "chunk-sections"]);
    assert!(String::from_utf8_lossy(&removed.stderr).contains("trips cannot be read without it"));
    fs::write(
        Path::new(&notes).join("new.md"),
        "Something new about whales.\n",
    )
    .unwrap();
    let output = home.run(&["sync"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("there is no chunker called \"chunk-sections\""),
        "{said}"
    );
    assert!(said.contains("pkb plugin add"), "{said}");
    assert_eq!(found(&home.json(&["search", "ferry"])), ["trips/trip.md"]);
    home.stdout(&["plugin", "add", &file]);
    home.stdout(&["sync"]);
    assert_eq!(found(&home.json(&["search", "whales"])), ["trips/new.md"]);
}

/// Attacks that end in a failure, with what the ledger says of each. The
/// limits are those that every user has.
const ATTACKS: [(&str, &str, &str); 25] = [
    ("loop", "deadline", "chunker attacks ran past 5"),
    ("sleep", "deadline", "chunker attacks ran past 5"),
    ("count-flood", "deadline", "chunker attacks ran past 5"),
    (
        "memory",
        "limit",
        "chunker attacks needed more memory than the 512 MiB it may have",
    ),
    (
        "huge-result",
        "limit",
        "chunker attacks needed more memory than the 512 MiB it may have",
    ),
    (
        "recursion",
        "limit",
        "chunker attacks needed more stack than it may have (endless recursion?)",
    ),
    ("frames", "crash", "chunker attacks crashed: "),
    (
        "count-long",
        "limit",
        "chunker attacks needed more bytes in a text to count",
    ),
    (
        "many-chunks",
        "invalid-result",
        "chunker attacks gave an invalid result: chunks that repeat the text",
    ),
    (
        "huge-context",
        "invalid-result",
        "a chunk with 67108864 bytes of headings and context",
    ),
    ("outside", "invalid-result", "a chunk reaches to byte"),
    (
        "far-outside",
        "invalid-result",
        "a chunk reaches to byte 18446744073709551615",
    ),
    (
        "backwards",
        "invalid-result",
        "a chunk ends at byte 2, before its start at byte 5",
    ),
    ("empty-chunk", "invalid-result", "an empty chunk at byte 1"),
    (
        "boundary",
        "invalid-result",
        "does not start and end between characters",
    ),
    (
        "trap",
        "crash",
        "chunker attacks crashed: the chunker fell over",
    ),
    ("unreachable", "crash", "chunker attacks crashed: "),
    (
        "exit",
        "crash",
        "chunker attacks crashed: it exited with status 1",
    ),
    ("fail", "invalid-input", "the text is not to my taste"),
    ("escapes", "invalid-input", "a bad chunk  [2J of  text"),
    ("file", "internal", "refused: "),
    ("write-file", "internal", "refused: "),
    ("socket", "internal", "refused: "),
    ("listen", "internal", "refused: "),
    (
        "environment",
        "internal",
        "refused: the environment is empty",
    ),
];

#[test]
fn an_attack_costs_one_ledger_line_and_nothing_else() {
    let home = Home::new();
    let mut files = Vec::new();
    for (at, (attack, ..)) in ATTACKS.iter().enumerate() {
        files.push((
            format!("{at:02}-{attack}.md"),
            format!("attack: {attack}\nA naïve text about krakens.\n"),
        ));
        files.push((
            format!("{at:02}-good.md"),
            format!("A naïve text about otters, the word{at}x one.\n"),
        ));
    }
    // These misbehave and give a good result all the same.
    files.push((
        "stdout.md".into(),
        "attack: stdout\nA text about otters.\n".into(),
    ));
    let named: Vec<(&str, String)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.clone()))
        .collect();
    let notes = home.folder(&named);
    home.stdout(&["plugin", "add", &path(&guest_component("attacks"))]);
    home.stdout(&["add", &notes, "--name", "mixed", "--chunker", "attacks"]);

    let synced = home.run(&["sync", "--json"]);
    assert!(
        synced.status.success(),
        "{}",
        String::from_utf8_lossy(&synced.stderr)
    );
    for output in [&synced.stdout, &synced.stderr] {
        let output = String::from_utf8_lossy(output);
        assert!(
            !output.contains("guest-was-here") && !output.contains('\u{1b}'),
            "{output}"
        );
    }
    let report: Value = serde_json::from_slice(&synced.stdout).unwrap();
    assert_eq!(report["sources"][0]["failed"], ATTACKS.len(), "{report}");
    assert_eq!(report["sources"][0]["added"], ATTACKS.len() + 1, "{report}");
    assert!(!Path::new("/tmp/pkb-was-here").exists());

    let ledger = home.json(&["ledger", "--failed"]);
    let lines: BTreeMap<&str, (&str, &str)> = ledger["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            assert_eq!(line["component"], "attacks", "{line}");
            let text = |key: &str| line[key].as_str().unwrap();
            (text("external_id"), (text("reason"), text("message")))
        })
        .collect();
    assert_eq!(ledger["total"], ATTACKS.len(), "{ledger}");
    let mut wrong = Vec::new();
    for (at, (attack, reason, message)) in ATTACKS.into_iter().enumerate() {
        let line = lines.get(format!("{at:02}-{attack}.md").as_str());
        if !line.is_some_and(|(why, said)| {
            *why == reason && said.contains(message) && !said.contains("BREACH")
        }) {
            wrong.push((attack, line));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");

    assert_eq!(
        home.json(&["ledger", "--indexed"])["total"],
        ATTACKS.len() + 1
    );
    for at in 0..ATTACKS.len() {
        let answer = home.json(&["search", &format!("word{at}x")]);
        assert_eq!(found(&answer), [format!("mixed/{at:02}-good.md")]);
    }
    assert_eq!(
        found(&home.json(&["search", "krakens"])),
        Vec::<&str>::new()
    );
    assert_eq!(home.stdout(&["doctor"]), "Everything fits together.\n");

    // What failed is known to fail, and stays a line each.
    let again = home.json(&["sync"]);
    assert_eq!(again["sources"][0]["added"], 0, "{again}");
    assert_eq!(home.json(&["ledger", "--failed"])["total"], ATTACKS.len());
}

#[test]
fn settings_reach_the_chunker() {
    let home = Home::new();
    let note = "An otter.\nA kraken.\n";
    let notes = home.folder(&[("a.md", note.into()), ("b.md", note.into())]);
    home.stdout(&["plugin", "add", &path(&guest_component("attacks"))]);
    let add = |settings: &'static str| {
        let chunker = ["--chunker", "attacks", "--chunker-settings", settings];
        [&["add", notes.as_str(), "--name", "both"][..], &chunker].concat()
    };
    let said = home.refusal(&add("{\"attack\":"));
    assert!(said.contains("JSON"), "{said}");
    // What the chunker does not take is found out before it costs every file.
    let said = home.refusal(&add(r#"{"attack":"fail"}"#));
    assert!(said.contains("the text is not to my taste"), "{said}");
    home.stdout(&add(r#"{"attack":"first-line"}"#));
    assert_eq!(home.json(&["sync"])["sources"][0]["added"], 2);
    assert_eq!(found(&home.json(&["search", "otter"])).len(), 2);
    assert_eq!(found(&home.json(&["search", "kraken"])).len(), 0);
    home.stdout(&add("{}"));
    assert_eq!(home.json(&["sync"])["rechunked"], 2);
    assert_eq!(found(&home.json(&["search", "kraken"])).len(), 2);
}

#[test]
fn what_is_no_plugin_is_refused_with_the_remedy() {
    let home = Home::new();
    let folder = home.folder(&[
        ("note.md", "# A note\n".into()),
        ("module.wasm", "\0asm\u{1}\0\0\0".into()),
    ]);
    let extractor = path(&builtin_component("extract-markdown"));
    let refusals = [
        (format!("{folder}/nowhere.wasm"), "nowhere.wasm"),
        (folder.clone(), "notes"),
        (
            format!("{folder}/note.md"),
            "note.md is not a usable WebAssembly component",
        ),
        (
            format!("{folder}/module.wasm"),
            "Build it with `cargo build --target wasm32-wasip2`",
        ),
        (
            extractor,
            "extract-markdown is the name of a built-in component",
        ),
    ];
    for (file, message) in refusals {
        let said = home.refusal(&["plugin", "add", &file]);
        assert!(said.contains(message), "{file}: {said}");
    }
    for verb in ["info", "remove"] {
        let said = home.refusal(&["plugin", verb, "acme-lines"]);
        assert!(
            said.contains("there is no plugin called acme-lines"),
            "{said}"
        );
    }

    for (chunker, message) in [
        ("acme-lines", "there is no chunker called \"acme-lines\""),
        (
            "extract-markdown",
            "it is an extractor, where a chunker is needed",
        ),
    ] {
        let said = home.refusal(&["add", &folder, "--chunker", chunker]);
        assert!(said.contains(message), "{said}");
    }
}

#[test]
fn a_plugin_that_changed_is_not_run() {
    let home = Home::new();
    let notes = home.folder(&[("trip.md", TRIP.into())]);
    home.stdout(&["plugin", "add", &path(&example_component("chunk-sections"))]);
    home.stdout(&["add", &notes, "--chunker", "chunk-sections"]);
    let sha256 = home.json(&["plugin", "info", "chunk-sections"])["sha256"]
        .as_str()
        .unwrap()
        .to_owned();
    let file = home
        .0
        .path()
        .join("home")
        .join("plugins")
        .join(format!("{sha256}.wasm"));
    fs::copy(guest_component("attacks"), &file).unwrap();
    let output = home.run(&["sync"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the file of plugin chunk-sections has changed since it was added"),
        "{said}"
    );
}
