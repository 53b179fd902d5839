//! What is asked: real questions and real headings, of two to eight words.

use std::collections::HashSet;

use pkb_tests::{shared_data, workspace_root};
use serde_json::Value;

use super::notes::pages;
use crate::random::Random;

/// So many queries to begin with and so many others, the same in every run.
pub(super) fn asked(first: usize, then: usize) -> (Vec<String>, Vec<String>) {
    let mut kinds: Vec<Vec<String>> = vec![questions(), claims(), titles()];
    let mut random = Random(7);
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    while all.len() < first + then {
        let kind = all.len() % kinds.len();
        let left = &mut kinds[kind];
        if left.is_empty() {
            kinds.remove(kind);
            continue;
        }
        let query = left.swap_remove(random.below(left.len()));
        let words = query.split_whitespace().count();
        if (2..=8).contains(&words) && seen.insert(query.clone()) {
            all.push(query);
        }
    }
    let others = all.split_off(first);
    (all, others)
}

/// Those to the help vault, answered there or not.
fn questions() -> Vec<String> {
    let folder = workspace_root().join("fixtures/questions");
    ["help-present.txt", "help-absent.txt"]
        .iter()
        .flat_map(|name| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            text.lines()
                .map(|line| line.split('\t').next().unwrap_or(line).trim().to_owned())
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Claims that scientists checked.
fn claims() -> Vec<String> {
    let file = shared_data().map(|data| data.join("scifact/queries.jsonl"));
    let text = file.and_then(|file| std::fs::read_to_string(file).ok());
    let lines = text.unwrap_or_default();
    lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|query| query["text"].as_str().map(str::to_owned))
        .collect()
}

/// What the tldr pages say that a command does.
fn titles() -> Vec<String> {
    pages()
        .unwrap_or_default()
        .iter()
        .flat_map(|page| &page.passages)
        .filter_map(|passage| passage.strip_prefix("- ")?.split_once(':'))
        .map(|(described, _)| described.replace(['[', ']'], ""))
        .collect()
}
