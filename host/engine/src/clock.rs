//! The present time.

use std::time::{SystemTime, UNIX_EPOCH};

use pkb_store::Millis;

pub(crate) fn now() -> Millis {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|time| i64::try_from(time.as_millis()).ok())
        .unwrap_or(0)
}
