use std::time::{Duration, Instant};

use super::{characters, checked, options, prose, texts, words};
use crate::{Failure, FailureKind, Options, Settings, split};

/// Far more than any of these texts takes, far less than quadratic time would.
const LIMIT: Duration = Duration::from_secs(20);

fn timed(name: &str, text: &str, count: fn(&[&str]) -> Vec<u32>) -> usize {
    let start = Instant::now();
    let chunks = checked(text, &options(254, 200), count);
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
fn one_line_of_a_megabyte_without_spaces() {
    let line: String = (0..1_000_000u32)
        .map(|n| char::from(b'!' + (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 90))
        .collect();
    timed("line", &line, characters);
    timed("line", &line, words);
}

#[test]
fn deep_quotes_and_lists() {
    timed(
        "quotes",
        &format!("{}text", "> ".repeat(10_000)),
        characters,
    );
    timed("lists", &format!("{}text", "- ".repeat(10_000)), characters);
    timed("mixed", &format!("{}text", "> - 1. ".repeat(5_000)), words);
    let steps: String = (0..1_000)
        .map(|n| format!("{}- item\n", "  ".repeat(n)))
        .collect();
    timed("steps", &steps, words);
}

#[test]
fn a_hundred_thousand_headings() {
    assert!(timed("headings", &"## Heading\n".repeat(100_000), words) >= 100);
    let text: String = (0..100_000)
        .map(|n| format!("{} H{n}\n\ntext\n\n", "#".repeat(n % 6 + 1)))
        .collect();
    timed("sections", &text, words);
}

#[test]
fn a_million_lines() {
    timed("lines", &"a\n".repeat(1_000_000), words);
    timed(
        "blank lines",
        &format!("a{}b", "\n".repeat(2_000_000)),
        words,
    );
    timed(
        "rows",
        &format!("|a|\n|-|\n{}", "|b|\n".repeat(200_000)),
        words,
    );
    timed("fence", &format!("```\n{}", "b c\n".repeat(300_000)), words);
    timed("items", &"- a\n".repeat(200_000), words);
}

#[test]
fn a_table_header_without_end_is_not_repeated() {
    let header = "long".repeat(250_000);
    let text = format!("|{header}|\n|-|\n{}", "|a b c|\n".repeat(5_000));
    for chunk in checked(&text, &options(254, 200), words) {
        assert!(chunk.context.is_none());
    }
}

#[test]
fn text_that_slows_sentence_rules_down() {
    for unit in [".)", ". ", ")", ". )5", "?!", "a.\u{301}"] {
        let count = 1_000_000 / unit.len();
        timed(unit, &format!("A.{}", unit.repeat(count)), characters);
    }
}

#[test]
fn text_that_slows_markdown_down() {
    for unit in [
        "[", "[[", "*a ", "`a``", "$a ", "$$ ", "<a ", "![", "[a](", "|a", "> a\n", "\\", "&a",
        "~~~\n", "[^a]: ", "[a]: b\n",
    ] {
        timed(unit, &unit.repeat(200_000 / unit.len()), characters);
    }
}

#[test]
fn chinese_without_spaces_is_cut_at_sentences() {
    let text = "今天的天气非常好我们去公园散步。你想不想一起来呢？太好了！".repeat(40);
    let chunks = checked(&text, &options(80, 60), characters);
    for chunk in texts(&text, &chunks) {
        assert!(chunk.ends_with(['。', '？', '！']), "{chunk}");
    }
}

#[test]
fn chinese_without_sentences_is_cut_between_characters() {
    let text = "天地玄黄宇宙洪荒".repeat(500);
    let chunks = checked(&text, &options(60, 40), characters);
    assert!(
        chunks.len() >= 4_000 / 60 && chunks.len() <= 4_000 / 20,
        "{}",
        chunks.len()
    );
}

#[test]
fn emoji_sequences_stay_whole() {
    let family = "👨‍👩‍👧‍👦";
    let text = family.repeat(500);
    let chunks = checked(&text, &options(64, 48), characters);
    assert!(chunks.len() > 30);
    for chunk in texts(&text, &chunks) {
        assert_eq!(chunk.len() % family.len(), 0, "{chunk}");
    }
    let flags = "🇩🇪🇫🇷".repeat(1_000);
    for chunk in texts(&flags, &checked(&flags, &options(20, 17), characters)) {
        assert_eq!(chunk.len() % 8, 0, "{chunk}");
    }
}

#[test]
fn a_grapheme_over_the_budget_is_cut_between_characters() {
    let text = format!("e{}", "\u{301}".repeat(2_000));
    assert!(checked(&text, &options(100, 60), characters).len() >= 20);
    timed(
        "grapheme",
        &format!("e{}", "\u{301}".repeat(1_000_000)),
        characters,
    );
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
    let text = format!(
        "# A heading\n\n{}\n\n{}\n",
        super::sentences(30),
        prose(100)
    );
    let chunks = checked(&text, &options(100, 80), growing);
    assert!(chunks.iter().any(|chunk| chunk.context.is_some()));
}

#[test]
fn few_calls_are_made_and_none_is_large() {
    let text = format!(
        "# A\n\n{}",
        format!("{}\n\n", super::sentences(20)).repeat(4_000)
    );
    let (mut calls, mut largest) = (0, 0);
    split("", &text, &options(254, 200), &mut |texts| {
        calls += 1;
        largest = largest.max(texts.iter().map(|text| text.len()).sum());
        words(texts)
    })
    .unwrap();
    assert!(largest <= 4 << 20, "{largest} bytes at once");
    assert!(
        calls <= 2 + 2 * text.len().div_ceil(3 << 20),
        "{calls} calls"
    );

    let mut calls = 0;
    split("", &text[..4_000], &options(254, 200), &mut |texts| {
        calls += usize::from(!texts.is_empty());
        words(texts)
    })
    .unwrap();
    assert!(calls <= 3, "{calls} calls");
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
    assert!(parse(r#"{"tokens": -3}"#).contains("cannot be read"));
    let small = split("", "a", &options(15, 16), &mut |texts| words(texts));
    assert!(message(small, FailureKind::InvalidInput).contains("at least 16"));
    let low = split("", "a", &options(100, 1), &mut |texts| words(texts));
    assert!(message(low, FailureKind::InvalidInput).contains("`tokens`"));
}

#[test]
fn settings_have_defaults() {
    assert_eq!(Settings::parse("").unwrap(), Settings::default());
    assert_eq!(Settings::parse("{}").unwrap(), Settings::default());
    let sizes = |budget| Settings::default().sizes(budget).unwrap().target;
    assert_eq!((sizes(512), sizes(254), sizes(16)), (165, 165, 12));
    let over = Settings::parse(r#"{"tokens": 900}"#).unwrap();
    assert_eq!(over.sizes(254).unwrap().target, 254);
}

#[test]
fn the_schema_names_every_setting() {
    let schema: serde_json::Value = serde_json::from_str(crate::SETTINGS_SCHEMA).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    let names: Vec<_> = properties.keys().collect();
    assert_eq!(names, ["context", "tokens"]);
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
