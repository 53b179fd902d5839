//! The item that a document becomes.

use pkb_sources::{FolderSource, item_url};
use pkb_store::{ItemWrite, Property, Scalar, Source, Value, WantedSet};

use super::Prepared;
use super::walk::{INSIDE, file_of};
use crate::convert;

/// The property that says what a part is in.
const PART_OF: &str = "part_of";

impl Prepared {
    /// The document's text.
    pub(crate) fn text(&self) -> &str {
        &self.document.text
    }

    /// `modified` is the file's, in milliseconds.
    pub(crate) fn into_item(
        self,
        source: &Source,
        folder: &FolderSource,
        sets: &[WantedSet],
        modified: Option<i64>,
    ) -> ItemWrite {
        let Prepared {
            content_hash,
            id,
            document,
            chunks,
            provenance,
            kind,
            size,
        } = self;
        let mut properties = convert::properties(document.properties);
        let dated = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| convert::timestamp(&properties, name))
        };
        let created = dated(&["created", "date"]);
        let file = file_of(&id);
        // What is inside a file has no time of its own on the disk: a message of
        // last year in a mailbox is not new.
        let modified = dated(&["updated", "modified"])
            .or(file.and(created))
            .or(modified);
        let published = dated(&["published"]);
        let own_url = convert::text(&properties, "url").filter(|url| is_web(url));
        // A note that a person keeps is opened where it is, whatever page it is
        // about.
        let url = match file {
            Some(file) => own_url.or_else(|| item_url(folder.path(), file).ok()),
            None => item_url(folder.path(), &id).ok(),
        };
        if let Some((outer, _)) = id.rsplit_once(INSIDE) {
            properties.push(Property {
                name: PART_OF.into(),
                value: Value::One(Scalar::Text(outer.to_owned())),
            });
        }
        let chunk_set = sets
            .iter()
            .find(|wanted| wanted.kind.as_deref() == Some(&kind))
            .or_else(|| sets.iter().find(|wanted| wanted.kind.is_none()))
            .map(|wanted| wanted.set);
        ItemWrite {
            source: source.id,
            kind,
            chunk_set,
            title: document.title,
            url,
            author: convert::text(&properties, "author"),
            language: convert::text(&properties, "lang")
                .or_else(|| convert::text(&properties, "language")),
            created,
            modified,
            published,
            duration: convert::number(&properties, "duration").filter(|seconds| *seconds >= 0.0),
            views: convert::number(&properties, "views")
                .filter(|views| *views >= 0.0)
                .map(|views| views as u64),
            categories: convert::texts(&properties, "categories"),
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

fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}
