//! Ctrl-C: the first asks the work to stop at a safe point, the second ends
//! the program at once (nothing committed is lost by that).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);
static STOPPING: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Starts to listen for work that has to be told, and is quickly done then.
pub(crate) fn listen_with(stop: impl Fn() + Send + Sync + 'static) {
    // Once in the life of a process.
    let _ = STOPPING.set(Box::new(stop));
    listen();
}

/// Starts to listen. Without this, Ctrl-C ends the program as usual.
pub(crate) fn listen() {
    let handler = || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        if let Some(stop) = STOPPING.get() {
            return stop();
        }
        eprintln!("\nStopping at the next safe point. Ctrl-C again stops at once.");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::debug!("Ctrl-C cannot be handled: {error}");
    }
}

/// Whether to stop.
pub(crate) fn stop() -> bool {
    STOP.load(Ordering::SeqCst)
}
