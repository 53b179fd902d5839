//! What `analyze` says of terms holds for every text.

#![no_main]

use analyze::{MAX_TERM_BYTES, analyze};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let texts = [text];
    let answer = analyze(&texts).expect("short texts are analyzed");
    let [terms] = answer.as_slice() else {
        panic!("{} answers to one text", answer.len());
    };

    let mut next = 0;
    let mut begins = 0;
    for term in terms {
        let own = &term.text;
        assert!(!own.is_empty() && own.len() <= MAX_TERM_BYTES, "{term:?}");
        assert!(
            !own.contains(|c: char| c.is_whitespace() || c.is_control()),
            "{term:?}"
        );
        let original = text.get(term.span.clone());
        assert!(original.is_some_and(|found| !found.is_empty()), "{term:?}");
        let is_new = term.position == next;
        assert!(
            is_new || term.position + 1 == next,
            "{term:?} comes after position {next} was to begin"
        );
        assert!(!is_new || term.span.start >= begins, "{term:?} goes back");
        if is_new {
            begins = term.span.start;
        }
        next = term.position + 1;
    }

    // A text's terms depend on that text alone.
    let beside = analyze(&["Äpfel и 图書館", text, ""]).expect("short texts are analyzed");
    assert_eq!(beside.get(1), Some(terms));
});
