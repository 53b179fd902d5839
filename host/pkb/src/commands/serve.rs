//! `serve`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pkb_engine::{Engine, How, NewFolder, Watch, WatchEvent, WatchHandle, short_path};

use super::watch::options;
use crate::cli;
use crate::mcp;
use crate::output::Output;

/// How long the end waits for a watch to come to a safe point.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn serve(
    engine: Engine,
    args: &cli::Serve,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let engine = Arc::new(engine);
    engine.preload();
    make_sources(&engine, &args.folder, output);
    let mut watch = None;
    if !args.no_watch {
        if engine.is_read_only() {
            output.note("this home can only be read, so its sources are not watched");
        } else {
            watch = Some(Watch::new(engine.clone(), options("serve", true)));
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let mut watching = None;
    let serving = mcp::Serving {
        read_only: args.read_only,
        chatgpt: args.chatgpt,
    };
    let service = mcp::Service::new(engine, serving)?;
    // A client's first answer comes before everything else.
    let served = runtime.block_on(mcp::serve(service, || {
        watching = watch.map(Watching::start)
    }));
    if let Some(watching) = watching {
        watching.end();
    }
    // A call that is still running must not keep the process: what it has
    // committed is safe.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// Makes folders sources that are none yet. One that cannot be is no reason not
/// to serve the others.
fn make_sources(engine: &Engine, folders: &[PathBuf], output: &Output) {
    for folder in folders {
        if folder.as_os_str().is_empty() || is_source(engine, folder) {
            continue;
        }
        if engine.is_read_only() {
            let folder = short_path(folder);
            output.note(format_args!(
                "this home can only be read, so {folder} is made no source"
            ));
        } else if let Err(error) = engine.add_folder(folder, &NewFolder::default()) {
            let folder = short_path(folder);
            output.note(format_args!("{folder} is made no source: {error}"));
        }
    }
}

fn is_source(engine: &Engine, folder: &Path) -> bool {
    let Ok(folder) = dunce::canonicalize(folder) else {
        return false;
    };
    let sources = engine.sources().unwrap_or_default();
    let mut places = sources.iter().map(|source| source.spec.location.as_str());
    places.any(|place| Path::new(place) == folder)
}

/// A watch on a thread of its own.
struct Watching {
    handle: WatchHandle,
    thread: Option<JoinHandle<()>>,
}

impl Watching {
    fn start(watch: Watch) -> Self {
        let handle = watch.handle();
        let run = move || {
            if let Err(error) = watch.run(&mut log) {
                tracing::warn!("the sources are not watched: {error}");
            }
        };
        let thread = thread::Builder::new().name("watch".into()).spawn(run);
        if let Err(error) = &thread {
            tracing::warn!("the sources are not watched: {error}");
        }
        Watching {
            handle,
            thread: thread.ok(),
        }
    }

    fn end(self) {
        self.handle.stop();
        let began = Instant::now();
        while self
            .thread
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
            && began.elapsed() < PATIENCE
        {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Stdout is the protocol's.
fn log(event: WatchEvent) {
    match event {
        WatchEvent::Standby { holder } => {
            tracing::info!(pid = holder.pid, "another process watches already");
        }
        WatchEvent::Watching { source, how, .. } => match how {
            How::Scans { reason, every_s } => {
                tracing::warn!(source, every_s, "looked at now and then only: {reason}");
            }
            how => tracing::info!(source, ?how, "watching"),
        },
        WatchEvent::Forgotten { source } => tracing::info!(source, "no longer watched"),
        WatchEvent::Changed(changed) => {
            let report = changed.report;
            tracing::info!(source = report.source, counts = ?report.counts, "changed");
        }
        WatchEvent::Embedded { made, missing } => tracing::info!(made, missing, "embedded"),
        WatchEvent::Problem { source, problem } => tracing::warn!(source, "{problem}"),
        WatchEvent::Recovered { source } => tracing::info!(source, "all right again"),
    }
}
