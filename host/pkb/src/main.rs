//! pkb: everything you saved, answerable on your own machine.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod cli;
mod commands;
mod filters;
mod mcp;
mod output;
mod progress;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::output::Output;

/// What pkb was asked to do, it did not do.
const FAILED: u8 = 1;
/// pkb was not asked in a way that it understands.
const WRONG_USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { WRONG_USAGE } else { 0 };
            // A closed pipe is no reason to fail louder.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    cli.global.color.write_global();
    start_logging(&cli);
    let output = Output::new(cli.global.json, cli.global.quiet);
    match commands::run(cli, &output) {
        Ok(code) => code,
        Err(error) => {
            output.error(&error);
            ExitCode::from(commands::exit_code(&error))
        }
    }
}

/// Logs go to stderr, whatever happens: stdout belongs to answers and to the
/// protocol.
fn start_logging(cli: &Cli) {
    // Of folders that are gone the watcher complains though nothing is wrong.
    let levels = format!("notify=error,{}", cli.global.log);
    let filter = tracing_subscriber::EnvFilter::builder().parse_lossy(levels);
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never)
        .without_time()
        .init();
}
