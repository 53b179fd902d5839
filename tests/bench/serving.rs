//! Searching: in one process over a real vault with vectors, and the time from
//! a client's start of the server to its first answer.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pkb_engine::{Access, Engine, Home, Mode, NewFolder, SearchRequest, SyncOptions, Unwatched};
use pkb_tests::{model_folder, pkb_binary, vault};
use serde_json::{Value, json};

use crate::{heading, line, ms, percentile};

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
    heading("Searching the English help vault, vectors included");
    let Some(vault) = vault("obsidian-help-en") else {
        return;
    };
    let Some(model) = model_folder() else { return };
    let temp = tempfile::tempdir().unwrap();
    let models = model.parent().unwrap().to_owned();
    let home = Home::locate(Some(temp.path().to_owned()), Some(models.clone())).unwrap();
    let engine = Arc::new(Engine::open(home.clone(), Access::Write).unwrap());
    engine
        .use_model(&model.file_name().unwrap().to_string_lossy())
        .unwrap();
    engine
        .add_folder(
            vault.path(),
            &NewFolder {
                name: Some("help".into()),
                ..NewFolder::default()
            },
        )
        .unwrap();
    let began = Instant::now();
    engine
        .sync(&[], SyncOptions::default(), &Unwatched)
        .unwrap();
    line(
        "add and embed the vault",
        format!("{:.1} s", began.elapsed().as_secs_f64()),
    );
    let health = engine.health().unwrap();
    line(
        "database",
        format!(
            "{:.2}x the text plus 600 bytes a chunk would be {:.1} MB; it is {:.1} MB ({} bytes a chunk, text not counted)",
            2.0,
            (2 * health.store.text_bytes + 600 * health.store.chunks) as f64 / 1e6,
            health.store.bytes as f64 / 1e6,
            (health.store.bytes - health.store.text_bytes) / health.store.chunks.max(1)
        ),
    );
    for mode in [Mode::Lexical, Mode::Dense, Mode::Hybrid] {
        let mut times = Vec::new();
        for round in 0..6 {
            for query in QUERIES {
                let request = SearchRequest {
                    query: query.into(),
                    mode,
                    ..SearchRequest::default()
                };
                let began = Instant::now();
                engine.search(&request).unwrap();
                if round > 0 {
                    times.push(began.elapsed());
                }
            }
        }
        let p50 = percentile(&mut times, 0.5);
        line(
            &format!("{mode:?} query, {} chunks", health.store.chunks),
            format!("p50 {}, p95 {}", ms(p50), ms(percentile(&mut times, 0.95))),
        );
    }
    drop(engine);
    first_answer(temp.path(), &models);
}

fn first_answer(home: &Path, models: &Path) {
    let mut times = Vec::new();
    let mut peak = 0;
    for _ in 0..10 {
        let (time, memory) = one_answer(home, models, "keyboard shortcuts", "lexical");
        times.push(time);
        peak = peak.max(memory);
    }
    line(
        "start to first MCP answer (a search by word), p50",
        ms(percentile(&mut times, 0.5)),
    );
    line(
        "peak memory of that server",
        format!("{:.0} MB", peak as f64 / 1e6),
    );
}

/// Starts the server, asks one search and waits for the answer. The time that
/// took, and the server's peak memory in bytes.
pub(crate) fn one_answer(home: &Path, models: &Path, query: &str, mode: &str) -> (Duration, u64) {
    let began = Instant::now();
    let mut server = Server::start(home, models);
    server.search(query, mode);
    (began.elapsed(), server.memory("VmHWM:"))
}

/// `pkb serve`, and a client that speaks with it. It ends when dropped.
pub(crate) struct Server {
    process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(home: &Path, models: &Path) -> Server {
        let mut process = Command::new(pkb_binary())
            .arg("--home")
            .arg(home)
            .arg("serve")
            .env("PKB_MODELS", models)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let from = BufReader::new(process.stdout.take().unwrap());
        let to = process.stdin.take();
        let mut server = Server { process, to, from };
        server.tell(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            }}),
        );
        server.hear();
        server.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    /// Asks a search and waits for the answer.
    pub(crate) fn search(&mut self, query: &str, mode: &str) {
        self.tell(
            &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
                "name": "search_knowledge",
                "arguments": {"query": query, "mode": mode},
            }}),
        );
        let answer = self.hear();
        assert!(
            answer["id"] == 2 && answer["result"]["isError"] != true,
            "{answer}"
        );
    }

    fn tell(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// Bytes that the system says of it; 0 where it says nothing.
    pub(crate) fn memory(&self, of: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let kib = status
            .unwrap_or_default()
            .lines()
            .find_map(|line| line.strip_prefix(of))
            .and_then(|value| value.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.unwrap_or(0) * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends when nobody can ask any more.
        self.to = None;
        let _ = self.process.wait();
    }
}
