use proptest::prelude::*;

use super::{assert_sound, characters, options, texts, words};
use crate::{Options, Settings, split};

fn line() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-zé]{1,8}[.,:]?", 1..30).prop_map(|words| words.join(" "))
}

fn lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(line(), 1..most)
}

/// A piece of Markdown, and whether it has to stay whole.
fn block() -> impl Strategy<Value = (String, bool)> {
    prop_oneof![
        (1..7usize, line())
            .prop_map(|(level, text)| (format!("{} {text}", "#".repeat(level)), false)),
        line().prop_map(|text| (format!("{text}\n==="), false)),
        lines(6).prop_map(|lines| (lines.join("\n"), false)),
        lines(6).prop_map(|lines| (lines.join(". "), false)),
        lines(6).prop_map(|lines| (format!("- {}", lines.join("\n- ")), false)),
        lines(4).prop_map(|lines| (format!("> {}", lines.join("\n> ")), false)),
        Just(("---".to_owned(), false)),
        (3..6usize, lines(8)).prop_map(|(ticks, lines)| {
            let fence = "`".repeat(ticks);
            (
                format!("{fence}text\n{}\n{fence}", lines.join("\n\n")),
                true,
            )
        }),
        (3..6usize, lines(8)).prop_map(|(waves, lines)| {
            let fence = "~".repeat(waves);
            (
                format!("> {fence}\n> {}\n> {fence}", lines.join("\n>\n> # ")),
                true,
            )
        }),
        lines(6).prop_map(|lines| (format!("$$\n{}\n$$", lines.join("\n\n")), true)),
        lines(8).prop_map(|lines| (
            format!("| a | b |\n|---|---|\n| {} | c |", lines.join(" | c |\n| ")),
            false
        )),
        lines(8).prop_map(|lines| (format!("- | b\n{} | c", lines.join(" | c\n")), false)),
        lines(12).prop_map(|lines| (format!("A {}", lines.join("\nA ")), false)),
    ]
}

/// Markdown or what looks like it.
fn anything() -> impl Strategy<Value = String> {
    let noise = prop_oneof![
        "[#>*+`~$|:\\-\\[\\]!.\\\\ \t\n\r]{0,12}",
        "\\PC{0,40}",
        "[a-z。？ \u{301}\u{200d}👨👩🇩\n]{0,40}",
        Just("\r\n".to_owned()),
        (0..400usize).prop_map(|count| " ".repeat(count)),
        Just("\n\n".to_owned()),
    ];
    prop::collection::vec(
        prop_oneof![block().prop_map(|(text, _)| text), noise],
        0..25,
    )
    .prop_map(|parts| parts.concat())
}

fn any_options() -> impl Strategy<Value = Options> {
    (16..200u32, prop::option::of(16..300u32), any::<bool>()).prop_map(
        |(budget, tokens, context)| Options {
            budget,
            settings: Settings { tokens, context },
        },
    )
}

fn any_counter() -> impl Strategy<Value = fn(&[&str]) -> Vec<u32>> {
    prop_oneof![
        Just(words as fn(&[&str]) -> Vec<u32>),
        Just(characters as fn(&[&str]) -> Vec<u32>),
        Just(bytes as fn(&[&str]) -> Vec<u32>),
    ]
}

/// Every byte a token, as byte-level tokenizers do at worst.
fn bytes(texts: &[&str]) -> Vec<u32> {
    texts.iter().map(|text| text.len() as u32).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_text_is_covered_in_order_within_the_budget(
        text in anything(),
        options in any_options(),
        count in any_counter(),
    ) {
        let chunks = split("", &text, &options, &mut |texts| count(texts)).unwrap();
        assert_sound(&text, &chunks, &options, count);
        let again = split("", &text, &options, &mut |texts| count(texts)).unwrap();
        prop_assert_eq!(chunks, again);
    }

    #[test]
    fn what_fits_the_budget_stays_whole(
        blocks in prop::collection::vec(block(), 1..20),
        budget in 16..150u32,
        tokens in 16..150u32,
    ) {
        let text: Vec<&str> = blocks.iter().map(|(text, _)| text.as_str()).collect();
        let text = text.join("\n\n");
        let options = options(budget, tokens);
        let chunks = split("", &text, &options, &mut |texts| words(texts)).unwrap();
        assert_sound(&text, &chunks, &options, words);
        let own = texts(&text, &chunks);
        let rows = blocks
            .iter()
            .filter(|(text, _)| text.starts_with("| a"))
            .flat_map(|(text, _)| text.lines());
        let solid = blocks.iter().filter(|(_, solid)| *solid).map(|(text, _)| text.as_str());
        for whole in solid.chain(rows) {
            if words(&[whole])[0] <= budget {
                prop_assert!(own.iter().any(|chunk| chunk.contains(whole)), "cut: {whole:?}");
            }
        }
    }
}
