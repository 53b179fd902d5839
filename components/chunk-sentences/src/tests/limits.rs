use std::time::{Duration, Instant};

use super::{characters, checked, options, prose, sentences, texts, words};
use crate::{Failure, FailureKind, Options, Settings, split};

/// Far more than any of these texts takes, far less than quadratic time would.
const LIMIT: Duration = Duration::from_secs(20);

fn timed(name: &str, text: &str, count: fn(&[&str]) -> Vec<u32>) -> usize {
    let start = Instant::now();
    let chunks = checked(text, &options(254, 254, 50), count);
    let taken = start.elapsed();
    eprintln!(
        "{name}: {} bytes, {} chunks, {taken:?}",
        text.len(),
        chunks.len()
    );
    assert!(taken < LIMIT, "{name} took {taken:?}");
    chunks.len()
}

#[test]
fn one_word_of_five_megabytes() {
    assert!(timed("one word", &"a".repeat(5_000_000), characters) > 15_000);
    // A tokenizer may make a single token of it; chunks stay bounded.
    assert!(timed("one word, one token", &"a".repeat(5_000_000), words) > 100);
}

#[test]
fn a_million_lines() {
    timed("lines", &"a\n".repeat(1_000_000), words);
    timed("upper case", &"A\n".repeat(1_000_000), words);
    timed(
        "blank lines",
        &format!("a{}b", "\n".repeat(2_000_000)),
        words,
    );
}

#[test]
fn text_that_slows_sentence_rules_down() {
    for unit in [".)", ". ", ")", ". )5", "?!", "a.\u{301}", "\n "] {
        let count = 1_000_000 / unit.len();
        timed(unit, &format!("A.{}", unit.repeat(count)), characters);
    }
}

#[test]
fn every_overlap_makes_progress() {
    let text = sentences(40);
    for overlap in [0, 1, 9, 10, 50, 98, 99] {
        checked(&text, &options(500, 100, overlap), words);
        checked(&text, &options(16, 100, overlap), words);
    }
    checked(&"a\n".repeat(20_000), &options(500, 500, 499), words);
}

#[test]
fn emoji_sequences_stay_whole() {
    let family = "👨‍👩‍👧‍👦";
    let text = family.repeat(500);
    let chunks = checked(&text, &options(64, 64, 15), characters);
    assert!(chunks.len() > 30);
    for chunk in texts(&text, &chunks) {
        assert_eq!(chunk.len() % family.len(), 0, "{chunk}");
    }
}

#[test]
fn a_grapheme_over_the_window_is_cut_between_characters() {
    let text = format!("e{}", "\u{301}".repeat(2_000));
    assert!(checked(&text, &options(100, 100, 10), characters).len() >= 20);
}

#[test]
fn a_token_count_that_grows_when_joined_is_noticed() {
    // Every text counts more than its parts do together.
    fn growing(texts: &[&str]) -> Vec<u32> {
        words(texts)
            .into_iter()
            .map(|count| count + count * count / 1_000)
            .collect()
    }
    let text = format!("{} {}", sentences(60), prose(300));
    assert!(checked(&text, &options(100, 100, 25), growing).len() > 9);
}

#[test]
fn few_calls_are_made_and_none_is_large() {
    let text = format!("{}\n\n", sentences(20)).repeat(4_000);
    let (mut calls, mut largest) = (0, 0);
    split("", &text, &options(254, 254, 50), &mut |texts| {
        calls += 1;
        largest = largest.max(texts.iter().map(|text| text.len()).sum());
        words(texts)
    })
    .unwrap();
    assert!(largest <= 4 << 20, "{largest} bytes at once");
    assert!(
        calls <= 2 + 3 * text.len().div_ceil(3 << 20),
        "{calls} calls"
    );
}

fn message(result: Result<impl Sized, Failure>, kind: FailureKind) -> String {
    let failure = result.err().unwrap();
    assert_eq!(failure.kind, kind);
    failure.message
}

#[test]
fn settings_out_of_range_are_refused_with_the_remedy() {
    let parse = |json| message(Settings::parse(json), FailureKind::InvalidInput);
    assert!(parse("[").contains("cannot be read"));
    assert!(parse(r#"{"token": 3}"#).contains("unknown field `token`"));
    assert!(parse(r#"{"tokens": 3}"#).contains("at least 16"));
    let equal = parse(r#"{"tokens": 100, "overlap": 100}"#);
    assert!(equal.contains("`overlap`") && equal.contains("smaller than the window"));
    assert!(parse(r#"{"tokens": 40}"#).contains("smaller than the window"));
    let small = split("", "a", &options(15, 16, 0), &mut |texts| words(texts));
    assert!(message(small, FailureKind::InvalidInput).contains("at least 16"));
    let overlap = split("", "a", &options(100, 50, 60), &mut |texts| words(texts));
    assert!(message(overlap, FailureKind::InvalidInput).contains("`overlap`"));
}

#[test]
fn settings_have_defaults() {
    assert_eq!(Settings::parse("").unwrap(), Settings::default());
    let settings = Settings::parse(r#"{"tokens": 300}"#).unwrap();
    assert_eq!((settings.tokens, settings.overlap), (300, 50));
}

#[test]
fn the_schema_names_every_setting_with_its_default() {
    let schema: serde_json::Value = serde_json::from_str(crate::SETTINGS_SCHEMA).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    let defaults = Settings::default();
    assert_eq!(properties.len(), 2);
    assert_eq!(properties["tokens"]["default"], defaults.tokens);
    assert_eq!(properties["overlap"]["default"], defaults.overlap);
    assert_eq!(properties["tokens"]["minimum"], crate::MIN_BUDGET);
}

#[test]
fn a_counter_that_answers_too_little_is_a_failure() {
    let options = Options {
        budget: 100,
        settings: Settings::default(),
    };
    let result = split("", &prose(500), &options, &mut |_| Vec::new());
    assert!(message(result, FailureKind::Internal).contains("0 counts for"));
}
