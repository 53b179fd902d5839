//! A folder as a source of items: one item per file.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use crate::{Error, FileBlob, place, stamp};

pub(crate) mod away;
mod folders;
mod names;
mod patterns;
mod scan;
#[cfg(test)]
mod tests;
mod writing;

pub(crate) use folders::Rules;
pub use names::conflict_of;
use patterns::Patterns;
pub use writing::Passed;

/// What of a folder is wanted. As JSON it is the folder's settings, without
/// `unread`, which the caller knows and no user sets.
///
/// Passed over without a word, as whole folders: whatever `ignore` matches,
/// `node_modules`, and, unless `hidden` is set, every name that begins with one
/// dot (`.git`, `.obsidian`, `.trash`); with more dots it is a title. So are
/// files that programs keep for a while only: unfinished downloads, and what
/// editors write beside a note (`note.md~`, `.note.md.swp`, `note.md.tmp`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FolderSettings {
    /// File extensions that nothing reads, lower case and without the dot,
    /// such as `mp4`. Such files are named as skipped, and never opened.
    #[serde(skip)]
    pub unread: BTreeSet<String>,
    /// Patterns of files and folders to pass over. One without a `/` matches
    /// the name at any depth (`*.tmp`, `Templates`), one with a `/` the path
    /// from the root on (`Archive/2019/**`).
    pub ignore: Vec<String>,
    /// Where there are any, only files are taken that one of these patterns
    /// matches, or a folder they are in.
    pub include: Vec<String>,
    /// Whether names that begin with one dot are taken like any other.
    pub hidden: bool,
    /// How many folders deep to go, the root not counted.
    pub max_depth: u16,
}

impl Default for FolderSettings {
    fn default() -> Self {
        Self {
            unread: BTreeSet::new(),
            ignore: Vec::new(),
            include: Vec::new(),
            hidden: false,
            // Each level holds a file handle while it is walked.
            max_depth: 64,
        }
    }
}

/// One thing found in a folder. Every `external_id` is the path relative to the
/// root, with `/` between the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file to take.
    File {
        /// Identity within the source; opens the file.
        external_id: String,
        /// Length in bytes.
        size: u64,
        /// Time of the last change, in milliseconds since
        /// 1970-01-01T00:00:00Z, where the file system knows it.
        modified_ms: Option<i64>,
        /// Equal stamps mean an unchanged file. Of size, time of the last
        /// change and, where there is one, the file's number on its drive.
        stamp: String,
    },
    /// Something that is not taken, for good reason.
    Skipped {
        /// Path relative to the root.
        external_id: String,
        /// Why, for a person.
        reason: String,
    },
    /// Something that is wanted and whose content is not on this machine: a
    /// cloud keeps it, and a placeholder stands here. It was not opened, as
    /// that would fetch it. What was known of it, and of everything below it,
    /// still holds.
    Away {
        /// Path relative to the root, of the thing itself.
        external_id: String,
        /// True for a folder: entries below it are missing from this scan.
        folder: bool,
    },
    /// Something that should have been taken and could not be looked at. What
    /// was known of it, and of everything below it, still holds: it is not
    /// seen, which does not mean that it is gone.
    Failed {
        /// Path relative to the root.
        external_id: String,
        /// Why, and what to do, for a person.
        reason: String,
        /// True for a folder: entries below it are missing from this scan.
        folder: bool,
    },
}

/// What a scan came across.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of [`Entry::File`].
    pub files: u64,
    /// Number of [`Entry::Skipped`] and [`Entry::Away`].
    pub skipped: u64,
    /// Number of [`Entry::Failed`].
    pub failed: u64,
    /// Files and folders passed over without an entry; a folder counts once.
    pub ignored: u64,
    /// Folders looked into, the root included.
    pub folders: u64,
    /// Whether the visitor stopped the scan; then it names not all there is.
    pub stopped: bool,
}

/// A folder, opened so that nothing outside it can be reached through it, or
/// one file of it as if it were alone there. Can be shared between threads.
#[derive(Debug)]
pub struct FolderSource {
    path: PathBuf,
    root: Arc<Dir>,
    /// The only file that is taken, where the source is a file.
    only: Option<String>,
    settings: FolderSettings,
    patterns: Patterns,
}

impl FolderSource {
    /// Opens a folder or a single file, which `root` names as
    /// [`crate::folder_root`] takes it.
    ///
    /// # Errors
    /// The errors of [`crate::folder_root`]; [`Error::RootUnreadable`] when the
    /// folder's entries cannot be listed; [`Error::NotRegular`] when `root` is
    /// neither folder nor file; [`Error::Pattern`] when a pattern of the
    /// settings does not parse.
    pub fn open(root: &Path, settings: &FolderSettings) -> Result<Self, Error> {
        let patterns = Patterns::new(settings)?;
        let (path, only) = place::folder_or_file(root)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())
            .and_then(|dir| dir.entries().map(|_| dir))
            .map_err(|error| place::refused(&path, error))?;
        Ok(Self {
            path,
            root: Arc::new(dir),
            only,
            settings: settings.clone(),
            patterns,
        })
    }

    /// The folder's absolute path, links followed; of a single file, the folder
    /// that it is in.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The id of the single file that was opened; none for a folder.
    #[must_use]
    pub fn only(&self) -> Option<&str> {
        self.only.as_deref()
    }

    /// What was opened, absolutely: the folder, or the single file.
    #[must_use]
    pub fn location(&self) -> PathBuf {
        match &self.only {
            Some(file) => place::item_path(&self.path, file).unwrap_or_else(|_| self.path.clone()),
            None => self.path.clone(),
        }
    }

    /// Names everything in the folder, depth first, each folder's entries
    /// sorted by name, so that two scans of one state are equal. Costs one look
    /// at the metadata of each wanted file and opens none. Links are never
    /// followed: one that leads outside cannot be, and what one inside leads
    /// to is seen at its own place.
    ///
    /// Something that vanishes during the scan is as if it had not been there.
    /// What cannot be looked at is an [`Entry::Failed`] and ends nothing.
    ///
    /// # Errors
    /// [`Error::RootUnreadable`] and [`Error::RootMissing`] when the root's own
    /// entries cannot be listed, and [`Error::RootVanished`] when the root was
    /// taken away meanwhile: then what was not visited may well be there.
    pub fn scan(&self, visit: &mut dyn FnMut(Entry) -> ControlFlow<()>) -> Result<Summary, Error> {
        scan::scan(self, visit)
    }

    /// Names the folders that a scan would look into, the root not among them,
    /// each after the one it is in. Costs much less than a scan; what cannot be
    /// listed is left out.
    pub fn folders(&self, visit: &mut dyn FnMut(&str) -> ControlFlow<()>) {
        folders::walk(self, visit);
    }

    /// Which folder it is, on its drive; none where the system does not tell.
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        #[cfg(unix)]
        {
            use cap_std::fs::MetadataExt as _;
            let metadata = self.root.dir_metadata().ok()?;
            Some((metadata.dev(), metadata.ino()))
        }
        #[cfg(not(unix))]
        None
    }

    /// Whether the root is still what was opened: a drive may have been taken
    /// out, or another one mounted over it.
    fn still_there(&self) -> Result<(), Error> {
        let vanished = || Error::RootVanished {
            path: self.path.clone(),
        };
        let there = Dir::open_ambient_dir(&self.path, ambient_authority())
            .and_then(|dir| dir.dir_metadata());
        let opened = self.root.dir_metadata();
        match (there, opened) {
            (Ok(there), Ok(opened)) if stamp::is_same(&there, &opened) => Ok(()),
            _ => Err(vanished()),
        }
    }

    /// Opens one file for reading. Links are not followed, and nothing but a
    /// regular file is opened, whatever the scan saw there.
    ///
    /// # Errors
    /// [`Error::Id`], [`Error::Vanished`], [`Error::NotRegular`],
    /// [`Error::Away`] and [`Error::Unreadable`], as the names say.
    pub fn open_file(&self, external_id: &str) -> Result<FileBlob, Error> {
        FileBlob::open(&self.root, external_id)
    }
}
