//! Searching: in one process over a real vault with vectors, and the time from
//! a client's start of the server to its first answer.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pkb_engine::{Access, Engine, Home, Mode, NewFolder, SearchRequest, SyncOptions, Unwatched};
use pkb_tests::{model_folder, pkb_binary, vault};

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
        let (time, memory) = one_answer(home, models);
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

/// Starts the server, asks one search and waits for the answer.
fn one_answer(home: &Path, models: &Path) -> (Duration, u64) {
    let began = Instant::now();
    let mut server = Command::new(pkb_binary())
        .arg("--home")
        .arg(home)
        .arg("serve")
        .env("PKB_MODELS", models)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut to = server.stdin.take().unwrap();
    let mut from = BufReader::new(server.stdout.take().unwrap());
    let mut answer = String::new();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
    writeln!(to, "{hello}").unwrap();
    from.read_line(&mut answer).unwrap();
    writeln!(
        to,
        r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#
    )
    .unwrap();
    let ask = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_knowledge","arguments":{"query":"keyboard shortcuts","mode":"lexical"}}}"#;
    writeln!(to, "{ask}").unwrap();
    answer.clear();
    from.read_line(&mut answer).unwrap();
    let took = began.elapsed();
    assert!(
        answer.contains("\"id\":2") && !answer.contains("\"isError\":true"),
        "{answer}"
    );
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|value| value.trim().trim_end_matches(" kB").parse::<u64>().ok())
        .unwrap_or(0);
    drop(to);
    server.wait().unwrap();
    (took, peak * 1024)
}
