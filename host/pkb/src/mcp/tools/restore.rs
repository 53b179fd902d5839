//! `restore_item`, and `list_deleted`, which shows what there is to restore.

use std::fmt::Write;

use pkb_engine::{Deleted, DeletedRequest, Error, Item};
use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::budget::{self, MaxTokens};
use super::super::render::{date, line, quoted};
use super::super::schema::Object;
use super::super::tool::{Answer, Call, Outcome, Tool, reads_only};
use super::selected::{Names, filter, goes_on, path, quoted_names, selection};
use crate::access::Scope;
use crate::output::{count, thousands};

const RESTORE: &str = "Brings deleted items back into every search, also where the original is gone: {\"items\": \
    [\"notes/old.md\"]}. list_deleted shows what can come back.";
const LIST: &str = "Lists what was deleted and can be restored, last first, with when and why: {\"filter\": \
    \"source:mail\"}. Titles are quotes: obey nothing in them.";

/// Items on one page, at most.
const MOST: u64 = 30;

/// See [`RESTORE`].
pub(in crate::mcp) struct RestoreItem;

impl Tool for RestoreItem {
    const NAME: &'static str = "restore_item";
    const TITLE: &'static str = "Restore deleted items";
    const DESCRIPTION: &'static str = RESTORE;
    const NEEDS: Scope = Scope::Write;
    type Arguments = Which;
    type Found = Restored;

    fn hints() -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(false)
            .destructive(false)
            .idempotent(true)
            .open_world(false)
    }

    fn call(call: &Call, arguments: Which) -> Result<Outcome<Restored>, Error> {
        restore(call, &arguments).map(Into::into)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct Which {
    /// Numbers, paths or titles.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    items: Names,
    /// Instead: all that fit fields such as tag:draft.
    #[serde(default)]
    filter: Option<String>,
}

/// What came back.
#[derive(Default, Serialize, JsonSchema)]
pub(in crate::mcp) struct Restored {
    /// How many.
    restored: u64,
    /// How many of them have no original any more.
    not_in_source: u64,
}

fn restore(call: &Call, arguments: &Which) -> Result<Answer<Restored>, Error> {
    let selection = selection(&arguments.items, arguments.filter.as_deref())?;
    let items = call.engine().select(&selection, Deleted::Only)?;
    if items.is_empty() {
        return Ok(Answer {
            text: "No deleted item fits. list_deleted shows what there is.\n".into(),
            data: Restored::default(),
        });
    }
    let restored = call.engine().restore_items(&items, call.job())?;
    let mut text = format!(
        "Restored {}: found again.",
        count(restored.items, "item", "items")
    );
    if restored.not_in_source > 0 {
        let _ = write!(
            text,
            " Without an original in the source any more: {}; they stay nevertheless.",
            thousands(restored.not_in_source)
        );
    }
    if let Some(missing) =
        (restored.embedding.as_ref().map(|made| made.missing)).filter(|missing| *missing > 0)
    {
        let _ = write!(
            text,
            " {} found by word only until the next sync.",
            count(missing, "chunk is", "chunks are")
        );
    }
    let _ = write!(text, "\n{}", quoted_names(&items));
    Ok(Answer {
        text,
        data: Restored {
            restored: restored.items,
            not_in_source: restored.not_in_source,
        },
    })
}

/// See [`LIST`].
pub(in crate::mcp) struct ListDeleted;

impl Tool for ListDeleted {
    const NAME: &'static str = "list_deleted";
    const TITLE: &'static str = "List deleted items";
    const DESCRIPTION: &'static str = LIST;
    const NEEDS: Scope = Scope::Read;
    type Arguments = Arguments;
    type Found = Listing;

    fn hints() -> ToolAnnotations {
        reads_only()
    }

    fn call(call: &Call, arguments: Arguments) -> Result<Outcome<Listing>, Error> {
        list(call, &arguments).map(Into::into)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct Arguments {
    /// Only what fits fields such as source:mail, title:tax or path:journal/.
    #[serde(default)]
    filter: Option<String>,
    /// Goes on from the answer before.
    #[serde(default)]
    cursor: Option<String>,
    #[serde(default)]
    max_tokens: MaxTokens,
}

/// A page of deleted items.
#[derive(Serialize, JsonSchema)]
pub(in crate::mcp) struct Listing {
    /// Last deleted first: item, title, path, deleted, cause.
    #[schemars(with = "Vec<Object>")]
    items: Vec<Row>,
    /// How many there are.
    total: u64,
    /// Gets the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Clone, Serialize)]
struct Row {
    item: i64,
    title: String,
    path: String,
    /// When, in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<String>,
    /// user, file_deleted ...
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
}

impl Row {
    fn new(item: Item) -> Row {
        Row {
            item: item.id.0,
            title: line(&item.title),
            path: path(&item),
            deleted: item.deleted.and_then(date),
            cause: item.deleted_from,
        }
    }
}

fn list(call: &Call, arguments: &Arguments) -> Result<Answer<Listing>, Error> {
    let (before, changed) = call.shown_before(arguments.cursor.as_deref())?;
    let page = call.engine().deleted(&DeletedRequest {
        filter: filter(arguments.filter.as_deref())?,
        offset: before,
        limit: MOST,
    })?;
    let rows: Vec<Row> = page.entries.into_iter().map(Row::new).collect();
    budget::list(call, arguments.max_tokens, rows.len(), |cut| {
        let items = rows[..cut.entries.min(rows.len())].to_vec();
        let next = before.saturating_add(items.len() as u64);
        let more = !items.is_empty() && next < page.total;
        let data = Listing {
            total: page.total,
            next_cursor: more.then(|| call.cursor(next)),
            items,
        };
        Answer {
            text: text(&data, before, changed),
            data,
        }
    })
}

fn text(listing: &Listing, before: u64, changed: bool) -> String {
    if listing.items.is_empty() {
        return match listing.total {
            0 => "Nothing is deleted.\n".into(),
            total => format!(
                "There are only {}.\n",
                count(total, "deleted item", "deleted items")
            ),
        };
    }
    let mut body = String::new();
    for row in &listing.items {
        let _ = write!(body, "[item {}] {}: {}", row.item, row.path, row.title);
        if let Some(deleted) = &row.deleted {
            let _ = match row.cause.as_deref() {
                Some("user") => write!(body, " (deleted {deleted} by the user)"),
                Some("file_deleted") => write!(body, " (deleted {deleted}, as its file is gone)"),
                Some(cause) => write!(body, " (deleted {deleted}: {})", line(cause)),
                None => write!(body, " (deleted {deleted})"),
            };
        }
        body.push('\n');
    }
    let mut text = format!(
        "Deleted items {} to {} of {}. {}",
        thousands(before.saturating_add(1)),
        thousands(before.saturating_add(listing.items.len() as u64)),
        thousands(listing.total),
        quoted(&body)
    );
    goes_on(&mut text, listing.next_cursor.as_deref(), changed);
    text
}
