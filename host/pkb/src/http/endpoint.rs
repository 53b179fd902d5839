//! `/mcp`: what stands between a request and the MCP server. The server itself
//! is rmcp's, which speaks all revisions at this one address; here a request
//! is read within bounds, counted, and answered with the right code where it
//! is none.

use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, ALLOW, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue,
    PROXY_AUTHORIZATION,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use rmcp::ServerHandler;
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::answers::{
    self, INTERNAL_ERROR, INVALID_REQUEST, NO_SESSION, PARSE_ERROR, Plain, TURNED_AWAY,
};
use super::body::{self, Held, Unread};
use super::caller::{Caller, Denied};
use super::limits::Bounds;
use super::message::{self, Message};
use super::metrics::Metrics;
use super::sessions::{InUse, Sessions};
use crate::access::Scope;

/// The methods there are here.
const METHODS: &str = "GET, POST, DELETE, OPTIONS";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The method of a request that only listens.
const LISTEN: &str = "subscriptions/listen";

/// The MCP server behind its address.
pub(super) struct Endpoint<H> {
    service: StreamableHttpService<H, LocalSessionManager>,
    sessions: Arc<Sessions>,
    bounds: Arc<Bounds>,
    metrics: Metrics,
    /// What a tool asks of who calls it.
    needs: fn(&str) -> Scope,
    body_bytes: usize,
    /// Ends streams that listen.
    stop: CancellationToken,
}

/// Why a request does not come to the MCP server.
pub(super) enum Turned {
    /// It gets this answer.
    Away(Box<Response<Plain>>),
    /// Who asks may not.
    Denied(Denied),
}

impl From<Response<Plain>> for Turned {
    fn from(answer: Response<Plain>) -> Self {
        Turned::Away(Box::new(answer))
    }
}

impl<H: ServerHandler + Send + 'static> Endpoint<H> {
    /// Serves what `make` makes. `stop` ends streams that listen, `end`
    /// everything.
    pub(super) fn new(
        make: impl Fn() -> H + Send + Sync + 'static,
        needs: fn(&str) -> Scope,
        sessions: Arc<Sessions>,
        bounds: Arc<Bounds>,
        metrics: Metrics,
        body_bytes: usize,
        (stop, end): (CancellationToken, CancellationToken),
    ) -> Self {
        let config = StreamableHttpServerConfig::default()
            // Both are checked before anything else is done.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            // An answer that comes alone needs no stream.
            .with_json_response(true)
            .with_max_request_body_bytes(body_bytes)
            .with_cancellation_token(end);
        Endpoint {
            service: StreamableHttpService::new(move || Ok(make()), sessions.manager(), config),
            sessions,
            bounds,
            metrics,
            needs,
            body_bytes,
            stop,
        }
    }

    /// The answer to a request of that caller.
    ///
    /// # Errors
    /// Why it does not come to the MCP server.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        caller: &Caller,
    ) -> Result<Response<Held>, Turned> {
        match *request.method() {
            Method::POST => self.post(request, caller).await,
            Method::GET => self.listen(request, caller).await,
            Method::DELETE => {
                let (mut parts, _) = request.into_parts();
                let in_use = self.session(&mut parts, caller)?;
                let mut answer = self.hand_over(parts, Bytes::new()).await;
                drop(in_use);
                // The session has ended by now; the Python client warns its user
                // of a mere "accepted".
                if answer.status() == StatusCode::ACCEPTED {
                    *answer.status_mut() = StatusCode::NO_CONTENT;
                }
                Ok(answer.map(Held::new))
            }
            _ => Err(not_allowed(METHODS).into()),
        }
    }

    async fn post(
        &self,
        request: Request<Incoming>,
        caller: &Caller,
    ) -> Result<Response<Held>, Turned> {
        let (mut parts, body) = request.into_parts();
        let [json, events] = accepted(&parts.headers);
        if !json || !events {
            let message = "the client has to accept both application/json and text/event-stream";
            return Err(refused(StatusCode::NOT_ACCEPTABLE, message).into());
        }
        if !is_json(&parts.headers) {
            let message = "the content type has to be application/json";
            return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, message).into());
        }
        let in_use = self.session(&mut parts, caller)?;
        let body = body::read(body, self.body_bytes).await;
        let body = body.map_err(|unread| self.unread(unread))?;
        let message = message::read(&body).map_err(|wrong| {
            self.metrics.rejected(match wrong.code {
                PARSE_ERROR => "parse",
                _ => "message",
            });
            answers::error(StatusCode::BAD_REQUEST, wrong.code, wrong.message, wrong.id)
        })?;

        let mut slot = None;
        let mut listening = false;
        let mut opening = false;
        let mut room = None;
        if let Message::Request { id, method, name } = &message {
            if let ("tools/call", Some(tool)) = (method.as_str(), name)
                && let needed = (self.needs)(tool)
                && caller.grant.scope < needed
            {
                return Err(Turned::Denied(Denied::Scope(needed)));
            }
            listening = method == LISTEN;
            opening = method == "initialize" && in_use.is_none();
            if opening {
                room = self.sessions.room().await;
                if room.is_none() {
                    return Err(self
                        .no_room("sessions", "all sessions are taken", id)
                        .into());
                }
            }
            slot = if listening {
                self.bounds.stream()
            } else {
                self.bounds.slot().await
            };
            if slot.is_none() {
                let reason = if listening { "streams" } else { "requests" };
                return Err(self
                    .no_room(reason, "pkb has too much to do at once", id)
                    .into());
            }
        }
        parts.extensions.insert(caller.grant.clone());
        if let Some(slot) = &slot {
            parts.extensions.insert(slot.clone());
        }
        let answer = self.hand_over(parts, body).await;
        if opening && let Some(id) = session_of(answer.headers()) {
            self.sessions.opened(id, caller);
        }
        drop(room);
        let mut answer = answer.map(Held::new);
        answer.body_mut().hold((slot, in_use));
        if listening {
            self.hear(&mut answer, caller);
        }
        Ok(answer)
    }

    /// A stream of what the server has to say by itself.
    async fn listen(
        &self,
        request: Request<Incoming>,
        caller: &Caller,
    ) -> Result<Response<Held>, Turned> {
        let (mut parts, _) = request.into_parts();
        let [_, events] = accepted(&parts.headers);
        if !events {
            let message = "the client has to accept text/event-stream";
            return Err(refused(StatusCode::NOT_ACCEPTABLE, message).into());
        }
        if !has_sessions(&parts.headers) {
            return Err(not_allowed("POST, OPTIONS").into());
        }
        let in_use = self.session(&mut parts, caller)?;
        let Some(slot) = self.bounds.stream() else {
            return Err(self
                .no_room("streams", "all streams are taken", &Value::Null)
                .into());
        };
        let answer = self.hand_over(parts, Bytes::new()).await;
        let mut answer = answer.map(Held::new);
        answer.body_mut().hold((slot, in_use));
        self.hear(&mut answer, caller);
        Ok(answer)
    }

    fn hear(&self, answer: &mut Response<Held>, caller: &Caller) {
        let end = self.stop.child_token();
        let heard = self.sessions.listen(caller, end.clone());
        answer.body_mut().hold(heard);
        answer.body_mut().end_with(end);
    }

    /// The session that the request names, where its revision has sessions.
    fn session(&self, parts: &mut Parts, caller: &Caller) -> Result<Option<InUse>, Turned> {
        if !has_sessions(&parts.headers) {
            parts.headers.remove(SESSION);
            return Ok(None);
        }
        let Some(given) = parts.headers.get(SESSION) else {
            return Ok(None);
        };
        let id = given.to_str().unwrap_or_default();
        match self.sessions.take(id, caller) {
            Some(in_use) => Ok(Some(in_use)),
            None => Err(answers::refusal(
                StatusCode::NOT_FOUND,
                NO_SESSION,
                "there is no such session: begin a new one with initialize",
            )
            .into()),
        }
    }

    /// Lets the MCP server answer. It does not see what proves who asks, and
    /// so cannot log it.
    async fn hand_over(&self, mut parts: Parts, body: Bytes) -> Response<Plain> {
        for secret in [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE] {
            parts.headers.remove(secret);
        }
        let both = HeaderValue::from_static("application/json, text/event-stream");
        parts.headers.insert(ACCEPT, both);
        let request = Request::from_parts(parts, Full::new(body));
        mended(self.service.handle(request).await).await
    }

    fn unread(&self, unread: Unread) -> Response<Plain> {
        let (reason, status, message) = match unread {
            Unread::TooLong => (
                "body",
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("a request has at most {} bytes", self.body_bytes),
            ),
            Unread::TooSlow => (
                "slow",
                StatusCode::REQUEST_TIMEOUT,
                "the request did not come in time".to_owned(),
            ),
            Unread::Broken => (
                "broken",
                StatusCode::BAD_REQUEST,
                "the request broke off".to_owned(),
            ),
        };
        self.metrics.rejected(reason);
        refused(status, message)
    }

    fn no_room(&self, reason: &'static str, message: &str, id: &Value) -> Response<Plain> {
        self.metrics.rejected(reason);
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let message = format!("{message}; try again");
        answers::later(answers::error(status, TURNED_AWAY, message, id.clone()), 1)
    }
}

fn refused(status: StatusCode, message: impl Into<String>) -> Response<Plain> {
    answers::refusal(status, INVALID_REQUEST, message)
}

fn not_allowed(methods: &'static str) -> Response<Plain> {
    let mut answer = refused(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("the methods here are {methods}"),
    );
    answer
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(methods));
    answer
}

/// Whether the request is of a revision that has sessions.
fn has_sessions(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).map(HeaderValue::as_bytes);
    version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28.as_str().as_bytes())
}

fn session_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut given = headers.get_all(CONTENT_TYPE).iter();
    let (Some(media), None) = (given.next(), given.next()) else {
        return false;
    };
    let media = media.to_str().unwrap_or_default();
    let essence = media.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// Whether JSON is accepted, and whether events are (RFC 9110, 12.5.1).
fn accepted(headers: &HeaderMap) -> [bool; 2] {
    let mut accepted = [false; 2];
    let ranges = headers.get_all(ACCEPT).into_iter();
    let ranges = ranges.filter_map(|value| value.to_str().ok());
    for range in ranges.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
        let refused = parts.any(|part| {
            part.split_once('=').is_some_and(|(name, weight)| {
                name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0)
            })
        });
        if !refused {
            accepted[0] |= matches!(
                essence.as_str(),
                "*/*" | "application/*" | "application/json"
            );
            accepted[1] |= matches!(essence.as_str(), "*/*" | "text/*" | "text/event-stream");
        }
    }
    accepted
}

/// The MCP server's answer, as a JSON-RPC error where it is one in plain text,
/// and without what is none of the client's business.
async fn mended(answer: Response<Plain>) -> Response<Plain> {
    let status = answer.status();
    let media = answer.headers().get(CONTENT_TYPE);
    let json = media.is_some_and(|media| media.as_bytes().starts_with(b"application/json"));
    if json || !(status.is_client_error() || status.is_server_error()) {
        return answer;
    }
    let (parts, body) = answer.into_parts();
    let Ok(body) = body.collect().await;
    let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
    let gone = text.contains("Session not found") || text.contains("Session service terminated");
    let mut mended = match status {
        _ if gone => answers::refusal(
            StatusCode::NOT_FOUND,
            NO_SESSION,
            "the session has ended: begin a new one with initialize",
        ),
        // The content type was right: it is the message that is not.
        StatusCode::UNSUPPORTED_MEDIA_TYPE => refused(
            StatusCode::BAD_REQUEST,
            "this is no message of the Model Context Protocol",
        ),
        status if status.is_server_error() => {
            tracing::warn!("the MCP server failed: {text}");
            answers::refusal(
                status,
                INTERNAL_ERROR,
                "pkb failed at this; its log says more",
            )
        }
        status => refused(status, text),
    };
    if let Some(methods) = parts.headers.get(ALLOW) {
        mended.headers_mut().insert(ALLOW, methods.clone());
    }
    mended
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn what_a_client_accepts_is_understood() {
        let accepts = |values: &[&str]| accepted(&headers(ACCEPT, values));
        assert_eq!(
            accepts(&["application/json, text/event-stream"]),
            [true, true]
        );
        assert_eq!(
            accepts(&["text/event-stream", "APPLICATION/JSON;q=0.5"]),
            [true, true]
        );
        assert_eq!(accepts(&["*/*"]), [true, true]);
        assert_eq!(accepts(&["application/json"]), [true, false]);
        assert_eq!(
            accepts(&["application/json, text/event-stream;q=0"]),
            [true, false]
        );
        assert_eq!(accepts(&["text/html", ""]), [false, false]);
        assert_eq!(accepts(&[]), [false, false]);
    }

    #[test]
    fn only_json_is_json() {
        let json = |values: &[&str]| is_json(&headers(CONTENT_TYPE, values));
        assert!(json(&["application/json"]) && json(&["Application/JSON; charset=utf-8"]));
        assert!(!json(&["text/plain"]) && !json(&["application/jsonx"]) && !json(&[]));
        assert!(!json(&["application/json", "text/plain"]));
    }

    #[test]
    fn only_older_revisions_have_sessions() {
        let of = |values: &[&str]| has_sessions(&headers(VERSION, values));
        assert!(of(&[]) && of(&["2025-03-26"]) && of(&["2025-11-25"]));
        assert!(!of(&["2026-07-28"]) && !of(&["2027-01-01"]));
    }
}
