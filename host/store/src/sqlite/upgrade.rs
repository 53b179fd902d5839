//! Bringing the tables of an older pkb up to date, with a way back.

use std::path::PathBuf;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::migrate::{self, CURRENT, Layout};
use super::pool::{Pool, beside};
use super::{backup, failpoints};
use crate::{Error, Result};

/// Databases up to this size are copied before their tables change, in bytes.
const COPIED: i64 = 1 << 30;

const DOING: &str = "bring its tables up to date";

impl Pool {
    /// Makes the tables of an empty database, or brings those of an older pkb
    /// up to date, in one transaction; with `keep`, after a copy of what was
    /// there was made. Says what the database then holds.
    pub(super) fn upgrade(&self, conn: &Connection, keep: bool) -> Result<Layout> {
        let failed = |e| self.error(DOING, e);
        let tx = self
            .patiently(|| Transaction::new_unchecked(conn, TransactionBehavior::Immediate))
            .map_err(failed)?;
        // Looked at again, as another process may have been faster.
        let from = match migrate::layout(&tx).map_err(failed)? {
            Layout::Empty => 0,
            Layout::Version(version) if version < CURRENT => version,
            other => return Ok(other),
        };
        if keep && from > 0 {
            self.keep_copy(from)?;
        }
        migrate::steps(&tx, from).map_err(failed)?;
        failpoints::pass("before-commit", DOING).map_err(failed)?;
        tx.commit().map_err(failed)?;
        failpoints::pass("after-commit", DOING).map_err(failed)?;
        Ok(Layout::Version(CURRENT))
    }

    /// Copies the database as it is, while the transaction that is to change it
    /// keeps everyone else from writing. Only the newest copy is kept.
    fn keep_copy(&self, schema: u32) -> Result<()> {
        let source = self.connect().map_err(|e| self.error(DOING, e))?;
        let bytes: i64 = source
            .query_row(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                [],
                |row| row.get(0),
            )
            .map_err(|e| self.error(DOING, e))?;
        if bytes > COPIED {
            tracing::warn!(
                "{} is brought from schema version {schema} to {CURRENT} without a copy: it is larger than 1 GB",
                self.path().display()
            );
            return Ok(());
        }
        let copy = beside(self.path(), &format!(".schema-{schema}.bak"));
        backup::to_file(&source, &copy).map_err(|cause| Error::NoCopy {
            path: self.path().into(),
            copy: copy.clone(),
            bytes: bytes.unsigned_abs(),
            cause: Box::new(cause),
        })?;
        tracing::info!(
            "kept the database of schema version {schema} as {}",
            copy.display()
        );
        let older: Vec<PathBuf> = backup::beside_it(self.path())?
            .into_iter()
            .filter(|other| other.extension().is_some_and(|end| end == "bak") && *other != copy)
            .collect();
        for older in older {
            // One that stays is in nobody's way.
            let _ = std::fs::remove_file(older);
        }
        Ok(())
    }
}
