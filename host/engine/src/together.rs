//! Many searches at once: the same ones are made once, and only as many run as
//! the machine has cores for.
//!
//! A search must know what was saved before it was asked, so it never shares
//! one that has begun. Those that come while the same search runs wait for its
//! end; then one of them is made for all of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Work that is shared, by what is asked, and a gate before it.
pub(crate) struct Together<T> {
    /// What is being worked on; where others wait for the same, their round.
    running: Mutex<HashMap<String, Option<Arc<Round<T>>>>>,
    /// Places for work that runs.
    free: Mutex<usize>,
    freed: Condvar,
}

/// Those that wait for the same.
struct Round<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

enum State<T> {
    /// The same is still being worked on for others.
    Waiting,
    /// It is being worked on.
    Begun,
    /// What came of it; none where that is for nobody else.
    Done(Option<T>),
}

/// What one that asks is to do.
enum Part<T> {
    /// Work, at once.
    Work,
    /// Work for a round, when it is its turn.
    Lead(Arc<Round<T>>),
    /// Take what the round comes to.
    Join(Arc<Round<T>>),
}

impl<T: Clone> Together<T> {
    /// For this machine.
    pub(crate) fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Together {
            running: Mutex::default(),
            // One more than there are cores: now and then one waits for a
            // disk.
            free: Mutex::new(cores + 1),
            freed: Condvar::new(),
        }
    }

    /// What `work` comes to, or what it came to for another who asked the same
    /// in the same moment.
    pub(crate) fn run<E>(&self, asked: &str, work: impl Fn() -> Result<T, E>) -> Result<T, E> {
        let part = match lock(&self.running).entry(asked.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(None);
                Part::Work
            }
            Entry::Occupied(mut entry) => match entry.get() {
                Some(round) => Part::Join(round.clone()),
                None => {
                    let round = Arc::new(Round {
                        state: Mutex::new(State::Waiting),
                        changed: Condvar::new(),
                    });
                    entry.insert(Some(round.clone()));
                    Part::Lead(round)
                }
            },
        };
        match part {
            Part::Work => {
                let _running = Running(self, asked);
                self.gated(&work)
            }
            Part::Lead(round) => {
                drop(round.wait(|state| !matches!(state, State::Waiting)));
                let _running = Running(self, asked);
                let mut share = Share {
                    round: &round,
                    result: None,
                };
                let result = self.gated(&work);
                share.result = result.as_ref().ok().cloned();
                result
            }
            Part::Join(round) => {
                let state = round.wait(|state| matches!(state, State::Done(_)));
                let shared = match &*state {
                    State::Done(Some(result)) => Some(result.clone()),
                    _ => None,
                };
                drop(state);
                // What failed for another is tried by each.
                shared.map_or_else(|| self.gated(&work), Ok)
            }
        }
    }

    fn gated<E>(&self, work: impl Fn() -> Result<T, E>) -> Result<T, E> {
        let mut free = lock(&self.free);
        while *free == 0 {
            free = self
                .freed
                .wait(free)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        drop(free);
        let _place = Place(self);
        work()
    }
}

impl<T> Round<T> {
    fn wait(&self, until: impl Fn(&State<T>) -> bool) -> MutexGuard<'_, State<T>> {
        let mut state = lock(&self.state);
        while !until(&state) {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn becomes(&self, state: State<T>) {
        *lock(&self.state) = state;
        self.changed.notify_all();
    }
}

/// Lets those who wait have their turn, whatever becomes of the work.
struct Running<'a, T>(&'a Together<T>, &'a str);

impl<T> Drop for Running<'_, T> {
    fn drop(&mut self) {
        let mut running = lock(&self.0.running);
        match running.get_mut(self.1).and_then(Option::take) {
            Some(round) => round.becomes(State::Begun),
            None => {
                running.remove(self.1);
            }
        }
    }
}

/// Gives a round what came of its work, or says that nothing did.
struct Share<'a, T> {
    round: &'a Round<T>,
    result: Option<T>,
}

impl<T> Drop for Share<'_, T> {
    fn drop(&mut self) {
        self.round.becomes(State::Done(self.result.take()));
    }
}

/// A place behind the gate.
struct Place<'a, T>(&'a Together<T>);

impl<T> Drop for Place<'_, T> {
    fn drop(&mut self) {
        *lock(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    #[test]
    fn those_who_ask_the_same_share_what_begins_after_they_asked() {
        let together = Together::new();
        let runs = AtomicUsize::new(0);
        let (begun, has_begun) = channel();
        let (go, may_go) = channel::<()>();
        let may_go = Mutex::new(may_go);
        let answers = thread::scope(|scope| {
            let first = scope.spawn(|| {
                together.run("moon", || {
                    begun.send(()).unwrap();
                    lock(&may_go).recv().unwrap();
                    Ok::<_, ()>(runs.fetch_add(1, Ordering::SeqCst))
                })
            });
            has_begun.recv().unwrap();
            let others: Vec<_> = (0..20)
                .map(|_| {
                    scope.spawn(|| {
                        together.run("moon", || Ok::<_, ()>(runs.fetch_add(1, Ordering::SeqCst)))
                    })
                })
                .collect();
            // Another question waits for nobody.
            assert_eq!(together.run("sun", || Ok::<_, ()>(99)), Ok(99));
            while lock(&together.running)
                .get("moon")
                .is_none_or(Option::is_none)
            {
                thread::yield_now();
            }
            go.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(0));
            others
                .into_iter()
                .map(|one| one.join().unwrap())
                .collect::<Vec<_>>()
        });
        assert!(
            answers.iter().all(|answer| answer.is_ok_and(|run| run > 0)),
            "{answers:?}"
        );
        assert!(runs.load(Ordering::SeqCst) < 20, "{answers:?}");
        assert!(lock(&together.running).is_empty());
    }

    #[test]
    fn what_fails_or_breaks_holds_up_nobody() {
        let together: Together<u8> = Together::new();
        assert_eq!(together.run("a", || Err::<u8, _>("no")), Err("no"));
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            together.run("a", || -> Result<u8, ()> { panic!("on purpose") })
        }));
        assert!(broken.is_err());
        assert_eq!(together.run("a", || Ok::<_, ()>(7)), Ok(7));
        assert!(lock(&together.running).is_empty());
        let cores = thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(*lock(&together.free), cores + 1);
    }
}
