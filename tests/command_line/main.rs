//! The command line as people and scripts use it, wrong uses included.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod adding;
mod asking;
mod sources;
mod trouble;

use std::fs;
use std::process::Output;

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

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
