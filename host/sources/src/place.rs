//! Between what a user types or sees and where a folder's items are.

use std::io;
use std::path::{Path, PathBuf};

use url::Url;

use crate::{Error, id};

/// The folder a user means: `~` as the home folder, relative paths from the
/// working folder on, links followed, everything absolute.
///
/// # Errors
/// [`Error::RootMissing`], [`Error::RootNotFolder`], [`Error::RootUnreadable`]
/// and [`Error::NoHome`], as the names say.
pub fn folder_root(input: &Path) -> Result<PathBuf, Error> {
    let path = with_home(input)?;
    // An empty path has no absolute form; the working folder is not meant.
    let path = std::path::absolute(&path).unwrap_or(path);
    let root = dunce::canonicalize(&path).map_err(|error| refused(&path, error))?;
    let metadata = std::fs::metadata(&root).map_err(|error| refused(&root, error))?;
    if !metadata.is_dir() {
        return Err(Error::RootNotFolder { path: root });
    }
    Ok(root)
}

/// The folder that a user means, or the folder of the file and the file's id
/// in it.
///
/// # Errors
/// As [`folder_root`]; [`Error::NotRegular`] for what is neither.
pub(crate) fn folder_or_file(input: &Path) -> Result<(PathBuf, Option<String>), Error> {
    let not_folder = match folder_root(input) {
        Err(Error::RootNotFolder { path }) => path,
        other => return Ok((other?, None)),
    };
    let refused = || Error::RootNotFolder {
        path: not_folder.clone(),
    };
    let metadata = std::fs::metadata(&not_folder)
        .map_err(|error| crate::place::refused(&not_folder, error))?;
    let (Some(folder), Some(name)) = (not_folder.parent(), not_folder.file_name()) else {
        return Err(refused());
    };
    if !metadata.is_file() {
        return Err(Error::NotRegular {
            external_id: not_folder.display().to_string(),
            what: "neither a folder nor a regular file",
        });
    }
    let mut file = String::new();
    id::push_name(&mut file, name);
    Ok((folder.to_owned(), Some(file)))
}

/// Where an item of a folder is, or of a single file that `root` names. It need
/// not be there any more.
///
/// # Errors
/// [`Error::Id`] when a folder does not give out such ids.
pub fn item_path(root: &Path, external_id: &str) -> Result<PathBuf, Error> {
    let inside = id::to_path(external_id)?;
    if root.file_name() == Some(inside.as_os_str()) && root.is_file() {
        return Ok(root.to_owned());
    }
    Ok(root.join(inside))
}

/// The `file://` URL of an item of a folder, which `root` names absolutely.
///
/// # Errors
/// [`Error::Id`] when a folder does not give out such ids;
/// [`Error::RootNotFolder`] when `root` is not absolute.
pub fn item_url(root: &Path, external_id: &str) -> Result<String, Error> {
    let path = item_path(root, external_id)?;
    Url::from_file_path(path)
        .map(String::from)
        .map_err(|()| Error::RootNotFolder {
            path: root.to_owned(),
        })
}

fn with_home(input: &Path) -> Result<PathBuf, Error> {
    let Ok(rest) = input.strip_prefix("~") else {
        return Ok(input.to_owned());
    };
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match home {
        Some(home) => Ok(home.join(rest)),
        None => Err(Error::NoHome {
            path: input.to_owned(),
        }),
    }
}

/// What an error on the way to a root means.
pub(crate) fn refused(path: &Path, reason: io::Error) -> Error {
    let path = path.to_owned();
    match reason.kind() {
        io::ErrorKind::NotFound => Error::RootMissing { path },
        io::ErrorKind::NotADirectory => Error::RootNotFolder { path },
        _ => Error::RootUnreadable { path, reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_path_and_a_file_are_told_apart() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("note.md");
        std::fs::write(&file, "x").unwrap();
        let missing = folder_root(&temp.path().join("nowhere")).unwrap_err();
        assert!(matches!(missing, Error::RootMissing { .. }), "{missing}");
        assert!(missing.to_string().contains("nowhere"), "{missing}");
        for path in [file.clone(), file.join("below")] {
            let error = folder_root(&path).unwrap_err();
            assert!(matches!(error, Error::RootNotFolder { .. }), "{error}");
        }
        assert!(folder_root(Path::new("")).is_err());
    }

    #[test]
    fn a_single_file_is_known_by_its_folder_and_its_name() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("one 100%.md");
        std::fs::write(&file, "x").unwrap();
        let (folder, only) = folder_or_file(&file).unwrap();
        assert_eq!(folder, folder_root(temp.path()).unwrap());
        assert_eq!(
            item_path(&folder, only.as_deref().unwrap()).unwrap(),
            folder.join("one 100%.md")
        );
        let alone = item_path(&file, only.as_deref().unwrap()).unwrap();
        assert_eq!(alone, file);
        assert_eq!(folder_or_file(temp.path()).unwrap(), (folder, None));
        assert!(folder_or_file(&temp.path().join("no.md")).is_err());
    }

    #[test]
    fn roots_are_absolute_and_canonical() {
        let temp = tempfile::tempdir().unwrap();
        let root = folder_root(temp.path()).unwrap();
        let roundabout = root.join("sub").join("..");
        std::fs::create_dir(root.join("sub")).unwrap();
        assert_eq!(folder_root(&roundabout).unwrap(), root);
        assert!(folder_root(Path::new(".")).unwrap().is_absolute());
    }

    #[test]
    fn a_tilde_is_the_home_folder() {
        let Some(home) = std::env::home_dir().filter(|home| home.is_dir()) else {
            eprintln!("skipped: no home folder");
            return;
        };
        let home = folder_root(&home).unwrap();
        assert_eq!(folder_root(Path::new("~")).unwrap(), home);
        assert_eq!(folder_root(Path::new("~/")).unwrap(), home);
        // A folder whose name merely begins with it is not.
        assert!(folder_root(Path::new("~nobody-of-this-name")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn urls_are_percent_encoded() {
        let url = item_url(Path::new("/home/me"), "My Notes/100% caf\u{FFFD}E9#1.md").unwrap();
        assert_eq!(url, "file:///home/me/My%20Notes/100%25%20caf%E9%231.md");
        assert!(item_url(Path::new("relative"), "a.md").is_err());
        assert!(item_url(Path::new("/home/me"), "../a.md").is_err());
        assert_eq!(
            item_path(Path::new("/home/me"), "a/b.md").unwrap(),
            Path::new("/home/me/a/b.md")
        );
    }
}
