//! `watch`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use pkb_engine::{Change, Changed, Engine, How, Watch, WatchEvent, WatchOptions, short_path};

use super::library::summary;
use crate::cli;
use crate::output::{DIM, Output, STRONG, count, printable};
use crate::signals;

/// How often folders are looked at although nothing was told.
const SCAN_EVERY: Duration = Duration::from_secs(60);
/// Changes shown one by one, of those that come at once.
const SHOWN: usize = 20;

/// How a process watches.
pub(super) fn options(doing: &'static str, embed: bool) -> WatchOptions {
    WatchOptions {
        doing,
        scan_every: SCAN_EVERY,
        embed,
    }
}

pub(crate) fn watch(
    engine: Engine,
    args: &cli::Watch,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let watch = Watch::new(Arc::new(engine), options("watch", !args.no_embed));
    let handle = watch.handle();
    signals::listen_with(move || handle.stop());
    watch.run(&mut |event| {
        if output.json {
            // Everything in an event has a form in JSON.
            if let Ok(line) = serde_json::to_string(&event) {
                output.line(line);
            }
        } else {
            show(event, output);
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

fn show(event: WatchEvent, output: &Output) {
    let name = |source: &str| format!("{STRONG}{}{STRONG:#}", printable(source));
    match event {
        WatchEvent::Standby { holder } => {
            let pid = holder.pid.map(|pid| format!(" {pid}")).unwrap_or_default();
            let doing = holder
                .doing
                .map(|doing| format!(" (pkb {})", printable(&doing)))
                .unwrap_or_default();
            output.note(format_args!(
                "process{pid}{doing} watches this home already; this one takes over when that ends"
            ));
        }
        WatchEvent::Watching {
            source,
            folder,
            how,
        } => {
            let folder = printable(&short_path(folder.as_ref()));
            output.line(format_args!(
                "watching {} {DIM}{folder}{DIM:#}",
                name(&source)
            ));
            if let How::Scans { every_s, reason } = how {
                output.note(format_args!(
                    "{source} is looked at every {every_s} s only: {reason}"
                ));
            }
        }
        WatchEvent::Forgotten { source } => {
            output.line(format_args!("{} is no source any more", name(&source)));
        }
        WatchEvent::Changed(Changed { report, changes }) => {
            for change in changes.iter().take(SHOWN) {
                output.line(format_args!("{} {}", name(&report.source), words(change)));
            }
            let more = report.changed().saturating_sub(SHOWN as u64);
            if more > 0 {
                output.line(format_args!(
                    "{} and {more} more: {}",
                    name(&report.source),
                    summary(&report)
                ));
            }
        }
        WatchEvent::Embedded { made, .. } => output.line(format_args!(
            "{DIM}{} embedded{DIM:#}",
            count(made, "chunk", "chunks")
        )),
        WatchEvent::Problem { source, problem } => output.note(match source {
            Some(source) => format!("{source}: {problem}"),
            None => problem,
        }),
        WatchEvent::Recovered { source } => output.note(match source {
            Some(source) => format!("{source}: all right again"),
            None => "all right again".into(),
        }),
    }
}

fn words(change: &Change) -> String {
    let path = printable(&change.path);
    let what = match change.what {
        "deleted" => "removed",
        what => what,
    };
    match &change.from {
        Some(from) => format!("{what} {} -> {path}", printable(from)),
        None => format!("{what} {path}"),
    }
}
