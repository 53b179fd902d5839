//! Deleting: `rm`, `restore`, `deleted`, `purge`.

use std::process::ExitCode;

use pkb_engine::{Deleted, DeletedRequest, Engine, Error, Item, Purged, Selection};
use serde_json::json;

use super::status::ago;
use crate::cli;
use crate::output::{DIM, Output, STRONG, Table, bytes, count, thousands};
use crate::progress::Watch;
use crate::{FAILED, output};

/// Items that are named before they are counted only.
const NAMED: usize = 5;

pub(crate) fn rm(engine: &Engine, args: cli::Rm, output: &Output) -> anyhow::Result<ExitCode> {
    let selection = Selection::new(args.items, args.filters.filter()?)?;
    let items = engine.select(&selection, selection.among(args.hard))?;
    if items.is_empty() {
        output.note("no items fit");
    }
    let bulk = matches!(selection, Selection::Fitting(_)) || items.len() > 1;
    let what = named(&items);
    let question = if args.hard {
        format!("Remove {what} for good? There is no way back. The files stay.")
    } else {
        format!("Take {what} out of every search? `pkb restore` brings them back.")
    };
    let asks = (bulk || args.hard) && !items.is_empty();
    if asks && !agreed(output, args.yes, &question)? {
        return Ok(ExitCode::from(FAILED));
    }
    if args.hard {
        let purged = engine.erase_items(&items)?;
        return answer_purged(&purged, output);
    }
    let removed = engine.remove_items(&items)?;
    if output.json {
        output.json(&removed)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !items.is_empty() {
        output.line(format_args!(
            "{STRONG}{what}{STRONG:#}: out of every search; the text is kept"
        ));
        let which = match items.as_slice() {
            [only] => format!("pkb restore {}", only.id),
            _ => "pkb restore".into(),
        };
        output.note(format_args!(
            "`{which}` brings back what was deleted, `pkb deleted` lists it, `pkb rm --hard` removes it for good"
        ));
    }
    if removed.in_source > 0 {
        output.note(format_args!(
            "{} still in the source: deleted here until {} there",
            match removed.in_source {
                1 => "1 item is".to_owned(),
                more => format!("{} items are", thousands(more)),
            },
            match removed.in_source {
                1 => "it changes",
                _ => "they change",
            }
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn restore(
    engine: &Engine,
    args: cli::Restore,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let selection = Selection::new(args.items, args.filters.filter()?)?;
    let items = engine.select(&selection, Deleted::Only)?;
    let watch = Watch::new(output.quiet || output.json);
    let restored = engine.restore_items(&items, &watch);
    watch.clear();
    let restored = restored?;
    if output.json {
        output.json(&restored)?;
        return Ok(ExitCode::SUCCESS);
    }
    if items.is_empty() {
        output.note("no deleted items fit");
        return Ok(ExitCode::SUCCESS);
    }
    output.line(format_args!(
        "{STRONG}{}{STRONG:#}: found again",
        named(&items)
    ));
    if let Some(made) = restored.embedding.as_ref().filter(|done| done.made > 0) {
        output.line(format_args!(
            "{} embedded",
            count(made.made, "chunk", "chunks")
        ));
    }
    if restored.not_in_source > 0 {
        output.note(format_args!(
            "{} not in the source any more; what was brought back stays all the same",
            match restored.not_in_source {
                1 => "1 item is".to_owned(),
                more => format!("{} items are", thousands(more)),
            }
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn list(
    engine: &Engine,
    args: cli::DeletedArgs,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let request = DeletedRequest {
        filter: args.filters.filter()?,
        offset: args.offset,
        limit: args.limit,
    };
    let page = engine.deleted(&request)?;
    if output.json {
        output.json(
            &json!({ "total": page.total, "offset": request.offset, "items": page.entries }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::default();
    for item in &page.entries {
        table
            .row()
            .number(item.id.0.unsigned_abs())
            .text(item.deleted.map(ago).unwrap_or_default())
            .text(cause(item))
            .styled(&item.title, STRONG)
            .styled(format_args!("{}/{}", item.source, item.external_id), DIM);
    }
    table.print(output);
    let shown = page.entries.len() as u64;
    if page.total == 0 {
        output.note("nothing is deleted");
    } else if shown < page.total {
        output.note(format_args!(
            "{} of {} are shown; --offset and -n show others",
            thousands(shown),
            count(page.total, "deleted item", "deleted items")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn purge(
    engine: &Engine,
    args: &cli::Purge,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let before = args.older_than.start();
    let number = engine.count_deleted_before(before)?;
    let question = format!(
        "Remove {} for good, deleted over {}? There is no way back.",
        count(number, "item", "items"),
        ago(before)
    );
    if number > 0 && !agreed(output, args.yes, &question)? {
        return Ok(ExitCode::from(FAILED));
    }
    answer_purged(&engine.purge(before)?, output)
}

/// Why an item is deleted, for people.
fn cause(item: &Item) -> &str {
    match item.deleted_from.as_deref() {
        Some("user") => "by you",
        Some("file_deleted") => "its file is gone",
        Some(other) => other,
        None => "",
    }
}

/// A few items by name, many by number.
fn named(items: &[Item]) -> String {
    if items.is_empty() || items.len() > NAMED {
        return count(items.len() as u64, "item", "items");
    }
    let names: Vec<String> = items
        .iter()
        .map(|item| output::printable(&format!("{}/{}", item.source, item.external_id)))
        .collect();
    names.join(", ")
}

/// Asks before something that is not easily undone; at once yes where that was
/// said before.
///
/// # Errors
/// [`Error::Usage`] where there is nobody to ask.
pub(super) fn agreed(output: &Output, yes: bool, question: &str) -> Result<bool, Error> {
    if yes {
        return Ok(true);
    }
    if !output.can_ask() {
        return Err(Error::Usage {
            what: format!("this has to be confirmed, and nobody can be asked: {question}"),
            hint: "Say --yes to do it without asking.".into(),
        });
    }
    let agreed = output.confirm(question);
    if !agreed {
        output.note("nothing was changed");
    }
    Ok(agreed)
}

fn answer_purged(purged: &Purged, output: &Output) -> anyhow::Result<ExitCode> {
    if output.json {
        output.json(purged)?;
    } else {
        show_purged(purged, output);
    }
    Ok(ExitCode::SUCCESS)
}

/// What was removed for good.
pub(super) fn show_purged(purged: &Purged, output: &Output) {
    let erased = &purged.erased;
    output.line(format_args!(
        "Removed for good: {}, {}, {}, {} of text",
        count(erased.items, "item", "items"),
        count(erased.chunks, "chunk", "chunks"),
        count(erased.vectors, "vector", "vectors"),
        bytes(erased.text_bytes)
    ));
    for note in &purged.notes {
        output.note(note);
    }
}
