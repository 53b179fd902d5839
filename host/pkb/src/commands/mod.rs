//! What each command does: ask the engine, show the answer.

mod backup;
mod browse;
mod citation;
mod deletion;
mod eval;
mod extract;
mod install;
mod library;
mod model;
mod note;
mod plugin;
mod reach;
mod read;
mod search;
mod serve;
mod source;
mod stats;
mod status;
mod token;
mod watch;

use std::process::ExitCode;
use std::sync::Arc;

use pkb_engine::{Access, Engine, Error, Home};

use crate::cli::{Cli, Command, Global};
use crate::output::Output;
use crate::{FAILED, WRONG_USAGE, signals};

pub(crate) fn run(cli: Cli, output: &Output) -> anyhow::Result<ExitCode> {
    let Cli { global, command } = cli;
    let reach = reach::of(&command);
    let open = |global: &Global, access| {
        open(global, access).map(|engine| engine.with_reach(reach.clone()))
    };
    match command {
        Command::Add(args) => library::add(&open(&global, Access::Write)?, args, output),
        Command::Clip(args) => {
            signals::listen();
            library::clip(&open(&global, Access::Write)?, args, output)
        }
        Command::Note(command) => {
            signals::listen();
            note::run(&open(&global, Access::Write)?, command, output)
        }
        Command::Source(command) => {
            let access = match command {
                crate::cli::Source::List => Access::Read,
                crate::cli::Source::Set(_) => Access::Write,
            };
            source::run(&open(&global, access)?, command, output)
        }
        Command::Sync(args) => {
            signals::listen();
            library::sync(&open(&global, Access::Write)?, &args, output)
        }
        Command::Search(args) => {
            search::search(&Arc::new(open(&global, Access::Read)?), args, output)
        }
        Command::Get(args) => read::get(&open(&global, Access::Read)?, args, output),
        Command::Similar(args) => read::similar(&open(&global, Access::Read)?, &args, output),
        Command::Links(args) => read::links(&open(&global, Access::Read)?, &args, output),
        Command::List(args) => browse::list(&open(&global, Access::Read)?, args, output),
        Command::Browse(args) => browse::browse(&open(&global, Access::Read)?, args, output),
        Command::Extract(args) => extract::extract(&open(&global, Access::Write)?, args, output),
        Command::Status => status::status(&Arc::new(open(&global, Access::Read)?), output),
        Command::Stats(args) => stats::stats(&home(&global)?, &args, output),
        Command::Ledger(args) => status::ledger(&open(&global, Access::Read)?, args, output),
        Command::Doctor(args) => {
            signals::listen();
            let access = if args.fix {
                Access::Write
            } else {
                Access::Read
            };
            status::doctor(&open(&global, access)?, &args, output)
        }
        Command::Rm(args) => deletion::rm(&open(&global, Access::Write)?, args, output),
        Command::Restore(args) => {
            signals::listen();
            deletion::restore(&open(&global, Access::Write)?, args, output)
        }
        Command::Deleted(args) => deletion::list(&open(&global, Access::Read)?, args, output),
        Command::Purge(args) => deletion::purge(&open(&global, Access::Write)?, &args, output),
        Command::Backup(args) => backup::backup(&open(&global, Access::Read)?, &args, output),
        Command::RestoreBackup(args) => backup::restore(home(&global)?, &args, output),
        Command::Remove(args) => library::remove(&open(&global, Access::Write)?, &args, output),
        Command::Model(command) => {
            signals::listen();
            model::run(&home(&global)?, command, output)
        }
        Command::Plugin(command) => plugin::run(&home(&global)?, command, output),
        Command::Eval(args) => {
            signals::listen();
            eval::run(&home(&global)?, reach, args, output)
        }
        Command::Watch(args) => watch::watch(open(&global, Access::Write)?, &args, output),
        Command::Install(args) => install::install(&global, &args, output),
        Command::Uninstall(args) => install::uninstall(&args, output),
        Command::Serve(args) => serve::serve(&global, reach, args, output),
        Command::Token(command) => token::run(&home(&global)?, command, output),
    }
}

/// 1, or 2 where the user has to ask differently.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Error>() {
        Some(Error::Usage { .. }) => WRONG_USAGE,
        _ => FAILED,
    }
}

pub(crate) fn home(global: &Global) -> anyhow::Result<Home> {
    let named = global.home.clone();
    let folder = named.filter(|home| !home.as_os_str().is_empty());
    Ok(Home::locate(folder, global.models.clone())?)
}

fn open(global: &Global, access: Access) -> anyhow::Result<Engine> {
    Ok(Engine::open(home(global)?, access)?)
}
