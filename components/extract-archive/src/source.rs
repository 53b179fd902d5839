//! Reading the archive's own bytes.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::rc::Rc;

use extract_core::{Bytes, Failure, FailureKind, MOST_READ};
use rawzip::{RangeReader, ReaderAt};

/// Bytes asked of the host at a time where an archive is read in order.
const BUFFER: usize = 256 << 10;

/// What an archive unpacks to may be this many times as large as it is ...
const MOST_RATIO: u64 = 200;
/// ... once it is larger than this many bytes.
const FREE_OF_RATIO: u64 = 10 << 20;

/// The archive's bytes; a clone reads the same ones.
#[derive(Clone)]
pub(crate) struct Source(Rc<dyn Bytes>);

impl Source {
    pub(crate) fn new(bytes: Box<dyn Bytes>) -> Self {
        Self(Rc::from(bytes))
    }

    pub(crate) fn size(&self) -> u64 {
        self.0.size()
    }

    /// The first `most` bytes, fewer where there are not so many.
    pub(crate) fn head(&self, most: usize) -> Result<Vec<u8>, Failure> {
        self.0.read(0, u32::try_from(most).unwrap_or(MOST_READ))
    }

    /// All bytes in order.
    pub(crate) fn all(&self) -> Box<dyn BufRead> {
        Box::new(self.range(0..self.size()))
    }

    pub(crate) fn range(&self, range: Range<u64>) -> BufReader<RangeReader<Source>> {
        let buffer = usize::try_from(range.end - range.start).map_or(BUFFER, |n| n.min(BUFFER));
        BufReader::with_capacity(buffer.max(1), RangeReader::new(self.clone(), range))
    }
}

impl ReaderAt for Source {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let length = u32::try_from(buffer.len()).map_or(MOST_READ, |n| n.min(MOST_READ));
        let read = self.0.read(offset, length).map_err(io::Error::other)?;
        let length = read.len().min(buffer.len());
        buffer[..length].copy_from_slice(&read[..length]);
        Ok(length)
    }
}

/// What went wrong while reading, for a person.
pub(crate) fn failure(error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return Failure::invalid("The archive is cut short.");
    }
    let words = error.to_string();
    match error.into_inner().map(|inner| inner.downcast::<Failure>()) {
        Some(Ok(failure)) => *failure,
        _ => Failure::invalid(format!(
            "The archive is damaged: {}.",
            words.trim_end_matches('.')
        )),
    }
}

/// Counts what is read through it.
pub(crate) struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R> Counted<R> {
    pub(crate) fn new(inner: R) -> (Self, Rc<Cell<u64>>) {
        let count = Rc::new(Cell::new(0));
        let counted = Self {
            inner,
            count: Rc::clone(&count),
        };
        (counted, count)
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.count.set(self.count.get() + length as u64);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count.set(self.count.get() + amount as u64);
        self.inner.consume(amount);
    }
}

/// Stops what unpacks to too many times the bytes it was packed in.
pub(crate) struct Guarded<R> {
    inner: R,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
}

impl<R: Read> Guarded<R> {
    /// `packed` counts what `inner` takes in.
    pub(crate) fn new(inner: R, packed: Rc<Cell<u64>>) -> Self {
        Self {
            inner,
            packed,
            unpacked: 0,
        }
    }
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.unpacked += length as u64;
        if self.unpacked > FREE_OF_RATIO
            && self.unpacked > self.packed.get().saturating_mul(MOST_RATIO)
        {
            return Err(io::Error::other(Failure::new(
                FailureKind::TooLarge,
                format!(
                    "It unpacks to more than {MOST_RATIO} times its size, which only a file made to do harm does."
                ),
            )));
        }
        Ok(length)
    }
}
