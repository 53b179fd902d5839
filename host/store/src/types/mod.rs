//! The plain values that go in and out of a store.

mod item;
mod matches;
mod record;
mod search;

pub use item::*;
pub use matches::*;
pub use record::*;
pub use search::*;
