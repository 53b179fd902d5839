//! Any bytes as bookmarks give sound documents or a failure.

#![no_main]

use std::collections::HashSet;

use extract_bookmarks::{Settings, extract};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let settings = Settings { max_bytes: 1 << 20 };
    let Ok(documents) = extract("bookmarks.html", bytes.to_vec(), &settings) else {
        return;
    };
    let mut parts = HashSet::new();
    for document in &documents {
        assert!(parts.insert(&document.part), "{} comes twice", document.part);
        assert!(!document.title.is_empty());
        for mark in &document.marks {
            assert!(mark.offset < document.text.len(), "{mark:?}");
        }
        for link in &document.links {
            let shown = document.text.get(link.span.start..link.span.end);
            assert!(shown.is_some_and(|shown| !shown.is_empty()), "{link:?}");
        }
    }
});
