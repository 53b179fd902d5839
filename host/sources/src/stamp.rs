//! Whether a file is still the same, for the price of one look at its metadata.

use std::time::{Duration, UNIX_EPOCH};

use cap_std::fs::Metadata;

/// Size, time of last change in nanoseconds, and which file it is: on Unix the
/// inode, so that a file swapped for another of the same size and time is
/// noticed; on Windows, whose directory listings do not say that, the time of
/// creation. Means nothing beyond being equal or not.
pub(crate) fn of(metadata: &Metadata) -> String {
    let modified = modified_nanos(metadata).unwrap_or_default();
    format!("{}-{modified}-{:x}", metadata.len(), identity(metadata))
}

/// Milliseconds since 1970-01-01T00:00:00Z, where the file system knows.
pub(crate) fn modified_ms(metadata: &Metadata) -> Option<i64> {
    let millis = modified_nanos(metadata)?.div_euclid(1_000_000);
    i64::try_from(millis).ok()
}

fn modified_nanos(metadata: &Metadata) -> Option<i128> {
    Some(nanos(metadata.modified().ok()?))
}

fn nanos(time: cap_std::time::SystemTime) -> i128 {
    let signed = |distance: Duration| i128::try_from(distance.as_nanos()).unwrap_or(i128::MAX);
    match time.into_std().duration_since(UNIX_EPOCH) {
        Ok(after) => signed(after),
        Err(before) => -signed(before.duration()),
    }
}

#[cfg(not(windows))]
fn identity(metadata: &Metadata) -> u64 {
    use cap_std::fs::MetadataExt as _;
    metadata.ino()
}

#[cfg(windows)]
fn identity(metadata: &Metadata) -> i128 {
    metadata.created().map(nanos).unwrap_or_default()
}
