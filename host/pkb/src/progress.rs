//! Progress bars, for people at a terminal, on work of over a second.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pkb_engine::embed;
use pkb_engine::{Holder, Job, Stage};

use crate::signals;

/// Work that is done sooner shows no bar.
const SILENT_FOR: Duration = Duration::from_millis(400);

/// Watches a job of the engine.
pub(crate) struct Watch {
    shown: Mutex<Shown>,
    quiet: bool,
}

struct Shown {
    stage: Option<Stage>,
    began: Instant,
    bar: ProgressBar,
}

impl Watch {
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = Shown {
            stage: None,
            began: Instant::now(),
            bar: ProgressBar::hidden(),
        };
        Watch {
            shown: Mutex::new(shown),
            quiet,
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .bar
            .finish_and_clear();
    }
}

impl Job for Watch {
    fn stop(&self) -> bool {
        signals::stop()
    }

    fn waits_for(&self, holder: &Holder) {
        if self.quiet {
            return;
        }
        let pid = holder.pid.map(|pid| format!(" {pid}")).unwrap_or_default();
        let doing = match &holder.doing {
            Some(doing) => format!(" (pkb {doing})"),
            None => String::new(),
        };
        eprintln!("Waiting for process{pid}{doing}, which syncs this home.");
    }

    fn progress(&self, stage: Stage, done: u64, total: Option<u64>) {
        if self.quiet {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.stage != Some(stage) {
            shown.bar.finish_and_clear();
            *shown = Shown {
                stage: Some(stage),
                began: Instant::now(),
                bar: ProgressBar::hidden(),
            };
        }
        if shown.bar.is_hidden() && shown.began.elapsed() > SILENT_FOR {
            shown.bar = bar(stage, total);
        }
        shown.bar.set_length(total.unwrap_or(done));
        shown.bar.set_position(done);
    }
}

fn bar(stage: Stage, total: Option<u64>) -> ProgressBar {
    let (unit, template) = match (stage, total) {
        (Stage::Scanning, _) | (_, None) => ("entries", "{prefix:>10} {pos} {msg}"),
        (Stage::Chunking, _) => (
            "items",
            "{prefix:>10} {bar:32} {pos}/{len} {msg}  {per_sec:.0}, {eta} left",
        ),
        (Stage::Reading, _) => (
            "files",
            "{prefix:>10} {bar:32} {pos}/{len} {msg}  {per_sec:.0}, {eta} left",
        ),
        (Stage::Embedding, _) => (
            "chunks",
            "{prefix:>10} {bar:32} {pos}/{len} {msg}  {per_sec:.0}, {eta} left",
        ),
        (Stage::Asking, _) => (
            "queries",
            "{prefix:>10} {bar:32} {pos}/{len} {msg}  {per_sec:.0}, {eta} left",
        ),
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_prefix(stage.name());
    bar.set_message(unit);
    bar
}

/// Watches a download.
pub(crate) struct Download {
    bar: ProgressBar,
    quiet: bool,
}

impl Download {
    pub(crate) fn new(quiet: bool) -> Self {
        Download {
            bar: ProgressBar::hidden(),
            quiet,
        }
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl embed::Progress for Download {
    fn bytes(&mut self, done: u64, total: u64) {
        if self.quiet {
            return;
        }
        if self.bar.is_hidden() {
            self.bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let template = "{prefix:>10} {bar:32} {decimal_bytes}/{decimal_total_bytes}  {decimal_bytes_per_sec}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.bar.set_style(style);
            }
            self.bar.set_prefix("pulling");
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    fn note(&mut self, message: &str) {
        if !self.quiet {
            self.bar.suspend(|| eprintln!("{message}"));
        }
    }

    fn stop(&self) -> bool {
        signals::stop()
    }
}
