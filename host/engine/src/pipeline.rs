//! What is done to each file of one source: extract, chunk, analyze.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use pkb_runtime::{Analyzer, Blob, CallError, Chunker, Document, Extractor, Failure, TokenCounter};
use pkb_sources::{FileBlob, FolderSettings, FolderSource, item_url};
use pkb_store::{
    Analyzable, ChunkHash, ChunkWrite, ItemWrite, Provenance, Source, SourceSpec, Terms,
};

use crate::components::{DEFAULT_TOKENIZER, EXTRACTOR, MARKDOWN_CHUNKER, TEXT_CHUNKER};
use crate::convert;
use crate::embedding::embedded_text;
use crate::engine::Engine;
use crate::error::Error;
use crate::sources::SourceSettings;
use crate::terms::terms;

/// Files that the built-in extractor takes.
const MARKDOWN: [&str; 5] = ["md", "markdown", "mdown", "mkd", "mdx"];
const TEXT: [&str; 3] = ["txt", "text", "log"];

/// The length limit that counts where there is no model: the default model's.
const DEFAULT_LIMIT: usize = 256;
/// Special tokens that the default model's tokenizer puts around a text.
const DEFAULT_SPECIAL: usize = 2;
/// Tokens that a chunk may have where the default model embeds.
pub(crate) const DEFAULT_BUDGET: u32 = (DEFAULT_LIMIT - DEFAULT_SPECIAL) as u32;
/// The fewest tokens a chunk may be given.
const LEAST_BUDGET: usize = 16;
/// How much of a file is hashed at a time, in bytes.
const HASHED_AT_ONCE: usize = 1 << 20;

pub(crate) struct Pipeline {
    /// Differs whenever the same bytes could give other chunks.
    pub(crate) key: String,
    pub(crate) folder_settings: FolderSettings,
    extractor: Arc<Extractor>,
    extractor_settings: String,
    markdown: Arc<Chunker>,
    text: Arc<Chunker>,
    markdown_settings: String,
    text_settings: String,
    tokens: Arc<dyn TokenCounter>,
    analyzer: Arc<Analyzer>,
    budget: u32,
}

/// What is taken of a source's folder.
pub(crate) fn folder_settings(spec: &SourceSpec) -> FolderSettings {
    let settings: SourceSettings = serde_json::from_str(&spec.settings).unwrap_or_default();
    let mut folder = settings.folder;
    folder.extensions = MARKDOWN
        .iter()
        .chain(&TEXT)
        .map(|&extension| extension.to_owned())
        .collect();
    if settings.extractor.is_some() {
        folder.extensions.clear();
    }
    folder
}

/// What became of one file.
pub(crate) enum Read {
    Document(Box<Prepared>),
    Failed {
        reason: String,
        message: String,
        provenance: Provenance,
    },
    /// Gone since it was seen; the next sync finds out how.
    Vanished,
}

/// A document with its chunks.
pub(crate) struct Prepared {
    pub(crate) content_hash: [u8; 32],
    pub(crate) stamp: String,
    id: String,
    document: Document,
    chunks: Vec<ChunkWrite>,
    provenance: Provenance,
    markdown: bool,
}

impl Pipeline {
    pub(crate) fn of(engine: &Engine, source: &Source) -> Result<Pipeline, Error> {
        let components = engine.components();
        let settings: SourceSettings =
            serde_json::from_str(&source.spec.settings).unwrap_or_default();
        let extractor = components.extractor(settings.extractor.as_deref().unwrap_or(EXTRACTOR))?;
        let extractor_settings = settings.extractor_settings.unwrap_or_else(|| "{}".into());
        let chosen = source.spec.chunker.as_deref();
        let markdown = components.chunker(chosen.unwrap_or(MARKDOWN_CHUNKER))?;
        let text = components.chunker(chosen.unwrap_or(TEXT_CHUNKER))?;
        // Settings fit one chunker's schema; without a chosen one they are the
        // Markdown chunker's.
        let given = source.spec.chunker_settings.clone();
        let markdown_settings = given.unwrap_or_else(|| "{}".into());
        let text_settings = match chosen {
            Some(_) => markdown_settings.clone(),
            None => "{}".into(),
        };

        let active = engine.chosen_model()?;
        let (tokens, limit, prefix, definition) = match &active {
            Some(active) => {
                let info = active.model.info();
                let definition = blake3::hash(&active.model.tokenizer_json()?);
                (
                    active.tokenizer.clone(),
                    info.limit,
                    info.passage_prefix.clone(),
                    definition,
                )
            }
            None => (
                components.tokenizer(None)?,
                DEFAULT_LIMIT,
                String::new(),
                blake3::hash(DEFAULT_TOKENIZER),
            ),
        };
        // What stands around a chunk's text when it is embedded. The default
        // model's is known without starting its tokenizer.
        let spent = if prefix.is_empty() && definition == blake3::hash(DEFAULT_TOKENIZER) {
            DEFAULT_SPECIAL
        } else {
            tokens.special_count()? as usize + tokens.count(&[prefix])?.iter().sum::<u32>() as usize
        };
        let budget = limit.saturating_sub(spent).max(LEAST_BUDGET);

        let folder_settings = folder_settings(&source.spec);
        let parts = [
            extractor.info().sha256.as_str(),
            extractor_settings.as_str(),
            markdown.info().sha256.as_str(),
            text.info().sha256.as_str(),
            markdown_settings.as_str(),
            definition.to_hex().as_str(),
            budget.to_string().as_str(),
        ]
        .join("\0");
        let key = blake3::hash(parts.as_bytes()).to_hex()[..16].to_owned();
        Ok(Pipeline {
            key,
            folder_settings,
            extractor,
            extractor_settings,
            markdown,
            text,
            markdown_settings,
            text_settings,
            tokens,
            analyzer: components.analyzer()?,
            budget: u32::try_from(budget).unwrap_or(u32::MAX),
        })
    }

    /// Reads one file. Only what would stop the whole sync is an error.
    pub(crate) fn read(&self, folder: &FolderSource, id: &str) -> Result<Read, Error> {
        let blob = match folder.open_file(id) {
            Ok(blob) => Arc::new(blob),
            Err(pkb_sources::Error::Vanished { .. }) => return Ok(Read::Vanished),
            Err(error) => return Ok(self.failed("unreadable", error.to_string(), None)),
        };
        let stamp = blob.stamp().to_owned();
        let content_hash = match hash(&blob) {
            Ok(hash) => hash,
            Err(error) => return Ok(self.failed("unreadable", error.to_string(), None)),
        };
        let name = id.rsplit('/').next().unwrap_or(id);
        let document = match self.extract(name, blob.clone()) {
            Ok(document) => document,
            Err(error) => {
                return Ok(self.failed(
                    error.kind(),
                    error.to_string(),
                    Some(&self.extractor.info().name),
                ));
            }
        };
        // Bytes that changed while they were read belong to no version of the
        // file: the next sync reads it again.
        if let Err(error) = blob.still(&stamp) {
            return Ok(match error {
                pkb_sources::Error::Vanished { .. } => Read::Vanished,
                error => self.failed("changed", error.to_string(), None),
            });
        }
        let markdown = extension(name).is_none_or(|extension| !TEXT.contains(&extension.as_str()));
        let (chunker, settings) = if markdown {
            (&self.markdown, &self.markdown_settings)
        } else {
            (&self.text, &self.text_settings)
        };
        let mut chunks = match self.chunk(chunker, settings, &document) {
            Ok(chunks) => chunks,
            Err(error) => {
                return Ok(self.failed(
                    error.kind(),
                    error.to_string(),
                    Some(&chunker.info().name),
                ));
            }
        };
        if let Err(error) = self.analyze(&document, &mut chunks) {
            return Ok(self.failed(
                error.kind(),
                error.to_string(),
                Some(&self.analyzer.info().name),
            ));
        }
        let provenance = Provenance {
            stamp: stamp.clone(),
            pipeline: self.key.clone(),
            component: Some(self.extractor.info().name.clone()),
            warnings: document.warnings.clone(),
        };
        Ok(Read::Document(Box::new(Prepared {
            content_hash,
            stamp,
            id: id.to_owned(),
            document,
            chunks,
            provenance,
            markdown,
        })))
    }

    /// The one document that a file of a folder holds.
    fn extract(&self, name: &str, blob: Arc<FileBlob>) -> Result<Document, CallError> {
        let mut documents =
            self.extractor
                .open(name, None, &self.extractor_settings, Arc::new(Lent(blob)))?;
        let mut first: Option<Document> = None;
        let mut bad: Option<Failure> = None;
        let mut more = 0;
        while let Some(batch) = documents.next_batch()? {
            for document in batch {
                match (document, &first) {
                    (Ok(document), None) => first = Some(document),
                    (Ok(_), Some(_)) => more += 1,
                    (Err(part), _) => bad = bad.or(Some(part.failure)),
                }
            }
        }
        match first {
            Some(mut document) => {
                if more > 0 {
                    document
                        .warnings
                        .push(format!("{more} more documents in this file were left out"));
                }
                if let Some(failure) = bad {
                    document
                        .warnings
                        .push(format!("a part could not be read: {}", failure.message));
                }
                Ok(document)
            }
            None => Err(match bad {
                Some(failure) => failed(failure),
                None => CallError::Invalid {
                    component: format!("extractor {}", self.extractor.info().name),
                    reason: "no document at all".into(),
                },
            }),
        }
    }

    /// The chunks of a text that no extractor has read, as of Markdown; without
    /// terms.
    pub(crate) fn chunk_text(&self, title: &str, text: &str) -> Result<Vec<ChunkWrite>, CallError> {
        let document = plain_document(title, text);
        self.chunk(&self.markdown, &self.markdown_settings, &document)
    }

    /// Gives the chunks of such a text the terms that they are found by.
    pub(crate) fn analyze_text(
        &self,
        title: &str,
        text: &str,
        chunks: &mut [ChunkWrite],
    ) -> Result<(), CallError> {
        self.analyze(&plain_document(title, text), chunks)
    }

    /// The tokens of each text for the model that embeds, special tokens not
    /// included.
    pub(crate) fn count_tokens(&self, texts: &[String]) -> Result<Vec<u32>, Error> {
        let failed = |reason| Error::usage(format!("tokens cannot be counted: {reason}"), "");
        self.tokens.count(texts).map_err(failed)
    }

    /// Name of the chunker for Markdown.
    pub(crate) fn chunker_name(&self) -> &str {
        &self.markdown.info().name
    }

    fn chunk(
        &self,
        chunker: &Chunker,
        settings: &str,
        document: &Document,
    ) -> Result<Vec<ChunkWrite>, CallError> {
        if document.text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let chunks = chunker.split(
            &document.title,
            &document.text,
            self.budget,
            settings,
            self.tokens.clone(),
        )?;
        Ok(chunks
            .into_iter()
            .map(|chunk| {
                let text = &document.text[chunk.span.start as usize..chunk.span.end as usize];
                ChunkWrite {
                    hash: ChunkHash::of(&embedded_text(chunk.context.as_deref(), text)),
                    span: chunk.span.start..chunk.span.end,
                    headings: chunk.headings,
                    context: chunk.context,
                    terms: Terms::default(),
                }
            })
            .collect())
    }

    /// Gives the chunks the terms that they are found by.
    fn analyze(&self, document: &Document, chunks: &mut [ChunkWrite]) -> Result<(), CallError> {
        let parts: Vec<(Range<u64>, &[String])> = chunks
            .iter()
            .map(|chunk| (chunk.span.clone(), chunk.headings.as_slice()))
            .collect();
        let item = Analyzable {
            title: &document.title,
            aliases: &document.aliases,
            tags: &document.tags,
            text: &document.text,
        };
        let made = terms(&self.analyzer, item, &parts)?;
        for (chunk, terms) in chunks.iter_mut().zip(made) {
            chunk.terms = terms;
        }
        Ok(())
    }

    fn failed(&self, reason: &str, message: String, component: Option<&str>) -> Read {
        Read::Failed {
            reason: reason.to_owned(),
            message,
            provenance: Provenance {
                stamp: String::new(),
                pipeline: self.key.clone(),
                component: component.map(str::to_owned),
                warnings: Vec::new(),
            },
        }
    }
}

impl Prepared {
    pub(crate) fn into_item(
        self,
        source: &Source,
        folder: &FolderSource,
        modified: Option<i64>,
        size: u64,
    ) -> ItemWrite {
        let Prepared {
            content_hash,
            id,
            document,
            chunks,
            provenance,
            markdown,
            ..
        } = self;
        let properties = convert::properties(document.properties);
        let dated = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| convert::timestamp(&properties, name))
        };
        ItemWrite {
            source: source.id,
            kind: if markdown {
                "note".into()
            } else {
                "text".into()
            },
            title: document.title,
            url: item_url(folder.path(), &id).ok(),
            author: convert::text(&properties, "author"),
            language: convert::text(&properties, "lang")
                .or_else(|| convert::text(&properties, "language")),
            created: dated(&["created", "date"]),
            modified: dated(&["updated", "modified"]).or(modified),
            published: dated(&["published"]),
            duration: None,
            views: None,
            categories: Vec::new(),
            size,
            content_hash,
            marks: document.marks.into_iter().map(convert::mark).collect(),
            text: document.text,
            chunks,
            properties,
            tags: document.tags,
            aliases: document.aliases,
            links: document.links.into_iter().map(convert::link).collect(),
            provenance,
            external_id: id,
        }
    }
}

fn plain_document(title: &str, text: &str) -> Document {
    Document {
        part: String::new(),
        title: title.to_owned(),
        text: text.to_owned(),
        marks: Vec::new(),
        properties: Vec::new(),
        tags: Vec::new(),
        aliases: Vec::new(),
        links: Vec::new(),
        warnings: Vec::new(),
    }
}

/// A file, lent to a component.
struct Lent(Arc<FileBlob>);

impl Blob for Lent {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        self.0.read_at(offset, length).map_err(io::Error::other)
    }
}

fn hash(blob: &FileBlob) -> Result<[u8; 32], pkb_sources::Error> {
    let mut hasher = blake3::Hasher::new();
    let mut at = 0;
    while at < blob.size() {
        let bytes = blob.read_at(at, HASHED_AT_ONCE)?;
        if bytes.is_empty() {
            break;
        }
        hasher.update(&bytes);
        at += bytes.len() as u64;
    }
    Ok(*hasher.finalize().as_bytes())
}

fn failed(failure: Failure) -> CallError {
    CallError::Failed {
        kind: failure.kind,
        message: failure.message,
    }
}

fn extension(name: &str) -> Option<String> {
    name.rsplit_once('.')
        .map(|(_, extension)| extension.to_lowercase())
}
