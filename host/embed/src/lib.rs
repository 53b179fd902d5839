//! Text embedding: ONNX models through tract, and where they are kept.
//!
//! A model is a folder:
//!
//! | file | what |
//! | --- | --- |
//! | `model.onnx` | the network, self-contained (no external data files) |
//! | `tokenizer.json` | the Hugging Face tokenizer that makes its token ids |
//! | `model.toml` | pooling, prefixes, length limit, dimensions: see [`settings`] |
//!
//! [`Model`] turns token ids into vectors; making the ids is the sandboxed
//! tokenizer's work, not this crate's. [`Registry`] knows where models live
//! and gets them there, by copying or by a verified download.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod error;
mod files;
mod fingerprint;
mod model;
mod plan;
pub mod registry;
pub mod settings;
#[cfg(test)]
mod testing;
mod windows;

pub use error::Error;
pub use model::{Model, ModelInfo};
pub use registry::{Progress, Registry};
pub use settings::{Pooling, Settings};
