//! Clips in a folder.

use std::ops::ControlFlow;

use url::Url;

use super::ClipError;
use super::note::{Clip, Old};
use super::slug::slug;
use crate::folder::{Entry, FolderSource};

/// Longer notes are none of ours.
const MAX_NOTE: u64 = 64 << 20;
/// Frontmatter of ours ends within this, in bytes.
const HEAD: usize = 16 << 10;

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
/// [`ClipError::Folder`].
pub fn save(folder: &FolderSource, clip: &Clip<'_>) -> Result<Saved, ClipError> {
    if let Some(external_id) = find(folder, clip.url)? {
        let file = folder.open_file(&external_id)?;
        let bytes = file.read_all()?;
        let note = String::from_utf8_lossy(&bytes);
        if let Some(old) = Old::read(&note) {
            let outcome = if clip.is_same(&old, &note) {
                Outcome::Unchanged
            } else {
                let note = clip.note(Some(&old));
                folder.replace_file(&external_id, file.stamp(), note.as_bytes())?;
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
    let names = (1..).map(|number| match number {
        1 => format!("{stem}.md"),
        _ => format!("{stem}-{number}.md"),
    });
    let external_id = folder.create_file("", names, |_| clip.note(None).into_bytes())?;
    Ok(Saved {
        external_id,
        outcome: Outcome::Created,
    })
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
