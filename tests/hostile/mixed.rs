//! A folder as people have them: files of all kinds.

use std::collections::BTreeSet;
use std::path::Path;

use pkb_tests::Library;

use crate::library::{assert_accounted_for, failed};
use crate::samples::{samples, wordless_samples};

const FILES: usize = 1_000;

/// A word that is in one file only.
fn word(number: usize) -> String {
    let letter = |place: u32| char::from(b"bdfgkmprvz"[number / 10_usize.pow(place) % 10]);
    format!("walnu{}{}{}", letter(2), letter(1), letter(0))
}

/// What is in the folder, beside what nothing reads.
#[derive(Default)]
struct Written {
    files: usize,
    /// The path and the word of a file of each kind.
    found: Vec<(String, String)>,
    skipped: BTreeSet<String>,
    failed: BTreeSet<String>,
}

impl Written {
    fn write(&mut self, root: &Path, name: &str, bytes: &[u8]) -> String {
        let n = self.files;
        let path = format!("{}/folder {}/{n:03} {name}", n % 7, n % 3);
        let file = root.join(&path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
        self.files += 1;
        path
    }
}

fn write_all(root: &Path) -> Written {
    let mut written = Written::default();
    // Nothing reads these, by their names or by what they hold.
    for (name, bytes) in [
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice()),
        ("film.mp4", b"\0\0\0\x18ftypmp42"),
        ("song.mp3", b"ID3\x03\0\0\0\0"),
        ("program.exe", b"MZ\x90\0"),
        ("data.sqlite", b"SQLite format 3\0"),
        ("unknown.bin", b"\0\x01\x02\x03"),
        ("no-extension", b"\x7FELF\x02\x01\x01\0\0"),
        ("old.msg", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0"),
    ] {
        for _ in 0..5 {
            let path = written.write(root, name, bytes);
            written.skipped.insert(path);
        }
    }
    // Broken, each in its own way.
    for (name, bytes) in [
        ("broken.pdf", b"%PDF-1.7 and nothing more".as_slice()),
        ("a picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01"),
        ("broken.docx", b"PK\x03\x04 and nothing more"),
        ("broken.xlsx", b"PK\x05\x06 and nothing more"),
        ("broken.gz", b"\x1F\x8B and nothing more"),
        ("broken.jsonlz4", b"mozLz40\0 and nothing more"),
    ] {
        for _ in 0..2 {
            let path = written.write(root, name, bytes);
            written.failed.insert(path);
        }
    }
    // Of each kind at its turn.
    let sound = samples("").len();
    for sample in wordless_samples() {
        written.write(root, sample.name, &sample.bytes());
    }
    written.write(root, "empty.md", b"");
    written.write(root, "empty", b"");
    while written.files < FILES {
        let number = written.files;
        let word = word(number);
        let sample = samples(&word).swap_remove(number % sound);
        let path = written.write(root, sample.name, &sample.bytes());
        if written.found.len() < sound {
            written.found.push((path, word));
        }
    }
    // What nobody asks for.
    std::fs::write(root.join(".hidden.md"), "hidden").unwrap();
    written
}

#[test]
fn a_folder_of_a_thousand_files_of_all_kinds_is_accounted_for() {
    let folder = tempfile::tempdir().unwrap();
    let written = write_all(folder.path());
    let library = Library::of(folder);
    let report = library.sync();
    let rows = assert_accounted_for(&library);
    assert_eq!(rows.iter().filter(|row| row.is_of_a_file()).count(), FILES);

    // Each in its place, and as many as the report says.
    let in_state = |state: &str| -> BTreeSet<String> {
        let rows = rows
            .iter()
            .filter(|row| row.is_of_a_file() && row.state == state);
        rows.map(|row| row.external_id.clone()).collect()
    };
    assert_eq!(in_state("skipped"), written.skipped);
    assert_eq!(in_state("failed"), written.failed);
    let all = |state: &str| rows.iter().filter(|row| row.state == state).count();
    assert_eq!(report["added"], all("indexed"));
    assert_eq!(report["skipped"], all("skipped"));
    assert_eq!(report["failed"], all("failed"));
    assert_eq!(library.count(), all("indexed") as u64);
    assert!(rows.iter().all(|row| row.is_ordinary()));

    for (path, word) in &written.found {
        let found = library.found(word);
        let inside = format!("notes/{path}//");
        let is_it = |hit: &String| *hit == format!("notes/{path}") || hit.starts_with(&inside);
        assert!(
            !found.is_empty() && found.iter().all(is_it),
            "{word} of {path}: {found:?}"
        );
    }

    let again = library.sync();
    for what in ["added", "updated", "moved", "restored", "deleted"] {
        assert_eq!(again[what], 0, "{what}: {again}");
    }
    assert_eq!(again["failed"], failed(&rows), "none is tried again");
    library.assert_sound();
}
