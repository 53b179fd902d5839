//! The walk through a folder.

use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, DirEntry, FileType};

use super::away::is_away;
use super::names::{extension, is_safe_save, is_temporary, stands_for};
use super::{Entry, FolderSource, Summary};
use crate::{Error, blob, id, place, stamp};

pub(super) fn scan(
    source: &FolderSource,
    visit: &mut dyn FnMut(Entry) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let listing = Listing::read(&source.root);
    if let Some(error) = listing.broken_off {
        return Err(place::refused(&source.path, error));
    }
    let mut walk = Walk {
        source,
        visit,
        summary: Summary {
            folders: 1,
            ..Summary::default()
        },
        id: String::new(),
    };
    let flow = walk.entries(&source.root, &listing.entries, 0);
    walk.summary.stopped = flow.is_break();
    source.still_there()?;
    Ok(walk.summary)
}

/// The entries of one folder, sorted by name.
struct Listing {
    entries: Vec<(OsString, DirEntry)>,
    /// Why there may be more of them.
    broken_off: Option<io::Error>,
}

impl Listing {
    fn read(dir: &Dir) -> Self {
        let mut listing = Self {
            entries: Vec::new(),
            broken_off: None,
        };
        match dir.entries() {
            Err(error) => listing.broken_off = Some(error),
            Ok(entries) => {
                for entry in entries {
                    match entry {
                        Ok(entry) => listing.entries.push((entry.file_name(), entry)),
                        Err(error) => {
                            listing.broken_off = Some(error);
                            break;
                        }
                    }
                }
            }
        }
        listing.entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        listing
    }
}

struct Walk<'a> {
    source: &'a FolderSource,
    visit: &'a mut dyn FnMut(Entry) -> ControlFlow<()>,
    summary: Summary,
    /// The path so far, as an id.
    id: String,
}

impl Walk<'_> {
    /// The entries of a folder that is `depth` folders below the root.
    fn entries(
        &mut self,
        dir: &Dir,
        entries: &[(OsString, DirEntry)],
        depth: u16,
    ) -> ControlFlow<()> {
        for (name, entry) in entries {
            let length = self.id.len();
            let flow = match name.to_str().and_then(stands_for) {
                Some(real) => self.stand_in(real, entry, entries),
                None => {
                    id::push_name(&mut self.id, name);
                    self.entry(dir, name, entry, depth)
                }
            };
            self.id.truncate(length);
            flow?;
        }
        ControlFlow::Continue(())
    }

    fn entry(&mut self, dir: &Dir, name: &OsStr, entry: &DirEntry, depth: u16) -> ControlFlow<()> {
        if let Some(only) = &self.source.only {
            // Whoever names a file wants it, whatever it is called.
            return match file_type(entry) {
                Ok(kind) if *only == self.id && kind.is_file() => self.take(dir, name, entry),
                _ => ControlFlow::Continue(()),
            };
        }
        let settings = &self.source.settings;
        if (is_hidden(name) && !settings.hidden)
            || name == "node_modules"
            || self.source.patterns.ignores(&self.id)
        {
            return self.ignored();
        }
        match file_type(entry) {
            Err(error) => self.failed(&error, false),
            Ok(kind) if kind.is_dir() => self.folder(dir, name, depth),
            Ok(_) if name.to_str().is_some_and(is_temporary) => self.ignored(),
            Ok(kind) if kind.is_symlink() => {
                let reason = self.link();
                self.skipped(reason)
            }
            Ok(kind) => match blob::kind_of_special(kind) {
                None => self.file(dir, name, entry),
                Some(what) => self.skipped(format!("{what}, not a regular file")),
            },
        }
    }

    fn folder(&mut self, parent: &Dir, name: &OsStr, depth: u16) -> ControlFlow<()> {
        if name
            .to_str()
            .and_then(extension)
            .is_some_and(|extension| is_safe_save(&extension.to_ascii_lowercase()))
        {
            return self.ignored();
        }
        if is_away(parent, Path::new(name), None) {
            return self.away(true);
        }
        let limit = self.source.settings.max_depth;
        if depth >= limit {
            return self.skipped(format!(
                "folders are nested more than {limit} deep here; add the deeper folder as a source of its own"
            ));
        }
        let dir = match parent.open_dir_nofollow(name) {
            Ok(dir) => dir,
            Err(error) => return self.failed(&error, true),
        };
        let listing = Listing::read(&dir);
        self.summary.folders += 1;
        self.entries(&dir, &listing.entries, depth + 1)?;
        match listing.broken_off {
            Some(error) => self.failed(&error, true),
            None => ControlFlow::Continue(()),
        }
    }

    fn file(&mut self, dir: &Dir, name: &OsStr, entry: &DirEntry) -> ControlFlow<()> {
        match self.unwanted() {
            Some(flow) => flow,
            None => self.take(dir, name, entry),
        }
    }

    fn take(&mut self, dir: &Dir, name: &OsStr, entry: &DirEntry) -> ControlFlow<()> {
        match entry.metadata() {
            Err(error) => self.failed(&error, false),
            Ok(metadata) if is_away(dir, Path::new(name), Some(&metadata)) => self.away(false),
            Ok(metadata) => {
                self.summary.files += 1;
                (self.visit)(Entry::File {
                    external_id: self.id.clone(),
                    size: metadata.len(),
                    modified_ms: stamp::modified_ms(&metadata),
                    stamp: stamp::of(&metadata),
                })
            }
        }
    }

    /// A file that stands for one which is not here, and is called `real`.
    fn stand_in(
        &mut self,
        real: &str,
        entry: &DirEntry,
        beside: &[(OsString, DirEntry)],
    ) -> ControlFlow<()> {
        let real = OsStr::new(real);
        id::push_name(&mut self.id, real);
        let here = beside
            .binary_search_by(|(name, _)| name.as_os_str().cmp(real))
            .is_ok();
        let hidden = is_hidden(real) && !self.source.settings.hidden;
        if here
            || hidden
            || self.source.patterns.ignores(&self.id)
            || !file_type(entry).is_ok_and(|kind| kind.is_file())
        {
            return self.ignored();
        }
        match self.unwanted() {
            Some(flow) => flow,
            None => self.away(false),
        }
    }

    /// What is made of a file that is not to be taken by its name; none for one
    /// that is.
    fn unwanted(&mut self) -> Option<ControlFlow<()>> {
        if !self.source.patterns.includes(&self.id) {
            return Some(self.ignored());
        }
        let name = self.id.rsplit('/').next().unwrap_or_default();
        let own = extension(name).map(str::to_lowercase)?;
        if !self.source.settings.unread.contains(&own) {
            return None;
        }
        Some(self.skipped(format!("nothing reads .{own} files")))
    }

    /// Why the link at hand is not followed.
    fn link(&self) -> String {
        let outside = "link leads outside the folder";
        let root = &self.source.root;
        let Ok(path) = id::to_path(&self.id) else {
            return "link".to_owned();
        };
        // From the root on: to resolve it from its own folder would take every
        // `..` for a way out.
        let target = match root.read_link_contents(&path) {
            // An absolute target is outside by nature, but may name the inside.
            Ok(target) if target.has_root() => match target.strip_prefix(&self.source.path) {
                Ok(rest) if rest == Path::new("") => root.dir_metadata(),
                Ok(rest) => root.metadata(rest),
                Err(_) => return outside.to_owned(),
            },
            _ => root.metadata(&path),
        };
        match target {
            Ok(metadata) if metadata.is_dir() => {
                "link to a folder inside the folder; what is in it is taken at its own place"
                    .to_owned()
            }
            Ok(_) => {
                "link to a file inside the folder; the file is taken at its own place".to_owned()
            }
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                    "link leads nowhere".to_owned()
                }
                io::ErrorKind::PermissionDenied => outside.to_owned(),
                _ => format!("link cannot be resolved ({error})"),
            },
        }
    }

    fn ignored(&mut self) -> ControlFlow<()> {
        self.summary.ignored += 1;
        ControlFlow::Continue(())
    }

    fn away(&mut self, folder: bool) -> ControlFlow<()> {
        self.summary.skipped += 1;
        (self.visit)(Entry::Away {
            external_id: self.id.clone(),
            folder,
        })
    }

    fn skipped(&mut self, reason: String) -> ControlFlow<()> {
        self.summary.skipped += 1;
        (self.visit)(Entry::Skipped {
            external_id: self.id.clone(),
            reason,
        })
    }

    fn failed(&mut self, error: &io::Error, folder: bool) -> ControlFlow<()> {
        let what = if folder { "folder" } else { "file" };
        let reason = match error.kind() {
            // It went away, or turned into something else, since it was listed.
            io::ErrorKind::NotFound => return ControlFlow::Continue(()),
            io::ErrorKind::PermissionDenied => {
                format!("no permission to read this {what}: allow your user to, or ignore it")
            }
            _ => format!("this {what} cannot be read ({error}): check the drive it is on"),
        };
        self.summary.failed += 1;
        (self.visit)(Entry::Failed {
            external_id: self.id.clone(),
            reason,
            folder,
        })
    }
}

/// Whether a name hides its bearer: one dot in front does. Two or more are part
/// of a title (`...And Justice for All.md`).
pub(super) fn is_hidden(name: &OsStr) -> bool {
    matches!(name.as_encoded_bytes(), [b'.', next, ..] if *next != b'.')
}

/// What an entry is. Most file systems say it in the listing, for free.
fn file_type(entry: &DirEntry) -> io::Result<FileType> {
    let listed = entry.file_type()?;
    if listed == FileType::unknown() {
        return Ok(entry.metadata()?.file_type());
    }
    Ok(listed)
}
