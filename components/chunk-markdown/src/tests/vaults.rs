//! Real notes. Skipped where the data is not there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::{assert_sound, options};
use crate::split;

/// Words, and every fourth byte more of long ones: near to what a model counts.
fn like_a_model(texts: &[&str]) -> Vec<u32> {
    texts
        .iter()
        .map(|text| {
            text.split_whitespace()
                .map(|word| word.len().div_ceil(4) as u32)
                .sum()
        })
        .collect()
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vaults")
}

/// The Markdown files of a vault; none where it is missing.
fn notes(vault: &Path, into: &Path) -> Vec<String> {
    std::fs::create_dir_all(into).unwrap();
    let status = Command::new("tar")
        .arg("-xzf")
        .arg(vault)
        .arg("-C")
        .arg(into)
        .status()
        .unwrap();
    assert!(status.success(), "tar cannot read {}", vault.display());
    let mut notes = Vec::new();
    let mut folders = vec![into.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                notes.push(String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
            }
        }
    }
    notes
}

#[test]
fn every_note_of_the_vaults_is_split_soundly_and_fast() {
    let Ok(entries) = std::fs::read_dir(data()) else {
        eprintln!("skipped: no vaults at {}", data().display());
        return;
    };
    let mut vaults: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gz"))
        .collect();
    vaults.sort();
    let folder = std::env::temp_dir().join(format!("chunk-markdown-{}", std::process::id()));
    for (number, vault) in vaults.iter().enumerate() {
        let notes = notes(vault, &folder.join(number.to_string()));
        let options = options(254, 190);
        let (mut taken, mut counting, mut chunks, mut tokens) =
            (Duration::ZERO, Duration::ZERO, 0, 0);
        for note in &notes {
            let start = Instant::now();
            let split = split("", note, &options, &mut |texts| {
                let start = Instant::now();
                let counts = like_a_model(texts);
                counting += start.elapsed();
                counts
            });
            taken += start.elapsed();
            let split = split.unwrap();
            assert_sound(note, &split, &options, like_a_model);
            chunks += split.len();
            tokens += like_a_model(&[note])[0];
        }
        eprintln!(
            "{}: {} notes, {chunks} chunks of {} tokens on average, {taken:?} of which {counting:?} counting",
            vault.file_name().unwrap().display(),
            notes.len(),
            tokens as usize / chunks.max(1),
        );
        assert!(!notes.is_empty());
        assert!(
            taken < Duration::from_secs(10),
            "{taken:?} for {}",
            vault.display()
        );
    }
    std::fs::remove_dir_all(folder).unwrap();
}
