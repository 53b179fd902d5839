//! Going through an archive's files, whatever kind of archive it is.

use std::io::Read;

use extract_core::{
    Batch, Document, Documents, Failure, FailureKind, PartFailure, Piece, Property,
};

use crate::names::{Parts, Verdict, judge};
use crate::settings::Settings;
use crate::source;

/// Bytes of a piece, at most.
pub(crate) const PIECE: usize = 4 << 20;
/// Bytes of the pieces of one batch, at most.
const BATCH: usize = 2 * PIECE;
/// Steps of one batch, at most: files that are skipped give nothing.
const STEPS: usize = 10_000;

/// What comes next in an archive.
pub(crate) enum Member {
    /// A file; it is read through [`Members::current`].
    File(String),
    /// A file that cannot be read.
    Failed(String, Failure),
    /// There is nothing more.
    End,
}

/// The files of an archive, in order.
pub(crate) trait Members {
    /// Leaves the current file and goes on to the next. A failure ends the
    /// archive.
    fn next(&mut self) -> Result<Member, Failure>;

    /// The content of the current file.
    fn current(&mut self) -> &mut dyn Read;

    /// Whether there can be a next file after one that is damaged.
    fn goes_on_after_damage(&self) -> bool;

    /// What was not read as it should, one sentence each.
    fn warnings(&mut self) -> Vec<String>;
}

/// The documents of an archive.
pub(crate) struct Walk {
    members: Box<dyn Members>,
    title: String,
    settings: Settings,
    /// Part id and path of the file whose pieces are being given.
    current: Option<(String, String)>,
    parts: Parts,
    entries: u64,
    bytes: u64,
    refused: u64,
    warnings: Vec<String>,
    over: bool,
}

impl Walk {
    pub(crate) fn new(members: Box<dyn Members>, title: String, settings: Settings) -> Self {
        Self {
            members,
            title,
            settings,
            current: None,
            parts: Parts::default(),
            entries: 0,
            bytes: 0,
            refused: 0,
            warnings: Vec::new(),
            over: false,
        }
    }

    /// The next piece of the current file; false where it could not be read.
    fn piece(&mut self, part: String, name: String, batch: &mut Batch) -> bool {
        let mut content = Vec::new();
        let most = self.settings.max_bytes.saturating_sub(self.bytes);
        let read = self
            .members
            .current()
            .take(PIECE as u64)
            .read_to_end(&mut content);
        self.bytes += content.len() as u64;
        let failure = match read {
            Err(error) => source::failure(error),
            Ok(_) if content.len() as u64 > most => {
                self.over = true;
                self.warnings.push(format!(
                    "The files have more than {} bytes together; those from {part} on were not read (setting max_bytes).",
                    self.settings.max_bytes
                ));
                Failure::new(
                    FailureKind::TooLarge,
                    format!(
                        "The archive's files have more than {} bytes together (setting max_bytes).",
                        self.settings.max_bytes
                    ),
                )
            }
            Ok(_) => {
                let last = content.len() < PIECE;
                batch.pieces.push(Piece {
                    part: part.clone(),
                    name: name.clone(),
                    media_type: None,
                    content,
                    last,
                });
                if !last {
                    self.current = Some((part, name));
                }
                return true;
            }
        };
        if !self.over && !self.members.goes_on_after_damage() {
            self.over = true;
            self.warnings.push(format!(
                "The archive could not be read after {part}: {}",
                failure.message
            ));
        }
        batch.documents.push(Err(PartFailure { part, failure }));
        false
    }

    /// The next file.
    fn member(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        let (path, failure) = match self.members.next() {
            Ok(Member::File(path)) => (path, None),
            Ok(Member::Failed(path, failure)) => (path, Some(failure)),
            Ok(Member::End) => {
                self.over = true;
                return Ok(());
            }
            Err(failure) if self.entries == 0 => return Err(failure),
            Err(failure) => {
                self.over = true;
                self.warnings.push(format!(
                    "After {} files the archive could not be read on: {}",
                    self.entries, failure.message
                ));
                return Ok(());
            }
        };
        let path = match judge(&path, self.settings.hidden) {
            Verdict::Take(path) => path,
            Verdict::Skip => return Ok(()),
            Verdict::Refuse => {
                self.refused += 1;
                return Ok(());
            }
        };
        if self.entries == self.settings.max_entries {
            self.over = true;
            self.warnings.push(format!(
                "The archive has more than {} files; those from {path} on were not read (setting max_entries).",
                self.settings.max_entries
            ));
            return Ok(());
        }
        self.entries += 1;
        let part = self.parts.of(&path);
        match failure {
            Some(failure) => batch.documents.push(Err(PartFailure { part, failure })),
            None => self.current = Some((part, path)),
        }
        Ok(())
    }

    /// The document of the archive itself. It comes last, when what is to say
    /// of it is known.
    fn document(&mut self) -> Document {
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.append(&mut self.members.warnings());
        if self.refused > 0 {
            warnings.push(format!(
                "Files left out because their name is empty or too long: {}.",
                self.refused
            ));
        }
        let mut document = Document {
            kind: "archive".to_owned(),
            title: self.title.clone(),
            properties: vec![Property::number("entries", self.entries as f64)],
            warnings,
            ..Document::default()
        };
        document.bound_warnings();
        document
    }
}

impl Documents for Walk {
    fn next(&mut self, limit: usize) -> Result<Batch, Failure> {
        let mut batch = Batch::default();
        let mut steps = 0;
        loop {
            let bytes: usize = batch.pieces.iter().map(|piece| piece.content.len()).sum();
            let full = batch.pieces.len() >= limit
                || batch.documents.len() >= limit
                || bytes + PIECE > BATCH;
            // A batch is never empty before the end.
            let some = !batch.pieces.is_empty() || !batch.documents.is_empty();
            if full || (some && steps > STEPS) {
                return Ok(batch);
            }
            steps += 1;
            if let Some((part, name)) = self.current.take() {
                if !self.piece(part, name, &mut batch) {
                    // No other file's pieces after those of a file that the
                    // failure takes back.
                    return Ok(batch);
                }
            } else if self.over {
                batch.documents.push(Ok(self.document()));
                batch.last = true;
                return Ok(batch);
            } else {
                self.member(&mut batch)?;
            }
        }
    }
}
