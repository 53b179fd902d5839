//! Clips in a folder.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use cap_std::fs::{Dir, OpenOptions};
use url::Url;

use super::ClipError;
use super::note::{Clip, Old};
use super::slug::slug;
use crate::folder::{Entry, FolderSource};
use crate::id;

/// Longer notes are none of ours.
const MAX_NOTE: u64 = 64 << 20;
/// Frontmatter of ours ends within this, in bytes.
const HEAD: usize = 16 << 10;
/// Notes of one day with one title.
const MOST_NAMES: u32 = 1_000;

/// What became of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A new note.
    Created,
    /// The note of an earlier clip of the page, written anew.
    Updated,
    /// The note says all this already, and was not touched.
    Unchanged,
}

/// A clip that was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The note: its path in the folder.
    pub external_id: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// Saves a clip in a folder: in the note of an earlier clip of the page,
/// wherever in the folder that is by now, else as a new one at its root, called
/// `YYYY-MM-DD_title.md`. A note is written whole or not at all. What a person
/// added to it stays: tags, other properties, and a changed text, which is put
/// below the new one.
///
/// # Errors
/// [`ClipError::File`] and [`ClipError::Folder`].
pub fn save(folder: &FolderSource, clip: &Clip<'_>) -> Result<Saved, ClipError> {
    if let Some(external_id) = find(folder, clip.url)? {
        let bytes = folder.open_file(&external_id)?.read_all()?;
        let note = String::from_utf8_lossy(&bytes);
        if let Some(old) = Old::read(&note) {
            let outcome = if clip.is_same(&old, &note) {
                Outcome::Unchanged
            } else {
                let path = id::to_path(&external_id)?;
                write(folder, &path, &clip.note(Some(&old)), true)?;
                Outcome::Updated
            };
            return Ok(Saved {
                external_id,
                outcome,
            });
        }
    }
    let date = clip.clipped.get(..10).unwrap_or(clip.clipped);
    let stem = format!("{date}_{}", slug(clip.title));
    let note = clip.note(None);
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("{stem}.md"),
            _ => format!("{stem}-{number}.md"),
        };
        match write(folder, Path::new(&name), &note, false) {
            Ok(()) => {
                return Ok(Saved {
                    external_id: name,
                    outcome: Outcome::Created,
                });
            }
            Err(ClipError::File { reason, .. })
                if reason.kind() == std::io::ErrorKind::AlreadyExists && number < MOST_NAMES =>
            {
                number += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The note of an earlier clip of a page.
fn find(folder: &FolderSource, url: &str) -> Result<Option<String>, ClipError> {
    let mut found = None;
    folder.scan(&mut |entry| {
        let Entry::File {
            external_id, size, ..
        } = entry
        else {
            return ControlFlow::Continue(());
        };
        let is_note = external_id.len() > 3
            && external_id.as_bytes()[external_id.len() - 3..].eq_ignore_ascii_case(b".md");
        // A note that cannot be read is not one that could be written.
        if is_note
            && size <= MAX_NOTE
            && let Ok(file) = folder.open_file(&external_id)
            && let Ok(head) = file.read_at(0, HEAD)
            && Old::read(&String::from_utf8_lossy(&head))
                .is_some_and(|old| is_same_page(&old.url(), url))
        {
            found = Some(external_id);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Whether two addresses are of one page, whatever their scheme, fragment and
/// last slash.
fn is_same_page(one: &str, other: &str) -> bool {
    let plain = |address: &str| -> Option<String> {
        let mut url = Url::parse(address).ok()?;
        url.set_fragment(None);
        let rest = url.as_str().split_once("://")?.1;
        Some(rest.strip_suffix('/').unwrap_or(rest).to_owned())
    };
    one == other || plain(one).is_some_and(|one| plain(other) == Some(one))
}

/// Writes a note whole: beside its place first, then into it. Fails with
/// `AlreadyExists` where something is there that is not to be replaced.
fn write(folder: &FolderSource, path: &Path, note: &str, replace: bool) -> Result<(), ClipError> {
    let root = folder.root();
    let failed = |reason| ClipError::File {
        path: folder.path().join(path),
        reason,
    };
    let (beside, mut file) = create_beside(root, path).map_err(failed)?;
    let written = file
        .write_all(note.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| {
            drop(file);
            if replace {
                return root.rename(&beside, root, path);
            }
            // A rename would replace what came there meanwhile.
            root.hard_link(&beside, root, path).or_else(|error| {
                if error.kind() == std::io::ErrorKind::AlreadyExists
                    || root.symlink_metadata(path).is_ok()
                {
                    return Err(std::io::ErrorKind::AlreadyExists.into());
                }
                // Not every drive has hard links.
                root.rename(&beside, root, path)
            })
        });
    if written.is_err() || !replace {
        // Gone already where it was renamed; what is left is passed over by
        // every scan.
        let _ = root.remove_file(&beside);
    }
    written.map_err(failed)
}

/// A new file in the same folder, of a name that no scan takes.
fn create_beside(root: &Dir, path: &Path) -> std::io::Result<(PathBuf, cap_std::fs::File)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_file_name(format!(".pkb-clip-{}-{number}.tmp", std::process::id()));
        match root.open_with(&beside, &options) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (beside, file)),
        }
    }
}
