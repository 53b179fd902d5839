//! The pass that gives every chunk its vector. It can be stopped at any point
//! and goes on where it was, because what is missing is asked of the store.

use pkb_store::{ChunkHash, ChunkId, ModelId};
use serde::Serialize;

use crate::engine::{ActiveModel, Engine};
use crate::error::Error;
use crate::job::{Job, Stage};

/// Chunks embedded between two commits: about a second's work on two cores,
/// which is what a stop can lose.
const BATCH: usize = 64;

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
}

impl Engine {
    /// Makes the vectors that are missing for the chosen model.
    ///
    /// # Errors
    /// [`Error::Stopped`] when the job says so; when the model fails or the
    /// database cannot be written. What was made stays.
    pub fn embed(&self, job: &dyn Job) -> Result<EmbedReport, Error> {
        let Some(active) = self.chosen_model()? else {
            return Ok(EmbedReport::default());
        };
        let mut report = EmbedReport {
            model: Some(active.model.info().name.clone()),
            ..EmbedReport::default()
        };
        let id = self.register(&active)?;
        let total = self.missing(id)?;
        if total > 0 {
            job.progress(Stage::Embedding, 0, Some(total));
        }
        let outcome = self.embed_missing(&active, id, job, total, &mut report.made);
        self.forget_stats();
        report.missing = self.missing(id)?;
        if report.missing == 0 {
            self.store().set_current_model(id)?;
            // The vectors of models before, and of chunks that are no more.
            for model in self.store().models()? {
                if model.id != id {
                    self.store().remove_model(model.id)?;
                }
            }
            self.store().remove_orphan_vectors()?;
        }
        outcome.map(|()| report)
    }

    fn missing(&self, model: ModelId) -> Result<u64, Error> {
        let stats = self.store().models()?;
        Ok(stats
            .iter()
            .find(|stats| stats.id == model)
            .map_or(0, |stats| stats.missing))
    }

    fn embed_missing(
        &self,
        active: &ActiveModel,
        id: ModelId,
        job: &dyn Job,
        total: u64,
        made: &mut u64,
    ) -> Result<(), Error> {
        let prefix = &active.model.info().passage_prefix;
        let mut after: Option<ChunkId> = None;
        loop {
            if job.stop() || job.enough() {
                return Err(Error::Stopped);
            }
            let batch = self.store().unembedded(id, after, BATCH)?;
            let Some(last) = batch.iter().map(|chunk| chunk.chunk).max() else {
                return Ok(());
            };
            let texts: Vec<String> = batch
                .iter()
                .map(|chunk| {
                    format!(
                        "{prefix}{}",
                        embedded_text(chunk.context.as_deref(), &chunk.text)
                    )
                })
                .collect();
            let sequences = active.tokenizer.encode(&texts)?;
            let done = *made;
            let vectors = active.model.embed(&sequences, &|| job.stop(), &|some| {
                job.progress(Stage::Embedding, done + some as u64, Some(total));
            });
            let vectors = match vectors {
                Err(pkb_embed::Error::Stopped) => return Err(Error::Stopped),
                other => other?,
            };
            let rows: Vec<(ChunkHash, Vec<f32>)> =
                batch.iter().map(|chunk| chunk.hash).zip(vectors).collect();
            *made += self.store().put_vectors(id, &rows)?;
            after = Some(last);
        }
    }
}

/// What the model reads for a chunk, and what its hash is made from.
pub(crate) fn embedded_text(context: Option<&str>, text: &str) -> String {
    match context {
        Some(context) => format!("{context}\n{text}"),
        None => text.to_owned(),
    }
}
