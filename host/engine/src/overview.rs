//! What there is, in a few numbers, for whoever is to know what can be asked.

use std::collections::BTreeMap;

use pkb_store::Millis;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::Error;

/// What the index holds; what is deleted does not count, and sources that are
/// not listed do not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// Items.
    pub items: u64,
    /// Name, kind and items of each source, by name.
    pub sources: Vec<(String, String, u64)>,
    /// Kinds with their items, the most first.
    pub kinds: Vec<(String, u64)>,
    /// Languages that items say they are in, as BCP 47 tags, the most first.
    pub languages: Vec<(String, u64)>,
    /// The earliest and the latest date of an item.
    pub dates: Option<(Millis, Millis)>,
}

impl Engine {
    /// Counts what there is, in one pass over the items.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn overview(&self) -> Result<Overview, Error> {
        let _span = tracing::info_span!("overview").entered();
        let mut overview = Overview::default();
        let mut by_source: BTreeMap<String, u64> = BTreeMap::new();
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        let mut languages: BTreeMap<String, u64> = BTreeMap::new();
        for holding in self.store().holdings()? {
            overview.items += holding.items;
            *by_source.entry(holding.source).or_default() += holding.items;
            *kinds.entry(holding.kind).or_default() += holding.items;
            if let Some(language) = holding.language {
                *languages.entry(language).or_default() += holding.items;
            }
            let both = overview.dates.zip(holding.dates);
            overview.dates = match both {
                Some(((a, b), (c, d))) => Some((a.min(c), b.max(d))),
                None => overview.dates.or(holding.dates),
            };
        }
        overview.kinds = most_first(kinds);
        overview.languages = most_first(languages);
        for source in self.store().listed()? {
            let name = source.spec.name;
            let items = by_source.get(&name).copied().unwrap_or_default();
            overview.sources.push((name, source.spec.kind, items));
        }
        Ok(overview)
    }
}

fn most_first(counts: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}
