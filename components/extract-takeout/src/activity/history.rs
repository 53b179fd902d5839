//! Records -> documents: one for each video, search and page, with all times.

use std::collections::{BTreeMap, HashMap};

use extract_core::{
    Batch, Document, Documents, Failure, Link, LinkKind, Property, Scalar, Value, canonical_url,
    escape_line, escape_plain, title, youtube_video_id,
};

use super::affix::{self, Affix, Learner};
use super::{Record, address};

/// What may be kept of a file, in bytes; the sandbox has a bit more than twice
/// as much.
const MOST_HELD: usize = 192 << 20;

/// Of more times than this, only the latest are listed.
const MOST_TIMES: usize = 1000;

/// What an entry costs beyond its texts, in bytes.
const ENTRY_COST: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Video,
    Search,
    Visit,
    /// Something without an address.
    Activity,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Video => "video",
            Self::Search => "search",
            Self::Visit => "visit",
            Self::Activity => "activity",
        }
    }

    fn words(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Search, 1) => "search",
            (Self::Search, _) => "searches",
            (Self::Activity, 1) => "other activity",
            (Self::Activity, _) => "other activities",
            (Self::Video, 1) => "video",
            (Self::Video, _) => "videos",
            (Self::Visit, 1) => "page",
            (Self::Visit, _) => "pages",
        }
    }

    /// What is done with such a thing, where nothing else is said.
    fn activity(self) -> Option<&'static str> {
        match self {
            Self::Video => Some("watched"),
            Self::Search => Some("searched"),
            Self::Visit => Some("visited"),
            Self::Activity => None,
        }
    }
}

#[derive(Debug)]
struct Entry {
    kind: Kind,
    part: String,
    url: String,
    title: String,
    /// Whether the title is the name alone.
    bare: bool,
    subtitles: Vec<(String, String)>,
    description: String,
    products: Vec<String>,
    /// How often each thing was done.
    counts: BTreeMap<&'static str, usize>,
    /// In the order of the file.
    times: Vec<(&'static str, i64)>,
}

/// Gathers the records of a file, then gives its documents.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: Vec<Entry>,
    by_part: HashMap<String, usize>,
    videos: Learner,
    visits: Learner,
    records: usize,
    ads: usize,
    undated: usize,
    internal: usize,
    left_out: usize,
    held: usize,
}

impl History {
    /// How many records there were.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    pub(crate) fn add(&mut self, mut record: Record) {
        self.records += 1;
        if record.ad {
            self.ads += 1;
            return;
        }
        let raw_url = std::mem::take(&mut record.url);
        let url = address::target(raw_url.trim());
        let said = match (record.verb.as_str(), record.bare) {
            ("", true) => None,
            ("", false) => affix::activity(&record.title),
            (verb, _) => affix::activity(verb),
        };
        let (kind, part, url) = if let Some(query) = address::search(&url) {
            record.bare = true;
            record.title.clone_from(&query);
            (
                Kind::Search,
                format!("search/{query}"),
                address::search_page(&url),
            )
        } else if let Some(id) = youtube_video_id(&url) {
            (Kind::Video, id, canonical_url(&url).unwrap_or_default())
        } else if let Some(page) = address::page(&url) {
            (Kind::Visit, page.clone(), page)
        } else if record.title.trim().is_empty() || record.product.is_empty() {
            // A browser's own pages, files, extensions.
            self.internal += 1;
            return;
        } else {
            let title = title::tidy(&record.title).unwrap_or_default();
            (Kind::Activity, format!("activity/{title}"), String::new())
        };
        let learner = match kind {
            Kind::Video => Some(&mut self.videos),
            Kind::Visit => Some(&mut self.visits),
            Kind::Search | Kind::Activity => None,
        };
        if let Some(learner) = learner.filter(|_| !record.bare) {
            learner.see(&record.title, raw_url.trim());
        }
        if record.time.is_none() {
            self.undated += 1;
        }
        let activity = said.or_else(|| kind.activity()).unwrap_or("done");
        self.keep(kind, part, url, activity, record);
    }

    fn keep(
        &mut self,
        kind: Kind,
        part: String,
        url: String,
        activity: &'static str,
        record: Record,
    ) {
        self.held += std::mem::size_of::<(&str, i64)>();
        if self.held > MOST_HELD {
            self.left_out += 1;
            return;
        }
        let at = self.by_part.get(&part).copied().unwrap_or_else(|| {
            self.by_part.insert(part.clone(), self.entries.len());
            self.held += 2 * part.len() + url.len() + ENTRY_COST;
            self.entries.push(Entry {
                kind,
                part,
                url,
                title: String::new(),
                bare: false,
                subtitles: Vec::new(),
                description: String::new(),
                products: Vec::new(),
                counts: BTreeMap::new(),
                times: Vec::new(),
            });
            self.entries.len() - 1
        });
        let entry = &mut self.entries[at];
        *entry.counts.entry(activity).or_default() += 1;
        entry.times.extend(record.time.map(|time| (activity, time)));
        // A removed thing has its address for a name; another record may still
        // have the name.
        let nameless = |title: &str| title.is_empty() || title.contains("://");
        if nameless(&entry.title)
            && !record.title.trim().is_empty()
            && !(nameless(&record.title) && !entry.title.is_empty())
        {
            self.held += record.title.len();
            entry.title = record.title;
            entry.bare = record.bare;
        }
        if entry.subtitles.is_empty() && !record.subtitles.is_empty() {
            let texts = record
                .subtitles
                .iter()
                .map(|(name, url)| name.len() + url.len() + 48);
            self.held += texts.sum::<usize>();
            entry.subtitles = record.subtitles;
        }
        if entry.description.is_empty() {
            self.held += record.description.len();
            entry.description = record.description;
        }
        if !record.product.is_empty()
            && entry.products.len() < 8
            && !entry.products.contains(&record.product)
        {
            self.held += record.product.len() + 24;
            entry.products.push(record.product);
        }
    }

    /// The documents: the file's own, then one for each thing in the order in
    /// which the file has them.
    pub(crate) fn into_documents(self, name: &str, mut warnings: Vec<String>) -> HistoryDocuments {
        let mut totals: BTreeMap<Kind, usize> = BTreeMap::new();
        for entry in &self.entries {
            *totals.entry(entry.kind).or_default() += 1;
        }
        let totals: Vec<String> = totals
            .into_iter()
            .map(|(kind, count)| format!("{count} {}", kind.words(count)))
            .collect();
        for (count, what) in [
            (self.ads, "that Google showed as advertising"),
            (
                self.internal,
                "of pages of the browser's own or without any name",
            ),
            (self.left_out, "beyond what fits into memory"),
        ] {
            if count > 0 {
                warnings.push(left_out(count, what));
            }
        }
        if self.undated > 0 {
            let (entries, have) = if self.undated == 1 {
                ("entry", "has")
            } else {
                ("entries", "have")
            };
            warnings.push(format!(
                "{} {entries} {have} no date that could be read.",
                self.undated
            ));
        }
        let mut own = Document {
            kind: "history".to_owned(),
            title: title::from_name(name),
            text: totals.join(", "),
            properties: vec![Property::number("entries", self.records as f64)],
            warnings,
            ..Document::default()
        };
        own.bound_warnings();
        HistoryDocuments {
            own: Some(own),
            videos: self.videos.learn(),
            visits: self.visits.learn(),
            entries: self.entries.into_iter(),
        }
    }
}

/// `1 entry`, `2 entries`, with the verb after what they are.
fn left_out(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 entry {what} was left out.")
    } else {
        format!("{count} entries {what} were left out.")
    }
}

/// The documents of a history, made as they are asked for.
#[derive(Debug)]
pub(crate) struct HistoryDocuments {
    own: Option<Document>,
    videos: Affix,
    visits: Affix,
    entries: std::vec::IntoIter<Entry>,
}

impl Iterator for HistoryDocuments {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        if let Some(own) = self.own.take() {
            return Some(own);
        }
        let entry = self.entries.next()?;
        let affix = match entry.kind {
            Kind::Video => &self.videos,
            _ => &self.visits,
        };
        Some(entry.into_document(affix))
    }
}

impl Documents for HistoryDocuments {
    fn next(&mut self, limit: usize) -> Result<Batch, Failure> {
        let documents = self.by_ref().take(limit).map(Ok).collect();
        Ok(Batch {
            documents,
            pieces: Vec::new(),
            last: self.own.is_none() && self.entries.len() == 0,
        })
    }
}

impl Entry {
    /// The name of the thing; nothing where only its address is known.
    fn name(&self, affix: &Affix) -> Option<String> {
        let raw = self.title.trim();
        let name = if self.bare || self.kind == Kind::Activity {
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

    fn into_document(mut self, affix: &Affix) -> Document {
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
        if self.kind == Kind::Search || self.kind == Kind::Activity {
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
        self.times.sort_by(|a, b| b.1.cmp(&a.1));
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

/// A text with its links.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) links: Vec<Link>,
}

impl Body {
    pub(crate) fn paragraph(&mut self, markdown: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(markdown);
    }

    /// A name, linked where it has an address.
    pub(crate) fn line(&mut self, before: &str, name: &str, url: &str) {
        let name = escape_line(name);
        if name.is_empty() {
            return;
        }
        self.paragraph(before);
        let start = self.text.len();
        match canonical_url(url).filter(|url| !url.contains([')', '(', ' '])) {
            Some(url) => {
                self.text
                    .push_str(&format!("[{}]({url})", name.replace(['[', ']'], " ")));
                self.link(start, url, Some(name));
            }
            None => self.text.push_str(&name),
        }
    }

    /// An address by itself.
    pub(crate) fn address(&mut self, url: &str) {
        self.paragraph("");
        let start = self.text.len();
        self.text.push_str(&format!("<{url}>"));
        self.link(start, url.to_owned(), None);
    }

    fn link(&mut self, start: usize, target: String, label: Option<String>) {
        self.links.push(Link {
            kind: LinkKind::Hyperlink,
            target,
            heading: None,
            block: None,
            label,
            span: (start..self.text.len()).into(),
        });
    }
}
