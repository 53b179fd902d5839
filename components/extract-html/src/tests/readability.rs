//! The pages that Mozilla's Readability is tested with, which lie beside the
//! workspace where they are at all.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use extract_core::LinkKind;
use tempfile::TempDir;

use super::*;

fn pages() -> Option<TempDir> {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/formats/html/readability-60.tar.gz");
    let folder = tempfile::tempdir().unwrap();
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&archive).arg("-C").arg(folder.path());
    if archive.is_file() && tar.status().is_ok_and(|status| status.success()) {
        return Some(folder);
    }
    eprintln!("skipped: {} is not there, or tar is not", archive.display());
    None
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            *words.entry(word.to_lowercase()).or_default() += 1;
        }
    }
    words
}

/// Harmonic mean of precision and recall of the words of `text`.
fn f1(text: &str, expected: &str) -> f64 {
    let (text, expected) = (words(text), words(expected));
    let in_both = |(word, count): (&String, &usize)| *count.min(expected.get(word).unwrap_or(&0));
    let shared: usize = text.iter().map(in_both).sum();
    let all: usize = text.values().chain(expected.values()).sum();
    2.0 * shared as f64 / all.max(1) as f64
}

/// All text of a page, blocks apart.
fn all_text(html: &str) -> String {
    let dom = Dom::parse(html);
    let mut text = String::new();
    let mut ends: Vec<usize> = Vec::new();
    for id in dom.all() {
        while ends.pop_if(|end| *end <= id).is_some() {
            text.push(' ');
        }
        text.push_str(dom.text(id));
        if dom.name(id).is_block() || dom.name(id) == Name::Br {
            text.push(' ');
            ends.push(dom.end(id));
        }
    }
    text
}

/// Markdown without the addresses of its links, and without its pictures.
fn shown(document: &Document) -> String {
    let text = &document.text;
    let mut hidden = vec![false; text.len()];
    for link in &document.links {
        let span = &text[link.span.start..link.span.end];
        let start = match (link.kind, span.rfind("](")) {
            (LinkKind::Image, _) => 0,
            (_, address) => address.unwrap_or(span.len()),
        };
        hidden[link.span.start + start..link.span.end].fill(true);
    }
    let shown = |&(at, _): &(usize, char)| !hidden[at];
    text.char_indices().filter(shown).map(|(_, c)| c).collect()
}

/// The figures are what was reached, a little below; `README.md` explains the
/// pages that differ.
#[test]
fn main_content_and_facts_agree_with_readability() {
    let Some(folder) = pages() else { return };
    let mut scores = Vec::new();
    let mut facts: HashMap<&str, (usize, usize)> = HashMap::new();
    for page in std::fs::read_dir(folder.path()).unwrap() {
        let page = page.unwrap().path();
        let Ok(source) = std::fs::read(page.join("source.html")) else {
            continue;
        };
        let expected = std::fs::read_to_string(page.join("expected.html")).unwrap();
        let document = read_as("page.html", None, source, "").unwrap();
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        scores.push((f1(&shown(&document), &all_text(&expected)), name));

        let said = std::fs::read(page.join("expected-metadata.json")).unwrap();
        let said: serde_json::Value = serde_json::from_slice(&said).unwrap();
        for (key, found) in [
            ("title", Some(&*document.title)),
            ("lang", text_of(&document, "lang")),
            ("siteName", text_of(&document, "site")),
        ] {
            if let Some(expected) = said[key].as_str() {
                let right = found.is_some_and(|found| words(found) == words(expected));
                let (hits, all) = facts.entry(key).or_default();
                *hits += usize::from(right);
                *all += 1;
            }
        }
        if let Some(expected) = said["publishedTime"].as_str() {
            let right = time_of(&document, "published") == dates::parse(expected);
            let (hits, all) = facts.entry("publishedTime").or_default();
            *hits += usize::from(right);
            *all += 1;
        }
    }
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(scores.len(), 60);
    let mean = scores.iter().map(|(score, _)| score).sum::<f64>() / scores.len() as f64;
    let worst = &scores[..8];
    eprintln!("mean F1 {mean:.4}, facts {facts:?}, worst {worst:.3?}");
    assert!(mean > 0.99, "{mean} {worst:?}");
    assert!(scores[0].0 > 0.8, "{worst:?}");
    for (fact, (hits, all)) in facts {
        assert!(hits * 20 >= all * 19, "{fact}: {hits} of {all}");
    }
}
