//! Copies of the database: `backup`, `restore-backup`.

use std::process::ExitCode;

use pkb_engine::{Engine, Home, short_path};

use super::deletion::agreed;
use crate::FAILED;
use crate::cli;
use crate::output::{Output, STRONG, bytes, count};

pub(crate) fn backup(
    engine: &Engine,
    args: &cli::Backup,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let done = engine.backup(&args.file)?;
    if output.json {
        output.json(&done)?;
    } else {
        output.line(format_args!(
            "{STRONG}{}{STRONG:#}: {}, {}",
            short_path(&done.file),
            count(done.items, "item", "items"),
            bytes(done.bytes)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn restore(
    home: Home,
    args: &cli::RestoreBackup,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let question = format!(
        "Put {} in the place of the database in {}? What is there now is kept beside it.",
        short_path(&args.file),
        short_path(&home.folder)
    );
    if home.database().exists() && !agreed(output, args.yes, &question)? {
        return Ok(ExitCode::from(FAILED));
    }
    let done = Engine::restore_backup(home, &args.file)?;
    if output.json {
        output.json(&done)?;
        return Ok(ExitCode::SUCCESS);
    }
    output.line(format_args!(
        "{STRONG}{}{STRONG:#} is in place: {}",
        short_path(&args.file),
        count(done.items, "item", "items")
    ));
    if let Some(before) = &done.before {
        output.line(format_args!(
            "What was there before is kept as {}",
            short_path(before)
        ));
    }
    for note in &done.notes {
        output.note(note);
    }
    Ok(ExitCode::SUCCESS)
}
