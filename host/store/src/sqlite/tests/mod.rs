//! Tests of the store through its trait, on real files.

mod concurrency;
mod dense;
mod filters;
mod filters_random;
mod health;
mod items;
mod listing;
mod opening;
mod random;
mod searching;
mod sources;
mod staged;
mod upgrading;
mod vault;
mod vectors;
mod wiping;
mod without;

use std::ops::Range;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::*;

/// A store in a folder of its own.
struct Home {
    store: SqliteStore,
    source: SourceId,
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = SqliteStore::open(folder.path().join("pkb.db")).unwrap();
        let source = store.add_source(&spec("notes")).unwrap().id;
        Self {
            store,
            source,
            folder,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("pkb.db")
    }

    /// Stores one item made by [`note`] and gives back its id.
    fn put(&self, external_id: &str, text: &str) -> ItemId {
        self.put_item(note(self.source, external_id, text))
    }

    fn put_item(&self, item: ItemWrite) -> ItemId {
        self.store.put(&[analyzed(item)]).unwrap()[0]
    }

    /// The external ids of the items whose chunks match any of the words, best
    /// first.
    fn search(&self, words: &str) -> Vec<String> {
        self.search_in(words, &Filter::default(), 100)
    }

    fn search_in(&self, words: &str, filter: &Filter, limit: usize) -> Vec<String> {
        let query = LexicalQuery::any(words.split_whitespace());
        let found = self.store.lexical(&query, filter, limit).unwrap();
        self.names(found.items.iter().map(|item| item.found.chunks[0].0))
    }

    fn names(&self, chunks: impl Iterator<Item = ChunkId>) -> Vec<String> {
        let ids: Vec<ChunkId> = chunks.collect();
        let hits = self.store.hits(&ids).unwrap();
        assert_eq!(hits.len(), ids.len(), "a search found what is gone");
        hits.into_iter().map(|hit| hit.item.external_id).collect()
    }

    fn assert_sound(&self) {
        assert_eq!(self.store.check().unwrap(), []);
    }
}

fn spec(name: &str) -> SourceSpec {
    SourceSpec {
        name: name.into(),
        kind: "folder".into(),
        location: "/notes".into(),
        settings: "{}".into(),
        chunker: None,
        chunker_settings: None,
    }
}

/// Terms as a plain analyzer makes them: words in small letters.
fn words(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}

/// The terms of an item's chunks; aliases and tags go with the first.
fn make_terms(item: Analyzable<'_>, chunks: &[(Range<u64>, &[String])]) -> Vec<Terms> {
    let also = |at: usize, list: &[String]| match at {
        0 => list.join(" "),
        _ => String::new(),
    };
    chunks
        .iter()
        .enumerate()
        .map(|(at, (span, headings))| Terms {
            title: words(&format!("{} {}", item.title, also(at, item.aliases))),
            headings: words(&format!("{} {}", headings.join(" "), also(at, item.tags))),
            body: words(&item.text[span.start as usize..span.end as usize]),
        })
        .collect()
}

/// Makes an item's terms what its present content asks for.
fn analyzed(mut item: ItemWrite) -> ItemWrite {
    let chunks: Vec<_> = item
        .chunks
        .iter()
        .map(|chunk| (chunk.span.clone(), chunk.headings.as_slice()))
        .collect();
    let inside = |span: &Range<u64>| {
        item.text
            .get(span.start as usize..span.end as usize)
            .is_some()
    };
    if !chunks.iter().all(|(span, _)| inside(span)) {
        return item;
    }
    let made = make_terms(
        Analyzable {
            title: &item.title,
            aliases: &item.aliases,
            tags: &item.tags,
            text: &item.text,
        },
        &chunks,
    );
    for (chunk, terms) in item.chunks.iter_mut().zip(made) {
        chunk.terms = terms;
    }
    item
}

/// A note with one chunk for each paragraph.
fn note(source: SourceId, external_id: &str, text: &str) -> ItemWrite {
    let mut chunks = Vec::new();
    let mut start = 0;
    for paragraph in text.split_inclusive("\n\n") {
        let body = paragraph.trim_end();
        if !body.is_empty() {
            chunks.push(ChunkWrite {
                span: start as u64..(start + body.len()) as u64,
                headings: Vec::new(),
                context: None,
                hash: ChunkHash::of(body),
                terms: Terms::default(),
            });
        }
        start += paragraph.len();
    }
    analyzed(ItemWrite {
        source,
        external_id: external_id.into(),
        kind: "note".into(),
        title: external_id.trim_end_matches(".md").into(),
        url: None,
        author: None,
        language: None,
        created: None,
        modified: None,
        published: None,
        duration: None,
        views: None,
        categories: Vec::new(),
        size: text.len() as u64,
        content_hash: *blake3::hash(text.as_bytes()).as_bytes(),
        text: text.into(),
        marks: Vec::new(),
        chunks,
        properties: Vec::new(),
        tags: Vec::new(),
        aliases: Vec::new(),
        links: Vec::new(),
        chunk_set: None,
        provenance: Provenance {
            stamp: format!("{}", text.len()),
            pipeline: "p1".into(),
            component: Some("extract-markdown 0.1.0".into()),
            warnings: Vec::new(),
        },
    })
}
