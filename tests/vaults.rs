//! Real vaults, whole: no abort, every file accounted for, nothing different
//! the second time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::Path;

use pkb_tests::{Library, vault};

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
        let count = files(vault.path());
        let library = Library::of(vault);
        let first = library.sync();
        assert_eq!(
            (&first["added"], &first["failed"]),
            (&count.into(), &0.into()),
            "{name}: {first}"
        );
        assert_eq!(library.run(&["ledger"])["total"], count, "{name}");
        let answer = library.run(&["search", query]);
        assert!(!answer["hits"].as_array().unwrap().is_empty(), "{name}");
        let again = library.sync();
        assert_eq!(again["unchanged"], count, "{name}: {again}");
        // Read all over again, it is still the same.
        library.run(&["sync", "--all"]);
        let same = library.run(&["search", query]);
        assert_eq!(answer["hits"], same["hits"], "{name}");
        library.assert_sound();
    }
}

#[test]
fn the_english_help_answers_by_meaning_and_by_exact_word() {
    let Some(vault) = vault("obsidian-help-en") else {
        return;
    };
    let Some(library) = Library::of(vault).with_model() else {
        return;
    };
    let synced = library.run(&["sync"]);
    assert_eq!(synced["embedding"]["missing"], 0);

    let answer = library.run(&["search", "keep notes the same on phone and laptop"]);
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

    let exact = library.run(&["search", "app.vault.getFiles"]);
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
