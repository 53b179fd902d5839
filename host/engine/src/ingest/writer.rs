//! Stores what was read, several items in a transaction.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pkb_sources::{FolderSource, item_url};
use pkb_store::{
    ItemWrite, LedgerWrite, NotIndexed, Provenance, Rename, Source, Stamp, SyncCounts, WantedSet,
};

use super::changes::{File, Known, Parts, inside, is_deleted_by_user, is_live};
use super::moves::Move;
use super::{BATCH_ITEMS, Change, tell};
use crate::engine::Engine;
use crate::error::Error;
use crate::pipeline::walk::{INSIDE, file_of};
use crate::pipeline::{CHANGED, Pipeline, Prepared, Read};

/// Bytes of text written in one transaction, about.
const BATCH_BYTES: usize = 8 << 20;

/// Stands before the stamp of a file that is to be tried once more.
pub(super) const TRIED_ONCE: &str = "tried once: ";

/// What the writer works with.
pub(super) struct Work<'a> {
    pub(super) source: &'a Source,
    pub(super) folder: &'a FolderSource,
    pub(super) pipeline: &'a Pipeline,
    /// What the chunks are made with.
    pub(super) sets: &'a [WantedSet],
    /// What is known of the source's files; follows what is moved.
    pub(super) known: Known,
    /// What is known of what is inside them; follows too.
    pub(super) parts: Arc<Parts>,
    pub(super) counts: &'a mut SyncCounts,
    /// What is told one by one.
    pub(super) changes: &'a mut Vec<Change>,
}

/// Collects what was read and stores it in batches.
pub(super) struct Writer<'a> {
    engine: &'a Engine,
    pub(super) work: Work<'a>,
    items: Vec<ItemWrite>,
    ledger: Vec<LedgerWrite>,
    touched: Vec<(String, String)>,
    bytes: usize,
    /// Where items moved to.
    moved: HashSet<String>,
    /// What was found inside files that are not read to their ends yet.
    found: HashMap<String, Inside>,
    /// What is no longer inside the files that were read.
    pub(super) lost: Vec<String>,
}

/// What was found inside a file.
#[derive(Default)]
struct Inside {
    ids: HashSet<String>,
    /// Parts that have not changed, nor has anything inside them.
    whole: Vec<String>,
    /// What was stored though it may have to go again.
    stored: HashSet<String>,
}

impl Inside {
    fn holds(&self, id: &str) -> bool {
        let within = |outer: &String| {
            id.strip_prefix(outer.as_str())
                .is_some_and(|rest| rest.starts_with(INSIDE))
        };
        self.ids.contains(id) || self.whole.iter().any(within)
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(engine: &'a Engine, work: Work<'a>) -> Self {
        Writer {
            engine,
            work,
            items: Vec::new(),
            ledger: Vec::new(),
            touched: Vec::new(),
            bytes: 0,
            moved: HashSet::new(),
            found: HashMap::new(),
            lost: Vec::new(),
        }
    }

    /// Gives items their new paths. Until they are stored anew the ledger has
    /// no stamp for them: were that to fail, the next sync does it, and their
    /// titles follow their names.
    pub(super) fn relocate(&mut self, moves: &[Move]) -> Result<(), Error> {
        if moves.is_empty() {
            return Ok(());
        }
        let rename = |from: &str, to: &str, file: &str, stamp: &str| Rename {
            source: self.work.source.id,
            from: from.to_owned(),
            to: to.to_owned(),
            url: item_url(self.work.folder.path(), file).ok(),
            stamp: stamp.to_owned(),
        };
        let mut renames: Vec<Rename> = moves
            .iter()
            .map(|own| rename(&own.from, &own.to, &own.to, ""))
            .collect();
        // What is inside goes with its file.
        let inner: Vec<(String, String)> = moves
            .iter()
            .flat_map(|own| {
                inside(&self.work.parts, &own.from).map(|(id, _)| {
                    let to = format!("{}{}", own.to, &id[own.from.len()..]);
                    (id.clone(), to)
                })
            })
            .collect();
        for (from, to) in &inner {
            let stamp = self.work.parts.get(from);
            if stamp.is_some_and(|stamp| stamp.item.is_some()) {
                let file = file_of(to).unwrap_or(to);
                renames.push(rename(from, to, file, &self.work.parts[from].stamp));
            }
        }
        let rows: Vec<&str> = inner
            .iter()
            .map(|(from, _)| from.as_str())
            .filter(|from| self.work.parts[*from].item.is_none())
            .collect();
        self.engine
            .everything()
            .forget(self.work.source.id, &rows)?;
        // A row that only says that the new path failed before goes with it.
        let done = self.engine.everything().rename(&renames)?;
        let parts = Arc::make_mut(&mut self.work.parts);
        let moved: Vec<(String, Stamp)> = inner
            .into_iter()
            .filter_map(|(from, to)| Some((to, parts.remove(&from)?)))
            .filter(|(_, stamp)| stamp.item.is_some())
            // They are stored anew, with where they are now.
            .map(|(to, stamp)| {
                let pipeline = String::new();
                (to, Stamp { pipeline, ..stamp })
            })
            .collect();
        self.moved.extend(moved.iter().map(|(to, _)| to.clone()));
        parts.extend(moved);
        let known = &mut self.work.known;
        let stamps: Vec<(&Move, Stamp)> = moves
            .iter()
            .zip(done)
            .filter(|(_, done)| done.is_some())
            .filter_map(|(own, _)| Some((own, known.remove(&own.from)?)))
            .collect();
        for (Move { from, to, .. }, stamp) in stamps {
            if is_live(&stamp) {
                self.work.counts.moved += 1;
                self.moved.insert(to.clone());
                tell(self.work.changes, "moved", to, Some(from));
            }
            let stamp = Stamp {
                stamp: String::new(),
                ..stamp
            };
            self.work.known.insert(to.clone(), stamp);
        }
        Ok(())
    }

    pub(super) fn take(&mut self, file: &File, read: Read) -> Result<(), Error> {
        match read {
            Read::Same { stamp } => {
                let parts = inside(&self.work.parts, &file.id).filter(|(_, own)| is_live(own));
                self.work.counts.unchanged += 1 + parts.count() as u64;
                self.touched.push((file.id.clone(), stamp));
            }
            Read::Document(document) => {
                let known = self.work.known.get(&file.id).cloned();
                self.put(file, *document, known.as_ref());
                self.let_go(file);
            }
            Read::Failed {
                reason,
                message,
                provenance,
            } => {
                let known = self.work.known.get(&file.id);
                let stamp = stamp_of_failure(file, known, &reason);
                let provenance = Provenance {
                    stamp,
                    ..provenance
                };
                self.fail(file.id.clone(), reason, message, provenance);
                // Nobody knows what else would have been inside.
                self.found.remove(&file.id);
            }
            Read::Skipped {
                reason,
                message,
                provenance,
            } => {
                self.skip(file.id.clone(), reason, message, provenance);
                // What it was before is nowhere any more.
                self.let_go(file);
                if self.work.known.get(&file.id).is_some_and(is_live) {
                    self.lost.push(file.id.clone());
                }
            }
            Read::Vanished => {
                self.found.remove(&file.id);
            }
            Read::Part(document) => {
                let found = self.found.entry(file.id.clone()).or_default();
                found.ids.insert(document.id.clone());
                found.stored.insert(document.id.clone());
                let known = self.work.parts.get(&document.id).cloned();
                // Another extractor sees other text in the same bytes, which
                // brings nothing back that a person deleted.
                let stays_deleted = known.as_ref().is_some_and(|known| {
                    is_deleted_by_user(known) && !self.work.pipeline.reads(known)
                });
                if !stays_deleted {
                    self.put(file, *document, known.as_ref());
                }
            }
            Read::PartFailed {
                id,
                reason,
                message,
                provenance,
            } => {
                let found = self.found.entry(file.id.clone()).or_default();
                found.ids.insert(id.clone());
                self.fail(id, reason, message, provenance);
            }
            Read::PartSkipped {
                id,
                reason,
                message,
                provenance,
            } => {
                let found = self.found.entry(file.id.clone()).or_default();
                found.ids.insert(id.clone());
                self.skip(id, reason, message, provenance);
            }
            Read::PartSame { id, whole } => {
                let within = match whole {
                    true => inside(&self.work.parts, &id)
                        .filter(|(_, own)| is_live(own))
                        .count(),
                    false => 0,
                };
                self.work.counts.unchanged += 1 + within as u64;
                let found = self.found.entry(file.id.clone()).or_default();
                if whole {
                    found.whole.push(id.clone());
                }
                found.ids.insert(id);
            }
            Read::Again => {
                if let Some(found) = self.found.get_mut(&file.id) {
                    found.ids.clear();
                    found.whole.clear();
                }
            }
        }
        if self.items.len() + self.ledger.len() >= BATCH_ITEMS || self.bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Stores a document as an item, which so far was `known`.
    fn put(&mut self, file: &File, document: Prepared, known: Option<&Stamp>) {
        let counts = &mut *self.work.counts;
        let id = document.id.clone();
        let what = match known {
            Some(known) if known.deleted_from.is_some() => {
                counts.restored += 1;
                Some("restored")
            }
            // A move is told already.
            Some(known) if known.item.is_some() => {
                let moved = self.moved.contains(&id);
                counts.updated += u64::from(!moved);
                (!moved).then_some("updated")
            }
            _ => {
                counts.added += 1;
                Some("added")
            }
        };
        if let Some(what) = what {
            tell(self.work.changes, what, &id, None);
        }
        let item = document.into_item(
            self.work.source,
            self.work.folder,
            self.work.sets,
            file.modified,
        );
        self.bytes += item.text.len();
        self.items.push(item);
    }

    fn fail(&mut self, id: String, reason: String, message: String, provenance: Provenance) {
        self.work.counts.failed += 1;
        self.ledger.push(LedgerWrite {
            source: self.work.source.id,
            external_id: id,
            outcome: NotIndexed::Failed,
            provenance,
            reason,
            message,
        });
    }

    fn skip(&mut self, id: String, reason: &str, message: String, provenance: Provenance) {
        self.work.counts.skipped += 1;
        self.ledger.push(LedgerWrite {
            source: self.work.source.id,
            external_id: id,
            outcome: NotIndexed::Skipped,
            provenance,
            reason: reason.to_owned(),
            message,
        });
    }

    /// A file was read to its end: what else was known to be inside is not
    /// there any more.
    fn let_go(&mut self, file: &File) {
        let found = self.found.remove(&file.id).unwrap_or_default();
        let known = inside(&self.work.parts, &file.id).map(|(id, _)| id);
        let stored = found.stored.iter().filter(|id| !found.ids.contains(*id));
        let lost: Vec<String> = known
            .chain(stored)
            .filter(|id| !found.holds(id))
            .cloned()
            .collect();
        self.lost.extend(lost);
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let store = self.engine.everything();
        if !self.items.is_empty() {
            tracing::debug_span!("ingest.store", items = self.items.len())
                .in_scope(|| store.put(&self.items))?;
            self.items.clear();
        }
        if !self.ledger.is_empty() {
            store.put_ledger(&self.ledger)?;
            self.ledger.clear();
        }
        if !self.touched.is_empty() {
            let touched: Vec<(&str, &str)> = self
                .touched
                .iter()
                .map(|(id, stamp)| (id.as_str(), stamp.as_str()))
                .collect();
            store.touch(self.work.source.id, &touched)?;
            self.touched.clear();
        }
        self.bytes = 0;
        Ok(())
    }
}

/// What the ledger is to compare for a file that failed: its stamp, so that it
/// is not tried again until it changes; something that no file has, where
/// another try costs little or may go better.
fn stamp_of_failure(file: &File, known: Option<&Stamp>, reason: &str) -> String {
    let second_try = format!("{TRIED_ONCE}{}", file.stamp);
    match reason {
        "unreadable" | CHANGED => String::new(),
        "deadline" if known.is_none_or(|known| known.stamp != second_try) => second_try,
        _ => file.stamp.clone(),
    }
}
