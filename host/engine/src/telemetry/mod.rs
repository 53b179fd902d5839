//! What pkb measures of its own work: how long each stage took and how much
//! it did. It is kept in the home for `pkb stats` and goes nowhere else,
//! unless the user asks for an export.
//!
//! Every span that a crate of pkb opens is a stage, named in [`STAGES`]. Its
//! time is what passes between its opening and its end; fields that are
//! numbers are added up, and of those that are words the few in
//! [`layer::WORDS`] are counted. Spans hold no text of items or queries and no
//! names of files, so that nothing measured can tell what anybody reads or
//! asks.

mod folder;
mod histogram;
mod layer;
mod logfile;
mod numbers;
mod otlp;
mod report;
mod stages;

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tracing_subscriber::{Layer, Registry};

use self::folder::Folder;
use self::layer::Stopwatch;
use self::numbers::Numbers;

pub use self::logfile::LogFile;
pub use self::otlp::Exporter;
pub use self::report::{StageReport, Stats, Totals};
pub use self::stages::STAGES;

/// How often a process that goes on keeps what it measured: what a kill loses.
const KEEP_EVERY: Duration = Duration::from_secs(30);

/// What is measured in this process. Ending it keeps what was measured since
/// the last time, and sends what is left to be sent.
pub struct Telemetry {
    measured: Arc<Measured>,
    /// Dropping the sender ends the thread.
    keeper: Option<(Sender<()>, JoinHandle<()>)>,
    exporter: Option<Exporter>,
}

/// What was measured and is not kept yet.
struct Measured {
    numbers: Mutex<Numbers>,
    folder: Option<Folder>,
}

impl Telemetry {
    /// Measures from now on what goes through [`Telemetry::layers`]. Numbers are
    /// kept in the home at `home`; a home that is not there is not made.
    #[must_use]
    pub fn start(home: Option<&Path>, exporter: Option<Exporter>) -> Telemetry {
        let measured = Arc::new(Measured {
            numbers: Mutex::default(),
            folder: home.map(Folder::of_home),
        });
        let keeper = measured.folder.is_some().then(|| keeper(measured.clone()));
        Telemetry {
            measured,
            keeper: keeper.flatten(),
            exporter,
        }
    }

    /// The layers of the subscriber that measure, and export where that was
    /// asked for.
    #[must_use]
    pub fn layers(&self) -> Vec<Box<dyn Layer<Registry> + Send + Sync>> {
        let meters = self.exporter.as_ref().map(Exporter::meters);
        let stopwatch = Stopwatch::new(self.measured.clone(), meters);
        let mut layers = vec![stopwatch.with_filter(layer::stages()).boxed()];
        layers.extend(self.exporter.as_ref().map(Exporter::layer));
        layers
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.keeper.take() {
            drop(end);
            // It has nothing to say that counts here.
            let _ = thread.join();
        }
        self.measured.keep();
        if let Some(exporter) = &self.exporter {
            exporter.finish();
        }
    }
}

impl Measured {
    fn add(&self, record: impl FnOnce(&mut Numbers)) {
        record(&mut self.numbers.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Adds what was measured to what is kept. What cannot be kept now is tried
    /// again the next time; it is never a reason to fail.
    fn keep(&self) {
        let Some(folder) = &self.folder else { return };
        let mut fresh = Numbers::default();
        self.add(|numbers| std::mem::swap(numbers, &mut fresh));
        if fresh.is_empty() {
            return;
        }
        if let Err(error) = folder.add(&fresh) {
            tracing::debug!("what was measured cannot be kept: {error}");
            self.add(|numbers| numbers.merge(&fresh));
        }
    }
}

/// A thread that keeps the numbers now and then; none where the system has no
/// thread to spare, and then they are kept at the end alone.
fn keeper(measured: Arc<Measured>) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (end, ended) = mpsc::channel();
    let work = move || {
        while ended.recv_timeout(KEEP_EVERY) == Err(RecvTimeoutError::Timeout) {
            measured.keep();
        }
    };
    let thread = thread::Builder::new().name("pkb-telemetry".into());
    Some((end, thread.spawn(work).ok()?))
}

#[cfg(test)]
mod tests;
