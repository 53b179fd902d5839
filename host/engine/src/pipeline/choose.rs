//! Which extractor a source's files are given to, with which settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pkb_runtime::{ComponentInfo, Extractor, PictureReader};

use super::key;
use super::walk::Chosen;
use crate::components::Components;
use crate::engine::Engine;
use crate::error::Error;
use crate::formats;
use crate::ocr;
use crate::sources::SourceSettings;

/// The extractors that ask for the words in pictures.
const READ_PICTURES: [&str; 1] = ["extract-pdf"];

/// Chooses extractors for a source.
pub(crate) struct Chooser {
    components: Arc<Components>,
    /// The home's folder.
    scratch: PathBuf,
    settings: SourceSettings,
    /// The one that the user chose, for all files.
    only: Option<Arc<Extractor>>,
    pictures: Option<Arc<dyn PictureReader>>,
}

impl Chooser {
    pub(crate) fn new(engine: &Engine, settings: &SourceSettings) -> Result<Self, Error> {
        let components = engine.shared_components();
        let only = match &settings.extractor {
            Some(name) => Some(components.extractor(name)?),
            None => None,
        };
        Ok(Chooser {
            components,
            scratch: engine.home().folder.clone(),
            settings: settings.clone(),
            only,
            pictures: None,
        })
    }

    /// Has the words in pictures read, in a source with so many bytes of files
    /// that may hold some.
    pub(crate) fn read_pictures(&mut self, bytes: u64) {
        let settings = self.settings.ocr.clone().unwrap_or_default();
        self.pictures = Some(ocr::reader(&settings, bytes));
    }

    /// Where large files inside others are put together.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }

    pub(crate) fn pictures(&self) -> Option<Arc<dyn PictureReader>> {
        self.pictures.clone()
    }

    /// What each extractor reads with, known without loading it: differs
    /// whenever the same bytes could give another text.
    pub(crate) fn keys(&self) -> Result<Vec<String>, Error> {
        match &self.only {
            Some(extractor) => {
                let ComponentInfo { sha256, name, .. } = extractor.info();
                Ok(vec![self.key(sha256, name, &self.own())])
            }
            None => formats::extractors()
                .into_iter()
                .map(|name| self.key_of(name))
                .collect(),
        }
    }

    /// The extractor for a file; none where nothing reads it.
    pub(crate) fn choose(
        &self,
        head: &[u8],
        name: &str,
        media_type: Option<&str>,
    ) -> Result<Option<Chosen>, Error> {
        let format = formats::detect(head, name, media_type);
        if let Some(extractor) = &self.only {
            return Ok(Some(Chosen {
                extractor: extractor.clone(),
                settings: self.own(),
                key: {
                    let ComponentInfo { sha256, name, .. } = extractor.info();
                    self.key(sha256, name, &self.own())
                },
                kind: format.map_or("note", |format| format.kind),
            }));
        }
        let Some(format) = format else {
            return Ok(None);
        };
        Ok(Some(Chosen {
            extractor: self.components.extractor(format.extractor)?,
            settings: self.settings.settings_of(format.extractor),
            key: self.key_of(format.extractor)?,
            kind: format.kind,
        }))
    }

    /// The settings of the one extractor.
    fn own(&self) -> String {
        let own = self.settings.extractor_settings.clone();
        own.unwrap_or_else(|| "{}".into())
    }

    fn key_of(&self, extractor: &str) -> Result<String, Error> {
        let sha256 = self.components.sha256(extractor)?;
        let settings = self.settings.settings_of(extractor);
        Ok(self.key(&sha256, extractor, &settings))
    }

    fn key(&self, sha256: &str, extractor: &str, settings: &str) -> String {
        // A plugin may ask for them too.
        let asks = READ_PICTURES.contains(&extractor) || !extractor_is_ours(extractor);
        match &self.settings.ocr {
            Some(ocr) if asks => key(&[formats::VERSION, sha256, settings, &ocr.to_key()]),
            _ => key(&[formats::VERSION, sha256, settings]),
        }
    }
}

fn extractor_is_ours(name: &str) -> bool {
    pkb_runtime::builtin_sha256(name).is_some()
}
