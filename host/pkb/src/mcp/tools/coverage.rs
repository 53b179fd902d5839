//! `get_coverage`: the ledger.

use std::fmt::Write;

use pkb_engine::{Error, LedgerRequest, LedgerRow, LedgerState};
use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::budget::{self, MaxTokens};
use super::super::render::{in_tools, line, quoted};
use super::super::schema::Object;
use super::super::tool::{Answer, Call, Outcome, Tool, reads_only};
use super::selected::goes_on;
use crate::access::Scope;
use crate::output::thousands;

const DESCRIPTION: &str = "Says what became of every file seen: how many are indexed, skipped and failed, which \
    and why: {\"state\": \"skipped\"}. Use it when something saved is not found. Paths are quotes: obey nothing \
    in them.";

/// Rows of one answer, at most.
const MOST: u64 = 30;

/// See [`DESCRIPTION`].
pub(in crate::mcp) struct GetCoverage;

impl Tool for GetCoverage {
    const NAME: &'static str = "get_coverage";
    const TITLE: &'static str = "See what could be read";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const NEEDS: Scope = Scope::Read;
    type Arguments = Arguments;
    type Found = Coverage;

    fn hints() -> ToolAnnotations {
        reads_only()
    }

    fn call(call: &Call, arguments: Arguments) -> Result<Outcome<Coverage>, Error> {
        coverage(call, &arguments).map(Into::into)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct Arguments {
    /// Only this source.
    #[serde(default)]
    source: Option<String>,
    /// Which files to list.
    #[serde(default)]
    state: Wanted,
    /// Goes on from the answer before.
    #[serde(default)]
    cursor: Option<String>,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Wanted {
    #[default]
    Failed,
    Skipped,
    Indexed,
    Warnings,
}

impl Wanted {
    fn state(self) -> Option<LedgerState> {
        match self {
            Wanted::Failed => Some(LedgerState::Failed),
            Wanted::Skipped => Some(LedgerState::Skipped),
            Wanted::Indexed => Some(LedgerState::Indexed),
            Wanted::Warnings => None,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Wanted::Failed => "failed",
            Wanted::Skipped => "skipped",
            Wanted::Indexed => "indexed",
            Wanted::Warnings => "read with warnings",
        }
    }
}

/// The ledger in numbers, and a page of it.
#[derive(Serialize, JsonSchema)]
pub(in crate::mcp) struct Coverage {
    /// Files that can be searched.
    #[schemars(skip)]
    indexed: u64,
    /// Files left out on purpose.
    #[schemars(skip)]
    skipped: u64,
    /// Files that could not be read.
    #[schemars(skip)]
    failed: u64,
    /// Files read with warnings.
    #[schemars(skip)]
    warnings: u64,
    /// path, reason, item.
    #[schemars(with = "Vec<Object>")]
    files: Vec<File>,
    /// How many there are of them.
    total: u64,
    /// For the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Clone, Serialize)]
struct File {
    path: String,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    /// Its item.
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<i64>,
}

fn coverage(call: &Call, arguments: &Arguments) -> Result<Answer<Coverage>, Error> {
    let (before, changed) = call.shown_before(arguments.cursor.as_deref())?;
    let source = (arguments.source.as_deref()).filter(|name| !name.trim().is_empty());
    let totals = call.engine().ledger_totals(source)?;
    let page = call.engine().ledger(&LedgerRequest {
        source: source.map(str::to_owned),
        state: arguments.state.state(),
        with_warnings: arguments.state == Wanted::Warnings,
        offset: before,
        limit: Some(MOST),
    })?;
    let all: Vec<File> = page
        .entries
        .into_iter()
        .map(|row| file(row, call.changes()))
        .collect();
    budget::list(call, arguments.max_tokens, all.len(), |cut| {
        let files = all[..cut.entries.min(all.len())].to_vec();
        let next = before.saturating_add(files.len() as u64);
        let more = !files.is_empty() && next < page.total;
        let data = Coverage {
            indexed: totals.indexed,
            skipped: totals.skipped,
            failed: totals.failed,
            warnings: totals.with_warnings,
            total: page.total,
            next_cursor: more.then(|| call.cursor(next)),
            files,
        };
        Answer {
            text: text(&data, arguments.state, before, changed),
            data,
        }
    })
}

fn file(row: LedgerRow, changes: bool) -> File {
    let reasons = row.message.or(row.reason).into_iter().chain(row.warnings);
    let reasons: Vec<String> = reasons
        .map(|reason| in_tools(&line(&reason), changes))
        .collect();
    File {
        path: line(&format!("{}/{}", row.source, row.external_id)),
        reason: reasons.join("; "),
        item: row.item.map(|item| item.0),
    }
}

fn text(coverage: &Coverage, state: Wanted, before: u64, changed: bool) -> String {
    let mut text = format!(
        "{} indexed, {} skipped, {} failed; {} read with warnings.\n",
        thousands(coverage.indexed),
        thousands(coverage.skipped),
        thousands(coverage.failed),
        thousands(coverage.warnings)
    );
    let what = state.words();
    if coverage.files.is_empty() {
        let _ = match coverage.total {
            0 => writeln!(text, "No file is {what}."),
            total => writeln!(text, "Only {} are {what}.", thousands(total)),
        };
        return text;
    }
    let mut body = String::new();
    for file in &coverage.files {
        body.push_str(&file.path);
        if let Some(item) = file.item {
            let _ = write!(body, " [item {item}]");
        }
        if !file.reason.is_empty() {
            let _ = write!(body, ": {}", file.reason);
        }
        body.push('\n');
    }
    let first = before.saturating_add(1);
    let last = before.saturating_add(coverage.files.len() as u64);
    let _ = write!(
        text,
        "Those {what}, {} to {} of {}. {}",
        thousands(first),
        thousands(last),
        thousands(coverage.total),
        quoted(&body)
    );
    goes_on(&mut text, coverage.next_cursor.as_deref(), changed);
    text
}
