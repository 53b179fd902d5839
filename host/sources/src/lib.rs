//! Native connectors: where items come from.
//!
//! [`FolderSource`] reads a folder through a capability: nothing outside the
//! folder can be reached through it, whatever the folder holds. It names every
//! file there is ([`FolderSource::scan`]), reads single ones
//! ([`FolderSource::open_file`]) and writes notes
//! ([`FolderSource::create_file`], [`FolderSource::replace_file`]). A [`Watcher`] tells when something happens in one.
//!
//! [`clip`] gets one page of the web, and keeps what was made of it as a note
//! in a folder.
//!
//! An item of a folder has as its external id the path relative to the folder,
//! with `/` between the parts on every platform. Names are kept as the file
//! system gives them: they are not normalised (two names that differ only in
//! Unicode form can be two files, and a changed name would no longer open the
//! file), and what a name holds beyond valid Unicode is written as U+FFFD and
//! the byte in hexadecimal (`caf�E9.md`), so an id always leads back to its
//! file.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod blob;
pub mod clip;
mod error;
mod folder;
mod id;
mod place;
mod stamp;
mod watcher;

pub use blob::FileBlob;
pub use error::Error;
pub use folder::{Entry, FolderSettings, FolderSource, Passed, Summary, conflict_of};
pub use place::{folder_root, item_path, item_url};
pub use watcher::{Signal, Watcher};
