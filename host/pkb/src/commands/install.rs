//! `install` and `uninstall`: pkb in the settings of AI clients.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use pkb_engine::{Error, Home, short_path};
use serde_json::{Value, json};

use crate::FAILED;
use crate::cli::{self, Global, Which};
use crate::install::{self, Change, Client, Entry, Machine, Outcome, Problem, Slot};
use crate::output::{DIM, Output, STRONG, printable};

pub(crate) fn install(
    global: &Global,
    args: &cli::Install,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let start = Start::of(global, args)?;
    let code = each(&args.settings, output, &|target, slot| {
        let entry = Entry {
            typed: target.client.typed(),
            command: start.command.clone(),
            args: start.args.clone(),
        };
        install::install(
            &target.file,
            slot,
            &entry,
            args.replace,
            args.settings.dry_run,
        )
    })?;
    if code == ExitCode::SUCCESS && !start.home.database().exists() {
        output.note("nothing is indexed yet: `pkb add FOLDER`, then `pkb sync`");
    }
    Ok(code)
}

pub(crate) fn uninstall(args: &cli::Uninstall, output: &Output) -> anyhow::Result<ExitCode> {
    each(&args.settings, output, &|target, slot| {
        let folders = match target.scope {
            Scope::Named => 0,
            scope => target.client.own_folders(scope == Scope::Project),
        };
        install::uninstall(&target.file, slot, folders, args.settings.dry_run)
    })
}

/// A client's file of settings.
struct Target {
    client: Client,
    file: PathBuf,
    scope: Scope,
}

/// What a file of settings is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    User,
    Project,
    /// What its owner knows.
    Named,
}

/// Does the same with the settings of each client, and says what came of it.
fn each(
    args: &cli::ClientSettings,
    output: &Output,
    change: &dyn Fn(&Target, Slot) -> Result<Change, Problem>,
) -> anyhow::Result<ExitCode> {
    let mut failed = false;
    let mut answers = Vec::new();
    for target in targets(args)? {
        let slot = Slot {
            section: target.client.section(),
            name: &args.name,
        };
        let done = change(&target, slot);
        failed |= done.is_err();
        if output.json {
            answers.push(answer(args, &target, &done));
            continue;
        }
        match done {
            Ok(change) => show(args, &target, &change, output),
            Err(problem) => output.error(&anyhow!("{}: {problem}", target.client.title())),
        }
    }
    if output.json {
        output.json(&json!({"dry_run": args.dry_run, "clients": answers}))?;
    }
    Ok(if failed {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

fn targets(args: &cli::ClientSettings) -> anyhow::Result<Vec<Target>> {
    let usage = |what: String, hint: &str| {
        anyhow::Error::from(Error::Usage {
            what,
            hint: hint.into(),
        })
    };
    if let Some(file) = &args.config {
        let [Which::One(client)] = args.clients[..] else {
            return Err(usage(
                "--config names the file of one client".into(),
                "Name that client alone.",
            ));
        };
        return Ok(vec![Target {
            client,
            file: absolute(file)?,
            scope: Scope::Named,
        }]);
    }
    let machine = Machine::this().ok_or_else(|| {
        usage(
            "this user has no home folder".into(),
            "Name the client's file with --config FILE.",
        )
    })?;
    let mut clients: Vec<Client> = Vec::new();
    for which in &args.clients {
        let meant = match which {
            Which::One(client) => std::slice::from_ref(client),
            Which::All => &Client::ALL,
        };
        let here = |client: &Client| *which != Which::All || client.is_here(&machine);
        for client in meant.iter().filter(|client| here(client)) {
            if !clients.contains(client) {
                clients.push(*client);
            }
        }
    }
    if clients.is_empty() {
        let names = Client::ALL.map(Client::title).join(", ");
        return Err(usage(
            format!("none of the clients that pkb knows is here ({names})"),
            "Name one, to make its settings all the same.",
        ));
    }
    let mut targets = Vec::new();
    for client in clients {
        let (file, scope) = match &args.project {
            None => (client.user_file(&machine), Scope::User),
            Some(project) => match client.project_file(&absolute(project)?) {
                Some(file) => (file, Scope::Project),
                // `all` means those that can.
                None if args.clients.contains(&Which::All) => continue,
                None => {
                    return Err(usage(
                        format!("{} has no settings for a project", client.title()),
                        "Leave --project out.",
                    ));
                }
            },
        };
        targets.push(Target {
            client,
            file,
            scope,
        });
    }
    Ok(targets)
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("{} is no path", path.display()))
}

/// How a client is to start this pkb.
struct Start {
    command: String,
    args: Vec<String>,
    home: Home,
}

impl Start {
    fn of(global: &Global, args: &cli::Install) -> anyhow::Result<Start> {
        let home = super::home(global)?;
        let usual = Home::locate(None, None).ok();
        let mut start = Vec::new();
        let mut folder = |option: &str, folder: &Path, usual: Option<&Path>| {
            let folder = absolute(folder)?;
            if usual != Some(&folder) {
                start.push(option.to_owned());
                start.push(text(&folder)?);
            }
            anyhow::Ok(())
        };
        // Clients start pkb without the variables of this shell.
        let usual_folder = usual.as_ref().map(|usual| usual.folder.as_path());
        folder("--home", &home.folder, usual_folder)?;
        let usual_models = usual.as_ref().map(|usual| usual.models.as_path());
        folder("--models", &home.models, usual_models)?;
        start.push("serve".into());
        let options = [
            ("--read-only", args.read_only),
            ("--no-watch", args.no_watch),
            ("--chatgpt", args.chatgpt),
        ];
        let chosen = options.iter().filter(|(_, chosen)| *chosen);
        start.extend(chosen.map(|(option, _)| (*option).to_owned()));
        Ok(Start {
            command: text(&program()?)?,
            args: start,
            home,
        })
    }
}

/// This program: as it is found on the PATH, where that is it, for such a link
/// stays when the file it leads to is replaced by a newer one.
fn program() -> anyhow::Result<PathBuf> {
    let running = env::current_exe().context("this program does not know its own path")?;
    let real = dunce::canonicalize(&running).unwrap_or_else(|_| running.clone());
    let name = running.file_name().unwrap_or_default();
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| dunce::canonicalize(file).is_ok_and(|file| file == real));
    Ok(found.unwrap_or(real))
}

fn text(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().ok_or_else(|| {
        anyhow!(
            "{} is not valid Unicode, so it cannot stand in a client's settings",
            path.display()
        )
    })?;
    Ok(text.to_owned())
}

fn show(args: &cli::ClientSettings, target: &Target, change: &Change, output: &Output) {
    let name = &args.name;
    let title = target.client.title();
    let file = printable(&short_path(&target.file));
    let said = match (change.outcome, args.dry_run) {
        (Outcome::Unchanged, _) => format!("{name} is in {file} already"),
        (Outcome::Absent, _) => format!("there is no {name} in {file}"),
        (Outcome::Added | Outcome::Updated, true) if change.before.is_none() => {
            format!("{file} would be made")
        }
        (Outcome::Removed, true) if change.after.is_none() => format!("{file} would go"),
        (_, true) => format!("{file} would change"),
        (Outcome::Added, false) => format!("{name} is in {file}"),
        (Outcome::Updated, false) => format!("{name} in {file} is up to date"),
        (Outcome::Removed, false) if change.after.is_none() => {
            format!("{name} is out, and {file}, which held nothing else, is gone")
        }
        (Outcome::Removed, false) => format!("{name} is out of {file}"),
    };
    output.line(format_args!("{STRONG}{title}{STRONG:#}: {said}"));
    if let Some(linked) = change.linked.as_ref().filter(|_| changes(change)) {
        let linked = printable(&short_path(linked));
        output.line(format_args!("{DIM}It is a link to {linked}{DIM:#}"));
    }
    if args.dry_run {
        output.text(&printable(&shown_diff(change)));
        return;
    }
    if output.quiet || !changes(change) {
        return;
    }
    if let Some(backup) = &change.backup {
        let backup = printable(&short_path(backup));
        output.line(format_args!("{DIM}As it was before: {backup}{DIM:#}"));
    }
    let next = match change.outcome {
        Outcome::Removed => format!("start {title} again, if it is running"),
        _ => target.client.next(target.scope == Scope::Project, name),
    };
    output.line(format_args!("{DIM}Next: {next}{DIM:#}"));
}

fn changes(change: &Change) -> bool {
    !matches!(change.outcome, Outcome::Unchanged | Outcome::Absent)
}

fn shown_diff(change: &Change) -> String {
    let text = |side: &Option<String>| side.clone().unwrap_or_default();
    install::diff(&text(&change.before), &text(&change.after))
}

fn answer(args: &cli::ClientSettings, target: &Target, done: &Result<Change, Problem>) -> Value {
    let mut answer = json!({
        "client": target.client.id(),
        "file": target.file,
        "name": args.name,
    });
    match done {
        Err(problem) => {
            answer["outcome"] = "failed".into();
            answer["error"] = problem.to_string().into();
        }
        Ok(change) => {
            answer["outcome"] = match change.outcome {
                Outcome::Added => "added",
                Outcome::Updated => "updated",
                Outcome::Unchanged => "unchanged",
                Outcome::Removed => "removed",
                Outcome::Absent => "absent",
            }
            .into();
            if let Some(linked) = &change.linked {
                answer["link_to"] = json!(linked);
            }
            if let Some(backup) = &change.backup {
                answer["backup"] = json!(backup);
            }
            if changes(change) {
                answer["exists"] = change.after.is_some().into();
                answer["diff"] = shown_diff(change).into();
            }
            if matches!(change.outcome, Outcome::Added | Outcome::Updated) {
                let in_project = target.scope == Scope::Project;
                answer["next"] = target.client.next(in_project, &args.name).into();
            }
        }
    }
    answer
}
