//! The words of commands that write into the user's folders, and of those that
//! set sources apart.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Note {
    /// Write a new note into a folder that is a source.
    Add(NoteAdd),
    /// Change a note's title and tags, and nothing else of it.
    Update(NoteUpdate),
}

/// The note is a Markdown file called like its title, with its tags and the
/// date in its frontmatter. Nothing is overwritten: where there is a note of
/// that name, the new one is called "Title 2".
#[derive(Debug, Args)]
pub(crate) struct NoteAdd {
    /// Its title.
    pub(crate) title: String,
    /// Its text, as Markdown; - reads it from stdin.
    pub(crate) text: Option<String>,
    /// The folder source that it goes to [default: the only one there is].
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// The folder inside the source; made where it is missing.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<String>,
    /// A tag; may be given several times.
    #[arg(long = "tag", value_name = "TAG", value_delimiter = ',')]
    pub(crate) tags: Vec<String>,
    /// Another property for its frontmatter, such as rating=5.
    #[arg(long = "property", value_name = "NAME=VALUE", value_parser = property)]
    pub(crate) properties: Vec<(String, String)>,
    /// Leave the embedding for later.
    #[arg(long)]
    pub(crate) no_embed: bool,
}

/// Title and tags are changed in the note's frontmatter; every other byte stays
/// as it is, and so does the file's name.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true)
    .args(["title", "tags", "untag", "set_tags"]))]
pub(crate) struct NoteUpdate {
    /// Its number, path, title or alias.
    pub(crate) item: String,
    /// Its new title.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// A tag to add; may be given several times.
    #[arg(
        long = "tag",
        value_name = "TAG",
        value_delimiter = ',',
        conflicts_with = "set_tags"
    )]
    pub(crate) tags: Vec<String>,
    /// A tag to take away; may be given several times.
    #[arg(
        long,
        value_name = "TAG",
        value_delimiter = ',',
        conflicts_with = "set_tags"
    )]
    pub(crate) untag: Vec<String>,
    /// The tags that it is to have, and no others; "" for none.
    #[arg(long, value_name = "TAG,TAG", value_delimiter = ',')]
    pub(crate) set_tags: Option<Vec<String>>,
    /// Only if the file has this hash, as an update before gave it.
    #[arg(long, value_name = "HASH")]
    pub(crate) expect: Option<String>,
    /// Leave the embedding for later.
    #[arg(long)]
    pub(crate) no_embed: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Source {
    /// List all sources with their marks, private ones too.
    List,
    /// Set a source apart, or call it otherwise.
    Set(SourceSet),
}

/// Nothing is read anew, and AI clients that are connected see the change with
/// their next request.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true)
    .args(["private", "hidden", "visible", "read_only", "writable", "name"]))]
pub(crate) struct SourceSet {
    /// The source.
    pub(crate) source: String,
    #[command(flatten)]
    pub(crate) marks: MarkArgs,
    /// A new name.
    #[arg(long, value_name = "NEW")]
    pub(crate) name: Option<String>,
}

/// What sets a source apart.
#[derive(Debug, Args)]
pub(crate) struct MarkArgs {
    /// Never in an answer, unless you name the source on the command line.
    #[arg(long, group = "seen")]
    pub(crate) private: bool,
    /// Left out of lists and searches that do not name the source.
    #[arg(long, group = "seen")]
    pub(crate) hidden: bool,
    /// Neither private nor hidden.
    #[arg(long, group = "seen")]
    pub(crate) visible: bool,
    /// pkb writes nothing into it: no notes, no clips, no tags.
    #[arg(long, group = "written")]
    pub(crate) read_only: bool,
    /// pkb writes into it where it is asked to.
    #[arg(long, group = "written")]
    pub(crate) writable: bool,
}

impl MarkArgs {
    pub(crate) fn visibility(&self) -> Option<pkb_engine::Visibility> {
        match (self.private, self.hidden, self.visible) {
            (true, ..) => Some(pkb_engine::Visibility::Private),
            (_, true, _) => Some(pkb_engine::Visibility::Hidden),
            (.., true) => Some(pkb_engine::Visibility::Visible),
            _ => None,
        }
    }

    pub(crate) fn read_only(&self) -> Option<bool> {
        match (self.read_only, self.writable) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

fn property(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(format!(
            "{text:?} is not a name and a value, such as rating=5"
        )),
    }
}
