//! What can go wrong with a source, said so that a person can act on it.

use std::io;
use std::path::PathBuf;

/// A failure of a source as a whole, or of one item of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing at the path.
    #[error("there is no folder {}: check the spelling, or connect the drive it is on", .path.display())]
    RootMissing {
        /// The path, made absolute.
        path: PathBuf,
    },
    /// There is something else at the path.
    #[error("{} is not a folder: give the folder that holds the files", .path.display())]
    RootNotFolder {
        /// The path, made absolute.
        path: PathBuf,
    },
    /// The folder is there but cannot be read.
    #[error("the folder {} cannot be read ({reason}): check its permissions", .path.display())]
    RootUnreadable {
        /// The path, made absolute.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The system does not tell what happens in the folder.
    #[error("changes in {} are not reported: {reason}", .path.display())]
    NotWatched {
        /// The path, made absolute.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The folder was there and is no more, or another one stands in its place.
    #[error("the folder {} was taken away while it was looked at: connect the drive it is on", .path.display())]
    RootVanished {
        /// The path, made absolute.
        path: PathBuf,
    },
    /// The path begins with `~` and the user has no home folder.
    #[error("{} names your home folder, but none is known: give the whole path", .path.display())]
    NoHome {
        /// The path as given.
        path: PathBuf,
    },
    /// A pattern of the settings does not parse.
    #[error(
        "the pattern \"{pattern}\" of the setting {setting} is not right: {reason}. Patterns look like \"Archive/**\" or \"*.tmp\""
    )]
    Pattern {
        /// `ignore` or `include`.
        setting: &'static str,
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An external id that this kind of source does not give out.
    #[error(
        "\"{external_id}\" is not the id of a file in a folder: ids are paths relative to the folder, such as \"Notes/Today.md\""
    )]
    Id {
        /// The id as given.
        external_id: String,
    },
    /// The file was there and is no more.
    #[error(
        "{external_id} is gone: it was deleted or moved a moment ago; the next sync takes that up"
    )]
    Vanished {
        /// Path relative to the folder.
        external_id: String,
    },
    /// The file was written to or replaced while it was read.
    #[error("{external_id} changed while it was read; the next sync reads it again")]
    Changed {
        /// Path relative to the folder.
        external_id: String,
    },
    /// What stands there is not a file with content.
    #[error("{external_id} is {what}, not a regular file, and is not opened")]
    NotRegular {
        /// Path relative to the folder.
        external_id: String,
        /// Such as `a link` or `a folder`.
        what: &'static str,
    },
    /// The file is a placeholder for one that a cloud keeps.
    #[error(
        "{external_id} is kept in a cloud and not on this machine: download it to have it read"
    )]
    Away {
        /// Path relative to the folder.
        external_id: String,
    },
    /// The file is there but cannot be read.
    #[error(
        "{external_id} cannot be read ({reason}): check its permissions and the drive it is on"
    )]
    Unreadable {
        /// Path relative to the folder.
        external_id: String,
        /// What the system says.
        reason: io::Error,
    },
    /// What stands in the place of a folder is none.
    #[error("{external_id} is {what}, not a folder: name another folder")]
    NotFolder {
        /// Path relative to the folder.
        external_id: String,
        /// Such as `a link` or `a file`.
        what: &'static str,
    },
    /// A file could not be written.
    #[error("{} could not be written ({reason}): check the space and the permissions", .path.display())]
    NotWritten {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
}
