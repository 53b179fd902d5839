//! `eval`: asks the engine to measure, shows the report.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anstyle::Style;
use anyhow::Context;
use pkb_engine::eval::{self, Change, Difference, Estimate, Report, Row};
use pkb_engine::{Access, Engine, EvalOptions, Home, Mode, Reach, json_object};
use serde_json::json;

use crate::cli;
use crate::output::{DIM, Output, STRONG, Table, count};
use crate::progress::Watch;

pub(crate) fn run(
    home: &Home,
    reach: Reach,
    args: cli::Eval,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    if let Some([before, after]) = args.compare.as_deref() {
        return compare(before, after, output);
    }
    let options = EvalOptions {
        fusion: args.fusion.into(),
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
    let report = match (&args.folder, &args.spans) {
        (Some(folder), _) => eval::collection(home, folder, &args.split, &options, &watch),
        (_, Some(folder)) => eval::spans(home, folder, &options, &watch),
        _ => Engine::open(home.clone(), Access::Read)
            .map(|engine| engine.with_reach(reach))
            .and_then(|engine| engine.eval_links(&args.source, &options, &watch)),
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
    set.extend(report.fusion.clone());
    set.push(report.model.clone().unwrap_or_else(|| "no model".into()));
    output.line(format_args!("{DIM}{}{DIM:#}", set.join(", ")));
    output.line("");

    whole(report, output);
    parts(report, output);
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

/// What was measured over all queries.
fn whole(report: &Report, output: &Output) {
    let rows: Vec<&Row> = report
        .rows
        .iter()
        .filter(|row| row.part.is_none())
        .collect();
    let chunkers = rows.iter().any(|row| row.chunker.is_some());
    let mut table = Table::default();
    let mut heads = table.row();
    if chunkers {
        heads = heads.styled("chunker", STRONG).right("chunks", STRONG);
    }
    heads = heads.text("");
    for measure in rows.first().map_or(&[][..], |row| &row.measures) {
        heads = heads.styled(&measure.name, STRONG);
    }
    for row in rows {
        let mut cells = table.row();
        if chunkers {
            cells = cells.text(row.chunker.as_deref().unwrap_or_default());
            cells = cells.number(row.chunks.unwrap_or_default());
        }
        cells = cells.text(row.mode.name());
        for measure in &row.measures {
            cells = cells.text(interval(&measure.estimate));
        }
    }
    table.print(output);
}

/// The first and the last measure, text by text.
fn parts(report: &Report, output: &Output) {
    let mut parts: Vec<&str> = Vec::new();
    for part in report.rows.iter().filter_map(|row| row.part.as_deref()) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let measures = report.rows.first().map_or(&[][..], |row| &row.measures);
    let (Some(first), Some(last)) = (measures.first(), measures.last()) else {
        return;
    };
    if parts.is_empty() {
        return;
    }
    output.line("");
    output.line(format_args!(
        "{STRONG}{} and {}{STRONG:#}",
        first.name, last.name
    ));
    let mut table = Table::default();
    let mut heads = table.row().text("").text("");
    for part in &parts {
        heads = heads.styled(part.strip_suffix(".md").unwrap_or(part), STRONG);
    }
    for row in report.rows.iter().filter(|row| row.part.is_none()) {
        let chunker = row.chunker.as_deref().unwrap_or_default();
        let mut cells = table.row().text(chunker).text(row.mode.name());
        for part in &parts {
            let of = |name: &str| {
                let same = report.rows.iter().find(|other| {
                    other.part.as_deref() == Some(*part)
                        && other.chunker == row.chunker
                        && other.mode == row.mode
                });
                same.and_then(|row| row.measure(name))
                    .map_or(0.0, |measure| measure.estimate.mean)
            };
            cells = cells.text(format_args!("{:.3} {:.3}", of(&first.name), of(&last.name)));
        }
    }
    table.print(output);
}

fn difference_name(difference: &Difference) -> String {
    let chunker = difference.chunker.as_deref();
    format!(
        "{}hybrid - {}, {}",
        chunker
            .map(|chunker| format!("{chunker}, "))
            .unwrap_or_default(),
        difference.better_leg.name(),
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
            report.fusion.as_deref(),
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
        change.mode.name(),
        change.measure
    )
}

fn load(file: &Path) -> anyhow::Result<Report> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not a report of `pkb eval --out`", file.display()))
}
