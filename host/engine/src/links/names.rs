//! What a link names within one source, as Obsidian reads it.
//!
//! Obsidian's rules, as its users observed them (version 1.13): a path from
//! the top of the vault wins; then what lies beside the note with the link;
//! then the shortest path that ends so. `./` and `../` go from the note's
//! folder, `/` from the top, and neither is looked up elsewhere. Letter case
//! and the way accents are encoded do not count; `.md` may be left out.
//!
//! Departures: a Markdown link is first taken as all other programs take it,
//! from the note's own folder; and what names nothing else may be the name of
//! any item without its extension, the page that a site makes of a note
//! (`.html`), or an alias.

use std::collections::{BTreeSet, HashMap};

use pkb_store::{ItemId, LinkKind, Named};
use unicode_normalization::UnicodeNormalization;

use crate::pipeline::walk::file_of;

/// The names in a source.
pub(crate) struct Names {
    files: Vec<File>,
    /// By file name, folded.
    by_name: HashMap<String, Vec<u32>>,
    /// Items by file name without extension, folded; those that end in `.md`
    /// are in `by_name` alone.
    by_stem: HashMap<String, Vec<u32>>,
    by_alias: HashMap<String, Vec<u32>>,
}

/// Something that a link can lead to.
#[derive(Debug)]
pub(crate) struct File {
    /// The path within the source.
    pub(crate) path: String,
    /// None where it is no item.
    pub(crate) item: Option<ItemId>,
    folded: String,
}

impl File {
    /// The file name, folded.
    pub(super) fn name(&self) -> &str {
        file_name(&self.folded)
    }
}

impl Names {
    /// The names of `files`, and aliases of those that are items.
    pub(crate) fn new(files: Vec<Named>, aliases: &[(ItemId, String)]) -> Names {
        let files: Vec<File> = files
            .into_iter()
            .map(|named| File {
                folded: fold(&named.external_id),
                path: named.external_id,
                item: named.item,
            })
            .collect();
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::with_capacity(files.len());
        let mut by_stem: HashMap<String, Vec<u32>> = HashMap::new();
        let mut by_alias: HashMap<String, Vec<u32>> = HashMap::new();
        let mut by_item = HashMap::new();
        for (at, file) in (0..).zip(&files) {
            let name = file.name();
            if let Some(item) = file.item {
                by_item.insert(item, at);
            }
            // What is inside files is no note that a link names.
            if file_of(&file.path).is_some() {
                continue;
            }
            if file.item.is_some() && !name.ends_with(NOTE) {
                by_stem.entry(stem(name).to_owned()).or_default().push(at);
            }
            by_name.entry(name.to_owned()).or_default().push(at);
        }
        for (item, alias) in aliases {
            if let Some(at) = by_item.get(item) {
                by_alias.entry(fold(alias.trim())).or_default().push(*at);
            }
        }
        Names {
            files,
            by_name,
            by_stem,
            by_alias,
        }
    }

    /// What `target` leads to from the file at `from`; none where it names
    /// nothing. An empty target is the file itself.
    pub(crate) fn resolve(&self, from: &str, target: &str, kind: LinkKind) -> Option<&File> {
        let markdown = matches!(kind, LinkKind::Hyperlink | LinkKind::Image);
        let from = fold(from);
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let target = fold(target.trim()).replace('\\', "/");
        if target.is_empty() {
            return self.exact(&from);
        }
        if let Some(path) = target.strip_prefix('/') {
            return self.exact(&join("", path)?);
        }
        if target.starts_with("./") || target.starts_with("../") {
            return self.exact(&join(folder, &target)?);
        }
        if markdown
            && let Some(beside) = join(folder, &target)
            && let Some(found) = self.exact(&beside)
        {
            return Some(found);
        }
        let path = join("", &target)?;
        let ends_so = self.by_forms(&path, |candidates, path| {
            let fits = |file: &&File| ends_with_path(&file.folded, path);
            nearest(candidates.into_iter().filter(fits), path, folder)
        });
        if ends_so.is_some() || markdown {
            return ends_so;
        }
        let aliased = self.by_alias.get(&target)?;
        nearest(self.at(aliased), &target, folder)
    }

    /// The file of exactly this path, but for what may be left out of it.
    fn exact(&self, path: &str) -> Option<&File> {
        self.by_forms(path, |candidates, path| {
            candidates.into_iter().find(|file| file.folded == path)
        })
    }

    /// Has `choose` choose among the files whose name is the last part of
    /// `path`: as written, as that of a note, as that of any item without
    /// extension, as that of a page made of a note. The path that `choose` is to
    /// compare with comes without what was left out.
    fn by_forms<'a>(
        &'a self,
        path: &str,
        choose: impl Fn(Vec<&'a File>, &str) -> Option<&'a File>,
    ) -> Option<&'a File> {
        let named = |path: &str| {
            let list = self.by_name.get(file_name(path))?;
            choose(self.at(list).collect(), path)
        };
        named(path)
            .or_else(|| named(&format!("{path}{NOTE}")))
            .or_else(|| {
                let name = file_name(path);
                let list = self.by_stem.get(name)?;
                let extensions: BTreeSet<&str> = self
                    .at(list)
                    .filter_map(|file| file.name().strip_prefix(name))
                    .collect();
                extensions
                    .into_iter()
                    .find_map(|extension| named(&format!("{path}{extension}")))
            })
            .or_else(|| {
                let page = path
                    .strip_suffix(".html")
                    .or_else(|| path.strip_suffix(".htm"))?;
                named(&format!("{page}{NOTE}"))
            })
    }

    fn at<'a>(&'a self, list: &'a [u32]) -> impl Iterator<Item = &'a File> {
        list.iter().map(|at| &self.files[*at as usize])
    }

    /// The item's own file.
    pub(super) fn of_item(&self, item: ItemId) -> Option<&File> {
        self.files.iter().find(|file| file.item == Some(item))
    }

    /// Last parts, folded, of all targets that can lead to `item`: no other
    /// link does.
    pub(super) fn last_parts(&self, item: ItemId) -> Vec<String> {
        let Some(file) = self.of_item(item) else {
            return Vec::new();
        };
        let name = file.name();
        let stem = stem(name);
        let mut parts = vec![name.to_owned(), stem.to_owned()];
        if let Some((before, _)) = name.split_once('#') {
            parts.push(before.to_owned());
        }
        if name.ends_with(NOTE) {
            parts.push(format!("{stem}.html"));
            parts.push(format!("{stem}.htm"));
        }
        for (alias, files) in &self.by_alias {
            if self.at(files).any(|file| file.item == Some(item)) {
                // An alias may hold a slash and is still one name.
                parts.push(file_name(alias).to_owned());
            }
        }
        parts
    }

    /// Paths of items whose names look like the last part of `target`, the
    /// likest first, at most `most`.
    pub(super) fn near(&self, target: &str, most: usize) -> Vec<String> {
        let target = fold(target).replace('\\', "/");
        let wanted = stem(file_name(&target));
        let marks = pairs(wanted);
        let mut near: Vec<(f64, &File)> = Vec::new();
        for file in self.files.iter().filter(|file| file.item.is_some()) {
            let name = stem(file.name());
            // What has few letter pairs in common is not like it, and this is
            // told a hundred times sooner.
            let own = pairs(name);
            let common = (marks & own).count_ones();
            let all = marks.count_ones().max(own.count_ones());
            if common * 5 < all * 2 {
                continue;
            }
            let likeness = strsim::sorensen_dice(wanted, name)
                .max(strsim::normalized_damerau_levenshtein(wanted, name));
            if likeness >= LIKENESS {
                near.push((likeness, file));
            }
        }
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.path.cmp(&b.1.path)));
        near.truncate(most);
        near.into_iter()
            .map(|(_, file)| file.path.clone())
            .collect()
    }
}

/// What every note's name ends with.
const NOTE: &str = ".md";
/// How like a name must be to be worth a "did you mean", from 0 to 1.
const LIKENESS: f64 = 0.6;

/// The letter pairs of a name, as bits of their hashes.
fn pairs(name: &str) -> u64 {
    let mut bits = 0;
    let mut last = 0_u32;
    for c in name.chars().map(u32::from) {
        bits |= 1 << ((last.wrapping_mul(31).wrapping_add(c)).wrapping_mul(0x9e37_79b1) >> 26);
        last = c;
    }
    bits
}

/// Of files that all fit: the one of exactly this path, the one beside the
/// note, the one with the shortest path; of equals, the first by path.
fn nearest<'a>(
    files: impl Iterator<Item = &'a File>,
    path: &str,
    folder: &str,
) -> Option<&'a File> {
    files.min_by_key(|file| {
        let own = file.folded.rsplit_once('/').map_or("", |(own, _)| own);
        // `[[x/Note]]` is beside the note where its folder holds `x/Note`.
        let beside = match path.rsplit_once('/') {
            Some((within, _)) => join(folder, within).is_some_and(|joined| joined == own),
            None => own == folder,
        };
        (
            file.folded != path,
            !beside,
            file.folded.chars().count(),
            &file.folded,
        )
    })
}

/// A name as it is compared: letter case, the way accents are encoded and
/// spaces that do not break do not count.
pub(crate) fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc()
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            '\u{a0}' | '\u{202f}' => ' ',
            c => c,
        })
        .nfc()
        .collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file name without its extension.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Whether `path` is `end`, or ends with it after a `/`.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// `path` from `folder`, without `.` and `..`; none where it leads out of the
/// source, or to a folder.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if path.ends_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests;
