//! `sync_knowledge_base`: long work that reports its progress and can be
//! stopped.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pkb_engine::{Job, SourceReport, Stage, SyncOptions, SyncReport};
use rmcp::model::{CallToolResult, JsonObject, ProgressNotificationParam, Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;

use super::progress::{Meter, Update};
use super::render::{in_tools, line};
use super::{Answer, Server, failure, parse, result, tool};
use crate::output::{count, thousands};

pub(super) const NAME: &str = "sync_knowledge_base";
const DESCRIPTION: &str = "Brings the index up to date with the user's sources: reads what is new or changed, takes \
    out what is gone, and makes the vectors that search by meaning needs. Use it when the user asks for it, or when \
    something they saved lately is not found. It never changes the originals. It may take minutes the first time and \
    seconds after that; it can be cancelled at any point and goes on where it was. Where a large part of a source is \
    gone it removes nothing and says so: ask the user, and call again with accept_removals only when they agree.";

pub(super) fn definition() -> Tool {
    // Items that are gone leave the index, so it does more than add. Sources
    // are folders of this machine.
    let hints = ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false);
    tool::<Arguments, Synced>(NAME, "Sync the knowledge base", DESCRIPTION, hints)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Only these sources, by name; leave out for all.
    #[serde(default)]
    sources: Vec<String>,
    /// Take items out of the index even where a large part of a source is
    /// gone. Only when the user has said that they are gone for good.
    #[serde(default)]
    accept_removals: bool,
}

/// What the sync did.
#[derive(Serialize, JsonSchema)]
struct Synced {
    /// Whether everything that was to be done is done.
    complete: bool,
    /// Whether it was cancelled before it was through; the next sync goes on.
    stopped: bool,
    /// One for each source that was looked at.
    sources: Vec<SyncedSource>,
    /// The vectors; not there when it was stopped before.
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<Embedding>,
}

#[derive(Serialize, JsonSchema)]
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

#[derive(Serialize, JsonSchema)]
struct Embedding {
    /// Name of the model; not there when none is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Vectors made.
    made: u64,
    /// Chunks that still have none.
    missing: u64,
}

pub(super) async fn sync(
    server: &Server,
    arguments: JsonObject,
    context: RequestContext<RoleServer>,
) -> CallToolResult {
    let arguments: Arguments = match parse(arguments) {
        Ok(arguments) => arguments,
        Err(wrong) => return failure(&wrong),
    };
    let (send, mut updates) = unbounded_channel();
    let token = context.meta.get_progress_token();
    let (cancelled, client_left) = (context.ct.clone(), server.client_left.clone());
    let stop = move || cancelled.is_cancelled() || client_left.load(Ordering::Relaxed);
    let watch = Watch {
        stop,
        progress: token
            .is_some()
            .then(|| Mutex::new((Meter::default(), send))),
    };
    let engine = Arc::clone(&server.engine);
    let span = tracing::Span::current();
    let work = spawn_blocking(move || {
        let _span = span.enter();
        let options = SyncOptions {
            accept_removals: arguments.accept_removals,
            ..SyncOptions::default()
        };
        let report = engine.sync(&arguments.sources, options, &watch)?;
        let data = synced(report);
        Ok(Answer {
            text: text(&data),
            data,
        })
    });
    // The work holds the sending end, so this ends when the work does, and
    // each update is out before the answer is.
    while let Some(Update {
        progress,
        total,
        message,
    }) = updates.recv().await
    {
        let Some(token) = token.clone() else { continue };
        let mut update = ProgressNotificationParam::new(token, progress).with_message(message);
        update.total = total;
        tokio::select! {
            sent = context.peer.notify_progress(update) => {
                if let Err(error) = sent {
                    tracing::debug!("progress cannot be sent: {error}");
                }
            }
            // Once stdin has ended nothing takes an update any more, and the
            // answer must not wait for one.
            () = left(&server.client_left) => {}
        }
    }
    result(work.await)
}

/// Ends when the client is gone.
async fn left(client_left: &AtomicBool) {
    while !client_left.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The client's side of the work.
struct Watch<S> {
    stop: S,
    /// None where the client asked for no progress.
    progress: Option<Mutex<(Meter, UnboundedSender<Update>)>>,
}

impl<S: Fn() -> bool + Sync> Job for Watch<S> {
    fn stop(&self) -> bool {
        (self.stop)()
    }

    fn progress(&self, stage: Stage, done: u64, total: Option<u64>) {
        let Some(progress) = &self.progress else {
            return;
        };
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        let (meter, send) = &mut *progress;
        if let Some(update) = meter.step(stage, done, total, Instant::now()) {
            // Nobody listens any more once the connection is closed.
            let _ = send.send(update);
        }
    }
}

fn synced(report: SyncReport) -> Synced {
    Synced {
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
        problem: report.problem.map(|problem| in_tools(&problem)),
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
            "{} could not be read: `pkb ledger --failed` says why.",
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
            "Everything is up to date.\nnotes: 1,200 added, 1 failed\n1 file could not be read: `pkb ledger --failed` \
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
