//! `note`.

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::Context as _;
use pkb_engine::{AddedNote, Engine, NewNote, NoteChange, TagChange};

use crate::cli;
use crate::output::{DIM, Output, STRONG, printable};
use crate::progress::Watch;

pub(crate) fn run(engine: &Engine, note: cli::Note, output: &Output) -> anyhow::Result<ExitCode> {
    match note {
        cli::Note::Add(args) => add(engine, args, output),
        cli::Note::Update(args) => update(engine, args, output),
    }
}

fn add(engine: &Engine, args: cli::NoteAdd, output: &Output) -> anyhow::Result<ExitCode> {
    let text = match args.text {
        Some(text) if text == "-" => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .context("the text cannot be read from stdin")?;
            text
        }
        other => other.unwrap_or_default(),
    };
    let new = NewNote {
        source: args.source,
        folder: args.folder,
        title: args.title,
        text,
        tags: args.tags,
        properties: args.properties,
        skip_embedding: args.no_embed,
    };
    let watch = Watch::new(output.quiet || output.json);
    let added = engine.add_note(&new, &watch);
    watch.clear();
    let added: AddedNote = added?;
    if output.json {
        output.json(&added)?;
        return Ok(ExitCode::SUCCESS);
    }
    output.line(format_args!(
        "{STRONG}{}{STRONG:#}: created {} {DIM}{}{DIM:#}",
        printable(&added.title),
        printable(&added.path),
        printable(&added.file)
    ));
    for warning in &added.warnings {
        output.note(printable(warning));
    }
    Ok(ExitCode::SUCCESS)
}

fn update(engine: &Engine, args: cli::NoteUpdate, output: &Output) -> anyhow::Result<ExitCode> {
    let tags = match args.set_tags {
        Some(tags) => Some(TagChange::Set(given(tags))),
        None if args.tags.is_empty() && args.untag.is_empty() => None,
        None => Some(TagChange::Change {
            add: given(args.tags),
            remove: given(args.untag),
        }),
    };
    let change = NoteChange {
        item: args.item,
        title: args.title,
        tags,
        expected: args.expect,
        skip_embedding: args.no_embed,
    };
    let watch = Watch::new(output.quiet || output.json);
    let updated = engine.update_note(&change, &watch);
    watch.clear();
    let updated = updated?;
    if output.json {
        output.json(&updated)?;
        return Ok(ExitCode::SUCCESS);
    }
    let tags: Vec<String> = updated.tags.iter().map(|tag| format!("#{tag}")).collect();
    output.line(format_args!(
        "{STRONG}{}{STRONG:#}: {} {} {DIM}{}{DIM:#}",
        printable(&updated.title),
        if updated.changed {
            "updated"
        } else {
            "unchanged"
        },
        printable(&updated.path),
        printable(&tags.join(" "))
    ));
    for warning in &updated.warnings {
        output.note(printable(warning));
    }
    Ok(ExitCode::SUCCESS)
}

/// Without the empty tag that an empty list is on the command line.
fn given(tags: Vec<String>) -> Vec<String> {
    let given = tags.into_iter().filter(|tag| !tag.trim().is_empty());
    given.collect()
}
