//! New notes.

use jiff::ZonedDateTime;
use pkb_sources::{FolderSource, Passed};
use pkb_store::Source;
use saphyr_parser::ScalarStyle;
use serde::Serialize;

use super::frontmatter::{self, Edit, TagChange};
use super::{name, tidy_tags, yaml};
use crate::engine::Engine;
use crate::error::Error;
use crate::job::Job;

/// Bytes of a note's text at most.
const LONGEST_TEXT: usize = 4 << 20;
/// Properties of one note at most.
const PROPERTIES: usize = 50;

/// A note that is to be written.
#[derive(Clone, Debug, Default)]
pub struct NewNote {
    /// The folder source that it goes to; none where only one can be meant.
    pub source: Option<String>,
    /// The folder inside the source, made where it is missing; none for its
    /// root.
    pub folder: Option<String>,
    /// The title, on one line; the file is called so as far as a file can be.
    pub title: String,
    /// The text, as Markdown.
    pub text: String,
    /// Its tags, `#` or not.
    pub tags: Vec<String>,
    /// Other properties for its frontmatter.
    pub properties: Vec<(String, String)>,
    /// Leave the embedding for later.
    pub skip_embedding: bool,
}

/// A note that was written.
#[derive(Clone, Debug, Serialize)]
pub struct AddedNote {
    /// Its number in the index; none where it is not there yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<i64>,
    /// `source/path`.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The file.
    pub file: String,
    /// What a person should know of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Engine {
    /// Writes a new Markdown note into a folder source, over nothing that is
    /// there, and takes it into the index.
    ///
    /// # Errors
    /// [`Error::Usage`] for what could not be a note, a folder that leads out of
    /// the source, and a source that no note may be written into;
    /// [`Error::NotFound`] for an unknown source; [`Error::Source`] when the
    /// file cannot be written.
    pub fn add_note(&self, new: &NewNote, job: &dyn Job) -> Result<AddedNote, Error> {
        let _span = tracing::info_span!("note.add").entered();
        self.is_writable()?;
        let title = name::title(&new.title)?;
        let tags = tidy_tags(&new.tags)?;
        let (source, folder) = self.source_for_notes(new.source.as_deref())?;
        let inside = new.folder.as_deref().unwrap_or_default();
        let inside = name::folder(inside, |id| folder.has_folder(id))?;
        let stem = name::stem(&title);
        let draft = Draft::new(&title, &tags, new)?;
        let plain = match inside.as_str() {
            "" => format!("{stem}.md"),
            inside => format!("{inside}/{stem}.md"),
        };
        if let Some(why) = folder.would_pass(&plain) {
            return Err(passed_over(&source, &plain, why));
        }
        let names = name::free_names(&stem, &folder.names_in(&inside)?);
        let external_id = folder.create_file(&inside, names, |name| draft.named(name).into())?;
        let mut warnings = Vec::new();
        let item = self.index_file(
            &source,
            &folder,
            &external_id,
            new.skip_embedding,
            job,
            &mut warnings,
        )?;
        let file = pkb_sources::item_path(folder.path(), &external_id)?;
        Ok(AddedNote {
            item: item.map(|item| item.id.0),
            path: format!("{}/{external_id}", source.spec.name),
            title,
            file: file.display().to_string(),
            warnings,
        })
    }

    /// The source that a note goes to, and its folder.
    fn source_for_notes(&self, named: Option<&str>) -> Result<(Source, FolderSource), Error> {
        if let Some(name) = named {
            let source = self.source(name)?;
            let folder = self.writable_folder(&source)?;
            return Ok((source, folder));
        }
        let mut all: Vec<(Source, FolderSource)> = Vec::new();
        for source in self.sources()? {
            if let Ok(folder) = self.writable_folder(&source) {
                all.push((source, folder));
            }
        }
        match all.len() {
            1 => Ok(all.swap_remove(0)),
            0 => Err(Error::usage(
                "there is no source that a note could be written into",
                "`pkb add FOLDER` adds one; `pkb source set NAME --writable` allows writing into one that is marked read-only.",
            )),
            _ => {
                let names: Vec<&str> = all
                    .iter()
                    .map(|(source, _)| source.spec.name.as_str())
                    .collect();
                Err(Error::usage(
                    "a note can go to several sources",
                    format!("Name one: {}.", names.join(", ")),
                ))
            }
        }
    }
}

fn passed_over(source: &Source, external_id: &str, why: Passed) -> Error {
    let name = &source.spec.name;
    let why = match why {
        Passed::Ignored => "a pattern of the source's --ignore, or node_modules, fits it",
        Passed::NotIncluded => "no pattern of the source's --include fits it",
        Passed::Hidden => "names that begin with a dot are passed over",
        Passed::Temporary => "it is called as programs call what they keep for a while",
        Passed::Deep => "it lies too many folders deep",
        Passed::OnlyOne => "the source is one single file",
    };
    Error::usage(
        format!("the source {name} would not take {external_id}: {why}"),
        "Choose another folder or title, so that the note can be found.",
    )
}

/// A note that has no name yet.
struct Draft<'a> {
    title: &'a str,
    /// The whole file where its name says the title, and where it does not.
    named: String,
    titled: String,
}

impl<'a> Draft<'a> {
    fn new(title: &'a str, tags: &[String], new: &NewNote) -> Result<Draft<'a>, Error> {
        if new.text.len() > LONGEST_TEXT {
            return Err(Error::usage(
                format!(
                    "the text has {} bytes, and {LONGEST_TEXT} are the most",
                    new.text.len()
                ),
                "Split it into several notes.",
            ));
        }
        let text = new.text.replace('\0', "");
        let text = text.trim_start_matches('\u{FEFF}');
        let mut keys = vec![(
            "created".to_owned(),
            ZonedDateTime::now().date().to_string(),
        )];
        keys.extend(properties(&new.properties)?);
        let mut edit = Edit {
            title: Some(title.to_owned()),
            tags: (!tags.is_empty()).then(|| TagChange::Change {
                add: tags.to_owned(),
                remove: Vec::new(),
            }),
            new: keys,
        };
        let titled = with_front(text, &edit)?;
        let has_heading = text.lines().any(|line| line.starts_with('#'));
        if !has_heading {
            // Where the file's name says it, it need not be said twice.
            edit.title = None;
        }
        Ok(Draft {
            title,
            named: with_front(text, &edit)?,
            titled,
        })
    }

    /// The whole file, when it is called so.
    fn named(&self, name: &str) -> &str {
        match name.strip_suffix(".md").unwrap_or(name) == self.title {
            true => &self.named,
            false => &self.titled,
        }
    }
}

/// A text with frontmatter; one that brings some of its own keeps it.
fn with_front(text: &str, edit: &Edit) -> Result<String, Error> {
    let refused = |why| {
        Error::usage(
            format!("the note was not written: {why}"),
            "Begin the text with frontmatter that is valid YAML, or with none.",
        )
    };
    let first = text.split(['\n', '\r']).next().unwrap_or_default();
    if first.trim_end() == "---" {
        return frontmatter::edit(text, edit).map(ended).map_err(refused);
    }
    let front = frontmatter::edit("", edit).map_err(refused)?;
    Ok(ended(format!("{front}\n{}", text.trim_start_matches('\n'))))
}

/// With a line end at its end.
fn ended(mut note: String) -> String {
    if !note.ends_with('\n') {
        note.push('\n');
    }
    note
}

fn properties(given: &[(String, String)]) -> Result<Vec<(String, String)>, Error> {
    let refused = |name: &str, why: &str| {
        Err(Error::usage(
            format!("the property {name:?} cannot be set: {why}"),
            "A property is a name and a text, such as rating and 5.",
        ))
    };
    if given.len() > PROPERTIES {
        return refused(&given[PROPERTIES].0, "there are too many");
    }
    let mut out: Vec<(String, String)> = Vec::new();
    for (name, value) in given {
        let name = name.trim();
        let plain = |c: char| c.is_alphanumeric() || "_-".contains(c);
        if name.is_empty() || name.len() > 100 || !name.chars().all(plain) {
            return refused(name, "its name is not a plain word");
        }
        if ["title", "tags", "tag", "created"]
            .iter()
            .any(|own| own.eq_ignore_ascii_case(name))
            || out.iter().any(|(known, _)| known == name)
        {
            return refused(name, "it is set otherwise");
        }
        // Numbers, dates and truth values are to be what they look like.
        let typed = value.parse::<f64>().is_ok_and(f64::is_finite)
            || matches!(value.as_str(), "true" | "false")
            || value.parse::<jiff::civil::Date>().is_ok() && value.len() == 10;
        let value = match typed {
            true => value.clone(),
            false => yaml::write(value, ScalarStyle::Plain, false),
        };
        out.push((yaml::write(name, ScalarStyle::Plain, false), value));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(title: &str, text: &str, tags: &[&str]) -> String {
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let new = NewNote {
            text: text.into(),
            properties: vec![
                ("rating".into(), "5".into()),
                ("by".into(), "Ada: \"me\"".into()),
            ],
            ..NewNote::default()
        };
        let draft = Draft::new(title, &tags, &new).unwrap();
        let note = draft.named(&format!("{}.md", name::stem(title)));
        let today = ZonedDateTime::now().date().to_string();
        note.replace(&today, "TODAY")
    }

    #[test]
    fn a_note_says_its_title_where_its_name_cannot() {
        let rest = "created: TODAY\nrating: 5\nby: \"Ada: \\\"me\\\"\"\n---\n\n";
        assert_eq!(
            written("Herons", "They stand.", &["birds", "a/b"]),
            format!("---\ntags: [birds, a/b]\n{rest}They stand.\n")
        );
        assert_eq!(
            written("Herons: why?", "\nThey stand.\n", &[]),
            format!("---\ntitle: \"Herons: why?\"\n{rest}They stand.\n")
        );
        assert_eq!(
            written("Herons", "# Other\n", &[]),
            format!("---\ntitle: Herons\n{rest}# Other\n")
        );
        assert_eq!(
            written(
                "Herons",
                "---\nsource: me # kept\ntags:\n  - x\n---\nText",
                &["z"]
            ),
            "---\nsource: me # kept\ntags:\n  - x\n  - z\ncreated: TODAY\nrating: 5\nby: \"Ada: \\\"me\\\"\"\n---\nText\n"
        );
        // What is no frontmatter stays text.
        assert_eq!(
            written("Herons", "---\nA line.\n---\nText\n", &[]),
            format!(
                "---\n{}---\nA line.\n---\nText\n",
                rest.trim_end().to_owned() + "\n"
            )
        );
    }

    #[test]
    fn frontmatter_that_cannot_be_added_to_does_not_become_text_below_another() {
        for text in [
            "---\na: [\n---\nText\n",
            "---\na:\t1\nb:\t[x]\n---\nText\n",
            "---\rtitle: A\r---\rText\r",
        ] {
            let new = NewNote {
                text: text.into(),
                ..NewNote::default()
            };
            assert!(Draft::new("Herons", &[], &new).is_err(), "{text:?}");
        }
    }

    #[test]
    fn properties_are_plain_words_that_are_not_set_otherwise() {
        let set = |name: &str| properties(&[(name.to_owned(), "x".to_owned())]);
        for wrong in [
            "",
            "a: b\nc",
            "tags",
            "Title",
            "a b",
            "x".repeat(200).as_str(),
        ] {
            assert!(set(wrong).is_err(), "{wrong:?}");
        }
        assert!(set("true").is_ok_and(|set| set[0].0 == "\"true\""));
    }
}
