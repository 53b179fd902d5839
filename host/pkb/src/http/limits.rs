//! How much is done at once, and how fast one client may ask.

use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::caller::Key;
use super::settings::Limits;

/// How long a request waits in line at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// The limits of a running server.
pub(super) struct Bounds {
    rate: DefaultKeyedRateLimiter<Key>,
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    most_running: usize,
    most_waiting: usize,
    most_streams: usize,
}

/// What a request that is worked on holds. It goes with the request to where
/// the work is done, so that work which a client no longer waits for counts
/// for as long as it lasts.
#[derive(Clone)]
pub(super) struct Slot(#[allow(dead_code, reason = "held, not read")] Arc<OwnedSemaphorePermit>);

impl Slot {
    fn of(permit: OwnedSemaphorePermit) -> Self {
        Slot(Arc::new(permit))
    }
}

impl Bounds {
    /// As the settings say.
    pub(super) fn new(limits: &Limits) -> Self {
        let quota = Quota::per_second(limits.rate).allow_burst(limits.burst);
        let of = |number: u32| (number as usize).min(Semaphore::MAX_PERMITS);
        let semaphore = |number: u32| Arc::new(Semaphore::new(of(number)));
        Bounds {
            rate: RateLimiter::keyed(quota),
            running: semaphore(limits.requests),
            waiting: semaphore(limits.waiting),
            streams: semaphore(limits.streams),
            most_running: of(limits.requests),
            most_waiting: of(limits.waiting),
            most_streams: of(limits.streams),
        }
    }

    /// Counts a request of that client.
    ///
    /// # Errors
    /// How long to wait, where it asks too fast.
    pub(super) fn count(&self, key: &Key) -> Result<(), Duration> {
        self.rate
            .check_key(key)
            .map_err(|early| early.wait_time_from(self.rate.clock().now()))
    }

    /// Waits in line until the request may be worked on; none where the line
    /// is full or does not move.
    pub(super) async fn slot(&self) -> Option<Slot> {
        if let Ok(permit) = self.running.clone().try_acquire_owned() {
            return Some(Slot::of(permit));
        }
        let _place = self.waiting.try_acquire().ok()?;
        let permit = timeout(PATIENCE, self.running.clone().acquire_owned()).await;
        permit.ok()?.ok().map(Slot::of)
    }

    /// A place for a stream that only listens; none where all are taken.
    pub(super) fn stream(&self) -> Option<Slot> {
        self.streams.clone().try_acquire_owned().ok().map(Slot::of)
    }

    /// Requests that are worked on, that wait, and streams that listen.
    pub(super) fn taken(&self) -> [usize; 3] {
        [
            self.most_running - self.running.available_permits(),
            self.most_waiting - self.waiting.available_permits(),
            self.most_streams - self.streams.available_permits(),
        ]
    }

    /// Forgets clients that have not asked for a while.
    pub(super) fn tidy(&self) {
        self.rate.retain_recent();
        self.rate.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    fn key(name: &str) -> Key {
        Key::Token(crate::access::tokens::hash(name))
    }

    #[test]
    fn a_client_that_asks_too_fast_is_told_how_long_to_wait() {
        let limits = Limits {
            rate: NonZeroU32::MIN,
            burst: NonZeroU32::new(3).unwrap(),
            ..Limits::default()
        };
        let bounds = Bounds::new(&limits);
        for _ in 0..3 {
            assert_eq!(bounds.count(&key("a")), Ok(()));
        }
        let wait = bounds.count(&key("a")).unwrap_err();
        assert!(
            wait > Duration::ZERO && wait <= Duration::from_secs(1),
            "{wait:?}"
        );
        assert_eq!(bounds.count(&key("b")), Ok(()));
    }

    #[tokio::test]
    async fn requests_wait_in_a_line_that_ends() {
        let limits = Limits {
            requests: 1,
            waiting: 1,
            streams: 1,
            ..Limits::default()
        };
        let bounds = Arc::new(Bounds::new(&limits));
        let first = bounds.slot().await.unwrap();
        let in_line = tokio::spawn({
            let bounds = bounds.clone();
            async move { bounds.slot().await.is_some() }
        });
        while bounds.taken()[1] == 0 {
            tokio::task::yield_now().await;
        }
        assert!(bounds.slot().await.is_none());
        let copy = first.clone();
        drop(first);
        assert_eq!(bounds.taken()[0], 1, "whoever holds a copy still works");
        drop(copy);
        assert!(in_line.await.unwrap());

        let listening = bounds.stream().unwrap();
        assert!(bounds.stream().is_none());
        drop(listening);
        assert_eq!(bounds.taken(), [0, 0, 0]);
    }
}
