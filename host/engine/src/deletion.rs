//! Taking items out and bringing them back: softly, with the text kept, or for
//! good, without a trace.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pkb_store::{
    Deleted, Erased, Filter, Item, ItemId, ItemQuery, ItemStatus, Millis, Order, Page, Test,
};
use serde::Serialize;

use crate::embedding::EmbedReport;
use crate::engine::Engine;
use crate::error::Error;
use crate::job::Job;
use crate::pipeline::walk::file_of;
use crate::sources::SourceSettings;

/// Why an item is deleted that a person deleted.
const BY_USER: &str = "user";
/// Items that are still in their source are named up to so many.
const NAMED: usize = 20;

/// What is to be removed or brought back.
#[derive(Clone, Debug)]
pub enum Selection {
    /// What these name, as [`Engine::find_item`] understands names.
    Named(Vec<String>),
    /// Every item that passes.
    Fitting(Filter),
}

impl Selection {
    /// Names or a filter: one of them, not both.
    ///
    /// # Errors
    /// [`Error::Usage`] where both are given, or nothing is.
    pub fn new(names: Vec<String>, filter: Filter) -> Result<Selection, Error> {
        let wrong = |what: &str| {
            Err(Error::usage(
                what,
                "Name items, or say with a filter which ones: that of a source takes all of it.",
            ))
        };
        match (names.is_empty(), filter.is_empty()) {
            (true, true) => wrong("nothing says which items are meant"),
            (false, false) => wrong("items are named, and a filter is given too"),
            (false, true) => Ok(Selection::Named(names)),
            (true, false) => Ok(Selection::Fitting(filter)),
        }
    }

    /// Where to look for what is to be removed: what is deleted already is there
    /// to be removed for good, or where it is asked for.
    pub fn among(&self, hard: bool) -> Deleted {
        let wants = |status| {
            matches!(self, Selection::Fitting(Filter { conditions, .. })
                if conditions.iter().any(|own| !own.not && own.test == Test::Status(status)))
        };
        match hard {
            true if wants(ItemStatus::Deleted) => Deleted::Only,
            true => Deleted::Include,
            false => Deleted::Exclude,
        }
    }
}

/// Which deleted items to list.
#[derive(Clone, Debug, Default)]
pub struct DeletedRequest {
    /// Which of them.
    pub filter: Filter,
    /// How many to pass over.
    pub offset: u64,
    /// How many at most; 0 only counts.
    pub limit: u64,
}

/// What came of removing items softly.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Removed {
    /// How many were removed.
    pub items: u64,
    /// How many of them are still in their source: they stay removed until they
    /// change there.
    pub in_source: u64,
}

/// What came of bringing items back.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Restored {
    /// How many came back.
    pub items: u64,
    /// How many of them are not in their source now: they stay nevertheless.
    pub not_in_source: u64,
    /// The embedding that followed; none where all vectors were there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<EmbedReport>,
}

/// What came of removing items for good.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Purged {
    /// What was removed.
    #[serde(flatten)]
    pub erased: Erased,
    /// Whether nothing of it is left in the database's files.
    pub wiped: bool,
    /// Copies of an earlier state beside the database, which pkb made before an
    /// upgrade or before a backup was put back, and which may still hold it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<PathBuf>,
    /// How many items are still in their source, from where the next sync reads
    /// them again.
    pub in_source: u64,
    /// What the person should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Engine {
    /// The items that are selected, out of those that are deleted or not, and
    /// what is inside them.
    ///
    /// # Errors
    /// As [`Engine::find_item`], for each name; [`Error::NotFound`] for an
    /// unknown source.
    pub fn select(&self, selection: &Selection, deleted: Deleted) -> Result<Vec<Item>, Error> {
        let selected = match selection {
            Selection::Named(names) => {
                let mut items: Vec<Item> = Vec::with_capacity(names.len());
                for name in names {
                    let item = self.find_item_among(name, deleted)?;
                    if items.iter().all(|other| other.id != item.id) {
                        items.push(item);
                    }
                }
                items
            }
            Selection::Fitting(filter) => {
                self.know_sources(filter)?;
                let page = self.store().items(&ItemQuery {
                    filter: filter.clone(),
                    deleted,
                    limit: u64::MAX,
                    ..ItemQuery::default()
                })?;
                page.entries
            }
        };
        self.with_insides(selected, deleted)
    }

    /// Adds what is inside each: whoever removes a mailbox removes its messages.
    fn with_insides(&self, mut items: Vec<Item>, deleted: Deleted) -> Result<Vec<Item>, Error> {
        let mut known: HashSet<ItemId> = items.iter().map(|item| item.id).collect();
        for at in 0..items.len() {
            let (source, id) = (items[at].source_id, items[at].external_id.clone());
            let inner = self.store().inside(source, &id, deleted)?;
            items.extend(inner.into_iter().filter(|item| known.insert(item.id)));
        }
        Ok(items)
    }

    /// The deleted items, those deleted last first.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown source; when the database cannot be
    /// read.
    pub fn deleted(&self, request: &DeletedRequest) -> Result<Page<Item>, Error> {
        self.know_sources(&request.filter)?;
        self.store().items(&ItemQuery {
            filter: request.filter.clone(),
            deleted: Deleted::Only,
            order: Order::Deleted,
            offset: request.offset,
            limit: request.limit,
            ..ItemQuery::default()
        })
    }

    /// How many items [`Engine::purge`] would remove.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn count_deleted_before(&self, time: Millis) -> Result<u64, Error> {
        let page = self.everything().items(&ItemQuery {
            deleted: Deleted::Before(time),
            limit: 0,
            ..ItemQuery::default()
        })?;
        Ok(page.total)
    }

    /// Takes items out of every search, list and count, at once and in every
    /// process. Their texts stay, for [`Engine::restore_items`].
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn remove_items(&self, items: &[Item]) -> Result<Removed, Error> {
        let _span = tracing::info_span!("delete", items = items.len()).entered();
        let removed = self.everything().soft_delete(&ids(items), BY_USER)?;
        self.forget_stats();
        Ok(Removed {
            items: removed,
            in_source: self.in_source(items)?.len() as u64,
        })
    }

    /// Brings deleted items back with their chunks and vectors, whether or not
    /// their originals are still there, and embeds what lacks vectors of the
    /// model in use.
    ///
    /// # Errors
    /// [`Error::Stopped`] when the job says so, when the model fails, or when
    /// the database cannot be written. The items are back also where embedding
    /// fails.
    pub fn restore_items(&self, items: &[Item], job: &dyn Job) -> Result<Restored, Error> {
        let _span = tracing::info_span!("restore", items = items.len()).entered();
        let restored = self.everything().restore(&ids(items))?;
        self.forget_stats();
        let mut report = Restored {
            items: restored,
            not_in_source: (items.len() - self.in_source(items)?.len()) as u64,
            embedding: None,
        };
        // A sync that is running embeds them.
        if restored > 0
            && self.lacks_vectors()?
            && let Some(_lock) = self.try_sync_lock("restore")?
        {
            report.embedding = Some(self.embed(job)?);
        }
        Ok(report)
    }

    /// Removes items for good and wipes out what the files still hold of them.
    ///
    /// # Errors
    /// When the database cannot be written; then nothing was removed.
    pub fn erase_items(&self, items: &[Item]) -> Result<Purged, Error> {
        let _span = tracing::info_span!("erase").entered();
        let erased = self.everything().hard_delete(&ids(items))?;
        let mut purged = self.wiped(erased)?;
        let there = self.in_source(items)?;
        purged.in_source = there.len() as u64;
        if !there.is_empty() {
            purged.notes.push(self.how_to_ignore(&there)?);
        }
        Ok(purged)
    }

    /// Removes for good what was deleted before that time, as
    /// [`Engine::erase_items`] does.
    ///
    /// # Errors
    /// When the database cannot be written; then nothing was removed.
    pub fn purge(&self, deleted_before: Millis) -> Result<Purged, Error> {
        let _span = tracing::info_span!("erase").entered();
        let erased = self.everything().purge(deleted_before)?;
        self.wiped(erased)
    }

    /// Removes a source and everything that came from it, for good. The
    /// originals stay.
    ///
    /// # Errors
    /// [`Error::NotFound`]; when the database cannot be written.
    pub fn remove_source(&self, name: &str) -> Result<Purged, Error> {
        let _span = tracing::info_span!("erase").entered();
        self.source(name)?;
        let erased = self.everything().remove_source(name)?;
        self.wiped(erased)
    }

    /// Wipes the traces of what was just removed.
    fn wiped(&self, erased: Erased) -> Result<Purged, Error> {
        self.forget_stats();
        let mut purged = Purged {
            erased,
            copies: self.everything().copies()?,
            ..Purged::default()
        };
        // The removal is done; what keeps its traces from being wiped out is
        // remembered and told.
        match self.everything().wipe() {
            Ok(true) => purged.wiped = true,
            Ok(false) => purged.notes.push(
                "Another process is reading the database as it was before, so its log still holds pages with what was \
                 removed. The next command that writes, `pkb sync` for one, empties it."
                    .into(),
            ),
            Err(error) => purged.notes.push(format!(
                "Everything is removed, but its traces could not be wiped out of the files: {error}. The next command \
                 that writes, `pkb sync` for one, tries again."
            )),
        }
        if erased.items == 0 {
            purged.copies.clear();
        }
        if !purged.copies.is_empty() {
            let names: Vec<String> = purged
                .copies
                .iter()
                .map(|copy| copy.display().to_string())
                .collect();
            purged.notes.push(format!(
                "Copies of an earlier state may still hold what was removed: {}. Delete them if you need no way back.",
                names.join(", ")
            ));
        }
        Ok(purged)
    }

    /// Does what an earlier removal had to leave. That it cannot be done now
    /// either keeps nobody from anything else.
    pub(crate) fn wipe_the_rest(&self) {
        match self.everything().wipe() {
            Ok(true) => {}
            Ok(false) => tracing::info!("someone still reads what was removed for good"),
            Err(error) => tracing::warn!("traces of what was removed are still there: {error}"),
        }
    }

    /// Those of the items whose originals are there now. Only folders are
    /// looked at.
    fn in_source<'a>(&self, items: &'a [Item]) -> Result<Vec<&'a Item>, Error> {
        let sources = self.everything().sources()?;
        let is_there = |item: &&Item| {
            let source = sources.iter().find(|source| source.id == item.source_id);
            source
                .and_then(|source| {
                    let id = file_of(&item.external_id).unwrap_or(&item.external_id);
                    pkb_sources::item_path(Path::new(&source.spec.location), id).ok()
                })
                .is_some_and(|path| path.is_file())
        };
        Ok(items.iter().filter(is_there).collect())
    }

    /// That these come back with the next sync, and what keeps them away.
    fn how_to_ignore(&self, items: &[&Item]) -> Result<String, Error> {
        let begin = "The next `pkb sync` reads what is still in its source again";
        if items
            .iter()
            .any(|item| file_of(&item.external_id).is_some())
        {
            return Ok(format!(
                "{begin}, and what is inside a file cannot be passed over by itself: `pkb rm` without --hard keeps it out of every search."
            ));
        }
        let first = items[0];
        let same_source = items.iter().all(|item| item.source_id == first.source_id);
        let source = self.source(&first.source)?;
        if !same_source || items.len() > NAMED {
            return Ok(format!(
                "{begin}. Remove the files too, or have the source pass over them: `pkb add FOLDER --ignore PATTERN`."
            ));
        }
        let settings: SourceSettings =
            serde_json::from_str(&source.spec.settings).unwrap_or_default();
        let own = items.iter().map(|item| escaped(&item.external_id));
        let patterns: Vec<String> = settings
            .folder
            .ignore
            .iter()
            .cloned()
            .chain(own)
            .map(|pattern| format!(" --ignore {}", quoted(&pattern)))
            .collect();
        Ok(format!(
            "{begin}. Remove the files too, or have the source pass over them: `pkb add {}{}`.",
            quoted(&source.spec.location),
            patterns.concat()
        ))
    }
}

fn ids(items: &[Item]) -> Vec<ItemId> {
    items.iter().map(|item| item.id).collect()
}

/// A path as a pattern that fits nothing else.
fn escaped(path: &str) -> String {
    let mut pattern = String::new();
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}') {
            pattern.extend(['[', c, ']']);
        } else {
            pattern.push(c);
        }
    }
    pattern
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_so_that_shell_and_pattern_take_them_as_they_are() {
        assert_eq!(escaped("a [1]/*.md"), "a [[]1[]]/[*].md");
        assert_eq!(quoted("a/b-c.md"), "a/b-c.md");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
