//! Files others made, with pdftotext as the measure.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use extract_core::{FailureKind, NoOcr, Property};
use unicode_normalization::UnicodeNormalization;

use super::{FakeOcr, Yield, extract, extract_with};

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/formats/pdf");
    if !folder.is_dir() {
        eprintln!("skipped: the PDF files of others are not here");
        return None;
    }
    Some(folder)
}

fn read(path: &Path) -> Option<Yield> {
    let bytes = std::fs::read(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    extract_with(name, bytes, r#"{"passwords":["openpassword","abc"]}"#, Box::new(NoOcr)).ok()
}

fn get(name: &str) -> Option<Yield> {
    let path = folder()?.join(name);
    Some(read(&path).unwrap_or_else(|| panic!("{name} is not read")))
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "pdf") {
            out.push(path);
        }
    }
}

/// Words with a letter or digit, in compatibility form, without the signs of
/// direction that pdftotext adds and the escapes that we do.
fn words(text: &str) -> Vec<String> {
    let is_kept = |c: &char| {
        !matches!(c, '\\' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let text: String = text.nfkc().filter(is_kept).collect();
    text.split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(str::to_owned)
        .collect()
}

/// F1 over the words of both texts. A word that we put together and the other
/// text has in two parts, the first with a hyphen, counts as right.
fn f1(ours: &str, theirs: &str) -> Option<f64> {
    let (ours, theirs) = (words(ours), words(theirs));
    if theirs.is_empty() {
        return None;
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in &theirs {
        *left.entry(word).or_default() += 1;
    }
    fn take(left: &mut HashMap<&str, usize>, word: &str) -> bool {
        match left.get_mut(word) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
    let (mut right, mut joined) = (0, 0);
    let mut open = Vec::new();
    for word in &ours {
        match take(&mut left, word) {
            true => right += 1,
            false => open.push(word),
        }
    }
    for word in open {
        let parts = word.char_indices().skip(1).find(|&(at, _)| {
            let (first, second) = word.split_at(at);
            let first = format!("{}-", first.trim_end_matches('-'));
            let both = left.get(&*first).is_some_and(|count| *count > 0)
                && left.get(second).is_some_and(|count| *count > 0);
            both && take(&mut left, &first) && take(&mut left, second)
        });
        joined += usize::from(parts.is_some());
    }
    let found = 2 * (right + 2 * joined);
    Some(found as f64 / (ours.len() + joined + theirs.len()) as f64)
}

#[test]
fn words_are_those_of_pdftotext() {
    let Some(folder) = folder() else { return };
    if Command::new("pdftotext").arg("-v").output().is_err() {
        eprintln!("skipped: there is no pdftotext");
        return;
    }
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    paths.sort();
    // Where pdftotext is wrong, or the file says nothing sensible (README.md).
    let outliers = ["bug946506.pdf", "rotated.pdf", "habibi.pdf", "habibi-oneline-cmap.pdf", "habibi-rotated.pdf"];
    let mut scores = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let password = match &*name {
            "libreoffice-writer-password.pdf" => "openpassword",
            "issue6010_1.pdf" => "abc",
            _ => "",
        };
        let theirs = Command::new("pdftotext")
            .args(["-layout", "-enc", "UTF-8", "-upw", password])
            .arg(&path)
            .arg("-")
            .output()
            .unwrap();
        let theirs = String::from_utf8_lossy(&theirs.stdout).into_owned();
        let ours = read(&path).map(|got| got.document.text).unwrap_or_default();
        if let Some(score) = f1(&ours, &theirs) {
            eprintln!("{score:.3} {name}");
            scores.push((name, score));
        }
    }
    assert!(scores.len() > 30);
    for (name, score) in &scores {
        assert!(*score >= 0.9 || outliers.contains(&name.as_str()), "{name}: {score}");
    }
    let all = scores.iter().map(|(_, score)| score).sum::<f64>() / scores.len() as f64;
    let explained: Vec<f64> = scores
        .iter()
        .filter(|(name, _)| !outliers.contains(&name.as_str()))
        .map(|(_, score)| *score)
        .collect();
    let mean = explained.iter().sum::<f64>() / explained.len() as f64;
    eprintln!("mean of all {all:.4}, of those not explained {mean:.4}");
    assert!(mean >= 0.99, "{mean}");
}

#[test]
fn passwords_are_tried_one_after_the_other() {
    let Some(folder) = folder() else { return };
    let locked = std::fs::read(folder.join("pdf.js/issue6010_1.pdf")).unwrap();
    let failure = extract("a.pdf", locked.clone()).err().unwrap();
    assert_eq!(failure.kind, FailureKind::Encrypted);
    assert!(failure.message.contains("setting passwords"), "{}", failure.message);
    for wrong in [r#"{"passwords":["x"]}"#, r#"{"passwords":["", "ABC"]}"#] {
        let failure = extract_with("a.pdf", locked.clone(), wrong, Box::new(NoOcr)).err().unwrap();
        assert_eq!(failure.kind, FailureKind::Encrypted);
    }
    let got = extract_with("a.pdf", locked, r#"{"passwords":["x", "abc"]}"#, Box::new(NoOcr)).unwrap();
    assert_eq!(got.document.text, "Issue 6010");
    let owner_only = std::fs::read(folder.join("pdf.js/empty_protected.pdf")).unwrap();
    assert!(extract("a.pdf", owner_only).is_ok());
}

#[test]
fn columns_of_articles_are_read_one_after_the_other() {
    let Some(got) = get("pdf.js/tracemonkey.pdf") else { return };
    let text = &got.document.text;
    let order: Vec<usize> = [
        "Trace-based Just-in-Time Type Specialization for Dynamic",
        "Dynamic languages such as JavaScript are more difficult to com",
        "Permission to make digital or hard copies",
        "and is used for the application logic of browser-based productivity",
        "Compilers for statically typed languages rely on type information",
    ]
    .iter()
    .map(|part| text.find(part).unwrap_or_else(|| panic!("no {part}")))
    .collect();
    assert!(order.is_sorted(), "{order:?}");
    assert!(text.contains("difficult to compile than statically typed ones"));
    assert_eq!(got.pages().len(), 14);
    let Some(got) = get("py-pdf-sample-files/026-latex-multicolumn/multicolumn.pdf") else { return };
    assert!(got.document.warnings.is_empty(), "{:?}", got.document.warnings);
}

#[test]
fn outlines_are_headings() {
    let Some(got) = get("py-pdf-sample-files/006-pdflatex-outline/pdflatex-outline.pdf") else { return };
    let headings: Vec<&str> = got.document.text.lines().filter(|line| line.starts_with('#')).collect();
    assert!(headings.first() == Some(&"# 1 Foo") && headings.len() == 9, "{headings:?}");
}

#[test]
fn attachments_of_others_are_handed_on() {
    let Some(got) = get("py-pdf-sample-files/025-attachment/with-attachment.pdf") else { return };
    assert_eq!(got.files.len(), 1);
    assert_eq!(got.texts("attachments"), [got.files[0].0.clone()]);
    assert!(!got.files[0].1.is_empty());
}

#[test]
fn pages_that_are_pictures_are_named_and_drawn() {
    let Some(folder) = folder() else { return };
    let path = folder.join("py-pdf-sample-files/019-grayscale-image/grayscale-image.pdf");
    let got = read(&path).unwrap();
    assert_eq!(got.document.warnings, ["Page 1 has no text layer. Words in pictures are not read here."]);
    let ocr = FakeOcr::default();
    let got = extract_with("a.pdf", std::fs::read(path).unwrap(), "", Box::new(ocr.clone())).unwrap();
    assert_eq!(got.pages(), [(1, "Picture 1\n\n\\# of words")]);
    let mut reader = png::Decoder::new(std::io::Cursor::new(ocr.0.borrow()[0].clone())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let dark = pixels.iter().filter(|&&pixel| pixel < 128).count();
    assert!(dark > pixels.len() / 100, "nothing was drawn");
}

#[test]
fn metadata_streams_stand_in_for_information() {
    let Some(got) = get("py-pdf-sample-files/020-xmp/output_with_metadata_pymupdf.pdf") else { return };
    assert!(got.document.properties.contains(&Property::number("pages", 1.0)));
    assert_eq!(got.document.title, "Sample PDF with XMP Metadata");
    assert!(got.document.properties.contains(&Property::text("author", "John Doe")));
}

#[test]
fn right_to_left_files_are_in_logical_order() {
    let Some(got) = get("pdf.js/ArabicCIDTrueType.pdf") else { return };
    assert!(got.document.text.contains("انواع الخطوط العربية"), "{}", got.document.text);
}
