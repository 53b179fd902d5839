//! A file's bytes as a stream.

use std::io;

use extract_core::{Bytes, Failure};

/// What is asked of the host at a time, in bytes.
const PIECE: u32 = 1 << 20;

/// Reads a file from its start, without a byte order mark.
pub(crate) struct Stream<'a> {
    bytes: &'a dyn Bytes,
    offset: u64,
    piece: Vec<u8>,
    at: usize,
    /// What the host said when it failed.
    pub(crate) failure: Option<Failure>,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(bytes: &'a dyn Bytes) -> Result<Self, Failure> {
        let marked = bytes.read(0, 3)? == [0xEF, 0xBB, 0xBF];
        Ok(Self {
            bytes,
            offset: if marked { 3 } else { 0 },
            piece: Vec::new(),
            at: 0,
            failure: None,
        })
    }

    /// The next bytes, none at the end.
    pub(crate) fn piece(&mut self) -> Result<Vec<u8>, Failure> {
        let piece = self.bytes.read(self.offset, PIECE)?;
        self.offset += piece.len() as u64;
        Ok(piece)
    }
}

impl io::Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            self.at = 0;
            self.piece = self.piece().map_err(|failure| {
                let error = io::Error::other(failure.message.clone());
                self.failure = Some(failure);
                error
            })?;
        }
        let rest = &self.piece[self.at..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        Ok(length)
    }
}
