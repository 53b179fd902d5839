//! How a home is doing.

use std::sync::Arc;
use std::time::Duration;

use pkb_store::{
    ChunkSet, Holder, LedgerQuery, LedgerRow, LedgerState, LedgerTotals, Millis, Page, Problem,
    Remedy, SourceStats, Stats,
};
use serde::Serialize;

use crate::engine::{Engine, missing_model};
use crate::error::Error;
use crate::fresh::BOUND;
use crate::job::Job;
use crate::reach::Marks;
use crate::watch::{How, Note};

/// How long a question for what is waiting takes.
const ASKED: Duration = Duration::from_secs(1);

/// A home in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Health {
    /// Version of pkb.
    pub version: &'static str,
    /// The home's folder.
    pub home: String,
    /// What is stored.
    pub store: Stats,
    /// The sources as they are now, by name.
    pub now: Vec<SourceNow>,
    /// The process that syncs now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syncing: Option<Holder>,
    /// The process that watches the sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watching: Option<Holder>,
    /// The model to embed with.
    pub model: ModelHealth,
    /// What the searched chunks were made with, most items first.
    pub chunk_sets: Vec<ChunkSetHealth>,
    /// The components, built-in ones first.
    pub components: Vec<ComponentHealth>,
    /// What a person should know or do.
    pub notes: Vec<String>,
}

/// A source as it is now.
#[derive(Clone, Debug, Serialize)]
pub struct SourceNow {
    /// Its name.
    pub source: String,
    /// When it was last gone through, whether or not anything had changed, in
    /// milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked: Option<Millis>,
    /// How it is watched; none where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watched: Option<How>,
    /// Files that are not in the index as they are: new, changed or gone ones.
    /// None where that could not be found out at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u64>,
    /// What sets it apart.
    #[serde(flatten)]
    pub marks: Marks,
}

/// The chosen model and its vectors.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ModelHealth {
    /// Its name in the registry.
    pub name: String,
    /// Whether it is there.
    pub installed: bool,
    /// Hash of all its vectors depend on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Different chunks with a vector, of those that are searched or will be.
    pub vectors: u64,
    /// Different chunks without.
    pub missing: u64,
    /// The model that is searched with until these are complete, where that is
    /// another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_then: Option<String>,
}

/// What the chunks of some items were made with.
#[derive(Clone, Debug, Serialize)]
pub struct ChunkSetHealth {
    /// None for items from before this was kept: the next sync splits them anew.
    #[serde(flatten)]
    pub set: Option<ChunkSet>,
    /// Items, soft-deleted ones included.
    pub items: u64,
}

/// A component that is there.
#[derive(Clone, Debug, Serialize)]
pub struct ComponentHealth {
    /// Its name.
    pub name: String,
    /// Its world.
    pub world: &'static str,
    /// Its version.
    pub version: String,
    /// SHA-256 of its file.
    pub sha256: String,
    /// Whether it came with pkb.
    pub builtin: bool,
}

/// How much is in a home, for those who ask often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Items that can be searched.
    pub items: u64,
    /// Items deleted with a way back.
    pub deleted: u64,
    /// Chunks that can be searched.
    pub chunks: u64,
    /// Different chunks without a vector of the chosen model.
    pub missing: u64,
    /// Bytes of the database.
    pub bytes: u64,
}

/// Which ledger rows to show.
#[derive(Clone, Debug, Default)]
pub struct LedgerRequest {
    /// The source's name; none for all.
    pub source: Option<String>,
    /// The state; none for all.
    pub state: Option<LedgerState>,
    /// Only rows with warnings.
    pub with_warnings: bool,
    /// How many to pass over.
    pub offset: u64,
    /// How many at most; none for all.
    pub limit: Option<u64>,
}

impl Engine {
    /// How the home is doing, without reading everything; what is waiting in
    /// the sources is looked for during a second at most.
    ///
    /// # Errors
    /// When the database cannot be read or a component cannot be loaded.
    pub fn health(self: &Arc<Self>) -> Result<Health, Error> {
        let store = self.store().stats()?;
        let mut model = ModelHealth {
            name: self.model_name()?,
            ..ModelHealth::default()
        };
        let mut notes = Vec::new();
        match self.models().open(&model.name) {
            Ok(installed) => {
                let fingerprint = installed.info().fingerprint.clone();
                let stats = store
                    .models
                    .iter()
                    .find(|stats| stats.fingerprint == fingerprint);
                model.installed = true;
                model.until_then = (store.models.iter())
                    .find(|stats| stats.current && stats.fingerprint != fingerprint)
                    .map(|stats| stats.name.clone());
                model.vectors = stats.map_or(0, |stats| stats.wanted - stats.pending);
                model.missing = stats.map_or(store.chunks, |stats| stats.pending);
                model.fingerprint = Some(fingerprint);
            }
            Err(pkb_embed::Error::UnknownModel { .. }) => {
                model.missing = store.chunks;
                notes.push(format!(
                    "Search is by word only: {}",
                    missing_model(&model.name)
                ));
            }
            Err(error) => notes.push(error.to_string()),
        }
        if store.sources.is_empty() {
            notes.push("There are no sources yet: `pkb add PATH` adds a folder.".into());
        } else if store
            .sources
            .iter()
            .any(|source| source.last_sync.is_none())
        {
            notes.push("Some sources were never read: `pkb sync` reads them.".into());
        } else if model.installed && model.missing > 0 {
            let until_then = match &model.until_then {
                Some(former) => format!(", and {former} is searched with until then"),
                None => String::new(),
            };
            notes.push(format!(
                "{} chunks have no vector yet{until_then}: `pkb sync` makes them.",
                model.missing
            ));
        }
        let failed: u64 = store
            .sources
            .iter()
            .map(|source| source.ledger.failed)
            .sum();
        if failed > 0 {
            notes.push(format!(
                "{failed} files could not be read: `pkb ledger --failed` says why."
            ));
        }
        let components = self
            .component_list()?
            .into_iter()
            .map(|info| ComponentHealth {
                name: info.name,
                world: info.world.name(),
                version: info.version,
                sha256: info.sha256,
                builtin: info.builtin,
            })
            .collect();
        let watching = self.store().watch_holder();
        Ok(Health {
            version: env!("CARGO_PKG_VERSION"),
            home: self.home().folder.display().to_string(),
            now: self.sources_now(watching.as_ref(), ASKED)?,
            syncing: self.store().sync_holder(),
            watching,
            store,
            model,
            chunk_sets: (self.store().chunk_sets()?.into_iter())
                .map(|(set, items)| ChunkSetHealth { set, items })
                .collect(),
            components,
            notes,
        })
    }

    /// The sources as they are now, by name.
    fn sources_now(
        self: &Arc<Self>,
        watching: Option<&Holder>,
        within: Duration,
    ) -> Result<Vec<SourceNow>, Error> {
        let note: Note = watching
            .and_then(|holder| holder.details.as_deref())
            .and_then(|details| serde_json::from_str(details).ok())
            .unwrap_or_default();
        let now = self
            .waiting(within)?
            .into_iter()
            .map(|(source, waiting)| SourceNow {
                marks: Marks::of(&source),
                looked: source.looked,
                watched: note.sources.get(&source.spec.name).cloned(),
                waiting,
                source: source.spec.name,
            });
        Ok(now.collect())
    }

    /// The sources in numbers, by name, each as it is now as far as a tenth of a
    /// second shows.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn source_list(self: &Arc<Self>) -> Result<Vec<(SourceStats, Option<SourceNow>)>, Error> {
        let watching = self.store().watch_holder();
        let mut now = self.sources_now(watching.as_ref(), BOUND)?;
        let sources = self.store().stats()?.sources.into_iter().map(|stats| {
            let at = now
                .iter()
                .position(|now| now.source == stats.source.spec.name);
            (stats, at.map(|at| now.swap_remove(at)))
        });
        Ok(sources.collect())
    }

    /// What became of what was seen in a source, or in all, in numbers.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown source; when the database cannot be
    /// read.
    pub fn ledger_totals(&self, source: Option<&str>) -> Result<LedgerTotals, Error> {
        let store = match source {
            Some(name) => self.store().beside(self.source(name)?.id),
            None => self.store(),
        };
        let stats = store.stats()?;
        let mut sum = LedgerTotals::default();
        for stats in stats.sources {
            if source.is_none_or(|name| stats.source.spec.name == name) {
                sum.indexed += stats.ledger.indexed;
                sum.skipped += stats.ledger.skipped;
                sum.failed += stats.ledger.failed;
                sum.deleted += stats.ledger.deleted;
                sum.with_warnings += stats.ledger.with_warnings;
            }
        }
        Ok(sum)
    }

    /// How much is in the home. No source is looked at.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tally(&self) -> Result<Tally, Error> {
        let store = self.store().stats()?;
        let chosen = self.models().open(&self.model_name()?).ok();
        let fingerprint = chosen.map(|model| model.info().fingerprint.clone());
        let stats =
            (store.models.iter()).find(|stats| Some(&stats.fingerprint) == fingerprint.as_ref());
        Ok(Tally {
            items: store.items,
            deleted: store.deleted,
            chunks: store.chunks,
            missing: stats.map_or(store.chunks, |stats| stats.pending),
            bytes: store.bytes,
        })
    }

    /// What became of every file that was seen.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown source; when the database cannot be
    /// read.
    pub fn ledger(&self, request: &LedgerRequest) -> Result<Page<LedgerRow>, Error> {
        if let Some(name) = &request.source {
            self.source(name)?;
        }
        self.store().ledger(&LedgerQuery {
            source: request.source.clone(),
            state: request.state,
            with_warnings: request.with_warnings,
            without: Vec::new(),
            offset: request.offset,
            limit: request.limit,
        })
    }

    /// Reads everything and says what is not as it should be.
    ///
    /// # Errors
    /// When the database cannot be read at all.
    pub fn check(&self) -> Result<Vec<Problem>, Error> {
        let mut problems = self.everything().check()?;
        let mut note = |error: String| {
            problems.push(Problem {
                message: error,
                remedy: Remedy::Restore,
            })
        };
        if let Err(error) = self.home().settings() {
            note(error.to_string());
        }
        match self.plugins().list() {
            Err(error) => note(error.to_string()),
            Ok(plugins) => {
                for plugin in plugins {
                    if let Err(error) = self.plugins().origin(&plugin.name) {
                        note(error.to_string());
                    }
                }
            }
        }
        if let Ok(name) = self.model_name()
            && let Err(error) = self.models().open(&name)
            && !matches!(error, pkb_embed::Error::UnknownModel { .. })
        {
            note(error.to_string());
        }
        Ok(problems)
    }

    /// Puts right what follows from what is there: makes indices, the word index
    /// and vectors anew, and removes what belongs to nothing. Returns the
    /// problems that are left.
    ///
    /// # Errors
    /// [`Error::Stopped`] when the job says so; [`Error::Busy`] for a torn file
    /// while another process syncs; when the database cannot be written or the
    /// model fails.
    pub fn repair(&self, problems: &[Problem], job: &dyn Job) -> Result<Vec<Problem>, Error> {
        if problems
            .iter()
            .any(|problem| problem.remedy == Remedy::Rewrite)
        {
            // What a sync stored meanwhile would be lost.
            let _lock = self.sync_lock("doctor", false, job)?;
            match self.everything().rewrite() {
                Ok(()) => {}
                // Then it is beyond what can be made again.
                Err(pkb_store::Error::Damaged { .. }) => return self.check(),
                Err(error) => return Err(error.into()),
            }
            self.rebuild_terms()?;
            // The damage kept the rest from being looked at.
            let left = self.check()?;
            if left.iter().any(|problem| problem.remedy == Remedy::Rewrite) {
                return Ok(left);
            }
            return self.repair(&left, job);
        }
        let needs = |remedy| problems.iter().any(|problem| problem.remedy == remedy);
        if needs(Remedy::Reindex) {
            self.everything().reindex()?;
        }
        if needs(Remedy::RemoveStrays) {
            self.everything().remove_strays()?;
        }
        if needs(Remedy::MendLedger) || needs(Remedy::Resync) {
            self.everything().mend_ledger()?;
        }
        if needs(Remedy::RebuildTerms) {
            self.rebuild_terms()?;
        }
        if needs(Remedy::RemoveDamagedVectors) {
            self.everything().remove_damaged_vectors()?;
        }
        // What was removed may have been all that a vector was for.
        self.everything().remove_orphan_vectors()?;
        self.forget_stats();
        if self.lacks_vectors()? {
            self.embed(job)?;
        }
        self.check()
    }
}
