//! Stores what was read, several items in a transaction.

use std::collections::HashSet;

use pkb_sources::{FolderSource, item_url};
use pkb_store::{
    ItemWrite, LedgerWrite, NotIndexed, Provenance, Rename, Source, Stamp, SyncCounts, WantedSet,
};

use super::changes::{File, Known, is_live};
use super::moves::Move;
use super::{BATCH_ITEMS, Change, tell};
use crate::engine::Engine;
use crate::error::Error;
use crate::pipeline::{CHANGED, Pipeline, Read};

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
    /// What is known of the source; follows what is moved.
    pub(super) known: Known,
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
        }
    }

    /// Gives items their new paths. Until they are stored anew the ledger has
    /// no stamp for them: were that to fail, the next sync does it, and their
    /// titles follow their names.
    pub(super) fn relocate(&mut self, moves: &[Move]) -> Result<(), Error> {
        if moves.is_empty() {
            return Ok(());
        }
        let renames: Vec<Rename> = moves
            .iter()
            .map(|own| Rename {
                source: self.work.source.id,
                from: own.from.clone(),
                to: own.to.clone(),
                url: item_url(self.work.folder.path(), &own.to).ok(),
                stamp: String::new(),
            })
            .collect();
        // A row that only says that the new path failed before goes with it.
        let done = self.engine.store().rename(&renames)?;
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
        let known = self.work.known.get(&file.id);
        match read {
            Read::Same { stamp } => {
                self.work.counts.unchanged += 1;
                self.touched.push((file.id.clone(), stamp));
            }
            Read::Document(document) => {
                let counts = &mut *self.work.counts;
                let what = match known {
                    Some(known) if known.deleted_from.is_some() => {
                        counts.restored += 1;
                        Some("restored")
                    }
                    // A move is told already.
                    Some(known) if known.item.is_some() => {
                        let moved = self.moved.contains(&file.id);
                        counts.updated += u64::from(!moved);
                        (!moved).then_some("updated")
                    }
                    _ => {
                        counts.added += 1;
                        Some("added")
                    }
                };
                if let Some(what) = what {
                    tell(self.work.changes, what, &file.id, None);
                }
                let item = document.into_item(
                    self.work.source,
                    self.work.folder,
                    self.work.sets,
                    file.modified,
                    file.size,
                );
                self.bytes += item.text.len();
                self.items.push(item);
            }
            Read::Failed {
                reason,
                message,
                provenance,
            } => {
                self.work.counts.failed += 1;
                self.ledger.push(LedgerWrite {
                    source: self.work.source.id,
                    external_id: file.id.clone(),
                    outcome: NotIndexed::Failed,
                    provenance: Provenance {
                        stamp: stamp_of_failure(file, known, &reason),
                        ..provenance
                    },
                    reason,
                    message,
                });
            }
            Read::Vanished => {}
        }
        if self.items.len() + self.ledger.len() >= BATCH_ITEMS || self.bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let store = self.engine.store();
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
