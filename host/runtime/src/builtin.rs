//! The components that come with pkb, as `build.rs` built them.

struct Builtin {
    name: &'static str,
    /// Of the bytes, in hex.
    sha256: &'static str,
    bytes: &'static [u8],
}

const BUILTIN: &[Builtin] = &include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// Names of the built-in components.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|builtin| builtin.name)
}

/// SHA-256 of a built-in component's file, in hex, which costs nothing to ask
/// for; none where there is no such component.
pub fn builtin_sha256(name: &str) -> Option<&'static str> {
    find(name).map(|builtin| builtin.sha256)
}

pub(crate) fn bytes(name: &str) -> Option<&'static [u8]> {
    find(name).map(|builtin| builtin.bytes)
}

fn find(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|builtin| builtin.name == name)
}
