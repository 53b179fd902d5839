//! Putting pkb into the settings of AI clients, and taking it out again.
//!
//! There is no record of what was installed where: a client's own file says it,
//! and the copy beside it says what the file was before. That is enough to put
//! everything back to the byte, whichever pkb with whichever home is asked.

mod clients;
mod diff;
mod document;
mod edit;
mod file;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

pub(crate) use clients::{Client, Machine};
pub(crate) use diff::diff;
pub(crate) use edit::{Entry, Slot};

use edit::{Before, Left, Trouble};
use file::SettingsFile;

/// How often a file is tried that another program is writing at the same time.
const TRIES: usize = 5;
const MARK: &str = "\u{feff}";

/// What became of a client's settings, or would become of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// pkb is in it.
    Added,
    /// pkb was in it, started otherwise.
    Updated,
    /// pkb was in it as it is wanted.
    Unchanged,
    /// pkb is out of it.
    Removed,
    /// pkb was not in it.
    Absent,
}

/// A change, made or only worked out.
#[derive(Debug)]
pub(crate) struct Change {
    /// What it comes to.
    pub(crate) outcome: Outcome,
    /// Where the file is that the client's path leads to, if that is a link.
    pub(crate) linked: Option<PathBuf>,
    /// What the file said; none where there was none.
    pub(crate) before: Option<String>,
    /// What it says; none where it goes.
    pub(crate) after: Option<String>,
    /// The copy of what was there before.
    pub(crate) backup: Option<PathBuf>,
}

/// Why a client's settings were left as they are.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// The file cannot be read or written.
    #[error("{} {doing}: {error}", .file.display())]
    File {
        /// Which.
        file: PathBuf,
        /// What could not be done.
        doing: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// The file is not one that can be changed.
    #[error("{} {trouble}. {hint}", .file.display())]
    Content {
        /// Which.
        file: PathBuf,
        /// What is wrong.
        trouble: Trouble,
        /// What to do next.
        hint: String,
    },
    /// The file is no text.
    #[error("{} is not text in UTF-8. Save it as that, or name another file with --config", .0.display())]
    NoText(PathBuf),
}

/// Makes `entry` the server in `slot` of a file. With `replace` another
/// server's place is taken.
pub(crate) fn install(
    path: &Path,
    slot: Slot,
    entry: &Entry,
    replace: bool,
    dry: bool,
) -> Result<Change, Problem> {
    patiently(path, dry, &|file, dry| {
        let text = text(path, file)?;
        let bare = text.as_deref().unwrap_or_default();
        let (mark, bare) = marked(bare);
        let content = |trouble| content(path, slot, trouble);
        let there = edit::find(bare, slot).map_err(content)?.is_some();
        let Some(new) = edit::put(bare, slot, entry, replace).map_err(content)? else {
            return Ok(Change {
                outcome: Outcome::Unchanged,
                linked: file.linked().map(Path::to_owned),
                after: text.clone(),
                before: text,
                backup: None,
            });
        };
        let new = format!("{mark}{new}");
        let mut backup = None;
        if !dry {
            // Of what pkb itself wrote there is no need for a copy.
            if !(there && edit::is_put(bare, slot, before(&backups(file), slot))) {
                backup = file.back_up().map_err(|error| Problem::File {
                    file: path.to_owned(),
                    doing: "cannot be copied before it is changed",
                    error,
                })?;
            }
            written(path, file.replace(new.as_bytes()))?;
        }
        Ok(Change {
            outcome: if there {
                Outcome::Updated
            } else {
                Outcome::Added
            },
            linked: file.linked().map(Path::to_owned),
            before: text,
            after: Some(new),
            backup,
        })
    })
}

/// Takes pkb out of `slot` of a file. `folders` above it may go with it when it
/// goes and leaves them empty.
pub(crate) fn uninstall(
    path: &Path,
    slot: Slot,
    folders: usize,
    dry: bool,
) -> Result<Change, Problem> {
    patiently(path, dry, &|file, dry| {
        let text = text(path, file)?;
        let (mark, bare) = marked(text.as_deref().unwrap_or_default());
        let backups = backups(file);
        let left = edit::take(bare, slot, before(&backups, slot))
            .map_err(|trouble| content(path, slot, trouble))?;
        let linked = file.linked().map(Path::to_owned);
        let Some(left) = left else {
            return Ok(Change {
                outcome: Outcome::Absent,
                linked,
                after: text.clone(),
                before: text,
                backup: None,
            });
        };
        let after = match left {
            Left::Nothing => None,
            Left::Text(left) => Some(format!("{mark}{left}")),
        };
        let mut backup = None;
        if !dry {
            match &after {
                Some(after) => written(path, file.replace(after.as_bytes()))?,
                None => written(path, file.remove(folders))?,
            }
            // A copy of what is back in its place serves nobody; any other is
            // its owner's.
            for (copy, was) in backups {
                if after.as_deref() == Some(was.as_str()) {
                    let _ = std::fs::remove_file(copy);
                } else {
                    backup.get_or_insert(copy);
                }
            }
        }
        Ok(Change {
            outcome: Outcome::Removed,
            linked,
            before: text,
            after,
            backup,
        })
    })
}

/// The copies of a file that are text, newest first.
fn backups(file: &SettingsFile) -> Vec<(PathBuf, String)> {
    let copies = file.backups().into_iter();
    copies
        .filter_map(|(path, bytes)| Some((path, String::from_utf8(bytes).ok()?)))
        .collect()
}

/// What the file was before pkb was put into it: the newest copy without pkb.
fn before<'a>(backups: &'a [(PathBuf, String)], slot: Slot) -> Before<'a> {
    let mut copies = backups.iter().map(|(_, was)| marked(was).1);
    let without = copies.find(|was| matches!(edit::find(was, slot), Ok(None)));
    // Where each has it, its owner put it there.
    match without.or(backups.last().map(|(_, was)| marked(was).1)) {
        Some(was) => Before::Text(was),
        None => Before::Absent,
    }
}

/// Reads a file and changes it, anew if another program changed it meanwhile.
fn patiently(
    path: &Path,
    dry: bool,
    change: &dyn Fn(&SettingsFile, bool) -> Result<Change, Problem>,
) -> Result<Change, Problem> {
    let mut tried = 0;
    loop {
        let file = SettingsFile::read(path).map_err(|error| Problem::File {
            file: path.to_owned(),
            doing: "cannot be read",
            error,
        })?;
        tried += 1;
        match change(&file, dry) {
            Err(Problem::File { error, .. })
                if error.kind() == io::ErrorKind::ResourceBusy && tried < TRIES => {}
            done => return done,
        }
    }
}

fn text(path: &Path, file: &SettingsFile) -> Result<Option<String>, Problem> {
    let Some(bytes) = file.bytes() else {
        return Ok(None);
    };
    let text = std::str::from_utf8(bytes).map_err(|_| Problem::NoText(path.to_owned()))?;
    Ok(Some(text.to_owned()))
}

/// The byte order mark that a text begins with, and the rest.
fn marked(text: &str) -> (&str, &str) {
    let rest = text.strip_prefix(MARK).unwrap_or(text);
    (&text[..text.len() - rest.len()], rest)
}

fn written(path: &Path, done: io::Result<()>) -> Result<(), Problem> {
    done.map_err(|error| Problem::File {
        file: path.to_owned(),
        doing: "cannot be written",
        error,
    })
}

fn content(path: &Path, slot: Slot, trouble: Trouble) -> Problem {
    let hint = match &trouble {
        Trouble::Syntax { .. } => {
            "Nothing was changed: mend the file, or name another one with --config".into()
        }
        Trouble::Shape { .. } | Trouble::Twice { .. } => {
            "Nothing was changed: mend that, or name another file with --config".into()
        }
        Trouble::Other { .. } => format!(
            "Nothing was changed: give pkb another name with --name, or the place of {:?} with --replace",
            slot.name
        ),
    };
    Problem::Content {
        file: path.to_owned(),
        trouble,
        hint,
    }
}
