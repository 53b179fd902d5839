//! Trying a component on one file, without adding either.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pkb_runtime::{Blob, Origin, Plugins, TokenCounter, World};
use serde::Serialize;

use crate::engine::Engine;
use crate::error::Error;
use crate::formats;
use crate::pipeline::DEFAULT_BUDGET;
use crate::place::Places;

/// What a component made of a file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Trial {
    /// The component's name.
    pub component: String,
    /// Its world.
    pub world: String,
    /// Documents, for an extractor; one, the text that was split, for a
    /// chunker.
    pub documents: Vec<TrialDocument>,
    /// Chunks, for a chunker.
    pub chunks: Vec<TrialChunk>,
}

/// A document.
#[derive(Clone, Debug, Serialize)]
pub struct TrialDocument {
    /// Its title.
    pub title: String,
    /// Bytes of text.
    pub bytes: usize,
    /// Tags.
    pub tags: Vec<String>,
    /// How many links it has.
    pub links: usize,
    /// How many properties it has.
    pub properties: usize,
    /// What could not be read as it should.
    pub warnings: Vec<String>,
    /// The text.
    pub text: String,
}

/// A chunk.
#[derive(Clone, Debug, Serialize)]
pub struct TrialChunk {
    /// Headings it stands under.
    pub headings: Vec<String>,
    /// Where it stands in the file.
    pub place: Places,
    /// Tokens, context included.
    pub tokens: u32,
    /// What is put before it when it is embedded.
    pub context: Option<String>,
    /// Its text.
    pub text: String,
}

impl Engine {
    /// Runs a component file on an input file and shows what it gives: an
    /// extractor its documents, a chunker the chunks of what the built-in
    /// extractor reads.
    ///
    /// # Errors
    /// When either file cannot be read, or the component is unusable or fails.
    pub fn try_component(
        &self,
        component: &Path,
        input: &Path,
        settings: &str,
    ) -> Result<Trial, Error> {
        let (info, bytes) = Plugins::inspect(self.sandbox()?, component)?;
        let origin = Origin::Plugin {
            name: info.name.clone(),
            bytes,
        };
        let data =
            fs::read(input).map_err(|error| Error::file("cannot read the input", input, error))?;
        let name = input
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut trial = Trial {
            component: info.name,
            world: info.world.name().into(),
            ..Trial::default()
        };
        let extractor = match info.world {
            World::Extractor => self.sandbox()?.extractor(&origin)?,
            World::Chunker => self
                .sandbox()?
                .extractor(&Origin::Builtin(formats::MARKDOWN.extractor.into()))?,
            other => {
                return Err(Error::usage(
                    format!(
                        "{} fits the world {other}, and only extractors and chunkers can be tried on a file",
                        trial.component
                    ),
                    "`pkb plugin add` checks whether it fits its world.",
                ));
            }
        };
        let own = if info.world == World::Extractor {
            settings
        } else {
            "{}"
        };
        let blob: Arc<dyn Blob> = Arc::new(data);
        let mut documents = extractor.open(&name, None, own, blob, None)?;
        while let Some(batch) = documents.next_batch()? {
            for document in batch.documents {
                let document =
                    document.map_err(|part| Error::usage(part.failure.message, String::new()))?;
                if info.world == World::Chunker {
                    let tokens = self.components().tokenizer(None)?;
                    let chunker = self.sandbox()?.chunker(&origin)?;
                    let counter: Arc<dyn TokenCounter> = tokens.clone();
                    let chunks = chunker.split(
                        &document.title,
                        &document.text,
                        DEFAULT_BUDGET,
                        settings,
                        counter,
                    )?;
                    let marks: Vec<_> = document
                        .marks
                        .iter()
                        .cloned()
                        .map(crate::convert::mark)
                        .collect();
                    for chunk in chunks {
                        let span = chunk.span.start as usize..chunk.span.end as usize;
                        let text = document.text[span.clone()].to_owned();
                        let whole =
                            crate::embedding::embedded_text(chunk.context.as_deref(), &text);
                        trial.chunks.push(TrialChunk {
                            headings: chunk.headings,
                            place: Places::of(&document.text, &marks, &span),
                            tokens: tokens.count(&[whole])?.iter().sum(),
                            context: chunk.context,
                            text,
                        });
                    }
                }
                trial.documents.push(TrialDocument {
                    title: document.title,
                    bytes: document.text.len(),
                    tags: document.tags,
                    links: document.links.len(),
                    properties: document.properties.len(),
                    warnings: document.warnings,
                    text: document.text,
                });
            }
        }
        Ok(trial)
    }
}
