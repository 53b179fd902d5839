//! The vector index: the vectors of one model in memory, a row for each of the
//! [`Catalogue`]'s.
//!
//! It follows the database as the catalogue does: ids of vectors are never used
//! twice and vectors never change once written, so those beyond the largest id
//! seen are what is new. What it waits for is kept by hash. Rows have their
//! place for good, also while they have no vector yet; numbers are kept in
//! blocks, so that growing never copies what is there.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use rusqlite::{Connection, OptionalExtension, params};

use super::catalogue::{self, Catalogue, Latest};
use super::eligible::Eligible;
use super::nearest;
use super::vectors::{self, Model};
use crate::{DenseMatches, ModelId};

/// Bytes of a block at most. More than a memory page by far, and little enough
/// that one begun costs nothing.
const BLOCK: usize = 1 << 20;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct VectorIndex(RwLock<Loaded>);

impl VectorIndex {
    /// The items nearest to `query`, which has the model's dimensions. `conn`
    /// is inside a transaction.
    pub(super) fn search(
        &self,
        conn: &Connection,
        latest: &Latest,
        model: Model,
        query: &[f32],
        eligible: &Eligible,
        limit: usize,
    ) -> rusqlite::Result<DenseMatches> {
        let generation = catalogue::generation(conn)?;
        let mut loaded = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut catalogue = latest.at(conn)?;
        if !loaded.stands_for(model, &catalogue, generation) {
            drop(loaded);
            let mut writing = self.0.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have been faster, and be further.
            catalogue = latest.at(conn)?;
            if !writing.stands_for(model, &catalogue, generation)
                && let Err(error) = writing.follow(conn, model, &catalogue, generation)
            {
                *writing = Loaded::default();
                return Err(error);
            }
            loaded = RwLockWriteGuard::downgrade(writing);
        }
        Ok(nearest::search(
            &catalogue,
            &loaded.vectors,
            query,
            eligible,
            limit,
        ))
    }
}

impl VectorIndex {
    /// How many different chunks have no vector, as of the last search or later,
    /// and whether that is all there are. Items count that are in `live`, which
    /// is asked for only where a vector is missing.
    pub(super) fn missing(
        &self,
        conn: &Connection,
        latest: &Latest,
        live: impl FnOnce() -> rusqlite::Result<Arc<Eligible>>,
    ) -> rusqlite::Result<(u64, bool)> {
        let loaded = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if loaded.waiting.is_empty() {
            return Ok((0, false));
        }
        let catalogue = latest.at(conn)?;
        let live = live()?;
        let items = catalogue.items();
        let counts = |row: usize| {
            let item = items.get(row).copied().unwrap_or(-1);
            item >= 0 && live.contains_item(item)
        };
        let missing = loaded.waiting.count(counts);
        let mut rows = 0..loaded.vectors.rows();
        let any = rows.any(|row| loaded.vectors.get(row).is_some() && counts(row));
        Ok((missing as u64, missing > 0 && !any))
    }
}

#[derive(Debug, Default)]
struct Loaded {
    model: Option<ModelId>,
    /// The catalogue's.
    edition: u64,
    /// Of the database state this stands for.
    generation: i64,
    last_vector: i64,
    vectors: Vectors,
    waiting: Waiting,
}

impl Loaded {
    /// Whether it knows all that is in the database at that generation, or
    /// more, and has the rows of that catalogue.
    fn stands_for(&self, model: Model, catalogue: &Catalogue, generation: i64) -> bool {
        self.model == Some(model.id)
            && self.edition == catalogue.edition()
            && self.vectors.rows() == catalogue.chunks().len()
            && self.generation >= generation
    }

    /// Takes in what changed since.
    fn follow(
        &mut self,
        conn: &Connection,
        model: Model,
        catalogue: &Arc<Catalogue>,
        generation: i64,
    ) -> rusqlite::Result<()> {
        let anew = self.model != Some(model.id) || self.edition != catalogue.edition();
        if anew {
            // What is there is freed before as much is taken again.
            *self = Self::default();
            self.model = Some(model.id);
            self.edition = catalogue.edition();
            self.vectors = Vectors::new(model.dimensions as usize);
        }
        let new = self.vectors.rows()..catalogue.chunks().len();
        self.vectors.grow(new.end);
        self.take_rows(conn, model, catalogue, new, anew)?;
        self.take_vectors(conn, model)?;
        self.waiting.shrink();
        self.generation = generation;
        Ok(())
    }

    /// Looks for the vectors of new rows, or leaves them to
    /// [`Self::take_vectors`] when that is to read all vectors.
    fn take_rows(
        &mut self,
        conn: &Connection,
        model: Model,
        catalogue: &Catalogue,
        new: Range<usize>,
        anew: bool,
    ) -> rusqlite::Result<()> {
        if anew {
            self.waiting.reserve(new.len());
        }
        let mut select =
            conn.prepare_cached("SELECT vector FROM vectors WHERE model_id = ?1 AND hash = ?2")?;
        for row in new {
            if catalogue.items()[row] < 0 {
                continue;
            }
            let hash = catalogue.hashes()[row];
            // It may have been there before, as another chunk's or as nobody's.
            let known = !anew
                && select
                    .query_row(params![model.id.0, hash], |found| {
                        Ok(self.vectors.set(row, found.get_ref(0)?.as_blob()?))
                    })
                    .optional()?
                    .unwrap_or(false);
            if !known {
                self.waiting.add(hash, row);
            }
        }
        Ok(())
    }

    /// Reads the vectors that are new.
    fn take_vectors(&mut self, conn: &Connection, model: Model) -> rusqlite::Result<()> {
        let mut select = conn.prepare_cached(
            "SELECT id, hash, vector FROM vectors WHERE id > ?2 AND +model_id = ?1 ORDER BY id",
        )?;
        let mut rows = select.query(params![model.id.0, self.last_vector])?;
        while let Some(found) = rows.next()? {
            self.last_vector = found.get(0)?;
            let hash = found.get(1)?;
            let packed = found.get_ref(2)?.as_blob()?;
            // One that cannot be used is passed over, as if it were missing.
            if vectors::unpack(packed, self.vectors.dimensions).is_some() {
                let vectors = &mut self.vectors;
                self.waiting.take(&hash, |row| {
                    vectors.set(row, packed);
                });
            }
        }
        Ok(())
    }
}

/// Rows without a vector, by hash.
#[derive(Debug, Default)]
struct Waiting {
    /// The last row of each hash.
    last: HashMap<[u8; 16], usize>,
    /// The row before of the same hash, where there is one.
    before: HashMap<usize, usize>,
}

impl Waiting {
    fn reserve(&mut self, rows: usize) {
        self.last.reserve(rows);
    }

    fn add(&mut self, hash: [u8; 16], row: usize) {
        if let Some(before) = self.last.insert(hash, row) {
            self.before.insert(row, before);
        }
    }

    fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// How many hashes are waited for by a row that `counts`.
    fn count(&self, counts: impl Fn(usize) -> bool) -> usize {
        let waits = |last: &usize| {
            let mut next = Some(*last);
            while let Some(row) = next {
                if counts(row) {
                    return true;
                }
                next = self.before.get(&row).copied();
            }
            false
        };
        self.last.values().filter(|last| waits(last)).count()
    }

    /// Hands out the rows that wait for that hash.
    fn take(&mut self, hash: &[u8; 16], mut out: impl FnMut(usize)) {
        let mut next = self.last.remove(hash);
        while let Some(row) = next {
            out(row);
            next = self.before.remove(&row);
        }
    }

    /// Gives memory back.
    fn shrink(&mut self) {
        if self.last.capacity() / 8 > self.last.len() {
            self.last.shrink_to_fit();
            self.before.shrink_to_fit();
        }
    }
}

/// Vectors as they are stored, by row.
#[derive(Debug, Default)]
pub(super) struct Vectors {
    dimensions: usize,
    /// Each block holds two to the power of this many vectors.
    power: u32,
    /// Each holds vectors one after the other.
    blocks: Vec<Box<[i8]>>,
    /// What the numbers of each vector are to be multiplied with; not a number
    /// where there is no vector.
    scales: Vec<f32>,
    /// No vector is longer.
    longest: f64,
}

impl Vectors {
    fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            power: (BLOCK / dimensions.max(1)).max(1).ilog2(),
            ..Self::default()
        }
    }

    fn rows(&self) -> usize {
        self.scales.len()
    }

    /// An upper bound of the length of any vector.
    pub(super) fn longest(&self) -> f64 {
        self.longest
    }

    /// Numbers in a vector.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The numbers of a row and what they are to be multiplied with; none where
    /// there is no vector.
    pub(super) fn get(&self, row: usize) -> Option<(&[i8], f32)> {
        let scale = *self.scales.get(row)?;
        if scale.is_nan() {
            return None;
        }
        let (block, start) = self.place(row);
        let block = self.blocks.get(block)?;
        Some((block.get(start..start + self.dimensions)?, scale))
    }

    /// The block of a row and where in it the row begins.
    fn place(&self, row: usize) -> (usize, usize) {
        let within = row & ((1 << self.power) - 1);
        (row >> self.power, within * self.dimensions)
    }

    /// Makes room for that many rows.
    fn grow(&mut self, rows: usize) {
        if self.scales.is_empty() {
            self.scales.reserve_exact(rows);
        }
        self.scales.resize(rows, f32::NAN);
        while self.blocks.len() << self.power < rows {
            let block = vec![0; self.dimensions << self.power];
            self.blocks.push(block.into_boxed_slice());
        }
    }

    /// Sets the vector of a row and says whether it can be used.
    fn set(&mut self, row: usize, packed: &[u8]) -> bool {
        let Some((scale, numbers)) = vectors::unpack(packed, self.dimensions) else {
            return false;
        };
        let (block, start) = self.place(row);
        let Some(kept) = self
            .blocks
            .get_mut(block)
            .and_then(|block| block.get_mut(start..start + numbers.len()))
        else {
            return false;
        };
        for (kept, number) in kept.iter_mut().zip(numbers) {
            *kept = number.cast_signed();
        }
        let length = nearest::dot(kept, kept).sqrt() * f64::from(scale.abs());
        self.longest = self.longest.max(length);
        self.scales[row] = scale;
        true
    }
}
