//! The component around the library: types of the interface to ours and back.
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    reason = "generated bindings"
)]

wit_bindgen::generate!({ path: "../../wit", world: "chunker" });

use exports::pkb::plugin::about::{Description, Guest as About};
use exports::pkb::plugin::chunk::{Chunk, Guest, Options, SourceText};
use pkb::plugin::tokens;
use pkb::plugin::types::{Failure, FailureKind, Span};

struct Component;

export!(Component);

impl About for Component {
    fn describe() -> Description {
        Description {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: crate::SUMMARY.to_owned(),
            settings_schema: crate::SETTINGS_SCHEMA.to_owned(),
        }
    }
}

impl Guest for Component {
    fn split(source: SourceText, options: Options) -> Result<Vec<Chunk>, Failure> {
        let options = crate::Options {
            budget: options.budget,
            settings: crate::Settings::parse(&options.settings).map_err(failure)?,
        };
        let mut count = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
            tokens::count(&texts)
        };
        let chunks = crate::split(&source.title, &source.text, &options, &mut count);
        Ok(chunks.map_err(failure)?.into_iter().map(chunk).collect())
    }
}

fn chunk(chunk: crate::Chunk) -> Chunk {
    Chunk {
        span: Span {
            start: chunk.span.start as u64,
            end: chunk.span.end as u64,
        },
        headings: Vec::new(),
        context: None,
    }
}

fn failure(failure: crate::Failure) -> Failure {
    Failure {
        kind: match failure.kind {
            crate::FailureKind::InvalidInput => FailureKind::InvalidInput,
            crate::FailureKind::Internal => FailureKind::Internal,
        },
        message: failure.message,
    }
}
