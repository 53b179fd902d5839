//! What is done to each file of one source: extract, chunk, analyze.

mod choose;
mod prepared;
mod read;
mod spool;
pub(crate) mod walk;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use pkb_runtime::{Analyzer, CallError, Chunker, Document, TokenCounter};
use pkb_sources::{FolderSettings, FolderSource};
use pkb_store::{
    Analyzable, ChunkHash, ChunkSet, ChunkWrite, LedgerState, Outdated, Provenance, Source,
    SourceSpec, Stamp, Terms, WantedSet,
};
use tracing::field::Empty;

pub(crate) use self::choose::Chooser;
pub(crate) use self::read::{CHANGED, Lent, Read};
use crate::components::{DEFAULT_TOKENIZER, MARKDOWN_CHUNKER, TEXT_CHUNKER};
use crate::embedding::embedded_text;
use crate::engine::Engine;
use crate::error::Error;
use crate::formats::{self, PLAIN_KINDS};
use crate::sources::SourceSettings;
use crate::terms::terms;

/// The length limit that counts where there is no model: the default model's.
const DEFAULT_LIMIT: usize = 256;
/// Special tokens that the default model's tokenizer puts around a text.
const DEFAULT_SPECIAL: usize = 2;
/// Tokens that a chunk may have where the default model embeds.
pub(crate) const DEFAULT_BUDGET: u32 = (DEFAULT_LIMIT - DEFAULT_SPECIAL) as u32;
/// The fewest tokens a chunk may be given.
const LEAST_BUDGET: usize = 16;

pub(crate) struct Pipeline {
    /// Of what is not read at all: differs whenever something more could be.
    pub(crate) skip_key: String,
    /// One for each extractor: differs whenever the same bytes could give
    /// another text.
    read_keys: HashSet<String>,
    /// The same with what is done to texts afterwards.
    whole_keys: HashSet<String>,
    definition: blake3::Hash,
    pub(crate) folder_settings: FolderSettings,
    pub(crate) chooser: Chooser,
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
    if settings.extractor.is_none() {
        folder.unread = formats::unread();
    }
    folder
}

/// A document with its chunks.
pub(crate) struct Prepared {
    content_hash: [u8; 32],
    pub(crate) id: String,
    /// What it is inside of.
    outer: Option<String>,
    document: Document,
    chunks: Vec<ChunkWrite>,
    provenance: Provenance,
    kind: String,
    /// Bytes that it was made of.
    size: u64,
}

impl Pipeline {
    pub(crate) fn of(engine: &Engine, source: &Source) -> Result<Pipeline, Error> {
        let components = engine.components();
        let settings: SourceSettings =
            serde_json::from_str(&source.spec.settings).unwrap_or_default();
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
        let after = [
            set_key(&markdown, &markdown_settings, definition, budget),
            set_key(&text, &text_settings, definition, budget),
        ];
        let chooser = Chooser::new(engine, &settings)?;
        let mut read_keys = chooser.keys()?;
        let all: Vec<&str> = read_keys.iter().map(String::as_str).collect();
        let skip_key = key(&[formats::VERSION, &all.join(",")]);
        read_keys.push(skip_key.clone());
        let whole_keys = read_keys
            .iter()
            .map(|read_key| key(&[read_key, &after[0], &after[1]]))
            .collect();
        Ok(Pipeline {
            skip_key,
            read_keys: read_keys.into_iter().collect(),
            whole_keys,
            definition,
            folder_settings,
            chooser,
            markdown,
            text,
            markdown_settings,
            text_settings,
            tokens,
            analyzer: components.analyzer()?,
            budget,
        })
    }

    /// Has the words in pictures read, in a source with so many bytes of files
    /// that may hold some.
    pub(crate) fn read_pictures(&mut self, bytes: u64) {
        self.chooser.read_pictures(bytes);
    }

    /// Whether what is known was made as it would be made now.
    pub(crate) fn reads(&self, known: &Stamp) -> bool {
        // Another chunker splits what is stored; only what failed is read again
        // for it.
        match known.state {
            LedgerState::Failed => self.whole_keys.contains(&known.pipeline),
            LedgerState::Indexed | LedgerState::Skipped => self.read_keys.contains(&known.pipeline),
        }
    }

    /// What the ledger is to remember of a failure: all that could make it go
    /// better.
    pub(crate) fn whole_key(&self, read_key: Option<&str>) -> String {
        let (markdown, text) = (
            set_key(
                &self.markdown,
                &self.markdown_settings,
                self.definition,
                self.budget,
            ),
            set_key(
                &self.text,
                &self.text_settings,
                self.definition,
                self.budget,
            ),
        );
        key(&[read_key.unwrap_or(&self.skip_key), &markdown, &text])
    }

    /// What the chunks of each kind of item are made with, by the store's
    /// numbers.
    pub(crate) fn wanted_sets(&self, engine: &Engine) -> Result<Vec<WantedSet>, Error> {
        let plain = PLAIN_KINDS.map(|kind| (Some(kind), &self.text, &self.text_settings));
        let others = (None, &self.markdown, &self.markdown_settings);
        plain
            .into_iter()
            .chain([others])
            .map(|(kind, chunker, settings)| {
                let key = set_key(chunker, settings, self.definition, self.budget);
                let set = match engine.everything().chunk_set(&key)? {
                    Some(known) => known,
                    None => engine.everything().add_chunk_set(&ChunkSet {
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
                    kind: kind.map(str::to_owned),
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
        let (chunker, settings) = self.chunker_for(&item.kind);
        let mut chunks = self.chunk(chunker, settings, &document)?;
        self.analyze(&document, &mut chunks)?;
        Ok(chunks)
    }

    fn chunker_for(&self, kind: &str) -> (&Chunker, &str) {
        if PLAIN_KINDS.contains(&kind) {
            (&self.text, &self.text_settings)
        } else {
            (&self.markdown, &self.markdown_settings)
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
        read::hash(&folder.open_file(id).ok()?).ok()
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
        kind: String::new(),
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
