//! The plain values that go in and out of a store.

mod chunk_set;
mod item;
mod matches;
mod record;
mod search;

pub use chunk_set::*;
pub use item::*;
pub use matches::*;
pub use record::*;
pub use search::*;
