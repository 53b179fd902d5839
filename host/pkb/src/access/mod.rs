//! Who may do what: tokens that this home made, and those of an OAuth issuer.

pub(crate) mod issuer;
mod keys;
mod lifetime;
mod live;
pub(crate) mod tokens;

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

pub(crate) use lifetime::Lifetime;
pub(crate) use live::Live;

/// How much a client may do; each includes those before it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// Look only.
    Read,
    /// Also add, edit, sync, and delete with a way back.
    Write,
    /// Everything, deleting for good included.
    Admin,
}

impl Scope {
    /// All of them, least first.
    pub(crate) const ALL: [Scope; 3] = [Scope::Read, Scope::Write, Scope::Admin];

    /// Its name on the command line and in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Admin => "admin",
        }
    }

    /// Its name in OAuth.
    pub(crate) fn oauth(self) -> &'static str {
        match self {
            Scope::Read => "pkb:read",
            Scope::Write => "pkb:write",
            Scope::Admin => "pkb:admin",
        }
    }

    /// The greatest of the OAuth scopes that is one of ours.
    pub(crate) fn of_oauth<'a>(scopes: impl IntoIterator<Item = &'a str>) -> Option<Scope> {
        let known = |scope: &str| Scope::ALL.into_iter().find(|one| one.oauth() == scope);
        scopes.into_iter().filter_map(known).max()
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the client behind a request may do. The HTTP server puts it into the
/// extensions of each request that it lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    /// How much.
    pub(crate) scope: Scope,
    /// Whose it is: the token's name, or the subject that an issuer names.
    pub(crate) name: String,
}

impl Grant {
    /// Whoever started the process may do everything.
    pub(crate) const OWNER: Grant = Grant {
        scope: Scope::Admin,
        name: String::new(),
    };

    /// A program of this machine, where no token is needed.
    pub(crate) fn of_this_machine() -> Grant {
        Grant {
            scope: Scope::Admin,
            name: "this machine".into(),
        }
    }

    /// Someone of whom nothing is known.
    pub(crate) const READER: Grant = Grant {
        scope: Scope::Read,
        name: String::new(),
    };
}

/// Why a token lets nobody in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It is none of ours, or no longer.
    Unknown,
    /// It was valid once.
    Expired,
    /// It is of the issuer and does not hold, for a reason that may be told.
    Invalid(String),
    /// It is valid and grants nothing here.
    NoScope,
    /// It cannot be judged now, for a reason that is for the log.
    Unavailable(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_ordered_and_the_greatest_counts() {
        assert!(Scope::Read < Scope::Write && Scope::Write < Scope::Admin);
        let of = |scopes: &str| Scope::of_oauth(scopes.split(' '));
        assert_eq!(of("openid pkb:read pkb:write"), Some(Scope::Write));
        assert_eq!(of("pkb:admin"), Some(Scope::Admin));
        assert_eq!(of("read admin pkb:"), None);
        for scope in Scope::ALL {
            assert_eq!(Scope::from_str(scope.name(), false), Ok(scope));
        }
    }
}
