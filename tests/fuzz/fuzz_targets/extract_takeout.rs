//! Any bytes as a file of Google Takeout, a calendar or contacts give sound
//! documents or a failure.

#![no_main]

use std::collections::HashSet;

use extract_takeout::extract;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(documents) = extract("file", bytes.to_vec()) else {
        return;
    };
    let mut parts = HashSet::new();
    for document in &documents {
        assert!(parts.insert(&document.part), "{} comes twice", document.part);
        assert!(!document.title.is_empty(), "{document:?}");
        let mut before = 0;
        for link in &document.links {
            assert!(link.span.start >= before && link.span.start < link.span.end, "{link:?}");
            assert!(document.text.get(link.span.start..link.span.end).is_some(), "{link:?}");
            before = link.span.start;
        }
        let mut names = HashSet::new();
        for property in &document.properties {
            assert!(names.insert(&property.name), "{} comes twice", property.name);
        }
    }
});
