//! `search`.

use std::process::ExitCode;

use std::sync::Arc;

use pkb_engine::{Confidence, Engine, Hit, Level, Look, SearchAnswer, SearchRequest, Why};

use super::citation::{INDENT, cite};
use super::status::ago;
use crate::cli;
use crate::output::{DIM, Output, STRONG, count, printable};

/// Lines that a snippet takes at most.
const SNIPPET_LINES: usize = 4;

pub(crate) fn search(
    engine: &Arc<Engine>,
    args: cli::Search,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let look = match (args.fresh, args.as_is) {
        (true, _) => Look::Whole,
        (_, true) => Look::None,
        _ => Look::Bounded,
    };
    let request = SearchRequest {
        query: args.query.join(" "),
        limit: usize::from(args.limit),
        mode: args.mode.into(),
        filter: args.filters.filter()?,
        fusion: args.fusion.into(),
        ..SearchRequest::default()
    };
    let answer = engine.search_fresh(&request, look)?;
    if output.json {
        output.json(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    for part in &answer.understood {
        output.line(format_args!(
            "{DIM}{}: {}{DIM:#}",
            printable(&part.as_typed),
            printable(&part.meaning)
        ));
    }
    match answer.confidence.level {
        _ if answer.hits.is_empty() => output.line("Nothing found."),
        _ if answer.legs.is_empty() => {}
        Level::None => output.line("Nothing here seems to answer this. The nearest:"),
        Level::Partial => output.line("Nothing here surely answers this. The nearest:"),
        Level::Strong => {}
    }
    for (at, hit) in answer.hits.iter().enumerate() {
        show(at + 1, hit, args.explain, output);
    }
    if !answer.legs.is_empty() && !output.quiet {
        output.line(format_args!(
            "{DIM}{}; {}{DIM:#}",
            sureness(&answer.confidence),
            freshness(&answer)
        ));
    }
    if args.explain {
        times(&answer, output);
    }
    for note in &answer.notes {
        output.note(note);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(number: usize, hit: &Hit, explain: bool, output: &Output) {
    let title = printable(&hit.citation.title);
    output.line(format_args!("{number:>2}. {STRONG}{title}{STRONG:#}"));
    cite(&hit.citation, SNIPPET_LINES, output);
    let places: Vec<String> = hit
        .also
        .iter()
        .map(|also| also.place.to_words())
        .filter(|place| !place.is_empty())
        .collect();
    if !places.is_empty() {
        output.line(format_args!(
            "{INDENT}{DIM}also {}{DIM:#}",
            places.join("; ")
        ));
    }
    if !hit.same.is_empty() {
        output.line(format_args!(
            "{INDENT}{DIM}the same in {}{DIM:#}",
            printable(&hit.same.join(", "))
        ));
    }
    output.line(format_args!(
        "{INDENT}{DIM}{}{DIM:#}",
        why(&hit.why, explain)
    ));
    output.line("");
}

/// How sure the answer is, and by what.
fn sureness(confidence: &Confidence) -> String {
    let mut parts = Vec::new();
    if let Some(share) = confidence.share {
        parts.push(format!(
            "{:.0}% of the query's words matched",
            share * 100.0
        ));
    }
    if let Some(similarity) = confidence.similarity {
        parts.push(format!("similarity {similarity:.2}"));
    }
    if let Some(above) = confidence.above_mean {
        parts.push(format!("{above:.2} above the mean"));
    }
    let level = confidence.level.name();
    format!("evidence {level} ({})", parts.join(", "))
}

/// How well the answer knows the present state of the sources.
fn freshness(answer: &SearchAnswer) -> String {
    let freshness = &answer.freshness;
    let mut text = match freshness.last_sync {
        Some(when) => format!("synced {}", ago(when)),
        None => "not every source was synced yet".into(),
    };
    if freshness.waiting > 0 {
        text.push_str(&format!(
            ", {} waiting",
            count(freshness.waiting, "change", "changes")
        ));
    }
    if !freshness.unseen.is_empty() {
        text.push_str(&format!(
            ", no time to look for changes in {}",
            printable(&freshness.unseen.join(", "))
        ));
    }
    text
}

/// Both ranks and the fused score; with `explain` the raw scores and words.
fn why(why: &Why, explain: bool) -> String {
    let leg = |name: &str, rank: Option<u32>, score: Option<f64>| match (rank, score) {
        (Some(rank), Some(score)) if explain => format!("{name} {rank} ({score:.3})"),
        (Some(rank), _) => format!("{name} {rank}"),
        (None, _) => format!("{name} –"),
    };
    let mut text = format!(
        "{}, {}, score {:.4}",
        leg("word", why.lexical_rank, why.lexical_score),
        leg("meaning", why.dense_rank, why.dense_score),
        why.score
    );
    if explain && !why.matched.is_empty() {
        text.push_str(&format!(", matched {}", printable(&why.matched.join(" "))));
    }
    text
}

fn times(answer: &SearchAnswer, output: &Output) {
    let times = &answer.times;
    let legs: Vec<String> = answer
        .legs
        .iter()
        .map(|leg| {
            format!(
                "{} (weight {:.2}, {} items)",
                leg.name, leg.weight, leg.items
            )
        })
        .collect();
    output.line(format_args!(
        "{DIM}legs {}; looking {:.1} ms, analyzing {:.1} ms, lexical {:.1} ms, embedding {:.1} ms, dense {:.1} ms, fusing {:.1} ms, showing {:.1} ms, in all {:.1} ms{DIM:#}",
        legs.join(" and "),
        times.look_ms,
        times.analyze_ms,
        times.lexical_ms,
        times.embed_ms,
        times.dense_ms,
        times.fuse_ms,
        times.show_ms,
        times.total_ms
    ));
}
