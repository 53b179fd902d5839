//! The words of commands that put pkb into AI clients: `install`, `uninstall`.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::install::Client;

/// The client's file keeps everything else that it holds, byte for byte, and is
/// copied beside itself first. `pkb uninstall` puts it back as it was.
#[derive(Debug, Args)]
pub(crate) struct Install {
    #[command(flatten)]
    pub(crate) settings: ClientSettings,
    /// Take the place of another server of that name.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Have the client's pkb offer no tool that changes anything.
    #[arg(long, help_heading = "How the client starts pkb")]
    pub(crate) read_only: bool,
    /// Have it leave the sources alone but for a look before each search.
    #[arg(long, help_heading = "How the client starts pkb")]
    pub(crate) no_watch: bool,
    /// Have it offer `search` and `fetch` too, as ChatGPT wants them.
    #[arg(long, help_heading = "How the client starts pkb")]
    pub(crate) chatgpt: bool,
}

/// Only pkb goes, and what came into the file with it. A file that is otherwise
/// as it was left by `pkb install` becomes what it was before that.
#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    #[command(flatten)]
    pub(crate) settings: ClientSettings,
}

/// Which settings of which clients.
#[derive(Debug, Args)]
pub(crate) struct ClientSettings {
    /// The clients, or `all`.
    #[arg(required = true, value_name = "CLIENT")]
    pub(crate) clients: Vec<Which>,
    /// What the client is to call it: letters, digits, - and _.
    #[arg(long, default_value = "pkb", value_parser = server_name)]
    pub(crate) name: String,
    /// The settings of this project instead of the user's own.
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    pub(crate) project: Option<PathBuf>,
    /// This file instead of the one where the client usually looks, such as the
    /// mcp.json of a profile of VS Code.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A client, or all that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    One(Client),
    All,
}

impl ValueEnum for Which {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Which::One(Client::ClaudeDesktop),
            Which::One(Client::ClaudeCode),
            Which::One(Client::Cursor),
            Which::One(Client::VsCode),
            Which::One(Client::Zed),
            Which::All,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Which::One(client) => client.to_possible_value(),
            Which::All => Some(PossibleValue::new("all").help("Every one that this user has")),
        }
    }
}

/// What all clients take for a name.
fn server_name(name: &str) -> Result<String, String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if name.is_empty() || name.len() > 64 || !name.chars().all(fine) {
        return Err("clients take up to 64 letters, digits, - and _".into());
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_can_be_named() {
        let named: Vec<&Which> = Which::value_variants().iter().collect();
        assert_eq!(named.len(), Client::ALL.len() + 1);
        for client in Client::ALL {
            assert!(named.contains(&&Which::One(client)));
            let value = client.to_possible_value().unwrap();
            assert_eq!(value.get_name(), client.id());
        }
    }

    #[test]
    fn names_are_those_that_clients_take() {
        assert!(server_name("my-notes_2").is_ok());
        for wrong in ["", "my notes", "a/b", "ü", &"a".repeat(65)] {
            assert!(server_name(wrong).is_err(), "{wrong}");
        }
    }
}
