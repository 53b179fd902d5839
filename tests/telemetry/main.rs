//! What pkb measures of itself: that it is there, that it tells nothing
//! private, that it never stands in the way, and that it stays at home.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod collector;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use pkb_engine::telemetry::STAGES;
use pkb_tests::{Library, workspace_root};
use serde_json::{Value, json};

use collector::Collector;

/// Words that stand in notes, names and queries, and must stand nowhere else.
const PRIVATE: [&str; 3] = ["zanzibarium", "quokkapath", "mistletoequery"];

/// A library whose notes are private.
fn private() -> Library {
    let library = Library::new();
    library.write(
        "quokkapath.md",
        "# Zanzibarium\n\nThe zanzibarium is closed.",
    );
    library.write("b/tides.md", "The tide is high.");
    library.write("b/moon.md", "The moon is full.");
    library
}

fn assert_tells_nothing_private(what: &str, text: &[u8]) {
    let text = String::from_utf8_lossy(text).to_lowercase();
    for word in PRIVATE {
        assert!(!text.contains(word), "{what} tells of {word}: {text}");
    }
}

fn stage<'a>(stats: &'a Value, name: &str) -> &'a Value {
    let stages = stats["stages"].as_array().unwrap();
    let found = stages.iter().find(|stage| stage["stage"] == name);
    found.unwrap_or_else(|| panic!("{name} was not measured: {stats}"))
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn stats_tell_what_was_done_over_several_runs() {
    let library = private();
    // A file that is too large to be read, which takes no room on disk.
    fs::File::create(library.notes.path().join("huge.md"))
        .unwrap()
        .set_len(200 << 20)
        .unwrap();
    library.sync();
    library.write("b/sun.md", "The sun is warm.");
    library.sync();
    library.found("moon");
    library.found("tide");
    library.found("nothingofthiskind");

    let stats = library.run(&["stats"]);
    assert_eq!(stats["days"], 1);
    assert_eq!(stage(&stats, "sync")["calls"], 2);
    assert_eq!(stage(&stats, "ingest.scan")["amounts"]["entries"], 9);
    assert_eq!(stage(&stats, "ingest.read")["calls"], 5);
    assert_eq!(stage(&stats, "ingest.store")["amounts"]["items"], 4);
    for name in ["ingest.extract", "ingest.chunk", "ingest.analyze"] {
        assert!(stage(&stats, name)["calls"].as_u64() >= Some(4), "{name}");
    }
    for name in [
        "search.parse",
        "search.lexical",
        "search.fuse",
        "search.show",
    ] {
        assert_eq!(stage(&stats, name)["calls"], 3, "{name}");
    }
    let search = stage(&stats, "search");
    assert_eq!(search["outcomes"]["mode"]["hybrid"], 3);
    for times in [
        ["p50_ms", "p95_ms"],
        ["p95_ms", "p99_ms"],
        ["p99_ms", "max_ms"],
        ["max_ms", "total_ms"],
    ] {
        let [less, more] = times.map(|time| search[time].as_f64().unwrap());
        assert!(0.0 < less && less <= more, "{times:?} in {search}");
    }
    let totals = &stats["totals"];
    assert_eq!(totals["files"], 4, "{totals}");
    assert_eq!(totals["failures"].as_object().unwrap().len(), 1, "{totals}");
    assert_eq!(totals["chunks"], 4, "{totals}");
    assert_eq!(totals["searches"], 3, "{totals}");
    assert_eq!(totals["none"], 1, "{totals}");
    assert!(
        totals["components_cached"].as_u64().unwrap()
            + totals["components_compiled"].as_u64().unwrap()
            >= 4
    );
    assert!(
        totals["database_bytes"].as_u64().unwrap() > 10_000,
        "{totals}"
    );

    let text = String::from_utf8(library.output(&["stats"]).stdout).unwrap();
    for part in [
        "3 searches: evidence strong",
        "4 files",
        "p95",
        "ingest.read",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
}

#[test]
fn embedding_is_counted_in_vectors_and_tokens() {
    let Some(library) = private().with_model() else {
        return;
    };
    library.sync();
    library.found("closed");
    let stats = library.run(&["stats"]);
    let totals = &stats["totals"];
    assert_eq!(totals["vectors"], 3, "{totals}");
    assert!(totals["tokens"].as_u64().unwrap() > 15, "{totals}");
    assert!(totals["tokens_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(stage(&stats, "embed")["calls"], 1);
    // The query's embedding is not among those of the chunks.
    assert_eq!(stage(&stats, "embed.model")["calls"], 1);
    for name in ["search.embed", "search.dense"] {
        assert_eq!(stage(&stats, name)["calls"], 1, "{name}");
    }
}

#[test]
fn stats_can_be_cut_and_forgotten() {
    let library = private();
    library.sync();
    let yesterday = library.home_file("telemetry").join("2020-01-02.json");
    let today = fs::read_dir(library.home_file("telemetry"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "json"))
        .unwrap();
    fs::copy(today, yesterday).unwrap();
    let all = library.run(&["stats"]);
    assert_eq!(
        (&all["days"], &all["since"]),
        (&json!(2), &json!("2020-01-02"))
    );
    assert_eq!(stage(&all, "sync")["calls"], 2);
    let week = library.run(&["stats", "--since", "7d"]);
    assert_eq!(
        (&week["days"], &stage(&week, "sync")["calls"]),
        (&json!(1), &json!(1))
    );
    let wrong = library.output(&["stats", "--since", "soon"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("7d"), "{}", stderr(&wrong));

    library.run(&["stats", "--reset"]);
    let none = library.run(&["stats"]);
    assert_eq!((&none["days"], &none["stages"]), (&json!(0), &json!([])));
    let said = library.output(&["stats"]);
    assert_eq!(said.stdout, b"Nothing was measured yet.\n");
}

#[test]
fn eight_at_once_are_all_counted() {
    let library = private();
    library.sync();
    for _ in 0..3 {
        let searches: Vec<_> = (0..8).map(|_| library.spawn(&["search", "moon"])).collect();
        for search in searches {
            let output = search.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
        }
    }
    assert_eq!(stage(&library.run(&["stats"]), "search")["calls"], 24);
}

#[test]
fn a_folder_that_cannot_be_used_fails_no_command() {
    let library = private();
    library.sync();
    let folder = library.home_file("telemetry");
    // Damaged: the day begins anew.
    for entry in fs::read_dir(&folder).unwrap() {
        fs::write(
            entry.unwrap().path(),
            "{\"version\":1,\"stages\":{\"sync\":7}}",
        )
        .unwrap();
    }
    let output = library.output(&["--quiet", "search", "moon"]);
    assert!(output.status.success());
    assert_eq!(stderr(&output), "", "nothing is said of it");
    assert_eq!(stage(&library.run(&["stats"]), "search")["calls"], 1);
    // Not to be written: a file stands where the folder should.
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    let output = library.output(&["--quiet", "search", "moon"]);
    assert!(output.status.success());
    assert_eq!(stderr(&output), "", "nothing is said of it");
    assert_eq!(library.run(&["stats"])["days"], 0);
    assert_eq!(library.found("moon"), ["notes/b/moon.md"]);
}

#[test]
fn a_home_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    assert!(
        !pkb_tests::pkb(&home)
            .args(["search", "x"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let stats = pkb_tests::pkb(&home).arg("stats").output().unwrap();
    assert!(stats.status.success(), "{}", stderr(&stats));
    assert!(!home.exists());
}

#[test]
fn nothing_is_measured_where_the_user_says_off() {
    let library = Library::new();
    library.write("a.md", "The moon is full.");
    let before = library.run(&["stats"])["stages"].clone();
    let mut off = library.command(&["sync", "--telemetry", "off"]);
    assert!(off.status().unwrap().success());
    let mut off = library.command(&["search", "moon"]);
    assert!(off.env("PKB_TELEMETRY", "off").status().unwrap().success());
    assert_eq!(library.run(&["stats"])["stages"], before);
}

/// Calls tools of a server and ends it; what it wrote to stderr.
fn serve(library: &Library, arguments: &[&str], calls: &[(&str, Value)]) -> String {
    let mut all = vec!["serve", "--no-watch"];
    all.extend(arguments);
    let mut command = library.command(&all);
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let mut answers = BufReader::new(server.stdout.take().unwrap()).lines();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "0"}});
    let mut ask = |id: usize, method: &str, parameters: Value| {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        writeln!(stdin, "{request}").unwrap();
        if id == 0 {
            answers.next().unwrap().unwrap();
            writeln!(
                stdin,
                "{}",
                json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
            )
            .unwrap();
        } else {
            let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
            assert_eq!(answer["id"], id, "{answer}");
        }
    };
    ask(0, "initialize", hello);
    for (id, (name, arguments)) in (1..).zip(calls) {
        ask(
            id,
            "tools/call",
            json!({"name": name, "arguments": arguments}),
        );
    }
    drop(stdin);
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output)
}

#[test]
fn a_server_measures_the_tools_that_are_called() {
    let library = private();
    library.sync();
    library.run(&["stats", "--reset"]);
    let search = ("search_knowledge", json!({"query": "moon"}));
    let calls = [
        search.clone(),
        search,
        ("get_document", json!({"item": "no such item"})),
        ("mistletoequery", json!({})),
    ];
    serve(&library, &[], &calls);
    let stats = library.run(&["stats"]);
    let searched = stage(&stats, "mcp.request/search_knowledge");
    assert_eq!(searched["calls"], 2);
    assert_eq!(searched["outcomes"]["outcome"]["answered"], 2);
    assert_eq!(stage(&stats, "search")["calls"], 2);
    let got = stage(&stats, "mcp.request/get_document");
    assert_eq!(got["outcomes"]["outcome"]["failed"], 1);
    assert_eq!(stage(&stats, "mcp.request/unknown")["calls"], 1);
    assert_tells_nothing_private("what is kept", stats.to_string().as_bytes());
}

#[test]
fn json_logs_are_json_with_spans_and_durations() {
    let library = private();
    let logging = [
        "--quiet",
        "--log",
        "pkb=debug,pkb_engine=debug",
        "--log-format",
        "json",
    ];
    let output = library.output(&[&logging[..], &["sync"]].concat());
    assert!(output.status.success());
    let log = stderr(&output);
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let closed = |name: &str| {
        let is =
            |line: &&Value| line["span"]["name"] == name && line["fields"]["message"] == "close";
        lines
            .iter()
            .find(is)
            .unwrap_or_else(|| panic!("{name} is not in {log}"))
    };
    let scan = closed("ingest.scan");
    assert!(scan["fields"]["time.busy"].is_string(), "{scan}");
    assert!(scan["timestamp"].as_str().unwrap().ends_with('Z'), "{scan}");
    assert_eq!(scan["span"]["entries"], 3, "{scan}");
    let around: Vec<&Value> = scan["spans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|span| &span["name"])
        .collect();
    assert_eq!(around[..2], ["sync", "ingest"], "{scan}");
    assert_eq!(closed("sync")["level"], "INFO");
}

#[test]
fn a_log_goes_to_a_file_where_one_is_named() {
    let library = private();
    let file = library.home_file("pkb.log");
    let name = file.to_str().unwrap();
    for _ in 0..2 {
        let arguments = ["--quiet", "--log", "info", "--log-file", name, "sync"];
        let output = library.output(&arguments);
        assert!(output.status.success());
        assert_eq!(stderr(&output), "");
    }
    let log = fs::read_to_string(&file).unwrap();
    assert_eq!(log.matches("synced").count(), 2, "{log}");
    assert!(!log.contains('\u{1b}'), "{log}");

    serve(
        &library,
        &["--log", "info", "--log-file", name],
        &[("health_check", json!({}))],
    );
    let log = fs::read_to_string(&file).unwrap();
    assert!(log.contains("mcp.request{tool=\"health_check\""), "{log}");

    let output = library.output(&["--log-file", "/no/such/folder/pkb.log", "status"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("/no/such/folder/pkb.log"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn nothing_private_is_logged_above_debug_or_kept() {
    let library = private();
    let logging = ["--log", "info", "--log-format", "json"];
    for command in [
        &["sync"][..],
        &["search", "mistletoequery", "zanzibarium"],
        &["get", "quokkapath"],
        &["similar", "quokkapath"],
        &["links", "quokkapath"],
        &["browse", "--path", "quokkapath*"],
    ] {
        let output = library.output(&[&logging[..], command].concat());
        let log: String = stderr(&output)
            .lines()
            .filter(|line| line.starts_with('{'))
            .collect();
        assert!(log.contains("time.busy"), "{command:?}: {log}");
        assert_tells_nothing_private(&format!("the log of {command:?}"), log.as_bytes());
    }
    let log = serve(
        &library,
        &logging,
        &[
            (
                "search_knowledge",
                json!({"query": "mistletoequery zanzibarium"}),
            ),
            ("get_document", json!({"item": "quokkapath"})),
        ],
    );
    assert!(log.contains("mcp.request"), "{log}");
    assert_tells_nothing_private("the server's log", log.as_bytes());
    let mut files = 0;
    for entry in fs::read_dir(library.home_file("telemetry")).unwrap() {
        let file = entry.unwrap().path();
        assert_tells_nothing_private(&file.display().to_string(), &fs::read(&file).unwrap());
        files += 1;
    }
    assert!(files > 0);
}

/// With the collector's address in the environment.
fn near(library: &Library, address: &str, arguments: &[&str]) -> Command {
    let mut command = library.command(arguments);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", address);
    command
}

#[test]
fn spans_and_metrics_reach_a_collector_that_was_asked_for() {
    let library = private();
    let collector = Collector::start();
    let address = collector.address();
    let mut sync = near(&library, &address, &["--telemetry", "otlp", "sync"]);
    let output = sync.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let mut search = near(&library, &address, &["search", "mistletoequery"]);
    assert!(
        search
            .env("PKB_TELEMETRY", "otlp")
            .status()
            .unwrap()
            .success()
    );

    let received = collector.end().requests;
    let all = |path: &str| {
        let bodies = received.iter().filter(|request| request.path == path);
        bodies
            .flat_map(|request| request.body.clone())
            .collect::<Vec<u8>>()
    };
    let (traces, metrics) = (all("/v1/traces"), all("/v1/metrics"));
    let holds =
        |body: &[u8], word: &str| body.windows(word.len()).any(|part| part == word.as_bytes());
    for name in [
        "sync",
        "ingest.scan",
        "search.lexical",
        "store.commit",
        "service.name",
        "pkb",
    ] {
        assert!(holds(&traces, name), "no trace has {name}");
    }
    for name in [
        "pkb.stage.duration",
        "pkb.stage.amount",
        "ingest.chunk",
        "verdict",
    ] {
        assert!(holds(&metrics, name), "no metric has {name}");
    }
    for request in &received {
        assert_tells_nothing_private(&request.path, &request.body);
        let notes = library.folder();
        assert!(
            !holds(&request.body, &notes),
            "{} tells of {notes}",
            request.path
        );
    }
    // It is kept at home all the same.
    assert_eq!(stage(&library.run(&["stats"]), "search")["calls"], 1);
}

#[test]
fn nothing_is_sent_without_being_asked_for() {
    let library = private();
    let collector = Collector::start();
    let address = collector.address();
    for command in [
        &["sync"][..],
        &["search", "moon"],
        &["stats"],
        &["--telemetry", "off", "status"],
    ] {
        let output = near(&library, &address, command).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert_eq!(collector.end().connections, 0);
}

#[test]
fn an_export_to_nowhere_is_wrong_usage() {
    let library = private();
    let output = library.output(&["--telemetry", "otlp", "sync"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("OTEL_EXPORTER_OTLP_ENDPOINT=http://"),
        "{}",
        stderr(&output)
    );
    let mut odd = near(&library, "not an address", &["--telemetry", "otlp", "sync"]);
    let output = odd.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn a_collector_that_is_not_there_fails_nothing() {
    let library = private();
    // Nobody listens: the port was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let output = near(&library, &address, &["--telemetry", "otlp", "sync"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    // Somebody listens and never answers: the command ends all the same.
    let silent = Collector::silent();
    let mut search = near(
        &library,
        &silent.address(),
        &["--telemetry", "otlp", "search", "moon"],
    );
    let output = search.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("moon"));
    // One that refuses is spoken of once, and that is all.
    let refusing = Collector::refusing();
    let mut search = near(
        &library,
        &refusing.address(),
        &["--telemetry", "otlp", "search", "moon"],
    );
    let output = search.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert_eq!(
        said.matches("telemetry cannot be sent").count(),
        1,
        "{said}"
    );
}

/// The names of the spans that a folder's code opens.
fn spans(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            spans(&path, names);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            let code = fs::read_to_string(&path).unwrap();
            let code = code.split("#[cfg(test)]").next().unwrap();
            for opened in code.split("_span!(").skip(1) {
                names.insert(opened.split('"').nth(1).unwrap_or_default().to_owned());
            }
        }
    }
}

#[test]
fn every_stage_is_opened_somewhere_and_every_span_is_a_stage() {
    let mut opened = BTreeSet::new();
    for krate in fs::read_dir(workspace_root().join("host")).unwrap() {
        spans(&krate.unwrap().path().join("src"), &mut opened);
    }
    let named: BTreeSet<String> = STAGES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        opened, named,
        "what the code opens, and host/engine/src/telemetry/stages.rs"
    );
    assert_eq!(named.len(), STAGES.len(), "each once");
}
