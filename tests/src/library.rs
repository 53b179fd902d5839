//! A folder of notes that is the one source of a home.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::{model_folder, pkb};

/// A home whose one source, `notes`, is a folder that tests write into.
pub struct Library {
    /// The home.
    pub home: TempDir,
    /// The folder.
    pub notes: TempDir,
    models: Option<PathBuf>,
}

impl Default for Library {
    fn default() -> Self {
        Library::of(tempfile::tempdir().unwrap())
    }
}

impl Library {
    /// An empty folder as the source, no model.
    pub fn new() -> Library {
        Library::default()
    }

    /// A folder that is there as the source, no model.
    pub fn of(notes: TempDir) -> Library {
        let library = Library {
            home: tempfile::tempdir().unwrap(),
            notes,
            models: None,
        };
        let folder = library.folder();
        library.run(&["add", &folder, "--name", "notes"]);
        library
    }

    /// The same with the default model from now on; none, with a message,
    /// where that is not there.
    pub fn with_model(mut self) -> Option<Library> {
        self.models = Some(model_folder()?.parent()?.to_owned());
        Some(self)
    }

    /// The folder's path.
    pub fn folder(&self) -> String {
        self.notes.path().display().to_string()
    }

    /// Writes a note, and the folders it is in.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.notes.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A `pkb` at work here.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = pkb(self.home.path());
        if let Some(models) = &self.models {
            command.env("PKB_MODELS", models);
        }
        command.args(arguments);
        command
    }

    /// What a run came to, whatever that is.
    pub fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Starts a run and leaves it to itself.
    pub fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The JSON answer of a run that must succeed.
    pub fn run(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["--json"];
        all.extend(arguments);
        let output = self.output(&all);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Syncs; what became of the source's items.
    pub fn sync(&self) -> Value {
        self.run(&["sync"])["sources"][0].clone()
    }

    /// Paths of what a search finds in the index as it is, without a look at
    /// the folder.
    pub fn found(&self, query: &str) -> Vec<String> {
        let answer = self.run(&["search", "--as-is", query]);
        let hits = answer["hits"].as_array().unwrap();
        hits.iter()
            .map(|hit| hit["path"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Number of the first item that such a search finds.
    pub fn item(&self, query: &str) -> i64 {
        self.run(&["search", "--as-is", query])["hits"][0]["item"]
            .as_i64()
            .unwrap()
    }

    /// How many items there are.
    pub fn count(&self) -> u64 {
        self.run(&["list", "-n", "1"])["total"].as_u64().unwrap()
    }

    /// Checks that everything stored fits together.
    pub fn assert_sound(&self) {
        let left = &self.run(&["doctor"])["left"];
        assert!(left.as_array().unwrap().is_empty(), "{left}");
    }

    /// A file of the home.
    pub fn home_file(&self, name: &str) -> PathBuf {
        Path::new(self.home.path()).join(name)
    }
}
