//! One file of a folder, read.

use std::io;
use std::path::Path;
use std::sync::Arc;

use pkb_runtime::{Blob, PictureReader};
use pkb_sources::{FileBlob, FolderSource, conflict_of};
use pkb_store::Provenance;
use tracing::field::Empty;

use super::walk::{Choose, Chosen, Extracted, Input, Own, Part, Walk};
use super::{Pipeline, Prepared};
use crate::error::Error;

/// Why a file failed that was written to while it was read.
pub(crate) const CHANGED: &str = "changed";
/// How often such a file is read in one sync, at most.
const TRIES: usize = 3;
/// How much of a file is hashed at a time, in bytes.
const HASHED_AT_ONCE: usize = 1 << 20;
/// The stamp of what is inside a file: the file's own says whether it changed.
const STAMP_INSIDE: &str = "inside";

/// What became of a file, or of something inside it.
pub(crate) enum Read {
    /// The file's own item. It is the last of a file, as are all that name no
    /// part.
    Document(Box<Prepared>),
    Failed {
        reason: String,
        message: String,
        provenance: Provenance,
    },
    /// Nothing reads it.
    Skipped {
        reason: &'static str,
        message: String,
        provenance: Provenance,
    },
    /// Not what was asked for: the bytes are those that are known.
    Same { stamp: String },
    /// Gone since it was seen; the next sync finds out how.
    Vanished,
    /// An item inside the file.
    Part(Box<Prepared>),
    PartFailed {
        id: String,
        reason: String,
        message: String,
        provenance: Provenance,
    },
    PartSkipped {
        id: String,
        reason: &'static str,
        message: String,
        provenance: Provenance,
    },
    /// A part of which nothing has changed, nor of what is inside it where
    /// `whole`.
    PartSame { id: String, whole: bool },
    /// The file was written to meanwhile: what was said of its parts may not
    /// hold, and they come again.
    Again,
}

impl Read {
    /// Whether nothing more comes of the same file.
    pub(crate) fn ends_file(&self) -> bool {
        match self {
            Read::Document(_)
            | Read::Failed { .. }
            | Read::Skipped { .. }
            | Read::Same { .. }
            | Read::Vanished => true,
            Read::Part(_)
            | Read::PartFailed { .. }
            | Read::PartSkipped { .. }
            | Read::PartSame { .. }
            | Read::Again => false,
        }
    }
}

/// A document that could not be chunked or analyzed.
struct NotPrepared {
    reason: String,
    message: String,
    provenance: Provenance,
}

/// Takes what was read; an error stops the reading.
pub(crate) type Take<'a> = dyn FnMut(Read) -> Result<(), Error> + 'a;

/// Whether the item of that id, a part of a file, was made of bytes with that
/// hash and would be made the same again; so must be all inside it.
pub(crate) type KnowsPart<'a> = dyn Fn(&str, &[u8; 32]) -> bool + Sync + 'a;

impl Pipeline {
    /// Reads one file, unless it holds the bytes of the hash `known`, and hands
    /// on what is in it, its own item last. One that is written to meanwhile is
    /// read anew, a few times. Only what would stop the whole sync is an error.
    pub(crate) fn read(
        &self,
        folder: &FolderSource,
        id: &str,
        known: Option<[u8; 32]>,
        knows_part: &KnowsPart<'_>,
        take: &mut Take<'_>,
    ) -> Result<(), Error> {
        let mut tries = 1;
        loop {
            match self.try_to_read(folder, id, known, knows_part, take)? {
                Read::Failed { reason, .. } if reason == CHANGED && tries < TRIES => {
                    tries += 1;
                    take(Read::Again)?;
                }
                read => return take(read),
            }
        }
    }

    fn try_to_read(
        &self,
        folder: &FolderSource,
        id: &str,
        known: Option<[u8; 32]>,
        knows_part: &KnowsPart<'_>,
        take: &mut Take<'_>,
    ) -> Result<Read, Error> {
        let span = tracing::trace_span!("ingest.read", bytes = Empty, reason = Empty).entered();
        let blob = match folder.open_file(id) {
            Ok(blob) => Arc::new(blob),
            Err(error) => return Ok(self.unreadable(&error)),
        };
        span.record("bytes", blob.size());
        let stamp = blob.stamp().to_owned();
        let content_hash = match hash(&blob) {
            Ok(hash) => hash,
            Err(error) => return Ok(self.unreadable(&error)),
        };
        // A stamp that would not tell the next change is not to be relied on.
        let relied_on = match blob.is_settled() {
            true => stamp.clone(),
            false => format!("{stamp}, just written"),
        };
        if known == Some(content_hash) {
            return Ok(match blob.still(&stamp) {
                Ok(()) => Read::Same { stamp: relied_on },
                Err(error) => self.unreadable(&error),
            });
        }
        let choose = Reading {
            pipeline: self,
            knows_part,
        };
        let input = Input {
            id: id.to_owned(),
            name: id.rsplit('/').next().unwrap_or(id).to_owned(),
            media_type: None,
            blob: Arc::new(Lent(blob.clone())),
        };
        let own =
            Walk::new(&choose, blob.size()).file(input, 0, &mut |part| take(self.part(part)))?;
        // Bytes that changed while they were read belong to no version of the
        // file.
        if let Err(error) = blob.still(&stamp) {
            return Ok(self.unreadable(&error));
        }
        Ok(match own {
            Own::Document(mut document, chosen) => {
                if let Some(original) = conflict_of(id) {
                    document.warnings.push(format!(
                        "a copy of {original} that a sync tool made of an edit in conflict: compare the two, keep what you need and delete one"
                    ));
                }
                let extracted = Extracted {
                    id: id.to_owned(),
                    outer: None,
                    document: *document,
                    chosen,
                    hash: content_hash,
                    size: blob.size(),
                };
                match self.prepare(extracted, relied_on) {
                    Ok(prepared) => Read::Document(prepared),
                    Err(not) => Read::Failed {
                        reason: not.reason,
                        message: not.message,
                        provenance: not.provenance,
                    },
                }
            }
            Own::Skipped(reason, message, chosen) => Read::Skipped {
                reason,
                message,
                provenance: self.left_out(relied_on, chosen.as_ref()),
            },
            Own::Failed(error, chosen) => {
                self.failed(error.kind(), error.to_string(), chosen.as_ref())
            }
        })
    }

    /// Makes ready what is inside a file.
    fn part(&self, part: Part) -> Read {
        match part {
            Part::Same(id) => Read::PartSame { id, whole: false },
            Part::AllSame(id) => Read::PartSame { id, whole: true },
            Part::Document(extracted) => {
                let id = extracted.id.clone();
                match self.prepare(*extracted, STAMP_INSIDE.to_owned()) {
                    Ok(prepared) => Read::Part(prepared),
                    Err(not) => Read::PartFailed {
                        id,
                        reason: not.reason,
                        message: not.message,
                        provenance: Provenance {
                            stamp: STAMP_INSIDE.to_owned(),
                            ..not.provenance
                        },
                    },
                }
            }
            Part::Failed {
                id,
                reason,
                message,
                chosen,
            } => Read::PartFailed {
                id,
                reason: reason.to_owned(),
                message,
                provenance: Provenance {
                    stamp: STAMP_INSIDE.to_owned(),
                    pipeline: self.whole_key(chosen.as_ref().map(|chosen| chosen.key.as_str())),
                    component: chosen.map(|chosen| chosen.extractor.info().name.clone()),
                    warnings: Vec::new(),
                },
            },
            Part::Skipped {
                id,
                reason,
                message,
                chosen,
            } => Read::PartSkipped {
                id,
                reason,
                message,
                provenance: self.left_out(STAMP_INSIDE.to_owned(), chosen.as_ref()),
            },
        }
    }

    /// Chunks and terms for a document; or why there are none, and whose fault
    /// that is.
    fn prepare(
        &self,
        extracted: Extracted,
        stamp: String,
    ) -> Result<Box<Prepared>, Box<NotPrepared>> {
        let Extracted {
            id,
            outer,
            mut document,
            chosen,
            hash,
            size,
        } = extracted;
        let kind = match std::mem::take(&mut document.kind) {
            kind if kind.is_empty() => chosen.kind.to_owned(),
            kind => kind,
        };
        let failed = |error: &pkb_runtime::CallError, component: &str| {
            tracing::Span::current().record("reason", error.kind());
            let provenance = Provenance {
                stamp: String::new(),
                pipeline: self.whole_key(Some(&chosen.key)),
                component: Some(component.to_owned()),
                warnings: Vec::new(),
            };
            Box::new(NotPrepared {
                reason: error.kind().to_owned(),
                message: error.to_string(),
                provenance,
            })
        };
        let (chunker, settings) = self.chunker_for(&kind);
        let mut chunks = self
            .chunk(chunker, settings, &document)
            .map_err(|error| failed(&error, &chunker.info().name))?;
        self.analyze(&document, &mut chunks)
            .map_err(|error| failed(&error, &self.analyzer.info().name))?;
        let provenance = Provenance {
            stamp,
            pipeline: chosen.key.clone(),
            component: Some(chosen.extractor.info().name.clone()),
            warnings: document.warnings.clone(),
        };
        Ok(Box::new(Prepared {
            content_hash: hash,
            id,
            outer,
            document,
            chunks,
            provenance,
            kind,
            size,
        }))
    }

    /// What the ledger remembers of something that is left out.
    fn left_out(&self, stamp: String, chosen: Option<&Chosen>) -> Provenance {
        Provenance {
            stamp,
            pipeline: chosen.map_or_else(|| self.skip_key.clone(), |chosen| chosen.key.clone()),
            component: chosen.map(|chosen| chosen.extractor.info().name.clone()),
            warnings: Vec::new(),
        }
    }

    /// What became of a file that its folder does not give.
    fn unreadable(&self, error: &pkb_sources::Error) -> Read {
        match error {
            pkb_sources::Error::Vanished { .. } | pkb_sources::Error::Away { .. } => Read::Vanished,
            pkb_sources::Error::Changed { .. } => self.failed(CHANGED, error.to_string(), None),
            _ => self.failed("unreadable", error.to_string(), None),
        }
    }

    fn failed(&self, reason: &str, message: String, chosen: Option<&Chosen>) -> Read {
        tracing::Span::current().record("reason", reason);
        Read::Failed {
            reason: reason.to_owned(),
            message,
            provenance: Provenance {
                stamp: String::new(),
                pipeline: self.whole_key(chosen.map(|chosen| chosen.key.as_str())),
                component: chosen.map(|chosen| chosen.extractor.info().name.clone()),
                warnings: Vec::new(),
            },
        }
    }
}

/// Chooses for one file of a source.
struct Reading<'a> {
    pipeline: &'a Pipeline,
    knows_part: &'a KnowsPart<'a>,
}

impl Choose for Reading<'_> {
    fn choose(
        &self,
        head: &[u8],
        name: &str,
        media_type: Option<&str>,
    ) -> Result<Option<Chosen>, Error> {
        self.pipeline.chooser.choose(head, name, media_type)
    }

    fn scratch(&self) -> &Path {
        self.pipeline.chooser.scratch()
    }

    fn pictures(&self) -> Option<Arc<dyn PictureReader>> {
        self.pipeline.chooser.pictures()
    }

    fn is_known(&self, id: &str, hash: &[u8; 32]) -> bool {
        (self.knows_part)(id, hash)
    }
}

/// A file, lent to a component.
pub(crate) struct Lent(pub(crate) Arc<FileBlob>);

impl Blob for Lent {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        self.0.read_at(offset, length).map_err(io::Error::other)
    }
}

/// The hash of a file's bytes.
pub(super) fn hash(blob: &FileBlob) -> Result<[u8; 32], pkb_sources::Error> {
    let mut hasher = blake3::Hasher::new();
    let mut at = 0;
    while at < blob.size() {
        let bytes = blob.read_at(at, HASHED_AT_ONCE)?;
        if bytes.is_empty() {
            break;
        }
        hasher.update(&bytes);
        at += bytes.len() as u64;
    }
    Ok(*hasher.finalize().as_bytes())
}
