//! Listings: `list` and `browse`.

use std::process::ExitCode;

use pkb_engine::{BrowseRequest, Engine, Item, Order, Page};
use serde_json::json;

use crate::cli;
use crate::filters::Sort;
use crate::output::{DIM, Output, STRONG, Table, count, thousands};

pub(crate) fn list(engine: &Engine, args: cli::List, output: &Output) -> anyhow::Result<ExitCode> {
    let request = BrowseRequest {
        filter: args.filters.filter()?,
        order: if args.recent {
            Order::Recent
        } else {
            Order::Path
        },
        offset: args.offset,
        limit: args.limit,
        ..BrowseRequest::default()
    };
    show(&request, &engine.browse(&request)?, Sort::Path, output)
}

pub(crate) fn browse(
    engine: &Engine,
    args: cli::Browse,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let request = BrowseRequest {
        filter: args.filters.filter()?,
        order: args.sort.order(),
        reverse: args.desc || args.sort.descends() && !args.asc,
        offset: args.offset,
        limit: args.limit,
        count_only: args.count,
    };
    show(&request, &engine.browse(&request)?, args.sort, output)
}

fn show(
    request: &BrowseRequest,
    page: &Page<Item>,
    sort: Sort,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    if request.count_only {
        if output.json {
            output.json(&json!({ "total": page.total }))?;
        } else {
            output.line(page.total);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if output.json {
        output.json(
            &json!({ "total": page.total, "offset": request.offset, "items": page.entries }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::default();
    for item in &page.entries {
        let mut row = table.row().number(item.id.0.unsigned_abs());
        if sort.descends() {
            row = row.right(sort.value(item).unwrap_or_default(), DIM);
        }
        row.styled(&item.title, STRONG)
            .styled(format_args!("{}/{}", item.source, item.external_id), DIM);
    }
    table.print(output);
    let total = count(page.total, "item", "items");
    let shown = page.entries.len() as u64;
    let upto = request.offset.saturating_add(shown);
    if page.total == 0 {
        output.note("no items fit");
    } else if shown == 0 {
        output.note(format_args!(
            "there are only {total}; --offset {} is past them",
            request.offset
        ));
    } else if shown < page.total {
        let next = if upto < page.total {
            format!("; --offset {upto} shows the next")
        } else {
            String::new()
        };
        output.note(format_args!(
            "showing {}-{} of {total}{next}",
            thousands(request.offset + 1),
            thousands(upto)
        ));
    }
    Ok(ExitCode::SUCCESS)
}
