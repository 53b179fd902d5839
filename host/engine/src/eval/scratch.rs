//! A database beside the user's own, for what is searched in a test and is
//! none of the user's items.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use pkb_store::{
    ChunkHash, ChunkWrite, Filter, ItemId, ItemWrite, LedgerState, Provenance, Source, SourceSpec,
    Stamp, Terms,
};
use tempfile::TempDir;

use super::ask::{Names, in_parallel};
use crate::embedding::{EmbedReport, embedded_text};
use crate::engine::Engine;
use crate::error::Error;
use crate::home::Home;
use crate::job::{Job, Stage};
use crate::pipeline::Pipeline;

/// The kind of source that a test's documents are of.
const KIND: &str = "eval";
/// The name of the one source.
const SOURCE: &str = "test-set";
/// Documents chunked and stored in one transaction.
const BATCH: usize = 256;

/// A chunk's bytes of a text, its headings and its context.
pub(super) type Cut = (Range<usize>, Vec<String>, Option<String>);

/// What is searched in a test.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// Its identity.
    pub(super) id: String,
    /// Its title.
    pub(super) title: String,
    /// Its text.
    pub(super) text: String,
    /// Headings and context, where the document is one chunk; none where the
    /// pipeline is to chunk it.
    pub(super) chunk: Option<(Vec<String>, Option<String>)>,
}

/// An engine with a database of its own, and with the components, models and
/// settings of a user's home.
pub(super) struct Scratch {
    pub(super) engine: Engine,
    pub(super) pipeline: Pipeline,
    source: Source,
    // Dropped, and thereby removed, after the database in it is closed.
    _folder: Option<TempDir>,
}

impl Scratch {
    /// Opens a database in `keep`, or in a folder that is removed when done.
    pub(super) fn open(
        home: &Home,
        keep: Option<&Path>,
        chunker: Option<&str>,
        chunker_settings: Option<&str>,
    ) -> Result<Scratch, Error> {
        let (folder, temporary) = match keep {
            Some(folder) => {
                refuse_home(home, folder)?;
                std::fs::create_dir_all(folder)
                    .map_err(|error| Error::file("cannot make the folder", folder, error))?;
                (folder.to_owned(), None)
            }
            None => {
                let folder = tempfile::Builder::new().prefix("pkb-eval-").tempdir();
                let folder = folder.map_err(|error| {
                    Error::file("cannot make a folder in", &std::env::temp_dir(), error)
                })?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let engine = Engine::over(home.clone(), &folder.join("pkb.db"))?;
        let spec = SourceSpec {
            name: SOURCE.into(),
            kind: KIND.into(),
            location: String::new(),
            settings: "{}".into(),
            chunker: chunker.map(str::to_owned),
            chunker_settings: chunker_settings.map(str::to_owned),
        };
        let source = match engine.everything().sources()?.as_slice() {
            [] => engine.everything().add_source(&spec)?,
            [only] if only.spec.kind == KIND => engine.everything().update_source(SOURCE, &spec)?,
            _ => return Err(no_place(&folder)),
        };
        let pipeline = Pipeline::of(&engine, &source)?;
        Ok(Scratch {
            engine,
            pipeline,
            source,
            _folder: temporary,
        })
    }

    /// Stores these documents and no others, as far as they are not there yet;
    /// with `embed`, makes the vectors that are missing.
    pub(super) fn fill(
        &self,
        documents: &[Document],
        embed: bool,
        job: &dyn Job,
    ) -> Result<EmbedReport, Error> {
        let store = self.engine.everything();
        let known = store.stamps(self.source.id)?;
        let stamps: Vec<String> = documents.iter().map(Document::stamp).collect();
        let new: Vec<(&Document, &String)> = documents
            .iter()
            .zip(&stamps)
            .filter(|(document, stamp)| !self.is_known(&known, document, stamp))
            .collect();
        let total = new.len();
        for (number, batch) in new.chunks(BATCH).enumerate() {
            let before = number * BATCH;
            let part = Part { job, before, total };
            let items = in_parallel(batch.len(), Stage::Reading, &part, |at| {
                let (document, stamp) = batch[at];
                self.item(document, stamp)
            })?;
            store.put(&items)?;
        }
        let wanted: HashSet<&str> = documents
            .iter()
            .map(|document| document.id.as_str())
            .collect();
        let gone: Vec<ItemId> = known
            .iter()
            .filter(|(id, _)| !wanted.contains(id.as_str()))
            .filter_map(|(_, stamp)| stamp.item)
            .collect();
        store.hard_delete(&gone)?;
        if !new.is_empty() {
            store.optimize()?;
        }
        if embed {
            self.engine.embed(job)
        } else {
            Ok(EmbedReport::default())
        }
    }

    /// The identities of the documents by their numbers.
    pub(super) fn names(&self) -> Result<Names, Error> {
        let items = self.engine.all_items(&Filter::default())?;
        let names = items.into_iter().map(|item| (item.id, item.external_id));
        Ok(names.collect())
    }

    /// Where the chunker cuts a text, with the headings and the context of each
    /// chunk.
    pub(super) fn chunks(&self, id: &str, title: &str, text: &str) -> Result<Vec<Cut>, Error> {
        let chunks = self.chunk(id, title, text)?;
        let cut = |chunk: ChunkWrite| {
            let bytes = chunk.span.start as usize..chunk.span.end as usize;
            (bytes, chunk.headings, chunk.context)
        };
        Ok(chunks.into_iter().map(cut).collect())
    }

    fn chunk(&self, id: &str, title: &str, text: &str) -> Result<Vec<ChunkWrite>, Error> {
        self.pipeline.chunk_text(title, text).map_err(|error| {
            Error::usage(
                format!("{id} cannot be chunked: {error}"),
                "Measure with another chunker or other settings.",
            )
        })
    }

    fn is_known(&self, known: &HashMap<String, Stamp>, document: &Document, stamp: &str) -> bool {
        known.get(&document.id).is_some_and(|known| {
            known.stamp == *stamp
                && known.pipeline == self.pipeline.whole_key(None)
                && known.state == LedgerState::Indexed
        })
    }

    fn item(&self, document: &Document, stamp: &str) -> Result<ItemWrite, Error> {
        let Document {
            id,
            title,
            text,
            chunk,
        } = document;
        let mut chunks = match chunk {
            None => self.chunk(id, title, text)?,
            Some((headings, context)) => vec![ChunkWrite {
                span: 0..text.len() as u64,
                headings: headings.clone(),
                context: context.clone(),
                hash: ChunkHash::of(&embedded_text(context.as_deref(), text)),
                terms: Terms::default(),
            }],
        };
        self.pipeline.analyze_text(title, text, &mut chunks)?;
        Ok(ItemWrite {
            source: self.source.id,
            external_id: id.clone(),
            kind: "document".into(),
            title: title.clone(),
            url: None,
            author: None,
            language: None,
            created: None,
            modified: None,
            published: None,
            duration: None,
            views: None,
            categories: Vec::new(),
            size: text.len() as u64,
            content_hash: *blake3::hash(text.as_bytes()).as_bytes(),
            marks: Vec::new(),
            chunks,
            chunk_set: None,
            properties: Vec::new(),
            tags: Vec::new(),
            aliases: Vec::new(),
            links: Vec::new(),
            provenance: Provenance {
                stamp: stamp.to_owned(),
                pipeline: self.pipeline.whole_key(None),
                ..Provenance::default()
            },
            text: text.clone(),
        })
    }
}

impl Document {
    /// What stands for its content: the same stamp, the same document.
    fn stamp(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        part(&self.title);
        part(&self.text);
        if let Some((headings, context)) = &self.chunk {
            headings.iter().for_each(|heading| part(heading));
            part(context.as_deref().unwrap_or_default());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

/// A part of longer work.
struct Part<'a> {
    job: &'a dyn Job,
    before: usize,
    total: usize,
}

impl Job for Part<'_> {
    fn stop(&self) -> bool {
        self.job.stop()
    }

    fn progress(&self, stage: Stage, done: u64, _total: Option<u64>) {
        let done = self.before as u64 + done;
        self.job.progress(stage, done, Some(self.total as u64));
    }
}

/// What is kept must not come among a user's own items.
fn refuse_home(home: &Home, folder: &Path) -> Result<(), Error> {
    match (folder.canonicalize(), home.folder.canonicalize()) {
        (Ok(folder), Ok(home)) if folder == home => Err(no_place(&folder)),
        _ => Ok(()),
    }
}

fn no_place(folder: &Path) -> Error {
    Error::usage(
        format!("{} holds a pkb of its own", folder.display()),
        "Name with --keep a folder that is empty, or that an earlier `pkb eval --keep` filled.",
    )
}
