//! pkb: everything you saved, answerable on your own machine.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod access;
mod cli;
mod commands;
mod filters;
mod http;
mod install;
mod logging;
mod mcp;
mod output;
mod progress;
mod signals;
mod start;

use std::process::ExitCode;

use start::{FAILED, WRONG_USAGE};

fn main() -> ExitCode {
    start::start()
}
