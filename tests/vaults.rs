//! Real vaults, whole: no abort, every file accounted for, nothing different
//! the second time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::Path;

use pkb_tests::{model_folder, pkb, vault};
use serde_json::Value;

fn run(home: &Path, arguments: &[&str]) -> Value {
    let output = pkb(home).args(arguments).arg("--json").output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn files(folder: &Path) -> u64 {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| if path.is_dir() { files(&path) } else { 1 })
        .sum()
}

#[test]
fn every_vault_is_read_wholly_and_twice_the_same() {
    for (name, query) in [
        ("obsidian-help-en", "sync"),
        ("obsidian-help-7langs", "obsidian"),
        ("rust-book-src", "borrow"),
        ("tldr-pages-en", "archive"),
    ] {
        let Some(vault) = vault(name) else { return };
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        run(
            home,
            &[
                "add",
                &vault.path().display().to_string(),
                "--name",
                "vault",
            ],
        );
        let count = files(vault.path());
        let first = run(home, &["sync"])["sources"][0].clone();
        assert_eq!(
            (&first["added"], &first["failed"]),
            (&count.into(), &0.into()),
            "{name}: {first}"
        );
        assert_eq!(run(home, &["ledger"])["total"], count, "{name}");
        let answer = run(home, &["search", query]);
        assert!(!answer["hits"].as_array().unwrap().is_empty(), "{name}");
        let again = run(home, &["sync"])["sources"][0].clone();
        assert_eq!(again["unchanged"], count, "{name}: {again}");
        // Read all over again, it is still the same.
        run(home, &["sync", "--all"]);
        let same = run(home, &["search", query]);
        assert_eq!(answer["hits"], same["hits"], "{name}");
        assert!(
            run(home, &["doctor"])["left"]
                .as_array()
                .unwrap()
                .is_empty(),
            "{name}"
        );
    }
}

#[test]
fn the_english_help_answers_by_meaning_and_by_exact_word() {
    let Some(vault) = vault("obsidian-help-en") else {
        return;
    };
    let Some(model) = model_folder() else { return };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let ask = |arguments: &[&str]| -> Value {
        let output = pkb(home)
            .env("PKB_MODELS", model.parent().unwrap())
            .args(arguments)
            .arg("--json")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    };
    ask(&["add", &vault.path().display().to_string(), "--name", "help"]);
    let synced = ask(&["sync"]);
    assert_eq!(synced["embedding"]["missing"], 0);

    let answer = ask(&["search", "keep notes the same on phone and laptop"]);
    let titles: Vec<&str> = answer["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["title"].as_str().unwrap())
        .collect();
    let sync_pages = titles
        .iter()
        .take(5)
        .filter(|title| title.to_lowercase().contains("sync"))
        .count();
    assert!(sync_pages >= 2, "the sync pages come first: {titles:?}");

    let exact = ask(&["search", "app.vault.getFiles"]);
    let hit = &exact["hits"][0];
    assert_eq!(hit["why"]["lexical_rank"], 1);
    assert!(
        hit["snippet"]["text"]
            .as_str()
            .unwrap()
            .contains("app.vault.getFiles"),
        "{hit}"
    );
}
