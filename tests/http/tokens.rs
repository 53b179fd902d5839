//! Tokens: how they are made and kept, whom they let in, and when no longer.

use std::fs;

use serde_json::{Value, json};

use crate::server::{Place, call, contents};

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let place = Place::bare();
    let made: Value = serde_json::from_str(&place.run(&[
        "--json",
        "token",
        "new",
        "--name",
        "phone",
        "--scope",
        "write",
        "--expires",
        "30d",
    ]))
    .unwrap();
    assert_eq!(
        (&made["name"], &made["scope"], &made["valid"]),
        (&json!("phone"), &json!("write"), &json!(true))
    );
    let secret = made["token"].as_str().unwrap();
    assert!(secret.starts_with("pkb_") && secret.len() > 40);
    let other = place.run(&["token", "new"]);
    assert_eq!(other.lines().count(), 1, "it can be piped on");

    let list: Value = serde_json::from_str(&place.run(&["--json", "token", "list"])).unwrap();
    assert_eq!(list[1]["name"], "token-1");
    assert_eq!(list[1]["scope"], "read");
    assert!(list[0].get("token").is_none() && list[0].get("sha256").is_none());
    let shown = place.run(&["token", "list"]);
    assert!(shown.contains("phone") && !shown.contains(secret));
    let kept = contents(&place.home());
    let secret = secret.trim_start_matches("pkb_").as_bytes();
    assert!(
        !kept.windows(secret.len()).any(|bytes| bytes == secret),
        "it is kept in clear"
    );

    assert_eq!(place.fail(&["token", "new", "--name", "phone"]).0, Some(2));
    assert_eq!(
        place.fail(&["token", "new", "--expires", "2020-01-01"]).0,
        Some(2)
    );
    assert_eq!(
        place.fail(&["token", "new", "--expires", "soon"]).0,
        Some(2)
    );
    place.run(&["token", "revoke", list[0]["id"].as_str().unwrap()]);
    let (code, said) = place.fail(&["token", "revoke", "phone"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("token list"), "{said}");
}

#[test]
fn a_server_that_others_reach_needs_a_token() {
    let place = Place::new();
    let (code, said) = place.fail(&["serve", "--http", "0.0.0.0:0"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("pkb token new"), "{said}");
    let token = place.token("laptop", "read");
    let server = place.serve_at("0.0.0.0:0", &[]);
    assert_eq!(server.said["token_needed"], true);
    assert!(server.log().contains("unencrypted"));
    assert_eq!(server.search(&[]).status, 401);
    assert_eq!(
        server.search(&[("authorization", &bearer(&token))]).status,
        200
    );
}

#[test]
fn a_token_counts_from_when_it_is_made_to_when_it_is_revoked() {
    let place = Place::new();
    let server = place.serve(&[]);
    assert_eq!(
        (server.search(&[]).status, &server.said["token_needed"]),
        (200, &json!(false))
    );
    let token = bearer(&place.token("first", "read"));
    let shown = [("authorization", token.as_str())];
    assert_eq!(server.search(&[]).status, 401);
    assert_eq!(server.search(&shown).status, 200);
    let reply = server.search(&[("authorization", "Bearer pkb_nonsense")]);
    assert_eq!(reply.status, 401);
    assert!(
        reply
            .header("www-authenticate")
            .unwrap()
            .contains("error=\"invalid_token\"")
    );
    assert_eq!(
        server
            .search(&[("authorization", "Basic cGtiOnBrYg==")])
            .status,
        401
    );
    assert_eq!(server.search(&[("authorization", "Bearer")]).status, 400);
    let query = format!("/mcp?access_token={}", token.trim_start_matches("Bearer "));
    assert_eq!(server.get(&query, &[]).status, 401);

    place.run(&["token", "revoke", "first"]);
    assert_eq!(server.search(&shown).status, 401);
    assert_eq!(
        server.search(&[]).status,
        401,
        "no token left does not mean that none is needed"
    );
    fs::remove_file(place.home().join("tokens.toml")).unwrap();
    assert_eq!(server.search(&[]).status, 401);
}

#[test]
fn a_stream_that_listens_ends_with_its_token() {
    let place = Place::new();
    let token = bearer(&place.token("first", "read"));
    let other = bearer(&place.token("other", "read"));
    let server = place.serve(&[]);
    let json = [
        ("content-type", "application/json"),
        ("accept", "*/*"),
        ("authorization", token.as_str()),
    ];
    let begin = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let reply = server.ask("POST", "/mcp", &json, &begin.to_string());
    let session = reply.header("mcp-session-id").unwrap();
    let stream = [("accept", "text/event-stream"), ("mcp-session-id", session)];
    let with = |token: &str| {
        let headers = [stream.as_slice(), &[("authorization", token)]].concat();
        server.get("/mcp", &headers)
    };
    // Whoever else has a token has no part in this session.
    assert_eq!(with(&other).status, 404);
    std::thread::scope(|scope| {
        let listening = scope.spawn(|| with(&token));
        let metric = |name: &str| server.metric(name, &[("authorization", &other)]);
        while metric("pkb_http_streams") == 0.0 {}
        place.run(&["token", "revoke", "first"]);
        assert_eq!(listening.join().unwrap().status, 200, "it had begun");
        while metric("pkb_http_streams") + metric("pkb_http_sessions") > 0.0 {}
    });
}

#[test]
fn a_token_does_what_its_scope_says() {
    let place = Place::new();
    let reader = bearer(&place.token("reader", "read"));
    let admin = bearer(&place.token("admin", "admin"));
    let server = place.serve(&[]);
    let sync = call("sync_knowledge_base", json!({}));
    let reply = server.post(&sync, &[("authorization", &reader)]);
    assert_eq!(reply.status, 403);
    let challenge = reply.header("www-authenticate").unwrap();
    assert!(
        challenge.contains("error=\"insufficient_scope\"")
            && challenge.contains("scope=\"pkb:write\"")
    );
    assert_eq!(server.search(&[("authorization", &reader)]).status, 200);
    assert_eq!(server.post(&sync, &[("authorization", &admin)]).status, 200);
}

#[test]
fn no_token_is_ever_logged() {
    let place = Place::new();
    let good = place.token("good", "read");
    let bad = "pkb_c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWU";
    let server = place.serve(&[]);
    for token in [good.as_str(), bad] {
        for header in [bearer(token), format!("Basic {token}"), token.to_owned()] {
            server.search(&[
                ("authorization", &header),
                ("cookie", &format!("session={token}")),
            ]);
            server.search(&[("authorization", &header), ("host", "evil.example")]);
        }
    }
    let log = server.log();
    assert!(log.len() > 1000, "there is a log");
    for token in [good.as_str(), bad] {
        let secret = token.trim_start_matches("pkb_");
        assert!(
            !log.contains(secret),
            "{}",
            log.lines().find(|line| line.contains(secret)).unwrap()
        );
    }
}
