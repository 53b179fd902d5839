//! Files that lie inside others, put together from their pieces.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pkb_runtime::{Blob, Piece};

/// Up to so many bytes stay in memory; what is larger goes to a file that has
/// no name and goes away by itself.
const IN_MEMORY: usize = 8 << 20;

/// What may be unpacked from a file, in bytes: so much anyway ...
const UNPACKED_ANYWAY: u64 = 4 << 30;
/// ... or so many times the file's size.
const UNPACKED_TIMES: u64 = 200;

/// How much more may be unpacked from one file, all that lies inside together.
pub(crate) struct Allowance(u64);

impl Allowance {
    /// For a file of that size, in bytes.
    pub(crate) fn of(size: u64) -> Self {
        Allowance(size.saturating_mul(UNPACKED_TIMES).max(UNPACKED_ANYWAY))
    }

    fn take(&mut self, bytes: u64) -> bool {
        self.0 = match self.0.checked_sub(bytes) {
            Some(left) => left,
            None => return false,
        };
        true
    }
}

/// A file of which not all pieces are there yet.
pub(crate) struct Spool {
    pub(crate) part: String,
    pub(crate) name: String,
    pub(crate) media_type: Option<String>,
    hasher: blake3::Hasher,
    size: u64,
    memory: Vec<u8>,
    file: Option<File>,
}

impl Spool {
    /// Begins with a file's first piece, which is still to be added.
    pub(crate) fn new(first: &Piece) -> Self {
        Spool {
            part: first.part.clone(),
            name: first.name.clone(),
            media_type: first.media_type.clone(),
            hasher: blake3::Hasher::new(),
            size: 0,
            memory: Vec::new(),
            file: None,
        }
    }

    /// Adds the next bytes; what is large goes to a file in the folder `scratch`.
    pub(crate) fn add(
        &mut self,
        bytes: &[u8],
        allowance: &mut Allowance,
        scratch: &Path,
    ) -> io::Result<()> {
        if !allowance.take(bytes.len() as u64) {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "far more is packed in this file than its size suggests",
            ));
        }
        self.hasher.update(bytes);
        self.size += bytes.len() as u64;
        if let Some(file) = &mut self.file {
            return file.write_all(bytes);
        }
        self.memory.extend_from_slice(bytes);
        if self.memory.len() > IN_MEMORY {
            let mut file = tempfile::tempfile_in(scratch)?;
            file.write_all(&self.memory)?;
            self.memory = Vec::new();
            self.file = Some(file);
        }
        Ok(())
    }

    /// Length so far, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Hash of the bytes so far.
    pub(crate) fn hash(&self) -> [u8; 32] {
        *self.hasher.finalize().as_bytes()
    }

    /// The whole file.
    pub(crate) fn into_blob(self) -> Arc<dyn Blob> {
        match self.file {
            Some(file) => Arc::new(Spooled {
                file: Mutex::new(file),
                size: self.size,
            }),
            None => Arc::new(self.memory),
        }
    }
}

struct Spooled {
    file: Mutex<File>,
    size: u64,
}

impl Blob for Spooled {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; length.min(left)];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spool(bytes: &[u8], at_once: usize) -> Spool {
        let mut spool = Spool::new(&Piece {
            part: "a".into(),
            name: "a.txt".into(),
            media_type: None,
            content: Vec::new(),
            last: false,
        });
        let mut allowance = Allowance::of(0);
        for piece in bytes.chunks(at_once) {
            spool
                .add(piece, &mut allowance, &std::env::temp_dir())
                .unwrap();
        }
        spool
    }

    #[test]
    fn small_and_large_files_come_back_as_they_were() {
        for size in [0, 1, 1000, IN_MEMORY, IN_MEMORY + 1, IN_MEMORY * 2 + 7] {
            let bytes: Vec<u8> = (0..size).map(|n| (n * 7 % 251) as u8).collect();
            let spool = spool(&bytes, 1 << 20);
            assert_eq!(spool.hash(), *blake3::hash(&bytes).as_bytes());
            let blob = spool.into_blob();
            assert_eq!(blob.size(), size as u64);
            assert_eq!(blob.read(0, usize::MAX).unwrap(), bytes);
            let end = size.saturating_sub(3);
            assert_eq!(blob.read(end as u64, 100).unwrap(), bytes[end..]);
            assert!(blob.read(size as u64 + 5, 10).unwrap().is_empty());
        }
    }

    #[test]
    fn what_unpacks_to_far_too_much_is_refused() {
        let mut allowance = Allowance(10);
        let mut spool = spool(b"", 1);
        let scratch = std::env::temp_dir();
        assert!(spool.add(b"12345678", &mut allowance, &scratch).is_ok());
        assert!(spool.add(b"123", &mut allowance, &scratch).is_err());
        assert_eq!(Allowance::of(1 << 40).0, 200 << 40);
    }
}
