//! `name:value`: what a query asks of an item besides its words.

use std::ops::Range;

use jiff::ZonedDateTime;
use pkb_store::{Condition, ItemStatus, Millis, Test, Time};

use super::dates::{in_words, range_of};

/// A field that was understood.
pub(super) struct Field {
    pub(super) condition: Condition,
    pub(super) meaning: String,
}

/// The condition that `name:value` is; none when there is no such field or its
/// value says nothing, and then it is a word like any other.
pub(super) fn field(name: &str, value: &str, not: bool, now: &ZonedDateTime) -> Option<Field> {
    let name = name.to_ascii_lowercase();
    let value = value.trim();
    if value.trim_matches([',', ' ']).is_empty() {
        return None;
    }
    let list = || -> Vec<String> {
        value
            .split(',')
            .map(str::trim)
            .filter(|one| !one.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let owned = || value.to_owned();
    let (test, meaning) = match name.as_str() {
        "source" => (Test::Source(list()), format!("in the source {value}")),
        "kind" => (Test::Kind(list()), format!("of the kind {value}")),
        "tag" => {
            let tag = value.trim_start_matches('#').trim_end_matches('/');
            if tag.is_empty() {
                return None;
            }
            (Test::Tag(tag.to_owned()), format!("with the tag #{tag}"))
        }
        "path" => (Test::Path(owned()), format!("with a path like {value}")),
        "title" => (Test::Title(owned()), format!("with {value:?} in the title")),
        "lang" | "language" => (Test::Language(owned()), format!("in the language {value}")),
        "author" | "channel" => (Test::Author(owned()), format!("by {value}")),
        "before" | "after" | "on" => time(&name, Time::Any, value, now)?,
        "created" => time("on", Time::Created, value, now)?,
        "modified" => time("on", Time::Modified, value, now)?,
        "published" => time("on", Time::Published, value, now)?,
        "ingested" => time("on", Time::Ingested, value, now)?,
        "is" => state(value),
        _ => {
            let property = name.strip_prefix("prop.")?;
            if property.is_empty() {
                return None;
            }
            let meaning = format!("with the property {property} = {value}");
            let test = Test::Property {
                name: property.to_owned(),
                value: Some(owned()),
            };
            (test, meaning)
        }
    };
    Some(Field {
        condition: Condition { not, test },
        meaning: if not {
            format!("not {meaning}")
        } else {
            meaning
        },
    })
}

fn state(value: &str) -> (Test, String) {
    match value.to_ascii_lowercase().as_str() {
        "stale" => (
            Test::Status(ItemStatus::Stale),
            "whose latest state could not be read".into(),
        ),
        "untagged" => (Test::Untagged, "without tags".into()),
        kind => (
            Test::Kind(vec![kind.to_owned()]),
            format!("of the kind {kind}"),
        ),
    }
}

fn time(relation: &str, which: Time, value: &str, now: &ZonedDateTime) -> Option<(Test, String)> {
    let Range { start, end } = range_of(value, now)?;
    let what = match which {
        Time::Any => "dated",
        Time::Created => "created",
        Time::Modified => "modified",
        Time::Published => "published",
        Time::Ingested => "stored here",
    };
    let (from, until) = match relation {
        "before" => (None, Some(start)),
        "after" => (Some(start), None),
        _ => (
            (start != Millis::MIN).then_some(start),
            (end != Millis::MAX).then_some(end),
        ),
    };
    let meaning = match (from, until) {
        (Some(from), Some(until)) => {
            format!(
                "{what} from {} to before {}",
                in_words(from, now),
                in_words(until, now)
            )
        }
        (Some(from), None) => format!("{what} {} or later", in_words(from, now)),
        (None, Some(until)) => format!("{what} before {}", in_words(until, now)),
        (None, None) => return None,
    };
    Some((Test::Time { which, from, until }, meaning))
}
