//! One thing that was watched, searched for or visited, and its document.

use std::collections::BTreeMap;

use extract_core::{Document, Property, Scalar, Value, escape_plain, title, youtube_video_id};

use super::address;
use super::affix::{self, Affix};
use crate::body::Body;

/// Of more times than this, only the latest are listed.
const MOST_TIMES: usize = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Video,
    Search,
    Visit,
    /// Something without an address.
    Action,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Video => "video",
            Self::Search => "search",
            Self::Visit => "visit",
            Self::Action => "action",
        }
    }

    pub(super) fn words(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Search, 1) => "search",
            (Self::Search, _) => "searches",
            (Self::Action, 1) => "other action",
            (Self::Action, _) => "other actions",
            (Self::Video, 1) => "video",
            (Self::Video, _) => "videos",
            (Self::Visit, 1) => "page",
            (Self::Visit, _) => "pages",
        }
    }

    /// What is done with such a thing, where nothing else is said.
    pub(super) fn activity(self) -> Option<&'static str> {
        match self {
            Self::Video => Some("watched"),
            Self::Search => Some("searched"),
            Self::Visit => Some("visited"),
            Self::Action => None,
        }
    }
}

/// A thing with all that a file says of it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) part: String,
    pub(super) url: String,
    pub(super) title: String,
    /// Whether the title is the name alone.
    pub(super) bare: bool,
    pub(super) subtitles: Vec<(String, String)>,
    pub(super) description: String,
    pub(super) products: Vec<String>,
    /// How often each thing was done.
    pub(super) counts: BTreeMap<&'static str, usize>,
    /// In the order of the file.
    pub(super) times: Vec<(&'static str, i64)>,
}

impl Entry {
    /// The name of the thing; nothing where only its address is known.
    fn name(&self, affix: &Affix) -> Option<String> {
        let raw = self.title.trim();
        let name = if self.bare || self.kind == Kind::Action {
            raw
        } else {
            affix
                .strip(raw)
                .or_else(|| affix::strip_known(raw))
                .unwrap_or(raw)
        };
        let removed = self.kind == Kind::Video && youtube_video_id(name).is_some();
        title::tidy(name).filter(|_| !removed)
    }

    /// The thing's document; `affix` is what stands around names.
    pub(super) fn into_document(mut self, affix: &Affix) -> Document {
        let name = self.name(affix);
        let mut body = Body::default();
        let mut properties = Vec::new();
        if !self.url.is_empty() {
            properties.push(Property::text("url", &self.url));
        }
        if self.kind == Kind::Video {
            let channel = self.subtitles.iter().position(|(name, url)| {
                !name.is_empty() && (address::is_channel(url) || !url.is_empty())
            });
            if let Some(at) = channel {
                let (name, url) = self.subtitles.remove(at);
                properties.push(Property::text("author", &name));
                body.line("Channel: ", &name, &url);
            }
            if name.is_none() {
                properties.push(Property {
                    name: "removed".to_owned(),
                    value: Value::One(Scalar::Boolean(true)),
                });
            }
        }
        if self.kind == Kind::Search || self.kind == Kind::Action {
            body.line("", name.as_deref().unwrap_or_default(), "");
        }
        for (name, url) in &self.subtitles {
            body.line("", name, url);
        }
        if !self.description.trim().is_empty() {
            body.paragraph(&escape_plain(self.description.trim()));
        }
        if !self.url.is_empty() {
            body.address(&self.url);
        }

        if !self.products.is_empty() {
            properties.push(Property::texts("product", &self.products));
        }
        properties.push(Property::texts("activity", self.counts.keys().copied()));
        let views: usize = ["watched", "visited", "viewed"]
            .iter()
            .filter_map(|activity| self.counts.get(activity))
            .sum();
        if views > 0 {
            properties.push(Property::number("views", views as f64));
        }
        self.push_times(&mut properties);
        let title = name.unwrap_or_else(|| match self.kind {
            Kind::Video => format!("Video {} (removed)", self.part),
            _ => self.url.clone(),
        });
        Document {
            part: self.part,
            kind: self.kind.word().to_owned(),
            title,
            text: body.text,
            links: body.links,
            properties,
            ..Document::default()
        }
    }

    /// First and last time as the document's own dates, and the times of each
    /// activity under its name, the latest first.
    fn push_times(&mut self, properties: &mut Vec<Property>) {
        self.times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        if let (Some((_, last)), Some((_, first))) = (self.times.first(), self.times.last()) {
            properties.push(Property::timestamp("created", *first));
            properties.push(Property::timestamp("modified", *last));
        }
        for activity in self.counts.keys() {
            let times = self.times.iter().filter(|(done, _)| done == activity);
            let times: Vec<Scalar> = times
                .take(MOST_TIMES)
                .map(|(_, time)| Scalar::Timestamp(*time))
                .collect();
            if !times.is_empty() {
                properties.push(Property {
                    name: (*activity).to_owned(),
                    value: Value::Many(times),
                });
            }
        }
    }
}
