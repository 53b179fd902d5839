//! The tokens of a home: `tokens.toml`, which holds a hash of each.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;
use pkb_engine::{Error, Home};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Scope;

/// What every token begins with, so that one that leaked is known for what it
/// is.
pub(crate) const PREFIX: &str = "pkb_";
/// Random bytes in a token.
const SECRET: usize = 32;
/// Digits of an id.
const ID: usize = 8;
/// Characters of a name at most.
const NAME: usize = 64;

/// The SHA-256 of a token. A token is random enough that a slow hash would
/// protect it no better.
pub(crate) type Hash = [u8; 32];

/// A token, without what proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Token {
    /// The first digits of its hash.
    pub(crate) id: String,
    /// What the user calls it.
    pub(crate) name: String,
    /// How much it lets its holder do.
    pub(crate) scope: Scope,
    /// When it was made.
    #[serde(with = "moment")]
    pub(crate) created: Timestamp,
    /// When it stops being valid; none for never.
    #[serde(with = "perhaps", default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<Timestamp>,
    /// Its hash, in hexadecimal digits.
    #[serde(with = "digits")]
    pub(crate) sha256: Hash,
}

impl Token {
    /// Whether it is valid at that time, as far as time goes.
    pub(crate) fn valid_at(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

/// The file as it is written.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, rename = "token", skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<Token>,
}

/// What stands at the head of the file.
const HEAD: &str = "\
# Who may use this home over HTTP: `pkb token` keeps this file, and holds only
# hashes here. While the file is there, every client needs a token; remove it
# to let the programs of this machine in without one again.
";

/// Where a home keeps its tokens.
pub(crate) fn file(home: &Home) -> PathBuf {
    home.folder.join("tokens.toml")
}

/// The hash of a token as a client shows it.
pub(crate) fn hash(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

/// The tokens in the file; none where there is no file.
///
/// # Errors
/// When the file cannot be read or understood.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<Token>>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("cannot read the tokens", path, error)),
    };
    match toml::from_str::<Written>(&text) {
        Ok(written) => Ok(Some(written.tokens)),
        Err(error) => Err(Error::usage(
            // What stands in the file is not shown.
            format!(
                "{} cannot be understood: {}",
                path.display(),
                error.message()
            ),
            "Mend it, or remove it and make new tokens with `pkb token new`.",
        )),
    }
}

/// Makes a token and keeps its hash. The text is what lets a client in; it is
/// kept nowhere.
///
/// # Errors
/// When the name is taken or cannot be a name; what the system says.
pub(crate) fn create(
    home: &Home,
    name: Option<String>,
    scope: Scope,
    created: Timestamp,
    expires: Option<Timestamp>,
) -> Result<(Token, String), Error> {
    change(home, |tokens| {
        let name = match name {
            Some(name) => checked(&name, tokens)?,
            None => (1..)
                .map(|number| format!("token-{number}"))
                .find(|name| tokens.iter().all(|token| token.name != *name))
                .unwrap_or_default(),
        };
        let mut random = [0; SECRET];
        getrandom::fill(&mut random).map_err(|error| {
            failed(
                "cannot make a token",
                &home.folder,
                io::Error::other(error.to_string()),
            )
        })?;
        let secret = format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(random));
        let sha256 = hash(&secret);
        let token = Token {
            id: hex(&sha256)[..ID].to_owned(),
            name,
            scope,
            created,
            expires,
            sha256,
        };
        tokens.push(token.clone());
        Ok((token, secret))
    })
}

/// Forgets the token of that name or id.
///
/// # Errors
/// When there is none; what the system says.
pub(crate) fn revoke(home: &Home, which: &str) -> Result<Token, Error> {
    change(home, |tokens| {
        let at = tokens
            .iter()
            .position(|token| token.name == which)
            .or_else(|| tokens.iter().position(|token| token.id == which));
        match at {
            Some(at) => Ok(tokens.remove(at)),
            None => Err(Error::usage(
                format!("there is no token called {which:?}"),
                "`pkb token list` shows them all.",
            )),
        }
    })
}

/// Reads, changes and writes the file while no other process does.
fn change<T>(
    home: &Home,
    change: impl FnOnce(&mut Vec<Token>) -> Result<T, Error>,
) -> Result<T, Error> {
    home.create()?;
    let path = file(home);
    let write = |error| failed("cannot write the tokens", &path, error);
    let mut lock = File::options();
    lock.create(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut lock, 0o600);
    let lock = lock.open(home.folder.join("tokens.lock")).map_err(write)?;
    lock.lock().map_err(write)?;
    let mut tokens = read(&path)?.unwrap_or_default();
    let changed = change(&mut tokens)?;
    let text =
        toml::to_string(&Written { tokens }).map_err(|error| write(io::Error::other(error)))?;
    // Readable by this user alone from the first, and there as a whole or not
    // at all.
    let mut fresh = tempfile::Builder::new()
        .prefix(".tokens")
        .tempfile_in(&home.folder)
        .map_err(write)?;
    fresh
        .write_all(format!("{HEAD}\n{text}").as_bytes())
        .and_then(|()| fresh.as_file().sync_all())
        .map_err(write)?;
    fresh.persist(&path).map_err(|error| write(error.error))?;
    Ok(changed)
}

fn checked(name: &str, tokens: &[Token]) -> Result<String, Error> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
        return Err(Error::usage(
            format!("a token cannot be called {name:?}"),
            format!("A name has 1 to {NAME} characters on one line, such as laptop."),
        ));
    }
    if tokens.iter().any(|token| token.name == name) {
        return Err(Error::usage(
            format!("there is a token called {name:?} already"),
            format!("Choose another name, or end that one first: `pkb token revoke {name:?}`."),
        ));
    }
    Ok(name.to_owned())
}

fn failed(doing: &'static str, path: &Path, error: io::Error) -> Error {
    Error::File {
        doing,
        path: path.to_owned(),
        error,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

mod moment {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(time)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Timestamp, D::Error> {
        String::deserialize(from)?
            .parse()
            .map_err(de::Error::custom)
    }
}

mod perhaps {
    use jiff::Timestamp;
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::moment::serialize(time, to),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(
        from: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        super::moment::deserialize(from).map(Some)
    }
}

mod digits {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use super::Hash;

    pub(super) fn serialize<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::hex(hash))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Hash, D::Error> {
        let text = String::deserialize(from)?;
        let wrong = || de::Error::custom("a hash has 64 hexadecimal digits");
        if text.len() != 64 || !text.is_ascii() {
            return Err(wrong());
        }
        let mut hash = Hash::default();
        for (at, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| wrong())?;
        }
        Ok(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(folder: &Path) -> Home {
        Home {
            folder: folder.to_owned(),
            models: folder.join("models"),
            compiled: folder.join("compiled"),
        }
    }

    #[test]
    fn tokens_are_kept_as_hashes_for_this_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(read(&file(&home)).unwrap(), None);
        let (token, secret) = create(&home, None, Scope::Write, now, Some(now)).unwrap();
        assert_eq!((token.name.as_str(), secret.len()), ("token-1", 4 + 43));
        let text = fs::read_to_string(file(&home)).unwrap();
        assert!(!text.contains(&secret[PREFIX.len()..]), "{text}");
        assert_eq!(read(&file(&home)).unwrap(), Some(vec![token.clone()]));
        assert_eq!(hash(&secret), token.sha256);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(file(&home)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }

        let (second, _) = create(&home, None, Scope::Read, now, None).unwrap();
        assert_eq!((second.name.as_str(), second.expires), ("token-2", None));
        assert!(create(&home, Some("token-2".into()), Scope::Read, now, None).is_err());
        assert!(create(&home, Some(" \n".into()), Scope::Read, now, None).is_err());
        assert_eq!(revoke(&home, &token.id).unwrap(), token);
        assert_eq!(revoke(&home, "token-2").unwrap(), second);
        assert!(revoke(&home, "token-2").is_err());
        // The file stays: a home whose last token was revoked is locked, not
        // open.
        assert_eq!(read(&file(&home)).unwrap(), Some(Vec::new()));
    }

    #[test]
    fn a_damaged_file_is_an_error_that_shows_nothing_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.toml");
        for text in [
            "[[token]]\nid = \"secret\"\n",
            "secret",
            "[[token]]\nsha256 = \"secret\"",
        ] {
            fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(
                error.contains("cannot be understood") && !error.contains("\"secret\""),
                "{error}"
            );
        }
    }
}
