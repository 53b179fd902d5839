//! The item that a person or a client names.

use std::path::Path;

use pkb_store::{Deleted, Item, ItemId};

use crate::citation::item_path;
use crate::engine::Engine;
use crate::error::Error;
use crate::pipeline::walk::file_of;

impl Engine {
    /// The item that `wanted` names: its number, `source/path`, the path of its
    /// file, the end of a path, a title, an alias, `[[title]]`, or
    /// `pkb://item/NUMBER`.
    ///
    /// # Errors
    /// [`Error::NotFound`] with near misses, or that the item is deleted;
    /// [`Error::Usage`] where several items fit.
    pub fn find_item(&self, wanted: &str) -> Result<Item, Error> {
        self.find_item_among(wanted, Deleted::Exclude)
    }

    /// The same among items that are deleted or not; among both, those that are
    /// not come first.
    pub(crate) fn find_item_among(&self, wanted: &str, deleted: Deleted) -> Result<Item, Error> {
        let wanted = wanted.trim();
        let contrary = match deleted {
            Deleted::Exclude => Deleted::Only,
            Deleted::Only | Deleted::Before(_) => Deleted::Exclude,
            Deleted::Include => {
                return match self.look_for(wanted, Deleted::Exclude)? {
                    Some(item) => Ok(item),
                    None => match self.look_for(wanted, Deleted::Only)? {
                        Some(item) => Ok(item),
                        None => self.find_item_among(wanted, Deleted::Exclude),
                    },
                };
            }
        };
        if let Some(item) = self.look_for(wanted, deleted)? {
            return Ok(item);
        }
        // That several fit there is no matter here.
        if let Ok(Some(item)) = self.look_for(wanted, contrary) {
            return Err(otherwise(&item));
        }
        let near = self
            .store()
            .similar(wanted, deleted, 3)?
            .iter()
            .map(item_path)
            .collect();
        let (what, hint) = match deleted {
            Deleted::Exclude => (
                format!("there is no item {wanted:?}"),
                "`pkb list` shows what there is; `pkb search` finds by content.",
            ),
            _ => (
                format!("there is no deleted item {wanted:?}"),
                "`pkb deleted` shows what is deleted.",
            ),
        };
        Err(Error::NotFound {
            what,
            near,
            hint: hint.into(),
        })
    }

    /// The item that `wanted` names, if there is one.
    fn look_for(&self, wanted: &str, deleted: Deleted) -> Result<Option<Item>, Error> {
        let fits = |item: &Item| item.deleted.is_some() == (deleted != Deleted::Exclude);
        let address = wanted.strip_prefix("pkb://item/");
        if let Ok(number) = address.unwrap_or(wanted).parse::<i64>()
            && let Some(details) = self.store().item(ItemId(number))?
            && fits(&details.item)
        {
            return Ok(Some(details.item));
        }
        // An address names one item, never another of a like title.
        if address.is_some() {
            return Ok(None);
        }
        if let Some((source, path)) = wanted.split_once('/')
            && let Some(source) = self.store().source(source)?
            && let Some(item) = self.store().item_by_identity(source.id, path)?
            && fits(&item)
        {
            return Ok(Some(item));
        }
        if let Some(item) = self.item_of_file(Path::new(wanted))?
            && fits(&item)
        {
            return Ok(Some(item));
        }
        let bare = wanted
            .strip_prefix("[[")
            .and_then(|rest| rest.strip_suffix("]]"));
        let mut found = self.store().find(bare.unwrap_or(wanted), deleted, 6)?;
        match found.len() {
            0 => Ok(None),
            1 => Ok(Some(found.swap_remove(0))),
            _ => {
                // A file is meant before something of that name inside another.
                let mut files = found
                    .iter()
                    .filter(|item| file_of(&item.external_id).is_none());
                if let (Some(file), None) = (files.next(), files.next()) {
                    return Ok(Some(file.clone()));
                }
                let names: Vec<String> = found
                    .iter()
                    .map(|item| format!("{} ({})", item_path(item), item.id))
                    .collect();
                Err(Error::usage(
                    format!("{wanted:?} fits several items"),
                    format!("Name one by its path or number: {}.", names.join(", ")),
                ))
            }
        }
    }

    /// The item of a file in a folder that is a source.
    fn item_of_file(&self, file: &Path) -> Result<Option<Item>, Error> {
        if !file.is_absolute() {
            return Ok(None);
        }
        for source in self.store().sources()? {
            let location = Path::new(&source.spec.location);
            let folder = match location.is_file() {
                true => location.parent().unwrap_or(location),
                false => location,
            };
            if let Ok(path) = file.strip_prefix(folder) {
                let id = path.to_string_lossy().replace('\\', "/");
                if let Some(item) = self.store().item_by_identity(source.id, &id)? {
                    return Ok(Some(item));
                }
            }
        }
        Ok(None)
    }
}

/// That the item is deleted where one that is not is looked for, or not deleted
/// where a deleted one is.
fn otherwise(item: &Item) -> Error {
    let path = item_path(item);
    let (what, hint) = match item.deleted {
        Some(_) => (
            format!(
                "{path} is deleted ({})",
                item.deleted_from.as_deref().unwrap_or_default()
            ),
            format!("`pkb restore {}` brings it back.", item.id),
        ),
        None => (
            format!("{path} is not deleted"),
            "`pkb deleted` shows what is deleted.".into(),
        ),
    };
    Error::NotFound {
        what,
        near: Vec::new(),
        hint,
    }
}
