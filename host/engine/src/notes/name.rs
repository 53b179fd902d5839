//! Titles as names of files, and folders as a person names them.
//!
//! A name has to be one on Linux, macOS and Windows alike, as notes are synced
//! from one to the other; and a link in a note has to be able to name it.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

use crate::error::Error;

/// Bytes of a name without its extension. File systems take 255, encrypted ones
/// as few as 143, and ` 12.md` has to fit behind it.
const LONGEST: usize = 120;
/// The longest title, in characters; see extract-core, which cuts longer ones.
const LONGEST_TITLE: usize = 300;
/// What a note is called whose title leaves no name.
const NAMELESS: &str = "Note";
/// Folders inside one another.
const DEEPEST: usize = 32;

/// A title on one line.
///
/// # Errors
/// [`Error::Usage`] for an empty one and for one that is a text.
pub(super) fn title(given: &str) -> Result<String, Error> {
    let words: Vec<&str> = given
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let title = words.join(" ");
    if title.is_empty() {
        return Err(Error::usage(
            "the title is empty",
            "Give the note a title of a few words.",
        ));
    }
    let length = title.chars().count();
    if length > LONGEST_TITLE {
        return Err(Error::usage(
            format!("the title has {length} characters, and {LONGEST_TITLE} are the most"),
            "Put what is long into the text.",
        ));
    }
    Ok(title)
}

/// The name of a file for a title, without its extension.
pub(super) fn stem(title: &str) -> String {
    let chars: Vec<char> = title.nfc().collect();
    let mut stem = String::new();
    for (at, c) in chars.iter().enumerate() {
        let beside = |at: Option<usize>| {
            at.and_then(|at| chars.get(at))
                .is_some_and(|c| c.is_alphanumeric())
        };
        let between = beside(at.checked_sub(1)) && beside(at.checked_add(1));
        match *c {
            '/' | '\\' | ':' | '|' if between => stem.push('-'),
            // Not in names on Windows; `#^[]` not in links.
            '/' | '\\' | ':' | '|' | '*' | '?' | '"' | '<' | '>' | '#' | '^' | '[' | ']' => {
                stem.push(' ');
            }
            c if is_invisible(c) => {}
            c if c.is_control() || c.is_whitespace() => stem.push(' '),
            // Stands for bytes that are no Unicode in the id of a file.
            char::REPLACEMENT_CHARACTER => {}
            c => stem.push(c),
        }
    }
    let stem = stem.split_whitespace().collect::<Vec<_>>().join(" ");
    // A dot in front hides, and a tilde is a program's.
    let stem = stem.trim_start_matches(['.', '~', ' ']);
    let stem = cut(stem).trim_end_matches(['.', ' ']);
    match stem {
        "" => NAMELESS.to_owned(),
        stem if is_reserved(stem) => format!("_{stem}"),
        stem => stem.to_owned(),
    }
}

/// What makes a name look like another one. Joiners stay: words of some scripts
/// and emoji are made with them.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// The beginning of a name, cut between words where that leaves most of it.
fn cut(stem: &str) -> &str {
    if stem.len() <= LONGEST {
        return stem;
    }
    let mut end = stem.floor_char_boundary(LONGEST);
    if let Some(space) = stem[..end].rfind(' ')
        && space * 2 > end
    {
        return &stem[..space];
    }
    // Not between a letter and its marks, nor inside an emoji.
    let joins = |c: char| {
        canonical_combining_class(c) != 0
            || matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}')
    };
    while let Some(last) = stem[..end].chars().next_back()
        && (stem[end..].starts_with(joins) || last == '\u{200D}')
    {
        end -= last.len_utf8();
    }
    &stem[..end]
}

/// Whether Windows takes a name for a device, whatever stands behind its first
/// dot.
fn is_reserved(stem: &str) -> bool {
    let first = stem.split('.').next().unwrap_or_default();
    let first = first.trim_end().to_ascii_uppercase();
    let numbered = |prefix: &str| {
        first.strip_prefix(prefix).is_some_and(|number| {
            let mut chars = number.chars();
            let digit = |c: char| c.is_ascii_digit() || matches!(c, '¹' | '²' | '³');
            chars.next().is_some_and(digit) && chars.next().is_none()
        })
    };
    matches!(
        first.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$"
    ) || numbered("COM")
        || numbered("LPT")
}

/// `stem.md`, `stem 2.md` and so on, but for those that are taken in any letter
/// case, as file systems tell names apart differently.
pub(super) fn free_names(stem: &str, taken: &[String]) -> impl Iterator<Item = String> + use<> {
    let plain = |name: &str| name.nfc().collect::<String>().to_lowercase();
    let taken: std::collections::HashSet<String> = taken.iter().map(|name| plain(name)).collect();
    let stem = stem.to_owned();
    (1_u64..)
        .map(move |number| match number {
            1 => format!("{stem}.md"),
            number => format!("{stem} {number}.md"),
        })
        .filter(move |name| !taken.contains(&plain(name)))
}

/// The id of the folder that a person names: parts with `/` between them, empty
/// for the root. `exists` says whether there is such a folder; one that is to be
/// made has to have a name that is one everywhere.
///
/// # Errors
/// [`Error::Usage`] for what leads out of the source or could not be a folder.
pub(super) fn folder(given: &str, exists: impl Fn(&str) -> bool) -> Result<String, Error> {
    let refused = |what: String| {
        Error::usage(
            what,
            "Name a folder inside the source, such as \"Journal/2026\".",
        )
    };
    let parts: Vec<&str> = given.trim().split(['/', '\\']).collect();
    let drive = given.trim().as_bytes().get(1) == Some(&b':');
    if given.trim().starts_with(['/', '\\', '~']) || drive {
        return Err(refused(format!(
            "{given:?} is not a folder inside the source"
        )));
    }
    let mut id = String::new();
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    for (depth, part) in parts.enumerate() {
        if part.trim().is_empty() || part.trim_matches('.').is_empty() {
            return Err(refused(format!(
                "{given:?} is not a folder inside the source: it holds {part:?}"
            )));
        }
        if depth == DEEPEST {
            return Err(refused(format!(
                "{given:?} is more than {DEEPEST} folders deep"
            )));
        }
        if !id.is_empty() {
            id.push('/');
        }
        let before = id.len();
        id.push_str(part);
        if part.contains('\0') || !exists(&id) {
            let fitting = stem(part);
            if part.starts_with('.') || fitting != part {
                return Err(refused(format!(
                    "{part:?} cannot be the name of a new folder on every system; {fitting:?} can"
                )));
            }
            id.truncate(before);
            id.push_str(&fitting);
        }
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn titles_become_names_that_are_ones_everywhere() {
        for (title, expected) in [
            ("Herons at work", "Herons at work"),
            ("../../x", "x"),
            ("/etc/passwd", "etc-passwd"),
            ("C:\\Windows\\x", "C Windows-x"),
            ("A/B testing: why?", "A-B testing why"),
            ("12:30 | call", "12-30 call"),
            ("CON", "_CON"),
            ("con.txt", "_con.txt"),
            ("nul . x", "_nul . x"),
            ("COM1", "_COM1"),
            ("lpt³", "_lpt³"),
            ("COM10", "COM10"),
            ("console", "console"),
            ("...", "Note"),
            (".hidden", "hidden"),
            ("~$lock", "$lock"),
            ("ends with dots...", "ends with dots"),
            ("a\0b\u{7}c", "a b c"),
            ("C# and [[links]]", "C and links"),
            ("evil\u{202E}dm.exe", "evildm.exe"),
            ("Cafe\u{301}", "Café"),
            ("🎉", "🎉"),
            ("👩\u{200D}🚀 launch", "👩\u{200D}🚀 launch"),
            ("日本語のタイトル", "日本語のタイトル"),
            ("-rf", "-rf"),
        ] {
            assert_eq!(stem(title), expected, "{title:?}");
        }
    }

    #[test]
    fn long_titles_are_cut_between_words_and_never_inside_a_sign() {
        let long = stem(&"word ".repeat(1_000));
        assert!(long.len() <= LONGEST && long.ends_with("word"), "{long}");
        assert!(stem(&"x".repeat(5_000)).len() <= LONGEST);
        let family = "👩\u{200D}👩\u{200D}👧";
        let cut = stem(&family.repeat(40));
        assert!(cut.len() <= LONGEST, "{cut}");
        assert_eq!(cut.replace(family, ""), "", "{cut}");
        let marks = stem(&"x\u{302}\u{323}".repeat(100));
        assert!(marks.len() <= LONGEST && !marks.ends_with('x'), "{marks}");
    }

    #[test]
    fn taken_names_get_a_number_whatever_their_case() {
        let taken = ["HERON.md".to_owned(), "heron 2.md".to_owned()];
        let mut names = free_names("Heron", &taken);
        assert_eq!(names.next().unwrap(), "Heron 3.md");
        assert_eq!(names.next().unwrap(), "Heron 4.md");
        assert_eq!(free_names("Heron", &[]).next().unwrap(), "Heron.md");
    }

    #[test]
    fn folders_stay_inside() {
        let none = |_: &str| false;
        assert_eq!(folder("", none).unwrap(), "");
        assert_eq!(folder("Journal/2026/", none).unwrap(), "Journal/2026");
        assert_eq!(folder("Journal\\2026", none).unwrap(), "Journal/2026");
        for wrong in [
            "..",
            "../x",
            "a/../b",
            "/etc",
            "\\\\server\\share",
            "C:\\x",
            "C:x",
            "~/x",
            "a/./b",
            "a/ /b",
            "a/.git",
            "CON",
            "a\0b",
            "a?",
            "trailing.",
            "...",
        ] {
            let error = folder(wrong, none);
            assert!(matches!(error, Err(Error::Usage { .. })), "{wrong:?}");
        }
        // What is there already may be called as it is.
        assert_eq!(folder("Why?/CON", |_| true).unwrap(), "Why?/CON");
        for wrong in ["..", "/etc", "a/../b", "."] {
            assert!(folder(wrong, |_| true).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn titles_are_one_line_of_some_length() {
        assert_eq!(title(" a\n b\0c ").unwrap(), "a b c");
        assert!(title(" \n").is_err() && title("\0").is_err());
        assert!(title(&"x".repeat(5_000)).is_err());
    }

    proptest! {
        #[test]
        fn every_title_makes_a_safe_name(title in "\\PC{0,200}|[./\\\\:~ \0\u{200D}\u{301}CONaux*]{0,40}") {
            let stem = stem(&title);
            prop_assert!(!stem.is_empty() && stem.len() <= LONGEST + 1);
            prop_assert!(!stem.starts_with(['.', ' ']) && !stem.ends_with(['.', ' ']));
            prop_assert!(!stem.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|']));
            prop_assert!(!stem.chars().any(char::is_control));
            prop_assert!(!is_reserved(&stem));
            prop_assert_eq!(super::stem(&stem), stem);
        }

        #[test]
        fn every_folder_that_is_taken_stays_inside(given in "[./\\\\:~ aC\0]{0,20}", there: bool) {
            if let Ok(id) = folder(&given, |_| there) {
                prop_assert!(id.split('/').all(|part| part != ".." && part != "."));
                prop_assert!(!id.starts_with('/') && !id.contains('\\') && !id.contains("//"));
            }
        }
    }
}
