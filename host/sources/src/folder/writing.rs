//! Notes written into a folder, whole or not at all, and nowhere else.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};

use super::FolderSource;
use super::names::is_temporary;
use super::scan::is_hidden;
use crate::{Entry, Error, id, place, stamp};

/// Other names tried where one is taken.
const MOST_NAMES: u32 = 1_000;

/// Why a file would not be an item of its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// A pattern of `ignore`, or `node_modules`.
    Ignored,
    /// There is `include`, and no pattern of it fits.
    NotIncluded,
    /// A name that begins with a dot.
    Hidden,
    /// A name as programs give to what they keep for a while.
    Temporary,
    /// More folders deep than is looked.
    Deep,
    /// The source is one single file, and this is another.
    OnlyOne,
}

impl FolderSource {
    /// Why a file at that place would be passed over; none where it would be
    /// taken.
    #[must_use]
    pub fn would_pass(&self, external_id: &str) -> Option<Passed> {
        if let Some(only) = &self.only {
            return (only != external_id).then_some(Passed::OnlyOne);
        }
        let mut at = 0;
        let mut depth = 0;
        for part in external_id.split('/') {
            let end = at + part.len();
            if is_hidden(OsStr::new(part)) && !self.settings.hidden {
                return Some(Passed::Hidden);
            }
            if part == "node_modules" || self.patterns.ignores(&external_id[..end]) {
                return Some(Passed::Ignored);
            }
            depth += 1;
            at = end + 1;
        }
        if depth > usize::from(self.settings.max_depth) + 1 {
            return Some(Passed::Deep);
        }
        let name = external_id.rsplit('/').next().unwrap_or_default();
        if is_temporary(name) {
            return Some(Passed::Temporary);
        }
        (!self.patterns.includes(external_id)).then_some(Passed::NotIncluded)
    }

    /// Whether the folder's own permissions let nobody write.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        // Windows has that bit on folders that can well be written.
        cfg!(unix)
            && self
                .root
                .dir_metadata()
                .is_ok_and(|metadata| metadata.permissions().readonly())
    }

    /// Whether there is a folder of that id, a link not being one.
    #[must_use]
    pub fn has_folder(&self, external_id: &str) -> bool {
        self.folder_at(external_id, false).is_ok()
    }

    /// The names in a folder of that id; none where there is no such folder.
    ///
    /// # Errors
    /// [`Error::Unreadable`], and [`Error::NotRegular`] for a link.
    pub fn names_in(&self, external_id: &str) -> Result<Vec<String>, Error> {
        let dir = match self.folder_at(external_id, false) {
            Ok(dir) => dir,
            Err(Error::Vanished { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let entries = dir
            .entries()
            .map_err(|error| unreadable(external_id, error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.collect())
    }

    /// Writes a new file into the folder of that id, which is made where it is
    /// missing. Its name is the first of `names` that nothing has there, and
    /// `bytes` are what it holds under that name. Gives back the new file's id.
    ///
    /// # Errors
    /// [`Error::NotWritten`] where the system does not let it be written, and
    /// when all names are taken; [`Error::NotRegular`] where a link, or a file,
    /// stands in the place of a folder.
    pub fn create_file(
        &self,
        folder: &str,
        names: impl Iterator<Item = String>,
        bytes: impl Fn(&str) -> Vec<u8>,
    ) -> Result<String, Error> {
        let dir = self.folder_at(folder, true)?;
        for name in names.take(MOST_NAMES as usize) {
            let external_id = match folder {
                "" => name.clone(),
                folder => format!("{folder}/{name}"),
            };
            match write(&dir, Path::new(&name), &bytes(&name)) {
                Ok(()) => return Ok(external_id),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.not_written(&external_id, error)),
            }
        }
        let taken = io::Error::new(ErrorKind::AlreadyExists, "all names are taken");
        Err(self.not_written(folder, taken))
    }

    /// Writes a file anew that is as `stamp` says, keeping its permissions.
    ///
    /// # Errors
    /// [`Error::Changed`] when it is not any more; [`Error::NotWritten`];
    /// [`Error::NotRegular`] and the others of [`FolderSource::open_file`].
    pub fn replace_file(&self, external_id: &str, stamp: &str, bytes: &[u8]) -> Result<(), Error> {
        self.replacement(external_id, stamp, bytes)?.finish()
    }

    /// What is to take the place of a file, whole on the disk beside it.
    pub(super) fn replacement<'a>(
        &'a self,
        external_id: &'a str,
        stamp: &'a str,
        bytes: &[u8],
    ) -> Result<Replacement<'a>, Error> {
        let (folder, name) = external_id.rsplit_once('/').unwrap_or(("", external_id));
        let dir = self.folder_at(folder, false)?;
        let name = id::to_path(name)?;
        let before = as_it_was(&dir, &name, external_id, stamp)?;
        if before.permissions().readonly() {
            let error = io::Error::new(ErrorKind::PermissionDenied, "the file is write-protected");
            return Err(self.not_written(external_id, error));
        }
        let beside = write_beside(&dir, &name, bytes, Some(before.permissions()))
            .map_err(|error| self.not_written(external_id, error))?;
        Ok(Replacement {
            source: self,
            external_id,
            stamp,
            dir,
            name,
            beside,
        })
    }

    /// One file as a scan would name it; none where it is not there or not to be
    /// taken.
    ///
    /// # Errors
    /// As for a scan.
    pub fn entry(&self, external_id: &str) -> Result<Option<Entry>, Error> {
        if self.would_pass(external_id).is_some() {
            return Ok(None);
        }
        let path = id::to_path(external_id)?;
        let metadata = match self.root.symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => metadata,
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(external_id, error)),
        };
        Ok(Some(Entry::File {
            external_id: external_id.to_owned(),
            size: metadata.len(),
            modified_ms: stamp::modified_ms(&metadata),
            stamp: stamp::of(&metadata),
        }))
    }

    /// The folder of that id, opened from the root on without following a link.
    fn folder_at(&self, external_id: &str, make: bool) -> Result<Dir, Error> {
        let mut dir = self
            .root
            .try_clone()
            .map_err(|error| place::refused(&self.path, error))?;
        if external_id.is_empty() {
            return Ok(dir);
        }
        let mut at = 0;
        for part in external_id.split('/') {
            let end = at + part.len();
            let here = &external_id[..end];
            at = end + 1;
            // One name, and nothing that leads elsewhere.
            let name = id::to_path(part)?;
            dir = match dir.open_dir_nofollow(&name) {
                Ok(next) => next,
                Err(error) if error.kind() == ErrorKind::NotFound && make => {
                    match dir.create_dir(&name) {
                        Ok(()) => {}
                        // Another process was faster.
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                        Err(error) => return Err(self.not_written(here, error)),
                    }
                    dir.open_dir_nofollow(&name)
                        .map_err(|error| unreadable(here, error))?
                }
                Err(error) => {
                    let what = dir
                        .symlink_metadata(&name)
                        .ok()
                        .filter(|metadata| !metadata.is_dir())
                        .map(|metadata| match metadata.is_file() {
                            true => "a file",
                            false => "a link",
                        });
                    return Err(match what {
                        Some(what) => Error::NotFolder {
                            external_id: here.to_owned(),
                            what,
                        },
                        None => unreadable(here, error),
                    });
                }
            };
        }
        Ok(dir)
    }

    pub(crate) fn not_written(&self, external_id: &str, reason: io::Error) -> Error {
        Error::NotWritten {
            path: self.path.join(external_id),
            reason,
        }
    }
}

fn unreadable(external_id: &str, reason: io::Error) -> Error {
    let external_id = external_id.to_owned();
    match reason.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Error::Vanished { external_id },
        _ => Error::Unreadable {
            external_id,
            reason,
        },
    }
}

/// What is to take the place of a file that is as `stamp` says.
pub(super) struct Replacement<'a> {
    source: &'a FolderSource,
    external_id: &'a str,
    stamp: &'a str,
    dir: Dir,
    name: PathBuf,
    beside: PathBuf,
}

impl Replacement<'_> {
    /// Puts it there, unless someone changed the file while this was written
    /// to the disk, which takes long enough for an editor to save.
    pub(super) fn finish(self) -> Result<(), Error> {
        let put = as_it_was(&self.dir, &self.name, self.external_id, self.stamp).and_then(|_| {
            self.dir
                .rename(&self.beside, &self.dir, &self.name)
                .map_err(|error| self.source.not_written(self.external_id, error))
        });
        if put.is_err() {
            // What is left is passed over by every scan.
            let _ = self.dir.remove_file(&self.beside);
        }
        put
    }
}

/// The metadata of a file that still has that stamp.
fn as_it_was(dir: &Dir, name: &Path, external_id: &str, stamp: &str) -> Result<Metadata, Error> {
    let metadata = dir
        .symlink_metadata(name)
        .map_err(|error| unreadable(external_id, error))?;
    if let Some(what) = crate::blob::kind_of_special(metadata.file_type()) {
        return Err(Error::NotRegular {
            external_id: external_id.to_owned(),
            what,
        });
    }
    if stamp::of(&metadata) != stamp {
        return Err(Error::Changed {
            external_id: external_id.to_owned(),
        });
    }
    Ok(metadata)
}

/// Writes a new file whole: beside its place first, then into it. Fails with
/// `AlreadyExists` where something is.
fn write(dir: &Dir, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = write_beside(dir, path, bytes, None)?;
    // A rename would replace what came there meanwhile.
    let written = dir.hard_link(&beside, dir, path).or_else(|error| {
        if error.kind() == ErrorKind::AlreadyExists || dir.symlink_metadata(path).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        // Not every drive has hard links.
        dir.rename(&beside, dir, path)
    });
    // Gone already where it was renamed; what is left is passed over by every
    // scan.
    let _ = dir.remove_file(&beside);
    written
}

/// Writes a file beside another, down to the disk.
fn write_beside(
    dir: &Dir,
    path: &Path,
    bytes: &[u8],
    permissions: Option<Permissions>,
) -> io::Result<PathBuf> {
    let (beside, mut file) = create_beside(dir, path)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| match permissions {
            Some(permissions) => file.set_permissions(permissions),
            None => Ok(()),
        })
        .and_then(|()| file.sync_all());
    drop(file);
    match written {
        Ok(()) => Ok(beside),
        Err(error) => {
            let _ = dir.remove_file(&beside);
            Err(error)
        }
    }
}

/// A new file in the same folder, of a name that no scan takes.
fn create_beside(dir: &Dir, path: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_file_name(format!(".pkb-note-{}-{number}.tmp", std::process::id()));
        match dir.open_with(&beside, &options) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (beside, file)),
        }
    }
}
