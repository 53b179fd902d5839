//! Where the log goes, and what is measured.

use std::io;
use std::sync::Arc;

use anyhow::Context;
use pkb_engine::telemetry::{Exporter, LogFile, Telemetry};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use crate::cli::{self, Cli, Command, Global, LogFormat};
use crate::commands;

/// Starts both. The log goes to stderr or to a file, never to stdout, which
/// belongs to answers and to the protocol.
pub(crate) fn start(cli: &Cli) -> anyhow::Result<Telemetry> {
    let telemetry = telemetry(cli)?;
    // Of folders that are gone the watcher complains though nothing is wrong,
    // and of every request that is refused the protocol's machinery. What a
    // compiler thinks of each component is for its makers.
    let levels = format!(
        "notify=error,rmcp=error,cranelift_codegen=warn,wasmtime=warn,{}",
        cli.global.log
    );
    let filter = EnvFilter::builder().parse_lossy(levels);
    let level = filter.max_level_hint().unwrap_or(LevelFilter::TRACE);
    let mut layers = Vec::new();
    if cli.global.telemetry != cli::Telemetry::Off {
        layers = telemetry.layers();
    }
    layers.push(log(&cli.global)?.with_filter(filter).boxed());
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layers))
        .context("the log cannot be started")?;
    // What crates say that log in the older way. They are asked no more than
    // the log shows, though more is measured.
    let others = tracing_log::LogTracer::builder();
    others
        .with_max_level(tracing_log::AsLog::as_log(&level))
        .init()
        .context("the log cannot be started")?;
    Ok(telemetry)
}

fn telemetry(cli: &Cli) -> anyhow::Result<Telemetry> {
    let exporter = match cli.global.telemetry {
        cli::Telemetry::Otlp => Some(Exporter::from_environment()?),
        cli::Telemetry::Local | cli::Telemetry::Off => None,
    };
    let keeps = match &cli.command {
        // The searches of a test set are nobody's; installing needs no home.
        Command::Eval(_) | Command::Install(_) | Command::Uninstall(_) => false,
        _ => cli.global.telemetry != cli::Telemetry::Off,
    };
    // Where there is no home, the command says so.
    let home = commands::home(&cli.global).ok().filter(|_| keeps);
    Ok(Telemetry::start(
        home.as_ref().map(|home| home.folder.as_path()),
        exporter,
    ))
}

fn log(global: &Global) -> anyhow::Result<Box<dyn Layer<Registry> + Send + Sync>> {
    let mut colour = false;
    let writer = match &global.log_file {
        Some(path) => {
            let file = LogFile::open(path)
                .with_context(|| format!("cannot open the log file {}", path.display()))?;
            BoxMakeWriter::new(Arc::new(file))
        }
        None => {
            let choice = anstream::AutoStream::choice(&io::stderr());
            colour = choice != anstream::ColorChoice::Never;
            BoxMakeWriter::new(io::stderr)
        }
    };
    // A span says at its end how long it took. A log that cannot be written is
    // no reason to fail, nor to write about it elsewhere.
    let layer = fmt::layer()
        .with_writer(writer)
        .with_span_events(FmtSpan::CLOSE)
        .log_internal_errors(false);
    Ok(match (global.log_format, &global.log_file) {
        (LogFormat::Json, _) => layer.json().boxed(),
        (LogFormat::Text, Some(_)) => layer.with_ansi(false).boxed(),
        (LogFormat::Text, None) => layer.with_ansi(colour).without_time().boxed(),
    })
}
