//! What is answered without asking the MCP server.

use std::convert::Infallible;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

/// An answer's body, before what it holds on to.
pub(super) type Plain = BoxBody<Bytes, Infallible>;

/// What was sent is not JSON.
pub(super) const PARSE_ERROR: i32 = -32700;
/// What was sent is JSON, and no request.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// pkb failed.
pub(super) const INTERNAL_ERROR: i32 = -32603;
/// There is no such session, by the code that clients know for it.
pub(super) const NO_SESSION: i32 = -32001;
/// Not now; in the range that is free for servers.
pub(super) const TURNED_AWAY: i32 = -32000;

/// An answer with a body of that type.
pub(super) fn of(
    status: StatusCode,
    media: &'static str,
    body: impl Into<Bytes>,
) -> Response<Plain> {
    let mut answer = Response::new(Full::new(body.into()).boxed());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// An answer without a body.
pub(super) fn empty(status: StatusCode) -> Response<Plain> {
    let mut answer = Response::new(Full::default().boxed());
    *answer.status_mut() = status;
    answer
}

/// An answer in JSON.
pub(super) fn json(status: StatusCode, value: &Value) -> Response<Plain> {
    of(status, "application/json", value.to_string())
}

/// An error as JSON-RPC says it, with the request's id where that is known.
pub(super) fn error(
    status: StatusCode,
    code: i32,
    message: impl Into<String>,
    id: Value,
) -> Response<Plain> {
    let error = json!({ "code": code, "message": message.into() });
    json(
        status,
        &json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    )
}

/// An error that comes before there is an id.
pub(super) fn refusal(
    status: StatusCode,
    code: i32,
    message: impl Into<String>,
) -> Response<Plain> {
    error(status, code, message, Value::Null)
}

/// The answer with when to try again, in seconds.
pub(super) fn later(mut answer: Response<Plain>, seconds: u64) -> Response<Plain> {
    answer
        .headers_mut()
        .insert(RETRY_AFTER, seconds.max(1).into());
    answer
}
