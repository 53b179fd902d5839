//! Any bytes in any text format give a sound document or a failure.

#![no_main]

use extract_core::{Input, Place};
use extract_text::{Settings, extract};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 24] = [
    "a.csv", "a.tsv", "a.json", "a.jsonl", "a.ipynb", "a.xml", "a.svg", "a.opml", "a.org", "a.rst",
    "a.adoc", "a.tex", "a.rtf", "a.srt", "a.vtt", "a.sbv", "a.ass", "a.lrc", "a.srv3", "a.json3",
    "a.py", "a.txt", "a.psv", "a",
];

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, content)) = bytes.split_first() else {
        return;
    };
    let input = Input {
        name: NAMES[usize::from(choice) % NAMES.len()],
        ..Input::default()
    };
    let Ok(document) = extract(&input, content.to_vec(), &Settings::default()) else {
        return;
    };
    let text = &document.text;
    let mut before = 0;
    for mark in &document.marks {
        assert!(mark.offset >= before && mark.offset < text.len(), "{mark:?}");
        assert!(text.is_char_boundary(mark.offset), "{mark:?}");
        if let Place::Second(second) = mark.place {
            assert!(second.is_finite() && second >= 0.0);
        }
        before = mark.offset;
    }
    let mut before = 0;
    for link in &document.links {
        assert!(link.span.start >= before && link.span.start < link.span.end, "{link:?}");
        assert!(text.get(link.span.start..link.span.end).is_some(), "{link:?}");
        before = link.span.start;
    }
    assert!(!document.title.is_empty());
});
