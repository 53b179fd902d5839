//! Ctrl-C: the first asks the work to stop at a safe point, the second ends
//! the program at once (nothing committed is lost by that).

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Starts to listen. Without this, Ctrl-C ends the program as usual.
pub(crate) fn listen() {
    let handler = || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
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
