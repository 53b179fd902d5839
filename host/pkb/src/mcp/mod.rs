//! The MCP server: the engine for AI clients.
//!
//! Everything here translates; what is found, read and synced is the engine's
//! business. A tool that cannot do what it was asked answers with an error
//! that a model can read and act on; protocol errors are for requests that
//! make no sense.

mod budget;
mod changes;
mod choice;
mod citation;
mod completion;
mod confirm;
#[cfg(feature = "conformance")]
mod conformance;
mod cursor;
mod handler;
mod instructions;
mod jobs;
mod owners;
mod progress;
mod prompts;
mod render;
mod resources;
mod schema;
mod service;
mod stdio;
mod tool;
mod tools;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;

use crate::access::Scope;

#[cfg(feature = "conformance")]
pub(crate) use conformance::Fixture as Handler;
#[cfg(not(feature = "conformance"))]
pub(crate) use handler::Handler;
pub(crate) use service::{Service, Serving};

/// What a tool asks of who calls it. Of one that there is not, any caller is
/// told so.
pub(crate) fn needs(tool: &str) -> Scope {
    let mut all = tools::ALL.iter().chain(tools::CHATGPT);
    all.find(|known| known.name == tool)
        .map_or(Scope::Read, |known| known.needs)
}

/// How long a client may take to call its first tool before other work begins.
const FIRST_CALL: Duration = Duration::from_secs(2);

/// Serves one client on stdin and stdout until stdin ends. Nothing but
/// protocol messages is written to stdout. Calls `answered` once, after the
/// first tool has answered or when none was called soon: what else there is to
/// do must not hold up that answer.
///
/// # Errors
/// When stdout fails.
pub(crate) async fn serve(service: Arc<Service>, answered: impl FnOnce()) -> anyhow::Result<()> {
    let client_left = Arc::new(AtomicBool::new(false));
    let (stdin, stdout) = stdio_pipes();
    let transport = stdio::Stdio::new(stdin, stdout, client_left.clone());
    let handler = Handler::new(service.clone(), client_left);
    let running = match handler.serve(transport).await {
        Ok(running) => running,
        // Whoever opened the connection had nothing to say.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(error).context("the MCP client did not begin as the protocol says");
        }
    };
    let mut waiting = pin!(running.waiting());
    let ended = tokio::select! {
        ended = &mut waiting => Some(ended),
        () = service.answered.notified() => None,
        () = tokio::time::sleep(FIRST_CALL) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            answered();
            waiting.await
        }
    };
    ended.context("the MCP server broke off")?;
    service.end();
    Ok(())
}
