//! [`Store`] for [`SqliteStore`]: what each method means in transactions and
//! errors. The work itself is done in the modules beside this one.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::ledger::Shared;
use super::traces::{self, Traces};
use super::{
    SqliteStore, backup, catalogue, check, chunk_sets, find, ledger, linked, lock, mend, read,
    remove, salvage, sources, staged, stats, terms, vectors, write,
};
use crate::*;

fn no_source(name: impl Into<String>) -> Error {
    Error::NotFound {
        what: "source",
        name: name.into(),
    }
}

fn no_model(model: ModelId) -> Error {
    Error::NotFound {
        what: "model",
        name: model.0.to_string(),
    }
}

/// An error when one of the sources is gone, as another process may remove a
/// source at any time.
fn require_sources(
    conn: &Connection,
    sources: impl Iterator<Item = SourceId>,
) -> rusqlite::Result<Result<()>> {
    for source in sources.collect::<HashSet<_>>() {
        let known = conn
            .prepare_cached("SELECT 1 FROM sources WHERE id = ?1")?
            .exists([source.0])?;
        if !known {
            return Ok(Err(no_source(source.0.to_string())));
        }
    }
    Ok(Ok(()))
}

impl SqliteStore {
    fn valid_source(spec: &SourceSpec) -> Result<()> {
        match sources::problem(spec) {
            Some(problem) => Err(Error::Invalid {
                name: spec.name.clone(),
                problem,
            }),
            None => Ok(()),
        }
    }
}

impl Store for SqliteStore {
    fn add_source(&self, spec: &SourceSpec) -> Result<Source> {
        Self::valid_source(spec)?;
        self.pool
            .write("add a source", |tx| sources::add(tx, spec))?
            .ok_or_else(|| Error::Exists {
                what: "source",
                name: spec.name.clone(),
            })
    }

    fn source(&self, name: &str) -> Result<Option<Source>> {
        self.pool
            .read("read a source", |tx| sources::by_name(tx, name))
    }

    fn sources(&self) -> Result<Vec<Source>> {
        self.pool.read("read its sources", |tx| sources::all(tx))
    }

    fn update_source(&self, name: &str, spec: &SourceSpec) -> Result<Source> {
        Self::valid_source(spec)?;
        let updated = self
            .pool
            .write("change a source", |tx| sources::update(tx, name, spec))?;
        match updated {
            sources::Updated::Done(source) => Ok(source),
            sources::Updated::NotFound => Err(no_source(name)),
            sources::Updated::NameTaken => Err(Error::Exists {
                what: "source",
                name: spec.name.clone(),
            }),
        }
    }

    fn remove_source(&self, name: &str) -> Result<Erased> {
        self.pool
            .write("remove a source", |tx| remove::source(tx, name))?
            .ok_or_else(|| no_source(name))
    }

    fn cursor(&self, source: SourceId) -> Result<Option<String>> {
        self.pool
            .read("read a cursor", |tx| sources::cursor(tx, source))
    }

    fn set_cursor(&self, source: SourceId, cursor: Option<&str>) -> Result<()> {
        self.pool.write("keep a cursor", |tx| {
            if let Err(error) = require_sources(tx, [source].into_iter())? {
                return Ok(Err(error));
            }
            sources::set_cursor(tx, source, cursor).map(Ok)
        })?
    }

    fn put(&self, batch: &[ItemWrite]) -> Result<Vec<ItemId>> {
        for item in batch {
            write::validate(item)?;
        }
        self.pool.write("store items", |tx| {
            if let Err(error) = require_sources(tx, batch.iter().map(|item| item.source))? {
                return Ok(Err(error));
            }
            let mut shared = Shared::default();
            let ids: rusqlite::Result<_> = batch
                .iter()
                .map(|item| write::put(tx, &mut shared, item))
                .collect();
            ids.map(Ok)
        })?
    }

    fn put_ledger(&self, batch: &[LedgerWrite]) -> Result<()> {
        self.pool.write("write its ledger", |tx| {
            if let Err(error) = require_sources(tx, batch.iter().map(|row| row.source))? {
                return Ok(Err(error));
            }
            let mut shared = Shared::default();
            for row in batch {
                ledger::put(tx, &mut shared, row)?;
            }
            Ok(Ok(()))
        })?
    }

    fn touch(&self, source: SourceId, stamps: &[(&str, &str)]) -> Result<()> {
        self.pool
            .write("write its ledger", |tx| ledger::touch(tx, source, stamps))
    }

    fn rename(&self, batch: &[Rename]) -> Result<Vec<Option<ItemId>>> {
        self.pool
            .write("move items", |tx| remove::rename(tx, batch))
    }

    fn soft_delete(&self, items: &[ItemId], cause: &str) -> Result<u64> {
        if items.is_empty() {
            return Ok(0);
        }
        self.pool
            .write("delete items", |tx| remove::soft_delete(tx, items, cause))
    }

    fn restore(&self, items: &[ItemId]) -> Result<u64> {
        self.pool
            .write("restore items", |tx| remove::restore(tx, items))
    }

    fn hard_delete(&self, items: &[ItemId]) -> Result<Erased> {
        self.pool
            .write("delete items", |tx| remove::hard_delete(tx, items))
    }

    fn purge(&self, deleted_before: Millis) -> Result<Erased> {
        self.pool.write("purge deleted items", |tx| {
            remove::purge(tx, deleted_before)
        })
    }

    fn wipe(&self) -> Result<bool> {
        if self.pool.read("read its state", |tx| traces::noted(tx))? == Traces::None {
            return Ok(true);
        }
        self.pool.with_writer("be wiped", |conn| {
            if traces::noted(conn)? == Traces::Everywhere {
                self.pool.patiently(|| traces::rewrite(conn))?;
                traces::note(conn, Traces::InLog)?;
            }
            let done = traces::empty_log(conn)?;
            if done {
                traces::note(conn, Traces::None)?;
            }
            Ok(done)
        })
    }

    fn stamps(&self, source: SourceId) -> Result<HashMap<String, Stamp>> {
        self.pool
            .read("read its ledger", |tx| ledger::stamps(tx, source))
    }

    fn glance(
        &self,
        source: SourceId,
        visit: &mut dyn FnMut(&str, &str, LedgerState),
    ) -> Result<HashMap<String, String>> {
        self.pool
            .read("read its ledger", |tx| ledger::glance(tx, source, visit))
    }

    fn ledger(&self, query: &LedgerQuery) -> Result<Page<LedgerRow>> {
        self.pool
            .read("read its ledger", |tx| ledger::list(tx, query))
    }

    fn ledger_totals(&self) -> Result<Vec<LedgerTotals>> {
        self.pool.read("read its ledger", |tx| ledger::totals(tx))
    }

    fn warn(&self, item: ItemId, warning: &str) -> Result<()> {
        self.pool
            .write("write its ledger", |tx| ledger::warn(tx, item, warning))
    }

    fn forget(&self, source: SourceId, external_ids: &[&str]) -> Result<u64> {
        if external_ids.is_empty() {
            return Ok(0);
        }
        self.pool.write("write its ledger", |tx| {
            ledger::forget(tx, source, external_ids)
        })
    }

    fn items(&self, query: &ItemQuery) -> Result<Page<Item>> {
        self.pool.read("list items", |tx| read::items(tx, query))
    }

    fn item(&self, id: ItemId) -> Result<Option<ItemDetails>> {
        self.pool.read("read an item", |tx| read::details(tx, id))
    }

    fn item_by_identity(&self, source: SourceId, external_id: &str) -> Result<Option<Item>> {
        self.pool.read("read an item", |tx| {
            read::item_by_identity(tx, source, external_id)
        })
    }

    fn inside(&self, source: SourceId, external_id: &str, deleted: Deleted) -> Result<Vec<Item>> {
        self.pool.read("read items", |tx| {
            read::inside(tx, source, external_id, deleted)
        })
    }

    fn find(
        &self,
        wanted: &str,
        deleted: Deleted,
        without: &[SourceId],
        limit: usize,
    ) -> Result<Vec<Item>> {
        self.pool.read("find an item", |tx| {
            find::find(tx, wanted, deleted, without, limit)
        })
    }

    fn similar(
        &self,
        wanted: &str,
        deleted: Deleted,
        without: &[SourceId],
        limit: usize,
    ) -> Result<Vec<Item>> {
        self.pool.read("find an item", |tx| {
            find::similar(tx, wanted, deleted, without, limit)
        })
    }

    fn text(&self, id: ItemId) -> Result<Option<ItemText>> {
        self.pool.read("read a text", |tx| read::text(tx, id.0))
    }

    fn chunks(&self, id: ItemId) -> Result<Vec<Chunk>> {
        self.pool.read("read chunks", |tx| read::chunks(tx, id.0))
    }

    fn hits(&self, ids: &[ChunkId]) -> Result<Vec<ChunkHit>> {
        self.pool.read("read chunks", |tx| read::hits(tx, ids))
    }

    fn files(&self, source: SourceId) -> Result<Vec<Named>> {
        self.pool
            .read("read its names", |tx| linked::files(tx, source))
    }

    fn aliases(&self, source: SourceId) -> Result<Vec<(ItemId, String)>> {
        self.pool
            .read("read its names", |tx| linked::aliases(tx, source))
    }

    fn at_addresses(&self, keep: &mut dyn FnMut(&str) -> bool) -> Result<Vec<Item>> {
        self.pool
            .read("find items", |tx| linked::at_addresses(tx, keep))
    }

    fn links_to(&self, keep: &mut dyn FnMut(&str) -> bool) -> Result<Vec<(Item, Link)>> {
        self.pool
            .read("read its links", |tx| linked::links_to(tx, keep))
    }

    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<LexicalMatches> {
        self.pool.read("search by word", |tx| {
            let eligible = self.eligible.of(tx, filter)?;
            self.words
                .search(tx, &self.catalogue, query, &eligible, limit)
        })
    }

    fn dense(
        &self,
        model: ModelId,
        query: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<DenseMatches> {
        if !query.iter().all(|number| number.is_finite()) {
            return Err(Error::Invalid {
                name: "the query's vector".into(),
                problem: "it holds a number that is not finite".into(),
            });
        }
        self.pool.read("search by meaning", |tx| {
            let Some(known) = vectors::model(tx, model)? else {
                return Ok(Err(no_model(model)));
            };
            if query.len() != known.dimensions as usize {
                return Ok(Err(Error::Invalid {
                    name: "the query's vector".into(),
                    problem: format!(
                        "it has {} dimensions, the model has {}",
                        query.len(),
                        known.dimensions
                    ),
                }));
            }
            let eligible = self.eligible.of(tx, filter)?;
            let mut found =
                self.index
                    .search(tx, &self.catalogue, known, query, &eligible, limit)?;
            let live = || {
                let live = Filter {
                    without: filter.without.clone(),
                    ..Filter::default()
                };
                self.eligible.of(tx, &live)
            };
            (found.missing, found.all_missing) = self.index.missing(tx, &self.catalogue, live)?;
            Ok(Ok(found))
        })?
    }

    fn model(&self, fingerprint: &str) -> Result<Option<ModelId>> {
        let known = self.pool.read("read its models", |tx| {
            vectors::model_by_fingerprint(tx, fingerprint)
        })?;
        Ok(known.map(|model| model.id))
    }

    fn ensure_model(&self, fingerprint: &str, name: &str, dimensions: u32) -> Result<ModelId> {
        let invalid = |problem| Error::Invalid {
            name: name.into(),
            problem,
        };
        if dimensions == 0 {
            return Err(invalid("a model of no dimensions".into()));
        }
        // Nearly always it is known, and then nothing needs to be written.
        let known = self.pool.read("read its models", |tx| {
            vectors::model_by_fingerprint(tx, fingerprint)
        })?;
        let model = match known {
            Some(model) => model,
            None => self.pool.write("add a model", |tx| {
                vectors::ensure_model(tx, fingerprint, name, dimensions)
            })?,
        };
        if model.dimensions != dimensions {
            return Err(invalid(format!(
                "it has {dimensions} dimensions, but its vectors here have {}",
                model.dimensions
            )));
        }
        Ok(model.id)
    }

    fn models(&self) -> Result<Vec<ModelStats>> {
        self.pool
            .read("read its models", |tx| vectors::models(tx, &[]))
    }

    fn current_model(&self) -> Result<Option<ModelId>> {
        self.pool
            .read("read its models", |tx| vectors::current_model(tx))
    }

    fn set_current_model(&self, model: ModelId) -> Result<()> {
        self.pool.write("choose a model", |tx| {
            if vectors::model(tx, model)?.is_none() {
                return Ok(Err(no_model(model)));
            }
            vectors::set_current_model(tx, model).map(Ok)
        })?
    }

    fn remove_model(&self, model: ModelId) -> Result<u64> {
        self.pool
            .write("remove a model", |tx| vectors::remove_model(tx, model))
    }

    fn unembedded(
        &self,
        model: ModelId,
        after: Option<EmbedCursor>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.pool.read("read chunks without a vector", |tx| {
            vectors::unembedded(tx, model, after, limit)
        })
    }

    fn put_vectors(&self, model: ModelId, vectors: &[(ChunkHash, Vec<f32>)]) -> Result<u64> {
        let packed = vectors
            .iter()
            .map(|(hash, vector)| vectors::pack(vector).map(|packed| (*hash, packed)))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Error::Invalid {
                name: "a vector".into(),
                problem: "it holds a number that is not finite".into(),
            })?;
        self.pool.write("store vectors", |tx| {
            let Some(known) = vectors::model(tx, model)? else {
                return Ok(Err(no_model(model)));
            };
            let wanted = known.dimensions as usize;
            if let Some((_, wrong)) = vectors.iter().find(|(_, v)| v.len() != wanted) {
                return Ok(Err(Error::Invalid {
                    name: "a vector".into(),
                    problem: format!("it has {} dimensions, the model has {wanted}", wrong.len()),
                }));
            }
            vectors::put(tx, model, &packed).map(Ok)
        })?
    }

    fn item_vectors(&self, model: ModelId, item: ItemId) -> Result<Vec<ChunkVector>> {
        self.pool
            .read("read vectors", |tx| match vectors::model(tx, model)? {
                Some(known) => vectors::of_item(tx, known, item).map(Ok),
                None => Ok(Err(no_model(model))),
            })?
    }

    fn remove_orphan_vectors(&self) -> Result<u64> {
        self.pool
            .write("remove vectors", |tx| vectors::remove_orphans(tx))
    }

    fn remove_damaged_vectors(&self) -> Result<u64> {
        self.pool
            .write("remove vectors", |tx| vectors::remove_damaged(tx))
    }

    fn chunk_set(&self, key: &str) -> Result<Option<ChunkSetId>> {
        self.pool
            .read("read its chunk sets", |tx| chunk_sets::by_key(tx, key))
    }

    fn add_chunk_set(&self, set: &ChunkSet) -> Result<ChunkSetId> {
        self.pool
            .write("add a chunk set", |tx| chunk_sets::add(tx, set))
    }

    fn chunk_sets(&self, without: &[SourceId]) -> Result<Vec<(Option<ChunkSet>, u64)>> {
        self.pool
            .read("read its chunk sets", |tx| chunk_sets::in_use(tx, without))
    }

    fn outdated(
        &self,
        source: SourceId,
        wanted: &[WantedSet],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Page<Outdated>> {
        self.pool.read("read its chunk sets", |tx| {
            chunk_sets::outdated(tx, source, wanted, after, limit)
        })
    }

    fn unstage(&self, source: SourceId, wanted: &[WantedSet]) -> Result<u64> {
        // Nearly always nothing is, and then nobody needs to wait for a write.
        if !self
            .pool
            .read("read its chunk sets", |tx| staged::any(tx))?
        {
            return Ok(0);
        }
        self.pool.write("drop staged chunks", |tx| {
            staged::unstage(tx, source, wanted)
        })
    }

    fn stage(&self, batch: &[StagedWrite]) -> Result<()> {
        self.pool.write("stage chunks", |tx| {
            batch.iter().try_for_each(|item| staged::stage(tx, item))
        })
    }

    fn take_over(&self, model: Option<ModelId>) -> Result<TakeOver> {
        let (staged, current) = self.pool.read("read its chunk sets", |tx| {
            Ok((staged::any(tx)?, vectors::current_model(tx)?))
        })?;
        if !staged && (model.is_none() || model == current) {
            return Ok(TakeOver::default());
        }
        self.pool.write("put new chunks in place", |tx| {
            if let Some(model) = model
                && vectors::model(tx, model)?.is_none()
            {
                return Ok(Err(no_model(model)));
            }
            staged::take_over(tx, model).map(Ok)
        })?
    }

    fn sync_lock(&self, doing: &str) -> Result<LockOutcome> {
        lock::acquire(self.pool.path(), lock::Kind::Sync, doing)
    }

    fn watch_lock(&self, doing: &str) -> Result<LockOutcome> {
        lock::acquire(self.pool.path(), lock::Kind::Watch, doing)
    }

    fn write_lock(&self, doing: &str) -> Result<LockOutcome> {
        lock::acquire(self.pool.path(), lock::Kind::Write, doing)
    }

    fn sync_holder(&self) -> Option<Holder> {
        lock::holder(self.pool.path(), lock::Kind::Sync)
    }

    fn watch_holder(&self) -> Option<Holder> {
        lock::holder(self.pool.path(), lock::Kind::Watch)
    }

    fn start_sync(&self, source: SourceId) -> Result<SyncRunId> {
        self.pool.write_aside("record a sync", |tx| {
            if let Err(error) = require_sources(tx, [source].into_iter())? {
                return Ok(Err(error));
            }
            sources::start_sync(tx, source).map(Ok)
        })?
    }

    fn finish_sync(&self, run: SyncRunId, outcome: &str, counts: &SyncCounts) -> Result<()> {
        // A run that is gone went with its source; there is nothing to record.
        self.pool.write_aside("record a sync", |tx| {
            sources::finish_sync(tx, run, outcome, counts).map(|_| ())
        })
    }

    fn forget_sync(&self, run: SyncRunId) -> Result<()> {
        self.pool.write_aside("record a sync", |tx| {
            tx.execute("DELETE FROM sync_runs WHERE id = ?1", [run.0])
                .map(|_| ())
        })
    }

    fn looked(&self, source: SourceId, began: Millis) -> Result<()> {
        self.pool.write_aside("record a look", |tx| {
            sources::looked(tx, source, began).map(|_| ())
        })
    }

    fn last_sync(&self, source: SourceId) -> Result<Option<SyncRun>> {
        self.pool
            .read("read its syncs", |tx| sources::last_sync(tx, source))
    }

    fn generation(&self) -> Result<i64> {
        self.pool
            .read("read its state", |tx| catalogue::generation(tx))
    }

    fn last_syncs(&self) -> Result<Vec<(Source, Option<SyncRun>)>> {
        self.pool.read("read its syncs", |tx| {
            sources::all(tx)?
                .into_iter()
                .map(|source| {
                    let last = sources::last_sync(tx, source.id)?;
                    Ok((source, last))
                })
                .collect()
        })
    }

    fn sync_runs(&self, limit: usize) -> Result<Vec<SyncRun>> {
        self.pool
            .read("read its syncs", |tx| sources::sync_runs(tx, limit))
    }

    fn stats_without(&self, without: &[SourceId]) -> Result<Stats> {
        self.pool
            .read("count", |tx| stats::stats(tx, self.pool.path(), without))
    }

    fn holdings(&self) -> Result<Vec<Holding>> {
        self.pool.read("count", |tx| stats::holdings(tx))
    }

    fn check(&self) -> Result<Vec<Problem>> {
        let _span = tracing::info_span!("store.check").entered();
        // A fresh connection, as FTS5's check takes what an older one remembers
        // of the word index for its present state.
        let outcome = self.pool.with_fresh_reader("be checked", |conn| {
            let tx = conn.transaction()?;
            check::check(&tx)
        });
        match outcome {
            Err(error @ Error::Damaged { .. }) => Ok(vec![Problem {
                message: error.to_string(),
                remedy: Remedy::Rewrite,
            }]),
            outcome => outcome,
        }
    }

    fn terms_made_by(&self) -> Result<u32> {
        self.pool.read("read its state", |tx| terms::made_by(tx))
    }

    fn rebuild_terms(&self, made_by: u32, make: &mut MakeTerms<'_>) -> Result<()> {
        self.pool.write("rebuild its word index", |tx| {
            terms::rebuild(tx, made_by, make)
        })
    }

    fn rewrite(&self) -> Result<()> {
        if self.is_read_only() {
            return Err(Error::ReadOnly {
                path: self.pool.path().into(),
            });
        }
        salvage::rewrite(self.pool.path())
    }

    fn reindex(&self) -> Result<()> {
        self.pool
            .write("make its indices anew", |tx| tx.execute_batch("REINDEX"))
    }

    fn remove_strays(&self) -> Result<u64> {
        self.pool.write("be mended", |tx| mend::remove_strays(tx))
    }

    fn mend_ledger(&self) -> Result<u64> {
        self.pool.write("be mended", |tx| mend::ledger(tx))
    }

    fn optimize(&self) -> Result<()> {
        let _span = tracing::info_span!("store.optimize").entered();
        self.pool.with_writer("be optimized", |conn| {
            conn.execute_batch(
                "INSERT INTO terms (terms) VALUES ('optimize');
                 PRAGMA optimize = 0x10002;",
            )?;
            // Each step gives one page back.
            let mut vacuum = conn.prepare("PRAGMA incremental_vacuum")?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            drop(pages);
            traces::empty_log(conn).map(|_| ())
        })
    }

    fn backup(&self, to: &Path) -> Result<()> {
        let _span = tracing::info_span!("store.backup").entered();
        backup::compact(&self.pool, to)
    }

    fn copies(&self) -> Result<Vec<PathBuf>> {
        backup::beside_it(self.pool.path())
    }

    fn is_read_only(&self) -> bool {
        self.pool.is_read_only()
    }
}
