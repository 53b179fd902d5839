//! Long work that a call has started and does not wait for: it is asked after
//! and stopped by its id.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use pkb_engine::{Job, Stage};

use super::progress::message;

/// Jobs that are remembered; of those that are done the oldest go first.
const KEPT: usize = 50;

/// All jobs of one server, with what each came to.
pub(super) struct Jobs<T> {
    known: Mutex<Known<T>>,
}

struct Known<T> {
    last: u64,
    jobs: BTreeMap<u64, Arc<State<T>>>,
}

/// One job.
pub(super) struct State<T> {
    began: Instant,
    stop: AtomicBool,
    /// How far it is, in words.
    far: Mutex<String>,
    done: Mutex<Option<T>>,
}

/// What is known of a job.
pub(super) struct Report<T> {
    /// Seconds since it began.
    pub(super) seconds: u64,
    /// How far it is, in words; empty at first.
    pub(super) far: String,
    /// Whether it was asked to stop.
    pub(super) stopping: bool,
    /// What it came to; none while it runs.
    pub(super) done: Option<T>,
}

impl<T> Default for Jobs<T> {
    fn default() -> Self {
        Jobs {
            known: Mutex::new(Known {
                last: 0,
                jobs: BTreeMap::new(),
            }),
        }
    }
}

impl<T: Clone + Send + 'static> Jobs<T> {
    /// Begins work on a thread of its own, and says by which id it goes.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn begin(
        &self,
        work: impl FnOnce(&dyn Job) -> T + Send + 'static,
    ) -> std::io::Result<String> {
        let state = Arc::new(State {
            began: Instant::now(),
            stop: AtomicBool::new(false),
            far: Mutex::default(),
            done: Mutex::new(None),
        });
        let mut known = self.known();
        known.last += 1;
        let number = known.last;
        let own = state.clone();
        thread::Builder::new()
            .name(format!("job-{number}"))
            .spawn(move || {
                let done = work(&*own);
                *lock(&own.done) = Some(done);
            })?;
        known.jobs.insert(number, state);
        while known.jobs.len() > KEPT {
            let oldest = known.jobs.iter().find(|(_, job)| lock(&job.done).is_some());
            let Some(oldest) = oldest.map(|(number, _)| *number) else {
                break;
            };
            known.jobs.remove(&oldest);
        }
        Ok(name(number))
    }

    /// How a job is doing; none where there is no such job.
    pub(super) fn report(&self, id: &str) -> Option<Report<T>> {
        let job = self.find(id)?;
        Some(Report {
            seconds: job.began.elapsed().as_secs(),
            far: lock(&job.far).clone(),
            stopping: job.stop.load(Ordering::Relaxed),
            done: lock(&job.done).clone(),
        })
    }

    /// Asks a job to stop.
    pub(super) fn stop(&self, id: &str) {
        if let Some(job) = self.find(id) {
            job.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Asks every job to stop, as the server ends.
    pub(super) fn stop_all(&self) {
        for job in self.known().jobs.values() {
            job.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The ids of all jobs that are known, oldest first.
    pub(super) fn ids(&self) -> Vec<String> {
        self.known()
            .jobs
            .keys()
            .map(|number| name(*number))
            .collect()
    }

    fn find(&self, id: &str) -> Option<Arc<State<T>>> {
        let number = id.strip_prefix("job-")?.parse().ok()?;
        self.known().jobs.get(&number).cloned()
    }

    fn known(&self) -> MutexGuard<'_, Known<T>> {
        lock(&self.known)
    }
}

impl<T: Send> Job for State<T> {
    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn progress(&self, stage: Stage, done: u64, total: Option<u64>) {
        *lock(&self.far) = message(stage, done, total);
    }
}

fn name(number: u64) -> String {
    format!("job-{number}")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_job_is_asked_after_and_stopped_by_its_id() {
        let jobs = Jobs::<&'static str>::default();
        let (go, wait) = channel::<()>();
        let id = jobs
            .begin(move |job| {
                job.progress(Stage::Reading, 1, Some(3));
                wait.recv().unwrap();
                while !job.stop() {
                    thread::yield_now();
                }
                "stopped"
            })
            .unwrap();
        assert_eq!(jobs.ids(), std::slice::from_ref(&id));
        assert!(jobs.report(&id).unwrap().done.is_none());
        assert!(jobs.report("job-99").is_none() && jobs.report("nonsense").is_none());
        go.send(()).unwrap();
        jobs.stop(&id);
        while jobs.report(&id).unwrap().done.is_none() {
            thread::yield_now();
        }
        let report = jobs.report(&id).unwrap();
        assert_eq!(
            (report.done, report.far.as_str()),
            (Some("stopped"), "reading: 1 of 3 items")
        );
        assert!(report.stopping);
    }

    #[test]
    fn the_oldest_that_are_done_are_forgotten() {
        let jobs = Jobs::<()>::default();
        for _ in 0..KEPT + 20 {
            let id = jobs.begin(|_| ()).unwrap();
            while jobs.report(&id).is_some_and(|report| report.done.is_none()) {
                thread::yield_now();
            }
        }
        assert_eq!(jobs.ids().len(), KEPT);
        assert!(jobs.report("job-1").is_none());
    }
}
