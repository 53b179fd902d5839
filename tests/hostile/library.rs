//! Folders as a source, and what the ledger says of them.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::thread;
use std::time::Duration;

use pkb_tests::Library;
use serde::Deserialize;

/// A line of the ledger.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "some of it is only for messages of failed tests")]
pub(crate) struct Row {
    pub(crate) external_id: String,
    /// `indexed`, `skipped` or `failed`.
    pub(crate) state: String,
    reason: Option<String>,
    message: Option<String>,
    component: Option<String>,
}

impl Row {
    /// Whether its extractor, or what came after it, said itself what is wrong,
    /// if anything is.
    pub(crate) fn is_ordinary(&self) -> bool {
        let broken = ["crash", "deadline", "limit", "invalid-result", "internal"];
        !broken.contains(&self.reason.as_deref().unwrap_or_default())
    }

    /// Whether it is of a file, not of something inside one.
    pub(crate) fn is_of_a_file(&self) -> bool {
        !self.external_id.contains("//")
    }
}

/// The lines of the ledger.
pub(crate) fn ledger(library: &Library) -> Vec<Row> {
    let ledger = library.run(&["ledger"]);
    let rows: Vec<Row> = serde_json::from_value(ledger["entries"].clone()).unwrap();
    assert_eq!(Some(rows.len() as u64), ledger["total"].as_u64());
    rows
}

/// Checks that each file of the folder has one line; all lines.
pub(crate) fn assert_accounted_for(library: &Library) -> Vec<Row> {
    let rows = ledger(library);
    let of_files = rows.iter().filter(|row| row.is_of_a_file());
    let mut lines: Vec<&str> = of_files.map(|row| row.external_id.as_str()).collect();
    lines.sort_unstable();
    let mut files = files(library.notes.path());
    files.sort_unstable();
    assert_eq!(lines, files);
    rows
}

/// How many failed, files and what is inside them.
pub(crate) fn failed(rows: &[Row]) -> usize {
    rows.iter().filter(|row| row.state == "failed").count()
}

/// Paths of the files of a folder that are not hidden, from it on, with `/`.
fn files(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path
                .file_name()
                .unwrap()
                .as_encoded_bytes()
                .starts_with(b".")
            {
                continue;
            }
            let parts = path.strip_prefix(root).unwrap().iter();
            let parts: Vec<&str> = parts.map(|part| part.to_str().unwrap()).collect();
            found.push(parts.join("/"));
        }
    }
    found
}

/// Runs pkb; with what came of it, the most memory that it had at a time, in
/// bytes, where the system tells.
pub(crate) fn run_watched(library: &Library, arguments: &[&str]) -> (Output, Option<u64>) {
    let child = library.spawn(arguments);
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    thread::scope(|scope| {
        let watching = scope.spawn(move || {
            let mut most = None;
            // A process that has ended says nothing of its memory any more.
            while let Some(now) = peak(&status) {
                most = Some(now);
                thread::sleep(Duration::from_millis(20));
            }
            most
        });
        let output = child.wait_with_output().unwrap();
        (output, watching.join().unwrap())
    })
}

fn peak(status: &Path) -> Option<u64> {
    let status = std::fs::read_to_string(status).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}
