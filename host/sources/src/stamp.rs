//! Whether a file is still the same, for the price of one look at its metadata.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::Metadata;

/// Size, time of last change in nanoseconds, and which file it is: on Unix the
/// inode, so that a file swapped for another of the same size and time is
/// noticed; on Windows, whose directory listings do not say that, the time of
/// creation. Means nothing beyond being equal or not.
pub(crate) fn of(metadata: &Metadata) -> String {
    let modified = modified_nanos(metadata).unwrap_or_default();
    format!("{}-{modified}-{:x}", metadata.len(), identity(metadata))
}

/// Whether both are of the same folder.
#[cfg(not(windows))]
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether both are of the same folder, as far as can be told.
#[cfg(windows)]
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    identity(one) == identity(other)
}

/// Whether another change of the file would give it another stamp than this. The
/// clock of a file system ticks a few milliseconds apart, or seconds on old
/// ones, which keep whole seconds only: two changes within a tick that leave
/// the size as it is look like one.
pub(crate) fn is_settled(metadata: &Metadata) -> bool {
    let Some(modified) = modified_nanos(metadata) else {
        return true;
    };
    let second = 1_000_000_000;
    let tick = if modified % second == 0 {
        2 * second
    } else {
        second / 50
    };
    let now = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(now) => i128::try_from(now.as_nanos()).unwrap_or(i128::MAX),
        Err(_) => return true,
    };
    // A time far ahead was set on purpose, and the next change sets another.
    (now - modified).abs() > tick
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
