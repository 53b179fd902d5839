//! Notes that are written into a person's own folders: new ones, and changes to
//! the title and the tags of those that are there.
//!
//! A note is written whole or not at all, over nothing that is there, inside
//! the folder of the source and nowhere else; and it is in the index when the
//! call returns, unless a sync is running just then.

mod add;
mod changing;
mod frontmatter;
mod indexing;
mod name;
mod update;
mod yaml;

use std::path::Path;

use pkb_sources::FolderSource;
use pkb_store::Source;

pub use self::add::{AddedNote, NewNote};
pub use self::frontmatter::TagChange;
pub use self::update::{NoteChange, UpdatedNote};
use crate::engine::Engine;
use crate::error::Error;
use crate::pipeline::folder_settings;
use crate::reach::Marks;
use crate::sources::FOLDER;

/// The longest tag, in characters.
const LONGEST_TAG: usize = 100;

impl Engine {
    /// Makes sure that something can be written at all.
    fn is_writable(&self) -> Result<(), Error> {
        if !self.is_read_only() {
            return Ok(());
        }
        Err(Error::usage(
            format!(
                "the home {} can only be read, so nothing that is written would be in the index",
                self.home().folder.display()
            ),
            "Make the folder writable for your user, or use another home with --home.",
        ))
    }

    /// Whether notes can be added to a source.
    pub fn takes_notes(&self, source: &Source) -> bool {
        !self.is_read_only() && self.writable_folder(source).is_ok()
    }

    /// The folder of a source that notes may be written into.
    ///
    /// # Errors
    /// [`Error::Usage`] where it is no folder, is marked read-only, or cannot be
    /// written.
    pub(crate) fn writable_folder(&self, source: &Source) -> Result<FolderSource, Error> {
        let name = &source.spec.name;
        let refused = |why: String, hint: String| Err(Error::usage(why, hint));
        if source.spec.kind != FOLDER || Path::new(&source.spec.location).is_file() {
            return refused(
                format!("the source {name} is no folder"),
                "Name a source that is a folder.".into(),
            );
        }
        if Marks::of(source).read_only {
            return refused(
                format!("the source {name} is marked read-only"),
                format!(
                    "Name another source, or let the user allow it: `pkb source set {name} --writable`."
                ),
            );
        }
        let folder = FolderSource::open(
            Path::new(&source.spec.location),
            &folder_settings(&source.spec),
        )?;
        if folder.is_read_only() {
            return refused(
                format!("the folder of the source {name} is write-protected"),
                format!(
                    "Name another source, or make {} writable.",
                    source.spec.location
                ),
            );
        }
        Ok(folder)
    }
}

/// Tags as a note has them: without `#`, each once, words parted by dashes.
///
/// # Errors
/// [`Error::Usage`] for what is no tag.
fn tidy_tags(given: &[String]) -> Result<Vec<String>, Error> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given {
        let words: Vec<&str> = tag
            .trim()
            .trim_start_matches('#')
            .split_whitespace()
            .collect();
        let tag = words.join("-");
        let tag = tag.trim_matches('/');
        let wrong = tag.is_empty()
            || tag.chars().count() > LONGEST_TAG
            || tag
                .chars()
                .any(|c| c.is_control() || ",#[]{}\"'`\\:".contains(c));
        if wrong {
            return Err(Error::usage(
                format!("{tag:?} cannot be a tag"),
                "A tag is a word, such as birds or work/plans.",
            ));
        }
        if !tags
            .iter()
            .any(|known| known.to_lowercase() == tag.to_lowercase())
        {
            tags.push(tag.to_owned());
        }
    }
    Ok(tags)
}
