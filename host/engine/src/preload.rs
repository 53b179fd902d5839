//! Loading the model before it is asked for, by those who serve.
//!
//! A model takes some hundred milliseconds to load, and far longer on a busy
//! machine. A client's first search does not wait for that: it is answered by
//! word, and says so.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::engine::Engine;
use crate::error::Error;

/// How long a search waits for a model that is being loaded.
const PATIENCE: Duration = Duration::from_millis(30);

/// Whether the model is being loaded.
#[derive(Default)]
pub(crate) struct Preload {
    running: Mutex<bool>,
    done: Condvar,
}

impl Preload {
    /// Whether it is still being loaded, after a short wait for its end.
    pub(crate) fn is_running(&self) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .done
            .wait_timeout_while(running, PATIENCE, |running| *running);
        let (running, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *running
    }

    fn set(&self, now: bool) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = now;
        self.done.notify_all();
    }
}

/// A model is being loaded as long as this is there: also a panic ends that.
struct Running<T> {
    owner: T,
    preload: fn(&T) -> &Preload,
}

impl<T> Running<T> {
    fn of(owner: T, preload: fn(&T) -> &Preload) -> Running<T> {
        preload(&owner).set(true);
        Running { owner, preload }
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        (self.preload)(&self.owner).set(false);
    }
}

impl Engine {
    /// Begins to load the model on a thread of its own, where there is one and
    /// something is embedded with it.
    pub fn preload(self: &Arc<Self>) {
        let running = Running::of(self.clone(), |engine| &engine.preload);
        let work = move || {
            if let Err(error) = running.owner.load_model() {
                // Whoever searches is told.
                tracing::debug!("the model cannot be loaded: {error}");
            }
        };
        let thread = thread::Builder::new().name("load-model".into()).spawn(work);
        if let Err(error) = thread {
            tracing::debug!("no thread to load the model: {error}");
        }
    }

    fn load_model(&self) -> Result<(), Error> {
        if let Some(own) = self.searchable_model(&mut Vec::new())? {
            own.model.model.prepare()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_is_let_go_when_it_is_loaded_and_soon_anyway() {
        let preload = Preload::default();
        assert!(!preload.is_running());
        preload.set(true);
        assert!(preload.is_running());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| while preload.is_running() {});
            preload.set(false);
            waiting.join().unwrap();
        });
    }

    #[test]
    fn a_panic_while_the_model_loads_ends_the_loading() {
        let preload = Arc::new(Preload::default());
        let running = Running::of(preload.clone(), |own| own);
        assert!(preload.is_running());
        let work = move || {
            let _running = running;
            panic!("on purpose");
        };
        assert!(thread::spawn(work).join().is_err());
        assert!(!preload.is_running());
    }
}
