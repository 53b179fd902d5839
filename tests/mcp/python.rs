//! The official Python client, in the protocol's old and new form.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pkb_tests::{pkb_binary, workspace_root};

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
fn the_official_python_client_is_served() {
    let Some(python) = python() else { return };
    let setup = Setup::small();
    for mode in ["legacy", "auto"] {
        let script = workspace_root().join("tests/clients/mcp_client.py");
        let ran = run_python(&python, &script, &setup, mode);
        assert!(
            ran.status.success(),
            "{mode}: {}\n{}",
            ran.status,
            String::from_utf8_lossy(&ran.stderr)
        );
        assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "all is well");
    }
}

fn run_python(python: &Path, script: &Path, setup: &Setup, mode: &str) -> Output {
    Command::new(python)
        .arg(script)
        .arg(pkb_binary())
        .arg(setup.home())
        .arg(mode)
        .env("PKB_MODELS", &setup.models)
        .output()
        .unwrap()
}
