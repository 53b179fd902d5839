//! Searching a library of 100,000 chunks: by word, by meaning and both, with
//! and without filters, beside the embedding of the same queries alone.
//!
//! The library is made of real notes, taken apart and put together anew; see
//! [`notes`] and [`home`] for how, and for where its vectors come from.

mod home;
mod notes;
mod queries;

use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pkb_embed::Model;
use pkb_engine::{Access, Engine, Mode, SearchRequest, Times};
use pkb_tests::pkb_binary;

use self::home::Kept;
use crate::serving::{Server, one_answer};
use crate::{heading, line, ms, percentile};

const TOKENIZER: &[u8] = include_bytes!("../../../components/tokenize/data/minilm/tokenizer.json");
/// Queries asked of each kind.
const QUERIES: usize = 200;
/// Queries that come before: nothing else asks them.
const WARMING: usize = 40;
/// Starts of the server, and of the command line.
const STARTS: usize = 10;

/// What is added to a query, and what share of the notes it lets through.
const FILTERS: [(&str, &str); 6] = [
    ("half of it, by source", "source:work"),
    ("half of it, by date", "created:..2014"),
    ("a twentieth, by kind", "kind:text"),
    ("a twentieth, by tag", "tag:twentieth"),
    ("a thousandth, by tag", "tag:thousandth"),
    ("a thousandth, by path", "path:home/00[0-3]/*3.md"),
];

/// Stands for a filter that nothing asked before.
const NEW: &str = "new";

pub(crate) fn measure() {
    heading(
        "A library of 100,000 chunks: passages of real notes put together anew; each vector is a mix of two real ones",
    );
    let Some(kept) = Kept::make() else { return };
    let (warming, asked) = queries::asked(WARMING, QUERIES);
    {
        let engine = Arc::new(Engine::open(kept.home.clone(), Access::Read).unwrap());
        let health = engine.health().unwrap();
        line(
            "chunks, items, missing vectors",
            format!(
                "{}, {}, {}",
                health.store.chunks, health.store.items, health.model.missing
            ),
        );
        line(
            "database",
            format!(
                "{:.0} MB, {:.2}x the text plus {} bytes a chunk",
                health.store.bytes as f64 / 1e6,
                2.0,
                (health.store.bytes as i64 - 2 * health.store.text_bytes as i64)
                    / health.store.chunks as i64
            ),
        );
        searches(&engine, &kept, &warming, &asked);
    }
    processes(&kept, &asked);
}

/// All kinds of search in one process, in turns.
fn searches(engine: &Engine, kept: &Kept, warming: &[String], asked: &[String]) {
    let model = Model::load(&kept.model).unwrap();
    let tokenizer = tokenize::Tokenizer::load(TOKENIZER).unwrap();
    let embedding = |query: &str| {
        let began = Now::read();
        let ids = tokenizer.encode(&[query]).unwrap();
        black_box(model.embed(&ids, &|| false, &|_| {}).unwrap());
        began.elapsed()
    };
    for query in warming {
        search(engine, query, Mode::Hybrid);
        embedding(query);
    }

    let mut first = Vec::new();
    let mut alone = Vec::new();
    for query in asked {
        alone.push(embedding(query));
        first.push(search(engine, query, Mode::Hybrid).0);
    }
    let embed = report("embedding a query, alone", &alone, None);
    report(
        "hybrid, each query for the first time (budget 15 ms)",
        &first,
        Some(embed),
    );

    let mut kinds: Vec<(String, Mode, &str)> = [
        ("by word", Mode::Lexical),
        ("by meaning", Mode::Dense),
        ("hybrid", Mode::Hybrid),
    ]
    .map(|(name, mode)| (format!("{name}, asked again"), mode, ""))
    .into();
    for (name, filter) in FILTERS {
        kinds.push((format!("hybrid, {name}"), Mode::Hybrid, filter));
    }
    kinds.push((
        "hybrid, half of it, a new filter each time".into(),
        Mode::Hybrid,
        NEW,
    ));
    let mut times: Vec<Vec<Spent>> = vec![Vec::new(); kinds.len()];
    let mut stages = Vec::new();
    let mut found = vec![0; kinds.len()];
    alone.clear();
    for (at, query) in asked.iter().enumerate() {
        alone.push(embedding(query));
        // What comes first finds less in the caches.
        for turn in 0..kinds.len() {
            let kind = (at + turn) % kinds.len();
            let (_, mode, filter) = &kinds[kind];
            let filter = match *filter {
                // The store remembers the latest filters' answers.
                NEW => format!("created:..2014-{:02}-{:02}", 1 + at / 28, 1 + at % 28),
                filter => filter.to_owned(),
            };
            let (time, hits, stage) = search_of(engine, &format!("{query} {filter}"), *mode);
            times[kind].push(time);
            found[kind] += hits;
            if kind == 2 {
                stages.push(stage);
            }
        }
    }
    let embed = report("embedding a query, alone, again", &alone, None);
    for (((name, ..), times), found) in kinds.iter().zip(&times).zip(found) {
        report(
            &format!("{name} ({} hits each)", found / asked.len()),
            times,
            Some(embed),
        );
    }
    line(
        "of hybrid, asked again, p50 of each stage",
        by_stage(&stages),
    );
}

fn search(engine: &Engine, query: &str, mode: Mode) -> (Spent, usize) {
    let (time, hits, _) = search_of(engine, query, mode);
    (time, hits)
}

fn search_of(engine: &Engine, query: &str, mode: Mode) -> (Spent, usize, Times) {
    let request = SearchRequest {
        query: query.to_owned(),
        mode,
        ..SearchRequest::default()
    };
    let began = Now::read();
    let answer = engine.search(&request).unwrap();
    (began.elapsed(), answer.hits.len(), answer.times)
}

/// A moment, by the clock and by the processor.
struct Now {
    clock: Instant,
    cpu: Option<Duration>,
}

/// What something took.
#[derive(Clone, Copy)]
struct Spent {
    time: Duration,
    /// Of all threads of this process, where the system says: other programs
    /// hardly change it.
    cpu: Option<Duration>,
}

impl Now {
    fn read() -> Now {
        Now {
            clock: Instant::now(),
            cpu: cpu(),
        }
    }

    fn elapsed(&self) -> Spent {
        Spent {
            time: self.clock.elapsed(),
            cpu: cpu().zip(self.cpu).map(|(now, then)| now - then),
        }
    }
}

#[cfg(unix)]
fn cpu() -> Option<Duration> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(now).ok()
}

#[cfg(not(unix))]
fn cpu() -> Option<Duration> {
    None
}

/// Prints the percentiles, beside the medians of `embedding`, and gives back the
/// medians.
fn report(what: &str, spent: &[Spent], embedding: Option<Spent>) -> Spent {
    let mut times: Vec<Duration> = spent.iter().map(|spent| spent.time).collect();
    let mut cpu: Vec<Duration> = spent.iter().filter_map(|spent| spent.cpu).collect();
    let p50 = Spent {
        time: percentile(&mut times, 0.5),
        cpu: (!cpu.is_empty()).then(|| percentile(&mut cpu, 0.5)),
    };
    let ratio = |own: Duration, other: Option<Duration>| {
        let ratio = other.map(|other| own.as_secs_f64() / other.as_secs_f64());
        ratio.map_or(String::new(), |ratio| {
            format!(", {ratio:.1}x the embedding")
        })
    };
    let cpu = p50.cpu.map(|own| {
        let other = embedding.and_then(|embedding| embedding.cpu);
        format!("; CPU {}{}", ms(own), ratio(own, other))
    });
    line(
        what,
        format!(
            "p50 {}, p95 {}{}{}",
            ms(p50.time),
            ms(percentile(&mut times, 0.95)),
            ratio(p50.time, embedding.map(|embedding| embedding.time)),
            cpu.unwrap_or_default()
        ),
    );
    p50
}

fn by_stage(stages: &[Times]) -> String {
    let median = |of: fn(&Times) -> f64| {
        let mut all: Vec<f64> = stages.iter().map(of).collect();
        all.sort_unstable_by(f64::total_cmp);
        all[all.len() / 2]
    };
    format!(
        "taking apart {:.1}, by word {:.1}, embedding {:.1}, by meaning {:.1}, fusing {:.1}, showing {:.1} ms",
        median(|times| times.analyze_ms),
        median(|times| times.lexical_ms),
        median(|times| times.embed_ms),
        median(|times| times.dense_ms),
        median(|times| times.fuse_ms),
        median(|times| times.show_ms),
    )
}

/// Starting, and what a server takes while it serves.
fn processes(kept: &Kept, asked: &[String]) {
    let (home, models) = (&kept.home.folder, &kept.home.models);
    for (name, mode) in [("by word (budget 150 ms)", "lexical"), ("hybrid", "hybrid")] {
        let mut times: Vec<Duration> = asked[..STARTS]
            .iter()
            .map(|query| one_answer(home, models, query, mode).0)
            .collect();
        line(
            &format!("start to first MCP answer, {name}"),
            format!("p50 {}", ms(percentile(&mut times, 0.5))),
        );
    }
    let mut server = Server::start(home, models);
    for query in asked {
        server.search(query, "hybrid");
    }
    line(
        "memory while serving, after 200 hybrid queries (budget 300 MB)",
        format!(
            "{:.0} MB, at most {:.0} MB",
            server.memory("VmRSS:") as f64 / 1e6,
            server.memory("VmHWM:") as f64 / 1e6
        ),
    );
    drop(server);
    for (name, mode) in [("by word", "lexical"), ("hybrid", "hybrid")] {
        let mut times: Vec<Duration> = asked[..STARTS]
            .iter()
            .map(|query| {
                let began = Instant::now();
                let output = Command::new(pkb_binary())
                    .args(["--json", "search", "--mode", mode, "--", query])
                    .env("PKB_HOME", home)
                    .env("PKB_MODELS", models)
                    .output()
                    .unwrap();
                assert!(output.status.success(), "{output:?}");
                began.elapsed()
            })
            .collect();
        line(
            &format!("one search from the command line, {name}"),
            format!("p50 {}", ms(percentile(&mut times, 0.5))),
        );
    }
}
