//! From the command line to the exit code.

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::output::Output;
use crate::{commands, logging};

/// What pkb was asked to do, it did not do.
pub(crate) const FAILED: u8 = 1;
/// pkb was not asked in a way that it understands.
pub(crate) const WRONG_USAGE: u8 = 2;

/// Reads the command line and does what it says.
pub(crate) fn start() -> ExitCode {
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
    let output = Output::new(cli.global.json, cli.global.quiet);
    // What was measured is kept when this is dropped, after everything else.
    let telemetry = logging::start(&cli);
    let done = telemetry.and_then(|telemetry| {
        let done = commands::run(cli, &output);
        drop(telemetry);
        done
    });
    match done {
        Ok(code) => code,
        Err(error) => {
            output.error(&error);
            ExitCode::from(commands::exit_code(&error))
        }
    }
}
