//! Whole files: a small Takeout of our own, and real ones.

use super::*;
use extract_core::{Scalar, Value};
use proptest::prelude::*;
use std::collections::HashSet;
use std::path::PathBuf;

mod files;
mod hostile;

fn fixture(path: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/takeout/Takeout");
    std::fs::read(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn try_read(path: &str) -> Result<Vec<Document>, Failure> {
    let name = path.rsplit('/').next().unwrap();
    extract(name, fixture(path))
}

fn read(path: &str) -> Vec<Document> {
    let documents = try_read(path).unwrap();
    sound(&documents);
    documents
}

/// Those of a real file; nothing where it is not.
fn real(path: &str) -> Option<Vec<Document>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/formats");
    match std::fs::read(folder.join(path)) {
        Ok(bytes) => {
            let documents = extract(path.rsplit('/').next().unwrap(), bytes).unwrap();
            sound(&documents);
            Some(documents)
        }
        Err(error) => {
            eprintln!("skipped: {path}: {error}");
            None
        }
    }
}

fn sound(documents: &[Document]) {
    let mut parts = HashSet::new();
    for document in documents {
        assert!(
            parts.insert(&document.part),
            "{} comes twice",
            document.part
        );
        assert!(!document.title.is_empty(), "{document:?}");
        for link in &document.links {
            let text = document.text.get(link.span.start..link.span.end);
            assert!(text.is_some_and(|text| !text.is_empty()), "{document:?}");
        }
        let mut names = HashSet::new();
        for property in &document.properties {
            assert!(
                names.insert(&property.name),
                "{} comes twice",
                property.name
            );
            assert!(!matches!(&property.value, Value::Many(list) if list.is_empty()));
        }
    }
}

fn parts(documents: &[Document]) -> Vec<(&str, &str, &str)> {
    let all = documents.iter().map(|document| {
        (
            document.kind.as_str(),
            document.part.as_str(),
            document.title.as_str(),
        )
    });
    all.collect()
}

fn value<'a>(document: &'a Document, name: &str) -> Option<&'a Value> {
    let mut all = document.properties.iter();
    all.find(|property| property.name == name)
        .map(|property| &property.value)
}

fn text<'a>(document: &'a Document, name: &str) -> Option<&'a str> {
    match value(document, name) {
        Some(Value::One(Scalar::Text(text))) => Some(text),
        _ => None,
    }
}

fn texts(document: &Document, name: &str) -> Vec<String> {
    let Some(Value::Many(list)) = value(document, name) else {
        return Vec::new();
    };
    let texts = list.iter().map(|one| match one {
        Scalar::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    });
    texts.collect()
}

fn times(document: &Document, name: &str) -> Vec<String> {
    let list = match value(document, name) {
        Some(Value::Many(list)) => list.clone(),
        Some(Value::One(one)) => vec![one.clone()],
        None => Vec::new(),
    };
    let times = list.iter().map(|one| match one {
        Scalar::Timestamp(ms) => jiff::Timestamp::from_millisecond(*ms).unwrap().to_string(),
        other => panic!("{other:?}"),
    });
    times.collect()
}

const HISTORY: &str = "YouTube and YouTube Music/history";

#[test]
fn a_watch_history_is_a_document_for_each_video() {
    let documents = read(&format!("{HISTORY}/watch-history.json"));
    assert_eq!(
        parts(&documents),
        [
            ("", "", "watch-history"),
            ("video", "aaaaaaaaaa1", "How sourdough rises"),
            ("video", "bbbbbbbbbb2", "Video bbbbbbbbbb2 (removed)"),
            (
                "action",
                "action/Watched a video that has been removed",
                "Watched a video that has been removed"
            ),
            (
                "visit",
                "https://www.youtube.com/post/UgkxAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "Which flour do you use?"
            ),
            ("video", "dddddddddd4", "Bread Song"),
        ]
    );
    assert_eq!(documents[0].text, "3 videos, 1 page, 1 other action");
    assert_eq!(
        documents[0].warnings,
        ["1 entry that Google showed as advertising was left out."]
    );
    let twice = &documents[1];
    assert_eq!(
        text(twice, "url"),
        Some("https://www.youtube.com/watch?v=aaaaaaaaaa1")
    );
    assert_eq!(text(twice, "author"), Some("Crumb Lab"));
    assert_eq!(
        times(twice, "watched"),
        ["2023-11-12T08:11:01.123Z", "2022-01-02T03:04:05Z"]
    );
    assert_eq!(times(twice, "created"), ["2022-01-02T03:04:05Z"]);
    assert_eq!(
        value(twice, "views"),
        Some(&Value::One(Scalar::Number(2.0)))
    );
    assert_eq!(
        twice.text,
        "Channel: [Crumb Lab](https://www.youtube.com/channel/UCaaaaaaaaaaaaaaaaaaaaaa)\n\n<https://www.youtube.com/watch?v=aaaaaaaaaa1>"
    );
    assert_eq!(
        value(&documents[2], "removed"),
        Some(&Value::One(Scalar::Boolean(true)))
    );
    assert_eq!(texts(&documents[4], "activity"), ["viewed"]);
    assert_eq!(texts(&documents[5], "product"), ["YouTube Music"]);
}

#[test]
fn a_localised_page_tells_the_same_by_its_structure() {
    let documents = read(&format!("{HISTORY}/watch-history.html"));
    assert_eq!(
        parts(&documents),
        [
            ("", "", "watch-history"),
            ("video", "aaaaaaaaaa1", "Wie Sauerteig aufgeht & warum"),
            ("video", "bbbbbbbbbb2", "Video bbbbbbbbbb2 (removed)"),
            (
                "action",
                "action/Ein entferntes Video angesehen",
                "Ein entferntes Video angesehen"
            ),
        ]
    );
    assert_eq!(times(&documents[1], "watched"), ["2023-11-12T08:11:01Z"]);
    assert_eq!(text(&documents[1], "author"), Some("Krumenlabor"));
    assert_eq!(
        documents[0].warnings,
        [
            "1 entry has a time zone that is not known and counts as UTC.",
            "1 entry that Google showed as advertising was left out.",
            "1 entry has no date that could be read.",
        ]
    );
}

#[test]
fn searches_are_one_for_each_query() {
    let documents = read(&format!("{HISTORY}/search-history.json"));
    assert_eq!(documents.len(), 2);
    let search = &documents[1];
    assert_eq!(
        parts(&documents)[1],
        ("search", "search/sourdough starter", "sourdough starter")
    );
    assert_eq!(times(search, "searched").len(), 2);
    assert!(
        search
            .text
            .starts_with("sourdough starter\n\n<https://www.youtube.com/results?")
    );
}

#[test]
fn activities_of_other_products_are_told_apart() {
    let documents = read("My Activity/Search/MyActivity.json");
    assert_eq!(
        parts(&documents),
        [
            ("", "", "MyActivity"),
            ("visit", "https://bread.example/rye", "Rye bread - a guide"),
            ("search", "search/rye bread", "rye bread"),
            ("action", "action/Used Chrome", "Used Chrome"),
        ]
    );
    assert_eq!(
        text(&documents[2], "url"),
        Some("https://www.google.com/search?q=rye+bread")
    );
    assert_eq!(texts(&documents[3], "activity"), ["used"]);
}

#[test]
fn a_real_page_of_activities_is_read() {
    let Some(documents) = real("takeout/HtmlTakeout/My Activity/Chrome/MyActivity.html") else {
        return;
    };
    assert_eq!(
        parts(&documents),
        [
            ("", "", "MyActivity"),
            (
                "visit",
                "https://productforums.google.com/forum/",
                "https://productforums.google.com/forum/"
            ),
            (
                "visit",
                "http://www.adobe.com/creativecloud.html",
                "http://www.adobe.com/creativecloud.html"
            ),
            (
                "search",
                "search/adobe creative cloud",
                "adobe creative cloud"
            ),
        ]
    );
    assert_eq!(times(&documents[1], "visited"), ["2018-01-31T22:54:50Z"]);
    assert_eq!(times(&documents[3], "searched"), ["2017-02-08T00:32:36Z"]);
    assert!(
        documents[0].warnings.is_empty(),
        "{:?}",
        documents[0].warnings
    );
}

#[test]
fn chromes_history_is_one_document_for_each_page() {
    let documents = read("Chrome/History.json");
    assert_eq!(
        parts(&documents),
        [
            ("", "", "History"),
            ("visit", "https://bread.example/rye", "Rye bread - a guide"),
        ]
    );
    assert_eq!(
        times(&documents[1], "visited"),
        ["2023-11-12T08:11:10Z", "2023-11-12T08:11:01.123Z"]
    );
    assert_eq!(
        documents[0].warnings,
        ["1 entry of pages of the browser's own or without any name was left out."]
    );
}

#[test]
fn a_damaged_list_is_read_as_far_as_it_goes() {
    let mut bytes = fixture(&format!("{HISTORY}/watch-history.json"));
    bytes.truncate(700);
    let documents = extract("watch-history.json", bytes).unwrap();
    assert_eq!(documents.len(), 3);
    assert!(
        documents[0].warnings[0].starts_with("The file is damaged"),
        "{:?}",
        documents[0].warnings
    );
}
