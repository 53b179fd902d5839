//! Which items a call of the tools that delete and restore means, and how they
//! are named in an answer.

use std::fmt::Write;

use pkb_engine::{Error, Filter, Item, Query, Selection};
use serde::Deserialize;

use super::super::render::{line, quoted};
use super::documents::Wanted;
use crate::output::thousands;

/// Items that are named one by one.
const NAMED: usize = 10;

/// Items by name; models write a list of one without brackets now and then.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "items is to be a list of numbers, paths or titles"
)]
pub(super) enum Names {
    One(Wanted),
    Many(Vec<Wanted>),
}

impl Default for Names {
    fn default() -> Self {
        Names::Many(Vec::new())
    }
}

impl Names {
    fn words(&self) -> Vec<String> {
        match self {
            Names::One(name) => vec![name.words()],
            Names::Many(names) => names.iter().map(Wanted::words).collect(),
        }
    }
}

/// What is given as a filter; one that is empty is none.
///
/// # Errors
/// Where it holds anything but fields of the query language.
pub(super) fn filter(given: Option<&str>) -> Result<Filter, Error> {
    match given.map(str::trim).filter(|given| !given.is_empty()) {
        Some(given) => Query::only_fields(given),
        None => Ok(Filter::default()),
    }
}

/// Names or a filter.
///
/// # Errors
/// As [`filter`], and where both are given, or nothing is.
pub(super) fn selection(names: &Names, given: Option<&str>) -> Result<Selection, Error> {
    Selection::new(names.words(), filter(given)?)
}

/// Name of the source and path in it.
pub(super) fn path(item: &Item) -> String {
    line(&format!("{}/{}", item.source, item.external_id))
}

/// The first of the items, one on a line.
pub(super) fn named(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items.iter().take(NAMED) {
        let _ = writeln!(
            text,
            "[item {}] {}: {}",
            item.id,
            path(item),
            line(&item.title)
        );
    }
    let more = items.len().saturating_sub(NAMED);
    if more > 0 {
        let _ = writeln!(text, "and {} more", thousands(more as u64));
    }
    text
}

/// Says how a list goes on, where it does, and that it may be another one by
/// now.
pub(super) fn goes_on(text: &mut String, cursor: Option<&str>, changed: bool) {
    if changed {
        text.push_str(
            "Note: The index has changed since the page before: some may be missing or come twice.\n",
        );
    }
    if let Some(cursor) = cursor {
        let _ = writeln!(text, "The same call with \"cursor\": \"{cursor}\" goes on.");
    }
}

/// [`named`] as quoted material.
pub(super) fn quoted_names(items: &[Item]) -> String {
    quoted(&named(items))
}
