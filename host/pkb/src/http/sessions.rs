//! Sessions of clients that speak a revision which has them, and streams that
//! only listen: whose they are, and when they end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::SessionId;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use tokio_util::sync::CancellationToken;

use super::caller::{Caller, Key};

/// How long what a finished request sent is kept for a client whose connection
/// broke meanwhile.
const KEPT: Duration = Duration::from_secs(10);
/// How long a client may take from opening a session to its first message.
const INITIALIZING: Duration = Duration::from_secs(10);
/// A session unused for so long gives way to a new one where there is no room.
const GIVES_WAY: Duration = Duration::from_secs(60);

/// All sessions and listening streams.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    most: usize,
    idle: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sessions: HashMap<SessionId, Session>,
    /// Sessions that are being opened.
    opening: usize,
    listening: HashMap<u64, Listening>,
    next: u64,
}

struct Session {
    /// None while it is not known who opened it.
    owner: Option<Owner>,
    /// Answers that are being sent.
    open: usize,
    used: Instant,
}

struct Owner {
    key: Key,
    until: Option<Timestamp>,
}

struct Listening {
    owner: Owner,
    end: CancellationToken,
}

impl Owner {
    fn of(caller: &Caller) -> Self {
        Owner {
            key: caller.key.clone(),
            until: caller.until,
        }
    }
}

impl Sessions {
    /// None yet, and never more than so many; each ends when nobody used it
    /// for so long.
    pub(super) fn new(most: usize, idle: Duration) -> Arc<Self> {
        let mut config = SessionConfig::default();
        // What is idle is known here, where it is also known whether an answer
        // is still being worked on.
        config.keep_alive = None;
        config.init_timeout = Some(INITIALIZING);
        config.completed_cache_ttl = KEPT;
        let mut manager = LocalSessionManager::default();
        manager.session_config = config;
        Arc::new(Sessions {
            manager: Arc::new(manager),
            most,
            idle,
            state: Mutex::default(),
        })
    }

    /// What the MCP server keeps its sessions in.
    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        self.manager.clone()
    }

    /// How many there are.
    pub(super) async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    /// Room for one more, kept until what is returned is dropped; none where
    /// there is no more. Where there is none, the one that was left alone
    /// longest is ended.
    pub(super) async fn room(self: &Arc<Self>) -> Option<Opening> {
        let there = self.count().await;
        let longest = {
            let mut state = self.state();
            if there + state.opening < self.most {
                state.opening += 1;
                return Some(Opening(self.clone()));
            }
            let idle = state
                .sessions
                .iter()
                .filter(|(_, session)| session.open == 0 && session.used.elapsed() >= GIVES_WAY);
            idle.min_by_key(|(_, session)| session.used)
                .map(|(id, _)| id.clone())
        };
        self.end(&longest?).await;
        self.state().opening += 1;
        Some(Opening(self.clone()))
    }

    /// Notes who opened a session.
    pub(super) fn opened(&self, id: &str, caller: &Caller) {
        let session = Session {
            owner: Some(Owner::of(caller)),
            open: 0,
            used: Instant::now(),
        };
        self.state().sessions.insert(id.into(), session);
    }

    /// Takes up a session for a request: none where there is no such session
    /// of this caller. While what is returned lives, the session is in use.
    pub(super) fn take(self: &Arc<Self>, id: &str, caller: &Caller) -> Option<InUse> {
        let mut state = self.state();
        let session = state.sessions.get_mut(id)?;
        let owner = session.owner.as_mut()?;
        if owner.key != caller.key {
            return None;
        }
        owner.until = caller.until;
        session.open += 1;
        Some(InUse {
            sessions: self.clone(),
            id: id.into(),
        })
    }

    /// Notes a stream that listens. It is ended through the token; it is
    /// forgotten when what is returned is dropped.
    pub(super) fn listen(self: &Arc<Self>, caller: &Caller, end: CancellationToken) -> Heard {
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        let owner = Owner::of(caller);
        state.listening.insert(id, Listening { owner, end });
        Heard {
            sessions: self.clone(),
            id,
        }
    }

    /// Ends what nobody uses any more, and what belongs to one who would not
    /// be let in any more.
    pub(super) async fn tidy(&self, holds: impl Fn(&Key, Option<Timestamp>) -> bool) {
        let there: Vec<SessionId> = self.manager.sessions.read().await.keys().cloned().collect();
        let ending: Vec<SessionId> = {
            let mut state = self.state();
            for listening in state.listening.values() {
                if !holds(&listening.owner.key, listening.owner.until) {
                    listening.end.cancel();
                }
            }
            // The client may have gone before it was told of its session.
            for id in &there {
                state.sessions.entry(id.clone()).or_insert_with(|| Session {
                    owner: None,
                    open: 0,
                    used: Instant::now(),
                });
            }
            let gone = |id: &SessionId| !there.contains(id);
            state
                .sessions
                .retain(|id, session| session.open > 0 || !gone(id));
            let over = |session: &Session| {
                let owner = session.owner.as_ref();
                // One that nobody was told of, nobody can use.
                let patience = owner.map_or(INITIALIZING, |_| self.idle);
                let idle = session.open == 0 && session.used.elapsed() >= patience;
                idle || owner.is_some_and(|owner| !holds(&owner.key, owner.until))
            };
            let ending = state.sessions.iter().filter(|(_, session)| over(session));
            ending.map(|(id, _)| id.clone()).collect()
        };
        for id in ending {
            self.end(&id).await;
        }
    }

    async fn end(&self, id: &SessionId) {
        self.state().sessions.remove(id);
        if let Err(error) = self.manager.close_session(id).await {
            tracing::debug!("a session did not end as it should: {error}");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that is being opened.
pub(super) struct Opening(Arc<Sessions>);

impl Drop for Opening {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.opening = state.opening.saturating_sub(1);
    }
}

/// A session that is in use.
pub(super) struct InUse {
    sessions: Arc<Sessions>,
    id: SessionId,
}

impl Drop for InUse {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.state().sessions.get_mut(&self.id) {
            session.open = session.open.saturating_sub(1);
            session.used = Instant::now();
        }
    }
}

/// A stream that listens.
pub(super) struct Heard {
    sessions: Arc<Sessions>,
    id: u64,
}

impl Drop for Heard {
    fn drop(&mut self) {
        self.sessions.state().listening.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Grant, Scope};

    fn caller(name: &str) -> Caller {
        Caller {
            key: Key::Token(crate::access::tokens::hash(name)),
            grant: Grant {
                scope: Scope::Read,
                name: name.into(),
            },
            until: None,
        }
    }

    async fn open(sessions: &Sessions, caller: &Caller) -> SessionId {
        let (id, transport) = sessions.manager.create_session().await.unwrap();
        // The transport's task ends with it; the session stays until closed.
        drop(transport);
        sessions.opened(&id, caller);
        id
    }

    #[tokio::test]
    async fn a_session_belongs_to_who_opened_it() {
        let sessions = Sessions::new(8, Duration::from_secs(60));
        let id = open(&sessions, &caller("ann")).await;
        assert!(sessions.take(&id, &caller("ann")).is_some());
        assert!(sessions.take(&id, &caller("bob")).is_none());
        assert!(sessions.take("made up", &caller("ann")).is_none());
    }

    #[tokio::test]
    async fn sessions_end_when_idle_or_when_their_owner_is_out() {
        let sessions = Sessions::new(8, Duration::ZERO);
        let used = open(&sessions, &caller("ann")).await;
        let held = sessions.take(&used, &caller("ann")).unwrap();
        open(&sessions, &caller("ann")).await;
        sessions.tidy(|_, _| true).await;
        assert_eq!(sessions.count().await, 1, "one is in use");
        drop(held);
        sessions.tidy(|_, _| true).await;
        assert_eq!(sessions.count().await, 0);

        let sessions = Sessions::new(8, Duration::from_secs(60));
        let id = open(&sessions, &caller("ann")).await;
        open(&sessions, &caller("bob")).await;
        let _held = sessions.take(&id, &caller("ann"));
        let end = CancellationToken::new();
        let heard = sessions.listen(&caller("ann"), end.clone());
        sessions.tidy(|key, _| *key == caller("bob").key).await;
        assert_eq!(sessions.count().await, 1);
        assert!(end.is_cancelled());
        drop(heard);
        assert!(sessions.state().listening.is_empty());
        assert!(sessions.take(&id, &caller("ann")).is_none());
    }

    #[tokio::test]
    async fn there_is_an_end_to_how_many_there_are() {
        let sessions = Sessions::new(1, Duration::from_secs(60));
        let opening = sessions.room().await;
        assert!(opening.is_some());
        assert!(sessions.room().await.is_none(), "one is being opened");
        drop(opening);
        let id = open(&sessions, &caller("ann")).await;
        assert!(sessions.room().await.is_none());
        let long_ago = Instant::now().checked_sub(GIVES_WAY);
        if let (Some(long_ago), Some(session)) = (long_ago, sessions.state().sessions.get_mut(&id))
        {
            session.used = long_ago;
        }
        assert!(long_ago.is_none() || sessions.room().await.is_some());
    }
}
