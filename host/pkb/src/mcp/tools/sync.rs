//! `sync_knowledge_base`: long work that reports its progress, can be stopped,
//! and can go on by itself.

use std::fmt::Write;

use pkb_engine::{Error, Job, SourceReport, SyncOptions, SyncReport};
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::jobs;
use super::super::owners::names;
use super::super::render::{error, in_tools, line};
use super::super::schema::Object;
use super::super::tool::{Answer, Call, Outcome, Tool};
use crate::access::Scope;
use crate::output::{count, thousands};

pub(super) const NAME: &str = "sync_knowledge_base";
const DESCRIPTION: &str = "Brings the index up to date with the sources. Use it when the user asks, or something \
    saved lately is not found. {\"start\": true} returns a job at once, {\"job\": \"job-1\"} says how it is \
    doing. Where much of a source is gone, accept_removals needs the user's word.";

/// See [`DESCRIPTION`].
pub(in crate::mcp) struct Sync;

impl Tool for Sync {
    const NAME: &'static str = NAME;
    const TITLE: &'static str = "Sync the knowledge base";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const NEEDS: Scope = Scope::Write;
    type Arguments = Arguments;
    type Found = Synced;

    /// Items that are gone leave the index, so it does more than add. Sources
    /// are folders of this machine.
    fn hints() -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(false)
            .destructive(true)
            .idempotent(true)
            .open_world(false)
    }

    /// Starting a job and asking after one is not.
    fn is_long(arguments: &JsonObject) -> bool {
        let given = |name| arguments.get(name).is_some_and(|value| !value.is_null());
        !given("job") && arguments.get("start") != Some(&Value::Bool(true))
    }

    fn call(call: &Call, arguments: Arguments) -> Result<Outcome<Synced>, Error> {
        let answer = match &arguments.job {
            Some(id) => ask(call, id, arguments.stop)?,
            None if arguments.stop => {
                return Err(Error::Usage {
                    what: "stop needs the job that is to stop".into(),
                    hint: "Give job as well, as the call that started it has named it.".into(),
                });
            }
            None if arguments.start => start(call, arguments)?,
            None => answer(None, sync(call.engine(), &arguments, call.job())?),
        };
        Ok(answer.into())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct Arguments {
    /// Only these.
    #[serde(default)]
    sources: Vec<String>,
    /// The user agrees.
    #[serde(default)]
    accept_removals: bool,
    /// Return at once.
    #[serde(default)]
    start: bool,
    /// Only say how this job is doing.
    #[serde(default)]
    job: Option<String>,
    /// Ask that job to stop.
    #[serde(default)]
    stop: bool,
}

/// What a started sync came to, as it is kept.
pub(in crate::mcp) type Done = Result<Synced, String>;

fn sync(
    engine: &pkb_engine::Engine,
    arguments: &Arguments,
    job: &dyn Job,
) -> Result<Synced, Error> {
    let options = SyncOptions {
        accept_removals: arguments.accept_removals,
        ..SyncOptions::default()
    };
    Ok(synced(engine.sync(&arguments.sources, options, job)?))
}

fn answer(job: Option<String>, mut data: Synced) -> Answer<Synced> {
    data.job = job;
    Answer {
        text: text(&data),
        data,
    }
}

/// Lets a sync go on by itself.
fn start(call: &Call, arguments: Arguments) -> Result<Answer<Synced>, Error> {
    // Better said now than to whoever asks after the job.
    for name in &arguments.sources {
        call.engine().source(name)?;
    }
    let engine = call.engine().clone();
    let work =
        move |job: &dyn Job| sync(&engine, &arguments, job).map_err(|wrong| error(&wrong, true));
    let id = call
        .service
        .jobs
        .begin(work)
        .map_err(|error| Error::Usage {
            what: format!("the system gives no thread for it: {error}"),
            hint: "Call again without start.".into(),
        })?;
    let data = Synced {
        running: true,
        job: Some(id.clone()),
        ..Synced::default()
    };
    Ok(Answer {
        text: format!("Syncing as {id}. Ask with {{\"job\": \"{id}\"}} how it is doing.\n"),
        data,
    })
}

/// How a sync is doing that goes on by itself.
fn ask(call: &Call, id: &str, stop: bool) -> Result<Answer<Synced>, Error> {
    let jobs = &call.service.jobs;
    if stop {
        jobs.stop(id);
    }
    let Some(report) = jobs.report(id) else {
        let ids = jobs.ids();
        return Err(Error::NotFound {
            what: format!("there is no job {id:?}"),
            near: Vec::new(),
            hint: match ids.as_slice() {
                [] => "No job was started since pkb serves; {\"start\": true} starts one.".into(),
                ids => format!("There are: {}.", ids.join(", ")),
            },
        });
    };
    let jobs::Report {
        seconds,
        far,
        stopping,
        done,
    } = report;
    match done {
        Some(Ok(mut data)) => {
            // A source may be private by now that was not when the job ended.
            let known = names(call.engine());
            data.sources.retain(|source| known.contains(&source.source));
            Ok(answer(Some(id.to_owned()), data))
        }
        Some(Err(wrong)) => Err(Error::Usage {
            what: format!("{id} failed: {wrong}"),
            hint: "Another call starts anew, from where it was.".into(),
        }),
        None => {
            let mut text = format!("{id} runs for {}", count(seconds, "second", "seconds"));
            if !far.is_empty() {
                let _ = write!(text, "; {far}");
            }
            text.push_str(if stopping {
                "; it was asked to stop.\n"
            } else {
                ".\n"
            });
            let data = Synced {
                running: true,
                job: Some(id.to_owned()),
                progress: (!far.is_empty()).then_some(far),
                ..Synced::default()
            };
            Ok(Answer { text, data })
        }
    }
}

/// What the sync did.
#[derive(Clone, Default, Serialize, JsonSchema)]
pub(in crate::mcp) struct Synced {
    /// Still under way.
    #[schemars(skip)]
    running: bool,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    job: Option<String>,
    /// How far.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    progress: Option<String>,
    /// All is done.
    complete: bool,
    /// Cancelled before.
    #[schemars(skip)]
    stopped: bool,
    /// source, added, updated, moved, deleted, failed, problem.
    #[schemars(with = "Vec<Object>")]
    sources: Vec<SyncedSource>,
    /// model, made, missing.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<Embedding>,
}

#[derive(Clone, Serialize)]
struct SyncedSource {
    /// Name of the source.
    source: String,
    /// Items that are new.
    added: u64,
    /// Items whose content changed.
    updated: u64,
    /// Items that stayed as they were.
    unchanged: u64,
    /// Items that moved to another path.
    moved: u64,
    /// Items that are gone.
    deleted: u64,
    /// Items that were gone and are back.
    restored: u64,
    /// Files left out on purpose.
    skipped: u64,
    /// Files that could not be read.
    failed: u64,
    /// Why the source was not gone through wholly.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Clone, Serialize)]
struct Embedding {
    /// Name of the model; not there when none is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Vectors made.
    made: u64,
    /// Chunks that still have none.
    missing: u64,
}

fn synced(report: SyncReport) -> Synced {
    Synced {
        running: false,
        job: None,
        progress: None,
        complete: report.complete(),
        stopped: report.stopped,
        sources: report.sources.into_iter().map(synced_source).collect(),
        embedding: report.embedding.map(|embedding| Embedding {
            model: embedding.model,
            made: embedding.made,
            missing: embedding.missing,
        }),
    }
}

fn synced_source(report: SourceReport) -> SyncedSource {
    let counts = report.counts;
    SyncedSource {
        source: report.source,
        added: counts.added,
        updated: counts.updated,
        unchanged: counts.unchanged,
        moved: counts.moved,
        deleted: counts.deleted,
        restored: counts.restored,
        skipped: counts.skipped,
        failed: counts.failed,
        problem: report.problem.map(|problem| in_tools(&problem, true)),
    }
}

fn text(synced: &Synced) -> String {
    let mut text = match (synced.stopped, synced.complete) {
        (true, _) => {
            "Stopped before the end; what is done stays, and the next sync goes on from here.\n"
        }
        (false, true) => "Everything is up to date.\n",
        (false, false) => "Not everything is up to date; see the problems.\n",
    }
    .to_owned();
    if synced.sources.is_empty() && !synced.stopped {
        text =
            "There are no sources yet: the user can add a folder with `pkb add PATH`.\n".to_owned();
    }
    let mut failed = 0;
    for source in &synced.sources {
        let counts = [
            (source.added, "added"),
            (source.updated, "updated"),
            (source.moved, "moved"),
            (source.restored, "restored"),
            (source.deleted, "deleted"),
            (source.unchanged, "unchanged"),
            (source.skipped, "skipped"),
            (source.failed, "failed"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{} {word}", thousands(*number)))
            .collect();
        let counts = if counts.is_empty() {
            "no items".to_owned()
        } else {
            counts.join(", ")
        };
        let _ = writeln!(text, "{}: {counts}", line(&source.source));
        if let Some(problem) = &source.problem {
            let _ = writeln!(text, "  problem: {}", line(problem));
        }
        failed += source.failed;
    }
    match &synced.embedding {
        Some(Embedding {
            model: Some(model),
            made,
            missing,
        }) => {
            let _ = write!(
                text,
                "vectors of {}: {} made",
                line(model),
                thousands(*made)
            );
            if *missing > 0 {
                let _ = write!(text, ", {} missing", thousands(*missing));
            }
            text.push('\n');
        }
        Some(_) => text.push_str(
            "No model is installed, so search is by word only. `pkb model pull` gets one.\n",
        ),
        None => {}
    }
    if failed > 0 {
        let _ = writeln!(
            text,
            "{} could not be read: `get_coverage` says why.",
            count(failed, "file", "files")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_told_in_words() {
        let mut report = SyncReport::default();
        report.sources.push(SourceReport {
            source: "notes".into(),
            ..SourceReport::default()
        });
        report.sources[0].counts.added = 1200;
        report.sources[0].counts.failed = 1;
        let data = synced(report);
        assert_eq!(
            text(&data),
            "Everything is up to date.\nnotes: 1,200 added, 1 failed\n1 file could not be read: `get_coverage` \
             says why.\n"
        );
        let stopped = SyncReport {
            stopped: true,
            ..SyncReport::default()
        };
        assert!(text(&synced(stopped)).starts_with("Stopped before the end"));
        let empty = text(&synced(SyncReport::default()));
        assert!(empty.starts_with("There are no sources yet"), "{empty}");
    }
}
