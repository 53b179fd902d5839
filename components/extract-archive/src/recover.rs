//! Zip archives without a directory, as an interrupted download leaves them:
//! each file has a header of its own before it.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use extract_core::{Failure, FailureKind};
use rawzip::{CompressionMethod, ReaderAt};

use crate::names::decode_alone;
use crate::packed::Packing;
use crate::source::{Counted, Source, failure};
use crate::walk::{Member, Members};
use crate::zip::{Verified, packing_of};

const SIGNATURE: &[u8; 4] = b"PK\x03\x04";
const HEADER: usize = 30;
/// Bytes looked through at a time.
const WINDOW: usize = 64 << 10;

/// The flags of a header.
const ENCRYPTED: u16 = 1;
const SIZES_FOLLOW: u16 = 1 << 3;
const UTF8: u16 = 1 << 11;

/// An archive read by the headers before its files.
pub(crate) struct Recovered {
    source: Source,
    /// Where the current file's packed bytes begin.
    start: u64,
    length: Length,
    current: Box<dyn Read>,
}

/// The packed bytes of a file.
enum Length {
    Known(u64),
    /// As many as unpacking takes.
    Counted(Rc<Cell<u64>>),
}

impl Recovered {
    pub(crate) fn new(source: Source) -> Self {
        Self {
            source,
            start: 0,
            length: Length::Known(0),
            current: Box::new(io::empty()),
        }
    }

    /// Whether there is a file's header at the beginning.
    pub(crate) fn has_any(source: &Source) -> Result<bool, Failure> {
        Ok(source.head(HEADER)?.starts_with(SIGNATURE))
    }

    /// Where the next header begins, at `from` or after it.
    fn find(&self, mut from: u64) -> Result<Option<u64>, Failure> {
        let mut window = vec![0; WINDOW];
        while from < self.source.size() {
            let read = self.source.read_at(&mut window, from).map_err(failure)?;
            let found = window[..read]
                .windows(SIGNATURE.len())
                .position(|bytes| bytes == SIGNATURE);
            if let Some(at) = found {
                return Ok(Some(from + at as u64));
            }
            if read < SIGNATURE.len() {
                return Ok(None);
            }
            // A signature may lie across.
            from += (read - (SIGNATURE.len() - 1)) as u64;
        }
        Ok(None)
    }
}

impl Members for Recovered {
    fn next(&mut self) -> Result<Member, Failure> {
        let length = match &self.length {
            Length::Known(length) => *length,
            Length::Counted(count) => count.get(),
        };
        self.current = Box::new(io::empty());
        let Some(at) = self.find(self.start.saturating_add(length))? else {
            return Ok(Member::End);
        };
        let mut header = [0; HEADER];
        let cut_short = |_| Failure::invalid("The archive is cut short.");
        self.source
            .read_exact_at(&mut header, at)
            .map_err(cut_short)?;
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let long = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
        let mut name = vec![0; usize::from(short(26))];
        self.source
            .read_exact_at(&mut name, at + HEADER as u64)
            .map_err(cut_short)?;
        let flags = short(6);
        let path = if flags & UTF8 != 0 {
            String::from_utf8_lossy(&name).into_owned()
        } else {
            decode_alone(&name)
        };
        self.start = at + HEADER as u64 + name.len() as u64 + u64::from(short(28));
        let packed = u64::from(long(18));
        self.length = Length::Known(packed);
        let method = CompressionMethod::new(short(8));
        let packing = match packing_of(flags & ENCRYPTED != 0, method) {
            Ok(packing) => packing,
            Err(failure) => return Ok(Member::Failed(path, failure)),
        };
        let size_follows = flags & SIZES_FOLLOW != 0;
        if size_follows && packing == Packing::None {
            self.length = Length::Known(0);
            let failure = Failure::new(
                FailureKind::InvalidInput,
                "The archive's directory is damaged, and nothing else tells where the file ends.",
            );
            return Ok(Member::Failed(path, failure));
        }
        let size = self.source.size();
        let end = if size_follows {
            size
        } else {
            self.start.saturating_add(packed)
        };
        // What is missing at the end shows as a file cut short.
        let stretch = self
            .source
            .range(self.start.min(size)..end.max(self.start.min(size)));
        if size_follows {
            let (counted, count) = Counted::new(stretch);
            self.length = Length::Counted(count);
            self.current = packing.unpack(counted);
        } else {
            self.current = Box::new(Verified::new(packing.unpack(stretch), long(14)));
        }
        Ok(Member::File(path))
    }

    fn current(&mut self) -> &mut dyn Read {
        &mut self.current
    }

    fn goes_on_after_damage(&self) -> bool {
        true
    }

    fn warnings(&mut self) -> Vec<String> {
        vec![
            "The archive's directory is missing or damaged; its files were read one after the other, and some may be missing."
                .to_owned(),
        ]
    }
}
