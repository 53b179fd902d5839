//! What all connections of one server share.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use pkb_engine::Engine;
use rmcp::model::{RequestStateCodec, Tool as Definition};
use rmcp::task_manager::TaskManager;
use tokio::sync::Notify;

use super::changes::Changes;
use super::confirm::Seals;
use super::cursor::Mark;
use super::jobs::Jobs;
use super::owners::Owners;
use super::resources;
use super::tool::Entry;
use super::tools::{self, sync::Done};
use crate::access::{Grant, Scope};
use crate::http::Metrics;

/// How a server was asked to serve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Serving {
    /// Offer nothing that changes anything.
    pub(crate) read_only: bool,
    /// Offer `search` and `fetch` as ChatGPT wants them too.
    pub(crate) chatgpt: bool,
}

/// What all connections share: the engine, and what outlives one request.
pub(crate) struct Service {
    pub(super) engine: Arc<Engine>,
    serving: Serving,
    /// Work that goes on by itself and is asked after by its id.
    pub(super) jobs: Jobs<Done>,
    /// The same, for clients that have the protocol's tasks.
    pub(super) tasks: TaskManager,
    /// Whose those are.
    pub(super) owners: Owners,
    /// What clients see of the index, and the number of its state then.
    seen: Mutex<Option<(i64, Mark)>>,
    /// News for those who listen.
    pub(super) changes: Changes,
    /// What calls are counted in.
    pub(super) metrics: Metrics,
    /// A tool has answered.
    pub(super) answered: Notify,
    /// Seals what clients carry from one round of a call to the next.
    pub(super) seal: Seals,
}

impl Service {
    /// # Errors
    /// When the system has no random numbers.
    pub(crate) fn new(
        engine: Arc<Engine>,
        serving: Serving,
        metrics: Metrics,
    ) -> anyhow::Result<Arc<Service>> {
        engine.preload_tokenizer();
        let mut key = [0; 32];
        getrandom::fill(&mut key)
            .map_err(|error| anyhow::anyhow!("the system has no random numbers: {error}"))?;
        Ok(Arc::new(Service {
            changes: Changes::new(engine.clone()),
            engine,
            serving,
            jobs: Jobs::default(),
            tasks: TaskManager::new(),
            owners: Owners::default(),
            seen: Mutex::default(),
            metrics,
            answered: Notify::new(),
            seal: Seals::new(RequestStateCodec::try_new(key.to_vec())?),
        }))
    }

    /// Stops what goes on by itself, as nobody can ask after it any more.
    pub(crate) fn end(&self) {
        self.jobs.stop_all();
        self.tasks.shutdown();
    }

    /// The most that this server lets a caller do.
    fn reach(&self, grant: &Grant) -> Scope {
        if self.serving.read_only || self.engine.is_read_only() {
            Scope::Read
        } else {
            grant.scope
        }
    }

    /// What tells the index as clients see it from what it was: work on what is
    /// private does not show in it.
    pub(super) fn seen(&self) -> Mark {
        let Ok(generation) = self.engine.generation() else {
            return Mark::default();
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, mark)) = seen.filter(|(known, _)| *known == generation) {
            return mark;
        }
        let mark = resources::seen(&self.engine);
        *seen = Some((generation, mark));
        mark
    }

    /// Whether a caller is offered the tools that change anything.
    pub(super) fn offers_changes(&self, grant: &Grant) -> bool {
        self.reach(grant) >= Scope::Write
    }

    /// The tools that a caller is offered, the one to begin with first.
    pub(super) fn tools(&self, grant: &Grant) -> impl Iterator<Item = &'static Entry> {
        let reach = self.reach(grant);
        let chatgpt = self.serving.chatgpt;
        let also = tools::CHATGPT.iter().filter(move |_| chatgpt);
        tools::ALL
            .iter()
            .chain(also)
            .filter(move |tool| tool.needs <= reach)
    }
}

/// The definition of a tool, made once.
pub(super) fn definition(entry: &Entry) -> Option<Definition> {
    static ALL: LazyLock<Vec<Definition>> = LazyLock::new(|| {
        tools::ALL
            .iter()
            .chain(tools::CHATGPT)
            .map(|tool| (tool.definition)())
            .collect()
    });
    ALL.iter().find(|tool| tool.name == entry.name).cloned()
}
