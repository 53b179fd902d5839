//! Copies of a home's database, and putting one back.

use std::path::{Path, PathBuf};

use pkb_store::{SqliteStore, Store};
use serde::Serialize;

use crate::engine::{Access, Engine};
use crate::error::Error;
use crate::home::Home;
use crate::ingest::lock;
use crate::job::Unwatched;

/// What a backup came to.
#[derive(Clone, Debug, Serialize)]
pub struct BackedUp {
    /// The file.
    pub file: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Items in it that can be searched.
    pub items: u64,
    /// Items in it that are deleted softly.
    pub deleted: u64,
}

/// What came of putting a backup back.
#[derive(Clone, Debug, Serialize)]
pub struct RestoredBackup {
    /// Items that can be searched now.
    pub items: u64,
    /// Items that are deleted softly.
    pub deleted: u64,
    /// Version of the tables' layout in the backup.
    pub schema: u32,
    /// Where the state before is kept; none where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<PathBuf>,
    /// What the person should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Engine {
    /// Writes a consistent copy of the database to a file that does not exist,
    /// while others read and write. Settings, plugins and models are not part
    /// of it.
    ///
    /// # Errors
    /// When the file is there already or cannot be written.
    pub fn backup(&self, file: &Path) -> Result<BackedUp, Error> {
        self.everything().backup(file)?;
        let copy = SqliteStore::open_read_only(file)?.stats()?;
        let bytes = std::fs::metadata(file)
            .map_err(|error| Error::file("cannot look at the backup", file, error))?
            .len();
        Ok(BackedUp {
            file: file.to_owned(),
            bytes,
            items: copy.items,
            deleted: copy.deleted,
        })
    }

    /// Puts a backup in the place of a home's database and keeps what was
    /// there. Processes that have the home open answer from it from then on.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process syncs; when the file is no backup
    /// of pkb's or is damaged; when there is no room. Nothing is replaced then.
    pub fn restore_backup(home: Home, file: &Path) -> Result<RestoredBackup, Error> {
        let _span = tracing::info_span!("store.put_back").entered();
        home.create()?;
        let ask = || SqliteStore::lock(home.database(), "restore-backup");
        let lock = lock(ask, false, &Unwatched)?;
        let done = SqliteStore::put_back(&lock, home.database(), file)?;
        drop(lock);
        let engine = Engine::open(home, Access::Write)?;
        let stats = engine.store().stats()?;
        let mut notes = Vec::new();
        if done.moved {
            notes.push(
                "The database that was there is damaged. Processes that have it open, `pkb serve` for one, have to be started again."
                    .into(),
            );
        }
        if !stats.sources.is_empty() {
            notes.push(
                "`pkb sync` brings in what changed in the sources since the backup was made."
                    .into(),
            );
        }
        Ok(RestoredBackup {
            items: stats.items,
            deleted: stats.deleted,
            schema: done.schema,
            before: done.before,
            notes,
        })
    }
}
