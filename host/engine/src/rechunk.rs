//! Chunks for another chunker, other settings or another model's limit, made
//! from the stored texts and put beside those that are searched. They take over
//! when the model has a vector for each; see `embedding`.

use std::thread;

use pkb_runtime::CallError;
use pkb_store::{
    ChunkWrite, ItemId, LedgerWrite, NotIndexed, Outdated, Provenance, Source, StagedWrite,
};

use crate::engine::Engine;
use crate::error::Error;
use crate::job::{Job, Stage};
use crate::pipeline::Pipeline;

/// Items whose chunks are stored in one transaction, at most.
const BATCH: usize = 128;

impl Engine {
    /// Makes new chunks for all items whose own were made with something else
    /// than is wanted now. It can be stopped at any point and goes on where it
    /// was. A source whose components cannot be loaded keeps what it has. Counts
    /// the items in `done`.
    ///
    /// # Errors
    /// [`Error::Stopped`] when the job says so; when the database cannot be
    /// written.
    pub(crate) fn rechunk(&self, job: &dyn Job, done: &mut u64) -> Result<(), Error> {
        let _span = tracing::info_span!("rechunk").entered();
        for source in self.everything().sources()? {
            match Pipeline::of(self, &source) {
                Ok(pipeline) => self.rechunk_source(&source, &pipeline, job, done)?,
                // Its own sync reports that.
                Err(error) => tracing::warn!("{} keeps its chunks: {error}", source.spec.name),
            }
        }
        Ok(())
    }

    fn rechunk_source(
        &self,
        source: &Source,
        pipeline: &Pipeline,
        job: &dyn Job,
        counted: &mut u64,
    ) -> Result<(), Error> {
        let wanted = pipeline.wanted_sets(self)?;
        self.everything().unstage(source.id, &wanted)?;
        let mut after: Option<ItemId> = None;
        let mut done = 0;
        let mut total = None;
        loop {
            let page = self
                .everything()
                .outdated(source.id, &wanted, after, BATCH)?;
            let Some(last) = page.entries.last() else {
                return Ok(());
            };
            after = Some(last.item);
            let total = *total.get_or_insert(page.total);
            job.progress(Stage::Chunking, done, Some(total));
            if job.stop() || job.enough() {
                return Err(Error::Stopped);
            }
            let mut staged = Vec::with_capacity(page.entries.len());
            let mut failed = Vec::new();
            for (item, chunks) in page.entries.iter().zip(split_all(pipeline, &page.entries)) {
                match chunks {
                    Ok(chunks) => staged.push(StagedWrite {
                        item: item.item,
                        set: item.wanted,
                        chunks,
                    }),
                    // It stays findable with the chunks it has.
                    Err(error) => failed.push(failure(source, pipeline, item, &error)),
                }
            }
            self.everything().stage(&staged)?;
            *counted += staged.len() as u64;
            if !failed.is_empty() {
                self.everything().put_ledger(&failed)?;
            }
            done += page.entries.len() as u64;
        }
    }
}

/// New chunks for each item, in order; several threads share the work.
fn split_all(pipeline: &Pipeline, items: &[Outdated]) -> Vec<Result<Vec<ChunkWrite>, CallError>> {
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let share = items.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let shares: Vec<_> = items
            .chunks(share)
            .map(|share| {
                scope.spawn(move || {
                    let split = share.iter().map(|item| pipeline.split_again(item));
                    split.collect::<Vec<_>>()
                })
            })
            .collect();
        shares
            .into_iter()
            .flat_map(|share| match share.join() {
                Ok(split) => split,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}

/// The ledger row of an item that could not be split anew. Without a stamp, the
/// next sync reads the file itself, and remembers what came of that.
fn failure(
    source: &Source,
    pipeline: &Pipeline,
    item: &Outdated,
    error: &CallError,
) -> LedgerWrite {
    LedgerWrite {
        source: source.id,
        external_id: item.external_id.clone(),
        outcome: NotIndexed::Failed,
        reason: error.kind().to_owned(),
        message: error.to_string(),
        provenance: Provenance {
            pipeline: pipeline.whole_key(None),
            component: Some(pipeline.chunker_name().to_owned()),
            ..Provenance::default()
        },
    }
}
