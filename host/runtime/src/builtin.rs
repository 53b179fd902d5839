//! The components that come with pkb, as `build.rs` built them.

const BUILTIN: [(&str, &[u8]); 6] = include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// Names of the built-in components.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

pub(crate) fn bytes(name: &str) -> Option<&'static [u8]> {
    BUILTIN
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, bytes)| *bytes)
}
