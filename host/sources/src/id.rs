//! External ids of files: relative paths, one to one with what the file system
//! holds.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::Error;

/// Stands before the hexadecimal digits of what is not Unicode in a name. It
/// can stand in a name itself, where it is escaped too.
const ESCAPE: char = char::REPLACEMENT_CHARACTER;

/// Appends one name to an id: `/` where the id has a part already, and the
/// name with everything escaped that is not Unicode.
pub(crate) fn push_name(id: &mut String, name: &OsStr) {
    if !id.is_empty() {
        id.push('/');
    }
    push_escaped(id, name);
}

/// The relative path an id stands for.
///
/// # Errors
/// [`Error::Id`] for ids that [`push_name`] cannot have made, those with `..`
/// and absolute paths among them.
pub(crate) fn to_path(external_id: &str) -> Result<PathBuf, Error> {
    let refused = || Error::Id {
        external_id: external_id.to_owned(),
    };
    let mut path = PathBuf::new();
    for part in external_id.split('/') {
        let name = unescape(part).ok_or_else(refused)?;
        // Escapes that were never needed, such as one for `/`, do not survive
        // the way there and back.
        let mut again = String::with_capacity(part.len());
        push_escaped(&mut again, &name);
        if matches!(part, "" | "." | "..") || part.contains(FORBIDDEN) || again != part {
            return Err(refused());
        }
        path.push(name);
    }
    Ok(path)
}

/// What no name holds: separators, the end-of-string of the system's calls
/// and, on Windows, what would make a name a drive or a second stream.
#[cfg(not(windows))]
const FORBIDDEN: &[char] = &['\0'];
#[cfg(windows)]
const FORBIDDEN: &[char] = &['\0', '\\', ':'];

#[cfg(not(windows))]
fn push_escaped(id: &mut String, name: &OsStr) {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;

    let escape = |id: &mut String, bytes: &[u8]| {
        for byte in bytes {
            // Writing to a String cannot fail.
            let _ = write!(id, "{ESCAPE}{byte:02X}");
        }
    };
    for chunk in name.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            if character == ESCAPE {
                escape(id, character.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                id.push(character);
            }
        }
        escape(id, chunk.invalid());
    }
}

#[cfg(not(windows))]
fn unescape(part: &str) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt as _;

    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part;
    while let Some(at) = rest.find(ESCAPE) {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + ESCAPE.len_utf8()..];
        bytes.push(u8::from_str_radix(rest.get(..2)?, 16).ok()?);
        rest = &rest[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(OsString::from_vec(bytes))
}

#[cfg(windows)]
fn push_escaped(id: &mut String, name: &OsStr) {
    use std::fmt::Write as _;
    use std::os::windows::ffi::OsStrExt as _;

    for unit in char::decode_utf16(name.encode_wide()) {
        let code = match unit {
            Ok(ESCAPE) => 0xFFFD,
            Ok(character) => {
                id.push(character);
                continue;
            }
            Err(unpaired) => unpaired.unpaired_surrogate(),
        };
        // Writing to a String cannot fail.
        let _ = write!(id, "{ESCAPE}{code:04X}");
    }
}

#[cfg(windows)]
fn unescape(part: &str) -> Option<OsString> {
    use std::os::windows::ffi::OsStringExt as _;

    let mut units = Vec::with_capacity(part.len());
    let mut rest = part;
    while let Some(at) = rest.find(ESCAPE) {
        units.extend(rest[..at].encode_utf16());
        rest = &rest[at + ESCAPE.len_utf8()..];
        units.push(u16::from_str_radix(rest.get(..4)?, 16).ok()?);
        rest = &rest[4..];
    }
    units.extend(rest.encode_utf16());
    Some(OsString::from_wide(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(names: &[&OsStr]) -> String {
        let mut id = String::new();
        for name in names {
            push_name(&mut id, name);
        }
        id
    }

    #[test]
    fn plain_names_stay_as_they_are() {
        let names = ["Notes", "100% sure — ok?", "Zu\u{308}rich.md"].map(OsStr::new);
        let id = id_of(&names);
        assert_eq!(id, "Notes/100% sure — ok?/Zu\u{308}rich.md");
        let path: PathBuf = names.iter().collect();
        assert_eq!(to_path(&id).unwrap(), path);
    }

    #[test]
    fn ids_that_were_never_given_out_are_refused() {
        for id in [
            "",
            "/",
            "/etc/passwd",
            "a//b",
            "a/",
            "..",
            "../a",
            "a/../b",
            ".",
            "a/./b",
            "a\0b",
            "\u{FFFD}",
            "\u{FFFD}E",
            "\u{FFFD}ZZ",
            "\u{FFFD}+1",
            "\u{FFFD}2F",
            "\u{FFFD}e9",
            "a\u{FFFD}é",
        ] {
            assert!(matches!(to_path(id), Err(Error::Id { .. })), "{id:?}");
        }
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::ffi::OsStrExt as _;

        use proptest::prelude::*;

        use super::*;

        #[test]
        fn bytes_that_are_not_unicode_are_escaped() {
            assert_eq!(
                id_of(&[OsStr::from_bytes(b"caf\xE9.md")]),
                "caf\u{FFFD}E9.md"
            );
            // A real replacement character is told apart from an escape.
            let real = OsStr::new("caf\u{FFFD}E9.md");
            assert_eq!(id_of(&[real]), "caf\u{FFFD}EF\u{FFFD}BF\u{FFFD}BDE9.md");
        }

        proptest! {
            #[test]
            fn every_name_comes_back(
                names in prop::collection::vec(
                    prop::collection::vec(
                        prop_oneof![any::<u8>(), Just(0xEF), Just(0xBF), Just(0xBD), Just(b'.')],
                        1..12,
                    ),
                    1..4,
                ),
            ) {
                prop_assume!(names.iter().all(|name| {
                    !name.contains(&b'/') && !name.contains(&0) && name != b"." && name != b".."
                }));
                let names: Vec<&OsStr> = names.iter().map(|name| OsStr::from_bytes(name)).collect();
                let path: PathBuf = names.iter().collect();
                prop_assert_eq!(to_path(&id_of(&names)).unwrap(), path);
            }

            #[test]
            fn no_id_panics_or_climbs(id in "[./\\x00a\u{FFFD}2FE9é]{0,12}") {
                if let Ok(path) = to_path(&id) {
                    prop_assert!(path.is_relative());
                    prop_assert!(
                        path.components().all(|c| matches!(c, std::path::Component::Normal(_)))
                    );
                }
            }
        }
    }
}
