//! The item that a person or a client names.

use std::path::Path;

use pkb_store::{Item, ItemId};

use crate::citation::item_path;
use crate::engine::Engine;
use crate::error::Error;

impl Engine {
    /// The item that `wanted` names: its number, `source/path`, the path of its
    /// file, the end of a path, a title, an alias, `[[title]]`, or
    /// `pkb://item/NUMBER`.
    ///
    /// # Errors
    /// [`Error::NotFound`] with near misses; [`Error::Usage`] where several
    /// items fit.
    pub fn find_item(&self, wanted: &str) -> Result<Item, Error> {
        let wanted = wanted.trim();
        let number = wanted.strip_prefix("pkb://item/").unwrap_or(wanted);
        if let Ok(number) = number.parse::<i64>()
            && let Some(details) = self.store().item(ItemId(number))?
        {
            return Ok(details.item);
        }
        if let Some((source, path)) = wanted.split_once('/')
            && let Some(source) = self.store().source(source)?
            && let Some(item) = self.store().item_by_identity(source.id, path)?
        {
            return Ok(item);
        }
        if let Some(item) = self.item_of_file(Path::new(wanted))? {
            return Ok(item);
        }
        let bare = wanted
            .strip_prefix("[[")
            .and_then(|rest| rest.strip_suffix("]]"));
        let mut found = self.store().find(bare.unwrap_or(wanted), 6)?;
        match found.len() {
            1 => Ok(found.swap_remove(0)),
            0 => {
                let near = self
                    .store()
                    .similar(wanted, 3)?
                    .iter()
                    .map(item_path)
                    .collect();
                let hint = "`pkb list` shows what there is; `pkb search` finds by content.".into();
                Err(Error::NotFound {
                    what: format!("there is no item {wanted:?}"),
                    near,
                    hint,
                })
            }
            _ => {
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
            if let Ok(path) = file.strip_prefix(&source.spec.location) {
                let id = path.to_string_lossy().replace('\\', "/");
                if let Some(item) = self.store().item_by_identity(source.id, &id)? {
                    return Ok(Some(item));
                }
            }
        }
        Ok(None)
    }
}
