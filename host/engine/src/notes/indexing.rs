//! One file taken into the index right after it was written.

use std::time::{Duration, Instant};

use pkb_sources::FolderSource;
use pkb_store::{Holder, Item, Source};

use crate::engine::Engine;
use crate::error::Error;
use crate::job::{Job, Stage};

/// How long a sync is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

impl Engine {
    /// Takes one file of a source into the index, and leaves all others alone.
    /// The item that it is then; none, with a word in `warnings` that says why,
    /// where that has to wait: the file is there in any case.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn index_file(
        &self,
        source: &Source,
        folder: &FolderSource,
        external_id: &str,
        skip_embedding: bool,
        job: &dyn Job,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Item>, Error> {
        let patient = Patient {
            job,
            until: Instant::now() + PATIENCE,
        };
        let taken = self
            .sync_lock("note", true, &patient)
            .and_then(|lock| self.sync_file(&lock, source, folder, external_id, job));
        match taken {
            Ok(None) => {}
            Ok(Some(problem)) => warnings.push(problem),
            Err(Error::Busy { .. } | Error::Stopped) => {
                let holder = self.everything().sync_holder();
                let elsewhere = holder
                    .and_then(|holder| holder.pid)
                    .is_some_and(|pid| pid != std::process::id());
                let who = match elsewhere {
                    true => "another process is syncing",
                    false => "a sync is running",
                };
                warnings.push(format!(
                    "It is saved, and not in the index yet, as {who}: a search after that finds it."
                ));
            }
            Err(error) => warnings.push(format!(
                "It is saved and not indexed yet ({error}): `pkb sync` does so."
            )),
        }
        let item = self
            .everything()
            .item_by_identity(source.id, external_id)?
            .filter(|item| item.deleted.is_none());
        if item.is_some() && !skip_embedding {
            // A sync that is running embeds it.
            let embedded = match self.try_sync_lock("note") {
                Ok(Some(_lock)) if self.lacks_vectors()? => self.embed(job).map(|_| ()),
                Ok(_) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = embedded {
                warnings.push(format!("It is found by word only so far: {error}"));
            }
        }
        Ok(item)
    }
}

/// Waits only so long.
struct Patient<'a> {
    job: &'a dyn Job,
    until: Instant,
}

impl Job for Patient<'_> {
    fn stop(&self) -> bool {
        self.job.stop() || Instant::now() > self.until
    }

    fn waits_for(&self, holder: &Holder) {
        self.job.waits_for(holder);
    }

    fn progress(&self, stage: Stage, done: u64, total: Option<u64>) {
        self.job.progress(stage, done, total);
    }
}
