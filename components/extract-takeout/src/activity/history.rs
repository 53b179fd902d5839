//! Records -> documents: one for each video, search and page, with all times.

use std::collections::{BTreeMap, HashMap};

use extract_core::{
    Batch, Document, Documents, Failure, Property, canonical_url, title, youtube_video_id,
};

use super::affix::{self, Affix, Learner};
use super::entry::{Entry, Kind};
use super::{Record, address};

/// Longer titles and descriptions are cut, in bytes.
const MOST_TITLE: usize = 4 << 10;
const MOST_DESCRIPTION: usize = 64 << 10;

/// What may be kept of a file, in bytes; the sandbox has a bit more than twice
/// as much.
const MOST_HELD: usize = 192 << 20;

/// What an entry costs beyond its texts, in bytes.
const ENTRY_COST: usize = 400;

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
        cut(&mut record.title, MOST_TITLE);
        cut(&mut record.description, MOST_DESCRIPTION);
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
            (Kind::Action, format!("action/{title}"), String::new())
        };
        let learner = match kind {
            Kind::Video => Some(&mut self.videos),
            Kind::Visit => Some(&mut self.visits),
            Kind::Search | Kind::Action => None,
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
        let nameless = |title: &str| title.trim().is_empty() || title.contains("://");
        if entry.title.is_empty() || (nameless(&entry.title) && !nameless(&record.title)) {
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

/// Cuts a text to so many bytes.
fn cut(text: &mut String, most: usize) {
    text.truncate(text.floor_char_boundary(most));
}

/// `1 entry ... was left out`, `2 entries ... were left out`.
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
