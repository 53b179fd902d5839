//! Which items a search may find, worked out before anything is ranked.
//!
//! SQL names the items that pass a filter and those that are deleted, each for
//! itself: an index mostly answers either, without a look at any item; no chunk
//! is looked at. Asking about an item is then a look at one bit.
//!
//! Both legs of a search ask with the same filter, and so may the next search:
//! the last few answers are kept as long as nothing is written.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::catalogue::generation;
use super::filter::{self, Conditions};
use crate::Filter;

/// The items that a search may find.
#[derive(Debug)]
pub(super) struct Eligible {
    among: Among,
    /// Items that are as if they were not there, deleted ones included; none
    /// where nothing is.
    unseen: Option<Ids>,
}

#[derive(Debug)]
enum Among {
    /// All but these: the soft-deleted ones.
    AllBut(Ids),
    /// These.
    Only(Ids),
}

/// Answers kept: 4 kB each for 30,000 items, 125 kB for a million.
const KEPT: usize = 16;

/// The latest answers.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// Of the database state that the answers hold for.
    generation: i64,
    /// The latest last.
    answers: Vec<(Filter, Arc<Eligible>)>,
}

impl Recent {
    /// What may be found in the state that `conn`, which is inside a
    /// transaction, sees.
    pub(super) fn of(&self, conn: &Connection, filter: &Filter) -> rusqlite::Result<Arc<Eligible>> {
        let generation = generation(conn)?;
        // Held while SQL is at work: the other leg waits for the answer.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.generation != generation {
            kept.generation = generation;
            kept.answers.clear();
        }
        if let Some((_, answer)) = kept.answers.iter().find(|(known, _)| known == filter) {
            return Ok(Arc::clone(answer));
        }
        let answer = Arc::new(Eligible::of(conn, filter)?);
        if kept.answers.len() == KEPT {
            kept.answers.remove(0);
        }
        kept.answers.push((filter.clone(), Arc::clone(&answer)));
        Ok(answer)
    }
}

impl Eligible {
    fn of(conn: &Connection, filter: &Filter) -> rusqlite::Result<Self> {
        let deleted = select(conn, "i.deleted IS NOT NULL", &[])?;
        let unseen = match filter.without.as_slice() {
            [] => None,
            without => {
                let seen = filter::without(without);
                Some(select(conn, &format!("NOT ({seen})"), &[])?)
            }
        };
        if filter.is_empty() {
            let among = Among::AllBut(deleted);
            return Ok(Self { among, unseen });
        }
        let conditions = Conditions::of(filter);
        let mut passing = select(conn, &conditions.sql, &conditions.values)?;
        passing.remove_all(&deleted);
        let among = Among::Only(passing);
        Ok(Self { among, unseen })
    }

    /// The items that are as if they were not there, where there are any.
    pub(super) fn unseen(&self) -> Option<&Ids> {
        self.unseen.as_ref().filter(|ids| ids.count > 0)
    }

    /// Whether nothing at all may be found.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(&self.among, Among::Only(ids) if ids.count == 0)
    }

    /// How many items may be found, where that is known.
    #[cfg_attr(not(test), expect(dead_code, reason = "searching by word is to ask"))]
    pub(super) fn count(&self) -> Option<u64> {
        match &self.among {
            Among::AllBut(_) => None,
            Among::Only(ids) => Some(ids.count),
        }
    }

    /// Whether the item of that id, which is one, may be found.
    pub(super) fn contains_item(&self, item: i64) -> bool {
        match &self.among {
            Among::AllBut(ids) => !ids.contains(item),
            Among::Only(ids) => ids.contains(item),
        }
    }
}

fn select(conn: &Connection, conditions: &str, values: &[Value]) -> rusqlite::Result<Ids> {
    let mut select =
        conn.prepare_cached(&format!("SELECT i.id FROM items i WHERE {conditions}"))?;
    let mut rows = select.query(params_from_iter(values))?;
    let mut ids = Ids::default();
    while let Some(row) = rows.next()? {
        ids.insert(row.get(0)?);
    }
    Ok(ids)
}

/// A set of row ids. They are handed out in ascending order, so that a bit for
/// each up to the largest takes little: 125 kB for a million.
#[derive(Debug, Default)]
pub(super) struct Ids {
    bits: Vec<u64>,
    /// Ids that only a database not of our making has.
    far: HashSet<i64>,
    count: u64,
}

impl Ids {
    /// Words of bits at most: 64 MB, for 500 million ids.
    const MOST: usize = 8 << 20;

    /// The word of an id and its bit there; none for one that is far.
    fn place(id: i64) -> Option<(usize, u64)> {
        let word = usize::try_from(id >> 6).ok().filter(|w| *w < Self::MOST)?;
        Some((word, 1 << (id & 63)))
    }

    pub(super) fn insert(&mut self, id: i64) {
        let new = match Self::place(id) {
            Some((word, bit)) => {
                if word >= self.bits.len() {
                    self.bits.resize(word + 1, 0);
                }
                let before = self.bits[word];
                self.bits[word] |= bit;
                before & bit == 0
            }
            None => self.far.insert(id),
        };
        self.count += u64::from(new);
    }

    fn remove_all(&mut self, others: &Self) {
        for (bits, others) in self.bits.iter_mut().zip(&others.bits) {
            *bits &= !others;
        }
        self.far.retain(|id| !others.far.contains(id));
        let near = self.bits.iter().map(|bits| u64::from(bits.count_ones()));
        self.count = near.sum::<u64>() + self.far.len() as u64;
    }

    pub(super) fn contains(&self, id: i64) -> bool {
        match Self::place(id) {
            Some((word, bit)) => self.bits.get(word).is_some_and(|bits| bits & bit != 0),
            None => self.far.contains(&id),
        }
    }
}

impl FromIterator<i64> for Ids {
    fn from_iter<T: IntoIterator<Item = i64>>(ids: T) -> Self {
        let mut set = Self::default();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_and_nothing_else() {
        let held = [0, 1, 63, 64, 65, 1000, -1, i64::MIN, i64::MAX, 1 << 40, 64];
        let set: Ids = held.into_iter().collect();
        assert_eq!(set.count, 10);
        for id in held {
            assert!(set.contains(id), "{id}");
        }
        for id in [2, 62, 66, 999, 1001, 5000, -2, i64::MAX - 1, (1 << 40) + 1] {
            assert!(!set.contains(id), "{id}");
        }
        let mut fewer: Ids = held.into_iter().chain([70, 200]).collect();
        let gone = [1, 70, 1 << 40, 5000, i64::MIN].into_iter().collect();
        fewer.remove_all(&gone);
        assert_eq!(fewer.count, 8);
        for id in [0, 1, 64, 70, 200, 1 << 40, i64::MIN, i64::MAX] {
            assert_eq!(
                fewer.contains(id),
                [0, 64, 200, i64::MAX].contains(&id),
                "{id}"
            );
        }
        let of = |among| Eligible {
            among,
            unseen: None,
        };
        let none = of(Among::Only(Ids::default()));
        assert!(none.is_nothing() && none.count() == Some(0) && !none.contains_item(1));
        let all = of(Among::AllBut(Ids::default()));
        assert!(!all.is_nothing() && all.count().is_none() && all.contains_item(1));
    }
}
