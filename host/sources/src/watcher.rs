//! Being told when something happens in a folder.
//!
//! What is told says *when* to look, never *what* changed: that is for a scan
//! to find out, so that there is one way to find changes.

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RemoveKind};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::folder::Rules;
use crate::{Error, FolderSource, id};

mod drives;
#[cfg(test)]
mod tests;

/// Whether the system is asked for each folder by itself. Where it reports on
/// whole trees, nothing needs to be done for new folders; where it does not,
/// folders that the source passes over (`.git`, `node_modules`) cost nothing.
const EACH_FOLDER: bool = !cfg!(any(target_os = "macos", windows));
/// Folders watched at most: each takes about a kilobyte of the system's memory.
const MOST_FOLDERS: usize = 50_000;

/// What a watcher tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// Something happened that may have changed what the source holds.
    Changed,
    /// More happened than the system could tell.
    Overflow,
    /// Nothing more may be told from here on, and why.
    Failed(String),
}

/// Watches one folder until dropped. It keeps no handle to the folder where
/// the system can do without, so that a drive can be taken off.
pub struct Watcher {
    path: PathBuf,
    identity: Option<(u64, u64)>,
    system: RecommendedWatcher,
    /// Folders that the system was asked for, where it is asked for each.
    covered: Arc<Mutex<HashSet<PathBuf>>>,
}

impl fmt::Debug for Watcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let covered = lock(&self.covered).len();
        formatter
            .debug_struct("Watcher")
            .field("path", &self.path)
            .field("covered", &covered)
            .finish_non_exhaustive()
    }
}

impl Watcher {
    /// Starts to watch a folder. What happens in the folders `except`, given by
    /// their absolute paths, is not told. `tell` is called on a thread of the
    /// watcher's and should be quick. Our own reading tells nothing.
    ///
    /// # Errors
    /// [`Error::NotWatched`] where the system cannot tell, or would not tell
    /// all: on network drives, and at its limits.
    pub fn new(
        folder: &FolderSource,
        except: &[PathBuf],
        tell: impl Fn(Signal) + Send + 'static,
    ) -> Result<Self, Error> {
        let path = folder.path().to_owned();
        if let Some(drive) = drives::silent(&path) {
            return Err(Error::NotWatched {
                path,
                reason: format!("it is on a drive that does not report changes ({drive})"),
            });
        }
        let covered = Arc::new(Mutex::new(HashSet::new()));
        let inside = |folder: &&PathBuf| folder.starts_with(&path) && **folder != path;
        let filter = Filter {
            root: path.clone(),
            except: except.iter().filter(inside).cloned().collect(),
            rules: Rules::of(folder),
            covered: covered.clone(),
        };
        let system = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let signal = match event {
                Ok(event) => filter.signal(&event),
                Err(error) => Some(Signal::Failed(reason(&error))),
            };
            if let Some(signal) = signal {
                tell(signal);
            }
        })
        .map_err(|error| not_watched(&path, &error))?;
        let mut watcher = Watcher {
            identity: folder.identity(),
            path,
            system,
            covered,
        };
        if EACH_FOLDER {
            watcher.cover(folder)?;
        } else {
            watcher
                .system
                .watch(&watcher.path, RecursiveMode::Recursive)
                .map_err(|error| not_watched(&watcher.path, &error))?;
        }
        Ok(watcher)
    }

    /// Whether `folder` is still the one that is watched: another may have
    /// taken its place, such as a drive that was connected.
    #[must_use]
    pub fn is_of(&self, folder: &FolderSource) -> bool {
        self.path == folder.path() && self.identity == folder.identity()
    }

    /// Takes up folders that are new. To be called before each scan: what was in
    /// them before that, the scan finds; what comes later is told.
    ///
    /// # Errors
    /// As for [`Watcher::new`].
    pub fn cover(&mut self, folder: &FolderSource) -> Result<(), Error> {
        if !EACH_FOLDER {
            return Ok(());
        }
        let mut there = vec![self.path.clone()];
        folder.folders(&mut |external_id| {
            if let Ok(path) = id::to_path(external_id) {
                there.push(self.path.join(path));
            }
            if there.len() > MOST_FOLDERS {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if there.len() > MOST_FOLDERS {
            return Err(Error::NotWatched {
                path: self.path.clone(),
                reason: format!("it holds more than {MOST_FOLDERS} folders"),
            });
        }
        for path in there {
            // Known beforehand: what happens to the folder from here on makes it
            // unknown again.
            if !lock(&self.covered).insert(path.clone()) {
                continue;
            }
            let Err(error) = self.system.watch(&path, RecursiveMode::NonRecursive) else {
                continue;
            };
            lock(&self.covered).remove(&path);
            if is_about_that_folder(&error) {
                // It is gone again, or a scan will say that it cannot be read.
                continue;
            }
            return Err(not_watched(&self.path, &error));
        }
        Ok(())
    }
}

/// What of the system's events counts.
struct Filter {
    root: PathBuf,
    except: Vec<PathBuf>,
    rules: Rules,
    covered: Arc<Mutex<HashSet<PathBuf>>>,
}

impl Filter {
    fn signal(&self, event: &Event) -> Option<Signal> {
        if event.need_rescan() {
            return Some(Signal::Overflow);
        }
        let about_a_file = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Create(CreateKind::File)
            | EventKind::Remove(RemoveKind::File)
            | EventKind::Modify(ModifyKind::Data(_)) => true,
            EventKind::Access(_) => return None,
            _ => false,
        };
        if !about_a_file {
            self.forget(event);
        }
        let counts = event.paths.is_empty()
            || event
                .paths
                .iter()
                .any(|path| self.counts(path, about_a_file));
        counts.then_some(Signal::Changed)
    }

    /// Folders that something happened to are asked for anew: what was asked
    /// for may be another folder by now.
    fn forget(&self, event: &Event) {
        if matches!(
            event.kind,
            EventKind::Modify(ModifyKind::Metadata(_) | ModifyKind::Data(_))
        ) {
            return;
        }
        let mut covered = lock(&self.covered);
        for path in &event.paths {
            if covered.contains(path) {
                covered.retain(|folder| !folder.starts_with(path));
            }
        }
    }

    fn counts(&self, path: &Path, about_a_file: bool) -> bool {
        if self.except.iter().any(|except| path.starts_with(except)) {
            return false;
        }
        let Ok(inside) = path.strip_prefix(&self.root) else {
            return true;
        };
        if self.rules.passes_over(inside.iter()) {
            return false;
        }
        // What is no file, or may be none, can hold files.
        !about_a_file
            || inside
                .file_name()
                .is_none_or(|name| self.rules.wants(&name.to_string_lossy()))
    }
}

fn is_about_that_folder(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => matches!(
            error.kind(),
            std::io::ErrorKind::NotFound
                | std::io::ErrorKind::PermissionDenied
                | std::io::ErrorKind::NotADirectory
        ),
        _ => false,
    }
}

fn not_watched(path: &Path, error: &notify::Error) -> Error {
    Error::NotWatched {
        path: path.to_owned(),
        reason: reason(error),
    }
}

/// What the system says, and what can be done where it is known.
fn reason(error: &notify::Error) -> String {
    // Too many open files: what a system says that has no watcher left.
    const EMFILE: i32 = 24;
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system's limit of watched folders is reached; fs.inotify.max_user_watches raises it"
                .into()
        }
        ErrorKind::Io(error) if cfg!(unix) && error.raw_os_error() == Some(EMFILE) => {
            "the system's limit of watchers is reached; fs.inotify.max_user_instances raises it"
                .into()
        }
        ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// A thread that panicked left whole entries.
fn lock(covered: &Mutex<HashSet<PathBuf>>) -> MutexGuard<'_, HashSet<PathBuf>> {
    covered.lock().unwrap_or_else(PoisonError::into_inner)
}
