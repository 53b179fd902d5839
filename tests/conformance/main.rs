//! The official conformance suite against `pkb serve --http`, at each revision
//! of the protocol that it has requirements for.
//!
//! What the suite wants to call, read and be asked stands beside the real tools
//! in a binary of its own (`host/pkb/src/mcp/conformance`); transport, handshake,
//! lists, tasks, subscriptions and errors are those of pkb.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a failure here is the failure of a test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use pkb_tests::{Node, Serving, conformance_pkb};
use serde_json::Value;

const SUITE: &str = "@modelcontextprotocol/conformance";

/// Scenarios of the suite that are not asked of pkb, and why.
const LEFT_OUT: [(&str, &str); 3] = [
    ("sep-2640-skills-directory", SKILLS),
    ("sep-2640-skills-enumeration", SKILLS),
    ("sep-2640-skills-manifest", SKILLS),
];
const SKILLS: &str = "skills are an extension for servers that give models ways of working; pkb gives what its user saved";

/// Scenarios that show what the protocol deprecates and pkb does not use. They
/// pass, by tools of the fixture alone: they say that pkb's transport carries
/// such messages, and nothing about its tools.
const DEPRECATED: [(&str, &str); 6] = [
    ("logging-set-level", LOGGING),
    ("tools-call-with-logging", LOGGING),
    ("tools-call-sampling", SAMPLING),
    ("input-required-result-basic-sampling", SAMPLING),
    ("input-required-result-basic-list-roots", ROOTS),
    ("input-required-result-multiple-input-requests", ROOTS),
];
const LOGGING: &str =
    "pkb logs to stderr, as the protocol recommends since it deprecated logging to clients";
const SAMPLING: &str =
    "pkb answers from the index and asks no model; the protocol deprecated sampling";
const ROOTS: &str =
    "folders are granted on the command line, never by a client; the protocol deprecated roots";

/// Checks that end in something else than success, by revision, scenario and
/// check, and why that is right.
const OTHERWISE: [(&str, &str, &str, &str, &str); 1] = [(
    "2026-07-28",
    "tasks-status-notifications",
    "tasks-status-notifications",
    "SKIPPED",
    "the suite itself leaves it out until it listens where such news are sent",
)];

/// What a check came to.
struct Check {
    id: String,
    status: String,
    message: String,
}

#[test]
fn revision_2025_11_25_is_conformed_to() {
    conforms("2025-11-25");
}

#[test]
fn revision_2026_07_28_is_conformed_to() {
    conforms("2026-07-28");
}

#[test]
fn every_scenario_for_servers_is_run_or_left_out_for_a_reason() {
    let Some(node) = Node::find() else { return };
    let listed = said(node.program(&program()).args(["list", "--server"]));
    let all: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- ")?.split_whitespace().next())
        .collect();
    let mut known: BTreeSet<String> = LEFT_OUT.map(|(name, _)| name.to_owned()).into();
    for revision in ["2025-11-25", "2026-07-28"] {
        let (required, reported) = requirements(&node, revision);
        known.extend(required);
        known.extend(reported);
    }
    let unknown: Vec<_> = all.iter().filter(|name| !known.contains(**name)).collect();
    assert!(unknown.is_empty(), "nobody decided on {unknown:?}");
    for (name, _) in LEFT_OUT.iter().chain(&DEPRECATED) {
        assert!(all.contains(name), "the suite has no {name} any more");
    }
}

/// Runs what a revision requires, and what the suite reports with it.
fn conforms(revision: &str) {
    let Some(node) = Node::find() else { return };
    let home = tempfile::tempdir().unwrap();
    fill(home.path());
    let server = Serving::start(conformance_pkb(&home.path().join("home")));
    let results = tempfile::tempdir().unwrap();
    let mut suite = node.program(&program());
    suite.args(["server", "--url", &server.url, "--requirements", revision]);
    suite.arg("--output-dir").arg(results.path());
    let output = suite.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let checks = checks(results.path());

    let (required, reported) = requirements(&node, revision);
    let expected: BTreeSet<&String> = required.iter().chain(&reported).collect();
    let ran: BTreeSet<&String> = checks.keys().collect();
    assert_eq!(ran, expected, "{said}");
    let mut wrong = Vec::new();
    let mut passed = 0;
    for (scenario, checks) in &checks {
        for check in checks {
            let otherwise = OTHERWISE.iter().any(|(when, name, id, status, _)| {
                (*when, *name, *id, *status)
                    == (revision, scenario, check.id.as_str(), check.status.as_str())
            });
            match check.status.as_str() {
                "SUCCESS" => passed += 1,
                // Something to know, not a judgement.
                "INFO" => {}
                _ if otherwise => {}
                status => wrong.push(format!(
                    "{scenario}: {}: {status}: {}",
                    check.id, check.message
                )),
            }
        }
    }
    println!(
        "conformance: {revision}: {} required scenarios and {} reported ones, {passed} checks passed",
        required.len(),
        reported.len()
    );
    assert!(wrong.is_empty(), "{}\n{said}", wrong.join("\n"));
    assert!(output.status.success(), "{said}");
}

/// Something to list and read.
fn fill(home: &Path) {
    let notes = home.join("notes");
    fs::create_dir_all(&notes).unwrap();
    for name in ["One", "Two", "Three"] {
        fs::write(
            notes.join(format!("{name}.md")),
            format!("# {name}\n\nA note.\n"),
        )
        .unwrap();
    }
    for arguments in [vec!["add", notes.to_str().unwrap()], vec!["sync"]] {
        let mut pkb = conformance_pkb(&home.join("home"));
        let done = pkb.args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

fn program() -> String {
    format!("{SUITE}/dist/index.js")
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The scenarios for servers that a revision requires, and those that are run
/// with them and not counted by the suite.
fn requirements(node: &Node, revision: &str) -> (Vec<String>, Vec<String>) {
    let file = node.file(&format!("{SUITE}/requirements/{revision}.yaml"));
    let text = fs::read_to_string(&file).unwrap();
    let (mut required, mut reported) = (Vec::new(), Vec::new());
    let mut section = "";
    let mut scenario = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            section = name;
        } else if let Some(name) = line.strip_prefix("  - scenario: ") {
            scenario = name;
        } else if line.trim() == "leg: server" {
            reported.push(scenario.to_owned());
        } else if let ("server", Some(name)) = (section, line.strip_prefix("  - ")) {
            required.push(name.to_owned());
        }
    }
    assert!(required.len() >= 30, "{}: {required:?}", file.display());
    (required, reported)
}

/// What each scenario came to: the folder `server-NAME-TIME` has its checks.
fn checks(results: &Path) -> BTreeMap<String, Vec<Check>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(results).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let name = name.strip_prefix("server-").unwrap();
        let scenario = &name[..name.len() - "-2026-01-01T00-00-00-000Z".len()];
        let text = fs::read_to_string(folder.join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_str(&text).unwrap();
        let word = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
        let checks = checks
            .iter()
            .map(|check| Check {
                id: word(check, "id"),
                status: word(check, "status"),
                message: word(check, "errorMessage"),
            })
            .collect();
        found.insert(scenario.to_owned(), checks);
    }
    found
}
