//! The component around the library: world `analyzer` of `pkb:plugin`.
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    reason = "code that wit-bindgen generates"
)]

wit_bindgen::generate!({ path: "../../wit", world: "analyzer" });

use exports::pkb::plugin::about::{self, Description};
use exports::pkb::plugin::analyze::{self, Term};
use pkb::plugin::types::{Failure, FailureKind, Span};

use crate::{Error, SUMMARY};

struct Component;

impl about::Guest for Component {
    fn describe() -> Description {
        Description {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: SUMMARY.to_owned(),
            settings_schema: "{}".to_owned(),
        }
    }
}

impl analyze::Guest for Component {
    fn analyze(texts: Vec<String>) -> Result<Vec<Vec<Term>>, Failure> {
        let terms = crate::analyze(&texts).map_err(failure)?;
        Ok(terms
            .into_iter()
            .map(|terms| terms.into_iter().map(term).collect())
            .collect())
    }
}

fn term(term: crate::Term) -> Term {
    Term {
        text: term.text,
        span: Span {
            start: term.span.start as u64,
            end: term.span.end as u64,
        },
        position: term.position,
    }
}

fn failure(error: Error) -> Failure {
    let kind = match error {
        Error::TooLarge { .. } => FailureKind::TooLarge,
    };
    Failure {
        kind,
        message: error.to_string(),
    }
}

export!(Component);
