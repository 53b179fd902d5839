use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tempfile::TempDir;

use super::{Signal, Watcher};
use crate::{FolderSettings, FolderSource};

/// Longer than a busy machine takes to tell.
const PATIENCE: Duration = Duration::from_secs(20);
/// Long enough for what should not come to come.
const QUIET: Duration = Duration::from_millis(300);

struct Watched {
    root: TempDir,
    signals: Receiver<Signal>,
    watcher: Watcher,
}

fn open(root: &Path) -> FolderSource {
    let settings = FolderSettings {
        unread: ["png".to_owned()].into(),
        ignore: vec!["Private".to_owned()],
        ..FolderSettings::default()
    };
    FolderSource::open(root, &settings).unwrap()
}

impl Watched {
    fn new(folders: &[&str]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in folders {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let folder = open(root.path());
        let (send, signals) = channel();
        let except = [folder.path().join("home")];
        let watcher = Watcher::new(&folder, &except, move |signal| {
            let _ = send.send(signal);
        })
        .unwrap();
        Watched {
            root,
            signals,
            watcher,
        }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str) {
        fs::write(self.path(name), name).unwrap();
    }

    /// Takes what is told until nothing more comes.
    fn settle(&self) -> usize {
        let mut told = 0;
        while self.signals.recv_timeout(QUIET).is_ok() {
            told += 1;
        }
        told
    }

    fn cover(&mut self) {
        self.watcher.cover(&open(self.root.path())).unwrap();
    }

    #[track_caller]
    fn told(&self) {
        assert_eq!(self.signals.recv_timeout(PATIENCE), Ok(Signal::Changed));
        self.settle();
    }

    #[track_caller]
    fn silent(&self) {
        assert_eq!(self.settle(), 0);
    }
}

#[test]
fn every_way_of_changing_a_note_is_told() {
    let watched = Watched::new(&["a/b", "c"]);
    watched.write("top.md");
    watched.told();
    watched.write("a/b/deep.md");
    watched.told();
    watched.write("a/b/deep.md");
    watched.told();
    fs::rename(watched.path("a/b/deep.md"), watched.path("c/deep.md")).unwrap();
    watched.told();
    watched.write("top.md.tmp");
    fs::rename(watched.path("top.md.tmp"), watched.path("top.md")).unwrap();
    watched.told();
    fs::remove_file(watched.path("top.md")).unwrap();
    watched.told();
    fs::rename(watched.path("a"), watched.path("c/a")).unwrap();
    watched.told();
    fs::remove_dir_all(watched.path("c")).unwrap();
    watched.told();
}

#[test]
fn reading_and_what_the_source_passes_over_is_not_told() {
    let mut watched = Watched::new(&[".git/objects", "node_modules/x", "Private", "home", "a"]);
    watched.write("a/note.md");
    watched.told();
    fs::read(watched.path("a/note.md")).unwrap();
    fs::read_dir(watched.path("a")).unwrap().count();
    watched.cover();
    watched.silent();
    for name in [
        ".git/objects/x.md",
        "node_modules/x/readme.md",
        "Private/x.md",
        "home/pkb.db",
        "a/image.png",
    ] {
        watched.write(name);
    }
    watched.silent();
}

#[test]
fn new_moved_and_swapped_folders_are_taken_up() {
    let mut watched = Watched::new(&["a", "b"]);
    fs::create_dir_all(watched.path("new/er")).unwrap();
    watched.told();
    watched.cover();
    watched.write("new/er/note.md");
    watched.told();
    // Two folders change places.
    fs::rename(watched.path("a"), watched.path("x")).unwrap();
    fs::rename(watched.path("b"), watched.path("a")).unwrap();
    fs::rename(watched.path("x"), watched.path("b")).unwrap();
    watched.told();
    watched.cover();
    for name in ["a/1.md", "b/2.md"] {
        watched.write(name);
        watched.told();
    }
    // One goes and another comes in its place.
    fs::remove_dir_all(watched.path("new")).unwrap();
    fs::create_dir_all(watched.path("new/er")).unwrap();
    watched.told();
    watched.cover();
    watched.write("new/er/note.md");
    watched.told();
}

#[test]
fn a_folder_moved_while_it_is_taken_up_stays_watched() {
    let mut watched = Watched::new(&["a/deep"]);
    // As fast as it goes, so that what is asked and what is told cross.
    for round in 0..20 {
        let (from, to) = if round % 2 == 0 {
            ("a", "b")
        } else {
            ("b", "a")
        };
        fs::rename(watched.path(from), watched.path(to)).unwrap();
        watched.cover();
    }
    // Each signal leads to another look, as in a watch.
    while watched.settle() > 0 {
        watched.cover();
    }
    watched.write("a/note.md");
    watched.told();
    watched.write("a/deep/note.md");
    watched.told();
}

#[test]
fn another_folder_in_its_place_is_noticed() {
    let watched = Watched::new(&[]);
    assert!(watched.watcher.is_of(&open(watched.root.path())));
    let aside = tempfile::tempdir().unwrap();
    let root = watched.root.path();
    fs::rename(root, aside.path().join("gone")).unwrap();
    watched.told();
    fs::create_dir(root).unwrap();
    if cfg!(unix) {
        assert!(!watched.watcher.is_of(&open(root)));
    }
}
