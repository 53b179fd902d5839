//! One record of an activity, and one visit of Chrome's history, as JSON.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::Record;
use crate::loose::{List, Text};

/// Something with a name and perhaps an address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Named {
    name: Text,
    url: Text,
}

/// What was done, as `MyActivity.json`, `watch-history.json` and
/// `search-history.json` have it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Activity {
    header: Text,
    title: Text,
    title_url: Text,
    subtitles: List<Loosely>,
    description: Text,
    time: Text,
    details: List<Loosely>,
    // What older exports and the YouTube Data API have instead.
    pub(crate) kind: Text,
    pub(crate) id: Value,
    pub(crate) snippet: Value,
    pub(crate) content_details: Value,
    pub(crate) statistics: Value,
}

/// A named thing; anything else where that stands is none.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Loosely {
    Named(Named),
    Other(serde::de::IgnoredAny),
}

impl Loosely {
    fn named(self) -> Option<(String, String)> {
        match self {
            Self::Named(named) => Some((named.name.0, named.url.0)),
            Self::Other(_) => None,
        }
    }
}

impl Activity {
    /// Whether it is one of YouTube's resources rather than something done.
    pub(crate) fn is_resource(&self) -> bool {
        self.snippet.is_object() || self.content_details.is_object()
    }

    /// Nothing for what is no activity at all.
    pub(crate) fn record(self) -> Option<Record> {
        if self.title.0.is_empty() && self.title_url.0.is_empty() {
            return None;
        }
        let product = self.header.0;
        let details = self.details.0.into_iter().filter_map(Loosely::named);
        let ad = details.into_iter().any(|(name, _)| is_ad(&product, &name));
        Some(Record {
            title: self.title.0,
            url: self.title_url.0,
            subtitles: self
                .subtitles
                .0
                .into_iter()
                .filter_map(Loosely::named)
                .collect(),
            description: self.description.0,
            time: time(&self.time.0),
            product,
            ad,
            ..Record::default()
        })
    }
}

/// Whether a detail says that Google showed this as advertising: `From Google
/// Ads`. Other languages turn the words around it, and YouTube gives no other
/// detail of Google's.
pub(crate) fn is_ad(product: &str, detail: &str) -> bool {
    detail.contains("Google Ads") || (product.starts_with("YouTube") && detail.contains("Google"))
}

/// Milliseconds since 1970.
pub(crate) fn time(text: &str) -> Option<i64> {
    let timestamp: Timestamp = text.parse().ok()?;
    Some(timestamp.as_millisecond())
}

/// A visit in Chrome's `History.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Visit {
    title: Text,
    url: Text,
    time_usec: Text,
}

impl Visit {
    pub(crate) fn record(self) -> Record {
        let time = self
            .time_usec
            .0
            .parse::<i64>()
            .ok()
            .filter(|usec| *usec > 0);
        Record {
            title: self.title.0,
            bare: true,
            url: self.url.0,
            time: time.map(|usec| usec / 1000),
            ..Record::default()
        }
    }
}
