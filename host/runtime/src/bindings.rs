//! Host side of `wit/`, generated. The values are plain Rust types, so the
//! crate hands them on as they are.

#![allow(
    missing_docs,
    unreachable_pub,
    reason = "generated; wit/ documents each item"
)]

pub(crate) mod extractor {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "extractor",
        imports: { default: trappable },
        additional_derives: [PartialEq],
        with: { "pkb:plugin/blobs.blob": crate::guest::BlobHandle },
    });
}

pub(crate) mod chunker {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "chunker",
        imports: { default: trappable },
        additional_derives: [PartialEq],
        with: {
            "pkb:plugin/types": crate::bindings::types,
            "pkb:plugin/log": crate::bindings::log,
        },
    });
}

pub(crate) mod tokenizer {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "tokenizer",
        additional_derives: [PartialEq],
        with: {
            "pkb:plugin/types": crate::bindings::types,
            "pkb:plugin/log": crate::bindings::log,
        },
    });
}

pub(crate) mod analyzer {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "analyzer",
        additional_derives: [PartialEq],
        with: {
            "pkb:plugin/types": crate::bindings::types,
            "pkb:plugin/log": crate::bindings::log,
        },
    });
}

pub(crate) mod fuser {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "fuser",
        additional_derives: [PartialEq],
        with: {
            "pkb:plugin/types": crate::bindings::types,
            "pkb:plugin/log": crate::bindings::log,
        },
    });
}

pub use chunker::pkb::plugin::tokens;
pub use extractor::pkb::plugin::blobs;
pub use extractor::pkb::plugin::log;
pub use extractor::pkb::plugin::ocr;
pub use extractor::pkb::plugin::types;

pub use analyzer::exports::pkb::plugin::analyze::Term;
pub use chunker::exports::pkb::plugin::chunk::Chunk;
pub use extractor::exports::pkb::plugin::about::Description;
pub use extractor::exports::pkb::plugin::extract::{
    Batch, Document, Link, LinkKind, PartFailure, Piece,
};
pub use fuser::exports::pkb::plugin::fuse::{Fused, Leg};
