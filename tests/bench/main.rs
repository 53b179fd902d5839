//! `just bench`: what DESIGN's budgets ask, measured on this machine.
//!
//! Figures are rates, or ratios to the same work done another way in the same
//! run: machines differ, and the same machine differs from hour to hour.
//! Real material (`../shared/data`) is used where it is there; what needs it is
//! left out, and says so, where it is not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a measuring program"
)]

mod embedding;
mod http;
mod kinds;
mod library;
mod random;
mod sandbox;
mod serving;
mod vault;
mod vectors;

use std::time::{Duration, Instant};

fn main() {
    // `cargo bench` passes its own options.
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|word| word == name);
    println!(
        "pkb bench, {} cores",
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    if wanted("sandbox") {
        sandbox::measure();
    }
    if wanted("kinds") {
        kinds::measure();
    }
    if wanted("embedding") {
        embedding::measure();
    }
    if wanted("vault") {
        vault::measure();
    }
    if wanted("serving") {
        serving::measure();
    }
    if wanted("http") {
        http::measure();
    }
    if wanted("library") {
        library::measure();
    }
    if wanted("vectors") {
        vectors::measure();
    }
}

fn heading(text: &str) {
    println!("\n{text}");
}

fn line(what: &str, figure: impl std::fmt::Display) {
    println!("  {what:<58} {figure}");
}

/// The shortest of several runs of two ways to do the same work, taken in
/// turns so that both see the same machine.
fn in_turns(runs: usize, mut one: impl FnMut(), mut other: impl FnMut()) -> (Duration, Duration) {
    let timed = |work: &mut dyn FnMut()| {
        let began = Instant::now();
        work();
        began.elapsed()
    };
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..runs {
        best.0 = best.0.min(timed(&mut one));
        best.1 = best.1.min(timed(&mut other));
    }
    best
}

/// The given share of `times` is at most this long.
fn percentile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    let at = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len());
    times[at - 1]
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
