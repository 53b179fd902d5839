//! The item that a person or a client names.

use std::path::Path;

use pkb_store::{Deleted, Item, ItemId};

use crate::citation::item_path;
use crate::engine::Engine;
use crate::error::Error;
use crate::links::address;
use crate::pipeline::walk::file_of;

/// What an item is that only points at a page.
const BOOKMARK: &str = "bookmark";
/// Items named where several fit, at most.
const SEVERAL: usize = 6;
/// Near misses named, at most.
const NEAR: usize = 3;

impl Engine {
    /// The item that `wanted` names: its number, `source/path`, the path of its
    /// file, the end of a path, a title, an alias, `[[title]]`, the address of
    /// its page on the web in any spelling, or `pkb://item/NUMBER`.
    ///
    /// # Errors
    /// [`Error::NotFound`] with near misses, with those that fit where several
    /// do, or that the item is deleted.
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
            return Err(otherwise(wanted, &item));
        }
        let near = if address::is_web(wanted) {
            self.near_address(wanted)?
        } else {
            self.store().similar(wanted, deleted, NEAR)?
        };
        let near = near.iter().map(item_path).collect();
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
        if deleted == Deleted::Exclude
            && let Some(item) = self.item_at_address(wanted)?
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
                Err(several(wanted, &found))
            }
        }
    }

    /// Pages of the same site whose addresses look like it, the likest first.
    fn near_address(&self, wanted: &str) -> Result<Vec<Item>, Error> {
        let page = address::page(wanted);
        let site = address::site(&page).to_owned();
        let mut found: Vec<(f64, Item)> = self
            .store()
            .at_addresses(&mut |url| address::site(&address::page(url)) == site)?
            .into_iter()
            .map(|item| {
                let url = item.url.as_deref().map(address::page).unwrap_or_default();
                (strsim::normalized_levenshtein(&url, &page), item)
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
        Ok(found.into_iter().take(NEAR).map(|(_, item)| item).collect())
    }

    /// The item of a page on the web. A bookmark only points at the page, so
    /// what holds its text is meant before it.
    fn item_at_address(&self, wanted: &str) -> Result<Option<Item>, Error> {
        if !address::is_web(wanted) {
            return Ok(None);
        }
        let page = address::page(wanted);
        let mut found = self
            .store()
            .at_addresses(&mut |url| address::page(url) == page)?;
        if found.len() > 1 {
            let exact = address::key(wanted);
            let url = |item: &Item| item.url.as_deref().map(address::key);
            prefer(&mut found, |item| url(item).as_ref() == Some(&exact));
            prefer(&mut found, |item| item.kind != BOOKMARK);
        }
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => Err(several(wanted, &found)),
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

/// Keeps those that `better` says, if there are any.
fn prefer(items: &mut Vec<Item>, better: impl Fn(&Item) -> bool) {
    if items.iter().any(&better) {
        items.retain(better);
    }
}

fn several(wanted: &str, found: &[Item]) -> Error {
    let names = found
        .iter()
        .map(|item| format!("{} ({})", item_path(item), item.id));
    Error::NotFound {
        what: format!("{wanted:?} fits several items"),
        near: names.take(SEVERAL).collect(),
        hint: "Name one by its path or number.".into(),
    }
}

/// That the item is deleted where one that is not is looked for, or not deleted
/// where a deleted one is.
fn otherwise(wanted: &str, item: &Item) -> Error {
    let (what, hint) = match item.deleted {
        Some(_) => (
            format!(
                "{wanted:?} is deleted ({})",
                item.deleted_from.as_deref().unwrap_or_default()
            ),
            format!("`pkb restore {}` brings it back.", item.id),
        ),
        None => (
            format!("{wanted:?} is not deleted"),
            "`pkb deleted` shows what is deleted.".into(),
        ),
    };
    Error::NotFound {
        what,
        near: Vec::new(),
        hint,
    }
}
