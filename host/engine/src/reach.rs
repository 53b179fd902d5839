//! Marks on sources, and what a caller may see because of them.
//!
//! A hidden source is left out of lists, listings and searches unless it is
//! named; a private one is as if it were not there unless the user named it on
//! the command line. The first is for order, the second for secrets.
//!
//! There is one place where this is enforced: [`Engine::store`] hands out the
//! store as the caller may see it ([`Seen`]). What has to know everything, such
//! as a sync, says so with [`Engine::everything`].
//!
//! [`Seen`]: crate::seen::Seen

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use pkb_store::{Filter, Source, SourceId, Test};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::Error;
use crate::sources::SourceSettings;

/// Who sees a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everyone.
    #[default]
    Visible,
    /// Whoever names it.
    Hidden,
    /// Nobody, unless the user names it on the command line.
    Private,
}

impl Visibility {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Visibility::Visible => "visible",
            Visibility::Hidden => "hidden",
            Visibility::Private => "private",
        }
    }
}

/// What a person set a source apart by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// Who sees it.
    pub visibility: Visibility,
    /// Whether pkb writes nothing into it.
    pub read_only: bool,
}

impl Marks {
    /// The marks of a source.
    pub fn of(source: &Source) -> Marks {
        let settings = SourceSettings::of(&source.spec);
        Marks {
            visibility: settings.visibility,
            read_only: settings.read_only,
        }
    }

    /// In words, such as `private, read-only`; empty for a source without marks.
    pub fn to_words(self) -> String {
        let visibility = match self.visibility {
            Visibility::Visible => None,
            other => Some(other.name()),
        };
        let words = visibility
            .into_iter()
            .chain(self.read_only.then_some("read-only"));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// What a caller may see beyond what everyone does. The default is what a
/// client over MCP gets: nothing private, and what is hidden where a request
/// names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Sources that the user named on the command line.
    named: Vec<String>,
    /// Files that the user named there.
    files: Vec<PathBuf>,
    /// Whether hidden sources are shown as others are.
    hidden: bool,
}

impl Reach {
    /// With this source, as the user named it on the command line.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>) -> Reach {
        self.named.push(name.into());
        self
    }

    /// With the source of what the user named so on the command line: by
    /// `source/path`, or by the path of a file.
    #[must_use]
    pub fn item(mut self, wanted: &str) -> Reach {
        if let Some((source, _)) = wanted.split_once('/') {
            self.named.push(source.to_owned());
        }
        if Path::new(wanted).is_absolute() {
            self.files.push(wanted.into());
        }
        self
    }

    /// With hidden sources as if they were not.
    #[must_use]
    pub fn with_hidden(mut self) -> Reach {
        self.hidden = true;
        self
    }

    fn names(&self, source: &Source) -> bool {
        let location = Path::new(&source.spec.location);
        self.named.contains(&source.spec.name)
            || self.files.iter().any(|file| file.starts_with(location))
    }
}

/// The sources that a caller does not see.
#[derive(Debug, Default)]
pub(crate) struct Unseen {
    private: Vec<SourceId>,
    /// With their names, by which a request may ask for them.
    hidden: Vec<(SourceId, String)>,
}

impl Unseen {
    fn of(sources: &[Source], reach: &Reach) -> Unseen {
        let mut unseen = Unseen::default();
        for source in sources {
            match Marks::of(source).visibility {
                Visibility::Visible => {}
                _ if reach.names(source) => {}
                Visibility::Hidden if reach.hidden => {}
                Visibility::Hidden => {
                    let name = source.spec.name.clone();
                    unseen.hidden.push((source.id, name));
                }
                Visibility::Private => unseen.private.push(source.id),
            }
        }
        unseen
    }

    /// Whether nothing at all of the source may be seen.
    pub(crate) fn is_private(&self, source: SourceId) -> bool {
        self.private.contains(&source)
    }

    /// The private ones.
    pub(crate) fn private(&self) -> &[SourceId] {
        &self.private
    }

    /// Whether the source is in no list.
    pub(crate) fn is_unlisted(&self, source: SourceId) -> bool {
        self.is_private(source) || self.hidden.iter().any(|(id, _)| *id == source)
    }

    /// All that are in no list; `own` counts as named.
    pub(crate) fn unlisted(&self, own: Option<SourceId>) -> Vec<SourceId> {
        let hidden = self.hidden.iter().map(|(id, _)| *id);
        let private = self.private.iter().copied();
        private
            .chain(hidden.filter(|id| Some(*id) != own))
            .collect()
    }

    /// Those that a filter leaves out: the private ones, and the hidden ones
    /// that it does not name.
    pub(crate) fn left_out(&self, filter: &Filter, own: Option<SourceId>) -> Vec<SourceId> {
        let names = |name: &String| {
            filter.conditions.iter().any(|condition| {
                !condition.not
                    && matches!(&condition.test, Test::Source(names) if names.contains(name))
            })
        };
        let hidden = self.hidden.iter().filter(|(_, name)| !names(name));
        let hidden = hidden.map(|(id, _)| *id).filter(|id| Some(*id) != own);
        self.private.iter().copied().chain(hidden).collect()
    }
}

/// What was worked out for one state of the database.
pub(crate) type KnownUnseen = Option<(i64, Arc<Unseen>)>;

impl Engine {
    /// The same home for a caller of that reach.
    #[must_use]
    pub fn with_reach(mut self, reach: Reach) -> Engine {
        self.reach = reach;
        *self
            .unseen
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner) = None;
        self
    }

    /// The sources that the caller does not see, in the present state.
    pub(crate) fn unseen(&self) -> Result<Arc<Unseen>, Error> {
        // Asked anew each time: another process may have marked a source.
        let generation = self.everything().generation()?;
        let mut known = self.unseen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, unseen)) = &*known
            && *of == generation
        {
            return Ok(unseen.clone());
        }
        let sources = self.everything().sources()?;
        let unseen = Arc::new(Unseen::of(&sources, &self.reach));
        // A change between the two reads is of a later generation, and is read
        // again then.
        *known = Some((generation, unseen.clone()));
        Ok(unseen)
    }

    /// Every source, marked or not, by name: for the user themselves, who marks
    /// them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn marked_sources(&self) -> Result<Vec<(Source, Marks)>, Error> {
        let sources = self.everything().sources()?;
        let marked = |source| {
            let marks = Marks::of(&source);
            (source, marks)
        };
        Ok(sources.into_iter().map(marked).collect())
    }
}

#[cfg(test)]
mod tests {
    use pkb_store::SourceSpec;

    use super::*;

    fn source(id: i64, name: &str, settings: &str) -> Source {
        Source {
            id: SourceId(id),
            spec: SourceSpec {
                name: name.into(),
                kind: "folder".into(),
                location: format!("/files/{name}"),
                settings: settings.into(),
                chunker: None,
                chunker_settings: None,
            },
            created: 0,
            looked: None,
        }
    }

    fn sources() -> [Source; 4] {
        [
            source(1, "notes", "{}"),
            source(2, "old", r#"{"visibility": "hidden"}"#),
            source(
                3,
                "diary",
                r#"{"visibility": "private", "read_only": true}"#,
            ),
            source(4, "odd", "not even JSON"),
        ]
    }

    #[test]
    fn only_the_command_line_reaches_what_is_private() {
        let left_out = |reach: &Reach, filter: &Filter| {
            let unseen = Unseen::of(&sources(), reach);
            let ids = unseen.left_out(filter, None);
            ids.iter().map(|id| id.0).collect::<Vec<_>>()
        };
        let (nobody, all) = (Reach::default(), Filter::default());
        assert_eq!(left_out(&nobody, &all), [3, 2]);
        let named = Filter::from(Test::Source(vec!["old".into(), "diary".into()]));
        assert_eq!(left_out(&nobody, &named), [3]);
        let not_named = Filter {
            conditions: vec![pkb_store::Condition {
                not: true,
                test: Test::Source(vec!["old".into()]),
            }],
            ..Filter::default()
        };
        assert_eq!(left_out(&nobody, &not_named), [3, 2]);
        assert_eq!(left_out(&Reach::default().source("diary"), &all), [2]);
        assert_eq!(left_out(&Reach::default().item("diary/a.md"), &all), [2]);
        assert_eq!(left_out(&Reach::default().item("diary"), &all), [3, 2]);
        let file = Reach::default().item("/files/diary/a.md");
        assert_eq!(left_out(&file, &all), [2]);
        let beside = Reach::default().item("/files/diary2/a.md");
        assert_eq!(left_out(&beside, &all), [3, 2]);
        assert_eq!(left_out(&nobody.with_hidden(), &all), [3]);
    }

    #[test]
    fn marks_are_said_in_words() {
        let words = sources().map(|source| Marks::of(&source).to_words());
        assert_eq!(words, ["", "hidden", "private, read-only", ""]);
    }
}
