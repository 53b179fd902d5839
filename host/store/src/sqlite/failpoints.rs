//! Places where tests make a process die, fail or wait. Without the feature
//! `failpoints`, which a pkb for people does not have, there are none.

/// Passes the place called `step`, and the same place of this `action` alone:
/// `before-commit` and `before-commit store items`, say. Told to `return(abort)`
/// the process dies there, told to `return(io)` SQLite is said to have failed.
#[cfg(feature = "failpoints")]
pub(super) fn pass(step: &str, action: &str) -> rusqlite::Result<()> {
    let told = |what: Option<String>| match what.as_deref() {
        Some("abort") => std::process::abort(),
        _ => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR),
            None,
        )),
    };
    fail::fail_point!(step, told);
    fail::fail_point!(&format!("{step} {action}"), told);
    Ok(())
}

/// Reads from the variable `FAILPOINTS` what is to happen where.
#[cfg(feature = "failpoints")]
pub(super) fn set_up() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // For as long as the process lives.
    ONCE.call_once(|| std::mem::forget(fail::FailScenario::setup()));
}

#[cfg(not(feature = "failpoints"))]
pub(super) fn set_up() {}

#[cfg(not(feature = "failpoints"))]
pub(super) fn pass(_step: &str, _action: &str) -> rusqlite::Result<()> {
    Ok(())
}
