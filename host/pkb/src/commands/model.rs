//! `model`: embedding models.

use std::process::ExitCode;

use pkb_engine::embed::registry::catalogue::CATALOGUE;
use pkb_engine::embed::{self, Registry};
use pkb_engine::{Access, Engine, Home, HomeSettings};
use serde_json::json;

use crate::cli::Model;
use crate::output::{DIM, Output, STRONG, Table, bytes};
use crate::progress::Download;

/// Where models are pulled from, unless the usual variable of Hugging Face's
/// own tools names another place.
const HUB: &str = "https://huggingface.co";
const HUB_VARIABLE: &str = "HF_ENDPOINT";

pub(crate) fn run(home: &Home, command: Model, output: &Output) -> anyhow::Result<ExitCode> {
    let registry = Registry::new(&home.models);
    match command {
        Model::Pull { name } => pull(&registry, &name, output)?,
        Model::Add { name, folder } => {
            let info = registry
                .add(&name, &folder)
                .map_err(pkb_engine::Error::from)?;
            done(
                &name,
                &format!("{} is here, {} dimensions", info.name, info.dimensions),
                output,
            )?;
        }
        Model::List => list(home, &registry, output)?,
        Model::Use { name } => {
            Engine::open(home.clone(), Access::Write)?.use_model(&name)?;
            done(
                &name,
                "is used from now on; the next `pkb sync` makes its vectors",
                output,
            )?;
        }
        Model::Remove { name } => {
            registry.remove(&name).map_err(pkb_engine::Error::from)?;
            done(
                &name,
                "is deleted; its vectors stay until another model takes over",
                output,
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn pull(registry: &Registry, name: &str, output: &Output) -> anyhow::Result<()> {
    let hub = std::env::var(HUB_VARIABLE).unwrap_or_else(|_| HUB.into());
    let mut download = Download::new(output.quiet || output.json);
    let pulled = registry.pull(name, &hub, &mut download);
    download.clear();
    let info = pulled.map_err(pkb_engine::Error::from)?;
    done(
        name,
        &format!("({}) is here; `pkb sync` embeds with it", info.name),
        output,
    )
}

fn done(name: &str, what: &str, output: &Output) -> anyhow::Result<()> {
    if output.json {
        return output.json(&json!({ "model": name }));
    }
    output.line(format_args!("{STRONG}{name}{STRONG:#} {what}"));
    Ok(())
}

fn list(home: &Home, registry: &Registry, output: &Output) -> anyhow::Result<()> {
    let used = home
        .settings()
        .unwrap_or_else(|_| HomeSettings::default())
        .model;
    let used = used.as_deref().unwrap_or(pkb_engine::DEFAULT_MODEL);
    let here = registry.list().map_err(pkb_engine::Error::from)?;
    let others: Vec<_> = CATALOGUE
        .iter()
        .filter(|entry| here.iter().all(|listed| listed.name != entry.name))
        .collect();
    if output.json {
        let here: Vec<_> = here
            .iter()
            .map(|listed| {
                json!({
                    "name": listed.name,
                    "used": listed.name == used,
                    "bytes": listed.bytes,
                    "dimensions": listed.info.as_ref().ok().map(|info| info.dimensions),
                    "limit": listed.info.as_ref().ok().map(|info| info.limit),
                    "fingerprint": listed.info.as_ref().ok().map(|info| info.fingerprint.clone()),
                    "problem": listed.info.as_ref().err().map(embed::Error::to_string),
                })
            })
            .collect();
        let others: Vec<_> = others
            .iter()
            .map(|entry| json!({ "name": entry.name, "bytes": entry.bytes() }))
            .collect();
        return output.json(&json!({ "here": here, "to_pull": others }));
    }
    let mut table = Table::default();
    for listed in &here {
        let what = match &listed.info {
            Ok(info) => format!(
                "{}, {} dimensions, reads {} tokens",
                info.name, info.dimensions, info.limit
            ),
            Err(error) => format!("cannot be used: {error}"),
        };
        let mark = if listed.name == used {
            "in use"
        } else {
            "here"
        };
        table
            .row()
            .styled(&listed.name, STRONG)
            .text(mark)
            .text(bytes(listed.bytes))
            .text(what);
    }
    for entry in others {
        table
            .row()
            .styled(entry.name, STRONG)
            .styled("to pull", DIM)
            .styled(bytes(entry.bytes()), DIM)
            .styled(format_args!("{}: {}", entry.title, entry.summary), DIM);
    }
    table.print(output);
    Ok(())
}
