//! `stats`.

use std::process::ExitCode;

use pkb_engine::Home;
use pkb_engine::telemetry::{StageReport, Stats, Totals};
use serde_json::json;

use crate::cli;
use crate::output::{DIM, Output, STRONG, Table, bytes, count, thousands};

pub(crate) fn stats(home: &Home, args: &cli::Stats, output: &Output) -> anyhow::Result<ExitCode> {
    if args.reset {
        Stats::reset(home)?;
        if output.json {
            output.json(&json!({ "reset": true }))?;
        } else {
            output.line("What was measured is forgotten.");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let stats = Stats::of(home, args.since.as_deref())?;
    if output.json {
        output.json(&stats)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(since) = &stats.since else {
        output.line("Nothing was measured yet.");
        return Ok(ExitCode::SUCCESS);
    };
    let days = count(stats.days as u64, "day", "days");
    output.line(format_args!(
        "{STRONG}Measured on {days} since {since}{STRONG:#}"
    ));
    totals(&stats.totals, output);
    output.line("");
    stages(&stats.stages, output);
    output.note(
        "rates are calls in a second of a stage's own time; work on several cores at once counts for each",
    );
    Ok(ExitCode::SUCCESS)
}

fn totals(totals: &Totals, output: &Output) {
    let mut lines: Vec<(&str, String)> = Vec::new();
    if totals.files > 0 || !totals.failures.is_empty() {
        let mut read = format!(
            "{}, {}",
            count(totals.files, "file", "files"),
            bytes(totals.bytes)
        );
        if totals.chunks > 0 {
            read.push_str(&format!(" -> {}", count(totals.chunks, "chunk", "chunks")));
        }
        lines.push(("Read", read));
    }
    if !totals.failures.is_empty() {
        let mut reasons: Vec<(&String, &u64)> = totals.failures.iter().collect();
        reasons.sort_by_key(|(_, number)| std::cmp::Reverse(**number));
        let reasons: Vec<String> = reasons
            .iter()
            .map(|(reason, number)| format!("{} {reason}", thousands(**number)))
            .collect();
        lines.push(("Failed", reasons.join(", ")));
    }
    if totals.vectors > 0 {
        let embedded = format!(
            "{} of {}, {} a second",
            count(totals.vectors, "vector", "vectors"),
            count(totals.tokens, "token", "tokens"),
            thousands(totals.tokens_per_second.round() as u64)
        );
        lines.push(("Embedded", embedded));
    }
    if totals.searches > 0 {
        let share = |number: u64| format!("{:.0}%", number as f64 / totals.searches as f64 * 100.0);
        let searched = format!(
            "{}: evidence strong {}, partial {}, none {}",
            count(totals.searches, "search", "searches"),
            share(totals.strong),
            share(totals.partial),
            share(totals.none)
        );
        lines.push(("Searched", searched));
    }
    if totals.components_cached + totals.components_compiled > 0 {
        let components = format!(
            "{} loaded from the cache, {} compiled",
            thousands(totals.components_cached),
            thousands(totals.components_compiled)
        );
        lines.push(("Components", components));
    }
    lines.push(("Database", bytes(totals.database_bytes)));
    let mut table = Table::default();
    for (name, what) in lines {
        table.row().styled(name, STRONG).text(what);
    }
    table.print(output);
}

fn stages(stages: &[StageReport], output: &Output) {
    let mut table = Table::default();
    let mut head = table.row().styled("Stage", STRONG);
    for name in ["calls", "a second", "p50", "p95", "p99", "max", "total"] {
        head = head.right(name, DIM);
    }
    for stage in stages {
        // Parts of a stage stand below it.
        let indent = if stage.stage.contains('.') { "  " } else { "" };
        table
            .row()
            .text(format_args!("{indent}{}", stage.stage))
            .number(stage.calls)
            .right(rate(stage.per_second), DIM)
            .right(time(stage.p50_ms), STRONG)
            .right(time(stage.p95_ms), STRONG)
            .right(time(stage.p99_ms), STRONG)
            .right(time(stage.max_ms), STRONG)
            .right(time(stage.total_ms), STRONG);
    }
    table.print(output);
}

/// With three digits, as people read rates.
fn rate(per_second: f64) -> String {
    match per_second {
        100.0.. => thousands(per_second.round() as u64),
        10.0.. => format!("{per_second:.1}"),
        _ => format!("{per_second:.2}"),
    }
}

/// Milliseconds, in the unit that suits them.
fn time(ms: f64) -> String {
    match ms {
        3_600_000.0.. => format!("{:.1} h", ms / 3_600_000.0),
        60_000.0.. => format!("{:.1} min", ms / 60_000.0),
        1_000.0.. => format!("{:.2} s", ms / 1_000.0),
        10.0.. => format!("{ms:.0} ms"),
        1.0.. => format!("{ms:.1} ms"),
        _ => format!("{ms:.2} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_rates_have_the_unit_that_suits_them() {
        let times = [0.004, 0.95, 1.5, 42.4, 1_234.0, 90_000.0, 7_200_000.0].map(time);
        assert_eq!(
            times,
            [
                "0.00 ms", "0.95 ms", "1.5 ms", "42 ms", "1.23 s", "1.5 min", "2.0 h"
            ]
        );
        assert_eq!([0.5, 12.34, 4_321.0].map(rate), ["0.50", "12.3", "4,321"]);
    }
}
