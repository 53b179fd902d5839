//! `eval`: asks the engine to measure, shows the report.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anstyle::Style;
use anyhow::Context;
use pkb_engine::eval::{self, Change, Difference, Estimate, Report, Row};
use pkb_engine::{EvalOptions, Home, Mode, json_object};
use serde_json::json;

use crate::cli;
use crate::output::{DIM, Output, STRONG, Table, count};
use crate::progress::Watch;

pub(crate) fn run(home: &Home, args: cli::Eval, output: &Output) -> anyhow::Result<ExitCode> {
    if let Some([before, after]) = args.compare.as_deref() {
        return compare(before, after, output);
    }
    let options = EvalOptions {
        modes: args.mode.into_iter().map(Mode::from).collect(),
        limit_queries: args.limit_queries.map(|limit| limit as usize),
        keep: args.keep,
        chunker: args.chunker,
        chunker_settings: args
            .chunker_settings
            .as_deref()
            .map(json_object)
            .transpose()?,
    };
    let watch = Watch::new(output.quiet);
    let report = match &args.folder {
        Some(folder) => eval::collection(home, folder, &args.split, &options, &watch),
        None => unreachable!(),
    };
    watch.clear();
    let report = report?;
    if let Some(file) = &args.out {
        let text = serde_json::to_string(&report)?;
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    if output.json {
        output.json(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&report, output);
    for note in &report.notes {
        output.note(note);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(report: &Report, output: &Output) {
    let split = report.split.as_deref();
    let split = split.map(|split| format!(" ({split})")).unwrap_or_default();
    output.line(format_args!("{STRONG}{}{split}{STRONG:#}", report.data));
    let mut set = vec![
        count(report.queries.len() as u64, "query", "queries"),
        count(report.documents, "document", "documents"),
    ];
    set.extend(report.chunks.map(|chunks| count(chunks, "chunk", "chunks")));
    set.extend(report.chunker.clone());
    set.extend(report.chunker_settings.clone());
    set.push(report.model.clone().unwrap_or_else(|| "no model".into()));
    output.line(format_args!("{DIM}{}{DIM:#}", set.join(", ")));
    output.line("");

    let mut table = Table::default();
    let mut heads = table.row().text("");
    for measure in report.rows.first().map_or(&[][..], |row| &row.measures) {
        heads = heads.styled(&measure.name, STRONG);
    }
    for row in &report.rows {
        let mut cells = table.row().text(row_name(row));
        for measure in &row.measures {
            cells = cells.text(interval(&measure.estimate));
        }
    }
    table.print(output);
    if !report.differences.is_empty() {
        output.line("");
        let mut table = Table::default();
        for difference in &report.differences {
            let row = table.row().text(difference_name(difference));
            verdict(row, &difference.estimate, difference.noise);
        }
        table.print(output);
    }
    output.line(format_args!(
        "{DIM}Means over queries; in brackets, 95% intervals.{DIM:#}"
    ));
}

fn row_name(row: &Row) -> String {
    let parts = [row.chunker.as_deref(), row.part.as_deref()];
    let mut name: Vec<&str> = parts.into_iter().flatten().collect();
    name.push(mode_name(row.mode));
    name.join(", ")
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Lexical => "lexical",
        Mode::Dense => "dense",
        Mode::Hybrid => "hybrid",
    }
}

fn difference_name(difference: &Difference) -> String {
    let chunker = difference.chunker.as_deref();
    format!(
        "{}hybrid - {}, {}",
        chunker
            .map(|chunker| format!("{chunker}, "))
            .unwrap_or_default(),
        mode_name(difference.better_leg),
        difference.measure
    )
}

fn interval(estimate: &Estimate) -> String {
    format!(
        "{:.3} [{:.3}, {:.3}]",
        estimate.mean, estimate.low, estimate.high
    )
}

/// A difference, with whether it is one.
fn verdict<'a>(row: crate::output::Row<'a>, estimate: &Estimate, noise: bool) {
    let text = format!(
        "{:+.3} [{:+.3}, {:+.3}]",
        estimate.mean, estimate.low, estimate.high
    );
    let row = row.text(text);
    match (noise, estimate.mean > 0.0) {
        (true, _) => row.styled("within noise", DIM),
        (false, true) => row.styled("better", STRONG),
        (false, false) => row.styled("worse", STRONG),
    };
}

fn compare(before: &Path, after: &Path, output: &Output) -> anyhow::Result<ExitCode> {
    let (before, after) = (load(before)?, load(after)?);
    let changes = eval::compare(&before, &after)?;
    if output.json {
        output.json(&json!({ "changes": changes }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (name, report) in [("A", &before), ("B", &after)] {
        let split = report.split.as_deref();
        let about = [
            Some(report.data.as_str()),
            split,
            Some(report.date.as_str()),
            Some(report.pkb.as_str()),
            report.model.as_deref(),
            report.chunker.as_deref(),
            report.chunker_settings.as_deref(),
        ];
        let about: Vec<&str> = about.into_iter().flatten().collect();
        output.line(format_args!(
            "{STRONG}{name}{STRONG:#}  {DIM}{}{DIM:#}",
            about.join(", ")
        ));
    }
    output.line("");
    let mut table = Table::default();
    table
        .row()
        .text("")
        .right("A", STRONG)
        .right("B", STRONG)
        .styled("B - A", STRONG);
    for change in &changes {
        let row = table
            .row()
            .text(change_name(change))
            .right(format_args!("{:.3}", change.before), Style::new())
            .right(format_args!("{:.3}", change.after), Style::new());
        verdict(row, &change.difference, change.noise);
    }
    table.print(output);
    if changes.iter().any(|change| !change.paired) {
        output.note(
            "the reports ask different queries, so the intervals are wider than they could be",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn change_name(change: &Change) -> String {
    let chunker = change.chunker.as_deref();
    format!(
        "{}{}, {}",
        chunker
            .map(|chunker| format!("{chunker}, "))
            .unwrap_or_default(),
        mode_name(change.mode),
        change.measure
    )
}

fn load(file: &Path) -> anyhow::Result<Report> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not a report of `pkb eval --out`", file.display()))
}
