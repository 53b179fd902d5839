//! The outline (bookmarks): titles with the page and height they lead to.

use std::collections::{HashMap, HashSet};

use extract_core::title;
use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, String as PdfString};

use crate::{strings, tree};

/// Entries beyond this are left out.
const MOST_ENTRIES: usize = 10_000;
/// Entries nested deeper are left out.
const MOST_DEPTH: usize = 32;

/// An entry of the outline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) title: String,
    /// 0 at the top.
    pub(crate) depth: usize,
    /// Index of the page it leads to.
    pub(crate) page: Option<usize>,
    /// The height it leads to, in the page's own coordinates.
    pub(crate) top: Option<f64>,
}

/// The entries in the order they are read.
pub(crate) fn entries(pdf: &Pdf, catalog: Option<&Dict<'_>>) -> Vec<Entry> {
    let Some(catalog) = catalog else {
        return Vec::new();
    };
    let Some(root) = catalog.get::<Dict<'_>>("Outlines") else {
        return Vec::new();
    };
    let finder = Finder::new(pdf, catalog);
    let mut out = Vec::new();
    let mut seen: HashSet<ObjectIdentifier> = HashSet::new();
    let mut open: Vec<(Dict<'_>, usize)> = Vec::new();
    open.extend(root.get::<Dict<'_>>("First").map(|first| (first, 0)));
    while let Some((item, depth)) = open.pop() {
        let again = item.obj_id().is_some_and(|id| !seen.insert(id));
        if again || out.len() == MOST_ENTRIES {
            continue;
        }
        open.extend(item.get::<Dict<'_>>("Next").map(|next| (next, depth)));
        if depth < MOST_DEPTH {
            open.extend(item.get::<Dict<'_>>("First").map(|first| (first, depth + 1)));
        }
        let title = item
            .get::<PdfString<'_>>("Title")
            .and_then(|raw| title::tidy(&strings::decode(raw.as_bytes())));
        if let Some(title) = title {
            let (page, top) = finder.target(&item).unwrap_or((None, None));
            out.push(Entry {
                title,
                depth,
                page,
                top,
            });
        }
    }
    out
}

/// Finds where destinations lead.
struct Finder<'a> {
    pages: HashMap<ObjectIdentifier, usize>,
    count: usize,
    named: HashMap<Vec<u8>, Object<'a>>,
    old_named: Option<Dict<'a>>,
}

type Target = (Option<usize>, Option<f64>);

impl<'a> Finder<'a> {
    fn new(pdf: &'a Pdf, catalog: &Dict<'a>) -> Self {
        let ids = pdf.pages().iter().enumerate();
        let names = catalog
            .get::<Dict<'a>>("Names")
            .and_then(|names| names.get::<Dict<'a>>("Dests"));
        Self {
            pages: ids
                .filter_map(|(index, page)| Some((page.raw().obj_id()?, index)))
                .collect(),
            count: pdf.pages().len(),
            named: names
                .map(|root| tree::names(&root).into_iter().collect())
                .unwrap_or_default(),
            old_named: catalog.get::<Dict<'a>>("Dests"),
        }
    }

    /// Where an outline's entry leads.
    fn target(&self, item: &Dict<'a>) -> Option<Target> {
        if let Some(place) = item.get::<Object<'a>>("Dest") {
            return self.place(place);
        }
        let action = item.get::<Dict<'a>>("A")?;
        if action.get::<Name<'a>>("S")?.as_str() != "GoTo" {
            return None;
        }
        self.place(action.get::<Object<'a>>("D")?)
    }

    fn place(&self, place: Object<'a>) -> Option<Target> {
        let place = match place {
            Object::String(name) => self.named.get(name.as_bytes())?.clone(),
            Object::Name(name) => self.old_named.as_ref()?.get::<Object<'a>>(name)?,
            other => other,
        };
        // A name leads to the place itself or to a dictionary around it.
        let place = match place {
            Object::Dict(dict) => dict.get::<Array<'a>>("D")?,
            Object::Array(array) => array,
            _ => return None,
        };
        let page = place.raw_iter().next()?;
        let page = match page.as_obj_ref() {
            Some(id) => self.pages.get(&id.into()).copied(),
            None => {
                let number = place.iter::<Object<'a>>().next()?.into_i32()?;
                usize::try_from(number).ok().filter(|&page| page < self.count)
            }
        };
        let mut parts = place.iter::<Object<'a>>().skip(1);
        let at = match parts.next()?.into_name().as_ref().map(Name::as_str) {
            Some("XYZ") => parts.nth(1),
            Some("FitH" | "FitBH") => parts.next(),
            Some("FitR") => parts.nth(3),
            _ => None,
        };
        Some((page, at.and_then(Object::into_f32).map(f64::from)))
    }
}
