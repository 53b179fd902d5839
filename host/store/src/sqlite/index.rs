//! The vector index: the current model's vectors in memory, searched exactly.
//!
//! It follows the database by what can only grow. Ids of chunks and vectors are
//! never used twice and neither changes once written, so rows beyond the largest
//! id seen are what is new; a count that does not fit says that chunks went
//! away, and then the list of chunks is read again. Vectors of chunks that went
//! away give their place to others.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use rusqlite::{Connection, OptionalExtension, params};

use super::filter::Eligible;
use super::top::Top;
use super::vectors::{self, Model};
use crate::{ChunkId, ModelId};

/// No vector is known for the chunk.
const NONE: u32 = u32::MAX;
/// Numbers one thread goes through before another one is worth starting.
const SHARE: usize = 4 << 20;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct VectorIndex(RwLock<Loaded>);

#[derive(Debug, Default)]
struct Loaded {
    model: Option<ModelId>,
    dimensions: usize,
    /// Of the database state this stands for.
    generation: i64,
    /// Chunks, ascending by id, and where their vectors are.
    chunks: Vec<(i64, u32)>,
    /// The hash of each chunk, in the same order.
    hashes: Vec<[u8; 16]>,
    last_chunk: i64,
    last_vector: i64,
    /// Which place in `numbers` holds the vector of a hash.
    places: HashMap<[u8; 16], u32>,
    /// Places whose vector no chunk needs.
    free: Vec<u32>,
    /// The vectors, one after the other, as they are stored.
    numbers: Vec<i8>,
    /// What the numbers of each vector are to be multiplied with.
    scales: Vec<f32>,
}

impl VectorIndex {
    /// The chunks nearest to `query`, which has the model's dimensions. `conn`
    /// is inside a transaction.
    pub(super) fn search(
        &self,
        conn: &Connection,
        model: Model,
        query: &[f32],
        eligible: &Eligible,
        limit: usize,
    ) -> rusqlite::Result<Vec<(ChunkId, f32)>> {
        if eligible.is_nothing() || limit == 0 {
            return Ok(Vec::new());
        }
        let generation = conn
            .prepare_cached("SELECT value FROM meta WHERE key = 'generation'")?
            .query_row([], |row| row.get(0))?;
        let mut loaded = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if !loaded.stands_for(model, generation) {
            drop(loaded);
            let mut writing = self.0.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have been faster.
            if !writing.stands_for(model, generation)
                && let Err(error) = writing.follow(conn, model, generation)
            {
                *writing = Loaded::default();
                return Err(error);
            }
            loaded = RwLockWriteGuard::downgrade(writing);
        }
        Ok(loaded.search(query, eligible, limit))
    }
}

impl Loaded {
    /// Whether it knows all that is in the database at that generation, or more.
    fn stands_for(&self, model: Model, generation: i64) -> bool {
        self.model == Some(model.id) && self.generation >= generation
    }

    /// Takes in what changed since.
    fn follow(&mut self, conn: &Connection, model: Model, generation: i64) -> rusqlite::Result<()> {
        if self.model != Some(model.id) {
            *self = Self {
                model: Some(model.id),
                dimensions: model.dimensions as usize,
                ..Self::default()
            };
        }
        let seen_before = self.last_vector;
        self.take_vectors(conn, model)?;
        let present: i64 = conn
            .prepare_cached("SELECT count(*) FROM chunks WHERE id <= ?1")?
            .query_row([self.last_chunk], |row| row.get(0))?;
        if present.unsigned_abs() != self.chunks.len() as u64 {
            self.chunks.clear();
            self.hashes.clear();
            self.last_chunk = 0;
        }
        self.take_chunks(conn, model, seen_before)?;
        self.free_unneeded();
        self.generation = generation;
        Ok(())
    }

    /// Reads the vectors that are new.
    fn take_vectors(&mut self, conn: &Connection, model: Model) -> rusqlite::Result<()> {
        if self.numbers.is_empty() {
            let count: i64 = conn
                .prepare_cached("SELECT count(*) FROM vectors WHERE model_id = ?1")?
                .query_row([model.id.0], |row| row.get(0))?;
            let count = usize::try_from(count).unwrap_or(0);
            self.numbers
                .reserve_exact(count.saturating_mul(self.dimensions));
            self.scales.reserve_exact(count);
        }
        let mut select = conn.prepare_cached(
            "SELECT id, hash, vector FROM vectors WHERE id > ?2 AND +model_id = ?1 ORDER BY id",
        )?;
        let mut rows = select.query(params![model.id.0, self.last_vector])?;
        while let Some(row) = rows.next()? {
            self.last_vector = row.get(0)?;
            let hash = row.get(1)?;
            self.keep(hash, row.get_ref(2)?.as_blob()?);
        }
        Ok(())
    }

    /// Keeps a vector; one of a wrong length is passed over, as if it were
    /// missing.
    fn keep(&mut self, hash: [u8; 16], packed: &[u8]) {
        let Some((scale, numbers)) = vectors::unpack(packed, self.dimensions) else {
            return;
        };
        let numbers = numbers.iter().map(|byte| byte.cast_signed());
        let taken = self.places.get(&hash).copied().or_else(|| self.free.pop());
        let place = match taken {
            Some(place) => {
                let start = place as usize * self.dimensions;
                let kept = &mut self.numbers[start..start + self.dimensions];
                for (kept, number) in kept.iter_mut().zip(numbers) {
                    *kept = number;
                }
                self.scales[place as usize] = scale;
                place
            }
            None => {
                self.numbers.extend(numbers);
                self.scales.push(scale);
                // Four billion vectors are more than memory holds.
                u32::try_from(self.scales.len() - 1).unwrap_or(NONE)
            }
        };
        self.places.insert(hash, place);
    }

    /// Reads the chunks that are new and finds everyone's vector.
    fn take_chunks(
        &mut self,
        conn: &Connection,
        model: Model,
        seen_before: i64,
    ) -> rusqlite::Result<()> {
        let old = self.chunks.len();
        {
            let mut select =
                conn.prepare_cached("SELECT id, hash FROM chunks WHERE id > ?1 ORDER BY id")?;
            let mut rows = select.query([self.last_chunk])?;
            while let Some(row) = rows.next()? {
                let id = row.get(0)?;
                self.last_chunk = id;
                self.chunks.push((id, NONE));
                self.hashes.push(row.get(1)?);
            }
        }
        // A new chunk may need a vector that was there before and was given up
        // here, as no chunk needed it.
        if seen_before > 0 {
            let mut select = conn
                .prepare_cached("SELECT vector FROM vectors WHERE model_id = ?1 AND hash = ?2")?;
            for index in old..self.chunks.len() {
                let hash = self.hashes[index];
                if self.places.contains_key(&hash) {
                    continue;
                }
                let packed: Option<Vec<u8>> = select
                    .query_row(params![model.id.0, hash], |row| row.get(0))
                    .optional()?;
                if let Some(packed) = packed {
                    self.keep(hash, &packed);
                }
            }
        }
        for ((_, place), hash) in self.chunks.iter_mut().zip(&self.hashes) {
            if *place == NONE {
                *place = self.places.get(hash).copied().unwrap_or(NONE);
            }
        }
        Ok(())
    }

    /// Gives up the vectors that no chunk needs.
    fn free_unneeded(&mut self) {
        let mut needed = vec![false; self.scales.len()];
        for (_, place) in &self.chunks {
            if let Some(needed) = needed.get_mut(*place as usize) {
                *needed = true;
            }
        }
        let free = &mut self.free;
        self.places.retain(|_, place| {
            let keep = needed.get(*place as usize).copied().unwrap_or(false);
            if !keep {
                free.push(*place);
            }
            keep
        });
    }

    fn search(&self, query: &[f32], eligible: &Eligible, limit: usize) -> Vec<(ChunkId, f32)> {
        let query = &Query::new(query);
        let threads = (self.chunks.len() * self.dimensions / SHARE).max(1);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let share = self.chunks.len().div_ceil(threads.min(cores)).max(1);
        let mut shares = self.chunks.chunks(share);
        let first = shares.next().unwrap_or_default();
        let top = std::thread::scope(|scope| {
            let others: Vec<_> = shares
                .map(|share| scope.spawn(move || self.search_share(share, query, eligible, limit)))
                .collect();
            let mut top = self.search_share(first, query, eligible, limit);
            for other in others {
                match other.join() {
                    Ok(found) => top.merge(found),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            top
        });
        top.into_sorted()
            .map(|(chunk, score)| (ChunkId(chunk), score as f32))
            .collect()
    }

    fn search_share(
        &self,
        chunks: &[(i64, u32)],
        query: &Query,
        eligible: &Eligible,
        limit: usize,
    ) -> Top {
        let mut top = Top::new(limit);
        for &(chunk, place) in chunks {
            let start = place as usize * self.dimensions;
            let Some((vector, scale)) = self
                .numbers
                .get(start..start + self.dimensions)
                .zip(self.scales.get(place as usize))
            else {
                continue;
            };
            if eligible.contains(chunk) {
                let score = f64::from(dot(&query.numbers, vector));
                top.offer(chunk, score * query.scale * f64::from(*scale));
            }
        }
        top
    }
}

/// A query in whole numbers, so that scores are exact and the same everywhere.
struct Query {
    numbers: Vec<i16>,
    scale: f64,
}

impl Query {
    fn new(query: &[f32]) -> Self {
        let largest = query.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
        // As fine as it can be without a sum of products beyond 32 bits.
        let steps = (i32::MAX as usize / 128 / query.len().max(1)).min(i16::MAX as usize);
        let scale = f64::from(largest) / steps as f64;
        Self {
            // `as` makes 0 of what is not a number.
            numbers: query
                .iter()
                .map(|number| (f64::from(*number) / scale).round() as i16)
                .collect(),
            scale,
        }
    }
}

/// The dot product of two vectors of the same length. Blocks of a fixed length
/// let the compiler use wide registers.
fn dot(query: &[i16], vector: &[i8]) -> i32 {
    let products = |query: &[i16], vector: &[i8]| -> i32 {
        let pairs = query.iter().zip(vector);
        pairs.map(|(q, v)| i32::from(*q) * i32::from(*v)).sum()
    };
    let (query_blocks, query_rest) = query.as_chunks::<64>();
    let (vector_blocks, vector_rest) = vector.as_chunks::<64>();
    let blocks = query_blocks.iter().zip(vector_blocks);
    let sum: i32 = blocks.map(|(q, v)| products(q, v)).sum();
    sum + products(query_rest, vector_rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_is_the_sum_of_products_and_never_overflows() {
        for length in [1, 63, 64, 65, 384, 4096] {
            let ones = Query::new(&vec![1.0; length]);
            let largest = dot(&ones.numbers, &vec![-128; length]);
            let found = f64::from(largest) * ones.scale;
            assert!((found + 128.0 * length as f64).abs() < 1e-6 * length as f64 * 128.0);
        }
        let numbers: Vec<i16> = (0..100).collect();
        let vector: Vec<i8> = (0..100).map(|n| 50 - n).collect();
        let plain: i32 = (0..100).map(|n| n * (50 - n)).sum();
        assert_eq!(dot(&numbers, &vector), plain);
        let zero = Query::new(&[0.0; 8]);
        assert_eq!(dot(&zero.numbers, &[1; 8]), 0);
    }
}
