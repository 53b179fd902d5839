//! Changes to the title and the tags of notes that are there.

use pkb_sources::FolderSource;
use pkb_store::{Item, Source};
use serde::Serialize;

use super::frontmatter::{self, Edit, TagChange};
use super::{name, tidy_tags};
use crate::citation::item_path;
use crate::engine::Engine;
use crate::error::Error;
use crate::job::Job;
use crate::pipeline::walk::file_of;

/// Longer files are not changed, in bytes.
const LONGEST: u64 = 64 << 20;

/// What is to be changed about a note.
#[derive(Clone, Debug, Default)]
pub struct NoteChange {
    /// The note, as [`Engine::find_item`] understands names.
    pub item: String,
    /// Its new title.
    pub title: Option<String>,
    /// What is to become of its tags.
    pub tags: Option<TagChange>,
    /// The hash of the file as the caller knows it, as [`UpdatedNote::hash`]
    /// gives it; none to change it as it is.
    pub expected: Option<String>,
    /// Leave the embedding for later.
    pub skip_embedding: bool,
}

/// A note that was changed.
#[derive(Clone, Debug, Serialize)]
pub struct UpdatedNote {
    /// Its number in the index.
    pub item: i64,
    /// `source/path`.
    pub path: String,
    /// Its title now.
    pub title: String,
    /// Its tags now; those in its text are among them once it is indexed.
    pub tags: Vec<String>,
    /// Whether the file is another one than before.
    pub changed: bool,
    /// BLAKE3 of the file as it is now, in hexadecimal.
    pub hash: String,
    /// What a person should know of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Engine {
    /// Changes the title and the tags of a Markdown note in its frontmatter,
    /// and leaves every other byte of the file as it is. The file keeps its
    /// name.
    ///
    /// # Errors
    /// As [`Engine::find_item`]; [`Error::Usage`] where the item is no Markdown
    /// file of a folder that may be written into, where nothing is asked for,
    /// where the file is not as expected, and where its frontmatter could not
    /// be changed alone; [`Error::Source`] when it cannot be read or written.
    pub fn update_note(&self, change: &NoteChange, job: &dyn Job) -> Result<UpdatedNote, Error> {
        let _span = tracing::info_span!("note.update").entered();
        let edit = Edit {
            title: change.title.as_deref().map(name::title).transpose()?,
            tags: change.tags.as_ref().map(tidy).transpose()?,
            new: Vec::new(),
        };
        if edit.title.is_none() && edit.tags.is_none() {
            return Err(Error::usage(
                "nothing is to be changed",
                "Give a new title, or tags to add, remove or set.",
            ));
        }
        self.is_writable()?;
        let item = self.find_item(&change.item)?;
        let path = item_path(&item);
        let source = self.source(&item.source)?;
        let folder = self.folder_of_note(&item, &source)?;
        let mut warnings = Vec::new();
        let written =
            self.changing(|| rewrite(&folder, &item, &edit, change.expected.as_deref()))?;
        let Written { before, after } = written;
        let changed = after != before;
        let hash = blake3::hash(after.as_bytes());
        // Also where nothing was changed, the index may know an older state.
        if changed || item.content_hash != *hash.as_bytes() {
            self.index_file(
                &source,
                &folder,
                &item.external_id,
                change.skip_embedding,
                job,
                &mut warnings,
            )?;
        }
        let details = self
            .store()
            .item(item.id)?
            .filter(|details| details.item.content_hash == *hash.as_bytes());
        let (title, tags) = match details {
            Some(details) => {
                let tags = details.tags;
                if let Some(tag) = edit.tags.as_ref().and_then(|change| left(change, &tags)) {
                    warnings.push(format!(
                        "#{tag} stands in the text of the note as well, and stays there."
                    ));
                }
                (details.item.title, tags)
            }
            // Not in the index yet: what is known is what the frontmatter says.
            None => {
                let (title, tags) = frontmatter::title_and_tags(&after);
                (title.unwrap_or(item.title), tags)
            }
        };
        Ok(UpdatedNote {
            item: item.id.0,
            path,
            title,
            tags,
            changed,
            hash: hash.to_hex().to_string(),
            warnings,
        })
    }

    /// The folder of an item that can be changed.
    fn folder_of_note(&self, item: &Item, source: &Source) -> Result<FolderSource, Error> {
        let path = item_path(item);
        if let Some(file) = file_of(&item.external_id) {
            return Err(Error::usage(
                format!("{path} is inside the file {file}, which is not changed"),
                "Only Markdown files of their own have a title and tags that can be changed.",
            ));
        }
        let name = item.external_id.to_lowercase();
        if ![".md", ".markdown"].iter().any(|end| name.ends_with(end)) {
            return Err(Error::usage(
                format!("{path} is not a Markdown file, so it has no frontmatter to change"),
                "Add a note about it instead, with the tags and a link to it.",
            ));
        }
        self.writable_folder(source)
    }
}

/// A note before and after.
struct Written {
    before: String,
    after: String,
}

/// Makes the change in the file as it is at this moment.
fn rewrite(
    folder: &FolderSource,
    item: &Item,
    edit: &Edit,
    expected: Option<&str>,
) -> Result<Written, Error> {
    let path = item_path(item);
    let file = folder.open_file(&item.external_id)?;
    if file.size() > LONGEST {
        return Err(Error::usage(
            format!(
                "{path} has {} bytes, which is more than a note",
                file.size()
            ),
            "Change it by hand.",
        ));
    }
    let bytes = file.read_all()?;
    let now = blake3::hash(&bytes);
    if let Some(expected) = expected
        && !now.to_hex().as_str().eq_ignore_ascii_case(expected.trim())
    {
        return Err(Error::usage(
            format!("{path} is not as expected: it was changed meanwhile"),
            "Read it again and decide anew.",
        ));
    }
    let before = String::from_utf8(bytes).map_err(|_| {
        Error::usage(
            format!("{path} is not written in UTF-8"),
            "Save it in that encoding first.",
        )
    })?;
    let after = frontmatter::edit(&before, edit).map_err(|why| {
        Error::usage(
            format!("{path} was not changed: {why}"),
            "Change its frontmatter by hand.",
        )
    })?;
    if after != before {
        folder.replace_file(&item.external_id, file.stamp(), after.as_bytes())?;
    }
    Ok(Written { before, after })
}

fn tidy(change: &TagChange) -> Result<TagChange, Error> {
    Ok(match change {
        TagChange::Set(tags) => TagChange::Set(tidy_tags(tags)?),
        TagChange::Change { add, remove } => TagChange::Change {
            add: tidy_tags(add)?,
            // What is there may be written in any way.
            remove: remove
                .iter()
                .map(|tag| tag.trim().trim_start_matches('#').to_owned())
                .collect(),
        },
    })
}

/// A tag that was to go and did not.
fn left<'a>(change: &TagChange, now: &'a [String]) -> Option<&'a String> {
    let has = |tags: &[String], tag: &String| {
        tags.iter()
            .any(|other| other.to_lowercase() == tag.to_lowercase())
    };
    now.iter().find(|tag| match change {
        TagChange::Set(tags) => !has(tags, tag),
        TagChange::Change { remove, .. } => has(remove, tag),
    })
}
