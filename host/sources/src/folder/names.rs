//! What a file's name says of its bearer: a temporary file of a program, the
//! stand-in for a file that is in a cloud, or a copy that a sync tool made of
//! an edit that was in conflict with another.

/// Extensions of files that are only there while something is being written.
const UNFINISHED: [&str; 12] = [
    "tmp",
    "temp",
    "part",
    "partial",
    "crdownload",
    "download",
    "swp",
    "swo",
    "swn",
    "swx",
    "kate-swp",
    "syncthing-tmp",
];

/// Whether a program keeps such a file only for a while, or for itself: half a
/// download, an editor's state, lock or backup, what is written before it takes
/// a note's place. One comes and goes with every save, and would be an item or
/// a ledger row each time.
pub(super) fn is_temporary(name: &str) -> bool {
    // Vim writes and removes a file of this name to learn what it may do.
    name == "4913"
        // Emacs, Vim, gedit and others: the state before the last save.
        || name.ends_with('~')
        // Emacs: unsaved changes, and who is editing.
        || name.starts_with(".#")
        || name.len() > 2 && name.starts_with('#') && name.ends_with('#')
        // Microsoft Office: who is editing. Syncthing on Windows.
        || name.starts_with("~$")
        || name.starts_with("~syncthing~")
        // LibreOffice: who is editing.
        || name.starts_with(".~lock.") && name.ends_with('#')
        // GLib; network and user-space file systems: deleted and still open.
        || [".goutputstream-", ".fuse_hidden", ".nfs0", ".syncthing."]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        // JetBrains.
        || name.ends_with("___jb_tmp___")
        || name.ends_with("___jb_old___")
        || extension(name).is_some_and(|extension| {
            let extension = extension.to_ascii_lowercase();
            UNFINISHED.contains(&extension.as_str()) || is_safe_save(&extension)
        })
}

/// `note.md.sb-8dd2a2a8-VQlXvn`: where macOS has a document written before it
/// takes the old one's place.
pub(super) fn is_safe_save(extension: &str) -> bool {
    let Some((number, random)) = extension
        .strip_prefix("sb-")
        .and_then(|rest| rest.split_once('-'))
    else {
        return false;
    };
    number.len() == 8
        && number.bytes().all(|byte| byte.is_ascii_hexdigit())
        && random.len() == 6
        && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// What follows the last dot.
pub(super) fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then_some(extension)
}

/// The name of the file that `.name.icloud` stands for: iCloud Drive keeps such
/// a small file in the place of one that it has not downloaded, or that it took
/// away to save room.
pub(super) fn stands_for(name: &str) -> Option<&str> {
    let real = name.strip_prefix('.')?.strip_suffix(".icloud")?;
    (!real.is_empty()).then_some(real)
}

/// The id of the file that this one holds a conflicting edit of; none where the
/// name does not say that it does.
///
/// Known are the names that Syncthing (`a.sync-conflict-20250101-120000-ABCDEFG.md`),
/// Dropbox, Nextcloud and Obsidian Sync (`a (conflicted copy 2025-01-01).md`,
/// with a person's or a machine's name in it or without), Seafile
/// (`a (SFConflict me@example.org 2025-01-01-12-00-00).md`) and ownCloud
/// (`a_conflict-20250101-120000.md`) give. Those of OneDrive (`a-LAPTOP.md`),
/// iCloud (`a 2.md`) and Google Drive (`a (1).md`) could be anything.
///
/// ```
/// let original = pkb_sources::conflict_of("Notes/Plan (Ada's conflicted copy 2025-01-01).md");
/// assert_eq!(original.as_deref(), Some("Notes/Plan.md"));
/// assert_eq!(pkb_sources::conflict_of("Notes/Plan (second copy).md"), None);
/// ```
#[must_use]
pub fn conflict_of(external_id: &str) -> Option<String> {
    let at = external_id.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, name) = external_id.split_at(at);
    let (stem, dotted) = match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    // Without an extension, what Syncthing adds looks like one.
    if let Some(original) = dated(name, ".sync-conflict-") {
        return (!original.is_empty()).then(|| format!("{folder}{original}"));
    }
    let original = dated(stem, ".sync-conflict-")
        .or_else(|| dated(stem, "_conflict-"))
        .or_else(|| in_brackets(stem))?;
    (!original.is_empty()).then(|| format!("{folder}{original}{dotted}"))
}

/// What stands before `mark`, if a date and a time follow it, and after them
/// nothing or a device's id.
fn dated<'a>(stem: &'a str, mark: &str) -> Option<&'a str> {
    let (original, rest) = stem.rsplit_once(mark)?;
    let mut parts = rest.split('-');
    let digits = |part: Option<&str>, length: usize| {
        part.is_some_and(|part| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let fits = digits(parts.next(), 8)
        && digits(parts.next(), 6)
        && parts
            .next()
            .is_none_or(|device| device.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && parts.next().is_none();
    fits.then_some(original)
}

/// What stands before closing brackets that speak of a conflict. A second copy
/// of the same day has a number in brackets behind them.
fn in_brackets(stem: &str) -> Option<&str> {
    let (before, inside) = last_brackets(stem)?;
    let (original, said) = if inside.parse::<u32>().is_ok() {
        last_brackets(before)?
    } else {
        (before, inside)
    };
    let said = said.to_ascii_lowercase();
    (said.contains("conflicted copy") || said.starts_with("sfconflict ")).then_some(original)
}

/// `a b (c (d))` -> `a b`, `c (d)`.
fn last_brackets(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(')')?;
    let mut depth = 1;
    let open = inner.rfind(|c| {
        depth += match c {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some((inner[..open].strip_suffix(' ')?, &inner[open + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_are_known_by_their_names() {
        for name in [
            "note.md~",
            "~$note.docx",
            "#note.md#",
            ".#note.md",
            "4913",
            ".note.md.swp",
            "note.md.tmp",
            "note.md.TMP",
            "film.part",
            "paper.pdf.crdownload",
            ".~lock.sheet.ods#",
            "note.md.sb-8dd2a2a8-VQlXvn",
            ".goutputstream-ABC123",
            "~syncthing~note.md.tmp",
            "note.md___jb_tmp___",
        ] {
            assert!(is_temporary(name), "{name}");
        }
        for name in [
            "note.md",
            "tmp.md",
            "#.md",
            "#todo.md",
            "#",
            "##",
            "C#",
            "~home.md",
            "4913.md",
            "part",
            "note.sb-1.md",
            "note.sb-8dd2a2a8-VQl.md",
            ".tmp",
        ] {
            assert!(!is_temporary(name), "{name}");
        }
    }

    #[test]
    fn stand_ins_name_what_they_stand_for() {
        assert_eq!(stands_for(".Plan.md.icloud"), Some("Plan.md"));
        for name in ["Plan.md.icloud", ".icloud", "..icloud", ".Plan.md", ""] {
            assert_eq!(stands_for(name), None, "{name}");
        }
    }

    #[test]
    fn conflicting_copies_name_their_original() {
        for (copy, original) in [
            ("a.sync-conflict-20250101-120000-ABCDEFG.md", "a.md"),
            ("x/a.sync-conflict-20250101-120000.md", "x/a.md"),
            ("a.b.sync-conflict-20250101-120000-ABCDEFG", "a.b"),
            ("a (conflicted copy 2025-01-01 120000).md", "a.md"),
            ("a (conflicted copy).md", "a.md"),
            (
                "x y/a b (Ada's conflicted copy 2025-01-01).md",
                "x y/a b.md",
            ),
            ("a (Ada's conflicted copy 2025-01-01) (2).md", "a.md"),
            ("a (Laptop (old)'s conflicted copy 2025-01-01).md", "a.md"),
            ("a (Conflicted copy phone 202501011200).md", "a.md"),
            ("a (2024) (conflicted copy 2025-01-01).md", "a (2024).md"),
            (
                "a (SFConflict me@example.org 2025-01-01-12-00-00).md",
                "a.md",
            ),
            ("a_conflict-20250101-120000.md", "a.md"),
        ] {
            assert_eq!(conflict_of(copy).as_deref(), Some(original), "{copy}");
        }
        for other in [
            "",
            "a.md",
            "a (1).md",
            "a 2.md",
            "a-LAPTOP.md",
            "conflicted copy.md",
            "On a conflicted copy (draft).md",
            "a (conflict of interest).md",
            ".sync-conflict-20250101-120000-ABCDEFG.md",
            "a.sync-conflict-2025-12.md",
            "a_conflict-.md",
            "(conflicted copy 2025-01-01).md",
            "(",
            ")",
            " (",
            "a ()",
        ] {
            assert_eq!(conflict_of(other), None, "{other}");
        }
    }
}
