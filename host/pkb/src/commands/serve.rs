//! `serve`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pkb_engine::{
    Access, Engine, How, NewFolder, Reach, Watch, WatchEvent, WatchHandle, short_path,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::watch::options;
use crate::cli::{self, Global};
use crate::http::{Metrics, Plan};
use crate::output::{Output, STRONG};
use crate::{mcp, signals};

/// How long the end waits for a watch to come to a safe point.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn serve(
    global: &Global,
    reach: Reach,
    args: cli::Serve,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let home = super::home(global)?;
    // What is wrong with the address is said before anything is opened.
    let plan = match &args.http {
        Some(address) => Some(Plan::new(&home, address, &args.web)?),
        None => None,
    };
    let engine = Engine::open(home, Access::Write)?.with_reach(reach);
    for name in &args.private {
        engine.source(name)?;
    }
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
    let metrics = Metrics::new();
    let service = mcp::Service::new(engine.clone(), serving, metrics.clone())?;
    let begin = || watching = watch.map(Watching::start);
    let served = match plan {
        // A client's first answer comes before everything else.
        None => runtime.block_on(mcp::serve(service, begin)),
        Some(plan) => {
            let stop = CancellationToken::new();
            let stopped = stop.clone();
            signals::listen_with(move || stopped.cancel());
            announce(&plan, output)?;
            begin();
            let make = move || mcp::Handler::new(service.clone(), Arc::default());
            runtime.block_on(plan.serve(engine, make, mcp::needs, metrics, stop))
        }
    };
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

/// Says where clients find the server.
fn announce(plan: &Plan, output: &Output) -> anyhow::Result<()> {
    for warning in plan.warnings() {
        output.note(warning);
    }
    let url = plan.url();
    if output.json {
        return output.json(&json!({ "url": url, "token_needed": plan.needs_token() }));
    }
    let token = if plan.needs_token() {
        "; clients need a token"
    } else {
        ""
    };
    output.line(format_args!(
        "MCP is served at {STRONG}{url}{STRONG:#}{token}"
    ));
    Ok(())
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
