//! The item that a file's document becomes.

use pkb_sources::{FolderSource, item_url};
use pkb_store::{ItemWrite, Source, WantedSet};

use super::{NOTE, PLAIN, Prepared};
use crate::convert;

impl Prepared {
    /// The document's text.
    pub(crate) fn text(&self) -> &str {
        &self.document.text
    }

    pub(crate) fn into_item(
        self,
        source: &Source,
        folder: &FolderSource,
        sets: &[WantedSet],
        modified: Option<i64>,
        size: u64,
    ) -> ItemWrite {
        let Prepared {
            content_hash,
            id,
            document,
            chunks,
            provenance,
            markdown,
            ..
        } = self;
        let properties = convert::properties(document.properties);
        let dated = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| convert::timestamp(&properties, name))
        };
        let kind = if markdown { NOTE } else { PLAIN };
        ItemWrite {
            source: source.id,
            kind: kind.into(),
            chunk_set: sets
                .iter()
                .find(|wanted| wanted.kind == kind)
                .map(|wanted| wanted.set),
            title: document.title,
            url: item_url(folder.path(), &id).ok(),
            author: convert::text(&properties, "author"),
            language: convert::text(&properties, "lang")
                .or_else(|| convert::text(&properties, "language")),
            created: dated(&["created", "date"]),
            modified: dated(&["updated", "modified"]).or(modified),
            published: dated(&["published"]),
            duration: None,
            views: None,
            categories: Vec::new(),
            size,
            content_hash,
            marks: document.marks.into_iter().map(convert::mark).collect(),
            text: document.text,
            chunks,
            properties,
            tags: document.tags,
            aliases: document.aliases,
            links: document.links.into_iter().map(convert::link).collect(),
            provenance,
            external_id: id,
        }
    }
}
