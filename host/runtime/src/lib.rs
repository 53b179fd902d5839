//! The sandbox: builds, embeds, limits and calls components.
//!
//! A [`Sandbox`] compiles components (or loads them compiled from a private
//! cache) and hands out typed handles, [`Extractor`], [`Chunker`],
//! [`Tokenizer`], [`Analyzer`] and [`Fuser`], which take and give plain Rust
//! values and may be used from many threads. Built-in components and plugins
//! run under the same [`Limits`]. Whatever a component does, a call ends with a
//! value that was checked or with a [`CallError`].

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)
)]

mod bindings;
mod budget;
mod builtin;
mod cache;
mod component;
mod error;
mod guest;
mod handles;
mod limits;
mod plugins;
mod sandbox;
mod tail;
mod ticker;
mod wasi;
mod worlds;

pub use bindings::types::{Failure, FailureKind, Mark, Place, Property, Scalar, Span, Value};
pub use bindings::{
    Batch, Chunk, Description, Document, Fused, Leg, Link, LinkKind, PartFailure, Piece, Term,
};
pub use builtin::{builtin_names, builtin_sha256};
pub use component::{ComponentInfo, Origin};
pub use error::{CallError, LoadError};
pub use guest::{Blob, PictureReader, TokenCounter};
pub use handles::{Analyzer, Chunker, Documents, Extractor, Fuser, Tokenizer};
pub use limits::Limits;
pub use plugins::{Plugin, PluginError, Plugins};
pub use sandbox::{Sandbox, Settings};
pub use worlds::World;
