//! What is given on the command line or by a client -> which items count, and
//! in which order.

use std::ops::Range;
use std::str::FromStr;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use jiff::{Timestamp, ZonedDateTime};
use pkb_engine::{Condition, Error, Filter, Item, ItemStatus, Order, Test, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::output::thousands;

/// The same for options and for the arguments of a tool, so that both can ask
/// for the same. What is empty counts as not given: models write that.
#[derive(Args, Clone, Debug, Default, Deserialize, JsonSchema)]
#[command(next_help_heading = "Filters")]
#[serde(default)]
pub(crate) struct Filters {
    /// Only items of this source; with several, of any of them.
    #[arg(long = "source", value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    sources: Vec<String>,
    /// Only items of this kind, such as note; with several, of any of them.
    #[arg(long = "kind", value_name = "KIND", value_parser = NonEmptyStringValueParser::new())]
    kinds: Vec<String>,
    /// Only items with this tag or one below it ("work" also finds
    /// "work/plans"); with several, with all of them.
    #[arg(long = "tag", value_name = "TAG", value_parser = NonEmptyStringValueParser::new())]
    tags: Vec<String>,
    /// Only items whose path starts so, or fits a pattern such as
    /// "projects/**/*.md"; with or without the source's name before it.
    #[arg(long, value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    path: Option<String>,
    /// Only items with these characters in their title or an alias.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    title: Option<String>,
    /// Only items in this language, such as de or pt-BR, as they themselves say.
    #[arg(long = "lang", value_name = "TAG", value_parser = NonEmptyStringValueParser::new())]
    language: Option<String>,
    /// Only items with these characters in their author's or channel's name.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    author: Option<String>,
    /// Only items dated before this: 2024, 2024-03, 2024-03-09, today,
    /// last-month, 7d (seven days ago). An item's date is when it was
    /// published, else last changed, else made, else stored.
    #[arg(long, value_name = "DATE")]
    before: Option<When>,
    /// Only items dated from the start of this on.
    #[arg(long, value_name = "DATE")]
    after: Option<When>,
    /// Only items dated within this day, month or year.
    #[arg(long, value_name = "DATE")]
    on: Option<When>,
    /// Only items made within this date or range, such as 2024-01..2024-06,
    /// 2024.. or ..7d.
    #[arg(long, value_name = "A..B")]
    created: Option<When>,
    /// Only items last changed within this date or range.
    #[arg(long, value_name = "A..B")]
    modified: Option<When>,
    /// Only items published within this date or range.
    #[arg(long, value_name = "A..B")]
    published: Option<When>,
    /// Only items stored here within this date or range.
    #[arg(long, value_name = "A..B")]
    ingested: Option<When>,
    /// Only recordings at least so long: seconds, or such as 5m or 1h30m.
    #[arg(long, value_name = "TIME")]
    min_duration: Option<Seconds>,
    /// Only recordings at most so long.
    #[arg(long, value_name = "TIME")]
    max_duration: Option<Seconds>,
    /// Only items with this property, or with this value of it: "rating" or
    /// "rating=5"; with several, with all of them.
    #[arg(long = "property", value_name = "NAME[=VALUE]")]
    properties: Vec<Property>,
    /// Only items in this state: stale ones changed and could not be read,
    /// deleted ones are gone from their source and come in listings alone.
    #[arg(long, value_name = "STATUS")]
    status: Option<Status>,
    /// Only items without any tag.
    #[arg(long)]
    untagged: bool,
    /// No items of this source.
    #[arg(long = "not-source", value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    not_sources: Vec<String>,
    /// No items of this kind.
    #[arg(long = "not-kind", value_name = "KIND", value_parser = NonEmptyStringValueParser::new())]
    not_kinds: Vec<String>,
    /// No items with this tag or one below it.
    #[arg(long = "not-tag", value_name = "TAG", value_parser = NonEmptyStringValueParser::new())]
    not_tags: Vec<String>,
    /// No items whose path starts so or fits this pattern.
    #[arg(long = "not-path", value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    not_paths: Vec<String>,
}

impl Filters {
    /// The sources that they name, also to leave them out, and a path that may
    /// begin with one.
    pub(crate) fn named(&self) -> (impl Iterator<Item = &String>, Option<&str>) {
        let sources = self.sources.iter().chain(&self.not_sources);
        (sources, self.path.as_deref())
    }

    /// What they ask of an item.
    ///
    /// # Errors
    /// [`Error::Usage`] where nothing can be what they ask.
    pub(crate) fn filter(self) -> Result<Filter, Error> {
        let (least, most) = (self.min_duration, self.max_duration);
        if let (Some(least), Some(most)) = (least, most)
            && least.0 > most.0
        {
            return Err(Error::Usage {
                what: format!(
                    "the least duration, {} s, is more than the greatest, {} s",
                    least.0, most.0
                ),
                hint: "Nothing is that long.".into(),
            });
        }
        let mut all = Conditions::default();
        let given = |text: &String| !text.trim().is_empty();
        let list = |mut list: Vec<String>| {
            list.retain(given);
            (!list.is_empty()).then_some(list)
        };
        let time = |which, from, until| Test::Time { which, from, until };
        let within = |which, When(Range { start, end }): When| {
            let from = (start != i64::MIN).then_some(start);
            time(which, from, (end != i64::MAX).then_some(end))
        };
        all.must(list(self.sources).map(Test::Source));
        all.must(list(self.kinds).map(Test::Kind));
        all.must(self.tags.into_iter().filter(given).map(Test::Tag));
        all.must(self.path.filter(given).map(Test::Path));
        all.must(self.title.filter(given).map(Test::Title));
        all.must(self.language.filter(given).map(Test::Language));
        all.must(self.author.filter(given).map(Test::Author));
        let until = |When(span): When| time(Time::Any, None, Some(span.start));
        all.must(self.before.map(until));
        let from = |When(span): When| time(Time::Any, Some(span.start), None);
        all.must(self.after.map(from));
        for (which, when) in [
            (Time::Any, self.on),
            (Time::Created, self.created),
            (Time::Modified, self.modified),
            (Time::Published, self.published),
            (Time::Ingested, self.ingested),
        ] {
            all.must(when.map(|when| within(which, when)));
        }
        let (least, most) = (least.map(|s| s.0), most.map(|s| s.0));
        all.must((least.or(most).is_some()).then_some(Test::Duration { least, most }));
        let property = |Property { name, value }| Test::Property { name, value };
        all.must(self.properties.into_iter().map(property));
        all.must(self.status.map(|status| Test::Status(status.into())));
        all.must(self.untagged.then_some(Test::Untagged));
        all.must_not(list(self.not_sources).map(Test::Source));
        all.must_not(list(self.not_kinds).map(Test::Kind));
        all.must_not(self.not_tags.into_iter().filter(given).map(Test::Tag));
        all.must_not(self.not_paths.into_iter().filter(given).map(Test::Path));
        Ok(all.0)
    }
}

#[derive(Default)]
struct Conditions(Filter);

impl Conditions {
    fn must(&mut self, tests: impl IntoIterator<Item = Test>) {
        self.add(false, tests);
    }

    fn must_not(&mut self, tests: impl IntoIterator<Item = Test>) {
        self.add(true, tests);
    }

    fn add(&mut self, not: bool, tests: impl IntoIterator<Item = Test>) {
        let conditions = tests.into_iter().map(|test| Condition { not, test });
        self.0.conditions.extend(conditions);
    }
}

/// A stretch of time, in milliseconds since 1970.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
pub(crate) struct When(Range<i64>);

impl When {
    /// Its first millisecond.
    pub(crate) fn start(&self) -> i64 {
        self.0.start
    }
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let span = pkb_engine::range_of(text, &ZonedDateTime::now());
        span.map(When).ok_or_else(|| {
            format!(
                "{text:?} is no date: write one such as 2024, 2024-03, 2024-03-09, today, monday, \
                 last-month or 7d, or two with .. between them"
            )
        })
    }
}

/// A length of time, in seconds.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(try_from = "Length")]
struct Seconds(f64);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        pkb_engine::seconds_of(text).map(Seconds).ok_or_else(|| {
            format!("{text:?} is no length of time: write seconds, or such as 90s, 5m or 1h30m")
        })
    }
}

/// How a client writes a length of time.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a duration is to be a number of seconds, or a string such as 5m or 1h30m"
)]
enum Length {
    Number(f64),
    Words(String),
}

impl TryFrom<Length> for Seconds {
    type Error = String;

    fn try_from(length: Length) -> Result<Self, String> {
        match length {
            Length::Number(seconds) => Ok(Seconds(seconds)),
            Length::Words(words) => words.parse(),
        }
    }
}

impl JsonSchema for Seconds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["number", "string"] })
    }
}

/// `NAME` or `NAME=VALUE`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
struct Property {
    name: String,
    value: Option<String>,
}

impl FromStr for Property {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.trim().to_owned())),
            None => (text, None),
        };
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err(format!(
                "{text:?} names no property: write NAME, or NAME=VALUE"
            ));
        }
        Ok(Property { name, value })
    }
}

macro_rules! a_string {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                String::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    )*};
}
a_string!(When, Property);

/// Whether what is stored of an item is what its source holds.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Status {
    Indexed,
    Stale,
    Deleted,
}

impl From<Status> for ItemStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Indexed => ItemStatus::Indexed,
            Status::Stale => ItemStatus::Stale,
            Status::Deleted => ItemStatus::Deleted,
        }
    }
}

/// What a listing is sorted by.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sort {
    #[default]
    Path,
    Title,
    Date,
    Created,
    Modified,
    Published,
    Ingested,
    Duration,
    Views,
}

impl Sort {
    pub(crate) fn order(self) -> Order {
        match self.time() {
            Some(time) => Order::Time(time),
            None => match self {
                Sort::Title => Order::Title,
                Sort::Duration => Order::Duration,
                Sort::Views => Order::Views,
                _ => Order::Path,
            },
        }
    }

    /// The time it goes by.
    pub(crate) fn time(self) -> Option<Time> {
        Some(match self {
            Sort::Date => Time::Any,
            Sort::Created => Time::Created,
            Sort::Modified => Time::Modified,
            Sort::Published => Time::Published,
            Sort::Ingested => Time::Ingested,
            _ => return None,
        })
    }

    /// What an item has of it, for people: a day, a length of time, a number.
    pub(crate) fn value(self, item: &Item) -> Option<String> {
        let time = match self {
            Sort::Path | Sort::Title => return None,
            Sort::Duration => return item.duration.map(length),
            Sort::Views => return item.views.map(thousands),
            Sort::Date => item.published.or(item.modified).or(item.created),
            Sort::Created => return item.created.and_then(day),
            Sort::Modified => return item.modified.and_then(day),
            Sort::Published => return item.published.and_then(day),
            Sort::Ingested => Some(item.ingested),
        };
        day(time.unwrap_or(item.ingested))
    }

    /// Whether the greatest comes first, unless asked otherwise: names go up,
    /// what is latest, longest and most seen comes first.
    pub(crate) fn descends(self) -> bool {
        !matches!(self, Sort::Path | Sort::Title)
    }
}

fn day(time: i64) -> Option<String> {
    let time = Timestamp::from_millisecond(time).ok()?;
    Some(time.to_string().chars().take_while(|c| *c != 'T').collect())
}

/// Seconds as `1:02:03` or `2:03`.
fn length(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given(arguments: serde_json::Value) -> Result<Filter, String> {
        let filters: Filters = serde_json::from_value(arguments).map_err(|e| e.to_string())?;
        filters.filter().map_err(|e| e.to_string())
    }

    #[test]
    fn arguments_are_conditions() {
        assert!(given(json!({})).unwrap().is_empty());
        let empty = json!({"tags": [""], "sources": [], "path": " ", "untagged": false});
        assert!(given(empty).unwrap().is_empty());
        let filter = given(json!({
            "sources": ["a", "b"], "tags": ["x", "y"], "not_tags": ["z"], "before": "1970-01-02",
            "created": "1970..", "min_duration": 90, "max_duration": "1h1m", "properties": ["a", "b=c=d"],
            "status": "stale",
        }));
        let wanted = Filter::from(Test::Source(vec!["a".into(), "b".into()]))
            .and(Test::Tag("x".into()))
            .and(Test::Tag("y".into()));
        let filter = filter.unwrap();
        assert_eq!(filter.conditions[..3], wanted.conditions);
        let Test::Time { from, until, .. } = filter.conditions[3].test else {
            panic!("{filter:?}")
        };
        assert!(from.is_none() && until.is_some());
        let Test::Time { from, until, .. } = filter.conditions[4].test else {
            panic!("{filter:?}")
        };
        assert!(from.is_some() && until.is_none());
        let property = |name: &str, value: Option<&str>| Test::Property {
            name: name.into(),
            value: value.map(Into::into),
        };
        let (least, most) = (Some(90.0), Some(3660.0));
        let wanted = Filter::from(Test::Duration { least, most })
            .and(property("a", None))
            .and(property("b", Some("c=d")))
            .and(Test::Status(ItemStatus::Stale));
        assert_eq!(filter.conditions[5..9], wanted.conditions);
        let last = &filter.conditions[9];
        assert!(last.not && last.test == Test::Tag("z".into()));
        assert_eq!(filter.conditions.len(), 10);
    }

    #[test]
    fn wrong_values_are_named_with_what_is_right() {
        for (arguments, said) in [
            (
                json!({"after": "someday"}),
                "\"someday\" is no date: write one such as 2024",
            ),
            (json!({"created": "2025..2024"}), "is no date"),
            (json!({"min_duration": "long"}), "such as 90s, 5m or 1h30m"),
            (json!({"min_duration": true}), "a number of seconds"),
            (
                json!({"min_duration": 9, "max_duration": 3}),
                "9 s, is more than the greatest, 3 s",
            ),
            (json!({"properties": ["=x"]}), "names no property"),
            (json!({"status": "lost"}), "expected one of `indexed`"),
        ] {
            let wrong = given(arguments).unwrap_err();
            assert!(wrong.contains(said), "{wrong}");
        }
    }

    #[test]
    fn lengths_of_time_are_shown_as_a_clock_does() {
        assert_eq!(length(123.4), "2:03");
        assert_eq!(length(3723.0), "1:02:03");
    }
}
