//! Sources: added, changed, found, forgotten.

use std::fs;
use std::path::Path;

use pkb_runtime::CallError;
use pkb_sources::{FolderSettings, FolderSource};
use pkb_store::{Filter, Millis, Source, SourceSpec, Test};
use serde::{Deserialize, Serialize};

use crate::components::MARKDOWN_CHUNKER;
use crate::engine::Engine;
use crate::error::Error;
use crate::formats;
use crate::ocr::OcrSettings;
use crate::pipeline::DEFAULT_BUDGET;
use crate::reach::Visibility;

/// The kind of source that a folder is.
pub(crate) const FOLDER: &str = "folder";
/// The longest name of a source, in bytes.
const LONGEST_NAME: usize = 100;

/// A folder that is to become a source.
#[derive(Clone, Debug, Default)]
pub struct NewFolder {
    /// What to call the source; none takes the folder's name.
    pub name: Option<String>,
    /// The chunker, where the usual ones are not wanted.
    pub chunker: Option<String>,
    /// The chunker's settings, a JSON object.
    pub chunker_settings: Option<String>,
    /// The extractor, where the usual one is not wanted: it is then given every
    /// file.
    pub extractor: Option<String>,
    /// The extractor's settings, a JSON object; without one extractor for all,
    /// an object with the settings of each under its name.
    pub extractor_settings: Option<String>,
    /// How the words in pictures are read.
    pub ocr: Option<OcrSettings>,
    /// Patterns of files and folders to pass over.
    pub ignore: Vec<String>,
    /// Patterns of the only files to take; none takes all.
    pub include: Vec<String>,
    /// Who sees it; none leaves that as it is.
    pub visibility: Option<Visibility>,
    /// Whether pkb is to write nothing into it; none leaves that as it is.
    pub read_only: Option<bool>,
}

/// What is to be changed about a source; none leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct SourceChange {
    /// What to call it.
    pub name: Option<String>,
    /// Who sees it.
    pub visibility: Option<Visibility>,
    /// Whether pkb writes nothing into it.
    pub read_only: Option<bool>,
}

/// What came of adding a folder.
#[derive(Clone, Debug, Serialize)]
pub struct AddedFolder {
    /// The source, as it is now.
    #[serde(flatten)]
    pub source: Source,
    /// What the source was called before, where the folder was one already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// A folder source's own settings, as the store keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SourceSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extractor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extractor_settings: Option<String>,
    /// How the words in pictures are read; none where nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ocr: Option<OcrSettings>,
    /// Who sees it.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) visibility: Visibility,
    /// Whether pkb writes nothing into it.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) read_only: bool,
    pub(crate) folder: FolderSettings,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl SourceSettings {
    /// As the store keeps them.
    pub(crate) fn of(spec: &SourceSpec) -> SourceSettings {
        serde_json::from_str(&spec.settings).unwrap_or_default()
    }

    /// The settings of the extractor called `name`, where files go to several: a
    /// JSON object.
    pub(crate) fn settings_of(&self, name: &str) -> String {
        let all = self.extractor_settings.as_deref().unwrap_or("{}");
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(all)
            .ok()
            .and_then(|mut all| all.remove(name))
            .map_or_else(|| "{}".into(), |own| own.to_string())
    }

    /// Whether what is given for extractors can be settings.
    ///
    /// # Errors
    /// Wrong usage, where not.
    pub(crate) fn check_extractors(&self) -> Result<(), Error> {
        if let Some(given) = &self.extractor_settings {
            let given = json_object(given)?;
            if self.extractor.is_none() {
                check_names(&given)?;
            }
        }
        Ok(())
    }
}

impl Engine {
    /// Makes a folder a source. Adding the same folder again changes what was
    /// given anew, the name included.
    ///
    /// # Errors
    /// When `path` is no folder that can be read, the name is taken by another
    /// source or cannot be one, the chunker or extractor does not exist, or the
    /// chunker does not take its settings.
    pub fn add_folder(&self, path: &Path, new: &NewFolder) -> Result<AddedFolder, Error> {
        let asked = FolderSettings {
            ignore: new.ignore.clone(),
            include: new.include.clone(),
            ..FolderSettings::default()
        };
        let root = FolderSource::open(path, &asked)?.location();
        let Some(location) = root.to_str().map(str::to_owned) else {
            return Err(Error::usage(
                format!("the path {} is not valid Unicode", root.display()),
                "Rename the folder, or reach it through a link with a plain name.",
            ));
        };
        let sources = self.everything().sources()?;
        let there = sources
            .iter()
            .find(|source| source.spec.kind == FOLDER && source.spec.location == location);
        let mut spec = match there {
            Some(there) => there.spec.clone(),
            None => SourceSpec {
                name: free_name(&root, &sources),
                kind: FOLDER.into(),
                location,
                settings: "{}".into(),
                chunker: None,
                chunker_settings: None,
            },
        };
        if let Some(name) = &new.name {
            check_name(name)?;
            spec.name.clone_from(name);
        }
        let chunker_before = spec.chunker.clone();
        spec.chunker = new.chunker.clone().or(spec.chunker);
        // Settings are one component's own: another one begins without.
        if new.chunker.is_some() && new.chunker != chunker_before {
            spec.chunker_settings = None;
        }
        spec.chunker_settings = new.chunker_settings.clone().or(spec.chunker_settings);
        let mut settings = SourceSettings::of(&spec);
        if new.extractor.is_some() && new.extractor != settings.extractor {
            settings.extractor_settings = None;
        }
        settings.extractor = new.extractor.clone().or(settings.extractor);
        settings.extractor_settings = new
            .extractor_settings
            .clone()
            .or(settings.extractor_settings);
        if let Some(ocr) = &new.ocr {
            ocr.check()?;
            let before = settings.ocr.take().unwrap_or_default();
            settings.ocr = Some(ocr.over(before));
        }
        if !asked.ignore.is_empty() {
            settings.folder.ignore = asked.ignore;
        }
        if !asked.include.is_empty() {
            settings.folder.include = asked.include;
        }
        settings.visibility = new.visibility.unwrap_or(settings.visibility);
        settings.read_only = new.read_only.unwrap_or(settings.read_only);
        spec.settings = serde_json::to_string(&settings).unwrap_or_else(|_| "{}".into());
        self.try_components(&spec, &settings)?;
        let source = match there {
            Some(there) => self.everything().update_source(&there.spec.name, &spec)?,
            None => self.everything().add_source(&spec)?,
        };
        Ok(AddedFolder {
            source,
            was: there.map(|there| there.spec.name.clone()),
        })
    }

    /// Changes what a source is called and who sees it. Nothing is read anew.
    ///
    /// # Errors
    /// [`Error::NotFound`]; when the name is another's or cannot be one, or the
    /// database cannot be written.
    pub fn change_source(&self, name: &str, change: &SourceChange) -> Result<Source, Error> {
        let mut spec = self.source(name)?.spec;
        if let Some(name) = &change.name {
            check_name(name)?;
            spec.name.clone_from(name);
        }
        let mut settings = SourceSettings::of(&spec);
        settings.visibility = change.visibility.unwrap_or(settings.visibility);
        settings.read_only = change.read_only.unwrap_or(settings.read_only);
        spec.settings = serde_json::to_string(&settings).unwrap_or_else(|_| "{}".into());
        Ok(self.everything().update_source(name, &spec)?)
    }

    /// Whether the source's components exist and take their settings: better
    /// said now than once for each file.
    fn try_components(&self, spec: &SourceSpec, settings: &SourceSettings) -> Result<(), Error> {
        if let Some(extractor) = &settings.extractor {
            self.components().extractor(extractor)?;
        }
        settings.check_extractors()?;
        let Some(given) = &spec.chunker_settings else {
            if let Some(chunker) = &spec.chunker {
                self.components().chunker(chunker)?;
            }
            return Ok(());
        };
        let given = json_object(given)?;
        let chunker = self
            .components()
            .chunker(spec.chunker.as_deref().unwrap_or(MARKDOWN_CHUNKER))?;
        let tokens = self.components().tokenizer(None)?;
        match chunker.split(
            "A try",
            "# A try\n\nSome text.\n",
            DEFAULT_BUDGET,
            &given,
            tokens,
        ) {
            // What else may happen happens to files, and is their ledger's.
            Err(CallError::Failed { message, .. }) => Err(Error::usage(
                format!(
                    "the chunker {} does not take the settings {given}: {message}",
                    chunker.info().name
                ),
                "`pkb plugin list` names the chunkers; `pkb plugin info NAME` shows what one takes.",
            )),
            _ => Ok(()),
        }
    }

    /// All sources that are shown where nobody names any, by name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn sources(&self) -> Result<Vec<Source>, Error> {
        self.store().listed()
    }

    /// When a source was last gone through to the end, in milliseconds since
    /// 1970; none where it never was.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown source; when the database cannot be
    /// read.
    pub fn last_sync(&self, name: &str) -> Result<Option<Millis>, Error> {
        let source = self.source(name)?;
        let run = self.store().last_sync(source.id)?;
        Ok(run.and_then(|run| run.finished))
    }

    /// A number that grows with every change of the index, in any process.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn generation(&self) -> Result<i64, Error> {
        self.store().generation()
    }

    /// Makes sure that every source a filter names is there.
    pub(crate) fn know_sources(&self, filter: &Filter) -> Result<(), Error> {
        for condition in &filter.conditions {
            if let Test::Source(names) = &condition.test {
                for name in names {
                    self.source(name)?;
                }
            }
        }
        Ok(())
    }

    /// The source of that name.
    ///
    /// # Errors
    /// [`Error::NotFound`] with the names there are.
    pub fn source(&self, name: &str) -> Result<Source, Error> {
        if let Some(source) = self.store().source(name)? {
            return Ok(source);
        }
        let names: Vec<String> = self
            .store()
            .listed()?
            .into_iter()
            .map(|source| source.spec.name)
            .collect();
        let hint = match names.as_slice() {
            [] => "There are no sources yet: `pkb add PATH` adds one.".into(),
            names => format!("There are: {}.", names.join(", ")),
        };
        Err(Error::NotFound {
            what: format!("there is no source called {name:?}"),
            near: Vec::new(),
            hint,
        })
    }
}

/// Without one extractor for all, settings are given for each by its name.
fn check_names(settings: &str) -> Result<(), Error> {
    let settings: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(settings).unwrap_or_default();
    let known = formats::extractors();
    for (name, own) in settings {
        if !known.contains(name.as_str()) || !own.is_object() {
            let known: Vec<&str> = known.into_iter().collect();
            return Err(Error::usage(
                format!("{name:?} is no extractor that settings are given for"),
                format!(
                    "Write the settings of each extractor under its name, like {{\"extract-markdown\": {{\"max_bytes\": 1000000}}}}; there are {}. Or name one with --extractor.",
                    known.join(", ")
                ),
            ));
        }
    }
    Ok(())
}

/// A source's name stands before a `/` in paths, and on single lines.
fn check_name(name: &str) -> Result<(), Error> {
    let wrong = if name.trim().is_empty() {
        "is empty"
    } else if name.len() > LONGEST_NAME {
        "is too long"
    } else if name.contains(['/', '\\']) {
        "holds a slash"
    } else if name.chars().any(char::is_control) {
        "holds a control character"
    } else {
        return Ok(());
    };
    Err(Error::usage(
        format!("{name:?} cannot be the name of a source: it {wrong}"),
        "Name it with --name in a word or two.",
    ))
}

/// The folder's name, made unique among the sources.
fn free_name(root: &Path, sources: &[Source]) -> String {
    let name = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let base = name
        .filter(|name| check_name(name).is_ok())
        .unwrap_or_else(|| FOLDER.to_owned());
    let taken = |name: &str| sources.iter().any(|source| source.spec.name == name);
    if !taken(&base) {
        return base;
    }
    (2..)
        .map(|n| format!("{base}-{n}"))
        .find(|name| !taken(name))
        .unwrap_or(base)
}

/// Reads a JSON object from `text`, or from the file that it names after an
/// `@`.
///
/// # Errors
/// When it is no JSON object.
pub fn json_object(text: &str) -> Result<String, Error> {
    let text = match text.strip_prefix('@') {
        Some(file) => fs::read_to_string(file)
            .map_err(|error| Error::file("cannot read the settings", Path::new(file), error))?,
        None => text.to_owned(),
    };
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(serde_json::Value::Object(_)) => Ok(text.trim().to_owned()),
        Ok(_) => Err(Error::usage(
            "what was given as settings is not a JSON object".to_owned(),
            "Settings look like {\"tokens\": 200}.",
        )),
        Err(error) => Err(Error::usage(
            format!("what was given as settings is not a JSON object: {error}"),
            "Settings look like {\"tokens\": 200}.",
        )),
    }
}
