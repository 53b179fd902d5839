//! Stores what was read, several items in a transaction.

use std::collections::{HashMap, HashSet};

use pkb_sources::FolderSource;
use pkb_store::{
    ItemWrite, LedgerState, LedgerWrite, NotIndexed, Provenance, Rename, Source, Stamp, SyncCounts,
};

use super::changes::{File, Moves};
use super::{BATCH_ITEMS, Change, tell};
use crate::engine::Engine;
use crate::error::Error;
use crate::pipeline::{Pipeline, Read};

/// Bytes of text written in one transaction, about.
const BATCH_BYTES: usize = 8 << 20;

/// Stands before the stamp of a file that is to be tried once more.
pub(super) const TRIED_ONCE: &str = "tried once: ";

/// What the writer works with.
pub(super) struct Work<'a> {
    pub(super) source: &'a Source,
    pub(super) folder: &'a FolderSource,
    pub(super) pipeline: &'a Pipeline,
    pub(super) known: &'a HashMap<String, Stamp>,
    pub(super) moves: &'a Moves,
    /// Whether what has not changed is stored anew all the same.
    pub(super) all: bool,
    pub(super) counts: &'a mut SyncCounts,
    /// What is told one by one.
    pub(super) changes: &'a mut Vec<Change>,
}

/// Collects what was read and stores it in batches.
pub(super) struct Writer<'a> {
    pub(super) engine: &'a Engine,
    pub(super) work: Work<'a>,
    pub(super) items: Vec<ItemWrite>,
    pub(super) ledger: Vec<LedgerWrite>,
    pub(super) renames: Vec<Rename>,
    pub(super) touched: Vec<(String, String)>,
    pub(super) bytes: usize,
    pub(super) taken: usize,
    pub(super) moved: HashSet<String>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(engine: &'a Engine, work: Work<'a>) -> Self {
        Writer {
            engine,
            work,
            items: Vec::new(),
            ledger: Vec::new(),
            renames: Vec::new(),
            touched: Vec::new(),
            bytes: 0,
            taken: 0,
            moved: HashSet::new(),
        }
    }

    pub(super) fn take(&mut self, file: &File, read: Read) -> Result<(), Error> {
        self.taken += 1;
        let known = self.work.known.get(&file.id);
        match read {
            Read::Document(document) => {
                let same_bytes = !self.work.all
                    && known.is_some_and(|known| {
                        known.content_hash == Some(document.content_hash)
                            && known.state == LedgerState::Indexed
                            && known.pipeline == self.work.pipeline.key
                            && known.deleted_from.is_none()
                    });
                if same_bytes {
                    self.work.counts.unchanged += 1;
                    self.touched.push((file.id.clone(), document.stamp));
                } else {
                    self.note_change(file, known, &document.content_hash);
                    let item = document.into_item(
                        self.work.source,
                        self.work.folder,
                        file.modified,
                        file.size,
                    );
                    self.bytes += item.text.len();
                    self.items.push(item);
                }
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

    /// Counts an item as new, changed, moved or back.
    fn note_change(&mut self, file: &File, known: Option<&Stamp>, hash: &[u8; 32]) {
        let counts = &mut *self.work.counts;
        let mut tell = |what, from| tell(self.work.changes, what, &file.id, from);
        match known {
            Some(known) if known.deleted_from.is_some() => {
                counts.restored += 1;
                tell("restored", None);
            }
            Some(known) if known.item.is_some() => {
                counts.updated += 1;
                tell("updated", None);
            }
            _ => match self.work.moves.from(hash, &self.moved) {
                Some(from) => {
                    counts.moved += 1;
                    tell("moved", Some(&from));
                    self.renames.push(Rename {
                        source: self.work.source.id,
                        from: from.clone(),
                        to: file.id.clone(),
                        url: None,
                        stamp: file.stamp.clone(),
                    });
                    self.moved.insert(from);
                }
                None => {
                    counts.added += 1;
                    tell("added", None);
                }
            },
        }
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let store = self.engine.store();
        if !self.renames.is_empty() {
            // A row that only says that the new path failed before would be in
            // the way of the item that moves there.
            let to: Vec<&str> = self
                .renames
                .iter()
                .map(|rename| rename.to.as_str())
                .collect();
            store.forget(self.work.source.id, &to)?;
            store.rename(&self.renames)?;
            self.renames.clear();
        }
        if !self.items.is_empty() {
            store.put(&self.items)?;
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
        "unreadable" | "changed" => String::new(),
        "deadline" if known.is_none_or(|known| known.stamp != second_try) => second_try,
        _ => file.stamp.clone(),
    }
}
