//! Any bytes called a note: a document whose places and links lie in its text,
//! or a failure.

#![no_main]

use extract_core::Input;
use extract_markdown::{Settings, extract};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let input = Input {
        name: "note.md",
        ..Input::default()
    };
    let Ok(document) = extract(input.name, bytes.to_vec(), &Settings::default()) else {
        return;
    };
    let text = &document.text;
    assert!(!text.contains(['\r', '\0']));
    for mark in &document.marks {
        assert!(text.is_char_boundary(mark.offset));
    }
    for link in &document.links {
        assert!(text.get(link.span.start..link.span.end).is_some());
    }
});
