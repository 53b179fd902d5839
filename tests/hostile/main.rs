//! Hostile files, and folders of everything: whatever a file holds, it costs
//! one line of the ledger at most, and all else is indexed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod attacks;
mod bombs;
mod deep;
mod folder;
mod library;
mod mixed;
mod packed;
mod pdf;
mod random;
mod samples;
mod variants;
