//! What can go wrong, said so that a person knows what to do next.

use std::io;
use std::path::{Path, PathBuf};

use pkb_runtime::{CallError, LoadError, PluginError};
use pkb_store::Holder;

use crate::clock;

/// Anything that keeps the engine from doing what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// From the database.
    #[error(transparent)]
    Store(#[from] pkb_store::Error),
    /// From a model or its folder.
    #[error(transparent)]
    Embed(#[from] pkb_embed::Error),
    /// From a source's connector.
    #[error(transparent)]
    Source(#[from] pkb_sources::Error),
    /// A page that was not clipped.
    #[error(transparent)]
    Clip(#[from] pkb_sources::clip::ClipError),
    /// A component that cannot be used.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A plugin that cannot be used, added or removed.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// A component that failed at its work.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A file of the home.
    #[error("{doing}: {}: {error}", .path.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Something asked for that is not there.
    #[error("{what}")]
    NotFound {
        /// What is not there.
        what: String,
        /// What may have been meant.
        near: Vec<String>,
        /// What to do next.
        hint: String,
    },
    /// A request that cannot be carried out as it stands.
    #[error("{what}")]
    Usage {
        /// What is wrong.
        what: String,
        /// What to do next.
        hint: String,
    },
    /// Another process syncs this home.
    #[error("another process{} is syncing this home", who(.holder))]
    Busy {
        /// Which.
        holder: Holder,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

impl Error {
    /// Something that was asked for in a way that cannot be meant: what is wrong,
    /// and what to do instead.
    pub fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Usage {
            what: what.into(),
            hint: hint.into(),
        }
    }

    pub(crate) fn file(doing: &'static str, path: &Path, error: io::Error) -> Self {
        Error::File {
            doing,
            path: path.to_owned(),
            error,
        }
    }

    /// What to do next, where the message does not say it already.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::NotFound { near, hint, .. } => {
                let near = match near.as_slice() {
                    [] => String::new(),
                    near => format!("Did you mean {}? ", near.join(", ")),
                };
                let hint = format!("{near}{hint}");
                (!hint.trim().is_empty()).then(|| hint.trim().to_owned())
            }
            Error::Usage { hint, .. } => (!hint.is_empty()).then(|| hint.clone()),
            Error::Busy { .. } => Some(
                "Searching works meanwhile. `pkb sync --wait` goes on when it is done; `pkb status` shows who syncs.".into(),
            ),
            _ => None,
        }
    }
}

/// A holder in brackets, with what is known of it, after a space; nothing where
/// nothing is.
fn who(holder: &Holder) -> String {
    let mut parts = Vec::new();
    if let Some(pid) = holder.pid {
        parts.push(pid.to_string());
    }
    if let Some(doing) = &holder.doing {
        parts.push(format!("pkb {doing}"));
    }
    if let Some(since) = holder.since {
        let seconds = clock::now().saturating_sub(since).max(0) / 1000;
        parts.push(match seconds {
            0..120 => format!("for {seconds} s"),
            _ => format!("for {} minutes", seconds / 60),
        });
    }
    if parts.is_empty() {
        return String::new();
    }
    format!(" ({})", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_home_is_told_by_what_is_known() {
        let busy = |holder| Error::Busy { holder }.to_string();
        assert_eq!(
            busy(Holder::default()),
            "another process is syncing this home"
        );
        let known = Holder {
            pid: Some(4711),
            since: Some(clock::now() - 185_000),
            doing: Some("sync".into()),
            details: None,
        };
        assert_eq!(
            busy(known),
            "another process (4711, pkb sync, for 3 minutes) is syncing this home"
        );
    }
}
