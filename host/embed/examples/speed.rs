//! Tokens per second of a model: `cargo run -p pkb-embed --example speed -- FOLDER`.
//!
//! Prints the time to open the model and to build its plan, then the rate on
//! one core for several lengths, and on all cores for a mixture.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use pkb_embed::Model;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("give the folder of a model")?;
    let started = Instant::now();
    let model = Model::open(Path::new(&folder))?;
    println!(
        "open            {:>8.1} ms",
        started.elapsed().as_secs_f64() * 1e3
    );
    let started = Instant::now();
    model.prepare()?;
    println!(
        "plan            {:>8.1} ms",
        started.elapsed().as_secs_f64() * 1e3
    );
    let limit = model.info().limit;
    for length in [8, 16, 32, 64, 128, 256, 512]
        .into_iter()
        .filter(|length| *length <= limit)
    {
        rate(&format!("one core, {length:>3}"), || {
            model.embed(&[sequence(length, length)], &|| false, &|_| ())?;
            Ok(length)
        })?;
    }
    let mixed: Vec<Vec<u32>> = (0..200)
        .map(|n| sequence(16 + (n * 37) % (limit - 16), n))
        .collect();
    rate("all cores, mixed", || {
        model.embed(&mixed, &|| false, &|_| ())?;
        Ok(mixed.iter().map(Vec::len).sum())
    })
}

/// Runs `work` for two seconds, at least twice, and prints the tokens per
/// second of the median run.
fn rate(
    name: &str,
    work: impl Fn() -> Result<usize, pkb_embed::Error>,
) -> Result<(), Box<dyn Error>> {
    let mut tokens = work()?;
    let mut times = Vec::new();
    let started = Instant::now();
    while times.len() < 2 || started.elapsed() < Duration::from_secs(2) {
        let run = Instant::now();
        tokens = work()?;
        times.push(run.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let best = times[0];
    println!(
        "{name:<18} {:>7.0} tokens/s (best {:.0}), {:.2} ms",
        tokens as f64 / median,
        tokens as f64 / best,
        median * 1e3
    );
    Ok(())
}

/// Token ids of some words, the same for the same arguments.
fn sequence(length: usize, seed: usize) -> Vec<u32> {
    let inner = (2..length).map(|n| 1000 + ((n * 7919 + seed * 104_729) % 20_000) as u32);
    std::iter::once(101)
        .chain(inner)
        .chain(std::iter::once(102))
        .collect()
}
