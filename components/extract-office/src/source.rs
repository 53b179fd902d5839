//! The file as what the ZIP reader wants: something to read and to seek in.

use std::io::{self, Read, Seek, SeekFrom};

use extract_core::Bytes;

/// What is asked of the host at a time, in bytes. A file's pictures are stepped
/// over, so more would be read in vain.
const WINDOW: u32 = 256 << 10;

/// A file that is read as it is needed, so that one of many megabytes of
/// pictures never lies in memory.
pub(crate) struct Source {
    bytes: Box<dyn Bytes>,
    size: u64,
    position: u64,
    window: Vec<u8>,
    window_start: u64,
}

impl Source {
    pub(crate) fn new(bytes: Box<dyn Bytes>) -> Self {
        Self {
            size: bytes.size(),
            bytes,
            position: 0,
            window: Vec::new(),
            window_start: 0,
        }
    }

    /// The bytes in the window from the position on.
    fn at_hand(&self) -> &[u8] {
        let offset = self.position.checked_sub(self.window_start);
        let offset = offset.and_then(|offset| usize::try_from(offset).ok());
        offset
            .and_then(|offset| self.window.get(offset..))
            .unwrap_or_default()
    }
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.size || into.is_empty() {
            return Ok(0);
        }
        if self.at_hand().is_empty() {
            self.window = self
                .bytes
                .read(self.position, WINDOW)
                .map_err(io::Error::other)?;
            self.window_start = self.position;
        }
        let from = self.at_hand();
        let length = from.len().min(into.len());
        into[..length].copy_from_slice(&from[..length]);
        self.position += length as u64;
        Ok(length)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_seeks_like_a_file() {
        let bytes: Vec<u8> = (0..600_000u32).map(|i| (i / 7) as u8).collect();
        let mut source = Source::new(Box::new(bytes.clone()));
        let mut whole = Vec::new();
        source.read_to_end(&mut whole).unwrap();
        assert!(whole == bytes);
        let mut four = [0; 4];
        source.seek(SeekFrom::End(-5)).unwrap();
        source.read_exact(&mut four).unwrap();
        assert_eq!(four[..], bytes[599_995..599_999]);
        source.seek(SeekFrom::Current(-100)).unwrap();
        source.read_exact(&mut four).unwrap();
        assert_eq!(four[..], bytes[599_899..599_903]);
        source.seek(SeekFrom::Start(700_000)).unwrap();
        assert_eq!(source.read(&mut four).unwrap(), 0);
        assert!(source.seek(SeekFrom::Current(-800_000)).is_err());
    }
}
