//! News for clients that listen: which resources changed, and whether there
//! are others.
//!
//! Whatever changes the index, here or in another process, raises the number
//! of its state. While somebody listens that number is looked at twice a
//! second, and what the listener follows is compared with what it was.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pkb_engine::Engine;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::resources::{self, State};

/// Between two looks.
const EVERY: Duration = Duration::from_millis(500);
/// Between two times that a client is told of another list: it may fetch all of
/// it each time, and a sync changes it all the while.
const LIST_EVERY: Duration = Duration::from_secs(5);
/// Resources that one client may follow.
const MOST_FOLLOWED: usize = 1000;

/// Looks for news.
pub(super) struct Changes {
    engine: Arc<Engine>,
}

/// The resources that one session follows, each with what it was when its
/// client was last told.
#[derive(Clone, Default)]
pub(super) struct Subscriptions(Arc<Mutex<HashMap<String, State>>>);

impl Subscriptions {
    /// # Errors
    /// Where too many are followed already.
    pub(super) fn add(&self, uri: String, state: State) -> Result<(), ErrorData> {
        let mut followed = self.lock();
        if followed.len() >= MOST_FOLLOWED && !followed.contains_key(&uri) {
            return Err(ErrorData::invalid_params(
                format!("{MOST_FOLLOWED} resources can be followed at once: unsubscribe from some"),
                None,
            ));
        }
        followed.insert(uri, state);
        Ok(())
    }

    pub(super) fn remove(&self, uri: &str) {
        self.lock().remove(uri);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state that the index had when a client was promised news: what changed
/// between that and the first look is news too.
#[derive(Default)]
pub(super) struct Promise(Mutex<Option<i64>>);

impl Promise {
    /// Notes the index as it is now.
    pub(super) fn note(&self, engine: &Engine) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = engine.generation().ok();
    }

    fn made_at(&self) -> Option<i64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one look has found.
struct News {
    list: bool,
    updated: Vec<String>,
}

/// What a listener knows.
struct Known {
    engine: Arc<Engine>,
    generation: Option<i64>,
    /// None where nobody wants to know of the list.
    list: Option<List>,
    followed: Subscriptions,
}

/// The list as its listener knows it.
struct List {
    state: State,
    generation: Option<i64>,
    told: Option<Instant>,
}

impl List {
    /// Whether the listener is to be told of another list now.
    fn is_news(&mut self, engine: &Engine, generation: Option<i64>) -> bool {
        let soon = self.told.is_some_and(|told| told.elapsed() < LIST_EVERY);
        if soon || self.generation == generation {
            return false;
        }
        self.generation = generation;
        let now = resources::list_state(engine);
        let news = self.state != now;
        if news {
            self.state = now;
            self.told = Some(Instant::now());
        }
        news
    }
}

impl Changes {
    pub(super) fn new(engine: Arc<Engine>) -> Changes {
        Changes { engine }
    }

    /// Tells one listener all it asked for, until it wants no more.
    pub(super) async fn tell(&self, context: &SubscriptionContext, promise: &Promise) {
        let accepted = context.accepted();
        let followed = Subscriptions::default();
        let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
        for uri in uris.into_iter().take(MOST_FOLLOWED) {
            followed.lock().insert(uri, State::UNKNOWN);
        }
        let wants_list = accepted.resources_list_changed == Some(true);
        let made_at = promise.made_at();
        let Some(mut known) = self.known(wants_list, followed, made_at).await else {
            return;
        };
        loop {
            tokio::select! {
                () = context.cancelled() => return,
                () = sleep(EVERY) => {}
            }
            let Some((next, news)) = known.look().await else {
                return;
            };
            known = next;
            let sink = context.sink();
            if news.list && sink.notify_resource_list_changed().await.is_err() {
                return;
            }
            for uri in news.updated {
                if sink.notify_resource_updated(uri).await.is_err() {
                    return;
                }
            }
        }
    }

    /// Tells a session of the older kind what it follows, and of each change of
    /// the list, until it ends.
    pub(super) fn tell_session(
        &self,
        peer: Peer<RoleServer>,
        followed: Subscriptions,
        promise: &Promise,
    ) {
        let made_at = promise.made_at();
        let changes = Changes::new(self.engine.clone());
        tokio::spawn(async move {
            let Some(mut known) = changes.known(true, followed, made_at).await else {
                return;
            };
            while !peer.is_transport_closed() {
                sleep(EVERY).await;
                let Some((next, news)) = known.look().await else {
                    return;
                };
                known = next;
                if news.list {
                    // A client that does not take it is told again next time.
                    let _ = peer.notify_resource_list_changed().await;
                }
                for uri in news.updated {
                    let update = ResourceUpdatedNotificationParam::new(uri);
                    let _ = peer.notify_resource_updated(update).await;
                }
            }
        });
    }

    /// Everything as it is at first.
    async fn known(
        &self,
        wants_list: bool,
        followed: Subscriptions,
        made_at: Option<i64>,
    ) -> Option<Known> {
        let engine = self.engine.clone();
        spawn_blocking(move || {
            for (uri, state) in &mut *followed.lock() {
                *state = resources::state_of(&engine, uri);
            }
            let mut list = wants_list.then(|| List {
                state: resources::list_state(&engine),
                generation: made_at,
                told: None,
            });
            // What was read may be newer than the promise, and what was before
            // is not known any more.
            if engine.generation().ok() != made_at {
                if let Some(list) = &mut list {
                    list.state = State::FORMER;
                }
                for state in followed.lock().values_mut() {
                    *state = State::FORMER;
                }
            }
            Known {
                generation: made_at,
                list,
                engine,
                followed,
            }
        })
        .await
        .ok()
    }
}

impl Known {
    /// What is new since the last look.
    async fn look(mut self) -> Option<(Known, News)> {
        spawn_blocking(move || {
            let mut news = News {
                list: false,
                updated: Vec::new(),
            };
            let generation = self.engine.generation().ok();
            if generation.is_none() {
                return (self, news);
            }
            if let Some(list) = &mut self.list {
                news.list = list.is_news(&self.engine, generation);
            }
            if generation == self.generation {
                return (self, news);
            }
            self.generation = generation;
            let followed: Vec<String> = self.followed.lock().keys().cloned().collect();
            for uri in followed {
                let now = resources::state_of(&self.engine, &uri);
                if let Some(state) = self.followed.lock().get_mut(&uri)
                    && *state != now
                {
                    *state = now;
                    news.updated.push(uri);
                }
            }
            (self, news)
        })
        .await
        .ok()
    }
}
