//! Stdin, watched for its end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// Reads through to `input` and notes when it ends. The protocol's machinery
/// waits for running tools when that happens, and a sync can take hours; this
/// lets it stop at once.
pub(super) struct Watched<R> {
    input: R,
    ended: Arc<AtomicBool>,
}

impl<R> Watched<R> {
    pub(super) fn new(input: R, ended: Arc<AtomicBool>) -> Self {
        Watched { input, ended }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let room = buffer.remaining();
        let poll = Pin::new(&mut self.input).poll_read(context, buffer);
        let ended = match &poll {
            Poll::Ready(Ok(())) => room > 0 && buffer.remaining() == room,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            self.ended.store(true, Ordering::Relaxed);
        }
        poll
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn the_end_is_noted_and_nothing_else_is() {
        let ended = Arc::new(AtomicBool::new(false));
        let mut input = Watched::new(&b"hello"[..], ended.clone());
        let mut buffer = [0; 5];
        input.read_exact(&mut buffer).await.unwrap();
        assert_eq!(&buffer, b"hello");
        assert!(!ended.load(Ordering::Relaxed));
        assert_eq!(input.read(&mut buffer).await.unwrap(), 0);
        assert!(ended.load(Ordering::Relaxed));
    }
}
