//! `health_check`.

use std::fmt::Write;
use std::sync::Arc;

use pkb_engine::{Engine, Error, Health, How, SourceNow};
use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::render::{date, in_tools, line};
use super::super::tool::{Answer, Call, Outcome, Tool, reads_only};
use crate::access::Scope;
use crate::output::{bytes, count, thousands};

pub(super) const NAME: &str = "health_check";
const DESCRIPTION: &str = "Says how the knowledge base is doing, in numbers: its sources with their last sync, items \
    and chunks, the embedding model with its vectors present and missing, the components that read the items, and \
    how many files could not be read. Use it when something the user saved is not found, or when they ask what is \
    indexed and how current it is. Its notes say what the user can do. It takes no arguments and is quick.";

/// See [`DESCRIPTION`].
pub(in crate::mcp) struct HealthCheck;

impl Tool for HealthCheck {
    const NAME: &'static str = NAME;
    const TITLE: &'static str = "Check the knowledge base";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const NEEDS: Scope = Scope::Read;
    type Arguments = Arguments;
    type Found = Report;

    fn hints() -> ToolAnnotations {
        reads_only()
    }

    fn call(call: &Call, arguments: Arguments) -> Result<Outcome<Report>, Error> {
        check(call.engine(), arguments).map(Into::into)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct Arguments {}

/// The home in numbers.
#[derive(Serialize, JsonSchema)]
pub(in crate::mcp) struct Report {
    /// Version of pkb.
    version: &'static str,
    /// Folder of the database, plugins and settings.
    home: String,
    /// Items that can be searched.
    items: u64,
    /// Items whose original is gone; their text is kept.
    deleted: u64,
    /// Chunks that can be searched.
    chunks: u64,
    /// Size of the database in bytes.
    database_bytes: u64,
    /// The sources, by name.
    sources: Vec<SourceHealth>,
    /// The embedding model that search by meaning uses.
    model: Model,
    /// The sandboxed components that read, split and rank.
    components: Vec<Component>,
    /// What became of all the files that were seen.
    ledger: Ledger,
    /// What the user should know or do.
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct SourceHealth {
    /// Its name.
    name: String,
    /// Such as folder.
    kind: String,
    /// Where its items come from.
    location: String,
    /// Items that can be searched.
    items: u64,
    /// Chunks that can be searched.
    chunks: u64,
    /// What became of its files.
    ledger: Ledger,
    /// Its latest sync; not there when it was never synced.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sync: Option<LastSync>,
    /// When it was last gone through, whether or not anything had changed, in
    /// ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    looked: Option<String>,
    /// Whether a process takes in what changes there, as it changes.
    watched: bool,
    /// What keeps it from being watched as it should.
    #[serde(skip_serializing_if = "Option::is_none")]
    watched_badly: Option<String>,
    /// Files that are not in the index as they are; not there when that could
    /// not be found out at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct LastSync {
    /// When it began, in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<String>,
    /// When it ended, in ISO 8601; not there while it runs or when it was cut
    /// off.
    #[serde(skip_serializing_if = "Option::is_none")]
    finished: Option<String>,
    /// How it ended, such as done, incomplete, stopped or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Model {
    /// Its name.
    name: String,
    /// Whether it is installed.
    installed: bool,
    /// What its vectors depend on, hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    /// Different chunks with a vector.
    vectors: u64,
    /// Different chunks without one: they are found by word only.
    missing: u64,
}

#[derive(Serialize, JsonSchema)]
struct Component {
    /// Its name.
    name: String,
    /// What it does: extractor, chunker, tokenizer, fuser ...
    world: &'static str,
    /// Its version.
    version: String,
    /// SHA-256 of its file.
    sha256: String,
    /// Whether it came with pkb; otherwise the user added it.
    builtin: bool,
}

#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
struct Ledger {
    /// Files that can be searched.
    indexed: u64,
    /// Files left out on purpose.
    skipped: u64,
    /// Files that could not be read.
    failed: u64,
    /// Files that are gone.
    deleted: u64,
    /// Files that were read with warnings.
    with_warnings: u64,
}

pub(super) fn check(engine: &Arc<Engine>, _arguments: Arguments) -> Result<Answer<Report>, Error> {
    let data = report(engine.health()?);
    Ok(Answer {
        text: text(&data),
        data,
    })
}

fn report(health: Health) -> Report {
    let now = |name: &str| health.now.iter().find(|now| now.source == name);
    let sources: Vec<SourceHealth> = health
        .store
        .sources
        .into_iter()
        .map(|source| SourceHealth {
            looked: now(&source.source.spec.name)
                .and_then(|now| now.looked)
                .and_then(date),
            watched: now(&source.source.spec.name).is_some_and(|now| now.watched.is_some()),
            watched_badly: now(&source.source.spec.name).and_then(badly),
            waiting: now(&source.source.spec.name).and_then(|now| now.waiting),
            name: source.source.spec.name,
            kind: source.source.spec.kind,
            location: source.source.spec.location,
            items: source.items,
            chunks: source.chunks,
            ledger: Ledger {
                indexed: source.ledger.indexed,
                skipped: source.ledger.skipped,
                failed: source.ledger.failed,
                deleted: source.ledger.deleted,
                with_warnings: source.ledger.with_warnings,
            },
            last_sync: source.last_sync.map(|run| LastSync {
                started: date(run.started),
                finished: run.finished.and_then(date),
                outcome: run.outcome,
            }),
        })
        .collect();
    let ledger = sources
        .iter()
        .fold(Ledger::default(), |sum, source| Ledger {
            indexed: sum.indexed + source.ledger.indexed,
            skipped: sum.skipped + source.ledger.skipped,
            failed: sum.failed + source.ledger.failed,
            deleted: sum.deleted + source.ledger.deleted,
            with_warnings: sum.with_warnings + source.ledger.with_warnings,
        });
    Report {
        version: health.version,
        home: health.home,
        items: health.store.items,
        deleted: health.store.deleted,
        chunks: health.store.chunks,
        database_bytes: health.store.bytes,
        sources,
        model: Model {
            name: health.model.name,
            installed: health.model.installed,
            fingerprint: health.model.fingerprint,
            vectors: health.model.vectors,
            missing: health.model.missing,
        },
        components: health
            .components
            .into_iter()
            .map(|component| Component {
                name: component.name,
                world: component.world,
                version: component.version,
                sha256: component.sha256,
                builtin: component.builtin,
            })
            .collect(),
        ledger,
        notes: health.notes.iter().map(|note| in_tools(note)).collect(),
    }
}

fn badly(now: &SourceNow) -> Option<String> {
    match &now.watched {
        None | Some(How::Events) => None,
        Some(How::Scans { every_s, reason }) => {
            Some(format!("looked at every {every_s} s only: {reason}"))
        }
        Some(How::Gone { reason }) => Some(reason.clone()),
    }
}

fn text(report: &Report) -> String {
    let mut text = format!(
        "pkb {} at {}: {}, {}, database of {}.\n",
        report.version,
        report.home,
        count(report.items, "item", "items"),
        count(report.chunks, "chunk", "chunks"),
        bytes(report.database_bytes)
    );
    for source in &report.sources {
        let _ = write!(
            text,
            "source {} ({} {}): {}, {} failed, {} skipped, ",
            line(&source.name),
            line(&source.kind),
            line(&source.location),
            count(source.items, "item", "items"),
            thousands(source.ledger.failed),
            thousands(source.ledger.skipped),
        );
        match &source.last_sync {
            Some(LastSync {
                started,
                finished,
                outcome,
            }) => {
                let when = finished
                    .as_deref()
                    .or(started.as_deref())
                    .unwrap_or("at an unknown time");
                let how = outcome.as_deref().unwrap_or("not finished");
                let _ = write!(text, "last sync {when} ({how})");
            }
            None => text.push_str("never synced"),
        }
        if let Some(looked) = &source.looked {
            let _ = write!(text, ", last looked at {looked}");
        }
        if let Some(waiting) = source.waiting.filter(|waiting| *waiting > 0) {
            let _ = write!(text, ", {} waiting", count(waiting, "change", "changes"));
        }
        text.push_str(if source.watched {
            ", watched"
        } else {
            ", not watched"
        });
        if let Some(why) = &source.watched_badly {
            let _ = write!(text, " ({})", line(why));
        }
        text.push('\n');
    }
    let model = &report.model;
    if model.installed {
        let (present, missing) = (thousands(model.vectors), thousands(model.missing));
        let _ = writeln!(
            text,
            "model {}: {present} vectors, {missing} missing",
            line(&model.name)
        );
    } else {
        let _ = writeln!(text, "model {}: not installed", line(&model.name));
    }
    let components: Vec<String> = report
        .components
        .iter()
        .map(|component| {
            let hash = component.sha256.get(..12).unwrap_or(&component.sha256);
            let by = if component.builtin {
                ""
            } else {
                ", added by the user"
            };
            format!(
                "{} {} ({}, {hash}{by})",
                component.name, component.version, component.world
            )
        })
        .collect();
    let _ = writeln!(text, "components: {}", line(&components.join(", ")));
    for note in &report.notes {
        let _ = writeln!(text, "Note: {note}");
    }
    text
}
