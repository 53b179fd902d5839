//! A vault of 7,425 small notes, from nothing to findable, through the binary.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pkb_tests::{pkb_binary, vault};

use crate::{heading, line, ms, percentile};

/// What qmd 2.8.3, the best-known tool of this kind, took for the same vault
/// on two cores: wall time and CPU time of the first pass, of the second, and
/// of one keyword search; and the size of its database in MB.
const QMD_ADD: f64 = 12.8;
const QMD_ADD_CPU: f64 = 6.2;
const QMD_AGAIN: f64 = 1.4;
const QMD_SEARCH_MS: f64 = 390.0;
const QMD_MB: f64 = 16.8;

pub(crate) fn measure() {
    heading("7,425 notes (qmd's figures are from its own run, not this one)");
    let Some(vault) = vault("tldr-pages-en") else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    pkb(
        home,
        &["add", &vault.path().display().to_string(), "--name", "tldr"],
    );

    // Components compiled, disk cache warm: what a user's second command sees.
    pkb(home, &["search", "warm up", "--mode", "lexical"]);
    let before = children_cpu();
    let took = pkb(home, &["sync", "--no-embed"]);
    let cpu = children_cpu() - before;
    line(
        "added cold to findable by keyword",
        format!("{took:.2} s wall, {cpu:.2} s CPU (qmd {QMD_ADD} and {QMD_ADD_CPU})"),
    );
    let again = pkb(home, &["sync", "--no-embed"]);
    line(
        "again, nothing changed",
        format!("{again:.2} s (qmd {QMD_AGAIN})"),
    );

    let mut times: Vec<Duration> = (0..20)
        .map(|_| {
            Duration::from_secs_f64(pkb(
                home,
                &["search", "compress a folder", "--mode", "lexical", "--json"],
            ))
        })
        .collect();
    line(
        "one keyword search from the command line, p50",
        format!(
            "{} (qmd {QMD_SEARCH_MS} ms)",
            ms(percentile(&mut times, 0.5))
        ),
    );
    line("the same, p95", ms(percentile(&mut times, 0.95)));
    let size = std::fs::metadata(home.join("pkb.db")).unwrap().len();
    line(
        "database, without vectors",
        format!("{:.1} MB (qmd {QMD_MB} MB)", size as f64 / 1e6),
    );
}

fn pkb(home: &Path, arguments: &[&str]) -> f64 {
    let began = Instant::now();
    let output = Command::new(pkb_binary())
        .arg("--home")
        .arg(home)
        .args(arguments)
        .env("PKB_MODELS", home.join("no-models"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    began.elapsed().as_secs_f64()
}

/// CPU seconds of all child processes that have ended; 0 where the system does
/// not tell.
fn children_cpu() -> f64 {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else {
        return 0.0;
    };
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|field| field.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(13) + ticks(14)) / 100.0
}
