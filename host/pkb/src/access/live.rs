//! The tokens as they are in the file now, for a server that goes on running.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;
use pkb_engine::Home;
use subtle::ConstantTimeEq;

use super::tokens::{self, Token};
use super::{Grant, Refused};

/// A view of a home's tokens that follows the file: a token that was made or
/// revoked counts from the next request on.
pub(crate) struct Live {
    path: PathBuf,
    seen: Mutex<Seen>,
}

struct Seen {
    /// None while there is no file.
    stamp: Option<Stamp>,
    tokens: Arc<[Token]>,
    /// Whether there ever was a file. One that goes away while the server runs
    /// does not open it.
    needed: bool,
}

/// What changes when the file is replaced.
#[derive(PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        match fs::metadata(path) {
            Ok(file) => Some(Stamp {
                modified: file.modified().ok(),
                length: file.len(),
                #[cfg(unix)]
                inode: std::os::unix::fs::MetadataExt::ino(&file),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            // A file that cannot be looked at is there.
            Err(_) => Some(Stamp {
                modified: None,
                length: 0,
                #[cfg(unix)]
                inode: 0,
            }),
        }
    }
}

impl Live {
    /// A view of the home's tokens.
    pub(crate) fn new(home: &Home) -> Live {
        Live {
            path: tokens::file(home),
            seen: Mutex::new(Seen {
                stamp: None,
                tokens: Arc::new([]),
                needed: false,
            }),
        }
    }

    /// Whether there are tokens, so that every client needs one.
    pub(crate) fn needed(&self) -> bool {
        self.look();
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .needed
    }

    /// What the token lets its holder do, and until when.
    ///
    /// # Errors
    /// [`Refused::Unknown`] and [`Refused::Expired`].
    pub(crate) fn check(
        &self,
        secret: &str,
        now: Timestamp,
    ) -> Result<(Grant, Option<Timestamp>), Refused> {
        let hash = tokens::hash(secret);
        // All are compared, however early one fits: the time this takes says
        // nothing.
        let mut found = None;
        let tokens = self.look();
        for token in tokens.iter() {
            if bool::from(token.sha256.ct_eq(&hash)) {
                found = Some(token);
            }
        }
        let token = found.ok_or(Refused::Unknown)?;
        if !token.valid_at(now) {
            return Err(Refused::Expired);
        }
        let grant = Grant {
            scope: token.scope,
            name: token.name.clone(),
        };
        Ok((grant, token.expires))
    }

    /// Whether the token of that hash is valid.
    pub(crate) fn holds(&self, hash: &[u8; 32], now: Timestamp) -> bool {
        let tokens = self.look();
        tokens
            .iter()
            .any(|token| token.sha256 == *hash && token.valid_at(now))
    }

    /// Whether any token is valid.
    pub(crate) fn any(&self, now: Timestamp) -> bool {
        self.look().iter().any(|token| token.valid_at(now))
    }

    fn look(&self) -> Arc<[Token]> {
        let stamp = Stamp::of(&self.path);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if stamp != seen.stamp {
            seen.needed |= stamp.is_some();
            seen.tokens = match tokens::read(&self.path) {
                Ok(tokens) => tokens.unwrap_or_default().into(),
                Err(error) => {
                    // Nobody comes in by a file that says nothing.
                    tracing::error!("no token is accepted: {error}");
                    Arc::new([])
                }
            };
            seen.stamp = stamp;
        }
        seen.tokens.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Scope;
    use jiff::SignedDuration;

    #[test]
    fn what_becomes_of_a_token_counts_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home {
            folder: folder.path().to_owned(),
            models: folder.path().join("models"),
            compiled: folder.path().join("compiled"),
        };
        let now = Timestamp::UNIX_EPOCH;
        let later = now + SignedDuration::from_secs(60);
        let live = Live::new(&home);
        assert!(!live.needed());
        let make = |name: &str, scope, expires| {
            tokens::create(&home, Some(name.into()), scope, now, expires)
                .unwrap()
                .1
        };
        let first = make("first", Scope::Read, None);
        assert!(live.needed());
        let second = make("second", Scope::Admin, Some(later));
        let grant = |secret: &str, at| live.check(secret, at).map(|(grant, _)| grant);
        let first_grant = Grant {
            scope: Scope::Read,
            name: "first".into(),
        };
        assert_eq!(grant(&first, now), Ok(first_grant));
        assert_eq!(grant(&second, now).unwrap().scope, Scope::Admin);
        assert_eq!(grant(&second, later), Err(Refused::Expired));
        let of_second = tokens::hash(&second);
        assert!(live.holds(&of_second, now) && !live.holds(&of_second, later));
        assert_eq!(grant(&first[..first.len() - 1], now), Err(Refused::Unknown));
        assert_eq!(grant("", now), Err(Refused::Unknown));

        tokens::revoke(&home, "first").unwrap();
        assert_eq!(grant(&first, now), Err(Refused::Unknown));
        assert!(live.any(now) && !live.any(later));
        fs::write(tokens::file(&home), "broken").unwrap();
        assert_eq!(grant(&second, now), Err(Refused::Unknown));
        fs::remove_file(tokens::file(&home)).unwrap();
        assert!(live.needed(), "a server does not open while it runs");
    }
}
