//! Which items pass which filter.

use super::*;

/// The external ids of the items that pass.
pub(super) fn passing(home: &Home, filter: impl Into<Filter>) -> Vec<String> {
    let query = ItemQuery {
        filter: filter.into(),
        ..ItemQuery::default()
    };
    let page = home.store.items(&query).unwrap();
    assert_eq!(page.entries.len() as u64, page.total);
    page.entries.into_iter().map(|i| i.external_id).collect()
}

fn not(test: Test) -> Filter {
    Filter {
        conditions: vec![Condition { not: true, test }],
        ..Filter::default()
    }
}

fn has(name: &str, value: Option<&str>) -> Test {
    Test::Property {
        name: name.into(),
        value: value.map(Into::into),
    }
}

type Change = fn(&mut ItemWrite);

/// A home with these items, each changed before it is put.
fn home(items: &[(&str, Change)]) -> Home {
    let home = Home::new();
    for (id, change) in items {
        let mut item = note(home.source, id, "text");
        change(&mut item);
        home.put_item(item);
    }
    home
}

#[test]
fn names_are_compared_in_any_letter_case_of_any_script() {
    let home = home(&[
        ("a", |item| {
            item.title = "E\u{301}tude de la STRASSE".into();
            item.author = Some("Ὀδυσσεύς".into());
            item.tags = vec!["Überblick/Jahr".into()];
        }),
        ("b", |item| {
            item.aliases = vec!["Зимний Сад".into()];
            item.tags = vec!["überblicke".into(), "Work".into()];
        }),
        ("c", |_| {}),
    ]);
    let title = |part: &str| passing(&home, Test::Title(part.into()));
    assert_eq!(title("étude"), ["a"]);
    assert_eq!(title("straße"), ["a"]);
    assert_eq!(title("зимний сад"), ["b"]);
    assert!(title("etude").is_empty() && title("%").is_empty());
    assert_eq!(title(""), ["a", "b", "c"]);
    let author = |part: &str| Test::Author(part.into());
    assert_eq!(passing(&home, author("ὈΔΥΣΣΕΎΣ")), ["a"]);
    assert_eq!(passing(&home, author("")), ["a"]);
    assert_eq!(passing(&home, not(author("x"))), ["a", "b", "c"]);
    let tag = |tag: &str| passing(&home, Test::Tag(tag.into()));
    assert_eq!(tag("ÜBERBLICK"), ["a"]);
    assert_eq!(tag("#u\u{308}berblick/jahr"), ["a"]);
    assert_eq!(tag("work/"), ["b"]);
    assert_eq!(passing(&home, Test::Untagged), ["c"]);
    assert_eq!(passing(&home, not(Test::Untagged)), ["a", "b"]);
    assert_eq!(passing(&home, Test::Kind(vec!["NOTE".into()])).len(), 3);
}

#[test]
fn paths_are_found_by_their_start_or_a_pattern_and_with_their_source() {
    let home = Home::new();
    let other = home.store.add_source(&spec("Other [1]")).unwrap().id;
    for id in [
        "Plans/2024/a.md",
        "Plans/b.md",
        "[2024] x/c.md",
        "notes/d.md",
        "impo\u{302}t.md",
    ] {
        home.put(id, "x");
    }
    home.put_item(note(other, "Plans/e.md", "x"));
    let path = |path: &str| passing(&home, Test::Path(path.into()));
    assert_eq!(
        path("Plans/"),
        ["Plans/e.md", "Plans/2024/a.md", "Plans/b.md"]
    );
    assert_eq!(path("Plans/2024"), ["Plans/2024/a.md"]);
    assert!(path("plans/").is_empty() && path("x/c").is_empty() && path("Plans/%").is_empty());
    assert_eq!(path("impôt"), ["impo\u{302}t.md"]);
    // A pattern has to fit the whole path, in any letter case.
    assert_eq!(path("plans/*.MD"), ["Plans/e.md", "Plans/b.md"]);
    assert_eq!(
        path("plans/**.md"),
        ["Plans/e.md", "Plans/2024/a.md", "Plans/b.md"]
    );
    assert_eq!(path("**/a.md"), ["Plans/2024/a.md"]);
    assert_eq!(path("IMP?T.md"), ["impo\u{302}t.md"]);
    assert!(path("*/a.md").is_empty());
    // Taken as it stands, too.
    assert_eq!(path("[2024] x/"), ["[2024] x/c.md"]);
    assert_eq!(path("\\[2024\\] x/*"), ["[2024] x/c.md"]);
    // With its source.
    assert_eq!(path("Other [1]/Plans/"), ["Plans/e.md"]);
    assert_eq!(path("Other [1]/**/e.*"), ["Plans/e.md"]);
    assert_eq!(path("notes/Plans/b"), ["Plans/b.md"]);
    assert_eq!(path("notes/d"), ["notes/d.md"]);
    assert_eq!(path("notes/").len(), 5);
    assert!(path("other [1]/").is_empty() && path("note").len() == 1);
    assert_eq!(
        passing(&home, not(Test::Path("notes/".into()))),
        ["Plans/e.md"]
    );
}

#[test]
fn a_language_has_regional_forms() {
    let home = home(&[
        ("at", |item| item.language = Some("de_AT".into())),
        ("de", |item| item.language = Some("DE".into())),
        ("den", |item| item.language = Some("den".into())),
        ("none", |_| {}),
    ]);
    let language = |tag: &str| Test::Language(tag.into());
    assert_eq!(passing(&home, language("De")), ["at", "de"]);
    assert_eq!(passing(&home, language("de-at")), ["at"]);
    assert_eq!(passing(&home, not(language("de"))), ["den", "none"]);
}

#[test]
fn properties_compare_by_their_type() {
    fn set(item: &mut ItemWrite, name: &str, value: Value) {
        item.properties.push(Property {
            name: name.into(),
            value,
        });
    }
    let home = home(&[
        ("text", |item| {
            set(item, "State", Value::One(Scalar::Text("Größe ".into())));
            set(item, "n", Value::One(Scalar::Text("7".into())));
        }),
        ("number", |item| {
            set(item, "n", Value::One(Scalar::Number(7.0)));
            set(item, "state", Value::Many(Vec::new()));
        }),
        ("list", |item| {
            let list = [
                Scalar::Text("x".into()),
                Scalar::Number(1.5),
                Scalar::Boolean(false),
            ];
            set(item, "N", Value::Many(list.into()));
        }),
        ("time", |item| {
            // 2024-03-09T10:30:00Z, and half a second before 1970.
            set(
                item,
                "due",
                Value::One(Scalar::Timestamp(1_709_980_200_000)),
            );
            set(item, "n", Value::One(Scalar::Boolean(true)));
        }),
        ("old", |item| {
            set(item, "due", Value::One(Scalar::Timestamp(-500)))
        }),
    ]);
    let fits = |name: &str, value: &str| passing(&home, has(name, Some(value)));
    assert_eq!(fits("STATE", "GRÖSSE"), ["text"]);
    assert_eq!(fits("n", "7"), ["number", "text"]);
    assert_eq!(fits("n", "7.0"), ["number"]);
    assert_eq!(fits("n", "15e-1"), ["list"]);
    assert_eq!(fits("n", "X"), ["list"]);
    assert_eq!(fits("n", "no"), ["list"]);
    assert_eq!(fits("n", "False"), ["list"]);
    assert_eq!(fits("n", "yes"), ["time"]);
    assert!(fits("n", "1").is_empty(), "true is not 1");
    assert_eq!(fits("due", "2024"), ["time"]);
    assert_eq!(fits("due", "2024-03-09 10:30"), ["time"]);
    assert_eq!(fits("due", "1969-12-31"), ["old"]);
    assert!(fits("due", "2024-3").is_empty() && fits("due", "").is_empty());
    assert_eq!(passing(&home, has("state", None)), ["number", "text"]);
    assert!(passing(&home, has("stat", None)).is_empty());
    assert!(passing(&home, has("", None)).is_empty());
    assert_eq!(
        passing(&home, not(has("n", Some("7")))),
        ["list", "old", "time"]
    );
}

#[test]
fn what_an_item_lacks_fails_every_test_and_passes_its_contrary() {
    let home = home(&[
        ("full", |item| {
            (item.created, item.modified, item.published) = (Some(10), Some(20), Some(30));
            item.duration = Some(60.0);
        }),
        ("bare", |_| {}),
    ]);
    let time = |which, from, until| Test::Time { which, from, until };
    for test in [
        time(Time::Created, Some(10), Some(11)),
        time(Time::Modified, None, Some(21)),
        time(Time::Published, Some(30), None),
        time(Time::Published, None, None),
        time(Time::Any, Some(30), Some(31)),
        Test::Duration {
            least: Some(60.0),
            most: Some(60.0),
        },
        Test::Duration {
            least: None,
            most: None,
        },
    ] {
        assert_eq!(passing(&home, test.clone()), ["full"], "{test:?}");
        assert_eq!(passing(&home, not(test.clone())), ["bare"], "{test:?}");
    }
    for test in [
        time(Time::Created, Some(11), None),
        time(Time::Created, None, Some(10)),
        time(Time::Created, Some(50), Some(5)),
        Test::Duration {
            least: Some(60.5),
            most: None,
        },
        Test::Duration {
            least: Some(f64::NAN),
            most: None,
        },
    ] {
        assert!(passing(&home, test.clone()).is_empty(), "{test:?}");
        assert_eq!(passing(&home, not(test.clone())), ["bare", "full"]);
    }
    // Without another time, the one of storing.
    assert_eq!(passing(&home, time(Time::Any, Some(1000), None)), ["bare"]);
    assert_eq!(
        passing(&home, time(Time::Ingested, Some(1000), None)).len(),
        2
    );
}

#[test]
fn a_state_can_be_asked_for() {
    let home = home(&[("a", |_| {}), ("b", |_| {})]);
    home.store
        .put_ledger(&[LedgerWrite {
            source: home.source,
            external_id: "b".into(),
            outcome: NotIndexed::Failed,
            reason: "internal".into(),
            message: "m".into(),
            provenance: Provenance::default(),
        }])
        .unwrap();
    assert_eq!(passing(&home, Test::Status(ItemStatus::Stale)), ["b"]);
    assert_eq!(passing(&home, not(Test::Status(ItemStatus::Stale))), ["a"]);
    assert_eq!(
        home.search_in("text", &Test::Status(ItemStatus::Stale).into(), 9),
        ["b"]
    );
}

/// A narrow filter over many chunks brings its own best, not what is left of
/// the best of all.
#[test]
fn a_narrow_filter_returns_its_best() {
    let home = Home::new();
    let items: Vec<ItemWrite> = (0..2000)
        .map(|n| {
            let narrow = n % 100 == 99;
            let text = if narrow {
                "one needle among other words"
            } else {
                "needle needle"
            };
            let mut item = note(
                home.source,
                &format!("{n:04}.md"),
                &format!("{text}\n\n{text} {n}"),
            );
            item.language = narrow.then(|| "de".into());
            item
        })
        .collect();
    home.store.put(&items).unwrap();
    let model = home.store.ensure_model("m", "m", 2).unwrap();
    let missing = home.store.unembedded(model, None, 10_000).unwrap();
    let vectors: Vec<_> = missing
        .iter()
        .map(|chunk| {
            (
                chunk.hash,
                if chunk.text.starts_with("one") {
                    vec![0.1, 1.0]
                } else {
                    vec![1.0, 0.0]
                },
            )
        })
        .collect();
    home.store.put_vectors(model, &vectors).unwrap();
    let filter = Filter::from(Test::Language("de".into()));
    let limit = 15;
    let lexical = home.search_in("needle", &filter, limit);
    let dense = home
        .store
        .dense(model, &[1.0, 0.0], &filter, limit)
        .unwrap();
    let dense = home.names(dense.items.iter().map(|item| item.chunks[0].0));
    for found in [lexical, dense] {
        assert_eq!(found.len(), limit);
        assert!(found.iter().all(|id| id.ends_with("99.md")), "{found:?}");
    }
}
