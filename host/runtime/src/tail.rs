//! A guest's standard error: everything is taken, the end of it is kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};
use wasmtime_wasi_io::bytes::Bytes;

/// How many bytes are kept.
const KEPT: usize = 8_192;
/// How many bytes a guest may write at a time.
const AT_ONCE: usize = 64 << 10;

/// The last bytes written. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// What is kept, as text; what is not UTF-8 is replaced.
    pub(crate) fn text(&self) -> String {
        let kept: Vec<u8> = self.lock().iter().copied().collect();
        String::from_utf8_lossy(&kept).into_owned()
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn keep(&self, bytes: &[u8]) {
        let mut kept = self.lock();
        let new = &bytes[bytes.len().saturating_sub(KEPT)..];
        let over = (kept.len() + new.len()).saturating_sub(KEPT);
        kept.drain(..over);
        kept.extend(new);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IsTerminal for Tail {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Tail {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // Of WASI 0.3, which is not linked.
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl OutputStream for Tail {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.keep(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(AT_ONCE)
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Tail {
    async fn ready(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept() {
        let tail = Tail::default();
        tail.keep(&[b'a'; KEPT]);
        tail.keep(b"the end");
        assert_eq!(tail.text().len(), KEPT);
        assert!(tail.text().ends_with("athe end"));
        tail.keep(&[b'b'; 2 * KEPT]);
        assert_eq!(tail.text(), "b".repeat(KEPT));
        tail.clear();
        assert_eq!(tail.text(), "");
    }
}
