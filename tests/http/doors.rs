//! A hostile web page cannot reach a server on this machine.

use crate::server::{Place, call};
use serde_json::json;

/// What a page sends whose own name was made to point to this machine.
#[test]
fn a_page_that_rebinds_its_name_gets_nothing() {
    let place = Place::new();
    let server = place.serve(&[]);
    assert_eq!(server.search(&[]).status, 200);
    let port = server.at.port();
    let evil = format!("evil.example:{port}");
    for path in [
        "/mcp",
        "/metrics",
        "/healthz",
        "/.well-known/oauth-protected-resource",
        "/none",
    ] {
        for method in ["GET", "POST", "OPTIONS", "DELETE"] {
            let reply = server.ask(method, path, &[("host", &evil)], "");
            assert_eq!(reply.status, 403, "{method} {path}");
            assert!(!reply.body.contains("telescope"));
        }
    }
    for host in [
        evil.as_str(),
        "evil.example",
        "127.0.0.1",
        &format!("127.0.0.1.evil.example:{port}"),
    ] {
        assert_eq!(server.search(&[("host", host)]).status, 403, "{host}");
    }
    assert_eq!(
        server.metric(
            "pkb_tool_calls_total{tool=\"search_knowledge\",outcome=\"answered\"}",
            &[]
        ),
        1.0
    );
    let named = format!(
        "GET http://{evil}/metrics HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
        server.host()
    );
    assert!(server.raw(named.as_bytes()).starts_with(b"HTTP/1.1 403"));
    let twice = format!(
        "GET /metrics HTTP/1.1\r\nhost: {}\r\nhost: {evil}\r\nconnection: close\r\n\r\n",
        server.host()
    );
    assert!(server.raw(twice.as_bytes()).starts_with(b"HTTP/1.1 400"));
    let none = b"GET /metrics HTTP/1.1\r\nconnection: close\r\n\r\n";
    assert!(server.raw(none).starts_with(b"HTTP/1.1 400"));
}

#[test]
fn what_a_proxy_hands_on_is_not_this_machines_own() {
    let place = Place::new();
    let server = place.serve(&[]);
    assert_eq!(server.search(&[]).status, 200);
    for (name, value) in [
        ("x-forwarded-for", "203.0.113.5"),
        ("forwarded", "for=203.0.113.5"),
        ("via", "1.1 proxy"),
    ] {
        assert_eq!(server.search(&[(name, value)]).status, 401, "{name}");
    }
}

#[test]
fn a_page_of_another_origin_gets_nothing() {
    let place = Place::new();
    let server = place.serve(&[]);
    for origin in [
        "http://evil.example",
        "null",
        // Another server of this machine.
        "http://127.0.0.1:1",
        &format!("https://{}", server.host()),
    ] {
        let reply = server.search(&[("origin", origin)]);
        assert_eq!(reply.status, 403, "{origin}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
        let preflight = server.ask(
            "OPTIONS",
            "/mcp",
            &[
                ("origin", origin),
                ("access-control-request-method", "POST"),
            ],
            "",
        );
        assert_eq!(preflight.status, 403, "{origin}");
        assert_eq!(preflight.header("access-control-allow-methods"), None);
    }
    // What a page may send without asking first carries no origin.
    let hidden = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "no-cors"),
    ];
    assert_eq!(server.get("/metrics", &hidden).status, 403);
}

#[test]
fn a_page_that_the_user_allows_may_ask() {
    let place = Place::new();
    let server = place.serve(&[
        "--allow-origin",
        "http://localhost:6274",
        "--allow-host",
        "notes.example.org",
    ]);
    let origin = ("origin", "http://localhost:6274");
    let preflight = [origin, ("access-control-request-method", "POST")];
    let reply = server.ask("OPTIONS", "/mcp", &preflight, "");
    assert_eq!(reply.status, 204, "{reply:?}");
    assert_eq!(
        reply.header("access-control-allow-origin"),
        Some("http://localhost:6274")
    );
    assert!(
        reply
            .header("access-control-allow-headers")
            .unwrap()
            .contains("mcp-session-id")
    );
    let reply = server.search(&[origin]);
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.header("access-control-allow-origin"),
        Some("http://localhost:6274")
    );
    assert_eq!(server.search(&[("host", "notes.example.org")]).status, 200);
    assert_eq!(
        server.search(&[("origin", "http://localhost:6275")]).status,
        403
    );
}

#[test]
fn what_everybody_may_see_says_nothing() {
    let place = Place::new();
    place.token("laptop", "read");
    let server = place.serve(&[]);
    let health = server.get("/healthz", &[]);
    assert_eq!(
        (health.status, health.json()),
        (200, json!({ "status": "ok" }))
    );
    assert_eq!(server.get("/metrics", &[]).status, 401);
    assert_eq!(
        server.post(&call("health_check", json!({})), &[]).status,
        401
    );
}
