//! Real notes in seven languages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::assert_sound;

fn notes(folder: PathBuf) -> Vec<(PathBuf, String)> {
    let mut notes = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                notes.push((path, text));
            }
        }
    }
    notes.sort();
    notes
}

#[test]
fn every_note_says_its_own_title_soundly() {
    let vault = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/vaults/obsidian-help-7langs.tar.gz");
    if !vault.exists() {
        eprintln!("skipped: no vault at {}", vault.display());
        return;
    }
    let folder = std::env::temp_dir().join(format!("analyze-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let status = Command::new("tar")
        .arg("-xzf")
        .arg(&vault)
        .arg("-C")
        .arg(&folder)
        .status()
        .unwrap();
    assert!(status.success());
    let notes = notes(folder.clone());
    let (mut bytes, mut terms) = (0, 0);
    let start = Instant::now();
    for (path, text) in &notes {
        let title = path.file_stem().unwrap().to_string_lossy();
        let note = format!("{title}\n\n{text}");
        let analyzed = crate::analyze(&[&title[..], &note]).unwrap();
        assert_sound(&title, &analyzed[0]);
        assert_sound(&note, &analyzed[1]);
        let missing = analyzed[0]
            .iter()
            .filter(|term| !term.text.starts_with('~'))
            .find(|term| !analyzed[1].iter().any(|other| other.text == term.text));
        assert_eq!(missing, None, "in {}", path.display());
        bytes += note.len();
        terms += analyzed[1].len();
    }
    eprintln!(
        "{} notes, {bytes} bytes, {terms} terms, {:?}",
        notes.len(),
        start.elapsed()
    );
    assert!(notes.len() > 100);
    std::fs::remove_dir_all(folder).unwrap();
}
