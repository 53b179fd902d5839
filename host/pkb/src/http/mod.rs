//! The HTTP server: many clients at one address, each let in by name, origin
//! and token, and none able to take more than its share.
//!
//! The order in which a request is looked at is the order of trust: what host
//! it is for and what web page sends it, then who asks and how fast, then what
//! it says. Only then it comes to the MCP server.

mod answers;
mod body;
mod caller;
mod connection;
mod endpoint;
mod limits;
mod listener;
mod message;
mod metrics;
mod origin;
mod sessions;
mod settings;
mod tls;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::{Method, Request, Response, StatusCode};
use pkb_engine::{Engine, Error, Home};
use rmcp::ServerHandler;
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::{interval, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::answers::{INVALID_REQUEST, Plain, TURNED_AWAY};
use self::body::Held;
use self::caller::{Access, Caller, METADATA, address};
use self::connection::Pulse;
use self::endpoint::{Endpoint, Turned};
use self::limits::Bounds;
use self::listener::{Accepting, Answer, Bound};
pub(crate) use self::metrics::Metrics;
use self::origin::{Doors, Shut};
use self::sessions::Sessions;
use self::settings::Settings;
use self::tls::Tls;
use crate::access::issuer::Issuer;
use crate::access::{Live, Scope};
use crate::cli::Web;

/// How long what is running may go on after the server was told to stop.
const GRACE: Duration = Duration::from_secs(10);
/// How long it may take to end then.
const LAST: Duration = Duration::from_secs(2);
/// Between two looks at what is to be ended or forgotten.
const TIDY: Duration = Duration::from_secs(1);
/// Between two looks at what seldom changes, in looks.
const SELDOM: u32 = 30;
/// How long the numbers of the home are good for.
const COUNTED: Duration = Duration::from_secs(15);

/// A server that has its address and everything it was told, and is yet to
/// begin.
pub(crate) struct Plan {
    bound: Bound,
    settings: Settings,
    access: Access,
    doors: Doors,
    tls: Option<Arc<Tls>>,
}

impl Plan {
    /// Takes the address and puts together what the user said.
    ///
    /// # Errors
    /// When something of that does not hold, or the server would let in
    /// everybody who reaches it.
    pub(crate) fn new(home: &Home, at: &str, web: &Web) -> Result<Plan, Error> {
        let settings = Settings::new(home, web)?;
        let tls = match (&settings.tls_cert, &settings.tls_key) {
            (Some(cert), Some(key)) => Some(Arc::new(Tls::open(cert, key)?)),
            _ => None,
        };
        let issuer = settings.oauth.as_ref().map(Issuer::new).transpose()?;
        let bound = Bound::take(at)?;
        let loopback = bound.is_loopback();
        let always = settings.require_token || !loopback;
        let access = Access::new(Live::new(home), issuer, always);
        if !loopback && !access.has_token() {
            return Err(Error::usage(
                format!("without a token, whoever reaches {at} could read everything in this home"),
                "Make a token first: `pkb token new`. Or serve this machine only: --http 127.0.0.1:8765.",
            ));
        }
        let doors = Doors::new(
            bound.port(),
            tls.is_some(),
            loopback,
            &settings.allow_hosts,
            &settings.allow_origins,
        )?;
        Ok(Plan {
            bound,
            settings,
            access,
            doors,
            tls,
        })
    }

    /// Where clients find it.
    pub(crate) fn url(&self) -> String {
        self.bound.url(self.tls.is_some())
    }

    /// Whether a client needs a token.
    pub(crate) fn needs_token(&self) -> bool {
        self.access.needs_token()
    }

    /// What the user should know before it begins.
    pub(crate) fn warnings(&self) -> Vec<&'static str> {
        let mut warnings = Vec::new();
        if !self.bound.is_loopback() && self.tls.is_none() {
            warnings.push(
                "tokens and answers cross the network unencrypted: give a certificate with --tls-cert and --tls-key, \
                 or put a proxy in front that has one",
            );
        }
        if self.needs_token() && !self.access.has_token() {
            warnings.push("no token is valid, so nobody can come in: `pkb token new` makes one");
        }
        warnings
    }

    /// Serves what `make` makes, one for each connection or request, until
    /// `stop` is cancelled; then what is running gets a little time to end.
    /// `needs` says what a tool asks of who calls it.
    ///
    /// # Errors
    /// When the address cannot be listened at.
    pub(crate) async fn serve<H: ServerHandler + Send + 'static>(
        self,
        engine: Arc<Engine>,
        make: impl Fn() -> H + Send + Sync + 'static,
        needs: fn(&str) -> Scope,
        metrics: Metrics,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        let limits = &self.settings.limits;
        let end = CancellationToken::new();
        let sessions = Sessions::new(limits.sessions as usize, limits.session_idle());
        let bounds = Arc::new(Bounds::new(limits));
        let endpoint = Endpoint::new(
            make,
            needs,
            sessions.clone(),
            bounds.clone(),
            metrics.clone(),
            limits.body_bytes,
            (stop.clone(), end.clone()),
        );
        let server = Arc::new(Server {
            endpoint,
            access: self.access,
            doors: self.doors,
            sessions,
            bounds,
            engine,
            metrics: metrics.clone(),
            counted: Mutex::new(None),
        });
        let tracker = TaskTracker::new();
        let accepting = Accepting {
            server: server.clone(),
            metrics,
            tls: self.tls.clone(),
            most: limits.connections as usize,
            stop: stop.clone(),
            tracker: tracker.clone(),
        };
        accepting.start(self.bound)?;
        let mut tick = interval(TIDY);
        let mut ticks = 0;
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = tick.tick() => {}
            }
            server.tidy().await;
            ticks = (ticks + 1) % SELDOM;
            if ticks == 0 {
                server.bounds.tidy();
                if let Some(tls) = self.tls.clone() {
                    let _ = spawn_blocking(move || tls.tidy()).await;
                }
            }
        }
        tracker.close();
        if timeout(GRACE, tracker.wait()).await.is_err() {
            tracing::info!("what is still running is stopped");
        }
        end.cancel();
        let _ = timeout(LAST, tracker.wait()).await;
        Ok(())
    }
}

struct Server<H> {
    endpoint: Endpoint<H>,
    access: Access,
    doors: Doors,
    sessions: Arc<Sessions>,
    bounds: Arc<Bounds>,
    engine: Arc<Engine>,
    metrics: Metrics,
    /// When the home was counted last.
    counted: Mutex<Option<Instant>>,
}

impl<H: ServerHandler + Send + 'static> Answer for Server<H> {
    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        from: SocketAddr,
        pulse: Pulse,
    ) -> Response<Held> {
        let busy = pulse.busy();
        let path = Path::of(request.uri().path(), &self.access);
        let mut answer = match self.doors.check(request.uri(), request.headers()) {
            Ok(origin) => self.asked(request, from, path, origin).await,
            Err(shut) => self.shut(shut, from).map(Held::new),
        };
        self.metrics
            .answered(path.label(), answer.status().as_u16());
        let nosniff = HeaderValue::from_static("nosniff");
        answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, nosniff);
        answer.body_mut().hold(busy);
        answer
    }
}

/// What there is to ask for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Mcp,
    Health,
    Metrics,
    Metadata,
    Other,
}

impl Path {
    fn of(path: &str, access: &Access) -> Path {
        match path {
            "/mcp" => Path::Mcp,
            "/healthz" => Path::Health,
            "/metrics" => Path::Metrics,
            path if access.is_metadata(path) => Path::Metadata,
            _ => Path::Other,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Path::Mcp => "/mcp",
            Path::Health => "/healthz",
            Path::Metrics => "/metrics",
            Path::Metadata => METADATA,
            Path::Other => "other",
        }
    }
}

impl<H: ServerHandler + Send + 'static> Server<H> {
    /// The answer to a request that came by the right name.
    async fn asked(
        &self,
        request: Request<Incoming>,
        from: SocketAddr,
        path: Path,
        origin: Option<HeaderValue>,
    ) -> Response<Held> {
        let preflight = origin::is_preflight(request.method(), request.headers());
        let mut answer = match self.route(request, from, path).await {
            Ok(answer) => answer,
            Err(answer) => answer.map(Held::new),
        };
        if let Some(origin) = origin {
            if preflight {
                answer = answers::empty(StatusCode::NO_CONTENT).map(Held::new);
            }
            origin::allow(&mut answer, origin, preflight);
        }
        answer
    }

    async fn route(
        &self,
        request: Request<Incoming>,
        from: SocketAddr,
        path: Path,
    ) -> Result<Response<Held>, Response<Plain>> {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match path {
            Path::Other => Err(answers::refusal(
                StatusCode::NOT_FOUND,
                INVALID_REQUEST,
                "there is nothing here; MCP is served at /mcp",
            )),
            Path::Mcp if request.method() == Method::OPTIONS => Err(options()),
            Path::Mcp => {
                let caller = self.caller(&request, from).await?;
                let answer = self.endpoint.answer(request, &caller).await;
                answer.map_err(|turned| match turned {
                    Turned::Away(answer) => *answer,
                    Turned::Denied(denied) => {
                        self.metrics.rejected("scope");
                        self.access.refuse(&denied)
                    }
                })
            }
            Path::Health | Path::Metrics | Path::Metadata if !reads => {
                let mut answer = answers::empty(StatusCode::METHOD_NOT_ALLOWED);
                answer
                    .headers_mut()
                    .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
                Err(answer)
            }
            Path::Health => Err(answers::json(StatusCode::OK, &json!({ "status": "ok" }))),
            Path::Metadata => match self.access.metadata() {
                Some(metadata) => Err(answers::json(StatusCode::OK, &metadata)),
                None => Err(answers::empty(StatusCode::NOT_FOUND)),
            },
            Path::Metrics => {
                self.caller(&request, from).await?;
                self.count().await;
                Err(answers::of(
                    StatusCode::OK,
                    metrics::MEDIA,
                    self.metrics.text(),
                ))
            }
        }
    }

    /// Who asks, counted as one request of theirs.
    async fn caller(
        &self,
        request: &Request<Incoming>,
        from: SocketAddr,
    ) -> Result<Caller, Response<Plain>> {
        let caller = self.access.caller(request.headers(), from.ip()).await;
        let here = address(from.ip());
        let key = caller.as_ref().map_or(&here, |caller| &caller.key);
        if let Err(wait) = self.bounds.count(key) {
            self.metrics.rejected("rate");
            let answer = answers::refusal(
                StatusCode::TOO_MANY_REQUESTS,
                TURNED_AWAY,
                "too many requests at once; try again later",
            );
            return Err(answers::later(answer, wait.as_secs() + 1));
        }
        caller.map_err(|denied| {
            self.metrics.rejected("token");
            tracing::debug!(%from, "not let in: {denied:?}");
            self.access.refuse(&denied)
        })
    }

    fn shut(&self, shut: Shut, from: SocketAddr) -> Response<Plain> {
        let (reason, status, message) = match shut {
            Shut::NoHost => (
                "host",
                StatusCode::BAD_REQUEST,
                "a request names the host that it is for, once",
            ),
            Shut::Host => (
                "host",
                StatusCode::FORBIDDEN,
                "this server does not go by that name; --allow-host adds one",
            ),
            Shut::Origin => (
                "origin",
                StatusCode::FORBIDDEN,
                "web pages of that origin may not ask this server; --allow-origin adds one",
            ),
        };
        self.metrics.rejected(reason);
        tracing::debug!(%from, ?shut, "not answered");
        answers::refusal(status, INVALID_REQUEST, message)
    }

    /// Brings the gauges up to date.
    async fn count(&self) {
        let sessions = self.sessions.count().await;
        self.metrics.at_work(sessions, self.bounds.taken());
        {
            let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
            if counted.is_some_and(|when| when.elapsed() < COUNTED) {
                return;
            }
            *counted = Some(Instant::now());
        }
        let engine = self.engine.clone();
        match spawn_blocking(move || engine.tally()).await {
            Ok(Ok(tally)) => self.metrics.tally(&tally),
            Ok(Err(error)) => tracing::warn!("the home cannot be counted: {error}"),
            Err(error) => tracing::warn!("the home cannot be counted: {error}"),
        }
    }

    async fn tidy(&self) {
        let holds = |key: &caller::Key, until| self.access.holds(key, until);
        self.sessions.tidy(holds).await;
    }
}

/// What can be done at `/mcp`, for one who asks that.
fn options() -> Response<Plain> {
    let mut answer = answers::empty(StatusCode::NO_CONTENT);
    let methods = HeaderValue::from_static("GET, POST, DELETE, OPTIONS");
    answer.headers_mut().insert(ALLOW, methods);
    answer
}
