//! The official Python client, in the protocol's old and new form.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use pkb_tests::{Serving, pkb_binary, workspace_root};

use crate::Setup;

/// A Python that has the official client of the newest major version: the one
/// that `PKB_TEST_PYTHON` names, or `python3`.
fn python() -> Option<PathBuf> {
    let python = env::var_os("PKB_TEST_PYTHON").map_or_else(|| "python3".into(), PathBuf::from);
    let check = Command::new(&python)
        .args(["-c", "from mcp import Client"])
        .output();
    match check {
        Ok(output) if output.status.success() => Some(python),
        _ => {
            eprintln!(
                "skipped: {} has no module `mcp` of version 2; `pip install mcp` in a virtual environment that \
                 PKB_TEST_PYTHON names",
                python.display()
            );
            None
        }
    }
}

#[test]
fn the_official_python_client_is_served_over_stdio() {
    let Some(python) = python() else { return };
    for mode in ["legacy", "auto"] {
        let setup = Setup::for_a_flow();
        let mut script = script(&python, mode, "stdio");
        script.arg(pkb_binary()).arg(setup.home());
        script.env("PKB_MODELS", &setup.models);
        all_is_well(script, mode);
    }
}

#[test]
fn the_official_python_client_is_served_over_http() {
    let Some(python) = python() else { return };
    for mode in ["legacy", "auto"] {
        let setup = Setup::for_a_flow();
        let server = Serving::start(setup.pkb());
        let mut script = script(&python, mode, "http");
        script.arg(&server.url);
        all_is_well(script, mode);
    }
}

fn script(python: &Path, mode: &str, way: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(workspace_root().join("tests/clients/mcp_client.py"));
    command.args([mode, way]);
    command
}

fn all_is_well(mut script: Command, mode: &str) {
    let ran = script.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{mode}: {}\n{said}", ran.status);
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "all is well");
}
