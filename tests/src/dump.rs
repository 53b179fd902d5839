//! What a database says of a source, without numbers and times of its own: two
//! that were filled in different ways from the same folder dump alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pkb_store::{Deleted, ItemId, ItemQuery, ItemStatus, LedgerQuery, Store};

/// All that can be found of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dump {
    /// The items that are not deleted, by external id: columns, lists, text and
    /// chunks, one to a line. When a file was last changed is left out, as a
    /// sync does not follow a change of the time alone.
    pub items: BTreeMap<String, String>,
    /// The ledger's rows but for those of deleted items, by external id: state,
    /// reason and warnings.
    pub ledger: BTreeMap<String, String>,
}

/// What the numbers of a source's items are, which no two databases share.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Of the items that are not deleted, by external id.
    pub live: BTreeMap<String, ItemId>,
    /// The external ids of deleted items.
    pub deleted: BTreeSet<String>,
}

/// Dumps the source called `source`.
pub fn dump(store: &dyn Store, source: &str) -> (Dump, Numbers) {
    let every = ItemQuery {
        deleted: Deleted::Include,
        limit: u64::MAX >> 1,
        ..ItemQuery::default()
    };
    let mut dump = Dump::default();
    let mut numbers = Numbers::default();
    for item in store.items(&every).unwrap().entries {
        if item.source != source {
            continue;
        }
        if item.status == ItemStatus::Deleted {
            numbers.deleted.insert(item.external_id);
            continue;
        }
        let details = store.item(item.id).unwrap().unwrap();
        let text = store.text(item.id).unwrap().unwrap();
        let mut lines = String::new();
        let mut line = |what: &str, value: &dyn std::fmt::Debug| {
            writeln!(lines, "{what}: {value:?}").unwrap();
        };
        line("kind", &item.kind);
        line("title", &item.title);
        line("url", &item.url);
        line("author", &item.author);
        line("language", &item.language);
        line("created", &item.created);
        line("published", &item.published);
        line("size", &item.size);
        line("hash", &item.content_hash);
        line("tags", &details.tags);
        line("aliases", &details.aliases);
        line("categories", &details.categories);
        line("properties", &details.properties);
        line("links", &details.links);
        line("text", &text.text);
        line("marks", &text.marks);
        for chunk in store.chunks(item.id).unwrap() {
            line("chunk", &(chunk.ordinal, chunk.span, chunk.hash));
            line("  under", &(chunk.headings, chunk.context));
        }
        numbers.live.insert(item.external_id.clone(), item.id);
        dump.items.insert(item.external_id, lines);
    }
    let query = LedgerQuery {
        source: Some(source.into()),
        ..LedgerQuery::default()
    };
    for row in store.ledger(&query).unwrap().entries {
        if !numbers.deleted.contains(&row.external_id) {
            let what = format!("{:?} {:?} {:?}", row.state, row.reason, row.warnings);
            dump.ledger.insert(row.external_id, what);
        }
    }
    (dump, numbers)
}
