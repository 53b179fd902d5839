//! The names of files in archives: untrusted bytes in whatever charset.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// Longer paths are refused, in bytes.
pub(crate) const MAX_PATH: usize = 1024;

/// What is to be done with a file, by its path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Read it, by a path without `..`, drive, root or empty parts.
    Take(String),
    /// A file that no person put there: of a system, hidden.
    Skip,
    /// It has no name that can be used.
    Refuse,
}

/// Judges a path as an archive gives it.
pub(crate) fn judge(path: &str, hidden: bool) -> Verdict {
    let mut safe = String::with_capacity(path.len());
    let parts = path.split(['/', '\\']);
    for part in parts {
        let part = match part.as_bytes() {
            // A Windows drive.
            [drive, b':'] if safe.is_empty() && drive.is_ascii_alphabetic() => continue,
            _ => part,
        };
        if part.is_empty() || part == "." || part == ".." {
            continue;
        }
        if is_of_a_system(part) || (!hidden && (part.starts_with('.') || part == "node_modules")) {
            return Verdict::Skip;
        }
        if !safe.is_empty() {
            safe.push('/');
        }
        safe.extend(part.chars().map(|c| if c.is_control() { '_' } else { c }));
        if safe.len() > MAX_PATH {
            return Verdict::Refuse;
        }
    }
    if safe.is_empty() {
        Verdict::Refuse
    } else {
        Verdict::Take(safe)
    }
}

/// What file managers and packers leave behind.
fn is_of_a_system(part: &str) -> bool {
    part == "__MACOSX"
        || part == ".DS_Store"
        || part.starts_with("._")
        || part.eq_ignore_ascii_case("thumbs.db")
        || part.eq_ignore_ascii_case("desktop.ini")
}

/// Keeps parts apart that have the same path. Hashes are kept, not paths: an
/// archive may have many and long ones, and two paths that share a hash are
/// only told apart once more than needed.
#[derive(Debug, Default)]
pub(crate) struct Parts(HashMap<u64, u32>);

impl Parts {
    /// The part id for a path: the path itself the first time, then numbered.
    pub(crate) fn of(&mut self, path: &str) -> String {
        let mut part = path.to_owned();
        loop {
            let seen = self.count(&part);
            *seen += 1;
            if *seen == 1 {
                return part;
            }
            // What a number makes may be a path of the archive as well.
            part = format!("{path} ({seen})");
        }
    }

    fn count(&mut self, part: &str) -> &mut u32 {
        let mut hasher = DefaultHasher::new();
        part.hash(&mut hasher);
        self.0.entry(hasher.finish()).or_default()
    }
}

/// The charset of an archive's names, found from all of them together: one
/// name says too little.
pub(crate) struct Charset {
    detector: EncodingDetector,
    /// Whether every byte over 0x7F so far is a letter in code page 437.
    dos_letters: bool,
}

impl Charset {
    pub(crate) fn new() -> Self {
        Self {
            detector: EncodingDetector::new(Iso2022JpDetection::Deny),
            dos_letters: true,
        }
    }

    /// Takes another name that does not say its charset.
    pub(crate) fn feed(&mut self, name: &[u8]) {
        if std::str::from_utf8(name).is_err() {
            self.detector.feed(name, false);
            self.detector.feed(b"\n", false);
            self.dos_letters &= name
                .iter()
                .all(|&byte| byte.is_ascii() || (0x80..=0xA5).contains(&byte) || byte == 0xE1);
        }
    }

    /// A name as text: UTF-8 where it is that, else by what was fed.
    pub(crate) fn decode(&self, name: &[u8]) -> String {
        if let Ok(name) = std::str::from_utf8(name) {
            return name.to_owned();
        }
        let guess = self.detector.guess(None, Utf8Detection::Deny);
        // Packers in the West wrote the code page of DOS, which detection does
        // not know.
        if guess.is_single_byte() && self.dos_letters {
            return dos(name);
        }
        decode_in(guess, name).unwrap_or_else(|| dos(name))
    }
}

fn decode_in(encoding: &'static Encoding, name: &[u8]) -> Option<String> {
    encoding
        .decode_without_bom_handling_and_without_replacement(name)
        .map(Into::into)
}

/// A single name in an unknown charset.
pub(crate) fn decode_alone(name: &[u8]) -> String {
    let mut charset = Charset::new();
    charset.feed(name);
    charset.decode(name)
}

/// The upper half of code page 437.
const DOS: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}";

fn dos(name: &[u8]) -> String {
    name.iter()
        .map(|&byte| match byte.checked_sub(0x80) {
            Some(high) => DOS.chars().nth(usize::from(high)).unwrap_or('_'),
            None => char::from(byte),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(path: &str) -> String {
        match judge(path, false) {
            Verdict::Take(path) => path,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn paths_lead_nowhere_outside() {
        assert_eq!(taken("a/b.txt"), "a/b.txt");
        assert_eq!(taken("../../etc/passwd"), "etc/passwd");
        assert_eq!(taken("/etc/passwd"), "etc/passwd");
        assert_eq!(taken("C:\\Users\\me\\a.txt"), "Users/me/a.txt");
        assert_eq!(taken("a//./b/../c"), "a/b/c");
        assert_eq!(taken("a\0b\nc"), "a_b_c");
        assert_eq!(judge("..", false), Verdict::Refuse);
        assert_eq!(judge("", false), Verdict::Refuse);
        assert_eq!(judge(&"x/".repeat(2000), false), Verdict::Refuse);
    }

    #[test]
    fn what_no_person_put_there_is_skipped() {
        for path in [
            "__MACOSX/a/._b.txt",
            "a/.DS_Store",
            "a/Thumbs.db",
            ".git/config",
            "a/.obsidian/app.json",
            "x/node_modules/y/z.js",
            "a/.hidden",
        ] {
            assert_eq!(judge(path, false), Verdict::Skip, "{path}");
        }
        assert!(matches!(judge(".git/config", true), Verdict::Take(_)));
        assert_eq!(judge("__MACOSX/x", true), Verdict::Skip);
    }

    #[test]
    fn each_part_has_its_own_id() {
        let mut parts = Parts::default();
        let ids: Vec<String> = ["a", "a", "a (2)", "a", "b"]
            .map(|path| parts.of(path))
            .into();
        assert_eq!(ids[0], "a");
        let mut unique = ids.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), ids.len(), "{ids:?}");
    }

    #[test]
    fn names_are_read_in_the_charset_they_were_written_in() {
        assert_eq!(decode_alone("Übung.txt".as_bytes()), "Übung.txt");
        assert_eq!(decode_alone(b"\x9Abung gro\xE1.txt"), "Übung groß.txt");
        let mut charset = Charset::new();
        let (first, _, _) = encoding_rs::SHIFT_JIS.encode("会議の議事録/予算について.txt");
        charset.feed(&first);
        assert_eq!(charset.decode(&first), "会議の議事録/予算について.txt");
        let mut charset = Charset::new();
        let (first, _, _) = encoding_rs::IBM866.encode("Протокол совещания/отчёт за год.txt");
        charset.feed(&first);
        assert_eq!(
            charset.decode(&first),
            "Протокол совещания/отчёт за год.txt"
        );
    }
}
