//! Bookmarks of one file -> documents, one for each page.

use std::collections::{BTreeMap, HashMap, HashSet};

use extract_core::{
    Document, Link, LinkKind, Mark, Property, canonical_url, escape_line, escape_plain, title,
};

/// One bookmark as a file has it.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    pub(crate) url: String,
    pub(crate) title: String,
    /// With its line ends.
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    /// Milliseconds since 1970, as all dates here.
    pub(crate) created: Option<i64>,
    pub(crate) modified: Option<i64>,
    pub(crate) visited: Option<i64>,
    /// The word that stands for it in the address bar.
    pub(crate) keyword: String,
    pub(crate) feed: String,
    pub(crate) private: bool,
    /// Kept for reading later.
    pub(crate) unread: bool,
}

/// A folder with those it lies in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Folder {
    names: Vec<String>,
    /// How many of the names are the browser's own (toolbar, menu ...): they say
    /// nothing of the page and read differently in every language.
    roots: usize,
    /// Whether what lies in it is kept for reading later.
    pub(crate) reading_list: bool,
}

/// Folders that lie deeper count to the deepest one named.
const DEEPEST: usize = 24;

impl Folder {
    /// The folder `name` in this one; `root` where it is one of the browser's
    /// own.
    pub(crate) fn child(&self, name: &str, root: bool) -> Self {
        let mut child = self.clone();
        if let Some(name) = title::tidy(name)
            && child.names.len() < DEEPEST
        {
            child.names.push(name);
            if root && child.roots + 1 == child.names.len() {
                child.roots += 1;
            }
        }
        child
    }

    fn path(&self) -> String {
        self.names.join("/")
    }

    fn tag(&self) -> Option<String> {
        let named = self.names.get(self.roots..).unwrap_or_default();
        (!named.is_empty()).then(|| named.join("/"))
    }
}

/// A page with all that the file says of it.
#[derive(Debug, Default)]
struct Page {
    url: String,
    saved: Saved,
    saved_urls: Vec<String>,
    folders: Vec<String>,
    tags: Vec<String>,
    /// What is in the lists and the description already.
    seen: HashSet<(Kind, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Url,
    Folder,
    Tag,
    Description,
}

/// Gathers a file's bookmarks.
#[derive(Debug, Default)]
pub(crate) struct Collection {
    pages: Vec<Page>,
    by_url: HashMap<String, usize>,
    /// Folders in order, with their descriptions and what lies right in them.
    folders: Vec<(String, String, usize)>,
    by_folder: HashMap<String, usize>,
    /// How many bookmarks have an address of this scheme that names no page.
    placeless: BTreeMap<String, usize>,
    broken: usize,
}

impl Collection {
    pub(crate) fn add(&mut self, saved: Saved, folder: &Folder) {
        let Some(url) = canonical_url(&saved.url) else {
            self.leave_out(&saved.url);
            return;
        };
        let path = folder.path();
        if !path.is_empty() {
            let at = self.folder(&path);
            self.folders[at].2 += 1;
        }
        let at = *self.by_url.entry(url.clone()).or_insert_with(|| {
            self.pages.push(Page {
                url,
                ..Page::default()
            });
            self.pages.len() - 1
        });
        let reading_list = folder.reading_list;
        self.pages[at].merge(saved, path, folder.tag(), reading_list);
    }

    /// What the file says of a folder.
    pub(crate) fn describe(&mut self, folder: &Folder, description: &str) {
        if !description.trim().is_empty() {
            let at = self.folder(&folder.path());
            self.folders[at].1 = escape_line(description);
        }
    }

    fn folder(&mut self, path: &str) -> usize {
        if let Some(&at) = self.by_folder.get(path) {
            return at;
        }
        let at = self.folders.len();
        self.folders.push((path.to_owned(), String::new(), 0));
        self.by_folder.insert(path.to_owned(), at);
        at
    }

    fn leave_out(&mut self, url: &str) {
        let scheme = url.trim().split(':').next().unwrap_or_default();
        let known = [
            "about",
            "blob",
            "data",
            "javascript",
            "place",
            "vbscript",
            "view-source",
        ];
        let scheme = scheme.to_ascii_lowercase();
        if url.contains(':') && known.contains(&scheme.as_str()) {
            *self.placeless.entry(scheme).or_default() += 1;
        } else {
            self.broken += 1;
        }
    }

    /// The file's own document, then one for each page in order of appearance.
    pub(crate) fn into_documents(self, name: &str, warnings: Vec<String>) -> Vec<Document> {
        let mut own = Document {
            title: title::from_name(name),
            properties: vec![Property::number("bookmarks", self.pages.len() as f64)],
            warnings,
            ..Document::default()
        };
        for (path, description, count) in &self.folders {
            let path = escape_line(path);
            own.text.push_str(&format!("- {path} ({count})"));
            if !description.is_empty() {
                own.text.push_str(": ");
                own.text.push_str(description);
            }
            own.text.push('\n');
        }
        for (scheme, count) in &self.placeless {
            let (s, they, names) = plural(*count);
            own.warnings.push(format!(
                "{count} bookmark{s} with {scheme}: {they} left out, for such an address {names} no page."
            ));
        }
        if self.broken > 0 {
            let (s, they, _) = plural(self.broken);
            own.warnings.push(format!(
                "{} bookmark{s} without a sound address {they} left out.",
                self.broken
            ));
        }
        if self.pages.is_empty() {
            own.warnings.push("The file holds no bookmarks.".to_owned());
        }
        own.bound_warnings();
        let mut documents = Vec::with_capacity(self.pages.len() + 1);
        documents.push(own);
        documents.extend(self.pages.into_iter().map(Page::into_document));
        documents
    }
}

fn plural(count: usize) -> (&'static str, &'static str, &'static str) {
    if count == 1 {
        ("", "was", "names")
    } else {
        ("s", "were", "names")
    }
}

impl Page {
    fn merge(&mut self, new: Saved, path: String, tag: Option<String>, reading_list: bool) {
        let own = &mut self.saved;
        for (ours, theirs) in [
            (&mut own.title, new.title),
            (&mut own.keyword, new.keyword),
            (&mut own.feed, new.feed),
        ] {
            if ours.trim().is_empty() {
                *ours = theirs;
            }
        }
        let description = new.description.trim();
        let mut is_new = |kind, text: &str| self.seen.insert((kind, text.to_owned()));
        if !description.is_empty() && is_new(Kind::Description, description) {
            if !own.description.is_empty() {
                own.description.push_str("\n\n");
            }
            own.description.push_str(description);
        }
        own.created = own.created.into_iter().chain(new.created).min();
        own.modified = own.modified.max(new.modified);
        own.visited = own.visited.max(new.visited);
        own.private |= new.private;
        own.unread |= new.unread || reading_list;
        let url = new.url.trim();
        if url != self.url && is_new(Kind::Url, url) {
            self.saved_urls.push(url.to_owned());
        }
        if !path.is_empty() && is_new(Kind::Folder, &path) {
            self.folders.push(path);
        }
        for tag in tag.into_iter().chain(new.tags) {
            if let Some(tag) = title::tidy(tag.trim_start_matches('#'))
                && is_new(Kind::Tag, &tag.to_lowercase())
            {
                self.tags.push(tag);
            }
        }
    }

    fn into_document(self) -> Document {
        let saved = self.saved;
        let mut text = escape_plain(saved.description.trim());
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let start = text.len();
        text.push_str(&format!("<{}>", self.url));
        let link = Link {
            kind: LinkKind::Hyperlink,
            target: self.url.clone(),
            heading: None,
            block: None,
            label: None,
            span: (start..text.len()).into(),
        };

        let mut properties = vec![Property::text("url", &self.url)];
        match self.saved_urls.as_slice() {
            [] => {}
            [one] => properties.push(Property::text("saved_url", one)),
            many => properties.push(Property::texts("saved_url", many)),
        }
        for (name, at) in [
            ("created", saved.created),
            ("modified", saved.modified),
            ("visited", saved.visited),
        ] {
            properties.extend(at.map(|at| Property::timestamp(name, at)));
        }
        if !self.folders.is_empty() {
            properties.push(Property::texts("folder", &self.folders));
        }
        for (name, value) in [("keyword", &saved.keyword), ("feed", &saved.feed)] {
            if !value.is_empty() {
                properties.push(Property::text(name, value));
            }
        }
        for (name, holds) in [("private", saved.private), ("unread", saved.unread)] {
            if holds {
                properties.push(Property {
                    name: name.to_owned(),
                    value: extract_core::Value::One(extract_core::Scalar::Boolean(true)),
                });
            }
        }
        let bare = self
            .url
            .split_once("://")
            .map_or(self.url.as_str(), |at| at.1);
        Document {
            title: title::tidy(&saved.title)
                .or_else(|| title::tidy(bare.trim_end_matches('/')))
                .unwrap_or_else(|| self.url.clone()),
            part: self.url,
            kind: "bookmark".to_owned(),
            text,
            marks: self
                .folders
                .into_iter()
                .take(1)
                .map(|path| Mark::part(0, path))
                .collect(),
            properties,
            tags: self.tags,
            links: vec![link],
            ..Document::default()
        }
    }
}
