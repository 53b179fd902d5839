//! What is done to each file of one source: extract, chunk, analyze.

mod prepared;

use std::io;
use std::ops::Range;
use std::sync::Arc;

use pkb_runtime::{Analyzer, Blob, CallError, Chunker, Document, Extractor, Failure, TokenCounter};
use pkb_sources::{FileBlob, FolderSettings, FolderSource, conflict_of};
use pkb_store::{
    Analyzable, ChunkHash, ChunkSet, ChunkWrite, Outdated, Provenance, Source, SourceSpec, Terms,
    WantedSet,
};
use tracing::field::Empty;

use crate::components::{DEFAULT_TOKENIZER, EXTRACTOR, MARKDOWN_CHUNKER, TEXT_CHUNKER};
use crate::embedding::embedded_text;
use crate::engine::Engine;
use crate::error::Error;
use crate::sources::SourceSettings;
use crate::terms::terms;

/// Files that the built-in extractor takes.
const MARKDOWN: [&str; 5] = ["md", "markdown", "mdown", "mkd", "mdx"];
const TEXT: [&str; 3] = ["txt", "text", "log"];

/// The kinds of items: what is split as Markdown, and plain text.
const NOTE: &str = "note";
const PLAIN: &str = "text";

/// The length limit that counts where there is no model: the default model's.
const DEFAULT_LIMIT: usize = 256;
/// Special tokens that the default model's tokenizer puts around a text.
const DEFAULT_SPECIAL: usize = 2;
/// Tokens that a chunk may have where the default model embeds.
pub(crate) const DEFAULT_BUDGET: u32 = (DEFAULT_LIMIT - DEFAULT_SPECIAL) as u32;
/// The fewest tokens a chunk may be given.
const LEAST_BUDGET: usize = 16;
/// Why a file failed that was written to while it was read.
pub(crate) const CHANGED: &str = "changed";
/// How often such a file is read in one sync, at most.
const TRIES: usize = 3;
/// How much of a file is hashed at a time, in bytes.
const HASHED_AT_ONCE: usize = 1 << 20;

pub(crate) struct Pipeline {
    /// Differs whenever the same bytes could give other chunks.
    pub(crate) key: String,
    /// Differs whenever the same bytes could give another text.
    pub(crate) read_key: String,
    definition: blake3::Hash,
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
    /// Not what was asked for: the bytes are those that are known.
    Same {
        stamp: String,
    },
    /// Gone since it was seen; the next sync finds out how.
    Vanished,
}

/// A document with its chunks.
pub(crate) struct Prepared {
    content_hash: [u8; 32],
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
        let budget = u32::try_from(budget).unwrap_or(u32::MAX);
        let read_key = key(&[&extractor.info().sha256, &extractor_settings]);
        let whole_key = key(&[
            &read_key,
            &set_key(&markdown, &markdown_settings, definition, budget),
            &set_key(&text, &text_settings, definition, budget),
        ]);
        Ok(Pipeline {
            key: whole_key,
            read_key,
            definition,
            folder_settings,
            extractor,
            extractor_settings,
            markdown,
            text,
            markdown_settings,
            text_settings,
            tokens,
            analyzer: components.analyzer()?,
            budget,
        })
    }

    /// What the chunks of each kind of item are made with, by the store's
    /// numbers.
    pub(crate) fn wanted_sets(&self, engine: &Engine) -> Result<Vec<WantedSet>, Error> {
        [
            (NOTE, &self.markdown, &self.markdown_settings),
            (PLAIN, &self.text, &self.text_settings),
        ]
        .into_iter()
        .map(|(kind, chunker, settings)| {
            let key = set_key(chunker, settings, self.definition, self.budget);
            let set = match engine.store().chunk_set(&key)? {
                Some(known) => known,
                None => engine.store().add_chunk_set(&ChunkSet {
                    key,
                    chunker: chunker.info().name.clone(),
                    version: engine.components().version(&chunker.info().name)?,
                    sha256: chunker.info().sha256.clone(),
                    settings: settings.clone(),
                    tokenizer: self.definition.to_hex().to_string(),
                    budget: self.budget,
                })?,
            };
            Ok(WantedSet {
                kind: kind.into(),
                set,
            })
        })
        .collect()
    }

    /// New chunks, with their terms, for an item whose text is stored.
    pub(crate) fn split_again(&self, item: &Outdated) -> Result<Vec<ChunkWrite>, CallError> {
        let mut document = plain_document(&item.title, &item.text);
        document.aliases.clone_from(&item.aliases);
        document.tags.clone_from(&item.tags);
        let (chunker, settings) = self.chunker_for(is_markdown(&item.external_id));
        let mut chunks = self.chunk(chunker, settings, &document)?;
        self.analyze(&document, &mut chunks)?;
        Ok(chunks)
    }

    fn chunker_for(&self, markdown: bool) -> (&Chunker, &str) {
        if markdown {
            (&self.markdown, &self.markdown_settings)
        } else {
            (&self.text, &self.text_settings)
        }
    }

    /// Reads one file, unless it holds the bytes of the hash `known`. One that
    /// is written to meanwhile is read anew, a few times. Only what would stop
    /// the whole sync is an error.
    pub(crate) fn read(
        &self,
        folder: &FolderSource,
        id: &str,
        known: Option<[u8; 32]>,
    ) -> Result<Read, Error> {
        let mut tries = 1;
        loop {
            match self.try_to_read(folder, id, known)? {
                Read::Failed { reason, .. } if reason == CHANGED && tries < TRIES => tries += 1,
                read => return Ok(read),
            }
        }
    }

    fn try_to_read(
        &self,
        folder: &FolderSource,
        id: &str,
        known: Option<[u8; 32]>,
    ) -> Result<Read, Error> {
        let span = tracing::trace_span!("ingest.read", bytes = Empty, reason = Empty).entered();
        let blob = match folder.open_file(id) {
            Ok(blob) => Arc::new(blob),
            Err(error) => return Ok(self.unreadable(&error)),
        };
        span.record("bytes", blob.size());
        let stamp = blob.stamp().to_owned();
        let content_hash = match hash(&blob) {
            Ok(hash) => hash,
            Err(error) => return Ok(self.unreadable(&error)),
        };
        // A stamp that would not tell the next change is not to be relied on.
        let relied_on = match blob.is_settled() {
            true => stamp.clone(),
            false => format!("{stamp}, just written"),
        };
        if known == Some(content_hash) {
            return Ok(match blob.still(&stamp) {
                Ok(()) => Read::Same { stamp: relied_on },
                Err(error) => self.unreadable(&error),
            });
        }
        let name = id.rsplit('/').next().unwrap_or(id);
        let extracted = self.extract(name, blob.clone());
        // Bytes that changed while they were read belong to no version of the
        // file.
        if let Err(error) = blob.still(&stamp) {
            return Ok(self.unreadable(&error));
        }
        let mut document = match extracted {
            Ok(document) => document,
            Err(error) => {
                return Ok(self.failed(
                    error.kind(),
                    error.to_string(),
                    Some(&self.extractor.info().name),
                ));
            }
        };
        if let Some(original) = conflict_of(id) {
            document.warnings.push(format!(
                "a copy of {original} that a sync tool made of an edit in conflict: compare the two, keep what you need and delete one"
            ));
        }
        let markdown = is_markdown(name);
        let (chunker, settings) = self.chunker_for(markdown);
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
            stamp: relied_on,
            pipeline: self.read_key.clone(),
            component: Some(self.extractor.info().name.clone()),
            warnings: document.warnings.clone(),
        };
        Ok(Read::Document(Box::new(Prepared {
            content_hash,
            id: id.to_owned(),
            document,
            chunks,
            provenance,
            markdown,
        })))
    }

    /// The one document that a file of a folder holds.
    fn extract(&self, name: &str, blob: Arc<FileBlob>) -> Result<Document, CallError> {
        let _span = tracing::trace_span!("ingest.extract").entered();
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
        let span = tracing::trace_span!("ingest.chunk", chunks = Empty).entered();
        let chunks = chunker.split(
            &document.title,
            &document.text,
            self.budget,
            settings,
            self.tokens.clone(),
        )?;
        span.record("chunks", chunks.len());
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
        let _span = tracing::trace_span!("ingest.analyze").entered();
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

    /// The hash of a file's bytes; none where it cannot be read now.
    pub(crate) fn hash(folder: &FolderSource, id: &str) -> Option<[u8; 32]> {
        hash(&folder.open_file(id).ok()?).ok()
    }

    /// What became of a file that its folder does not give.
    fn unreadable(&self, error: &pkb_sources::Error) -> Read {
        match error {
            pkb_sources::Error::Vanished { .. } | pkb_sources::Error::Away { .. } => Read::Vanished,
            pkb_sources::Error::Changed { .. } => self.failed(CHANGED, error.to_string(), None),
            _ => self.failed("unreadable", error.to_string(), None),
        }
    }

    fn failed(&self, reason: &str, message: String, component: Option<&str>) -> Read {
        tracing::Span::current().record("reason", reason);
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

/// A hash of parts, as 16 hexadecimal digits.
fn key(parts: &[&str]) -> String {
    blake3::hash(parts.join("\0").as_bytes()).to_hex()[..16].to_owned()
}

/// What tells a chunk set from others: equal keys make equal chunks.
fn set_key(chunker: &Chunker, settings: &str, definition: blake3::Hash, budget: u32) -> String {
    key(&[
        &chunker.info().sha256,
        settings,
        &definition.to_hex(),
        &budget.to_string(),
    ])
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

/// Whether a file is split as Markdown.
fn is_markdown(name: &str) -> bool {
    extension(name).is_none_or(|extension| !TEXT.contains(&extension.as_str()))
}

fn extension(name: &str) -> Option<String> {
    name.rsplit_once('.')
        .map(|(_, extension)| extension.to_lowercase())
}
