//! What pkb sees in a file: extracted as a sync would, and shown.

use std::path::Path;
use std::sync::Arc;

use pkb_runtime::{Document, PictureReader};
use pkb_sources::FolderSource;
use pkb_store::{Mark, Property};
use serde::Serialize;

use crate::convert;
use crate::engine::Engine;
use crate::error::Error;
use crate::ocr::{self, OcrSettings};
use crate::pipeline::walk::{Choose, Chosen, Input, Own, Part, Walk};
use crate::pipeline::{Chooser, Lent};
use crate::sources::SourceSettings;

/// How a file is to be read, where not in the usual way.
#[derive(Clone, Debug, Default)]
pub struct ExtractRequest {
    /// The extractor; none for the one that fits.
    pub extractor: Option<String>,
    /// Its settings, or without an extractor those of each under its name: a
    /// JSON object.
    pub extractor_settings: Option<String>,
    /// How words in pictures are read.
    pub ocr: OcrSettings,
}

/// What was found in a file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Extraction {
    /// What the file itself says, then what is inside it.
    pub documents: Vec<ExtractedDocument>,
    /// What could not be read, or is read by nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<NotExtracted>,
}

/// A document.
#[derive(Clone, Debug, Serialize)]
pub struct ExtractedDocument {
    /// Which it would be in a source: the file's name, and for what is inside
    /// it the part after `//`.
    pub path: String,
    /// The kind of item that it would be.
    pub kind: String,
    /// The extractor that read it.
    pub extractor: String,
    /// Its title.
    pub title: String,
    /// Without `#`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Other names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What it says of itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<Property>,
    /// What could not be read as it should.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What it links to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<pkb_store::Link>,
    /// Where stretches of the text stand in the original.
    pub marks: Vec<Mark>,
    /// The text that would be searched, Markdown.
    pub text: String,
}

/// Something inside a file, or the file itself, that gave no document.
#[derive(Clone, Debug, Serialize)]
pub struct NotExtracted {
    /// As [`ExtractedDocument::path`].
    pub path: String,
    /// Why, as a short fixed word.
    pub reason: String,
    /// Why, for a person.
    pub message: String,
}

impl Engine {
    /// Reads a file as a sync would, without keeping anything of it.
    ///
    /// # Errors
    /// When the file cannot be opened, or the extractor does not exist. What is
    /// wrong with its content is in the answer.
    pub fn extract(&self, path: &Path, request: &ExtractRequest) -> Result<Extraction, Error> {
        request.ocr.check()?;
        let settings = SourceSettings {
            extractor: request.extractor.clone(),
            extractor_settings: request.extractor_settings.clone(),
            ocr: Some(request.ocr.clone()),
            ..SourceSettings::default()
        };
        settings.check_extractors()?;
        let folder = FolderSource::open(path, &settings.folder)?;
        let Some(id) = folder.only().map(str::to_owned) else {
            return Err(Error::usage(
                format!("{} is a folder", path.display()),
                "Name a file of it; `pkb add` takes folders.",
            ));
        };
        let blob = Arc::new(folder.open_file(&id)?);
        let size = blob.size();
        let outside = Outside::new(self, &settings, &request.ocr, size)?;
        let mut found = Extraction::default();
        let input = Input {
            name: id.clone(),
            id: id.clone(),
            media_type: None,
            blob: Arc::new(Lent(blob)),
        };
        let own = Walk::new(&outside, size).file(input, 0, &mut |part| {
            found.add(part);
            Ok(())
        })?;
        match own {
            Own::Document(document, chosen) => {
                found.documents.insert(0, shown(id, *document, &chosen));
            }
            Own::Skipped(reason, message, _) => found.fail(id, reason, message),
            Own::Failed(error, _) => found.fail(id, error.kind(), error.to_string()),
        }
        Ok(found)
    }
}

impl Extraction {
    fn add(&mut self, part: Part) {
        match part {
            Part::Document(extracted) => {
                let extracted = *extracted;
                let document = shown(extracted.id, extracted.document, &extracted.chosen);
                self.documents.push(document);
            }
            Part::Failed {
                id,
                reason,
                message,
                ..
            } => self.fail(id, reason, message),
            Part::Skipped {
                id,
                reason,
                message,
                ..
            } => self.fail(id, reason, message),
            // Nothing is known here.
            Part::Same(_) | Part::AllSame(_) => {}
        }
    }

    fn fail(&mut self, path: String, reason: &str, message: String) {
        self.failed.push(NotExtracted {
            path,
            reason: reason.to_owned(),
            message,
        });
    }
}

fn shown(path: String, document: Document, chosen: &Chosen) -> ExtractedDocument {
    let kind = match document.kind {
        kind if kind.is_empty() => chosen.kind.to_owned(),
        kind => kind,
    };
    ExtractedDocument {
        path,
        kind,
        extractor: chosen.extractor.info().name.clone(),
        title: document.title,
        tags: document.tags,
        aliases: document.aliases,
        properties: convert::properties(document.properties),
        warnings: document.warnings,
        links: document.links.into_iter().map(convert::link).collect(),
        marks: document.marks.into_iter().map(convert::mark).collect(),
        text: document.text,
    }
}

/// Chooses for a file of no source.
pub(crate) struct Outside {
    chooser: Chooser,
    pictures: Arc<dyn PictureReader>,
}

impl Outside {
    /// For a file of `size` bytes.
    pub(crate) fn new(
        engine: &Engine,
        settings: &SourceSettings,
        ocr: &OcrSettings,
        size: u64,
    ) -> Result<Self, Error> {
        Ok(Outside {
            chooser: Chooser::new(engine, settings)?,
            pictures: ocr::reader(ocr, size),
        })
    }
}

impl Choose for Outside {
    fn choose(
        &self,
        head: &[u8],
        name: &str,
        media_type: Option<&str>,
    ) -> Result<Option<Chosen>, Error> {
        self.chooser.choose(head, name, media_type)
    }

    fn scratch(&self) -> &Path {
        self.chooser.scratch()
    }

    fn pictures(&self) -> Option<Arc<dyn PictureReader>> {
        Some(self.pictures.clone())
    }

    fn is_known(&self, _id: &str, _hash: &[u8; 32]) -> bool {
        false
    }
}
