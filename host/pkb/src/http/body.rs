//! Bodies: a request's, read within bounds, and an answer's, which holds on to
//! what it needs until it is sent or given up.

use std::any::Any;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::answers::Plain;

/// How long a request may take to come in.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long, and by how many bytes, one that is too long is read on for
/// nothing: a client that still sends would not see the answer.
const LAST_PATIENCE: Duration = Duration::from_secs(5);
const LAST_BYTES: usize = 32 * 1024 * 1024;

/// Why a request's body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is longer than allowed.
    TooLong,
    /// It did not come in time.
    TooSlow,
    /// The connection broke.
    Broken,
}

/// The whole body, of at most so many bytes.
///
/// # Errors
/// Why it is not to be had.
pub(super) async fn read(mut body: Incoming, most: usize) -> Result<Bytes, Unread> {
    let length = body.size_hint().lower();
    if usize::try_from(length).map_or(true, |length| length > most) {
        discard(&mut body).await;
        return Err(Unread::TooLong);
    }
    let deadline = Instant::now() + PATIENCE;
    let collected = timeout_at(deadline, Limited::new(&mut body, most).collect()).await;
    match collected {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            discard(&mut body).await;
            Err(Unread::TooLong)
        }
        Ok(Err(_)) => Err(Unread::Broken),
        Err(_) => Err(Unread::TooSlow),
    }
}

async fn discard(body: &mut Incoming) {
    let deadline = Instant::now() + LAST_PATIENCE;
    let mut bytes = 0;
    while bytes < LAST_BYTES {
        match timeout_at(deadline, body.frame()).await {
            Ok(Some(Ok(frame))) => bytes += frame.data_ref().map_or(0, Bytes::len),
            _ => return,
        }
    }
}

/// An answer's body that keeps things alive until it is dropped, and that may
/// be ended from elsewhere.
pub(super) struct Held {
    inner: Plain,
    end: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    held: Vec<Box<dyn Any + Send + Sync>>,
}

impl Held {
    /// Holds nothing yet.
    pub(super) fn new(inner: Plain) -> Self {
        Held {
            inner,
            end: None,
            held: Vec::new(),
        }
    }

    /// Also holds this.
    pub(super) fn hold(&mut self, thing: impl Any + Send + Sync) {
        self.held.push(Box::new(thing));
    }

    /// Ends where the token is cancelled.
    pub(super) fn end_with(&mut self, token: CancellationToken) {
        self.end = Some(Box::pin(token.cancelled_owned()));
    }
}

impl Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(end) = &mut self.end
            && end.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
