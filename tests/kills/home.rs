//! Homes over one folder of notes, to be disturbed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use pkb_tests::{model_folder, pkb, workspace_root};
use serde_json::Value;
use tempfile::TempDir;

use crate::content::Content;

/// A folder of notes, and a home over it where everything is done.
pub(crate) struct Vault {
    notes: TempDir,
    models: TempDir,
    full: OnceLock<TempDir>,
}

/// A home over a vault.
pub(crate) struct Home {
    folder: TempDir,
    notes: PathBuf,
    models: PathBuf,
}

impl Vault {
    /// So many notes; none, with a message, where there is no model.
    pub(crate) fn new(count: usize) -> Option<Vault> {
        let model = model_folder()?;
        let notes = tempfile::tempdir().unwrap();
        for n in 0..count {
            let folder = notes.path().join(format!("folder {}", n % 7));
            fs::create_dir_all(&folder).unwrap();
            let sections: String = (0..3)
                .map(|part| {
                    format!(
                        "## Part {part}\n\nThe heron number {n} stands in water {part}. [[note {}]]\n\n",
                        (n + 1) % count
                    )
                })
                .collect();
            fs::write(
                folder.join(format!("note {n}.md")),
                format!(
                    "---\ntags: [bird, t{}]\n---\n# Note {n}\n\n{sections}",
                    n % 5
                ),
            )
            .unwrap();
        }
        fs::write(notes.path().join("picture.png"), "no text").unwrap();
        fs::write(notes.path().join("empty.md"), "").unwrap();

        let models = tempfile::tempdir().unwrap();
        // Another limit is another model, and makes other chunks.
        for (name, limit) in [("minilm", 256), ("second", 128)] {
            let folder = models.path().join(name);
            fs::create_dir(&folder).unwrap();
            for file in ["model.onnx", "tokenizer.json"] {
                fs::hard_link(model.join(file), folder.join(file))
                    .or_else(|_| fs::copy(model.join(file), folder.join(file)).map(|_| ()))
                    .unwrap();
            }
            let settings = format!("pooling = \"mean\"\nlimit = {limit}\ndimensions = 384\n");
            fs::write(folder.join("model.toml"), settings).unwrap();
        }
        Some(Vault {
            notes,
            models,
            full: OnceLock::new(),
        })
    }

    /// A home that knows the notes' folder and has read nothing.
    pub(crate) fn empty_home(&self) -> Home {
        let home = Home {
            folder: tempfile::tempdir().unwrap(),
            notes: self.notes.path().to_owned(),
            models: self.models.path().to_owned(),
        };
        home.run(&["add", home.notes.to_str().unwrap(), "--name", "notes"]);
        home
    }

    /// A home that the first pkb made, of other notes.
    pub(crate) fn old_home(&self) -> Home {
        let home = self.empty_home();
        let fixture = workspace_root().join("fixtures/homes/schema-1.db");
        fs::copy(fixture, home.database()).unwrap();
        for log in ["pkb.db-wal", "pkb.db-shm"] {
            let _ = fs::remove_file(home.folder.path().join(log));
        }
        home
    }

    /// A home where everything is read and embedded.
    pub(crate) fn full_home(&self) -> Home {
        let full = self.full.get_or_init(|| {
            let home = self.empty_home();
            home.run(&["sync"]);
            home.folder
        });
        self.home_like(full.path())
    }

    /// A home with a copy of the files of another.
    fn home_like(&self, other: &Path) -> Home {
        let folder = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(other).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
            }
        }
        Home {
            folder,
            notes: self.notes.path().to_owned(),
            models: self.models.path().to_owned(),
        }
    }
}

impl Home {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = pkb(self.folder.path());
        command.env("PKB_MODELS", &self.models).args(arguments);
        command
    }

    fn database(&self) -> PathBuf {
        self.folder.path().join("pkb.db")
    }

    /// Bytes of the write-ahead log.
    pub(crate) fn log_bytes(&self) -> u64 {
        fs::metadata(self.folder.path().join("pkb.db-wal")).map_or(0, |log| log.len())
    }

    /// Another home with the same files, but so much only of the log.
    pub(crate) fn copied_with_log(&self, vault: &Vault, left: u64) -> Home {
        let home = vault.home_like(self.folder.path());
        let log = home.folder.path().join("pkb.db-wal");
        fs::OpenOptions::new()
            .write(true)
            .open(log)
            .unwrap()
            .set_len(left)
            .unwrap();
        // The memory that processes shared went with the machine.
        let _ = fs::remove_file(home.folder.path().join("pkb.db-shm"));
        home
    }

    /// Runs to the end, which must be a good one.
    pub(crate) fn run(&self, arguments: &[&str]) {
        let output = self.command(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    pub(crate) fn choose_chunker(&self, name: &str) {
        self.run(&["add", self.notes.to_str().unwrap(), "--chunker", name]);
    }

    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Whether a run comes through though told to fail somewhere.
    pub(crate) fn with_failpoints(&self, arguments: &[&str], told: &str) -> bool {
        let output = self
            .command(arguments)
            .env("FAILPOINTS", told)
            .output()
            .unwrap();
        output.status.success()
    }

    /// Vectors that are stored; 0 where there is no table for them yet.
    pub(crate) fn vectors(&self) -> i64 {
        let conn = rusqlite::Connection::open(self.database()).unwrap();
        conn.busy_timeout(std::time::Duration::from_secs(20))
            .unwrap();
        conn.query_row("SELECT count(DISTINCT hash) FROM vectors", [], |row| {
            row.get(0)
        })
        .unwrap_or(0)
    }

    pub(crate) fn content(&self) -> Content {
        Content::of(&self.database())
    }

    /// `pkb doctor` has nothing to say.
    pub(crate) fn assert_sound(&self, what: &str) {
        let output = self.command(&["--json", "doctor"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{what}: {said}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["left"], Value::Array(Vec::new()), "{what}");
    }

    pub(crate) fn assert_same(&self, wanted: &Content, what: &str) {
        let found = self.content();
        assert!(
            found == *wanted,
            "{what}: {:#?}",
            wanted.differences(&found)
        );
        self.assert_sound(what);
    }
}
