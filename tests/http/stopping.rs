//! A server that is told to stop lets what is running end.

#![cfg(unix)]

use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::server::{Place, Reply, call};

#[test]
fn a_server_that_does_nothing_ends_at_once() {
    let place = Place::new();
    let mut server = place.serve(&[]);
    // One connection lies idle, one listens.
    let mut idle = server.connect();
    write!(
        idle,
        "GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.host()
    )
    .unwrap();
    idle.read_exact(&mut [0; 12]).unwrap();
    server.stop();
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn searches_that_run_are_answered() {
    let place = Place::new();
    let mut server = place.serve(&[]);
    let replies = thread::scope(|scope| {
        let asking: Vec<_> = (0..20)
            .map(|_| scope.spawn(|| server.search(&[])))
            .collect();
        while server.metric(
            "pkb_tool_calls_total{tool=\"search_knowledge\",outcome=\"answered\"}",
            &[],
        ) < 1.0
        {}
        server.stop();
        asking.into_iter().map(|one| one.join()).collect::<Vec<_>>()
    });
    // Those that were not accepted any more got nothing; no one got half.
    let answered = replies
        .into_iter()
        .flatten()
        .filter(|reply| reply.status == 200);
    assert!(
        answered
            .inspect(|reply| assert!(reply.body.contains("telescope")))
            .count()
            >= 1
    );
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn a_sync_that_runs_is_stopped_and_can_go_on() {
    let place = Place::large();
    let mut server = place.serve(&[]);
    thread::scope(|scope| {
        let syncing = scope.spawn(|| {
            let sync = call("sync_knowledge_base", json!({}));
            let mut text = Vec::new();
            let mut stream = server.connect();
            let mut message = sync.clone();
            message["params"]["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
                "progressToken": 1,
            });
            let body = message.to_string();
            write!(
                stream,
                "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: */*\r\n\
                 mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: sync_knowledge_base\r\n\
                 connection: close\r\ncontent-length: {}\r\n\r\n{body}",
                server.host(),
                body.len()
            )
            .unwrap();
            let _ = stream.read_to_end(&mut text);
            Reply::parse(&text)
        });
        server.wait_for("pkb_http_running", 1.0);
        server.stop();
        syncing.join().unwrap();
    });
    assert_eq!(server.wait().code(), Some(0));
    place.run(&["sync", "--no-embed"]);
    let status: Value = serde_json::from_str(&place.run(&["--json", "status"])).unwrap();
    assert_eq!(status["store"]["items"], 6000);
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let place = Place::large();
    let mut server = place.serve(&[]);
    thread::scope(|scope| {
        scope.spawn(|| {
            let host = server.host();
            // Half a request is as good as work: it is waited for.
            server.raw(format!("POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: 9\r\n\r\n{{").as_bytes());
        });
        while server.metric("pkb_http_connections", &[]) < 2.0 {}
        thread::sleep(Duration::from_millis(200));
        server.stop();
        thread::sleep(Duration::from_millis(200));
        server.stop();
    });
    assert!(!server.wait().success());
}
