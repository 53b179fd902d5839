use proptest::prelude::*;

use super::{assert_sound, characters, words};
use crate::{Options, Settings, split};

fn sentence() -> impl Strategy<Value = String> {
    (
        prop::collection::vec("[a-zé]{1,8}", 1..25),
        "[.!?。？…]?[ \n]?",
    )
        .prop_map(|(words, end)| format!("{}{end}", words.join(" ")))
}

/// Plain text or what looks like it.
fn anything() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => sentence(),
        1 => "\\PC{0,60}",
        1 => "[a-z。？ \u{301}\u{200d}👨👩🇩\n]{0,60}",
        1 => "[.!? \t\r\n)\"]{0,40}",
        1 => (0..400usize).prop_map(|count| " ".repeat(count)),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

fn any_options() -> impl Strategy<Value = Options> {
    (16..200u32, 16..300u32, 0..300u32).prop_map(|(budget, tokens, overlap)| Options {
        budget,
        settings: Settings {
            tokens,
            overlap: overlap.min(tokens - 1),
        },
    })
}

/// Every byte a token, as byte-level tokenizers do at worst.
fn bytes(texts: &[&str]) -> Vec<u32> {
    texts.iter().map(|text| text.len() as u32).collect()
}

fn any_counter() -> impl Strategy<Value = fn(&[&str]) -> Vec<u32>> {
    prop_oneof![
        Just(words as fn(&[&str]) -> Vec<u32>),
        Just(characters as fn(&[&str]) -> Vec<u32>),
        Just(bytes as fn(&[&str]) -> Vec<u32>),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_text_is_covered_in_order_within_the_window(
        text in anything(),
        options in any_options(),
        count in any_counter(),
    ) {
        let chunks = split("", &text, &options, &mut |texts| count(texts)).unwrap();
        assert_sound(&text, &chunks, &options, count);
        let again = split("", &text, &options, &mut |texts| count(texts)).unwrap();
        prop_assert_eq!(chunks, again);
    }
}
