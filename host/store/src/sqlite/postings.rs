//! Which chunks hold a term, and how often: read from the word index and kept
//! in memory while the database stays as it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, Rows, params};

use super::catalogue::{Catalogue, Latest, generation};

/// Postings that are kept at most, over all terms; each takes 8 bytes.
const KEPT: usize = 4 << 20;

/// How often one chunk holds a term, by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// The chunk, as its number among the [`Documents`].
    pub(super) row: u32,
    pub(super) title: u8,
    pub(super) headings: u8,
    pub(super) body: u16,
}

/// All chunks, soft-deleted items' too, as ranking needs them; rows are those
/// of the catalogue.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) catalogue: Arc<Catalogue>,
    /// Of each row, the number of its item in `items`.
    pub(super) item_of: Vec<u32>,
    pub(super) items: Vec<i64>,
    /// Of each row, how many terms it has, in all columns.
    pub(super) lengths: Vec<u32>,
    /// Of each item, how many terms its chunks have together.
    pub(super) item_lengths: Vec<u32>,
    /// Terms that items have on average.
    pub(super) average_item_length: f64,
    /// Chunks that have terms.
    pub(super) present: usize,
    /// Terms that these have on average.
    pub(super) average_length: f64,
}

impl Documents {
    fn read(conn: &Connection, catalogue: Arc<Catalogue>) -> rusqlite::Result<Self> {
        let chunks = catalogue.chunks();
        let mut all = Self {
            lengths: vec![0; chunks.len()],
            item_of: Vec::with_capacity(chunks.len()),
            ..Self::default()
        };
        let mut numbers: HashMap<i64, u32> = HashMap::new();
        for &item in catalogue.items() {
            // The chunks of an item mostly follow each other.
            if all.items.last() != Some(&item) || all.item_of.is_empty() {
                let next = all.items.len() as u32;
                let number = *numbers.entry(item).or_insert(next);
                if number == next {
                    all.items.push(item);
                }
                all.item_of.push(number);
            } else {
                all.item_of.push(all.items.len() as u32 - 1);
            }
        }
        let mut select = conn.prepare_cached("SELECT id, sz FROM terms_docsize ORDER BY id")?;
        let mut rows = select.query([])?;
        let mut total = 0_u64;
        let mut at = 0;
        while let Some(row) = rows.next()? {
            let chunk: i64 = row.get(0)?;
            while chunks.get(at).is_some_and(|&known| known < chunk) {
                at += 1;
            }
            if chunks.get(at) == Some(&chunk) {
                let length = sum_of_varints(row.get_ref(1)?.as_blob()?);
                total += u64::from(length);
                all.present += 1;
                all.lengths[at] = length;
            }
        }
        all.item_lengths = vec![0; all.items.len()];
        for (length, item) in all.lengths.iter().zip(&all.item_of) {
            let sum = &mut all.item_lengths[*item as usize];
            *sum = sum.saturating_add(*length);
        }
        let with_terms = all.item_lengths.iter().filter(|sum| **sum > 0).count();
        all.average_length = total as f64 / all.present.max(1) as f64;
        all.average_item_length = total as f64 / with_terms.max(1) as f64;
        all.catalogue = catalogue;
        Ok(all)
    }
}

/// Where `chunk` stands among `chunks`, which ascend, from `from` on.
fn place(chunks: &[i64], from: usize, chunk: i64) -> Option<usize> {
    let first = *chunks.get(from)?;
    // Where no id between is missing it is just here, and never beyond.
    let most = from.saturating_add(usize::try_from(chunk.saturating_sub(first)).ok()?);
    if chunks.get(most) == Some(&chunk) {
        return Some(most);
    }
    let end = chunks.len().min(most);
    let found = chunks.get(from..end)?.binary_search(&chunk).ok()?;
    Some(from + found)
}

/// The sum of SQLite's variable-length integers: how FTS5 notes the number of
/// tokens in each column, see <https://sqlite.org/fts5.html#fts5_data_structures>.
fn sum_of_varints(bytes: &[u8]) -> u32 {
    let mut sum = 0_u32;
    let mut number = 0_u32;
    for byte in bytes {
        number = number << 7 | u32::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            sum = sum.saturating_add(number);
            number = 0;
        }
    }
    sum
}

/// What was read of one state of the database.
#[derive(Debug)]
pub(super) struct Snapshot {
    generation: i64,
    pub(super) documents: Documents,
    lists: Mutex<Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    by_term: HashMap<String, Arc<Vec<Posting>>>,
    kept: usize,
}

impl Snapshot {
    /// What `known` holds, if that is the present state of the database, or
    /// that state anew. `conn` is inside a transaction.
    pub(super) fn present(
        conn: &Connection,
        catalogue: &Latest,
        known: &Mutex<Option<Arc<Snapshot>>>,
    ) -> rusqlite::Result<Arc<Snapshot>> {
        let generation = generation(conn)?;
        let kept = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(snapshot) = kept.filter(|kept| kept.generation == generation) {
            return Ok(snapshot);
        }
        let snapshot = Arc::new(Snapshot {
            generation,
            documents: Documents::read(conn, catalogue.at(conn)?)?,
            lists: Mutex::default(),
        });
        *known.lock().unwrap_or_else(PoisonError::into_inner) = Some(snapshot.clone());
        Ok(snapshot)
    }

    /// The chunks that hold `term`, ascending.
    pub(super) fn list(
        &self,
        conn: &Connection,
        term: &str,
    ) -> rusqlite::Result<Arc<Vec<Posting>>> {
        if let Some(list) = self.kept(term) {
            return Ok(list);
        }
        let mut select = conn.prepare_cached("SELECT doc, col FROM occurrences WHERE term = ?1")?;
        let list = self.read(select.query([term])?)?;
        Ok(self.keep(term.to_owned(), list))
    }

    /// The chunks that hold a term that begins with `prefix`, ascending.
    pub(super) fn list_of_prefix(
        &self,
        conn: &Connection,
        prefix: &str,
    ) -> rusqlite::Result<Arc<Vec<Posting>>> {
        // No term holds a space.
        let key = format!("{prefix} ");
        if let Some(list) = self.kept(&key) {
            return Ok(list);
        }
        let mut select =
            conn.prepare_cached("SELECT doc, col FROM occurrences WHERE term >= ?1 AND term < ?2")?;
        let mut list =
            self.read(select.query(params![prefix, format!("{prefix}{}", char::MAX)])?)?;
        // By term, so far.
        list.sort_unstable_by_key(|posting| posting.row);
        list.dedup_by(|next, kept| {
            let same = next.row == kept.row;
            if same {
                kept.title = kept.title.saturating_add(next.title);
                kept.headings = kept.headings.saturating_add(next.headings);
                kept.body = kept.body.saturating_add(next.body);
            }
            same
        });
        Ok(self.keep(key, list))
    }

    fn kept(&self, key: &str) -> Option<Arc<Vec<Posting>>> {
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.by_term.get(key).cloned()
    }

    fn keep(&self, key: String, list: Vec<Posting>) -> Arc<Vec<Posting>> {
        let list = Arc::new(list);
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.kept + list.len() > KEPT {
            *lists = Lists::default();
        }
        lists.kept += list.len();
        lists.by_term.insert(key, list.clone());
        list
    }

    /// Adds up the occurrences that `rows` (chunk, name of the column) has of a
    /// term, which come chunk by chunk.
    fn read(&self, mut rows: Rows<'_>) -> rusqlite::Result<Vec<Posting>> {
        let chunks = self.documents.catalogue.chunks();
        let mut list: Vec<Posting> = Vec::new();
        let mut last = i64::MIN;
        let mut from = 0;
        while let Some(row) = rows.next()? {
            let chunk: i64 = row.get(0)?;
            if chunk != last {
                // Ascending within a term; the next term begins anew.
                if chunk < last {
                    from = 0;
                }
                match place(chunks, from, chunk) {
                    Some(found) => from = found,
                    None => continue,
                }
                last = chunk;
                list.push(Posting {
                    row: from as u32,
                    title: 0,
                    headings: 0,
                    body: 0,
                });
            }
            if let Some(posting) = list.last_mut() {
                match row.get_ref(1)?.as_bytes()? {
                    b"title" => posting.title = posting.title.saturating_add(1),
                    b"headings" => posting.headings = posting.headings.saturating_add(1),
                    _ => posting.body = posting.body.saturating_add(1),
                }
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_found_where_it_stands() {
        let chunks = [-5, 1, 2, 3, 7, 8, 20, i64::MAX];
        for from in 0..chunks.len() {
            for wanted in (-7..25).chain([i64::MIN, i64::MAX - 1, i64::MAX]) {
                let found = place(&chunks, from, wanted);
                let plain = chunks[from..].iter().position(|chunk| *chunk == wanted);
                assert_eq!(found, plain.map(|at| from + at), "{wanted} from {from}");
            }
        }
        assert_eq!(place(&[], 0, 1), None);
    }

    #[test]
    fn lengths_of_columns_add_up() {
        assert_eq!(sum_of_varints(&[1, 2, 3]), 6);
        assert_eq!(sum_of_varints(&[0, 0, 0x81, 0x00]), 128);
        assert_eq!(sum_of_varints(&[5, 0x82, 0x01, 7]), 5 + 257 + 7);
        assert_eq!(sum_of_varints(&[]), 0);
        // Damage is no reason to stop.
        sum_of_varints(&[0xff; 40]);
    }
}
