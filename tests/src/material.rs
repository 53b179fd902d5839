//! Real material and real tools for tests and measurements. What is not there
//! is left out by its caller, and said so here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::shared_data;

/// One of the vaults of the shared data (`tldr-pages-en`, `obsidian-help-en`
/// ...), unpacked into a folder that is removed when dropped; none, with a
/// message, where the data or `tar` is absent.
pub fn vault(name: &str) -> Option<TempDir> {
    let archive = shared_data()?.join("vaults").join(format!("{name}.tar.gz"));
    let folder = tempfile::tempdir().ok()?;
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(&archive)
        .arg("-C")
        .arg(folder.path())
        .status();
    match unpacked {
        Ok(status) if status.success() => Some(folder),
        other => {
            eprintln!(
                "skipped: {} cannot be unpacked ({other:?})",
                archive.display()
            );
            None
        }
    }
}

/// The texts of up to `most` Markdown files of a vault, by path.
pub fn texts(name: &str, most: usize) -> Option<Vec<String>> {
    let vault = vault(name)?;
    let mut files = Vec::new();
    collect(vault.path(), &mut files);
    files.sort();
    Some(
        files
            .iter()
            .filter_map(|file| std::fs::read_to_string(file).ok())
            .take(most)
            .collect(),
    )
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

/// The folder of the default embedding model: in `PKB_TEST_MODELS`, where that
/// is set; none, with a message, where it is not there.
pub fn model_folder() -> Option<PathBuf> {
    let models = std::env::var_os("PKB_TEST_MODELS").map(PathBuf::from);
    let folder = models.map(|models| models.join("minilm"));
    match folder {
        Some(folder) if folder.join("model.onnx").is_file() => Some(folder),
        _ => {
            eprintln!(
                "skipped: no model; `just model` gets it and `just test` says where it is (PKB_TEST_MODELS)"
            );
            None
        }
    }
}

/// A Python that has `module`: the one in `PKB_TEST_PYTHON`, or `python3`;
/// none, with a message, where neither has it.
pub fn python_with(module: &str) -> Option<PathBuf> {
    let named = std::env::var_os("PKB_TEST_PYTHON").map(PathBuf::from);
    let found = named
        .into_iter()
        .chain([PathBuf::from("python3")])
        .find(|python| {
            let imported = Command::new(python)
                .args(["-c", &format!("import {module}")])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            imported.is_ok_and(|status| status.success())
        });
    if found.is_none() {
        eprintln!("skipped: no Python with the module {module}; `just setup` installs it");
    }
    found
}
