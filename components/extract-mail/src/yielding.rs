//! Messages, and the files they carry, a batch at a time.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use extract_core::{
    Batch, Bytes, Document, Documents, Failure, Input, MOST_PIECES_BYTES, MOST_READ, Piece,
    Property, title,
};
use sha2::{Digest, Sha256};

use crate::attachments::Attachment;
use crate::format::Format;
use crate::headers::Headers;
use crate::mbox::{Entry, Mailbox};
use crate::message;
use crate::mime;
use crate::settings::Settings;

/// The text of a batch's documents, roughly, in bytes.
const MOST_TEXT: usize = 8 << 20;
/// Longer ids name no message.
const MOST_ID: usize = 250;

enum Source {
    One(Option<Entry>),
    Many(Box<Many>),
}

/// A mailbox and what is known of the messages that were read.
struct Many {
    mailbox: Mailbox,
    name: String,
    /// How often each id came, by a hash of it.
    ids: HashMap<u64, u32>,
    /// Hashes of messages with their ids.
    seen: HashSet<u64>,
    messages: u64,
    deleted: u64,
    done: bool,
}

/// The files of a message that are still to be handed on.
struct Pending {
    raw: Vec<u8>,
    /// The part of the message, empty for a message alone.
    part: String,
    files: std::vec::IntoIter<Attachment>,
    /// The file that is being handed on, decoded, and how far that is.
    current: Option<(Attachment, Vec<u8>, usize)>,
}

/// The messages of a file.
pub(crate) struct Messages {
    source: Source,
    settings: Settings,
    pending: Option<Pending>,
}

impl Messages {
    /// # Errors
    /// Where the bytes are no mail.
    pub(crate) fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        settings: Settings,
    ) -> Result<Self, Failure> {
        let source = match Format::of(input, bytes.as_ref())? {
            Format::Message { start, end } => Source::One(Some(read_one(
                bytes.as_ref(),
                start,
                end,
                settings.message_limit(),
            )?)),
            Format::Mailbox => Source::Many(Box::new(Many {
                mailbox: Mailbox::open(bytes, settings.message_limit())?,
                name: input.name.to_owned(),
                ids: HashMap::new(),
                seen: HashSet::new(),
                messages: 0,
                deleted: 0,
                done: false,
            })),
        };
        Ok(Self {
            source,
            settings,
            pending: None,
        })
    }
}

/// Reads the bytes of one message up to the limit.
fn read_one(bytes: &dyn Bytes, start: u64, end: u64, limit: usize) -> Result<Entry, Failure> {
    let length = end.saturating_sub(start);
    let wanted = length.min(limit as u64);
    let mut raw = Vec::new();
    while (raw.len() as u64) < wanted {
        let left = wanted - raw.len() as u64;
        let step = u32::try_from(left).unwrap_or(MOST_READ).min(MOST_READ);
        let piece = bytes.read(start + raw.len() as u64, step)?;
        if piece.is_empty() {
            break;
        }
        raw.extend_from_slice(&piece);
    }
    if memchr::memchr(b'\n', &raw).is_none() {
        // Line ends of an old Macintosh.
        raw.iter_mut()
            .filter(|byte| **byte == b'\r')
            .for_each(|byte| *byte = b'\n');
    }
    Ok(Entry {
        raw,
        cut: length - wanted,
        delivered: None,
    })
}

impl Documents for Messages {
    fn next(&mut self, limit: usize) -> Result<Batch, Failure> {
        let mut batch = Batch::default();
        let (mut room, mut text) = (MOST_PIECES_BYTES, 0);
        loop {
            if let Some(pending) = &mut self.pending {
                while batch.pieces.len() < limit && room > 0 {
                    let Some(piece) = pending.next(room) else {
                        self.pending = None;
                        break;
                    };
                    room -= piece.content.len();
                    batch.pieces.push(piece);
                }
                if self.pending.is_some() {
                    // What is left has to wait for the next batch.
                    return Ok(batch);
                }
            }
            if batch.documents.len() >= limit || text >= MOST_TEXT {
                return Ok(batch);
            }
            let Some((document, pending)) = self.source.next(&self.settings)? else {
                batch.last = true;
                return Ok(batch);
            };
            text += document.text.len();
            batch.documents.push(Ok(document));
            self.pending = pending;
        }
    }
}

impl Source {
    fn next(
        &mut self,
        settings: &Settings,
    ) -> Result<Option<(Document, Option<Pending>)>, Failure> {
        match self {
            Self::One(entry) => Ok(entry
                .take()
                .map(|entry| read(entry, String::new(), settings))),
            Self::Many(many) => many.next(settings),
        }
    }
}

/// The document of a message, and its files.
fn read(entry: Entry, part: String, settings: &Settings) -> (Document, Option<Pending>) {
    let mut warnings = Vec::new();
    if entry.cut > 0 {
        warnings.push(format!(
            "The message has {} bytes more than the limit of {}; they were left out.",
            entry.cut,
            settings.message_limit()
        ));
    }
    let mut message = message::read(&entry.raw, entry.delivered, warnings, settings);
    message.document.part.clone_from(&part);
    let pending = (!message.attachments.is_empty()).then(|| Pending {
        raw: entry.raw,
        part,
        files: message.attachments.into_iter(),
        current: None,
    });
    (message.document, pending)
}

impl Pending {
    /// The next piece of a file, of `most` bytes at most.
    fn next(&mut self, most: usize) -> Option<Piece> {
        let (file, content, done) = match self.current.take() {
            Some(current) => current,
            None => {
                let file = self.files.next()?;
                let content = file.decode(&self.raw).into_owned();
                (file, content, 0)
            }
        };
        let part = match self.part.as_str() {
            "" => file.name.clone(),
            part => format!("{part}/{}", file.name),
        };
        let end = content.len().min(done + most);
        let last = end == content.len();
        let piece = Piece {
            part,
            name: file.name.clone(),
            media_type: file.media_type.clone(),
            content: content[done..end].to_vec(),
            last,
        };
        if !last {
            self.current = Some((file, content, end));
        }
        Some(piece)
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Many {
    fn next(
        &mut self,
        settings: &Settings,
    ) -> Result<Option<(Document, Option<Pending>)>, Failure> {
        if self.done {
            return Ok(None);
        }
        while let Some(entry) = self.mailbox.next()? {
            let start = &entry.raw[..entry.raw.len().min(256 << 10)];
            let header = header_of(start);
            if is_deleted(&header) {
                self.deleted += 1;
                continue;
            }
            let Some(part) = self.part(&entry.raw, &header) else {
                continue;
            };
            self.messages += 1;
            return Ok(Some(read(entry, part, settings)));
        }
        self.done = true;
        Ok(Some((self.about(), None)))
    }

    /// What tells a message from the others; nothing for one that was there.
    fn part(&mut self, raw: &[u8], header: &Headers<'_>) -> Option<String> {
        let id = header.ids("message-id").into_iter().next();
        let id = id.filter(|id| id.len() <= MOST_ID).unwrap_or_else(|| {
            let digest = Sha256::digest(raw);
            let hex: String = digest[..8]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            format!("sha:{hex}")
        });
        if !self.seen.insert(hash((&id, raw.trim_ascii_end()))) {
            return None;
        }
        let count = self.ids.entry(hash(&id)).or_insert(0);
        *count += 1;
        Some(match count {
            1 => id,
            count => format!("{id}~{count}"),
        })
    }

    /// The document about the mailbox itself.
    fn about(&self) -> Document {
        let mut warnings = Vec::new();
        if self.mailbox.garbage > 0 {
            warnings.push(format!(
                "{} bytes before the first message are no mail and were left out.",
                self.mailbox.garbage
            ));
        }
        if self.deleted > 0 {
            warnings.push(format!(
                "{} messages that were deleted, but are still in the file, were left out.",
                self.deleted
            ));
        }
        if self.messages == 0 {
            warnings.push("The mailbox has no messages.".to_owned());
        }
        Document {
            kind: "mailbox".to_owned(),
            title: title::from_name(&self.name),
            properties: vec![Property::number("messages", self.messages as f64)],
            warnings,
            ..Document::default()
        }
    }
}

/// The fields at the start of a message.
fn header_of(start: &[u8]) -> Headers<'_> {
    let end = mime::header_end(start);
    Headers::of(&start[..end])
}

/// Whether a mail program has deleted a message without taking it out of the
/// file, or keeps notes of its own in it.
fn is_deleted(header: &Headers<'_>) -> bool {
    const EXPUNGED: u32 = 8;
    let status = header.raw("x-mozilla-status");
    let expunged = status
        .and_then(|status| u32::from_str_radix(&status, 16).ok())
        .is_some_and(|status| status & EXPUNGED != 0);
    let is_notes = header.raw("subject").is_some_and(|subject| {
        subject.starts_with("DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA")
    });
    expunged || is_notes
}
