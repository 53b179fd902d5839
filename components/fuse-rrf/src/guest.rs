//! The component around the library: world `fuser` of `pkb:plugin`.
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    reason = "code that wit-bindgen generates"
)]

wit_bindgen::generate!({ path: "../../wit", world: "fuser" });

use exports::pkb::plugin::about::{self, Description};
use exports::pkb::plugin::fuse::{self, Fused, Leg, Options};
use pkb::plugin::types::{Failure, FailureKind};

use crate::{Error, SETTINGS_SCHEMA, SUMMARY, Settings};

struct Component;

impl about::Guest for Component {
    fn describe() -> Description {
        Description {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: SUMMARY.to_owned(),
            settings_schema: SETTINGS_SCHEMA.to_owned(),
        }
    }
}

impl fuse::Guest for Component {
    fn fuse(legs: Vec<Leg>, options: Options) -> Result<Vec<Fused>, Failure> {
        let settings = Settings::parse(&options.settings).map_err(failure)?;
        let legs: Vec<crate::Leg> = legs
            .into_iter()
            .map(|leg| crate::Leg {
                name: leg.name,
                weight: leg.weight,
                ids: leg.ids,
            })
            .collect();
        let limit = usize::try_from(options.limit).unwrap_or(usize::MAX);
        let fused = crate::fuse(&legs, limit, settings).map_err(failure)?;
        Ok(fused
            .into_iter()
            .map(|entry| Fused {
                id: entry.id,
                score: entry.score,
                ranks: entry.ranks,
            })
            .collect())
    }
}

// Every error is a number or a text the caller chose.
fn failure(error: Error) -> Failure {
    Failure {
        kind: FailureKind::InvalidInput,
        message: error.to_string(),
    }
}

export!(Component);
