//! The pass that gives every chunk its vector. It can be stopped at any point
//! and goes on where it was, because what is missing is asked of the store.
//! When nothing is missing, staged chunks and the chosen model take over.

use pkb_store::{ChunkHash, EmbedCursor, ModelId, TakeOver, Unembedded};
use serde::Serialize;

use crate::engine::{ActiveModel, Engine};
use crate::error::Error;
use crate::job::{Job, Stage};

/// Chunks embedded between two commits: about a second's work on two cores,
/// which is what a stop can lose.
const BATCH: usize = 64;
/// So many chunks refused one after the other mean that it is the model that
/// fails, not a chunk.
const BROKEN_FROM: usize = 8;

/// What an embedding pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EmbedReport {
    /// Name of the model; none where it is not installed, and then nothing was
    /// done.
    pub model: Option<String>,
    /// Vectors made.
    pub made: u64,
    /// Chunks that still have none.
    pub missing: u64,
    /// Chunks that the model failed on; their items' ledger lines say which.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Engine {
    /// Makes the vectors that are missing for the chosen model; when none is,
    /// what is staged is searched from then on.
    ///
    /// # Errors
    /// [`Error::Stopped`] when the job says so; when the model fails on
    /// everything or the database cannot be written. What was made stays.
    pub fn embed(&self, job: &dyn Job) -> Result<EmbedReport, Error> {
        let Some(active) = self.chosen_model()? else {
            // There is nothing that new chunks could wait for.
            self.everything().take_over(None)?;
            return Ok(EmbedReport::default());
        };
        let _span = tracing::info_span!("embed").entered();
        let mut report = EmbedReport {
            model: Some(active.model.info().name.clone()),
            ..EmbedReport::default()
        };
        let id = self.register(&active)?;
        if self.everything().current_model()?.is_none() {
            self.everything().set_current_model(id)?;
        }
        let total = self.pending(id)?;
        if total > 0 {
            job.progress(Stage::Embedding, 0, Some(total));
        }
        let outcome = Pass {
            engine: self,
            active: &active,
            id,
            job,
            total,
        }
        .run(&mut report);
        self.forget_stats();
        report.missing = self.pending(id)?;
        if report.missing == 0 {
            let taken = self.everything().take_over(Some(id))?;
            if taken != TakeOver::default() {
                tracing::info!(items = taken.items, model = taken.model, "took over");
                self.forget_stats();
            }
            self.remove_what_is_past(id, report.made > 0 || taken != TakeOver::default())?;
        }
        outcome.map(|()| report)
    }

    /// The vectors of models before, and of chunks that are no more.
    fn remove_what_is_past(&self, current: ModelId, changed: bool) -> Result<(), Error> {
        for model in self.everything().models()? {
            if model.id != current {
                self.everything().remove_model(model.id)?;
            }
        }
        if changed {
            self.everything().remove_orphan_vectors()?;
        }
        Ok(())
    }

    /// Whether the chosen model, where there is one, has no vector yet for some
    /// chunk.
    pub(crate) fn lacks_vectors(&self) -> Result<bool, Error> {
        match self.chosen_model()? {
            Some(active) => Ok(self.pending(self.register(&active)?)? > 0),
            None => Ok(false),
        }
    }

    /// How many chunks have no vector of that model yet, of those that are
    /// searched or will be; goes through all of them.
    pub(crate) fn pending(&self, model: ModelId) -> Result<u64, Error> {
        let stats = self.everything().models()?;
        Ok(stats
            .iter()
            .find(|stats| stats.id == model)
            .map_or(0, |stats| stats.pending))
    }
}

struct Pass<'a> {
    engine: &'a Engine,
    active: &'a ActiveModel,
    id: ModelId,
    job: &'a dyn Job,
    total: u64,
}

impl Pass<'_> {
    fn run(&self, report: &mut EmbedReport) -> Result<(), Error> {
        let store = self.engine.everything();
        let mut after: Option<EmbedCursor> = None;
        loop {
            if self.job.stop() || self.job.enough() {
                return Err(Error::Stopped);
            }
            let batch = store.unembedded(self.id, after, BATCH)?;
            let Some(last) = batch.last() else {
                return Ok(());
            };
            after = Some(last.cursor);
            match self.vectors(&batch, report.made) {
                Ok(vectors) => {
                    let rows: Vec<_> = batch.iter().map(|chunk| chunk.hash).zip(vectors).collect();
                    report.made += self.put(&rows)?;
                }
                Err(Error::Stopped) => return Err(Error::Stopped),
                // One of them, most likely: each is tried alone.
                Err(_) => self.one_by_one(&batch, report)?,
            }
        }
    }

    fn vectors(&self, chunks: &[Unembedded], done: u64) -> Result<Vec<Vec<f32>>, Error> {
        let prefix = &self.active.model.info().passage_prefix;
        let texts: Vec<String> = chunks
            .iter()
            .map(|chunk| {
                let text = embedded_text(chunk.context.as_deref(), &chunk.text);
                format!("{prefix}{text}")
            })
            .collect();
        let sequences = tracing::debug_span!("embed.tokenize")
            .in_scope(|| self.active.tokenizer.encode(&texts))?;
        let tokens: usize = sequences.iter().map(Vec::len).sum();
        let _span = tracing::debug_span!("embed.model", tokens).entered();
        let watch = |some| {
            self.job
                .progress(Stage::Embedding, done + some as u64, Some(self.total));
        };
        match (self.active.model).embed(&sequences, &|| self.job.stop(), &watch) {
            Err(pkb_embed::Error::Stopped) => Err(Error::Stopped),
            other => Ok(other?),
        }
    }

    fn put(&self, vectors: &[(ChunkHash, Vec<f32>)]) -> Result<u64, Error> {
        let _span = tracing::debug_span!("embed.store", vectors = vectors.len()).entered();
        Ok(self.engine.everything().put_vectors(self.id, vectors)?)
    }

    /// A chunk that fails alone gets a vector of zeros, which is near to nothing
    /// and keeps the chunk from being tried again and again, and its item a
    /// warning.
    fn one_by_one(&self, batch: &[Unembedded], report: &mut EmbedReport) -> Result<(), Error> {
        let store = self.engine.everything();
        let nowhere = vec![0.0; self.active.model.info().dimensions];
        let mut failed: Vec<(&Unembedded, String)> = Vec::new();
        let mut worked = false;
        for chunk in batch {
            match self.vectors(std::slice::from_ref(chunk), report.made) {
                Ok(vectors) => {
                    worked = true;
                    let rows: Vec<(ChunkHash, Vec<f32>)> = vectors
                        .into_iter()
                        .map(|vector| (chunk.hash, vector))
                        .collect();
                    report.made += self.put(&rows)?;
                }
                Err(Error::Stopped) => return Err(Error::Stopped),
                Err(error) => {
                    failed.push((chunk, error.to_string()));
                    if !worked && report.made == 0 && failed.len() >= BROKEN_FROM.min(batch.len()) {
                        return Err(error);
                    }
                }
            }
        }
        for (chunk, error) in failed {
            store.put_vectors(self.id, &[(chunk.hash, nowhere.clone())])?;
            let begins: String = chunk.text.chars().take(40).collect();
            store.warn(
                chunk.item,
                &format!(
                    "the part that begins {:?} can only be found by word: {error}",
                    begins.trim()
                ),
            )?;
            report.failed += 1;
        }
        Ok(())
    }
}

/// What the model reads for a chunk, and what its hash is made from.
pub(crate) fn embedded_text(context: Option<&str>, text: &str) -> String {
    match context {
        Some(context) => format!("{context}\n{text}"),
        None => text.to_owned(),
    }
}
