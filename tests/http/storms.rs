//! Many clients at once, and clients that mean no good.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::eras::{call, connect, eras};
use crate::server::{Place, Reply, Server};

#[test]
fn two_hundred_searches_at_once_are_all_answered() {
    let place = Place::new();
    let server = place.serve(&[]);
    thread::scope(|scope| {
        let asking: Vec<_> = (0..200)
            .map(|_| scope.spawn(|| server.search(&[])))
            .collect();
        for one in asking {
            let reply = one.join().unwrap();
            assert_eq!(reply.status, 200, "{reply:?}");
            assert!(reply.body.contains("Zephyrine"), "{reply:?}");
        }
    });
    server.wait_for("pkb_http_running", 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_of_both_eras_at_once_are_all_served() {
    let place = Place::new();
    let server = place.serve(&[]);
    let server = &server;
    for era in eras() {
        let asked = (0..50).map(|_| {
            let era = era.clone();
            async move {
                let client = connect(server, era, None).await.unwrap();
                let found = call(&client, "search_knowledge", json!({ "query": "salt" })).await;
                assert_eq!(
                    found.structured_content.unwrap()["hits"][0]["path"],
                    "notes/bread.md"
                );
                client.cancel().await.unwrap();
            }
        });
        join(asked.collect()).await;
    }
    server.wait_for("pkb_http_sessions", 0.0);
    server.wait_for("pkb_http_streams", 0.0);
}

/// Runs them all at once.
async fn join<F: Future<Output = ()>>(futures: Vec<F>) {
    let mut all: Vec<_> = futures.into_iter().map(|one| Some(Box::pin(one))).collect();
    std::future::poll_fn(|context| {
        let mut waiting = false;
        for one in &mut all {
            let Some(future) = one else { continue };
            if future.as_mut().poll(context).is_ready() {
                *one = None;
            } else {
                waiting = true;
            }
        }
        if waiting {
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(())
        }
    })
    .await;
}

/// A round of requests that are malformed, oversized, half-open and given up.
fn attack(server: &Server, round: usize) {
    let host = server.host();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\naccept: */*\r\nconnection: close\r\n"
    );
    let newest = format!(
        "{head}mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: search_knowledge\r\n"
    );
    let search = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "search_knowledge", "arguments": { "query": "moon" },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
    .to_string();
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    })
    .to_string();
    let sized =
        |head: &str, body: &str| format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    let expect = |bytes: &[u8], status: u16| {
        let answer = server.raw(bytes);
        let reply = Reply::parse(&answer);
        let reply = reply.unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(&answer)));
        assert_eq!(reply.status, status, "{reply:?}");
    };
    // What comes first to a connection, and then nothing more.
    let leave = |bytes: &[u8], read: bool| {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        if read {
            let _ = stream.read(&mut [0; 16]);
        }
        let _ = stream.shutdown(Shutdown::Both);
    };
    match round % 20 {
        0 => expect(sized(&head, "{\"jsonrpc\"").as_bytes(), 400),
        1 => expect(sized(&head, "[]").as_bytes(), 400),
        2 => expect(sized(&head, &"[".repeat(10_000)).as_bytes(), 400),
        3 => expect(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        4 => expect(b"GET / HTTP/9.9\r\n\r\n", 400),
        5 => expect(format!("{head}content-length: -1\r\n\r\n").as_bytes(), 400),
        6 => expect(
            format!("{head}content-length: 1\r\ncontent-length: 2\r\n\r\n{{}}").as_bytes(),
            400,
        ),
        7 => expect(
            format!("{head}transfer-encoding: chunked\r\n\r\nzz\r\n").as_bytes(),
            400,
        ),
        8 => expect(
            format!(
                "GET /mcp HTTP/1.1\r\nhost: {host}\r\nx: {}\r\n\r\n",
                "x".repeat(64 * 1024)
            )
            .as_bytes(),
            431,
        ),
        9 => expect(
            format!(
                "GET /{} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n",
                "x".repeat(16 * 1024)
            )
            .as_bytes(),
            404,
        ),
        10 => expect(sized(&head, &"x".repeat(5 * 1024 * 1024)).as_bytes(), 413),
        11 => expect(
            format!("{head}content-length: 99999999999\r\n\r\n{{").as_bytes()[..].as_ref(),
            413,
        ),
        12 => leave(b"", false),
        13 => leave(b"POST /mcp HT", false),
        14 => leave(
            format!("{head}content-length: 1000\r\n\r\n{{\"jsonrpc\"").as_bytes(),
            false,
        ),
        15 => leave(sized(&newest, &search).as_bytes(), false),
        16 => leave(sized(&newest, &search).as_bytes(), true),
        17 => leave(sized(&head, &initialize).as_bytes(), false),
        18 => leave(sized(&head, &initialize).as_bytes(), true),
        _ => expect(
            sized(
                &head,
                &format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}",
                    "m".repeat(1000)
                ),
            )
            .as_bytes(),
            400,
        ),
    }
}

#[test]
fn a_thousand_hostile_requests_leave_nothing_behind() {
    let place = Place::new();
    place.settings("[http.limits]\nsession_idle_s = 1\nrate = 100000\nburst = 100000\n");
    let server = place.serve(&[]);
    let storm = || {
        thread::scope(|scope| {
            for worker in 0..10 {
                let server = &server;
                scope
                    .spawn(move || (0..100).for_each(|round| attack(server, worker * 100 + round)));
            }
        });
        assert_eq!(server.search(&[]).status, 200);
        server.wait_for("pkb_http_running", 0.0);
        server.wait_for("pkb_http_sessions", 0.0);
        // The one that asks is the only one left.
        server.wait_for("pkb_http_connections", 1.0);
    };
    storm();
    let before = server.memory();
    storm();
    let after = server.memory();
    if let (Some(before), Some(after)) = (before, after) {
        let grown = after.saturating_sub(before);
        assert!(grown < 64 * 1024 * 1024, "grew by {grown} bytes");
    }
}

#[test]
fn connections_that_say_nothing_are_closed_and_hold_up_nobody() {
    let place = Place::new();
    place.settings("[http.limits]\nconnections = 8\n");
    let server = place.serve(&[]);
    let mut silent: Vec<_> = (0..7).map(|_| server.connect()).collect();
    silent[0]
        .write_all(b"POST /mcp HTTP/1.1\r\nhost: ")
        .unwrap();
    assert_eq!(server.search(&[]).status, 200, "there is room for one more");
    silent.extend((0..4).map(|_| server.connect()));
    thread::sleep(Duration::from_millis(200));
    let full = server.raw(
        format!(
            "GET /healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            server.host()
        )
        .as_bytes(),
    );
    assert!(
        full.is_empty() || full.starts_with(b"HTTP/1.1 503"),
        "{:?}",
        String::from_utf8_lossy(&full)
    );
    // Whoever says nothing, or not all, is cut off after a while.
    for mut one in silent {
        let mut rest = Vec::new();
        let _ = one.read_to_end(&mut rest);
    }
    server.wait_for("pkb_http_connections", 1.0);
    assert_eq!(server.search(&[]).status, 200);
}
