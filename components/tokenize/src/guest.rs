//! The component around the library: world `tokenizer` of `pkb:plugin`.
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    reason = "code that wit-bindgen generates"
)]

wit_bindgen::generate!({ path: "../../wit", world: "tokenizer" });

use exports::pkb::plugin::about::{self, Description};
use exports::pkb::plugin::tokenize::{self, GuestTokenizer};
use pkb::plugin::types::{Failure, FailureKind};

use crate::{Error, SUMMARY, Tokenizer};

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

impl tokenize::Guest for Component {
    type Tokenizer = Tokenizer;
}

impl GuestTokenizer for Tokenizer {
    fn load(definition: Vec<u8>) -> Result<tokenize::Tokenizer, Failure> {
        Tokenizer::load(&definition)
            .map(tokenize::Tokenizer::new)
            .map_err(failure)
    }

    fn encode(&self, texts: Vec<String>) -> Result<Vec<Vec<u32>>, Failure> {
        self.encode(&texts).map_err(failure)
    }

    fn count(&self, texts: Vec<String>) -> Result<Vec<u32>, Failure> {
        self.count(&texts).map_err(failure)
    }

    fn special_count(&self) -> u32 {
        self.special_count()
    }
}

// Both kinds of error lie in the definition, which is this component's input.
fn failure(error: Error) -> Failure {
    Failure {
        kind: FailureKind::InvalidInput,
        message: error.to_string(),
    }
}

export!(Component);
