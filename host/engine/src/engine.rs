//! One open home: the store, the components and the model, brought together.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pkb_embed::{Model, Registry};
use pkb_runtime::{ComponentInfo, Plugins, Sandbox, Tokenizer};
use pkb_store::{Deleted, ItemQuery, ModelId, ModelStats, SqliteStore, Store};

use crate::components::Components;
use crate::error::Error;
use crate::fresh::Looks;
use crate::home::{Home, HomeSettings};
use crate::preload::Preload;
use crate::reach::{KnownUnseen, Reach};
use crate::search::SearchAnswer;
use crate::seen::Seen;
use crate::together::Together;

/// The model that is used where the user chose none.
pub const DEFAULT_MODEL: &str = "minilm";

/// How long the count of missing vectors is good for: it reads every chunk.
const STATS_FOR: Duration = Duration::from_secs(2);

/// What a caller may do with the home it opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only: nothing is created or changed.
    Read,
    /// Read and write: the home is made where it is missing.
    Write,
}

/// Everything that pkb does. One engine serves many threads.
pub struct Engine {
    home: Home,
    store: SqliteStore,
    components: Arc<Components>,
    registry: Registry,
    /// The chosen model, by its name in the registry.
    model: Arc<Mutex<KeptModel>>,
    /// The model before, while it is searched with.
    former: Mutex<Option<Arc<ActiveModel>>>,
    pub(crate) preload: Preload,
    pub(crate) looks: Looks,
    /// Searches that come at once.
    pub(crate) searches: Together<SearchAnswer>,
    stats: Mutex<Option<(Instant, Vec<ModelStats>)>>,
    pub(crate) reach: Reach,
    pub(crate) unseen: Mutex<KnownUnseen>,
    /// Held by whoever changes a file of a source.
    pub(crate) writing: Mutex<()>,
}

/// The model that was used last, by its name in the registry.
type KeptModel = Option<(String, Arc<ActiveModel>)>;

/// A model that can be searched with.
pub(crate) struct Searchable {
    pub(crate) id: ModelId,
    pub(crate) model: Arc<ActiveModel>,
    /// How many chunks have no vector of the chosen model, where that is
    /// another one and has begun.
    pub(crate) missing: Option<u64>,
}

/// A model and its tokenizer.
pub(crate) struct ActiveModel {
    pub(crate) model: Model,
    pub(crate) tokenizer: Arc<Tokenizer>,
}

impl Engine {
    /// Opens a home. A database of an older pkb is brought up to date first,
    /// also for [`Access::Read`].
    ///
    /// # Errors
    /// When the home cannot be made or its database cannot be opened; a missing
    /// database is an error only for [`Access::Read`].
    pub fn open(home: Home, access: Access) -> Result<Engine, Error> {
        if access == Access::Read {
            return Engine::open_to_read(home);
        }
        home.create()?;
        let store = SqliteStore::open(home.database())?;
        let engine = Engine::new(home, store);
        if !engine.store.is_read_only() {
            if engine.lacks_terms()? {
                engine.rebuild_terms()?;
            }
            engine.wipe_the_rest();
        }
        Ok(engine)
    }

    fn open_to_read(home: Home) -> Result<Engine, Error> {
        match SqliteStore::open_read_only(home.database()) {
            Ok(store) => {
                let engine = Engine::new(home.clone(), store);
                if !engine.lacks_terms()? {
                    return Ok(engine);
                }
            }
            Err(pkb_store::Error::Older { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Engine::open(home.clone(), Access::Write)?;
        let store = SqliteStore::open_read_only(home.database())?;
        Ok(Engine::new(home, store))
    }

    /// Whether this is a database of an older pkb, that has no terms of this
    /// kind yet: without them nothing is found by word.
    fn lacks_terms(&self) -> Result<bool, Error> {
        Ok(self.store.terms_made_by()? == 0
            && self
                .store
                .items(&ItemQuery {
                    deleted: Deleted::Include,
                    limit: 0,
                    ..ItemQuery::default()
                })?
                .total
                > 0)
    }

    /// The components, models and settings of `home` over another database,
    /// which is made where it is missing. The home itself need not be there.
    pub(crate) fn over(home: Home, database: &Path) -> Result<Engine, Error> {
        let engine = Engine::new(home, SqliteStore::open(database)?);
        engine.update_terms()?;
        Ok(engine)
    }

    fn new(home: Home, store: SqliteStore) -> Engine {
        Engine {
            components: Arc::new(Components::new(&home)),
            registry: Registry::new(&home.models),
            home,
            store,
            model: Arc::default(),
            former: Mutex::default(),
            preload: Preload::default(),
            looks: Looks::default(),
            searches: Together::new(),
            stats: Mutex::default(),
            reach: Reach::default(),
            unseen: Mutex::default(),
            writing: Mutex::default(),
        }
    }

    /// The same home for writing, with what is loaded already.
    pub(crate) fn writable(&self) -> Result<Engine, Error> {
        let mut engine = Engine::open(self.home.clone(), Access::Write)?;
        engine.components = self.components.clone();
        engine.model = self.model.clone();
        Ok(engine.with_reach(self.reach.clone()))
    }

    /// Whether nothing can be written here, be it that the home was opened so
    /// or that its drive cannot be written.
    pub fn is_read_only(&self) -> bool {
        self.store.is_read_only()
    }

    /// Where the home is.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The models there are.
    pub fn models(&self) -> &Registry {
        &self.registry
    }

    /// The plugins there are.
    pub fn plugins(&self) -> &Plugins {
        self.components.plugins()
    }

    /// What runs components.
    ///
    /// # Errors
    /// When the sandbox cannot start on this machine.
    pub fn sandbox(&self) -> Result<&Sandbox, Error> {
        self.components.sandbox()
    }

    /// All components, built-in ones first, with what they say of themselves.
    ///
    /// # Errors
    /// When one cannot be loaded.
    pub fn component_list(&self) -> Result<Vec<ComponentInfo>, Error> {
        self.components.list()
    }

    pub(crate) fn components(&self) -> &Components {
        &self.components
    }

    pub(crate) fn shared_components(&self) -> Arc<Components> {
        self.components.clone()
    }

    /// The store as the caller may see it, to read from.
    pub(crate) fn store(&self) -> Seen<'_> {
        Seen::new(self, &self.store)
    }

    /// The whole store, for what has to know all there is: reading sources,
    /// keeping the index in order, and whoever marks sources. No answer may be
    /// made from it.
    pub(crate) fn everything(&self) -> &dyn Store {
        &self.store
    }

    /// Name of the model to embed with: the user's choice, or the default.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub fn model_name(&self) -> Result<String, Error> {
        Ok(self
            .home
            .settings()?
            .model
            .unwrap_or_else(|| DEFAULT_MODEL.into()))
    }

    /// Chooses the model to embed with, from now on.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn use_model(&self, name: &str) -> Result<(), Error> {
        self.registry.open(name)?;
        let settings = HomeSettings {
            model: Some(name.to_owned()),
            ..self.home.settings()?
        };
        self.home.set_settings(&settings)?;
        *self.model.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// The chosen model, or none where it is not there yet.
    pub(crate) fn chosen_model(&self) -> Result<Option<Arc<ActiveModel>>, Error> {
        // Read each time: another process may have chosen anew.
        let name = self.model_name()?;
        let mut kept = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, model)) = &*kept
            && *known == name
        {
            return Ok(Some(model.clone()));
        }
        let model = match self.registry.open(&name) {
            Ok(model) => Arc::new(self.activate(model)?),
            Err(pkb_embed::Error::UnknownModel { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        *kept = Some((name, model.clone()));
        Ok(Some(model))
    }

    fn activate(&self, model: Model) -> Result<ActiveModel, Error> {
        let tokenizer = self.components.tokenizer(Some(&model.tokenizer_json()?))?;
        Ok(ActiveModel { model, tokenizer })
    }

    /// The model's number in the store, which learns of it here.
    pub(crate) fn register(&self, active: &ActiveModel) -> Result<ModelId, Error> {
        let info = active.model.info();
        let dimensions = u32::try_from(info.dimensions).unwrap_or(u32::MAX);
        Ok(self
            .store
            .ensure_model(&info.fingerprint, &info.name, dimensions)?)
    }

    /// The model whose vectors are searched now: the chosen one, or the one before
    /// until the chosen one's vectors are complete. None, with a note that says
    /// why, where there is none.
    pub(crate) fn searchable_model(
        &self,
        notes: &mut Vec<String>,
    ) -> Result<Option<Searchable>, Error> {
        let Some(chosen) = self.chosen_model()? else {
            notes.push(format!(
                "Searched by word only: {}",
                missing_model(&self.model_name()?)
            ));
            return Ok(None);
        };
        let own = self.store.model(&chosen.model.info().fingerprint)?;
        let current = self.store.current_model()?;
        // Only while another takes over are vectors counted beforehand: that
        // goes through all chunks.
        if current.is_some()
            && current != own
            && let Some(before) = self.before(&chosen, notes)?
        {
            return Ok(Some(before));
        }
        let Some(id) = own else {
            notes.push(NOTHING_EMBEDDED.into());
            return Ok(None);
        };
        Ok(Some(Searchable {
            id,
            model: chosen,
            missing: None,
        }))
    }

    /// The model before, with a note that says how far the chosen one has come.
    /// None where it is not there any more.
    fn before(
        &self,
        chosen: &ActiveModel,
        notes: &mut Vec<String>,
    ) -> Result<Option<Searchable>, Error> {
        let stats = self.model_stats()?;
        let own = (stats.iter()).find(|own| own.fingerprint == chosen.model.info().fingerprint);
        let Some(current) = (stats.iter()).find(|stats| stats.current && stats.present > 0) else {
            return Ok(None);
        };
        let Some(model) = self.former(&current.fingerprint)? else {
            return Ok(None);
        };
        notes.push(format!(
            "Searched with the vectors of {} until those of {} are complete ({} of {}). `pkb sync` makes them.",
            current.name,
            chosen.model.info().name,
            own.map_or(0, |own| own.wanted - own.pending),
            own.map_or(current.wanted, |own| own.wanted),
        ));
        Ok(Some(Searchable {
            id: current.id,
            model,
            missing: Some(current.missing),
        }))
    }

    /// The installed model with that fingerprint, whatever its name.
    fn former(&self, fingerprint: &str) -> Result<Option<Arc<ActiveModel>>, Error> {
        let mut kept = self.former.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(former) = &*kept
            && former.model.info().fingerprint == fingerprint
        {
            return Ok(Some(former.clone()));
        }
        for listed in self.registry.list()? {
            if let Ok(model) = self.registry.open(&listed.name)
                && model.info().fingerprint == fingerprint
            {
                let former = Arc::new(self.activate(model)?);
                *kept = Some(former.clone());
                return Ok(Some(former));
            }
        }
        Ok(None)
    }

    fn model_stats(&self) -> Result<Vec<ModelStats>, Error> {
        let mut kept = self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, stats)) = &*kept
            && when.elapsed() < STATS_FOR
        {
            return Ok(stats.clone());
        }
        let stats = self.store().models()?;
        *kept = Some((Instant::now(), stats.clone()));
        Ok(stats)
    }

    /// Forgets what is only good for a while.
    pub(crate) fn forget_stats(&self) {
        *self.stats.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The vector of a query.
    pub(crate) fn embed_query(&self, active: &ActiveModel, query: &str) -> Result<Vec<f32>, Error> {
        let text = format!("{}{query}", active.model.info().query_prefix);
        let sequences = active.tokenizer.encode(&[text])?;
        let mut vectors = active.model.embed(&sequences, &|| false, &|_| {})?;
        vectors.pop().ok_or(Error::Stopped)
    }
}

/// Why meaning is not looked for where no chunk has a vector.
pub(crate) const NOTHING_EMBEDDED: &str =
    "Searched by word only: nothing is embedded yet. `pkb sync` does it.";

/// That a model is not there, and what to do.
pub(crate) fn missing_model(name: &str) -> String {
    let remedy = if name == DEFAULT_MODEL {
        "`pkb model pull` gets it."
    } else {
        "`pkb model list` shows those that are here or can be pulled."
    };
    format!("the model {name} is not installed. {remedy}")
}
