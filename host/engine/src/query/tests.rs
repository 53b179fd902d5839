use pkb_store::{Condition, Test, Time};
use proptest::prelude::*;

use super::*;

fn now() -> ZonedDateTime {
    let vienna = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let now = jiff::civil::date(2026, 11, 26).at(15, 20, 0, 0);
    now.to_zoned_datetime(vienna).unwrap()
}

fn parse(input: &str) -> Query {
    Query::parse_at(input, &now())
}

fn words(input: &str) -> Vec<String> {
    parse(input).words
}

fn phrases(input: &str) -> Vec<String> {
    let show = |phrase: Phrase| format!("{}{}", if phrase.not { "-" } else { "" }, phrase.text);
    parse(input).phrases.into_iter().map(show).collect()
}

#[test]
fn what_chooses_exactly_holds_fields_alone() {
    let filter = Query::only_fields(" source:mail  before:2019 -kind:note ").unwrap();
    assert_eq!(filter.conditions.len(), 3);
    let long = format!("source:mail {}", "tag:a ".repeat(2000));
    for (input, told) in [
        ("", "empty"),
        ("source:mail and", "\"and\" is no condition"),
        ("old plans", "\"old\" is no condition"),
        ("source:mail \"old plans\"", "is no condition"),
        ("source:mail -draft", "is no condition"),
        ("sorce:mail tag:x", "is no condition"),
        ("source:mail after:someday", "after:someday"),
        ("source:mail !!", "is no condition"),
        (&long, "longer"),
    ] {
        let Err(Error::Usage { what, .. }) = Query::only_fields(input) else {
            panic!("{input:?} chooses");
        };
        assert!(what.contains(told), "{input:?}: {what}");
    }
}

#[test]
fn plain_words_stay_as_they_are() {
    for input in [
        "plain words",
        "can't open o'brien",
        "foo:bar",
        "GB/s",
        "12:30",
        "http://x.org/a?b=c",
        "DEC-0054",
        "std::fmt",
        "C:\\dir",
        "--dry-run",
        "-",
        "->",
        "user@example.org",
        "重启",
        "🦀",
        "tag:",
        "after:soon",
        "NEAR(a",
        "n* ^b {c}",
        "x:y:z",
        "prop.:x",
    ] {
        let query = parse(input);
        assert_eq!(query.text, input);
        assert_eq!(query.phrases, [], "{input}");
        assert_eq!(query.conditions, [], "{input}");
        let wanted: Vec<&str> = input.split(' ').filter(|word| has_word(word)).collect();
        assert_eq!(query.words, wanted, "{input}");
    }
}

#[test]
fn quotes_keep_words_together() {
    assert_eq!(phrases("one \"whole phrase\" more"), ["whole phrase"]);
    assert_eq!(words("one \"whole phrase\" more"), ["one", "more"]);
    assert_eq!(phrases("\"--dry-run\""), ["--dry-run"]);
    assert_eq!(
        phrases("„zwei Worte“ «deux mots» 「二語」 “two”"),
        ["zwei Worte", "deux mots", "二語", "two"]
    );
    assert_eq!(words("\"half"), ["\"half"]);
    assert_eq!(phrases("\"half"), [""; 0]);
    assert_eq!(words("a \"b\" \"c"), ["\"c"]);
    assert!(parse("\"\"").is_empty() && parse("\" \"").is_empty());
    assert_eq!(phrases("\"-x tag:y\""), ["-x tag:y"]);
}

#[test]
fn a_minus_excludes_only_where_it_means_to() {
    assert_eq!(phrases("budget -draft"), ["-draft"]);
    assert_eq!(words("budget -draft"), ["budget"]);
    assert_eq!(parse("budget -draft").text, "budget");
    assert_eq!(phrases("budget -\"first draft\""), ["-first draft"]);
    assert_eq!(phrases("well-known x - y --z"), [""; 0]);
    // Nothing would be left to look for.
    assert_eq!(words("-draft"), ["draft"]);
    assert_eq!(phrases("tag:work -draft"), ["-draft"]);
    assert!(parse("tag:work -draft").is_empty());
}

#[test]
fn function_words_count_only_alone() {
    assert_eq!(words("how do I link to a heading?"), ["link", "heading?"]);
    assert_eq!(words("to be or not to be").len(), 6);
    assert_eq!(words("\"the who\" at IT"), ["IT"]);
    assert_eq!(words("the \"band\""), [""; 0]);
}

#[test]
fn fields_are_conditions() {
    let only = |input: &str| -> Condition {
        let mut query = parse(input);
        assert_eq!(query.conditions.len(), 1, "{input}");
        assert_eq!(query.understood.len(), 1, "{input}");
        query.conditions.remove(0)
    };
    let owned = str::to_owned;
    for (input, test) in [
        ("source:notes", Test::Source(vec![owned("notes")])),
        (
            "KIND:note,page",
            Test::Kind(vec![owned("note"), owned("page")]),
        ),
        ("tag:#work/2024", Test::Tag(owned("work/2024"))),
        ("path:\"My Notes/\"", Test::Path(owned("My Notes/"))),
        ("title:budget", Test::Title(owned("budget"))),
        ("author:“Jane Doe”", Test::Author(owned("Jane Doe"))),
        ("lang:de", Test::Language(owned("de"))),
        ("is:untagged", Test::Untagged),
        (
            "duration:5m..20m",
            Test::Duration {
                least: Some(300.0),
                most: Some(1200.0),
            },
        ),
        (
            "prop.status:done",
            Test::Property {
                name: owned("status"),
                value: Some(owned("done")),
            },
        ),
    ] {
        assert_eq!(only(input), test.clone().into(), "{input}");
        let turned = Condition { not: true, test };
        assert_eq!(only(&format!("-{input}")), turned, "-{input}");
    }
    let query = parse("tag:a budget tag:b plan");
    assert_eq!(query.words, ["budget", "plan"]);
    assert_eq!(query.text, "budget plan");
    assert_eq!(query.conditions.len(), 2);
}

#[test]
fn dates_have_a_from_and_an_until() {
    let meaning = |input: &str| parse(input).understood[0].meaning.clone();
    assert_eq!(meaning("after:2024-03-09"), "dated 2024-03-09 or later");
    assert_eq!(meaning("before:2024-03"), "dated before 2024-03-01");
    assert_eq!(
        meaning("on:last-month"),
        "dated from 2026-10-01 to before 2026-11-01"
    );
    assert_eq!(meaning("after:7d"), "dated 2026-11-19 15:20 or later");
    assert_eq!(
        meaning("created:2024-01..2024-03"),
        "created from 2024-01-01 to before 2024-04-01"
    );
    assert_eq!(meaning("modified:..2023"), "modified before 2024-01-01");
    assert_eq!(
        meaning("-on:\"last week\""),
        "not dated from 2026-11-16 to before 2026-11-23"
    );
    let query = parse("on:today");
    assert!(matches!(
        query.conditions[0].test,
        Test::Time {
            which: Time::Any,
            from: Some(_),
            until: Some(_)
        }
    ));
    assert_eq!(words("created:2024..2023 x"), ["created:2024..2023", "x"]);
}

#[test]
fn several_sources_and_kinds_mean_any_of_them() {
    let list = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let query = parse("source:a kind:note x source:b,c KIND:page -source:d -source:e");
    let not = |test| Condition { not: true, test };
    assert_eq!(
        query.conditions,
        [
            Test::Source(list(&["a", "b", "c"])).into(),
            Test::Kind(list(&["note", "page"])).into(),
            not(Test::Source(list(&["d"]))),
            not(Test::Source(list(&["e"]))),
        ]
    );
    let meanings: Vec<&str> = query
        .understood
        .iter()
        .map(|part| part.meaning.as_str())
        .collect();
    assert_eq!(
        meanings,
        [
            "in the source a",
            "of the kind note",
            "or in the source b or c",
            "or of the kind page",
            "not in the source d",
            "not in the source e",
        ]
    );
    // Whatever comes first, what must not be stays so.
    let query = parse("-kind:a kind:b");
    assert_eq!(
        query.conditions,
        [
            not(Test::Kind(list(&["a"]))),
            Test::Kind(list(&["b"])).into()
        ]
    );
    // An item can have both tags.
    assert_eq!(parse("tag:a tag:b").conditions.len(), 2);
}

#[test]
fn durations_say_what_they_mean() {
    let meaning = |input: &str| parse(input).understood[0].meaning.clone();
    assert_eq!(meaning("duration:>10m"), "lasting more than 10m");
    assert_eq!(meaning("duration:<=90s"), "lasting 90s or less");
    assert_eq!(meaning("duration:5m..20m"), "lasting 5m to 20m");
    assert_eq!(meaning("duration:1h.."), "lasting 1h or more");
    assert_eq!(meaning("-duration:..1h"), "not lasting 1h or less");
    assert_eq!(meaning("duration:10m"), "lasting about 10m");
}

#[test]
fn a_field_that_was_not_understood_is_words_and_a_note() {
    for (input, said) in [
        ("is:nonsense", "is:untagged or is:stale"),
        ("is:note", "kind: asks"),
        ("is:deleted", "browse"),
        ("after:soon", "last-month"),
        ("created:2024..2023", "no date"),
        ("duration:long", "1h30m"),
        ("tag:#", "names no tag"),
        ("soruce:notes", "source:"),
        ("tags:work", "tag:"),
    ] {
        let query = parse(input);
        assert_eq!(query.conditions, [], "{input}");
        assert_eq!(query.words, [input]);
        let [note] = &query.notes[..] else {
            panic!("{input}: {:?}", query.notes)
        };
        let begins = format!("{input} was taken as words: ");
        assert!(note.starts_with(&begins) && note.contains(said), "{note}");
    }
    for input in [
        "foo:bar",
        "12:30",
        "http://x.org",
        "C:\\dir",
        "Title: x",
        "std::fmt",
    ] {
        assert_eq!(parse(input).notes, [""; 0], "{input}");
    }
    assert_eq!(parse(&"is:x ".repeat(1_000)).notes.len(), MOST_NOTES);
}

#[test]
fn nothing_to_look_for_is_no_error() {
    for input in [
        "",
        "   ",
        "\"\"",
        "!!! ??? --",
        "\u{0}\u{1}",
        "\" \"",
        "“",
        "-\"\"",
    ] {
        assert!(parse(input).is_empty(), "{input:?}");
    }
}

#[test]
fn a_paste_is_cut_at_a_character() {
    let query = parse(&"é ".repeat(LONGEST));
    assert!(query.text.len() <= LONGEST_TEXT);
    assert!(query.words.len() <= LONGEST && query.words.len() > LONGEST / 4);
    let odd = parse(&"\"a -\"b x:\"".repeat(20_000));
    assert!(odd.phrases.len() <= MOST_PARTS && odd.understood.len() <= MOST_PARTS);
}

#[test]
fn what_says_nothing_asks_nothing() {
    let query = parse("budget -\"\" \"\" -\"!?\"");
    assert_eq!(
        (query.words, query.phrases),
        (vec!["budget".into()], vec![])
    );
    assert_eq!(parse("source:, budget").conditions, []);
    assert_eq!(parse("budget \"\"").text, "budget");
}

#[test]
fn every_closing_quote_is_known_beforehand() {
    let text = "x";
    for open in ['"', '“', '„', '«', '「'] {
        for close in closing(open).unwrap() {
            assert!(
                Pieces::of(text)
                    .last
                    .iter()
                    .any(|(known, _)| known == close)
            );
        }
    }
}

proptest! {
    #[test]
    fn no_input_panics_and_nothing_odd_comes_out(input in "\\PC*|[-:\" a-z“”„«»#.0-9\\x00-\\x1f]{0,80}") {
        let query = parse(&input);
        let parts = query.words.iter().chain(query.phrases.iter().map(|phrase| &phrase.text));
        for part in parts.chain([&query.text]) {
            prop_assert!(!part.chars().any(char::is_control), "{part:?}");
        }
        prop_assert!(query.words.iter().all(|word| has_word(word) && !word.contains(char::is_whitespace)));
        for phrase in query.phrases.iter().filter(|phrase| !phrase.not) {
            prop_assert!(has_word(&phrase.text));
        }
    }

    #[test]
    fn words_of_letters_come_out_as_they_went_in(input in "[b-hj-z]{4,9}( [b-hj-z]{4,9}){0,6}") {
        let wanted: Vec<&str> = input.split(' ').collect();
        let query = parse(&input);
        prop_assume!(query.words.len() == wanted.len());
        prop_assert_eq!(query.words, wanted);
        prop_assert_eq!(query.text, input);
    }
}

#[test]
fn conditions_stand_alone() {
    let (filter, understood) =
        conditions("kind:note,page -tag:draft prop.status:done prop.rating:* is:deleted").unwrap();
    assert_eq!(filter.conditions.len(), 5, "{filter:?}");
    assert!(filter.conditions[1].not);
    assert_eq!(
        filter.conditions[3].test,
        Test::Property {
            name: "rating".into(),
            value: None
        }
    );
    assert_eq!(understood[0].meaning, "of the kind note or page");
    assert!(conditions(" ").unwrap().0.is_empty());
    for wrong in [
        "words",
        "kind:note words",
        "-draft",
        "after:soon",
        "knd:x",
        "\"a b\"",
    ] {
        let error = conditions(wrong).unwrap_err();
        assert!(error.to_string().contains("is no condition"), "{error}");
    }
}
