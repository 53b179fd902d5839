//! What can go wrong, in words that say what to do next.

use std::path::PathBuf;

/// The result of a store's work.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a store could not do its work. Each message says what happened, to what,
/// and what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The tables were laid out by a newer pkb.
    #[error(
        "{} has schema version {found}, but this pkb knows versions up to {known}: update pkb, or use another home",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// The version found.
        found: u32,
        /// The newest version known.
        known: u32,
    },
    /// The tables were laid out by an older pkb, and the file cannot be written
    /// or was to be read only.
    #[error(
        "{} has schema version {found}, from an older pkb, and has to be brought to {known} first, which takes writing: make the file and its folder writable, then run `pkb sync`",
        path.display()
    )]
    Older {
        /// The database.
        path: PathBuf,
        /// The version found.
        found: u32,
        /// The version needed.
        known: u32,
    },
    /// The copy that is kept before tables change cannot be made.
    #[error(
        "{} has to be brought up to date, and the copy that is kept of it first cannot be made: {cause}; nothing was changed. {} needs {} MB",
        path.display(), copy.display(), bytes.div_ceil(1_000_000)
    )]
    NoCopy {
        /// The database.
        path: PathBuf,
        /// The copy.
        copy: PathBuf,
        /// Bytes that the copy takes.
        bytes: u64,
        /// Why not.
        cause: Box<Error>,
    },
    /// What was to be put back is no backup, or none that this pkb can use.
    #[error("{} cannot be put back: {problem}. Nothing was changed", path.display())]
    BadBackup {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The file is sound, but something else's.
    #[error("{} is a database of another program, not of pkb: move it away, or use another home", path.display())]
    NotPkb {
        /// The file.
        path: PathBuf,
    },
    /// The file is no database, or its pages do not fit together.
    #[error(
        "{} is damaged or is not a database ({detail}): `pkb doctor` may say more; put back a backup with `pkb restore-backup FILE`, or move the file away and add the sources again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
    /// There is no database to read.
    #[error("there is no database at {}: run `pkb add` first", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("{} cannot be written: check the permissions of the file and its folder, and that the disk is not read-only", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// There is no space left.
    #[error("the disk that holds {} is full; nothing was half-written: free some space and try again", path.display())]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// Another process kept the database busy.
    #[error("{} stayed busy with another process: wait for that pkb to finish, or stop it, and try again", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// There is no such thing.
    #[error("there is no {what} `{name}`")]
    NotFound {
        /// Such as `source`.
        what: &'static str,
        /// What was asked for.
        name: String,
    },
    /// The name is in use.
    #[error("there is already a {what} `{name}`: choose another name")]
    Exists {
        /// Such as `source`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The caller handed over something that cannot be stored.
    #[error("`{name}` cannot be stored: {problem}")]
    Invalid {
        /// The item, source or model.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file beside the database could not be used.
    #[error("cannot {action} {}: {cause}", path.display())]
    File {
        /// Such as `open`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        cause: std::io::Error,
    },
    /// Anything else that SQLite reports.
    #[error("the database {} could not {action}: {cause}", path.display())]
    Sqlite {
        /// Such as `store items`.
        action: &'static str,
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        cause: rusqlite::Error,
    },
}
