//! Who may do what.

/// What a caller may do; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// Search and read.
    Read,
    /// Also add, change, sync, and delete with a way back.
    Write,
    /// Also delete for good.
    Admin,
}

/// What one caller was allowed.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// What it may do.
    pub(crate) scope: Scope,
}

impl Grant {
    /// Whoever started the process may do everything.
    pub(crate) const OWNER: Grant = Grant {
        scope: Scope::Admin,
    };

    /// Someone who was let in without saying more.
    pub(crate) const READER: Grant = Grant { scope: Scope::Read };
}
