//! What happens to a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use proptest::prelude::*;

/// Where notes are. Two differ in case, two in encoding alone; one name is a
/// file's and a folder's, one is a sync tool's.
pub(crate) const PATHS: [&str; 12] = [
    "a.md",
    "A.md",
    "b.md",
    "c.txt",
    "sub/a.md",
    "sub/b.md",
    "other/a.md",
    "other/deep/b.md",
    "caf\u{e9}.md",
    "cafe\u{301}.md",
    "a (conflicted copy 2025-01-01).md",
    "b.md/inner.md",
];
const FOLDERS: [&str; 4] = ["sub", "other", "other/deep", "third"];

/// What a note says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// What no other says.
    Own,
    /// What others say too.
    Template,
    Nothing,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Write {
        path: usize,
        kind: Kind,
    },
    Edit {
        path: usize,
    },
    Touch {
        path: usize,
    },
    Delete {
        path: usize,
    },
    DeleteAll,
    Move {
        from: usize,
        to: usize,
    },
    MoveAndEdit {
        from: usize,
        to: usize,
    },
    Swap {
        one: usize,
        other: usize,
    },
    Copy {
        from: usize,
        to: usize,
    },
    MoveFolder {
        from: usize,
        to: usize,
    },
    /// Saves as editors do, which keep the old state beside for a moment; a
    /// sync may come in between.
    SaveBeside {
        path: usize,
        sync: bool,
    },
    /// A cloud takes the content away, or gives it back.
    Evict {
        path: usize,
    },
    Download {
        path: usize,
    },
    /// A person deletes an item, or brings one back.
    Remove {
        nth: usize,
    },
    Restore {
        nth: usize,
    },
    Sync,
    /// A sync that is stopped when it has asked so often whether to.
    Crash {
        after: usize,
    },
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let path = || 0..PATHS.len();
    let folder = || 0..FOLDERS.len();
    let kind =
        prop_oneof![5 => Just(Kind::Own), 1 => Just(Kind::Template), 1 => Just(Kind::Nothing)];
    let step = prop_oneof![
        6 => (path(), kind).prop_map(|(path, kind)| Step::Write { path, kind }),
        3 => path().prop_map(|path| Step::Edit { path }),
        1 => path().prop_map(|path| Step::Touch { path }),
        2 => path().prop_map(|path| Step::Delete { path }),
        1 => Just(Step::DeleteAll),
        4 => (path(), path()).prop_map(|(from, to)| Step::Move { from, to }),
        3 => (path(), path()).prop_map(|(from, to)| Step::MoveAndEdit { from, to }),
        2 => (path(), path()).prop_map(|(one, other)| Step::Swap { one, other }),
        2 => (path(), path()).prop_map(|(from, to)| Step::Copy { from, to }),
        2 => (folder(), folder()).prop_map(|(from, to)| Step::MoveFolder { from, to }),
        2 => (path(), any::<bool>()).prop_map(|(path, sync)| Step::SaveBeside { path, sync }),
        1 => path().prop_map(|path| Step::Evict { path }),
        1 => path().prop_map(|path| Step::Download { path }),
        2 => (0..8_usize).prop_map(|nth| Step::Remove { nth }),
        1 => (0..8_usize).prop_map(|nth| Step::Restore { nth }),
        6 => Just(Step::Sync),
        2 => (0..30_usize).prop_map(|after| Step::Crash { after }),
    ];
    // Something to begin with.
    let begin = prop::collection::vec(path(), 2..8).prop_map(|paths| {
        let write = |path| Step::Write {
            path,
            kind: Kind::Own,
        };
        paths.into_iter().map(write).chain([Step::Sync])
    });
    (begin, prop::collection::vec(step, 1..25))
        .prop_map(|(begin, steps)| begin.chain(steps).chain([Step::Sync]).collect())
}

/// What stands in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// Files that are items, by external id.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// Those whose content a cloud has.
    pub(crate) away: BTreeSet<String>,
}

/// The folder, and what becomes of it.
pub(crate) struct Folder {
    pub(crate) root: PathBuf,
    /// Notes and edits so far.
    made: usize,
    /// What was taken away, to be given back.
    cloud: BTreeMap<usize, Vec<u8>>,
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Folder {
        Folder {
            root: root.to_owned(),
            made: 0,
            cloud: BTreeMap::new(),
        }
    }

    fn file(&self, path: usize) -> PathBuf {
        self.root.join(PATHS[path])
    }

    fn read(&self, path: usize) -> Option<Vec<u8>> {
        fs::read(self.file(path)).ok()
    }

    /// Makes way: what is a folder there goes, and so does a file that is to
    /// be a folder.
    fn make_way(&self, file: &Path) {
        if file.is_dir() {
            fs::remove_dir_all(file).unwrap();
        }
        for folder in file.ancestors().skip(1).take_while(|up| **up != self.root) {
            if folder.is_file() {
                fs::remove_file(folder).unwrap();
            }
        }
        fs::create_dir_all(file.parent().unwrap()).unwrap();
    }

    fn put(&self, path: usize, content: &[u8]) {
        let file = self.file(path);
        self.make_way(&file);
        fs::write(file, content).unwrap();
    }

    fn rename(&self, from: usize, to: usize) -> bool {
        let (from, to) = (self.file(from), self.file(to));
        // A path that is the other's folder would go with it.
        if !from.is_file() || from == to || to.starts_with(&from) || from.starts_with(&to) {
            return false;
        }
        self.make_way(&to);
        fs::rename(from, to).unwrap();
        true
    }

    fn written(&mut self, kind: Kind) -> Vec<u8> {
        self.made += 1;
        let n = self.made;
        match kind {
            Kind::Nothing => Vec::new(),
            Kind::Template => b"# Template\n\nThe same few words in all of them.\n".into(),
            Kind::Own => {
                let words: Vec<String> = (0..30).map(|word| format!("word{n}x{word}")).collect();
                let (tag, words) = (n % 3, words.join(" "));
                format!(
                    "---\ntags: [all, t{tag}]\naliases: [alias{n}]\nrank: {n}\n---\n# Heading {n}\n\n{words} [[b]] #inline{tag}\n"
                )
                .into_bytes()
            }
        }
    }

    fn edited(&mut self, content: &[u8]) -> Vec<u8> {
        self.made += 1;
        let mut content = content.to_vec();
        content.extend(format!("\nAdded in edit{}.\n", self.made).as_bytes());
        content
    }

    /// Does one thing. `sync` is called where one is to come in between.
    pub(crate) fn change(&mut self, step: &Step, sync: &mut dyn FnMut()) {
        match *step {
            Step::Write { path, kind } => {
                let content = self.written(kind);
                self.put(path, &content);
            }
            Step::Edit { path } => {
                if let Some(content) = self.read(path) {
                    let content = self.edited(&content);
                    self.put(path, &content);
                }
            }
            Step::Touch { path } => {
                if let Ok(file) = fs::File::options().append(true).open(self.file(path)) {
                    file.set_modified(SystemTime::now()).unwrap();
                }
            }
            Step::Delete { path } => {
                let _ = fs::remove_file(self.file(path));
            }
            Step::DeleteAll => {
                for entry in fs::read_dir(&self.root).unwrap() {
                    let path = entry.unwrap().path();
                    match path.is_dir() {
                        true => fs::remove_dir_all(path).unwrap(),
                        false => fs::remove_file(path).unwrap(),
                    }
                }
            }
            Step::Move { from, to } => {
                self.rename(from, to);
            }
            Step::MoveAndEdit { from, to } => {
                if self.rename(from, to) {
                    let content = self.read(to).unwrap();
                    let content = self.edited(&content);
                    self.put(to, &content);
                }
            }
            Step::Swap { one, other } => {
                let (one, other) = (self.file(one), self.file(other));
                if one != other && one.is_file() && other.is_file() {
                    let aside = self.root.join("aside.tmp");
                    fs::rename(&one, &aside).unwrap();
                    fs::rename(&other, &one).unwrap();
                    fs::rename(&aside, &other).unwrap();
                }
            }
            Step::Copy { from, to } => {
                if let Some(content) = self.read(from)
                    && !self.file(to).starts_with(self.file(from))
                {
                    self.put(to, &content);
                }
            }
            Step::MoveFolder { from, to } => {
                let (from, to) = (self.root.join(FOLDERS[from]), self.root.join(FOLDERS[to]));
                if from.is_dir() && !to.exists() && !to.starts_with(&from) {
                    fs::create_dir_all(to.parent().unwrap()).unwrap();
                    fs::rename(from, to).unwrap();
                }
            }
            Step::SaveBeside {
                path,
                sync: between,
            } => {
                if let Some(content) = self.read(path) {
                    let file = self.file(path);
                    let backup = PathBuf::from(format!("{}~", file.display()));
                    fs::rename(&file, &backup).unwrap();
                    if between {
                        sync();
                    }
                    let content = self.edited(&content);
                    fs::write(&file, content).unwrap();
                    fs::remove_file(backup).unwrap();
                }
            }
            Step::Evict { path } => {
                if let Some(content) = self.read(path) {
                    fs::remove_file(self.file(path)).unwrap();
                    fs::write(self.stand_in(path), "a placeholder").unwrap();
                    self.cloud.insert(path, content);
                }
            }
            Step::Download { path } => {
                if fs::remove_file(self.stand_in(path)).is_ok()
                    && let Some(content) = self.cloud.remove(&path)
                    && !self.file(path).exists()
                {
                    self.put(path, &content);
                }
            }
            Step::Remove { .. } | Step::Restore { .. } | Step::Sync | Step::Crash { .. } => {}
        }
    }

    fn stand_in(&self, path: usize) -> PathBuf {
        let file = self.file(path);
        let name = file.file_name().unwrap().to_string_lossy();
        file.with_file_name(format!(".{name}.icloud"))
    }

    /// What stands there now.
    pub(crate) fn content(&self) -> Content {
        let mut content = Content::default();
        collect(&self.root, "", &mut content);
        content.away.retain(|path| !self.root.join(path).exists());
        content
    }
}

fn collect(folder: &Path, prefix: &str, content: &mut Content) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), content);
        } else if let Some(real) = name
            .strip_prefix('.')
            .and_then(|n| n.strip_suffix(".icloud"))
        {
            content.away.insert(format!("{prefix}{real}"));
        } else if !name.ends_with('~') {
            let bytes = fs::read(&path).unwrap();
            content.files.insert(format!("{prefix}{name}"), bytes);
        }
    }
}
