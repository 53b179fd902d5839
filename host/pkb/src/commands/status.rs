//! `status`, `ledger` and `doctor`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use pkb_engine::{Engine, Health, How, LedgerRequest, LedgerState, Remedy, SourceNow, short_path};
use serde_json::json;

use crate::FAILED;
use crate::cli;
use crate::output::{DIM, Output, STRONG, Table, bytes, count, thousands};
use crate::progress::Watch;

pub(crate) fn status(engine: &Arc<Engine>, output: &Output) -> anyhow::Result<ExitCode> {
    let health = engine.health()?;
    if output.json {
        output.json(&health)?;
        return Ok(ExitCode::SUCCESS);
    }
    numbers(&health, output);
    sources(&health, output);
    output.line(format_args!("{STRONG}Components{STRONG:#}"));
    let mut table = Table::default();
    for component in &health.components {
        table
            .row()
            .text(format_args!("  {}", component.name))
            .text(component.world)
            .text(&component.version)
            .text(if component.builtin {
                "built-in"
            } else {
                "plugin"
            })
            .styled(&component.sha256[..12], DIM);
    }
    table.print(output);
    for note in &health.notes {
        output.note(note);
    }
    Ok(ExitCode::SUCCESS)
}

fn numbers(health: &Health, output: &Output) {
    let store = &health.store;
    let model = &health.model;
    let vectors = if model.installed {
        format!(
            "{} of {} chunks have a vector",
            thousands(model.vectors),
            thousands(model.vectors + model.missing)
        )
    } else {
        "not installed".into()
    };
    let mut table = Table::default();
    table
        .row()
        .styled("Home", STRONG)
        .text(short_path(health.home.as_ref()));
    table.row().styled("Database", STRONG).text(format_args!(
        "{} for {} of text",
        bytes(store.bytes),
        bytes(store.text_bytes)
    ));
    let deleted = match store.deleted {
        0 => String::new(),
        number => format!(", {} deleted", thousands(number)),
    };
    table.row().styled("Items", STRONG).text(format_args!(
        "{}, {}{deleted}",
        count(store.items, "item", "items"),
        count(store.chunks, "chunk", "chunks")
    ));
    table
        .row()
        .styled("Model", STRONG)
        .text(format_args!("{}: {vectors}", model.name));
    table.print(output);
}

fn sources(health: &Health, output: &Output) {
    if health.store.sources.is_empty() {
        return;
    }
    output.line(format_args!("{STRONG}Sources{STRONG:#}"));
    let mut table = Table::default();
    for source in &health.store.sources {
        let ledger = &source.ledger;
        let synced = match &source.last_sync {
            None => "never synced".into(),
            Some(run) => match (run.finished, run.outcome.as_deref()) {
                (Some(finished), Some("done")) => format!("synced {}", ago(finished)),
                (Some(finished), Some(outcome)) => format!("sync {outcome} {}", ago(finished)),
                _ => format!("sync begun {}, not finished", ago(run.started)),
            },
        };
        table
            .row()
            .text(format_args!("  {}", source.source.spec.name))
            .text(count(source.items, "item", "items"))
            .text(format_args!("{} skipped", thousands(ledger.skipped)))
            .text(format_args!("{} failed", thousands(ledger.failed)))
            .text(synced)
            .styled(short_path(source.source.spec.location.as_ref()), DIM);
    }
    table.print(output);
    output.line(format_args!("{STRONG}Freshness{STRONG:#}"));
    let mut table = Table::default();
    for now in &health.now {
        let watched = match (&now.watched, health.watching.as_ref().and_then(|it| it.pid)) {
            (None, _) => "not watched".into(),
            (Some(how), pid) => {
                let by = pid
                    .map(|pid| format!(" by process {pid}"))
                    .unwrap_or_default();
                format!("watched{by}{}", how_words(how))
            }
        };
        table
            .row()
            .text(format_args!("  {}", now.source))
            .text(looked(now))
            .text(match now.waiting {
                Some(0) => "nothing waiting".into(),
                Some(waiting) => format!("{} waiting", count(waiting, "change", "changes")),
                None => "could not be looked at".into(),
            })
            .text(watched)
            .text(now.marks.to_words());
    }
    table.print(output);
    if let Some(holder) = &health.syncing {
        let pid = holder.pid.map(|pid| format!(" {pid}")).unwrap_or_default();
        let doing = holder.doing.as_deref().unwrap_or("sync");
        output.line(format_args!("Process{pid} (pkb {doing}) is syncing."));
    }
}

fn looked(now: &SourceNow) -> String {
    match now.looked {
        Some(when) => format!("looked at {}", ago(when)),
        None => "never looked at".into(),
    }
}

fn how_words(how: &How) -> String {
    match how {
        How::Events => String::new(),
        How::Scans { every_s, reason } => {
            format!(", looked at every {every_s} s only: {reason}")
        }
        How::Gone { reason } => format!(", but not there: {reason}"),
    }
}

/// How long ago a time in milliseconds since 1970 was.
pub(super) fn ago(then: i64) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let seconds = now.saturating_sub(u64::try_from(then / 1000).unwrap_or(0));
    match seconds {
        0..60 => "just now".into(),
        60..3600 => format!("{} ago", count(seconds / 60, "minute", "minutes")),
        3600..86_400 => format!("{} ago", count(seconds / 3600, "hour", "hours")),
        _ => format!("{} ago", count(seconds / 86_400, "day", "days")),
    }
}

pub(crate) fn ledger(
    engine: &Engine,
    args: cli::Ledger,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let state = if args.failed {
        Some(LedgerState::Failed)
    } else if args.skipped {
        Some(LedgerState::Skipped)
    } else if args.indexed {
        Some(LedgerState::Indexed)
    } else {
        None
    };
    let page = engine.ledger(&LedgerRequest {
        source: args.source,
        state,
        with_warnings: args.warnings,
        offset: 0,
        limit: None,
    })?;
    if output.json {
        output.json(&json!({ "total": page.total, "entries": page.entries }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::default();
    for row in &page.entries {
        let state = match row.state {
            _ if row.deleted => "removed",
            LedgerState::Indexed => "indexed",
            LedgerState::Skipped => "skipped",
            LedgerState::Failed => "failed",
        };
        let mut says: Vec<&str> = row.message.as_deref().into_iter().collect();
        says.extend(row.warnings.iter().map(String::as_str));
        table
            .row()
            .styled(state, STRONG)
            .text(format_args!("{}/{}", row.source, row.external_id))
            .text(says.join("; "));
    }
    table.print(output);
    if page.total == 0 {
        output.line("No entries.");
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn doctor(
    engine: &Engine,
    args: &cli::Doctor,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let found = engine.check()?;
    let left_over = if args.fix && !found.is_empty() {
        let watch = Watch::new(output.quiet || output.json);
        let left = engine.repair(&found, &watch);
        watch.clear();
        left?
    } else {
        found.clone()
    };
    if output.json {
        output.json(&json!({ "found": found, "left": left_over }))?;
    } else {
        for problem in &left_over {
            output.line(format_args!(
                "{STRONG}problem:{STRONG:#} {}",
                problem.message
            ));
        }
        match (found.len() as u64, left_over.len() as u64) {
            (0, _) => output.line("Everything fits together."),
            (found, 0) => output.line(format_args!(
                "{} put right.",
                count(found, "problem", "problems")
            )),
            (_, left) => {
                output.line(format_args!(
                    "{} found.",
                    count(left, "problem", "problems")
                ));
                let has = |remedies: &[Remedy]| {
                    left_over
                        .iter()
                        .any(|problem| remedies.contains(&problem.remedy))
                };
                if !args.fix {
                    output.note("`pkb doctor --fix` makes again what can be made from the texts");
                } else if has(&[Remedy::Resync]) {
                    output.note("`pkb sync` reads again what is stored wrong");
                }
                if has(&[Remedy::Restore, Remedy::Rewrite]) {
                    output.note(
                        "the file itself is damaged: put back a backup with `pkb restore-backup FILE`, or move pkb.db away and add the sources again",
                    );
                }
            }
        }
    }
    Ok(if left_over.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}
