//! Files whose content is not on this machine: placeholders of OneDrive, iCloud
//! Drive, Dropbox and others. To open one would fetch it, and a sync over such a
//! folder the whole cloud.

use std::path::Path;

use cap_std::fs::{Dir, Metadata};

/// What such a file or folder is told by; a bit of what the system says of it.
#[cfg(target_vendor = "apple")]
const AWAY: u32 = 0x4000_0000; // SF_DATALESS
#[cfg(windows)]
const AWAY: u32 = 0x0000_1000 // FILE_ATTRIBUTE_OFFLINE
    | 0x0004_0000 // FILE_ATTRIBUTE_RECALL_ON_OPEN
    | 0x0040_0000; // FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS

/// Whether the content of the file or folder at `path` below `dir` is
/// elsewhere. `metadata` is that of the same entry, where it is known already. Asking
/// fetches nothing.
#[cfg(target_vendor = "apple")]
pub(crate) fn is_away(dir: &Dir, path: &Path, _: Option<&Metadata>) -> bool {
    // cap-std leaves the flags out.
    rustix::fs::statat(dir, path, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| stat.st_flags & AWAY != 0)
}

/// As on the other systems.
#[cfg(windows)]
pub(crate) fn is_away(dir: &Dir, path: &Path, metadata: Option<&Metadata>) -> bool {
    use cap_std::fs::MetadataExt as _;

    let own;
    let metadata = match metadata {
        Some(metadata) => metadata,
        None => match dir.symlink_metadata(path) {
            Ok(metadata) => {
                own = metadata;
                &own
            }
            Err(_) => return false,
        },
    };
    metadata.file_attributes() & AWAY != 0
}

/// Elsewhere nothing tells such a file, or there are none.
#[cfg(not(any(target_vendor = "apple", windows)))]
pub(crate) fn is_away(_: &Dir, _: &Path, _: Option<&Metadata>) -> bool {
    false
}
