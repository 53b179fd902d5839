//! The official TypeScript clients: the package of 2026-07-28 and the one that
//! most programs still have.

use pkb_tests::{Node, Serving, pkb_binary, workspace_root};

use crate::Setup;

/// Package, mode, and the era that it then speaks.
const WAYS: [(&str, &str, &str); 3] = [
    ("client", "auto", "modern"),
    ("client", "legacy", "legacy"),
    ("sdk", "legacy", "legacy"),
];

#[test]
fn the_official_typescript_clients_are_served_over_stdio() {
    let Some(node) = Node::find() else { return };
    for (package, mode, era) in WAYS {
        let setup = Setup::for_a_flow();
        let mut script = node.script(workspace_root().join("tests/clients/mcp_client.mjs"));
        script.args([package, mode, "stdio"]);
        script.arg(pkb_binary()).arg(setup.home());
        script.env("PKB_MODELS", &setup.models);
        all_is_well(script, package, mode, era);
    }
}

#[test]
fn the_official_typescript_clients_are_served_over_http() {
    let Some(node) = Node::find() else { return };
    for (package, mode, era) in WAYS {
        let setup = Setup::for_a_flow();
        let server = Serving::start(setup.pkb());
        let mut script = node.script(workspace_root().join("tests/clients/mcp_client.mjs"));
        script.args([package, mode, "http", &server.url]);
        all_is_well(script, package, mode, era);
    }
}

fn all_is_well(mut script: std::process::Command, package: &str, mode: &str, era: &str) {
    let ran = script.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.success(),
        "{package}, {mode}: {}\n{said}",
        ran.status
    );
    let said = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(said.trim(), format!("all is well: {era}"));
}
