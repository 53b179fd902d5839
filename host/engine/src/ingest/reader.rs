//! Files read side by side, each handed on by one thread.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use pkb_sources::FolderSource;
use pkb_store::{LedgerState, Stamp};

use super::changes::{BY_USER, File, Parts, inside, is_same};
use super::{BATCH_ITEMS, SyncOptions};
use crate::error::Error;
use crate::job::{Job, Stage};
use crate::pipeline::{Pipeline, Read};

/// How far the reading is.
pub(super) struct Progress<'a> {
    pub(super) job: &'a dyn Job,
    pub(super) done: u64,
    pub(super) total: u64,
}

/// Reads files, several at the same time.
pub(super) struct Reader<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) folder: &'a FolderSource,
    /// What is known of what is inside files.
    pub(super) parts: Arc<Parts>,
    pub(super) options: SyncOptions,
}

impl Reader<'_> {
    /// Hands what was read of each file to `take`, which runs on this thread:
    /// first what is inside, then the file itself. `known` gives the hash that a file's bytes may have for there to be
    /// nothing to do.
    pub(super) fn read<'f>(
        &self,
        files: &[&'f File],
        known: impl Fn(usize) -> Option<[u8; 32]> + Sync,
        progress: &mut Progress<'_>,
        take: &mut dyn FnMut(&'f File, Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if files.is_empty() {
            return Ok(());
        }
        let Progress { job, done, total } = progress;
        let (job, total) = (*job, Some(*total));
        job.progress(Stage::Reading, *done, total);
        let next = AtomicUsize::new(0);
        let halt = AtomicBool::new(false);
        let workers = thread::available_parallelism()
            .map_or(2, usize::from)
            .min(files.len());
        let (send, receive) = mpsc::sync_channel::<(usize, Result<Read, Error>)>(BATCH_ITEMS);
        let span = tracing::Span::current();
        thread::scope(|scope| {
            for _ in 0..workers {
                let send = send.clone();
                let (next, halt, known) = (&next, &halt, &known);
                let span = span.clone();
                scope.spawn(move || {
                    let _span = span.enter();
                    while !halt.load(Ordering::Relaxed) && !job.stop() {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(file) = files.get(at) else { break };
                        let mut hand_on = |read| {
                            let stop = halt.load(Ordering::Relaxed) || job.stop();
                            if stop || send.send((at, Ok(read))).is_err() {
                                return Err(Error::Stopped);
                            }
                            Ok(())
                        };
                        let knows = |id: &str, hash: &[u8; 32]| self.knows(id, hash);
                        let read = self.pipeline.read(
                            self.folder,
                            &file.id,
                            known(at),
                            &knows,
                            &mut hand_on,
                        );
                        match read {
                            Ok(()) => {}
                            Err(Error::Stopped) => break,
                            Err(error) => {
                                let _ = send.send((at, Err(error)));
                                break;
                            }
                        }
                    }
                });
            }
            drop(send);
            let mut taken = 0;
            let mut result = Ok(());
            for (at, read) in receive {
                let through = read.as_ref().is_ok_and(Read::ends_file);
                if result.is_ok() {
                    result = read.and_then(|read| take(files[at], read));
                    if result.is_err() {
                        halt.store(true, Ordering::Relaxed);
                    }
                }
                if through {
                    taken += 1;
                    *done += 1;
                    job.progress(Stage::Reading, *done, total);
                }
            }
            result?;
            if taken < files.len() {
                return Err(Error::Stopped);
            }
            Ok(())
        })
    }

    /// Whether nothing has changed in a part of a file, nor in what is inside
    /// it.
    fn knows(&self, id: &str, hash: &[u8; 32]) -> bool {
        if self.options.all {
            return false;
        }
        let same = |own: &Stamp| is_same(own, hash, self.pipeline);
        self.parts.get(id).is_some_and(same)
            && inside(&self.parts, id).all(|(_, own)| {
                self.pipeline.reads(own)
                    && !(self.options.retry_failed && own.state == LedgerState::Failed)
                    && own
                        .deleted_from
                        .as_deref()
                        .is_none_or(|cause| cause == BY_USER)
            })
    }
}

/// The hashes of files, by id; those that cannot be read are left out.
pub(super) fn hash_all<'a>(
    folder: &FolderSource,
    files: &[&'a File],
    job: &dyn Job,
) -> HashMap<&'a str, [u8; 32]> {
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let share = files.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let hashing: Vec<_> = files
            .chunks(share)
            .map(|share| {
                scope.spawn(move || {
                    share
                        .iter()
                        .take_while(|_| !job.stop())
                        .filter_map(|file| Some((&*file.id, Pipeline::hash(folder, &file.id)?)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        hashing
            .into_iter()
            .flat_map(|hashed| hashed.join().unwrap_or_default())
            .collect()
    })
}
