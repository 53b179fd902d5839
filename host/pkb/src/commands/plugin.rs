//! `plugin`: components of the user's own.

use std::path::Path;
use std::process::ExitCode;

use pkb_engine::{Access, Engine, Home, Plugin as Added};
use serde_json::json;

use crate::cli::Plugin;
use crate::output::{DIM, Output, PLACE, STRONG, Table, count, printable};

pub(crate) fn run(home: &Home, command: Plugin, output: &Output) -> anyhow::Result<ExitCode> {
    let engine = Engine::open(home.clone(), Access::Write)?;
    match command {
        Plugin::Add { file } => {
            let added = engine
                .plugins()
                .add(engine.sandbox()?, &file)
                .map_err(pkb_engine::Error::from)?;
            show(&added, output)?;
            if !output.json {
                output.line(format_args!("{STRONG}{}{STRONG:#} is added.", added.name));
            }
        }
        Plugin::List => list(&engine, output)?,
        Plugin::Info { name } => {
            let builtin = engine
                .component_list()?
                .into_iter()
                .find(|info| info.builtin && info.name == name);
            match builtin {
                Some(info) => show(&Added::from(info), output)?,
                None => show(
                    &engine
                        .plugins()
                        .get(&name)
                        .map_err(pkb_engine::Error::from)?,
                    output,
                )?,
            }
        }
        Plugin::Remove { name } => {
            let using: Vec<String> = engine
                .sources()?
                .into_iter()
                .filter(|source| {
                    let settings: serde_json::Value =
                        serde_json::from_str(&source.spec.settings).unwrap_or_default();
                    source.spec.chunker.as_deref() == Some(&name)
                        || settings["extractor"] == name.as_str()
                })
                .map(|source| source.spec.name)
                .collect();
            let removed = engine
                .plugins()
                .remove(&name)
                .map_err(pkb_engine::Error::from)?;
            if output.json {
                output.json(&json!({ "removed": removed.name }))?;
            } else {
                output.line(format_args!(
                    "{STRONG}{}{STRONG:#} is removed.",
                    removed.name
                ));
            }
            if !using.is_empty() {
                output.note(format_args!(
                    "{} cannot be read without it: add it again, or give another component with `pkb add`",
                    using.join(", ")
                ));
            }
        }
        Plugin::Test {
            file,
            input,
            settings,
        } => test(&engine, &file, &input, &settings, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What a plugin is and what it asks for.
fn show(plugin: &Added, output: &Output) -> anyhow::Result<()> {
    if output.json {
        return output.json(plugin);
    }
    let wasi = plugin
        .imports
        .iter()
        .filter(|import| import.starts_with("wasi:"))
        .count();
    let own: Vec<&str> = plugin
        .imports
        .iter()
        .filter(|import| !import.starts_with("wasi:"))
        .map(String::as_str)
        .collect();
    let asks = match (own.as_slice(), wasi) {
        ([], 0) => "nothing".into(),
        (own, 0) => own.join(", "),
        (own, wasi) => format!(
            "{}{}{}, all of which find nothing: no files, no network, no environment",
            own.join(", "),
            if own.is_empty() { "" } else { "; " },
            count(wasi as u64, "WASI interface", "WASI interfaces")
        ),
    };
    let mut table = Table::default();
    table.row().styled("Name", STRONG).text(&plugin.name);
    table.row().styled("What", STRONG).text(format_args!(
        "{} {}: {}",
        plugin.world, plugin.version, plugin.summary
    ));
    table.row().styled("Asks for", STRONG).text(asks);
    table
        .row()
        .styled("Settings", STRONG)
        .text(plugin.settings_schema.replace('\n', " "));
    table.row().styled("SHA-256", STRONG).text(&plugin.sha256);
    table.print(output);
    Ok(())
}

fn list(engine: &Engine, output: &Output) -> anyhow::Result<()> {
    let components = engine.component_list()?;
    if output.json {
        let all: Vec<_> = components
            .iter()
            .map(|info| {
                json!({
                    "name": info.name,
                    "world": info.world.name(),
                    "version": info.version,
                    "summary": info.summary,
                    "sha256": info.sha256,
                    "builtin": info.builtin,
                })
            })
            .collect();
        return output.json(&all);
    }
    let mut table = Table::default();
    for info in components {
        table
            .row()
            .styled(&info.name, STRONG)
            .text(info.world)
            .text(&info.version)
            .text(if info.builtin { "built-in" } else { "plugin" })
            .styled(&info.sha256[..12], DIM)
            .text(&info.summary);
    }
    table.print(output);
    Ok(())
}

fn test(
    engine: &Engine,
    file: &Path,
    input: &Path,
    settings: &str,
    output: &Output,
) -> anyhow::Result<()> {
    let settings = pkb_engine::json_object(settings)?;
    let trial = engine.try_component(file, input, &settings)?;
    if output.json {
        return output.json(&trial);
    }
    output.line(format_args!(
        "{STRONG}{} {}{STRONG:#}",
        trial.world, trial.component
    ));
    for document in &trial.documents {
        output.line(format_args!(
            "{STRONG}{}{STRONG:#}: {} of text, {}, {}, {}",
            printable(&document.title),
            count(document.bytes as u64, "byte", "bytes"),
            count(document.properties as u64, "property", "properties"),
            count(document.links as u64, "link", "links"),
            count(document.tags.len() as u64, "tag", "tags"),
        ));
        for warning in &document.warnings {
            output.note(warning);
        }
        if trial.world == "extractor" {
            output.text(&printable(&document.text));
            output.line("");
        }
    }
    for (at, chunk) in trial.chunks.iter().enumerate() {
        let headings = printable(&chunk.headings.join(" › "));
        let tokens = count(u64::from(chunk.tokens), "token", "tokens");
        output.line(format_args!(
            "{PLACE}── {} · {} · {tokens} · {headings}{PLACE:#}",
            at + 1,
            chunk.place.to_words()
        ));
        if let Some(context) = &chunk.context {
            output.line(format_args!("{DIM}{}{DIM:#}", printable(context)));
        }
        output.text(&printable(&chunk.text));
        output.line("");
    }
    if trial.world == "chunker" {
        output.line(count(trial.chunks.len() as u64, "chunk", "chunks"));
    }
    Ok(())
}
