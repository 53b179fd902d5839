//! A settings file on the disk: read whole, written whole or not at all, with
//! copies of what it was beside it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

/// What the copies end in.
const BACKUP: &str = ".pkb-backup";
/// Links that are followed at most, as systems do.
const LINKS: usize = 40;
/// Copies of one file, at most.
const BACKUPS: usize = 100;

/// A file as it was when it was read.
pub(crate) struct SettingsFile {
    /// Where the client looks.
    path: PathBuf,
    /// Where the file is: elsewhere than `path` if that is a link.
    real: PathBuf,
    /// None where there is none.
    bytes: Option<Vec<u8>>,
}

impl SettingsFile {
    /// Reads the file, if there is one.
    pub(crate) fn read(path: &Path) -> io::Result<SettingsFile> {
        let real = behind_links(path)?;
        let bytes = match fs::read(&real) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(SettingsFile {
            path: path.to_owned(),
            real,
            bytes,
        })
    }

    /// What it held; none where there was none.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }

    /// Where the file is, if that is elsewhere than where the client looks.
    pub(crate) fn linked(&self) -> Option<&Path> {
        (self.real != self.path).then_some(&self.real)
    }

    /// Puts other bytes into its place, all at once.
    ///
    /// # Errors
    /// What the system says; `ErrorKind::ResourceBusy` when it is not what was
    /// read any more.
    pub(crate) fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let folder = folder(&self.real)?;
        fs::create_dir_all(folder)?;
        let mut new = self.beside(folder)?;
        new.write_all(bytes)?;
        new.as_file().sync_all()?;
        self.unchanged()?;
        new.persist(&self.real).map_err(|failed| failed.error)?;
        Ok(())
    }

    /// Removes the file, and folders above it that are empty then, `folders` of
    /// them at most.
    pub(crate) fn remove(&self, folders: usize) -> io::Result<()> {
        self.unchanged()?;
        fs::remove_file(&self.real)?;
        let folders = if self.linked().is_some() { 0 } else { folders };
        for folder in self.path.ancestors().skip(1).take(folders) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Copies what was read to a file beside it, unless a copy is there. None
    /// where there was nothing to copy.
    pub(crate) fn back_up(&self) -> io::Result<Option<PathBuf>> {
        let Some(bytes) = &self.bytes else {
            return Ok(None);
        };
        for path in self.backup_paths() {
            match fs::read(&path) {
                Ok(there) if there == *bytes => return Ok(Some(path)),
                Ok(_) => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            let mut copy = self.beside(folder(&path)?)?;
            copy.write_all(bytes)?;
            copy.as_file().sync_all()?;
            match copy.persist_noclobber(&path) {
                Ok(_) => return Ok(Some(path)),
                // Someone else made it just now.
                Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(failed) => return Err(failed.error),
            }
        }
        Err(io::Error::other(format!(
            "there are {BACKUPS} copies beside it already"
        )))
    }

    /// The copies that there are, newest first.
    pub(crate) fn backups(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found: Vec<_> = self
            .backup_paths()
            .filter_map(|path| {
                let bytes = fs::read(&path).ok()?;
                let modified = fs::metadata(&path).and_then(|file| file.modified()).ok();
                Some((modified, path, bytes))
            })
            .collect();
        found.sort();
        let newest = found.into_iter().rev();
        newest.map(|(_, path, bytes)| (path, bytes)).collect()
    }

    fn backup_paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        (1..=BACKUPS).map(|number| {
            let mut path = self.path.clone().into_os_string();
            path.push(BACKUP);
            if number > 1 {
                path.push(format!("-{number}"));
            }
            path.into()
        })
    }

    /// A new file in `folder` that those may read who may read this one.
    fn beside(&self, folder: &Path) -> io::Result<tempfile::NamedTempFile> {
        let mut builder = Builder::new();
        builder.prefix(".pkb-").suffix(".tmp");
        let there = fs::metadata(&self.real).ok();
        #[cfg(unix)]
        if there.is_none() {
            use std::os::unix::fs::PermissionsExt;
            // Less what the user's mask takes off.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let new = builder.tempfile_in(folder)?;
        if let Some(there) = there {
            new.as_file().set_permissions(there.permissions())?;
        }
        Ok(new)
    }

    /// Fails when the file is not what was read.
    fn unchanged(&self) -> io::Result<()> {
        let now = match fs::read(&self.real) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if now == self.bytes {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another program changes it again and again",
        ))
    }
}

fn folder(path: &Path) -> io::Result<&Path> {
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Ok(Path::new(".")),
        Some(folder) => Ok(folder),
        None => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "this is no path of a file",
        )),
    }
}

/// The file that a path leads to, which need not be there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut real = path.to_owned();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&real) {
            Ok(there) if there.file_type().is_symlink() => {
                let target = fs::read_link(&real)?;
                real = folder(&real)?.join(target);
            }
            Ok(there) if there.is_dir() => {
                return Err(io::Error::new(
                    io::ErrorKind::IsADirectory,
                    "this is a folder",
                ));
            }
            Ok(_) | Err(_) => return Ok(real),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}
