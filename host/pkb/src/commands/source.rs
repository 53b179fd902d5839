//! `source`: what sets sources apart.

use std::process::ExitCode;

use pkb_engine::{Engine, Marks, Source, SourceChange, short_path};
use serde_json::{Value, json};

use crate::cli;
use crate::output::{DIM, Output, STRONG, Table, printable};

pub(crate) fn run(
    engine: &Engine,
    command: cli::Source,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    match command {
        cli::Source::List => list(engine, output),
        cli::Source::Set(args) => set(engine, args, output),
    }
}

fn list(engine: &Engine, output: &Output) -> anyhow::Result<ExitCode> {
    let sources = engine.marked_sources()?;
    if output.json {
        let all: Vec<Value> = sources.iter().map(as_json).collect();
        output.json(&json!({ "sources": all }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if sources.is_empty() {
        output.note("there are no sources yet: `pkb add PATH` adds a folder");
    }
    let mut table = Table::default();
    for (source, marks) in &sources {
        table
            .row()
            .styled(printable(&source.spec.name), STRONG)
            .text(marks.to_words())
            .styled(printable(&short_path(source.spec.location.as_ref())), DIM);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}

fn set(engine: &Engine, args: cli::SourceSet, output: &Output) -> anyhow::Result<ExitCode> {
    let change = SourceChange {
        visibility: args.marks.visibility(),
        read_only: args.marks.read_only(),
        name: args.name,
    };
    let source = engine.change_source(&args.source, &change)?;
    let marks = Marks::of(&source);
    if output.json {
        output.json(&as_json(&(source, marks)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = printable(&source.spec.name);
    match marks.to_words() {
        words if words.is_empty() => output.line(format_args!(
            "{STRONG}{name}{STRONG:#} is visible and can be written"
        )),
        words => output.line(format_args!("{STRONG}{name}{STRONG:#} is {words}")),
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json((source, marks): &(Source, Marks)) -> Value {
    json!({
        "name": source.spec.name,
        "kind": source.spec.kind,
        "location": source.spec.location,
        "visibility": marks.visibility,
        "read_only": marks.read_only,
    })
}
