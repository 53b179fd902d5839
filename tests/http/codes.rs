//! What is wrong with a request is said with the right code.

use serde_json::{Value, json};

use crate::server::{Place, Server, call};

const PARSE: i64 = -32700;
const INVALID: i64 = -32600;

fn post(server: &Server, headers: &[(&str, &str)], body: &str) -> (u16, i64) {
    let reply = server.ask("POST", "/mcp", headers, body);
    (reply.status, reply.code())
}

const JSON: (&str, &str) = ("content-type", "application/json");
const BOTH: (&str, &str) = ("accept", "application/json, text/event-stream");

#[test]
fn what_is_no_message_is_told_apart() {
    let place = Place::new();
    let server = place.serve(&[]);
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let sent = |body: &str| post(&server, &[JSON, BOTH], body);
    for body in [
        "{",
        "nonsense",
        "{\"jsonrpc\": \"2.0\", \"id\": 1,}",
        "\u{0}",
    ] {
        assert_eq!(sent(body), (400, PARSE), "{body}");
    }
    for body in [
        "[]",
        "1",
        "{}",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
    ] {
        assert_eq!(sent(body), (400, INVALID), "{body}");
    }
    assert_eq!(post(&server, &[BOTH], &ping), (415, INVALID));
    assert_eq!(
        post(&server, &[("content-type", "text/plain"), BOTH], &ping),
        (415, INVALID)
    );
    assert_eq!(post(&server, &[JSON], &ping), (406, INVALID));
    assert_eq!(
        post(&server, &[JSON, ("accept", "application/json")], &ping),
        (406, INVALID)
    );
    assert_eq!(
        post(
            &server,
            &[JSON, BOTH, ("mcp-protocol-version", "1999-01-01")],
            &ping
        )
        .0,
        400
    );
    assert_eq!(
        post(&server, &[JSON, BOTH, ("mcp-session-id", "made-up")], &ping),
        (404, -32001)
    );
    // A revision with sessions, and none begun.
    assert_eq!(post(&server, &[JSON, BOTH], &ping), (400, INVALID));
}

#[test]
fn what_is_not_there_is_told_apart() {
    let place = Place::new();
    let server = place.serve(&[]);
    assert_eq!(server.get("/", &[]).status, 404);
    assert_eq!(server.get("/mcp/more", &[]).status, 404);
    assert_eq!(
        server
            .get("/.well-known/oauth-protected-resource", &[])
            .status,
        404
    );
    for method in ["PUT", "PATCH", "HEAD", "TRACE", "NONSENSE"] {
        let reply = server.ask(method, "/mcp", &[], "");
        assert_eq!(reply.status, 405, "{method}");
        assert!(reply.header("allow").unwrap().contains("post"));
    }
    assert_eq!(server.ask("POST", "/healthz", &[JSON], "{}").status, 405);
    let stream = ("accept", "text/event-stream");
    assert_eq!(server.get("/mcp", &[]).status, 406);
    assert_eq!(server.get("/mcp", &[stream]).status, 400);
    assert_eq!(
        server
            .get("/mcp", &[stream, ("mcp-protocol-version", "2026-07-28")])
            .status,
        405
    );
    assert_eq!(
        server
            .get("/mcp", &[stream, ("mcp-session-id", "made-up")])
            .status,
        404
    );
    assert_eq!(
        server
            .ask("DELETE", "/mcp", &[("mcp-session-id", "made-up")], "")
            .status,
        404
    );
    let method = json!({ "jsonrpc": "2.0", "id": 9, "method": "no/such", "params": {} });
    let reply = server.post(&method, &[]);
    assert_eq!(
        (reply.status, reply.code(), &reply.json()["id"]),
        (404, -32601, &json!(9))
    );
    let reply = server.post(&call("no_such_tool", json!({})), &[]);
    assert_eq!(reply.code(), -32602, "{reply:?}");
}

#[test]
fn what_is_too_much_is_told_apart() {
    let place = Place::new();
    let server = place.serve(&[]);
    let long = format!("{{\"x\": \"{}\"}}", "x".repeat(5 * 1024 * 1024));
    let reply = server.ask("POST", "/mcp", &[JSON, BOTH], &long);
    assert_eq!((reply.status, reply.code()), (413, INVALID));
    // The same, without saying how long it is.
    let mut chunked = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: */*\r\nconnection: close\r\n\
         transfer-encoding: chunked\r\n\r\n",
        server.host()
    );
    for _ in 0..100 {
        chunked.push_str(&format!("{:x}\r\n{}\r\n", 65536, "x".repeat(65536)));
    }
    chunked.push_str("0\r\n\r\n");
    assert!(server.raw(chunked.as_bytes()).starts_with(b"HTTP/1.1 413"));
    let big = "x".repeat(64 * 1024);
    assert_eq!(server.get("/healthz", &[("x-big", &big)]).status, 431);
    let names: Vec<String> = (0..200).map(|number| format!("x-{number}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    assert_eq!(server.get("/healthz", &many).status, 431);
    assert_eq!(server.search(&[]).status, 200);
}

#[test]
fn who_asks_too_fast_is_told_to_wait() {
    let place = Place::new();
    place.settings("[http.limits]\nrate = 1\nburst = 3\n");
    let server = place.serve(&[]);
    let mut replies: Vec<_> = (0..6).map(|_| server.search(&[])).collect();
    let last = replies.pop().unwrap();
    assert_eq!(last.status, 429);
    let wait: u64 = last.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=10).contains(&wait));
    assert_eq!(replies[0].status, 200);
    assert_eq!(server.get("/healthz", &[]).status, 200);
}

#[test]
fn more_sessions_than_there_is_room_for_are_turned_away() {
    let place = Place::new();
    place.settings("[http.limits]\nsessions = 2\nsession_idle_s = 2\n");
    let server = place.serve(&[]);
    let begin = || {
        let begin = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
            },
        });
        server.ask("POST", "/mcp", &[JSON, BOTH], &begin.to_string())
    };
    let opened: Vec<_> = (0..2).map(|_| begin()).collect();
    for reply in &opened {
        assert_eq!(reply.status, 200);
        assert!(reply.header("mcp-session-id").is_some());
    }
    let reply = begin();
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (503, Some("1"))
    );
    assert_eq!(reply.json()["id"], Value::from(1));
    // One that nobody uses ends by itself.
    server.wait_for("pkb_http_sessions", 0.0);
    assert_eq!(begin().status, 200);
}

#[test]
fn two_servers_cannot_have_one_address() {
    let place = Place::new();
    let server = place.serve(&[]);
    let (code, said) = place.fail(&["serve", "--http", &server.host()]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("listens at") && said.contains("hint:"),
        "{said}"
    );
    for wrong in [
        "nowhere",
        "127.0.0.1",
        "no.such.host.invalid:80",
        "127.0.0.1:70000",
    ] {
        assert_eq!(
            place.fail(&["serve", "--http", wrong]).0,
            Some(2),
            "{wrong}"
        );
    }
}
