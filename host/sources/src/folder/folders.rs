//! The folders in a folder, and what of its paths matters to a source.

use std::ffi::OsStr;
use std::ops::ControlFlow;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use super::names::extension;
use super::patterns::Patterns;
use super::scan::is_hidden;
use super::{FolderSettings, FolderSource};
use crate::id;

/// What a source takes and what it passes over, without the folder itself.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    settings: FolderSettings,
    patterns: Patterns,
    /// The only file that counts, where the source is one.
    only: Option<String>,
}

impl Rules {
    pub(crate) fn of(source: &FolderSource) -> Self {
        Rules {
            settings: source.settings.clone(),
            patterns: source.patterns.clone(),
            only: source.only.clone(),
        }
    }

    /// Whether a file or folder is passed over without a word, by itself or by
    /// a folder it is in. The names lead there from the root.
    pub(crate) fn passes_over<'a>(&self, names: impl Iterator<Item = &'a OsStr>) -> bool {
        let mut id = String::new();
        for name in names {
            id::push_name(&mut id, name);
            if self.only.is_some() {
                continue;
            }
            if passes_over(&self.settings, &self.patterns, name, &id) {
                return true;
            }
        }
        // Beside a single file nothing counts.
        self.only
            .as_ref()
            .is_some_and(|only| *only != id && !id.is_empty())
    }

    /// Whether a file of that name would be taken, as far as its name tells.
    pub(crate) fn wants(&self, name: &str) -> bool {
        let unread = |extension: &str| self.settings.unread.contains(&extension.to_lowercase());
        self.only.is_some() || !extension(name).is_some_and(unread)
    }
}

fn passes_over(settings: &FolderSettings, patterns: &Patterns, name: &OsStr, id: &str) -> bool {
    (is_hidden(name) && !settings.hidden) || name == "node_modules" || patterns.ignores(id)
}

/// Names the folders that a scan would look into, the root not among them, each
/// after the one it is in. What cannot be listed is left out.
pub(super) fn walk(source: &FolderSource, visit: &mut dyn FnMut(&str) -> ControlFlow<()>) {
    let _ = below(source, &source.root, &mut String::new(), 0, visit);
}

fn below(
    source: &FolderSource,
    dir: &Dir,
    id: &mut String,
    depth: u16,
    visit: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if depth >= source.settings.max_depth || source.only.is_some() {
        return ControlFlow::Continue(());
    }
    let Ok(entries) = dir.entries() else {
        return ControlFlow::Continue(());
    };
    for entry in entries.flatten() {
        // A file system that does not say what an entry is costs a look at it.
        let is_folder = match entry.file_type() {
            Ok(kind) if kind.is_dir() => true,
            Ok(kind) if kind.is_file() || kind.is_symlink() => false,
            _ => entry.metadata().is_ok_and(|metadata| metadata.is_dir()),
        };
        if !is_folder {
            continue;
        }
        let (name, length) = (entry.file_name(), id.len());
        id::push_name(id, &name);
        let mut flow = ControlFlow::Continue(());
        if !passes_over(&source.settings, &source.patterns, &name, id) {
            flow = visit(id);
            if flow.is_continue()
                && let Ok(folder) = dir.open_dir_nofollow(&name)
            {
                flow = below(source, &folder, id, depth + 1, visit);
            }
        }
        id.truncate(length);
        flow?;
    }
    ControlFlow::Continue(())
}
