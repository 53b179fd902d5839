//! Any filter passes the items that its plain meaning says.

use proptest::prelude::*;

use super::filters::passing;
use super::*;

/// Names that come in two ways of writing, and nothing that folds otherwise.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "A", "ab", "é", "É", "aé", "b/A", "a/B", "a/b/é", "é/a", "ba",
    ])
    .prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        name().prop_map(Scalar::Text),
        (0..3_u8).prop_map(|n| Scalar::Number(f64::from(n))),
        any::<bool>().prop_map(Scalar::Boolean),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        scalar().prop_map(Value::One),
        prop::collection::vec(scalar(), 0..3).prop_map(Value::Many),
    ]
}

prop_compose! {
    fn item()(
        title in name(),
        author in prop::option::of(name()),
        aliases in prop::collection::vec(name(), 0..2),
        tags in prop::collection::vec(name(), 0..3),
        properties in prop::collection::vec((name(), value()), 0..3),
        language in prop::option::of(prop::sample::select(vec!["de", "DE-at", "en"])),
        times in prop::array::uniform3(prop::option::of(0..5_i64)),
        duration in prop::option::of(0..4_u8),
        kind in prop::sample::select(vec!["note", "page"]),
    ) -> ItemWrite {
        let mut item = note(SourceId(1), "a.md", "x");
        (item.title, item.author, item.aliases, item.tags) = (title, author, aliases, tags);
        item.properties = properties
            .into_iter()
            .map(|(name, value)| Property { name, value })
            .collect();
        item.language = language.map(str::to_owned);
        [item.created, item.modified, item.published] = times;
        item.duration = duration.map(f64::from);
        item.kind = kind.into();
        item
    }
}

fn test() -> impl Strategy<Value = Test> {
    let time = prop::sample::select(vec![Time::Created, Time::Modified, Time::Published]);
    let end = || prop::option::of(0..5_i64);
    let seconds = || prop::option::of((0..4_u8).prop_map(f64::from));
    let value = prop_oneof![
        name(),
        prop::sample::select(vec!["0", "1.0", "true", "NO", "x"]).prop_map(str::to_owned)
    ];
    prop_oneof![
        name().prop_map(Test::Title),
        name().prop_map(Test::Author),
        name().prop_map(Test::Tag),
        Just(Test::Untagged),
        prop::sample::select(vec!["de", "De-AT", "e"]).prop_map(|tag| Test::Language(tag.into())),
        prop::sample::select(vec!["Note", "other"]).prop_map(|kind| Test::Kind(vec![kind.into()])),
        prop::sample::select(vec!["a", "A/", "notes/b/", "*/A", "**", "notes/**/é"])
            .prop_map(|path| Test::Path(path.into())),
        (time, end(), end()).prop_map(|(which, from, until)| Test::Time { which, from, until }),
        (seconds(), seconds()).prop_map(|(least, most)| Test::Duration { least, most }),
        (name(), prop::option::of(value)).prop_map(|(name, value)| Test::Property { name, value }),
    ]
}

/// What the tests above mean, said without SQL.
fn passes(item: &ItemWrite, test: &Test) -> bool {
    let low = |text: &str| text.to_lowercase();
    let scalar_is = |scalar: &Scalar, wanted: &str| match scalar {
        Scalar::Text(text) => low(text) == low(wanted),
        Scalar::Number(number) => wanted.parse() == Ok(*number),
        Scalar::Boolean(true) => wanted == "true",
        Scalar::Boolean(false) => wanted == "NO",
        Scalar::Timestamp(_) => false,
    };
    match test {
        Test::Title(part) => {
            let mut names = item.aliases.iter().chain([&item.title]);
            names.any(|name| low(name).contains(&low(part)))
        }
        Test::Author(part) => item
            .author
            .as_ref()
            .is_some_and(|author| low(author).contains(&low(part))),
        Test::Tag(tag) => item
            .tags
            .iter()
            .any(|own| low(own) == low(tag) || low(own).starts_with(&format!("{}/", low(tag)))),
        Test::Untagged => item.tags.is_empty(),
        Test::Language(tag) => item.language.as_ref().is_some_and(|own| {
            low(own) == low(tag) || low(own).starts_with(&format!("{}-", low(tag)))
        }),
        Test::Kind(kinds) => kinds.iter().any(|kind| low(kind) == item.kind),
        Test::Path(path) => {
            let id = &item.external_id;
            match path.as_str() {
                "*/A" => id.matches('/').count() == 1 && low(id).ends_with("/a"),
                "**" => true,
                "notes/**/é" => low(id) == "é" || low(id).ends_with("/é"),
                start => {
                    id.starts_with(start) || start.starts_with("notes/") && id.starts_with("b/")
                }
            }
        }
        Test::Time { which, from, until } => {
            let time = match which {
                Time::Created => item.created,
                Time::Modified => item.modified,
                _ => item.published,
            };
            time.is_some_and(|t| {
                from.is_none_or(|from| t >= from) && until.is_none_or(|until| t < until)
            })
        }
        Test::Duration { least, most } => item.duration.is_some_and(|d| {
            least.is_none_or(|least| d >= least) && most.is_none_or(|most| d <= most)
        }),
        Test::Property { name, value } => {
            // Of a name that comes twice, the last one counts.
            let last = item.properties.iter().enumerate().filter(|(at, own)| {
                !item.properties[at + 1..]
                    .iter()
                    .any(|later| later.name == own.name)
            });
            last.filter(|(_, own)| low(&own.name) == low(name))
                .any(|(_, own)| match (value, &own.value) {
                    (None, _) => true,
                    (Some(wanted), Value::One(one)) => scalar_is(one, wanted),
                    (Some(wanted), Value::Many(many)) => {
                        many.iter().any(|one| scalar_is(one, wanted))
                    }
                })
        }
        _ => unreachable!(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn filters_mean_what_they_say(
        items in prop::collection::btree_map(name(), item(), 1..8),
        conditions in prop::collection::vec((any::<bool>(), test()), 1..3),
    ) {
        thread_local! {
            static HOME: Home = Home::new();
        }
        HOME.with(|home| {
            // One database for all cases: making one takes long.
            let old = home.store.items(&ItemQuery::default()).unwrap();
            let old: Vec<ItemId> = old.entries.iter().map(|item| item.id).collect();
            home.store.hard_delete(&old).unwrap();
            let items: Vec<ItemWrite> = items
                .into_iter()
                .map(|(id, item)| ItemWrite { source: home.source, external_id: id, ..item })
                .collect();
            home.store.put(&items).unwrap();
            let wanted: Vec<String> = items
                .iter()
                .filter(|item| conditions.iter().all(|(not, test)| passes(item, test) != *not))
                .map(|item| item.external_id.clone())
                .collect();
            let conditions = conditions
                .iter()
                .map(|(not, test)| Condition { not: *not, test: test.clone() })
                .collect();
            let filter = Filter { conditions, ..Filter::default() };
            prop_assert_eq!(&passing(home, filter.clone()), &wanted, "{:?}", filter);
            // A search sees the same items.
            let mut found = home.search_in("x", &filter, 100);
            found.sort();
            prop_assert_eq!(found, wanted, "{:?}", filter);
            Ok(())
        })?;
    }
}
