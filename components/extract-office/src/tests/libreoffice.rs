//! What LibreOffice makes of the same files. Skipped where there is none.

use std::collections::BTreeMap;
use std::process::Command;

use super::*;

/// Converts files, and gives what they became, in the same order.
fn convert(files: &[PathBuf], to: &str) -> Option<Vec<Vec<u8>>> {
    let folder = tempfile::tempdir().unwrap();
    // Its own profile, as two with the same one wait for each other.
    let profile = folder.path().join("profile");
    let ran = Command::new("soffice")
        .arg(format!(
            "-env:UserInstallation=file://{}",
            profile.display()
        ))
        .args(["--headless", "--convert-to", to, "--outdir"])
        .arg(folder.path())
        .args(files)
        .output();
    let Ok(output) = ran else {
        eprintln!("skipped: soffice (LibreOffice) is not there");
        return None;
    };
    let extension = to.split(':').next().unwrap();
    let made = files.iter().map(|file| {
        let name = file.with_extension(extension);
        let path = folder.path().join(name.file_name().unwrap());
        std::fs::read(&path).unwrap_or_else(|error| {
            panic!(
                "{}: {error}; {}",
                path.display(),
                String::from_utf8_lossy(&output.stderr)
            )
        })
    });
    Some(made.collect())
}

/// How often each word occurs. Marks of notes, and what only marks up, are none.
fn words(text: &str) -> BTreeMap<String, i64> {
    let mut words = BTreeMap::new();
    let bare: String = text
        .split("[^")
        .enumerate()
        .map(|(index, piece)| match (index, piece.split_once(']')) {
            (0, _) | (_, None) => piece,
            (_, Some((_, rest))) => rest,
        })
        .collect();
    let bare = bare.replace('\u{AD}', "");
    for word in bare
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        *words.entry(word.to_owned()).or_default() += 1;
    }
    words
}

/// Words of which one text has more, or less, than the other.
fn differences(ours: &str, theirs: &str) -> Vec<(String, i64)> {
    let mut left = words(ours);
    for (word, times) in words(theirs) {
        *left.entry(word).or_default() -= times;
    }
    left.retain(|_, times| *times != 0);
    left.into_iter().collect()
}

const TEXT: &str = "txt:Text (encoded):UTF8";

#[test]
fn the_text_of_word_files_is_what_libreoffice_exports() {
    let Some(mut files) = shared("docx/mammoth") else {
        return;
    };
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "docx")
    });
    assert_eq!(files.len(), 17);
    let Some(exported) = convert(&files, TEXT) else {
        return;
    };
    for (file, theirs) in files.iter().zip(exported) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let document = read(name, std::fs::read(file).unwrap());
        // The export has the numbers of notes, but not their text, nor that of
        // comments; see the next test.
        let body: Vec<_> = document
            .text
            .lines()
            .filter(|line| !line.starts_with("[^"))
            .collect();
        let theirs = String::from_utf8(theirs).unwrap();
        let theirs = match name {
            "footnotes.docx" => theirs.replace("Ouch1.2", "Ouch."),
            "endnotes.docx" => theirs.replace("Ouchi.ii", "Ouch."),
            "footnote-hyperlink.docx" => theirs.replace('1', ""),
            _ => theirs,
        };
        assert_eq!(differences(&body.join("\n"), &theirs), [], "{name}");
        assert_eq!(document.warnings, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn notes_comments_and_boxes_of_word_files_are_what_libreoffice_reads() {
    let Some(mut files) = shared("docx/mammoth") else {
        return;
    };
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "docx")
    });
    let Some(converted) = convert(&files, "odt") else {
        return;
    };
    for (file, odt) in files.iter().zip(converted) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let ours = read(name, std::fs::read(file).unwrap());
        let theirs = read("a.odt", odt);
        assert_eq!(differences(&ours.text, &theirs.text), [], "{name}");
    }
}

#[test]
fn our_text_is_the_same_in_every_format_that_libreoffice_writes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/office");
    let ours = read("text.fodt", fixture("text.fodt"));
    for format in ["docx", "odt", "rtf"] {
        let Some(converted) = convert(&[path.join("text.fodt")], format) else {
            return;
        };
        let document = read(&format!("text.{format}"), converted[0].clone());
        assert_eq!(differences(&document.text, &ours.text), [], "{format}");
        assert_eq!(document.warnings, ours.warnings, "{format}");
        if format != "rtf" {
            // In rich text a box comes where it is anchored, before the table.
            assert_eq!(document.text, ours.text, "{format}");
        }
    }
    let Some(exported) = convert(&[path.join("text.fodt")], TEXT) else {
        return;
    };
    let theirs = String::from_utf8(exported[0].clone()).unwrap();
    // The export has hidden and deleted text, and the numbers of notes; it has
    // no notes, comments, boxes, headers, footers and addresses.
    let mut more = differences(&ours.text, &theirs);
    more.retain(|(_, times)| *times < 0);
    let more: Vec<_> = more.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(
        more,
        ["duski", "harbour1", "obsoletewaspsclover", "secretnectar"]
    );
}

#[test]
fn our_sheets_and_slides_are_the_same_in_every_format_that_libreoffice_writes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/office");
    for (file, formats) in [
        ("sheet.fods", ["xlsx", "ods"]),
        ("slides.fodp", ["pptx", "odp"]),
    ] {
        let ours = read(file, fixture(file));
        for format in formats {
            let Some(converted) = convert(&[path.join(file)], format) else {
                return;
            };
            let document = read(&format!("a.{format}"), converted[0].clone());
            // Cells of truth become ones and zeros in it.
            let theirs = document
                .text
                .replace("| Old pier | 1 |", "| Old pier | TRUE |");
            assert_eq!(theirs, ours.text, "{format}");
        }
    }
}
