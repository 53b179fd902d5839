//! Links: what leads out of an item and what leads to it. Resolved when asked,
//! so that a new note or a new name counts at once.

pub(crate) mod address;
mod names;
mod show;

use std::collections::{HashMap, HashSet};

use pkb_store::{Item, ItemId, Link, LinkKind, SourceId};
use serde::Serialize;

use self::names::File;
pub(crate) use self::names::{Names, fold};
use crate::citation::item_path;
use crate::engine::Engine;
use crate::error::Error;
use crate::place::Places;
use crate::snippet::Snippet;

/// Missing targets for which names like theirs are looked up at most.
const NEAR: usize = 20;
/// Backlinks shown, unless asked otherwise.
const BACKLINKS: usize = 100;

/// What leads out of an item, and what leads to it.
#[derive(Clone, Debug, Serialize)]
pub struct Links {
    /// Number of the item.
    pub item: i64,
    /// `source/path`.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Links to items, in order of appearance.
    pub outgoing: Vec<LinkOut>,
    /// Links to files of the same source that are no items, such as pictures.
    pub attachments: Vec<LinkOut>,
    /// Links that lead to nothing here.
    pub unresolved: Vec<LinkOut>,
    /// Addresses outside.
    pub external: Vec<LinkOut>,
    /// Links of other items to this one, by path, in order of appearance; at
    /// most as many as were asked for.
    pub backlinks: Vec<Backlink>,
    /// How many backlinks there are.
    pub backlink_count: usize,
}

/// A link out of an item.
#[derive(Clone, Debug, Serialize)]
pub struct LinkOut {
    /// How it is written.
    pub kind: LinkKind,
    /// What it names, as written.
    pub target: String,
    /// Heading path or anchor in the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// Block id in the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// What the reader sees, where that is not the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Where the link stands in the original.
    pub place: Places,
    /// The item it leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Linked>,
    /// The file it leads to, where that is no item: `source/path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Items whose names look like what it names, as `source/path`; only where
    /// it leads to nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

/// The other end of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Linked {
    /// Number of the item.
    pub item: i64,
    /// `source/path`.
    pub path: String,
    /// Its title.
    pub title: String,
}

impl Linked {
    fn new(item: &Item) -> Linked {
        Linked {
            item: item.id.0,
            path: item_path(item),
            title: item.title.clone(),
        }
    }
}

/// A link of another item to this one.
#[derive(Clone, Debug, Serialize)]
pub struct Backlink {
    /// The item it stands in.
    pub from: Linked,
    /// How it is written.
    pub kind: LinkKind,
    /// The heading of this item that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// The block of this item that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// Where it stands in the original.
    pub place: Places,
    /// The line around it; the link is what matches.
    pub snippet: Snippet,
}

impl Engine {
    /// The links of the item that `wanted` names, and those that lead to it, of
    /// which at most `limit` are shown; 0 counts as 100.
    ///
    /// # Errors
    /// As [`Engine::find_item`].
    pub fn links(&self, wanted: &str, limit: usize) -> Result<Links, Error> {
        let _span = tracing::info_span!("links").entered();
        let item = self.find_item(wanted)?;
        let names = self.names(item.source_id)?;
        let mut links = Links {
            item: item.id.0,
            path: item_path(&item),
            title: item.title.clone(),
            outgoing: Vec::new(),
            attachments: Vec::new(),
            unresolved: Vec::new(),
            external: Vec::new(),
            backlinks: Vec::new(),
            backlink_count: 0,
        };
        self.add_outgoing(&item, &names, &mut links)?;
        let mut backlinks = self.backlinks(&item, &names)?;
        links.backlink_count = backlinks.len();
        backlinks.truncate(if limit == 0 { BACKLINKS } else { limit });
        links.backlinks = self.show_backlinks(&backlinks)?;
        Ok(links)
    }

    /// The names that links of a source can use.
    pub(crate) fn names(&self, source: SourceId) -> Result<Names, Error> {
        let files = self.store().files(source)?;
        Ok(Names::new(files, &self.store().aliases(source)?))
    }

    fn add_outgoing(&self, item: &Item, names: &Names, links: &mut Links) -> Result<(), Error> {
        let Some(details) = self.store().item(item.id)? else {
            return Ok(());
        };
        let pages = self.pages(item, &details.links)?;
        let lines = show::Lines::of(self.store().text(item.id)?);
        let mut targets: HashMap<ItemId, Option<Linked>> = HashMap::new();
        let mut near: HashMap<String, Vec<String>> = HashMap::new();
        for link in &details.links {
            // A link within the item leads nowhere else.
            if link.target.is_empty() {
                continue;
            }
            let mut out = LinkOut {
                kind: link.kind,
                target: link.target.clone(),
                heading: link.heading.clone(),
                block: link.block.clone(),
                label: link.label.clone(),
                place: lines.place(link),
                to: None,
                file: None,
                near: Vec::new(),
            };
            let address = address::is_address(&link.target);
            let found = match named(names, item, link) {
                // `note: a thing` can be a name as well.
                Some(file) => Some(file),
                None if address => {
                    out.to = keys(link).find_map(|key| pages.get(&key)).cloned();
                    match out.to.as_ref().is_some_and(|to| to.item != item.id.0) {
                        true => links.outgoing.push(out),
                        false => {
                            out.to = None;
                            links.external.push(out);
                        }
                    }
                    continue;
                }
                None => None,
            };
            match found {
                Some(File {
                    item: Some(target), ..
                }) if *target == item.id => {}
                Some(File {
                    item: Some(target), ..
                }) => {
                    out.to = match targets.get(target) {
                        Some(known) => known.clone(),
                        None => {
                            let found = self.store().item(*target)?;
                            let linked = found.map(|found| Linked::new(&found.item));
                            targets.insert(*target, linked.clone());
                            linked
                        }
                    };
                    links.outgoing.push(out);
                }
                Some(file) => {
                    out.file = Some(format!("{}/{}", item.source, file.path));
                    links.attachments.push(out);
                }
                None => {
                    if let Some(known) = near.get(&link.target) {
                        out.near.clone_from(known);
                    } else if near.len() < NEAR {
                        let paths = names.near(&link.target, 3);
                        out.near = paths
                            .into_iter()
                            .map(|path| format!("{}/{path}", item.source))
                            .collect();
                        near.insert(link.target.clone(), out.near.clone());
                    }
                    links.unresolved.push(out);
                }
            }
        }
        Ok(())
    }

    /// The items that links lead to by address, by the address's key.
    fn pages(&self, from: &Item, links: &[Link]) -> Result<HashMap<String, Linked>, Error> {
        let wanted: HashSet<String> = links
            .iter()
            .filter(|link| address::is_address(&link.target))
            .flat_map(keys)
            .collect();
        if wanted.is_empty() {
            return Ok(HashMap::new());
        }
        let found = self
            .store()
            .beside(from.source_id)
            .at_addresses(&mut |url| wanted.contains(&address::key(url)))?;
        let mut pages = HashMap::new();
        for item in found {
            let key = address::key(item.url.as_deref().unwrap_or_default());
            pages.entry(key).or_insert_with(|| Linked::new(&item));
        }
        Ok(pages)
    }

    /// The links of other items that lead to `item`, by path, in order of
    /// appearance.
    fn backlinks(&self, item: &Item, names: &Names) -> Result<Vec<(Item, Link)>, Error> {
        let parts: HashSet<String> = names.last_parts(item.id).into_iter().collect();
        let own = item.url.as_deref().map(address::key);
        let page = own.as_deref().map(without_fragment);
        let lengths: HashSet<usize> = parts.iter().map(String::len).collect();
        let mut found = self
            .store()
            .beside(item.source_id)
            .links_to(&mut |target| {
                // Both are ASCII, so this never cuts a character.
                let slash = target.bytes().rposition(|b| matches!(b, b'/' | b'\\'));
                let last = target[slash.map_or(0, |at| at + 1)..].trim();
                // Of what is ASCII, the length alone tells nearly all apart.
                if (!last.is_ascii() || lengths.contains(&last.len()))
                    && parts.contains(&fold(last))
                {
                    return true;
                }
                page.is_some()
                    && address::is_address(target)
                    && Some(without_fragment(&address::key(target))) == page
            })?;
        found.retain(|(from, link)| {
            if from.id == item.id {
                return false;
            }
            let named = match from.source_id == item.source_id {
                true => named(names, from, link),
                false => None,
            };
            match named {
                Some(file) => file.item == Some(item.id),
                None => {
                    address::is_address(&link.target)
                        && keys(link).any(|key| own.as_ref() == Some(&key))
                }
            }
        });
        found.sort_by(|(a, one), (b, other)| {
            (&a.source, &a.external_id, one.span.start).cmp(&(
                &b.source,
                &b.external_id,
                other.span.start,
            ))
        });
        Ok(found)
    }

    fn show_backlinks(&self, found: &[(Item, Link)]) -> Result<Vec<Backlink>, Error> {
        let mut shown = Vec::with_capacity(found.len());
        for links in found.chunk_by(|(a, _), (b, _)| a.id == b.id) {
            let from = &links[0].0;
            let lines = show::Lines::of(self.store().text(from.id)?);
            for (_, link) in links {
                shown.push(Backlink {
                    from: Linked::new(from),
                    kind: link.kind,
                    heading: link.heading.clone(),
                    block: link.block.clone(),
                    place: lines.place(link),
                    snippet: lines.around(link),
                });
            }
        }
        Ok(shown)
    }
}

/// What a link names in its own source.
pub(crate) fn named<'a>(names: &'a Names, from: &Item, link: &Link) -> Option<&'a File> {
    let found = names.resolve(&from.external_id, &link.target, link.kind);
    // A `#` can be part of a name as well.
    found.or_else(|| {
        let heading = link.heading.as_deref()?;
        let whole = format!("{}#{heading}", link.target);
        names.resolve(&from.external_id, &whole, link.kind)
    })
}

/// What a link's address is compared by: with what stands behind its `#`, and
/// without.
fn keys(link: &Link) -> impl Iterator<Item = String> + use<> {
    let whole = link
        .heading
        .as_ref()
        .map(|heading| address::key(&format!("{}#{heading}", link.target)));
    whole.into_iter().chain([address::key(&link.target)])
}

fn without_fragment(key: &str) -> &str {
    key.split_once('#').map_or(key, |(page, _)| page)
}
