//! Whatever a person types or pastes is a query.

#![no_main]

// The module alone: the engine around it takes minutes to build.
#[allow(dead_code)]
#[path = "../../../host/engine/src/query/mod.rs"]
mod query;

use std::sync::LazyLock;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use libfuzzer_sys::fuzz_target;
use pkb_store::Test;
use query::Query;

/// The day after summer time ended, in a place that has it.
static NOW: LazyLock<ZonedDateTime> = LazyLock::new(|| {
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a time zone");
    let time = Timestamp::from_second(1_792_969_200).expect("a time");
    time.to_zoned_datetime(zone)
});

/// The bound of the parser on fields and phrases together.
const MOST_PARTS: usize = 64;

fuzz_target!(|input: &str| {
    let query = Query::parse_at(input, &NOW);
    assert_eq!(query, Query::parse_at(input, &NOW), "the same twice");

    let clean = |text: &str| !text.contains(char::is_control);
    assert!(clean(&query.text), "{:?}", query.text);
    assert_eq!(query.text.trim(), query.text);
    for word in &query.words {
        assert!(!word.is_empty() && clean(word), "{word:?}");
        assert!(!word.contains(char::is_whitespace), "{word:?}");
        assert!(input.contains(word.as_str()), "{word:?} was not typed");
    }
    for phrase in &query.phrases {
        assert!(clean(&phrase.text), "{phrase:?}");
        assert!(!phrase.text.trim().is_empty(), "{phrase:?}");
    }
    assert!(query.phrases.len() + query.conditions.len() <= MOST_PARTS);
    assert!(query.understood.len() <= MOST_PARTS);
    for condition in &query.conditions {
        match &condition.test {
            Test::Source(values) | Test::Kind(values) => assert!(!values.is_empty()),
            Test::Tag(text)
            | Test::Path(text)
            | Test::Title(text)
            | Test::Language(text)
            | Test::Author(text) => assert!(!text.trim().is_empty()),
            Test::Time { from, until, .. } => {
                assert!(from.is_some() || until.is_some());
                assert!(from.zip(*until).is_none_or(|(from, until)| from < until));
            }
            Test::Duration { least, most } => {
                assert!(least.is_some() || most.is_some());
                assert!(least.zip(*most).is_none_or(|(least, most)| least <= most));
            }
            _ => {}
        }
    }
    for note in &query.notes {
        assert!(clean(note), "{note:?}");
    }
    for part in &query.understood {
        assert!(clean(&part.as_typed) && clean(&part.meaning), "{part:?}");
    }

    // Some of what was typed is looked for, if it holds a word at all.
    if query.conditions.is_empty() && input.contains(char::is_alphanumeric) {
        assert!(!query.is_empty(), "nothing is looked for");
    }
    // Words that were taken as words are words still when typed alone.
    let quoted = input.contains(['"', '“', '”', '„', '«', '»', '「', '」']);
    if query.understood.is_empty() && !quoted {
        let again = Query::parse_at(&query.words.join(" "), &NOW);
        assert_eq!(again.words, query.words);
    }
});
