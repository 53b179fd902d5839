//! The store as a caller may see it: every way to read has its sources left
//! out, and there is no way to write.

use pkb_store::{
    Chunk, ChunkHit, ChunkId, ChunkSet, ChunkVector, Deleted, DenseMatches, Filter, Holder,
    Holding, Item, ItemDetails, ItemId, ItemQuery, ItemText, LedgerQuery, LedgerRow,
    LexicalMatches, LexicalQuery, Link, ModelId, ModelStats, Named, Page, Source, SourceId, Stats,
    Store, SyncRun,
};

use crate::engine::Engine;
use crate::error::Error;

/// See the module. Methods are those of [`Store`].
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    engine: &'a Engine,
    store: &'a dyn Store,
    /// A source that counts as named: that of the item at hand.
    own: Option<SourceId>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(engine: &'a Engine, store: &'a dyn Store) -> Seen<'a> {
        Seen {
            engine,
            store,
            own: None,
        }
    }

    /// The same from an item of that source, beside which the others of it are
    /// no secret.
    pub(crate) fn beside(self, source: SourceId) -> Seen<'a> {
        Seen {
            own: Some(source),
            ..self
        }
    }

    fn narrowed(&self, filter: &Filter) -> Result<Filter, Error> {
        let mut filter = filter.clone();
        let left_out = self.engine.unseen()?.left_out(&filter, self.own);
        filter.without.extend(left_out);
        Ok(filter)
    }

    /// Whether something of that source may be shown to one who names it.
    fn shows(&self, source: SourceId) -> Result<bool, Error> {
        Ok(!self.engine.unseen()?.is_private(source))
    }

    fn shows_item(&self, item: ItemId) -> Result<bool, Error> {
        if self.engine.unseen()?.private().is_empty() {
            return Ok(true);
        }
        Ok(self.item(item)?.is_some())
    }

    // ---- sources ----

    pub(crate) fn source(&self, name: &str) -> Result<Option<Source>, Error> {
        match self.store.source(name)? {
            Some(source) if self.shows(source.id)? => Ok(Some(source)),
            _ => Ok(None),
        }
    }

    /// All that may be named, by name.
    pub(crate) fn sources(&self) -> Result<Vec<Source>, Error> {
        let unseen = self.engine.unseen()?;
        let mut sources = self.store.sources()?;
        sources.retain(|source| !unseen.is_private(source.id));
        Ok(sources)
    }

    /// All that are shown where nobody names any, by name.
    pub(crate) fn listed(&self) -> Result<Vec<Source>, Error> {
        let unseen = self.engine.unseen()?;
        let mut sources = self.store.sources()?;
        sources.retain(|source| !unseen.is_unlisted(source.id));
        Ok(sources)
    }

    pub(crate) fn last_syncs(&self) -> Result<Vec<(Source, Option<SyncRun>)>, Error> {
        let unseen = self.engine.unseen()?;
        let mut runs = self.store.last_syncs()?;
        runs.retain(|(source, _)| !unseen.is_unlisted(source.id));
        Ok(runs)
    }

    pub(crate) fn last_sync(&self, source: SourceId) -> Result<Option<SyncRun>, Error> {
        match self.shows(source)? {
            true => Ok(self.store.last_sync(source)?),
            false => Ok(None),
        }
    }

    // ---- items ----

    pub(crate) fn items(&self, query: &ItemQuery) -> Result<Page<Item>, Error> {
        Ok(self.store.items(&ItemQuery {
            filter: self.narrowed(&query.filter)?,
            ..query.clone()
        })?)
    }

    pub(crate) fn item(&self, id: ItemId) -> Result<Option<ItemDetails>, Error> {
        match self.store.item(id)? {
            Some(found) if self.shows(found.item.source_id)? => Ok(Some(found)),
            _ => Ok(None),
        }
    }

    pub(crate) fn item_by_identity(
        &self,
        source: SourceId,
        external_id: &str,
    ) -> Result<Option<Item>, Error> {
        if !self.shows(source)? {
            return Ok(None);
        }
        Ok(self.store.item_by_identity(source, external_id)?)
    }

    pub(crate) fn inside(
        &self,
        source: SourceId,
        external_id: &str,
        deleted: Deleted,
    ) -> Result<Vec<Item>, Error> {
        if !self.shows(source)? {
            return Ok(Vec::new());
        }
        Ok(self.store.inside(source, external_id, deleted)?)
    }

    /// What is hidden is meant where nothing else is.
    pub(crate) fn find(
        &self,
        wanted: &str,
        deleted: Deleted,
        limit: usize,
    ) -> Result<Vec<Item>, Error> {
        let unseen = self.engine.unseen()?;
        let unlisted = unseen.unlisted(self.own);
        let found = self.store.find(wanted, deleted, &unlisted, limit)?;
        if !found.is_empty() || unlisted.len() == unseen.private().len() {
            return Ok(found);
        }
        Ok(self.store.find(wanted, deleted, unseen.private(), limit)?)
    }

    pub(crate) fn similar(
        &self,
        wanted: &str,
        deleted: Deleted,
        limit: usize,
    ) -> Result<Vec<Item>, Error> {
        let unlisted = self.engine.unseen()?.unlisted(self.own);
        Ok(self.store.similar(wanted, deleted, &unlisted, limit)?)
    }

    pub(crate) fn text(&self, id: ItemId) -> Result<Option<ItemText>, Error> {
        match self.shows_item(id)? {
            true => Ok(self.store.text(id)?),
            false => Ok(None),
        }
    }

    pub(crate) fn chunks(&self, id: ItemId) -> Result<Vec<Chunk>, Error> {
        match self.shows_item(id)? {
            true => Ok(self.store.chunks(id)?),
            false => Ok(Vec::new()),
        }
    }

    pub(crate) fn hits(&self, ids: &[ChunkId]) -> Result<Vec<ChunkHit>, Error> {
        let unseen = self.engine.unseen()?;
        let mut hits = self.store.hits(ids)?;
        hits.retain(|hit| !unseen.is_private(hit.item.source_id));
        Ok(hits)
    }

    // ---- links ----

    pub(crate) fn files(&self, source: SourceId) -> Result<Vec<Named>, Error> {
        match self.shows(source)? {
            true => Ok(self.store.files(source)?),
            false => Ok(Vec::new()),
        }
    }

    pub(crate) fn aliases(&self, source: SourceId) -> Result<Vec<(ItemId, String)>, Error> {
        match self.shows(source)? {
            true => Ok(self.store.aliases(source)?),
            false => Ok(Vec::new()),
        }
    }

    pub(crate) fn at_addresses(
        &self,
        keep: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Vec<Item>, Error> {
        let unlisted = self.engine.unseen()?.unlisted(self.own);
        let mut items = self.store.at_addresses(keep)?;
        items.retain(|item| !unlisted.contains(&item.source_id));
        Ok(items)
    }

    pub(crate) fn links_to(
        &self,
        keep: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Vec<(Item, Link)>, Error> {
        let unlisted = self.engine.unseen()?.unlisted(self.own);
        let mut links = self.store.links_to(keep)?;
        links.retain(|(item, _)| !unlisted.contains(&item.source_id));
        Ok(links)
    }

    // ---- searching ----

    pub(crate) fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<LexicalMatches, Error> {
        Ok(self.store.lexical(query, &self.narrowed(filter)?, limit)?)
    }

    pub(crate) fn dense(
        &self,
        model: ModelId,
        query: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<DenseMatches, Error> {
        let filter = self.narrowed(filter)?;
        Ok(self.store.dense(model, query, &filter, limit)?)
    }

    pub(crate) fn current_model(&self) -> Result<Option<ModelId>, Error> {
        Ok(self.store.current_model()?)
    }

    pub(crate) fn item_vectors(
        &self,
        model: ModelId,
        item: ItemId,
    ) -> Result<Vec<ChunkVector>, Error> {
        match self.shows_item(item)? {
            true => Ok(self.store.item_vectors(model, item)?),
            false => Ok(Vec::new()),
        }
    }

    // ---- the ledger and numbers ----

    pub(crate) fn ledger(&self, query: &LedgerQuery) -> Result<Page<LedgerRow>, Error> {
        let unseen = self.engine.unseen()?;
        let mut query = query.clone();
        query.without.extend(match query.source {
            Some(_) => unseen.private().to_vec(),
            None => unseen.unlisted(self.own),
        });
        Ok(self.store.ledger(&query)?)
    }

    pub(crate) fn stats(&self) -> Result<Stats, Error> {
        let unlisted = self.engine.unseen()?.unlisted(self.own);
        Ok(self.store.stats_without(&unlisted)?)
    }

    pub(crate) fn holdings(&self) -> Result<Vec<Holding>, Error> {
        let listed = self.listed()?;
        let mut holdings = self.store.holdings()?;
        holdings.retain(|own| listed.iter().any(|source| source.spec.name == own.source));
        Ok(holdings)
    }

    pub(crate) fn models(&self) -> Result<Vec<ModelStats>, Error> {
        Ok(self.stats()?.models)
    }

    pub(crate) fn chunk_sets(&self) -> Result<Vec<(Option<ChunkSet>, u64)>, Error> {
        let unlisted = self.engine.unseen()?.unlisted(self.own);
        Ok(self.store.chunk_sets(&unlisted)?)
    }

    pub(crate) fn generation(&self) -> Result<i64, Error> {
        Ok(self.store.generation()?)
    }

    // ---- processes ----

    pub(crate) fn sync_holder(&self) -> Option<Holder> {
        self.store.sync_holder()
    }

    pub(crate) fn watch_holder(&self) -> Option<Holder> {
        self.store.watch_holder()
    }
}
