//! One connection: what it may take its time with, and what not.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How long a client may take for the head of a request; also for the first
/// byte of the first one.
const HEAD: Duration = Duration::from_secs(10);
/// How long a connection may lie idle between two requests.
const IDLE: Duration = Duration::from_secs(120);
/// How long a client may take nothing of what is sent to it.
const STALLED: Duration = Duration::from_secs(30);

/// What a connection is doing.
#[derive(Clone)]
pub(super) struct Pulse(Arc<Mutex<State>>);

struct State {
    doing: Doing,
    since: Instant,
    /// Since when nothing could be written.
    stalled: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// Nothing, for the first time.
    Fresh,
    /// Nothing, after a request.
    Idle,
    /// Sending the head of a request.
    Head,
    /// Waiting for an answer.
    Busy,
}

/// What becomes of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It stays.
    Stay,
    /// It is closed as the protocol has it.
    Close,
    /// It is cut off, for that reason.
    Cut(&'static str),
}

impl Pulse {
    /// A connection that was just made.
    pub(super) fn new() -> Self {
        Pulse(Arc::new(Mutex::new(State {
            doing: Doing::Fresh,
            since: Instant::now(),
            stalled: None,
        })))
    }

    /// A request is here; it is being worked on until what is returned is
    /// dropped.
    pub(super) fn busy(&self) -> Busy {
        self.state().becomes(Doing::Busy);
        Busy(self.clone())
    }

    /// What becomes of it at that time.
    pub(super) fn verdict(&self, now: Instant) -> Verdict {
        let state = self.state();
        let for_long = |since: Instant, limit| now.saturating_duration_since(since) >= limit;
        if state.stalled.is_some_and(|since| for_long(since, STALLED)) {
            return Verdict::Cut("stalled");
        }
        match state.doing {
            Doing::Fresh if for_long(state.since, HEAD) => Verdict::Cut("silent"),
            Doing::Head if for_long(state.since, HEAD) => Verdict::Cut("slow"),
            Doing::Idle if for_long(state.since, IDLE) => Verdict::Close,
            _ => Verdict::Stay,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn becomes(&mut self, doing: Doing) {
        self.doing = doing;
        self.since = Instant::now();
    }

    fn received(&mut self) {
        if matches!(self.doing, Doing::Fresh | Doing::Idle) {
            self.becomes(Doing::Head);
        }
    }

    fn wrote<T>(&mut self, poll: &Poll<io::Result<T>>) {
        self.stalled = match poll {
            Poll::Pending => self.stalled.or_else(|| Some(Instant::now())),
            Poll::Ready(_) => None,
        };
    }
}

/// A request that is worked on.
pub(super) struct Busy(Pulse);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.state().becomes(Doing::Idle);
    }
}

/// Reads and writes through, and notes when.
pub(super) struct Felt<S> {
    stream: S,
    pulse: Pulse,
}

impl<S> Felt<S> {
    /// Over that stream.
    pub(super) fn new(stream: S, pulse: Pulse) -> Self {
        Felt { stream, pulse }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Felt<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.pulse.state().received();
        }
        poll
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Felt<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.pulse.state().wrote(&poll);
        poll
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(context);
        self.pulse.state().wrote(&poll);
        poll
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(context);
        self.pulse.state().wrote(&poll);
        poll
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.pulse.state().wrote(&poll);
        poll
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn each_phase_has_its_own_patience() {
        let pulse = Pulse::new();
        let after = |limit: Duration| pulse.verdict(Instant::now() + limit);
        let little = Duration::from_secs(1);
        assert_eq!(after(HEAD - little), Verdict::Stay);
        assert_eq!(after(HEAD), Verdict::Cut("silent"));

        let (client, server) = tokio::io::duplex(8);
        let mut server = Felt::new(server, pulse.clone());
        let (mut from, mut to) = tokio::io::split(client);
        to.write_all(b"GET").await.unwrap();
        server.read_exact(&mut [0; 3]).await.unwrap();
        assert_eq!(after(HEAD), Verdict::Cut("slow"));

        let busy = pulse.busy();
        assert_eq!(after(IDLE * 100), Verdict::Stay, "work may take long");
        let mut writing = Box::pin(server.write_all(&[b'x'; 9]));
        assert!(futures_poll(writing.as_mut()).await.is_pending());
        assert_eq!(after(STALLED), Verdict::Cut("stalled"));
        from.read_exact(&mut [0; 8]).await.unwrap();
        writing.await.unwrap();
        assert_eq!(after(STALLED), Verdict::Stay);

        drop(busy);
        assert_eq!(after(HEAD), Verdict::Stay);
        assert_eq!(after(IDLE), Verdict::Close);
    }

    async fn futures_poll<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
        std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
    }
}
