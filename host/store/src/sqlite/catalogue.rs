//! The catalogue: all chunks in memory, by id, with the item each is part of.
//! Both legs of a search rank chunks and answer with items, and ask here.
//!
//! It follows the database by what can only grow. Ids of chunks are never used
//! twice, and a chunk never changes its item or its hash, so rows beyond the
//! largest id seen are what is new; a count that does not fit then says that
//! chunks went away, and the ids that are left are gone through once. A chunk
//! that went away keeps its row, so that the rows of others stay where they
//! are; when a quarter of the rows is of that kind, the catalogue is read anew
//! and has another [`Catalogue::edition`].

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::eligible::Ids;

/// The item of a chunk that went away.
const GONE: i64 = -1;
/// Rows of chunks that went away that are kept in any case.
const TOLERATED: usize = 1024;

/// The latest catalogue.
#[derive(Debug, Default)]
pub(super) struct Latest(Mutex<Arc<Catalogue>>);

impl Latest {
    /// The catalogue of the state that `conn`, which is inside a transaction,
    /// sees, or of a later one. What was handed out does not change.
    pub(super) fn at(&self, conn: &Connection) -> rusqlite::Result<Arc<Catalogue>> {
        let generation = generation(conn)?;
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.generation < generation {
            // Copied only while another search uses it.
            let catalogue = Arc::make_mut(&mut *latest);
            if let Err(error) = catalogue.follow(conn, generation) {
                catalogue.start_anew();
                return Err(error);
            }
        }
        Ok(Arc::clone(&latest))
    }
}

/// What grows with every transaction that changes anything.
pub(super) fn generation(conn: &Connection) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = 'generation'")?
        .query_row([], |row| row.get(0))
}

/// Bits of a generation below its epoch. What was known in another epoch says
/// nothing of this one: a backup was put back, and ids may mean other rows.
const EPOCH: u32 = 32;

/// The first generation of the epoch after that of a generation.
pub(super) fn next_epoch(generation: i64) -> i64 {
    ((generation >> EPOCH) + 1) << EPOCH
}

/// See the module. Its rows are numbered from 0, in ascending order of chunk.
#[derive(Clone, Debug, Default)]
pub(super) struct Catalogue {
    edition: u64,
    /// Of the database state it stands for.
    generation: i64,
    chunks: Vec<i64>,
    items: Vec<i64>,
    hashes: Vec<[u8; 16]>,
    gone: usize,
}

impl Catalogue {
    /// As long as this stays the same, rows keep their numbers, and others only
    /// come after them.
    pub(super) fn edition(&self) -> u64 {
        self.edition
    }

    /// The chunk of each row, ascending, those that went away included.
    pub(super) fn chunks(&self) -> &[i64] {
        &self.chunks
    }

    /// The item of each row; a negative number where the chunk went away.
    pub(super) fn items(&self) -> &[i64] {
        &self.items
    }

    /// The hash of each row.
    pub(super) fn hashes(&self) -> &[[u8; 16]] {
        &self.hashes
    }

    /// Takes in what changed.
    fn follow(&mut self, conn: &Connection, generation: i64) -> rusqlite::Result<()> {
        if self.generation >> EPOCH != generation >> EPOCH {
            self.start_anew();
        }
        let present: i64 = conn
            .prepare_cached("SELECT count(*) FROM chunks")?
            .query_row([], |row| row.get(0))?;
        let present = usize::try_from(present).unwrap_or(0);
        self.take_new(conn, present)?;
        if present != self.chunks.len() - self.gone {
            self.mark_gone(conn)?;
        }
        if self.gone > TOLERATED.max(self.chunks.len() / 4) {
            self.start_anew();
            self.take_new(conn, present)?;
        }
        self.generation = generation;
        Ok(())
    }

    fn start_anew(&mut self) {
        *self = Self {
            edition: self.edition + 1,
            ..Self::default()
        };
    }

    fn take_new(&mut self, conn: &Connection, present: usize) -> rusqlite::Result<()> {
        if self.chunks.is_empty() {
            self.chunks.reserve_exact(present);
            self.items.reserve_exact(present);
            self.hashes.reserve_exact(present);
        }
        let last = self.chunks.last().copied().unwrap_or(i64::MIN);
        let mut select =
            conn.prepare_cached("SELECT id, item_id, hash FROM chunks WHERE id > ?1 ORDER BY id")?;
        let mut rows = select.query([last])?;
        while let Some(row) = rows.next()? {
            let (chunk, item, hash) = (row.get(0)?, row.get(1)?, row.get(2)?);
            self.chunks.push(chunk);
            self.items.push(item);
            self.hashes.push(hash);
        }
        Ok(())
    }

    fn mark_gone(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let mut select = conn.prepare_cached("SELECT id FROM chunks")?;
        let mut rows = select.query([])?;
        let mut left = Ids::default();
        while let Some(row) = rows.next()? {
            left.insert(row.get(0)?);
        }
        for (chunk, item) in self.chunks.iter().zip(&mut self.items) {
            if *item != GONE && !left.contains(*chunk) {
                *item = GONE;
                self.gone += 1;
            }
        }
        Ok(())
    }
}
