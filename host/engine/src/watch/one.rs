//! One source that is watched.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pkb_sources::{FolderSource, Watcher};
use pkb_store::Source;

use super::pulse::{Ear, Pulse};
use super::{How, WatchOptions};
use crate::pipeline::folder_settings;

/// How often a folder is looked at that is not reported on.
const UNREPORTED: Duration = Duration::from_secs(10);
/// How often it is looked whether a folder is back.
const GONE: Duration = Duration::from_secs(2);
/// Of the time, one part in so many may go into scans.
const SHARE: u32 = 20;
/// A folder whose changes were not reported so often in a row is taken for one
/// that is not reported on.
const MISSED: u32 = 3;

/// One source that is watched.
pub(super) struct Watched {
    pub(super) source: Source,
    pub(super) how: How,
    pub(super) pulse: Arc<Pulse>,
    /// How it was last said to be watched.
    pub(super) told_how: Option<How>,
    /// What was last said to be wrong.
    pub(super) problem: Option<String>,
    /// When to look although nothing was told.
    next: Instant,
    watcher: Option<Watcher>,
    /// Whether something was told that a look was put off for.
    owed: bool,
    /// Looks in a row that found what nobody had told of.
    missed: u32,
    /// Why the system does not report on it, once that is known.
    unreported: Option<String>,
}

/// What is known before a look.
pub(super) struct Before {
    /// Whether something was told.
    told: bool,
    /// Whether all changes since the look before should have been told.
    reported: bool,
}

impl Watched {
    pub(super) fn new(source: Source, ear: &Ear) -> Self {
        Watched {
            source,
            how: How::Events,
            pulse: ear.pulse(),
            told_how: None,
            problem: None,
            next: Instant::now(),
            watcher: None,
            owed: false,
            missed: 0,
            unreported: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.source.spec.name
    }

    /// When to look at it.
    pub(super) fn due(&self) -> Instant {
        match self.pulse.due() {
            // A folder that is not there is not looked at for events of its own
            // going.
            Some(due) if !matches!(self.how, How::Gone { .. }) => due.min(self.next),
            _ => self.next,
        }
    }

    /// Whether something was told that was not looked at yet.
    pub(super) fn has_news(&self) -> bool {
        self.owed || self.pulse.due().is_some()
    }

    /// Looks again after that time, as this look came to nothing.
    pub(super) fn put_off(&mut self, before: &Before, time: Duration) {
        self.owed |= before.told;
        self.next = Instant::now() + time;
    }

    /// Makes sure that what happens from here on is told. An error says that
    /// the folder cannot be looked at.
    pub(super) fn prepare(
        &mut self,
        except: &[PathBuf],
        options: &WatchOptions,
    ) -> Result<Before, pkb_sources::Error> {
        let (told, failed) = self.pulse.take();
        let told = std::mem::take(&mut self.owed) || told;
        if let Some(reason) = failed {
            self.watcher = None;
            self.unreported = Some(reason);
        }
        let settings = folder_settings(&self.source.spec);
        let folder = match FolderSource::open(Path::new(&self.source.spec.location), &settings) {
            Ok(folder) => folder,
            Err(error) => {
                self.watcher = None;
                self.missed = 0;
                self.unreported = None;
                self.how = How::Gone {
                    reason: error.to_string(),
                };
                return Err(error);
            }
        };
        if self.watcher.as_ref().is_some_and(|it| !it.is_of(&folder)) {
            self.watcher = None;
        }
        let reported = self.watcher.is_some();
        if self.unreported.is_none() {
            let pulse = self.pulse.clone();
            let watching = match &mut self.watcher {
                Some(watcher) => watcher.cover(&folder),
                None => Watcher::new(&folder, except, move |signal| pulse.tell(signal))
                    .map(|watcher| self.watcher = Some(watcher)),
            };
            if let Err(error) = watching {
                self.watcher = None;
                self.unreported = Some(match error {
                    pkb_sources::Error::NotWatched { reason, .. } => reason,
                    other => other.to_string(),
                });
            }
        }
        self.set_how(options.scan_every);
        Ok(Before { told, reported })
    }

    /// Plans the next look, after one that took so long and found so many
    /// changes.
    pub(super) fn looked(
        &mut self,
        before: &Before,
        took: Duration,
        changes: u64,
        options: &WatchOptions,
    ) {
        if changes > 0 && before.reported && !before.told && self.pulse.due().is_none() {
            // The watcher is not to be trusted: another one may do better.
            self.missed += 1;
            self.watcher = None;
            if self.missed >= MISSED {
                self.unreported = Some("changes were found that its drive did not report".into());
            }
        } else if before.told {
            self.missed = 0;
        }
        let usual = match self.unreported {
            None => options.scan_every,
            Some(_) => options.scan_every.min(UNREPORTED),
        };
        let every = usual.max(took * SHARE);
        self.set_how(options.scan_every);
        // Where a watcher was given up, a new one is not to be waited for.
        let trusted = self.watcher.is_some() || self.unreported.is_some();
        self.next = Instant::now() + if trusted { every } else { Duration::ZERO };
    }

    fn set_how(&mut self, scan_every: Duration) {
        self.how = match &self.unreported {
            None => How::Events,
            Some(reason) => How::Scans {
                every_s: scan_every.min(UNREPORTED).as_secs(),
                reason: reason.clone(),
            },
        };
    }

    /// Plans to see whether the folder is back.
    pub(super) fn gone(&mut self) {
        self.next = Instant::now() + GONE;
    }
}
