//! Many searches at once over HTTP, against one alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use pkb_tests::{pkb, vault};
use serde_json::json;

use crate::{heading, line, ms, percentile};

/// Searches at once.
const MANY: usize = 200;
const QUERIES: [&str; 10] = [
    "keep notes the same on phone and laptop",
    "how do I link to a heading",
    "app.vault.getFiles",
    "change the theme",
    "embed a picture",
    "keyboard shortcuts",
    "publish a site",
    "recover a deleted note",
    "tags and nested tags",
    "export to PDF",
];

pub(crate) fn measure() {
    heading("Searching the English help vault over HTTP, by word");
    let Some(vault) = vault("obsidian-help-en") else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let status = pkb(home.path()).args(arguments).output().unwrap().status;
        assert!(status.success(), "{arguments:?}");
    };
    run(&["add", vault.path().to_str().unwrap(), "--name", "help"]);
    run(&["sync", "--no-embed"]);
    let mut server = pkb(home.path())
        .args(["serve", "--no-watch", "--http", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(server.stdout.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    let url = said.split("http://").nth(1).unwrap();
    let at = url.split('/').next().unwrap().to_owned();

    for query in QUERIES {
        ask(&at, query);
    }
    let mut alone: Vec<Duration> = (0..100)
        .map(|number| ask(&at, QUERIES[number % QUERIES.len()]))
        .collect();
    let p50 = percentile(&mut alone, 0.5);
    line("one search alone, p50", ms(p50));
    let mut worst = Vec::new();
    for _ in 0..5 {
        let barrier = Barrier::new(MANY);
        let mut times = thread::scope(|scope| {
            let asking: Vec<_> = (0..MANY)
                .map(|number| {
                    let (barrier, at) = (&barrier, &at);
                    scope.spawn(move || {
                        barrier.wait();
                        ask(at, QUERIES[number % QUERIES.len()])
                    })
                })
                .collect();
            asking
                .into_iter()
                .map(|one| one.join().unwrap())
                .collect::<Vec<_>>()
        });
        worst.push(percentile(&mut times, 0.99));
    }
    let p99 = percentile(&mut worst, 0.5);
    line(
        &format!("{MANY} at once, p99 (median of 5 rounds)"),
        format!(
            "{}, {:.1} times one alone; budget 20 times",
            ms(p99),
            p99.as_secs_f64() / p50.as_secs_f64()
        ),
    );
    let _ = server.kill();
    let _ = server.wait();
}

/// The time to the whole answer, the connection included.
fn ask(at: &str, query: &str) -> Duration {
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "search_knowledge",
            "arguments": { "query": query },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
    .to_string();
    let began = Instant::now();
    let mut stream = TcpStream::connect(at).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nhost: {at}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/call\r\nmcp-name: search_knowledge\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    began.elapsed()
}
