//! The MCP server: the engine for AI clients.
//!
//! Everything here translates; what is found, read and synced is the engine's
//! business. A tool that cannot do what it was asked answers with an error
//! that a model can read and act on; protocol errors are for requests that
//! make no sense.

mod changes;
mod citation;
mod completion;
mod confirm;
#[cfg(feature = "conformance")]
mod conformance;
mod handler;
mod instructions;
mod jobs;
mod progress;
mod prompts;
mod render;
mod resources;
mod schema;
mod service;
mod stdio;
mod tool;
mod tools;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;

#[cfg(feature = "conformance")]
pub(crate) use conformance::Fixture as Handler;
#[cfg(not(feature = "conformance"))]
pub(crate) use handler::Handler;
pub(crate) use service::{Service, Serving};

/// Serves one client on stdin and stdout until stdin ends. Nothing but
/// protocol messages is written to stdout. Calls `connected` once the client
/// has begun.
///
/// # Errors
/// When stdout fails.
pub(crate) async fn serve(service: Arc<Service>, connected: impl FnOnce()) -> anyhow::Result<()> {
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
    connected();
    running
        .waiting()
        .await
        .context("the MCP server broke off")?;
    service.end();
    Ok(())
}
