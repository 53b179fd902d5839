//! What all extractors share: the document they give, the bytes they are given,
//! the decoding of text, and the component around them.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod decode;
#[cfg(target_family = "wasm")]
pub mod guest;
mod input;
mod model;
mod plain;
/// Titles, wherever they come from.
pub mod title;
mod url;

pub use decode::{Decoded, decode, unify_newlines};
pub use input::{
    About, Bytes, Documents, Extractor, Input, MOST_PIECES_BYTES, MOST_READ, NoOcr, Ocr, all,
};
pub use model::{
    Batch, Document, Failure, FailureKind, Link, LinkKind, Mark, PartFailure, Piece, Place,
    Property, Scalar, Span, Value,
};
pub use plain::{escape_line, escape_plain};
pub use url::{canonical_url, is_youtube_id, youtube_video_id};

/// Makes the crate the component of an [`Extractor`], where it is built as one.
#[macro_export]
macro_rules! export {
    ($extractor:ty) => {
        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code, missing_docs)]
        mod component {
            type Component = $crate::guest::Component<$extractor>;
            $crate::guest::export_extractor!(Component with_types_in $crate::guest);
        }
    };
}
