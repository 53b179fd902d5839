//! All that one file holds: its own document, and the documents and files
//! inside it, each read by the extractor for what it is.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use pkb_runtime::{
    Blob, CallError, Document, Extractor, Failure, FailureKind, PartFailure, PictureReader,
};

use super::spool::{Allowance, Spool};
use crate::error::Error;
use crate::formats::{self, HEAD};

/// How deep files may lie in one another: a letter in a mailbox in an archive,
/// with something attached.
const DEEPEST: usize = 6;

/// Why something is in the ledger that nothing reads.
pub(crate) const NOT_READ: &str = "not-taken";

/// Things inside one file, at most.
const MOST_PARTS: usize = 2_000_000;

/// Stands between a file and a part of it in ids. No path has it.
pub(crate) const INSIDE: &str = "//";

/// An extractor that was chosen for a file.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) extractor: Arc<Extractor>,
    /// Its settings, a JSON object.
    pub(crate) settings: String,
    /// What it reads with: see `Pipeline::reads`.
    pub(crate) key: String,
    /// The kind of item that it makes, where the document does not say.
    pub(crate) kind: &'static str,
}

/// Chooses extractors.
pub(crate) trait Choose: Sync {
    /// The extractor for a file; none where nothing reads it.
    fn choose(
        &self,
        head: &[u8],
        name: &str,
        media_type: Option<&str>,
    ) -> Result<Option<Chosen>, Error>;

    /// Where large files are put together: a folder of the user's own.
    fn scratch(&self) -> &Path;

    /// What reads the words in pictures.
    fn pictures(&self) -> Option<Arc<dyn PictureReader>>;

    /// Whether the item of that id was made of those bytes, and all inside it
    /// too, and would be made the same again.
    fn is_known(&self, id: &str, hash: &[u8; 32]) -> bool;
}

/// A document, with what the file's item needs beside it.
pub(crate) struct Extracted {
    pub(crate) id: String,
    /// What it is inside of.
    pub(crate) outer: Option<String>,
    pub(crate) document: Document,
    pub(crate) chosen: Chosen,
    /// Of the bytes it was made of.
    pub(crate) hash: [u8; 32],
    /// How many those are.
    pub(crate) size: u64,
}

/// Something inside a file.
pub(crate) enum Part {
    Document(Box<Extracted>),
    /// Nothing about it has changed.
    Same(String),
    /// A file inside, of which nothing has changed, nor of what it holds.
    AllSame(String),
    Failed {
        id: String,
        reason: &'static str,
        message: String,
        chosen: Option<Chosen>,
    },
    /// Nothing reads it, or its extractor does not read this.
    Skipped {
        id: String,
        reason: &'static str,
        message: String,
        chosen: Option<Chosen>,
    },
}

/// What a file itself is.
pub(crate) enum Own {
    Document(Box<Document>, Chosen),
    /// Why, as a word and as a sentence.
    Skipped(&'static str, String, Option<Chosen>),
    Failed(CallError, Option<Chosen>),
}

/// Where the parts of a file go; an error ends everything.
pub(crate) type Visit<'a> = dyn FnMut(Part) -> Result<(), Error> + 'a;

/// Goes through one file.
pub(crate) struct Walk<'a> {
    choose: &'a dyn Choose,
    allowance: Allowance,
    /// The ids that were given to parts, with the number of the next one of the
    /// same name.
    given: HashMap<String, u64>,
}

/// A file to go through.
pub(crate) struct Input {
    pub(crate) id: String,
    /// File name with extension.
    pub(crate) name: String,
    pub(crate) media_type: Option<String>,
    pub(crate) blob: Arc<dyn Blob>,
}

impl<'a> Walk<'a> {
    /// Through a file of `size` bytes.
    pub(crate) fn new(choose: &'a dyn Choose, size: u64) -> Self {
        Walk {
            choose,
            allowance: Allowance::of(size),
            given: HashMap::new(),
        }
    }

    /// What `input` is; what is inside it goes to `visit`. `depth` counts the
    /// files that it lies in.
    pub(crate) fn file(
        &mut self,
        input: Input,
        depth: usize,
        visit: &mut Visit<'_>,
    ) -> Result<Own, Error> {
        let head = match input.blob.read(0, HEAD) {
            Ok(head) => head,
            Err(error) => return Ok(Own::Failed(unreadable(&error), None)),
        };
        let media_type = input.media_type.as_deref();
        let Some(chosen) = self.choose.choose(&head, &input.name, media_type)? else {
            return Ok(Own::Skipped(NOT_READ, not_read(&input.name), None));
        };
        match self.extract(&input, &chosen, depth, visit)? {
            Ok(document) => Ok(Own::Document(Box::new(document), chosen)),
            // It is sound, and nothing that a second try would read.
            Err(
                error @ CallError::Failed {
                    kind: FailureKind::Unsupported,
                    ..
                },
            ) => Ok(Own::Skipped(error.kind(), error.to_string(), Some(chosen))),
            Err(error) => Ok(Own::Failed(error, Some(chosen))),
        }
    }

    fn extract(
        &mut self,
        input: &Input,
        chosen: &Chosen,
        depth: usize,
        visit: &mut Visit<'_>,
    ) -> Result<Result<Document, CallError>, Error> {
        let _span = tracing::trace_span!("ingest.extract").entered();
        let Chosen {
            extractor,
            settings,
            ..
        } = chosen;
        let opened = extractor.open(
            &input.name,
            input.media_type.as_deref(),
            settings,
            input.blob.clone(),
            self.choose.pictures(),
        );
        let mut documents = match opened {
            Ok(documents) => documents,
            Err(error) => return Ok(Err(error)),
        };
        let mut own: Option<Document> = None;
        let mut warnings: Vec<String> = Vec::new();
        let mut spool: Option<Result<Spool, String>> = None;
        let (mut inside, mut bad) = (0_u64, None);
        loop {
            let batch = match documents.next_batch() {
                Ok(Some(batch)) => batch,
                Ok(None) => break,
                Err(error) => return Ok(Err(error)),
            };
            if self.given.len() > MOST_PARTS {
                return Ok(Err(CallError::failed(Failure {
                    kind: FailureKind::TooLarge,
                    message: format!("More than {MOST_PARTS} things are in this file."),
                })));
            }
            for piece in batch.pieces {
                let begins = !matches!(&spool, Some(Ok(spool)) if spool.part == piece.part)
                    && !matches!(&spool, Some(Err(part)) if *part == piece.part);
                if begins {
                    inside += 1;
                    self.cut_off(&input.id, spool.take(), visit)?;
                    spool = Some(Ok(Spool::new(&piece)));
                }
                if let Some(Ok(under_way)) = &mut spool
                    && let Err(error) = {
                        let scratch = self.choose.scratch();
                        under_way.add(&piece.content, &mut self.allowance, scratch)
                    }
                {
                    // There is no end to what would come.
                    if error.kind() == io::ErrorKind::FileTooLarge {
                        return Ok(Err(CallError::failed(Failure {
                            kind: FailureKind::TooLarge,
                            message: format!("{} was the last: {error}.", piece.name),
                        })));
                    }
                    visit(Part::Failed {
                        id: self.id_of(&input.id, &piece.part),
                        reason: "unavailable",
                        message: error.to_string(),
                        chosen: None,
                    })?;
                    spool = Some(Err(piece.part.clone()));
                }
                if piece.last
                    && let Some(Ok(spool)) = spool.take()
                {
                    self.inner_file(&input.id, spool, depth, visit)?;
                }
            }
            for document in batch.documents {
                match document {
                    Ok(document) if document.part.is_empty() && own.is_none() => {
                        own = Some(document);
                    }
                    Ok(document) => {
                        inside += 1;
                        let id = self.id_of(&input.id, &document.part);
                        visit(self.document(&input.id, id, document, chosen))?;
                    }
                    Err(PartFailure { part, failure }) if part.is_empty() => {
                        warnings.push(format!("A part could not be read: {}", failure.message));
                        bad = bad.or(Some(failure));
                    }
                    Err(PartFailure { part, failure }) => {
                        inside += 1;
                        // A file that broke off: its pieces so far are nothing.
                        if matches!(&spool, Some(Ok(spool)) if spool.part == part) {
                            spool = None;
                        }
                        visit(Part::Failed {
                            id: self.id_of(&input.id, &part),
                            reason: CallError::failed(failure.clone()).kind(),
                            message: failure.message,
                            chosen: Some(chosen.clone()),
                        })?;
                    }
                }
            }
        }
        self.cut_off(&input.id, spool, visit)?;
        let mut own = match (own, bad) {
            (Some(own), _) => own,
            (None, Some(failure)) if inside == 0 => return Ok(Err(CallError::failed(failure))),
            (None, None) if inside == 0 && !is_container(chosen) => {
                return Ok(Err(CallError::Invalid {
                    component: format!("extractor {}", extractor.info().name),
                    reason: "no document at all".into(),
                }));
            }
            // The file holds things, and says nothing of itself.
            (None, _) => container(&input.name),
        };
        own.warnings.extend(warnings);
        Ok(Ok(own))
    }

    /// A file inside whose last piece never came.
    fn cut_off(
        &mut self,
        outer: &str,
        spool: Option<Result<Spool, String>>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        let Some(Ok(spool)) = spool else {
            return Ok(());
        };
        visit(Part::Failed {
            id: self.id_of(outer, &spool.part),
            reason: "invalid-input",
            message: "The end of this file is missing in the file that holds it.".into(),
            chosen: None,
        })
    }

    /// An id for a part of what has the id `outer`. Names inside a file need
    /// not be unique.
    fn id_of(&mut self, outer: &str, part: &str) -> String {
        let id = inside_of(outer, part);
        let Some(next) = self.given.get(&id).copied() else {
            self.given.insert(id.clone(), 2);
            return id;
        };
        let mut number = next;
        let mut free = format!("{id}~{number}");
        while self.given.contains_key(&free) {
            number += 1;
            free = format!("{id}~{number}");
        }
        self.given.insert(id, number + 1);
        self.given.insert(free.clone(), 2);
        free
    }

    /// A document of a container. Where it holds nothing but its title, that is
    /// what is searched.
    fn document(&self, outer: &str, id: String, mut document: Document, chosen: &Chosen) -> Part {
        if document.text.trim().is_empty() {
            document.marks.clear();
            document.links.clear();
            document.text.clone_from(&document.title);
        }
        let hash = hash_of(&document);
        if self.choose.is_known(&id, &hash) {
            return Part::Same(id);
        }
        Part::Document(Box::new(Extracted {
            size: document.text.len() as u64,
            id,
            outer: Some(outer.to_owned()),
            document,
            chosen: chosen.clone(),
            hash,
        }))
    }

    fn inner_file(
        &mut self,
        outer: &str,
        spool: Spool,
        depth: usize,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        let id = self.id_of(outer, &spool.part);
        let (hash, size) = (spool.hash(), spool.size());
        if self.choose.is_known(&id, &hash) {
            return visit(Part::AllSame(id));
        }
        if depth >= DEEPEST {
            return visit(Part::Failed {
                id,
                reason: "too-large",
                message: format!("Files are packed in one another more than {DEEPEST} deep here."),
                chosen: None,
            });
        }
        let name = spool.name.rsplit('/').next().unwrap_or_default().to_owned();
        let input = Input {
            id: id.clone(),
            name,
            media_type: spool.media_type.clone(),
            blob: spool.into_blob(),
        };
        let part = match self.file(input, depth + 1, visit)? {
            Own::Document(document, chosen) => Part::Document(Box::new(Extracted {
                id,
                outer: Some(outer.to_owned()),
                document: *document,
                chosen,
                hash,
                size,
            })),
            Own::Skipped(reason, message, chosen) => Part::Skipped {
                id,
                reason,
                message,
                chosen,
            },
            Own::Failed(error, chosen) => Part::Failed {
                id,
                reason: error.kind(),
                message: error.to_string(),
                chosen,
            },
        };
        visit(part)
    }
}

/// The id of a part of what has the id `outer`.
fn inside_of(outer: &str, part: &str) -> String {
    format!("{outer}{INSIDE}{part}")
}

/// The file that a part is in; none for what is a file itself.
pub(crate) fn file_of(id: &str) -> Option<&str> {
    id.split_once(INSIDE).map(|(file, _)| file)
}

fn is_container(chosen: &Chosen) -> bool {
    formats::CONTAINERS.contains(&chosen.kind)
}

/// What stands for a file that only holds others.
fn container(name: &str) -> Document {
    let mut document = super::plain_document(name, "");
    document.title = name.to_owned();
    document
}

/// What tells a part of a container from what it was before.
fn hash_of(document: &Document) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add(&document.kind);
    add(&document.title);
    add(&document.text);
    add(&format!(
        "{:?}{:?}{:?}{:?}",
        document.properties, document.tags, document.aliases, document.marks
    ));
    add(&document.warnings.join("\n"));
    *hasher.finalize().as_bytes()
}

fn not_read(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension.len() <= 12 => {
            format!("nothing reads .{extension} files with this content")
        }
        _ => "nothing reads a file with this content".into(),
    }
}

fn unreadable(error: &std::io::Error) -> CallError {
    CallError::failed(Failure {
        kind: FailureKind::Unavailable,
        message: format!("Reading it failed: {error}"),
    })
}
