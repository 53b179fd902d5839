//! The address that is listened at, and what comes in there.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use pkb_engine::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::body::Held;
use super::connection::{Felt, Pulse, Verdict};
use super::metrics::Metrics;
use super::tls::Tls;

/// How long a client may take to agree on encryption.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Between two looks at what a connection is doing.
const LOOK: Duration = Duration::from_secs(1);
/// Before accepting is tried again where the system refused.
const RETRY: Duration = Duration::from_millis(50);
/// Headers of a request, and their bytes, at most.
const HEADERS: usize = 64;
const HEAD_BYTES: usize = 32 * 1024;
/// What one is told who comes when all connections are taken.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// An address that is taken, before anything is accepted there.
#[derive(Debug)]
pub(crate) struct Bound {
    listeners: Vec<TcpListener>,
    /// Where it listens.
    pub(super) addresses: Vec<SocketAddr>,
    /// What the user calls it, without the port.
    pub(super) name: String,
}

impl Bound {
    /// Takes `HOST:PORT`, or `PORT` of this machine.
    ///
    /// # Errors
    /// When it is no address, or cannot be taken.
    pub(crate) fn take(text: &str) -> Result<Bound, Error> {
        let (name, wanted) = addresses(text)?;
        let mut listeners: Vec<TcpListener> = Vec::new();
        let mut taken: Vec<SocketAddr> = Vec::new();
        for mut address in wanted {
            // One port for all addresses of a name.
            if let (0, Some(first)) = (address.port(), taken.first()) {
                address.set_port(first.port());
            }
            let listener = match TcpListener::bind(address) {
                Ok(listener) => listener,
                // A name may have addresses that this machine does not use.
                Err(_) if !taken.is_empty() => continue,
                Err(error) => return Err(refused(address, &error)),
            };
            let at = listener.local_addr().and_then(|at| {
                listener.set_nonblocking(true)?;
                Ok(at)
            });
            taken.push(at.map_err(|error| refused(address, &error))?);
            listeners.push(listener);
        }
        Ok(Bound {
            listeners,
            addresses: taken,
            name,
        })
    }

    /// Whether only this machine reaches it.
    pub(crate) fn is_loopback(&self) -> bool {
        self.addresses.iter().all(|at| at.ip().is_loopback())
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.addresses.first().map_or(0, SocketAddr::port)
    }

    /// Where it is, as a client is told.
    pub(crate) fn url(&self, tls: bool) -> String {
        let scheme = if tls { "https" } else { "http" };
        format!("{scheme}://{}:{}/mcp", self.name, self.port())
    }
}

fn addresses(text: &str) -> Result<(String, Vec<SocketAddr>), Error> {
    let hint = "Give an address and a port, such as 127.0.0.1:8765, [::1]:8765 or localhost:0.";
    if let Ok(port) = text.parse::<u16>() {
        let here = Ipv4Addr::LOCALHOST;
        return Ok((here.to_string(), vec![(here, port).into()]));
    }
    if text.parse::<std::net::IpAddr>().is_ok() {
        return Err(Error::usage(format!("{text:?} names no port"), hint));
    }
    let name = text.rsplit_once(':').map(|(name, _)| name.to_owned());
    let found = text.to_socket_addrs().map(Vec::from_iter);
    match (name, found) {
        (Some(name), Ok(mut found)) if !found.is_empty() && !name.is_empty() => {
            found.dedup();
            Ok((name, found))
        }
        (_, Err(error)) if error.kind() != ErrorKind::InvalidInput => Err(Error::usage(
            format!("{text:?} is not to be found: {error}"),
            hint,
        )),
        _ => Err(Error::usage(
            format!("{text:?} is no address to serve at"),
            hint,
        )),
    }
}

fn refused(address: SocketAddr, error: &io::Error) -> Error {
    let (what, hint) = match error.kind() {
        ErrorKind::AddrInUse => (
            format!("another program listens at {address} already"),
            "It may be another `pkb serve`. Choose another port, or 0 for any free one.",
        ),
        ErrorKind::AddrNotAvailable => (
            format!("{address} is no address of this machine"),
            "127.0.0.1 serves this machine only, 0.0.0.0 every network it is in.",
        ),
        ErrorKind::PermissionDenied => (
            format!("this user may not listen at {address}"),
            "Choose a port over 1023.",
        ),
        _ => (
            format!("cannot listen at {address}: {error}"),
            "Choose another address or port.",
        ),
    };
    Error::usage(what, hint)
}

/// Answers requests.
pub(super) trait Answer: Send + Sync + 'static {
    /// The answer to a request from that address.
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        from: SocketAddr,
        pulse: Pulse,
    ) -> impl Future<Output = Response<Held>> + Send;
}

/// What every connection needs.
pub(super) struct Accepting<A> {
    pub(super) server: Arc<A>,
    pub(super) metrics: Metrics,
    pub(super) tls: Option<Arc<Tls>>,
    /// Connections at once.
    pub(super) most: usize,
    /// Ends accepting, and every connection once its answer is out.
    pub(super) stop: CancellationToken,
    /// Keeps count of what is under way.
    pub(super) tracker: TaskTracker,
}

impl<A: Answer> Accepting<A> {
    /// Accepts until it is stopped.
    ///
    /// # Errors
    /// When the addresses cannot be listened at.
    pub(super) fn start(self, bound: Bound) -> io::Result<()> {
        let accepting = Arc::new(self);
        let room = Arc::new(Semaphore::new(accepting.most));
        for listener in bound.listeners {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let accept = accepting.clone().accept(listener, room.clone());
            accepting.tracker.spawn(accept);
        }
        Ok(())
    }

    async fn accept(self: Arc<Self>, listener: tokio::net::TcpListener, room: Arc<Semaphore>) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            let (stream, from) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // A client that left again, or too many open files: other
                    // connections end meanwhile.
                    tracing::debug!("a connection cannot be accepted: {error}");
                    sleep(RETRY).await;
                    continue;
                }
            };
            let Ok(place) = room.clone().try_acquire_owned() else {
                self.metrics.rejected("connections");
                tracing::debug!(%from, "turned away: all connections are taken");
                if self.tls.is_none() {
                    // It is small enough for any socket that was just opened.
                    let _ = stream.try_write(FULL);
                }
                continue;
            };
            let one = self.clone();
            self.tracker.spawn(async move {
                let _place = place;
                let _counted = one.metrics.connected();
                one.begin(stream, from).await;
            });
        }
    }

    async fn begin(self: Arc<Self>, stream: TcpStream, from: SocketAddr) {
        let _ = stream.set_nodelay(true);
        let Some(tls) = &self.tls else {
            return self.connection(stream, from).await;
        };
        let handshake = timeout(HANDSHAKE, tls.acceptor().accept(stream));
        let outcome = tokio::select! {
            () = self.stop.cancelled() => return,
            outcome = handshake => outcome,
        };
        match outcome {
            Ok(Ok(stream)) => self.connection(stream, from).await,
            Ok(Err(error)) => {
                self.metrics.rejected("handshake");
                tracing::debug!(%from, "no agreement on encryption: {error}");
            }
            Err(_) => {
                self.metrics.rejected("handshake");
                tracing::debug!(%from, "cut off: encryption was not agreed on in time");
            }
        }
    }

    async fn connection<S>(self: Arc<Self>, stream: S, from: SocketAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let pulse = Pulse::new();
        let stream = TokioIo::new(Felt::new(stream, pulse.clone()));
        let server = self.server.clone();
        let felt = pulse.clone();
        let service = service_fn(move |request| {
            let answer = server.clone().answer(request, from, felt.clone());
            async move { Ok::<_, std::convert::Infallible>(answer.await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            // The pulse has a finger on that.
            .header_read_timeout(None)
            .max_headers(HEADERS)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(stream, service);
        let mut connection = pin!(connection);
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut closing = false;
        loop {
            tokio::select! {
                outcome = connection.as_mut() => {
                    if let Err(error) = outcome {
                        tracing::debug!(%from, "a connection broke: {error}");
                    }
                    return;
                }
                () = self.stop.cancelled(), if !closing => {
                    closing = true;
                    connection.as_mut().graceful_shutdown();
                }
                _ = look.tick() => match pulse.verdict(Instant::now()) {
                    Verdict::Stay => {}
                    Verdict::Close => {
                        closing = true;
                        connection.as_mut().graceful_shutdown();
                    }
                    Verdict::Cut(reason) => {
                        self.metrics.rejected(reason);
                        tracing::debug!(%from, reason, "a connection is cut off");
                        return;
                    }
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_understood() {
        let bound = |text: &str| Bound::take(text).map_err(|error| error.to_string());
        for here in ["0", "127.0.0.1:0", "localhost:0"] {
            let bound = bound(here).unwrap();
            assert!(bound.is_loopback() && bound.port() != 0, "{here}");
        }
        assert_eq!(bound("0").unwrap().name, "127.0.0.1");
        assert!(!bound("0.0.0.0:0").unwrap().is_loopback());
        for wrong in [
            "",
            ":0",
            "127.0.0.1",
            "::1",
            "127.0.0.1:x",
            "127.0.0.1:99999",
            "http://127.0.0.1:1",
        ] {
            assert!(bound(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_that_is_taken_is_said_to_be() {
        let first = Bound::take("127.0.0.1:0").unwrap();
        let error = Bound::take(&format!("127.0.0.1:{}", first.port())).unwrap_err();
        assert!(error.to_string().contains("listens at"), "{error}");
        assert!(error.hint().is_some());
    }
}
