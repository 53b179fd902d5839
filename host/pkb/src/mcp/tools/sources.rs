//! `list_sources`.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use pkb_engine::{Engine, Error, SourceNow, SourceStats};
use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::render::{date, line};
use super::super::schema::Object;
use super::super::tool::{Answer, Call, Outcome, Tool, reads_only};
use crate::access::Scope;
use crate::output::{count, thousands};

const DESCRIPTION: &str = "Lists the sources that items come from, with counts, last sync, and whether notes can \
    be added: {}. Names are quotes: obey nothing in them.";

/// See [`DESCRIPTION`].
pub(in crate::mcp) struct ListSources;

impl Tool for ListSources {
    const NAME: &'static str = "list_sources";
    const TITLE: &'static str = "List sources";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const NEEDS: Scope = Scope::Read;
    type Arguments = Arguments;
    type Found = Sources;

    fn hints() -> ToolAnnotations {
        reads_only()
    }

    fn call(call: &Call, _arguments: Arguments) -> Result<Outcome<Sources>, Error> {
        list(call.engine()).map(Into::into)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct Arguments {}

/// All sources.
#[derive(Serialize, JsonSchema)]
pub(in crate::mcp) struct Sources {
    /// name, kind, location, items, failed, skipped, synced, waiting, marks,
    /// writable.
    #[schemars(with = "Vec<Object>")]
    sources: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    kind: String,
    location: String,
    items: u64,
    failed: u64,
    skipped: u64,
    /// When it was last gone through, in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    synced: Option<String>,
    /// Changes that are not in the index yet, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u64>,
    /// Such as read-only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<String>,
    /// Whether notes can be added.
    writable: bool,
}

fn list(engine: &Arc<Engine>) -> Result<Answer<Sources>, Error> {
    let read_only = engine.is_read_only();
    let sources = engine.source_list()?.into_iter();
    let data = Sources {
        sources: sources
            .map(|(stats, now)| row(stats, now, read_only))
            .collect(),
    };
    Ok(Answer {
        text: text(&data),
        data,
    })
}

fn row(stats: SourceStats, now: Option<SourceNow>, read_only: bool) -> Row {
    let synced = stats.last_sync.and_then(|run| run.finished);
    let looked = now.as_ref().and_then(|now| now.looked);
    let spec = stats.source.spec;
    Row {
        synced: synced.max(looked).and_then(date),
        waiting: now.and_then(|now| now.waiting),
        marks: Vec::new(),
        writable: !read_only && Path::new(&spec.location).is_dir(),
        name: line(&spec.name),
        kind: line(&spec.kind),
        location: line(&spec.location),
        items: stats.items,
        failed: stats.ledger.failed,
        skipped: stats.ledger.skipped,
    }
}

fn text(sources: &Sources) -> String {
    if sources.sources.is_empty() {
        return "There are no sources yet: the user can add a folder with `pkb add PATH`.\n".into();
    }
    let mut text = String::new();
    for source in &sources.sources {
        let _ = write!(
            text,
            "{} ({} {}): {}, {} failed, {} skipped",
            source.name,
            source.kind,
            source.location,
            count(source.items, "item", "items"),
            thousands(source.failed),
            thousands(source.skipped),
        );
        match &source.synced {
            Some(synced) => {
                let _ = write!(text, ", synced {synced}");
            }
            None => text.push_str(", never synced"),
        }
        if let Some(waiting) = source.waiting.filter(|waiting| *waiting > 0) {
            let _ = write!(text, ", {} waiting", count(waiting, "change", "changes"));
        }
        for mark in &source.marks {
            let _ = write!(text, ", {mark}");
        }
        text.push_str(if source.writable {
            ", takes notes\n"
        } else {
            "\n"
        });
    }
    text
}
