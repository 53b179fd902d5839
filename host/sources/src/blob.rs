//! One opened file, read by offset.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_fs_ext::{FileTypeExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, FileType, OpenOptions};

use crate::folder::away::is_away;
use crate::{Error, id, stamp};

/// An opened file of a folder. Reads go to the file that was opened, whatever
/// takes its place meanwhile; [`FileBlob::still`] tells whether something did.
/// Can be sent to other threads and read from several at once.
#[derive(Debug)]
pub struct FileBlob {
    root: Arc<Dir>,
    file: File,
    path: PathBuf,
    external_id: String,
    size: u64,
    stamp: String,
    settled: bool,
}

impl FileBlob {
    pub(crate) fn open(root: &Arc<Dir>, external_id: &str) -> Result<Self, Error> {
        let path = id::to_path(external_id)?;
        // To open it would fetch it.
        if is_away(root, &path, None) {
            return Err(Error::Away {
                external_id: external_id.to_owned(),
            });
        }
        let mut options = OpenOptions::new();
        // Without blocking, since the file of a moment ago can be a fifo by
        // now, whose opening would wait for a writer for ever.
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let opened = root
            .open_with(&path, &options)
            .and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                // Links and sockets cannot be opened; say that, not how the
                // system puts it.
                let what = root
                    .symlink_metadata(&path)
                    .ok()
                    .and_then(|metadata| kind_of_special(metadata.file_type()));
                return Err(match what {
                    Some(what) => Error::NotRegular {
                        external_id: external_id.to_owned(),
                        what,
                    },
                    None => failed(external_id, error),
                });
            }
        };
        if let Some(what) = kind_of_special(metadata.file_type()) {
            return Err(Error::NotRegular {
                external_id: external_id.to_owned(),
                what,
            });
        }
        Ok(Self {
            root: Arc::clone(root),
            file,
            path,
            external_id: external_id.to_owned(),
            size: metadata.len(),
            stamp: stamp::of(&metadata),
            settled: stamp::is_settled(&metadata),
        })
    }

    /// Length in bytes when the file was opened.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The file's stamp when it was opened, as [`crate::Entry::File`] has it.
    #[must_use]
    pub fn stamp(&self) -> &str {
        &self.stamp
    }

    /// Whether the stamp can be relied on: a change right after this one would
    /// give another. Not so when the file was changed a moment before it was
    /// opened.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// Up to `length` bytes from byte `offset` on. Fewer only at the end; none
    /// at or past it. Bytes added after the file was opened are not read.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when the system cannot read them;
    /// [`Error::Changed`] when the file has become shorter.
    pub fn read_at(&self, offset: u64, length: usize) -> Result<Vec<u8>, Error> {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; length.min(left)];
        let mut filled = 0;
        while filled < bytes.len() {
            match read_some(&self.file, &mut bytes[filled..], offset + filled as u64) {
                Ok(0) => {
                    return Err(Error::Changed {
                        external_id: self.external_id.clone(),
                    });
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&self.external_id, error)),
            }
        }
        Ok(bytes)
    }

    /// The whole file, all in memory: look at [`FileBlob::size`] first.
    ///
    /// # Errors
    /// As for [`FileBlob::read_at`].
    pub fn read_all(&self) -> Result<Vec<u8>, Error> {
        self.read_at(0, usize::MAX)
    }

    /// Whether the file is still what it was when it had `stamp`: neither
    /// written to nor replaced nor deleted. Ask after reading; when it is, what
    /// was read is one state of the file and not a mix of two.
    ///
    /// # Errors
    /// [`Error::Changed`] and [`Error::Vanished`] when it is not;
    /// [`Error::Unreadable`] when the system does not tell.
    pub fn still(&self, stamp: &str) -> Result<(), Error> {
        let here = self
            .file
            .metadata()
            .map_err(|error| failed(&self.external_id, error))?;
        let there = self
            .root
            .symlink_metadata(&self.path)
            .map_err(|error| failed(&self.external_id, error))?;
        if stamp::of(&here) == stamp && stamp::of(&there) == stamp {
            Ok(())
        } else {
            Err(Error::Changed {
                external_id: self.external_id.clone(),
            })
        }
    }
}

#[cfg(not(windows))]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    cap_std::fs::FileExt::read_at(file, buffer, offset)
}

// Moves the file's cursor as it reads, which nothing here looks at.
#[cfg(windows)]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    cap_std::fs::FileExt::seek_read(file, buffer, offset)
}

fn failed(external_id: &str, reason: io::Error) -> Error {
    let external_id = external_id.to_owned();
    match reason.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::Vanished { external_id },
        _ => Error::Unreadable {
            external_id,
            reason,
        },
    }
}

/// What a thing is that is not a regular file; none for a regular file.
pub(crate) fn kind_of_special(file_type: FileType) -> Option<&'static str> {
    Some(if file_type.is_file() {
        return None;
    } else if file_type.is_dir() {
        "a folder"
    } else if file_type.is_symlink() {
        "a link"
    } else if file_type.is_fifo() {
        "a pipe (fifo)"
    } else if file_type.is_socket() {
        "a socket"
    } else if file_type.is_block_device() || file_type.is_char_device() {
        "a device"
    } else {
        "of an unknown kind"
    })
}
