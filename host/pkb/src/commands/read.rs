//! Reading on: `get`, `similar`, `links`.

use std::process::ExitCode;

use pkb_engine::{Engine, LinkOut, Part, ReadRequest};

use super::citation::{INDENT, after, cite, quote};
use crate::cli;
use crate::output::{DIM, Output, PLACE, STRONG, Table, count, printable, thousands};

/// Lines that a snippet takes at most.
const SNIPPET_LINES: usize = 3;

pub(crate) fn get(engine: &Engine, args: cli::Get, output: &Output) -> anyhow::Result<ExitCode> {
    let request = request(args.part, args.around);
    let reading = engine.read_item(&args.item.join(" "), &request)?;
    if output.json {
        output.json(&reading)?;
        return Ok(ExitCode::SUCCESS);
    }
    let item = &reading.details.item;
    output.line(format_args!("{STRONG}{}{STRONG:#}", printable(&item.title)));
    let mut cited = printable(&reading.path);
    if !reading.headings.is_empty() {
        cited.push_str(" › ");
        cited.push_str(&printable(&reading.headings.join(" › ")));
    }
    let whole = request == ReadRequest::default();
    let lines = match (reading.lines, reading.line_count) {
        (Some((from, to)), Some(all)) if !whole && from == to => format!(", line {from} of {all}"),
        (Some((from, to)), Some(all)) if !whole => format!(", lines {from}-{to} of {all}"),
        (_, Some(all)) => format!(", {}", count(u64::from(all), "line", "lines")),
        _ => String::new(),
    };
    let pages = match reading.pages {
        Some((from, to)) if from == to => format!(", page {from}"),
        Some((from, to)) => format!(", pages {from}-{to}"),
        None => String::new(),
    };
    output.line(format_args!("{PLACE}{cited}{pages}{lines}{PLACE:#}"));
    if !reading.details.tags.is_empty() {
        let tags: Vec<String> = reading
            .details
            .tags
            .iter()
            .map(|tag| format!("#{}", printable(tag)))
            .collect();
        output.line(format_args!("{DIM}{}{DIM:#}", tags.join(" ")));
    }
    output.line("");
    output.text(&printable(&reading.text));
    if !reading.text.ends_with('\n') {
        output.line("");
    }
    for note in &reading.notes {
        output.note(printable(note));
    }
    Ok(ExitCode::SUCCESS)
}

fn request(part: cli::PartArgs, around: Option<u32>) -> ReadRequest {
    let lines = part.lines.or(part.line.map(|line| (line, line)));
    let part = if let Some((from, to)) = lines {
        Part::Lines(from, to)
    } else if let Some((from, to)) = part.page {
        Part::Pages(from, to)
    } else if let Some(heading) = part.heading {
        Part::Heading(heading)
    } else if let Some(chunk) = part.chunk {
        Part::Chunk(chunk)
    } else {
        Part::Whole
    };
    ReadRequest { part, around }
}

pub(crate) fn similar(
    engine: &Engine,
    args: &cli::Similar,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let answer = engine.similar(&args.item.join(" "), usize::from(args.limit))?;
    if output.json {
        output.json(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    if answer.similar.is_empty() && answer.copies.is_empty() {
        output.line("Nothing is near to it.");
    }
    for copy in &answer.copies {
        output.line(format_args!(
            "{DIM}the same text: {}{DIM:#}",
            printable(copy)
        ));
    }
    for (at, near) in answer.similar.iter().enumerate() {
        let how = match near.similarity {
            Some(similarity) => format!("similarity {similarity:.2}"),
            None => format!("has {}", printable(&near.words.join(", "))),
        };
        output.line(format_args!(
            "{:>2}. {STRONG}{}{STRONG:#}  {DIM}{how}{DIM:#}",
            at + 1,
            printable(&near.citation.title)
        ));
        cite(&near.citation, SNIPPET_LINES, output);
        if !near.same.is_empty() {
            output.line(format_args!(
                "{INDENT}{DIM}the same text: {}{DIM:#}",
                printable(&near.same.join(", "))
            ));
        }
        output.line("");
    }
    for note in &answer.notes {
        output.note(note);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn links(
    engine: &Engine,
    args: &cli::Links,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let links = engine.links(&args.item.join(" "), limit)?;
    if output.json {
        output.json(&links)?;
        return Ok(ExitCode::SUCCESS);
    }
    output.line(format_args!(
        "{STRONG}{}{STRONG:#}\n{PLACE}{}{PLACE:#}",
        printable(&links.title),
        printable(&links.path)
    ));
    section("Links to", &links.outgoing, output, |link| {
        let to = link.to.as_ref();
        (
            to.map(|to| to.title.clone()).unwrap_or_default(),
            to.map(|to| to.path.clone()).unwrap_or_default(),
        )
    });
    section("Files", &links.attachments, output, |link| {
        (link.target.clone(), link.file.clone().unwrap_or_default())
    });
    section("Lead nowhere", &links.unresolved, output, |link| {
        let near = match link.near.as_slice() {
            [] => String::new(),
            near => format!("near: {}", near.join(", ")),
        };
        (link.target.clone(), near)
    });
    section("Elsewhere", &links.external, output, |link| {
        let fragment = link.heading.as_ref().map(|heading| format!("#{heading}"));
        (
            format!("{}{}", link.target, fragment.unwrap_or_default()),
            link.label.clone().unwrap_or_default(),
        )
    });
    if links.backlinks.is_empty() {
        output.line("\nNothing links to it.");
        return Ok(ExitCode::SUCCESS);
    }
    output.line(format_args!(
        "\n{STRONG}Linked from{STRONG:#} {DIM}({}){DIM:#}",
        thousands(links.backlink_count as u64)
    ));
    for link in &links.backlinks {
        output.line(format_args!(
            "  {STRONG}{}{STRONG:#}  {PLACE}{}{}{PLACE:#}",
            printable(&link.from.title),
            printable(&link.from.path),
            after(&link.place)
        ));
        quote(&link.snippet, SNIPPET_LINES, output);
    }
    if links.backlinks.len() < links.backlink_count {
        output.note(format_args!(
            "{} of {} are shown; -n shows more",
            thousands(links.backlinks.len() as u64),
            count(links.backlink_count as u64, "link", "links")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// One kind of links, where there are any: two columns that `row` gives, and
/// where the link stands.
fn section(
    name: &str,
    links: &[LinkOut],
    output: &Output,
    row: impl Fn(&LinkOut) -> (String, String),
) {
    if links.is_empty() {
        return;
    }
    output.line(format_args!(
        "\n{STRONG}{name}{STRONG:#} {DIM}({}){DIM:#}",
        thousands(links.len() as u64)
    ));
    let mut table = Table::default();
    for link in links {
        let (what, more) = row(link);
        table
            .row()
            .text(format_args!("  {what}"))
            .styled(link.place.to_words(), PLACE)
            .styled(more, DIM);
    }
    table.print(output);
}
