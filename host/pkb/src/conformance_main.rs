//! pkb with what the official conformance suite asks a server to have; for tests
//! only. The same modules as in `main.rs`, built with the feature `conformance`.

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
