//! `add_note`, `clip_url` and `update_document`: what is written into the
//! user's folders.

use std::fmt::Write;

use pkb_engine::{ClipRequest, Error, NewNote, NoteChange, TagChange};
use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::render::{NOTICE, in_tools, line, quoted};
use super::super::tool::{Answer, Call, Outcome, Tool};
use super::documents::Wanted;
use crate::access::Scope;

const ADD: &str = "Writes a new Markdown note into one of the user's folders and indexes it, when they ask to save, \
    note down or remember something. Nothing is overwritten. Example: {\"title\": \"Call with Ada\", \"text\": \"She \
    agreed to **May**.\", \"tags\": [\"calls\"]}";
const CLIP: &str = "Saves a web page or PDF as a note in the user's folder and indexes it, when they ask to keep a \
    page. Clipping it again updates the note. Read it with get_document. Example: {\"url\": \
    \"https://example.org/herons\"}";
const UPDATE: &str = "Changes the title or tags of a Markdown note in its frontmatter, when the user asks for it; its \
    text and file name stay. Example: {\"item\": \"notes/plan.md\", \"add_tags\": [\"done\"]}";

/// Adds a file, or changes one.
fn writes() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .idempotent(false)
        .open_world(false)
}

/// See [`ADD`].
pub(in crate::mcp) struct AddNote;

impl Tool for AddNote {
    const NAME: &'static str = "add_note";
    const TITLE: &'static str = "Add a note";
    const DESCRIPTION: &'static str = ADD;
    const NEEDS: Scope = Scope::Write;
    type Arguments = AddArguments;
    type Found = Added;

    fn hints() -> ToolAnnotations {
        writes()
    }

    fn call(call: &Call, arguments: AddArguments) -> Result<Outcome<Added>, Error> {
        let new = NewNote {
            source: given(arguments.source),
            folder: given(arguments.folder),
            title: arguments.title,
            text: arguments.text,
            tags: arguments.tags,
            properties: Vec::new(),
            skip_embedding: true,
        };
        let added = call.engine().add_note(&new, call.job())?;
        let data = Added {
            path: added.path,
            notes: in_words(&added.warnings),
        };
        let text = with_notes(format!("Saved as {}.\n", line(&data.path)), &data.notes);
        Ok(Answer { text, data }.into())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct AddArguments {
    /// Title; names the file.
    title: String,
    /// Markdown.
    text: String,
    /// Tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Source, if several can be written.
    source: Option<String>,
    /// Folder in it.
    folder: Option<String>,
}

/// A note that was written.
#[derive(Serialize, JsonSchema)]
pub(in crate::mcp) struct Added {
    /// Source and path.
    path: String,
    /// What to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// See [`CLIP`].
pub(in crate::mcp) struct ClipUrl;

impl Tool for ClipUrl {
    const NAME: &'static str = "clip_url";
    const TITLE: &'static str = "Clip a web page";
    const DESCRIPTION: &'static str = CLIP;
    const NEEDS: Scope = Scope::Write;
    type Arguments = ClipArguments;
    type Found = Clipped;

    fn hints() -> ToolAnnotations {
        writes().idempotent(true).open_world(true)
    }

    fn call(call: &Call, arguments: ClipArguments) -> Result<Outcome<Clipped>, Error> {
        let request = ClipRequest {
            url: arguments.url,
            source: given(arguments.source),
            tags: arguments.tags,
            // Only the user themselves may open their network.
            allow_private: false,
            skip_embedding: true,
        };
        let clipped = call.engine().clip(&request, call.job())?;
        let data = Clipped {
            path: clipped.path,
            outcome: clipped.outcome,
            notes: in_words(&clipped.warnings),
            notice: NOTICE,
        };
        let text = format!(
            "The note of this page is {}. {}",
            data.outcome,
            quoted(&with_notes(
                format!("path: {}\n", line(&data.path)),
                &data.notes
            ))
        );
        Ok(Answer { text, data }.into())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct ClipArguments {
    /// Public http(s) address.
    url: String,
    /// Tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Folder source; "clips" if left out.
    source: Option<String>,
}

/// A page that was clipped.
#[derive(Serialize, JsonSchema)]
pub(in crate::mcp) struct Clipped {
    /// Source and path.
    path: String,
    /// created, updated or unchanged.
    outcome: &'static str,
    /// What to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// How to take text of items.
    #[schemars(skip)]
    notice: &'static str,
}

/// See [`UPDATE`].
pub(in crate::mcp) struct UpdateDocument;

impl Tool for UpdateDocument {
    const NAME: &'static str = "update_document";
    const TITLE: &'static str = "Change title and tags";
    const DESCRIPTION: &'static str = UPDATE;
    const NEEDS: Scope = Scope::Write;
    type Arguments = UpdateArguments;
    type Found = Updated;

    /// The title and tags before are gone.
    fn hints() -> ToolAnnotations {
        writes().destructive(true).idempotent(true)
    }

    fn call(call: &Call, arguments: UpdateArguments) -> Result<Outcome<Updated>, Error> {
        let (add, remove) = (arguments.add_tags, arguments.remove_tags);
        let title = given(arguments.title);
        // An empty list beside anything else was not meant to take all away.
        let alone = title.is_none() && add.is_empty() && remove.is_empty();
        let tags = match arguments.tags.filter(|tags| alone || !tags.is_empty()) {
            Some(_) if !add.is_empty() || !remove.is_empty() => {
                return Err(Error::Usage {
                    what: "tags sets all tags, so none can be added or removed beside it".into(),
                    hint: "Give tags alone, or add_tags and remove_tags.".into(),
                });
            }
            Some(tags) => Some(TagChange::Set(tags)),
            None if add.is_empty() && remove.is_empty() => None,
            None => Some(TagChange::Change { add, remove }),
        };
        let change = NoteChange {
            item: arguments.item.words(),
            title,
            tags,
            expected: None,
            skip_embedding: true,
        };
        let updated = call.engine().update_note(&change, call.job())?;
        let data = Updated {
            path: updated.path,
            title: line(&updated.title),
            tags: updated.tags.iter().map(|tag| line(tag)).collect(),
            notes: in_words(&updated.warnings),
            notice: NOTICE,
        };
        let body = format!(
            "path: {}\ntitle: {}\ntags: {}\n",
            line(&data.path),
            data.title,
            match data.tags.as_slice() {
                [] => "none".to_owned(),
                tags => tags.join(", "),
            }
        );
        let text = format!(
            "{}. {}",
            if updated.changed {
                "Changed"
            } else {
                "Unchanged"
            },
            quoted(&with_notes(body, &data.notes))
        );
        Ok(Answer { text, data }.into())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct UpdateArguments {
    /// Number, path or title.
    #[schemars(with = "String")]
    item: Wanted,
    /// New title.
    title: Option<String>,
    /// All its tags from now on.
    tags: Option<Vec<String>>,
    /// Tags it gets.
    #[serde(default)]
    add_tags: Vec<String>,
    /// Tags it loses.
    #[serde(default)]
    remove_tags: Vec<String>,
}

/// A note that was changed.
#[derive(Serialize, JsonSchema)]
pub(in crate::mcp) struct Updated {
    /// Source and path.
    path: String,
    /// Now.
    title: String,
    /// Now.
    tags: Vec<String>,
    /// What to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// How to take text of items.
    #[schemars(skip)]
    notice: &'static str,
}

/// What is empty counts as not given: models write that.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn in_words(warnings: &[String]) -> Vec<String> {
    warnings
        .iter()
        .map(|warning| in_tools(warning, true))
        .collect()
}

fn with_notes(mut text: String, notes: &[String]) -> String {
    for note in notes {
        let _ = writeln!(text, "Note: {note}");
    }
    text
}
