//! `name:value`: what a query asks of an item besides its words.

use std::ops::Range;

use jiff::ZonedDateTime;
use pkb_store::{Condition, ItemStatus, Millis, Test, Time};

use super::dates::{in_words, range_of};
use super::lengths::duration_range;

/// What `name:value` turned out to be.
pub(super) enum Outcome {
    /// A field that was understood.
    Field(Field),
    /// Meant as a field, it seems, but it asks nothing that can be asked; why.
    Unclear(String),
    /// A word like any other.
    Word,
}

/// A field that was understood.
pub(super) struct Field {
    pub(super) condition: Condition,
    pub(super) meaning: String,
}

/// The names of all fields but `prop.NAME`.
const NAMES: [&str; 17] = [
    "source",
    "kind",
    "tag",
    "path",
    "title",
    "lang",
    "language",
    "author",
    "channel",
    "before",
    "after",
    "on",
    "created",
    "modified",
    "published",
    "ingested",
    "duration",
];
/// Shorter names have too many neighbours to be taken for a slip.
const SLIP_FROM: usize = 4;

/// What `name:value` is; a word where there is no such field.
pub(super) fn field(name: &str, value: &str, not: bool, now: &ZonedDateTime) -> Outcome {
    let name = name.to_ascii_lowercase();
    let value = value.trim();
    // A colon at a word's end is how prose is written: `Title: Moby Dick`.
    if value.trim_matches([',', ' ']).is_empty() {
        return Outcome::Word;
    }
    let Some(asked) = asked(&name, value, now) else {
        return match meant(&name) {
            Some(other) => Outcome::Unclear(format!("there is no field {name}:, but {other}:")),
            None => Outcome::Word,
        };
    };
    match asked {
        Ok((test, meaning)) => Outcome::Field(Field {
            condition: Condition { not, test },
            meaning: if not {
                format!("not {meaning}")
            } else {
                meaning
            },
        }),
        Err(problem) => Outcome::Unclear(problem),
    }
}

/// What a field asks of an item, or why it asks nothing; none where there is no
/// such field.
fn asked(name: &str, value: &str, now: &ZonedDateTime) -> Option<Result<(Test, String), String>> {
    let list = || -> Vec<String> {
        value
            .split(',')
            .map(str::trim)
            .filter(|one| !one.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let any = || list().join(" or ");
    let owned = || value.to_owned();
    Some(Ok(match name {
        "source" => (Test::Source(list()), format!("in the source {}", any())),
        "kind" => (Test::Kind(list()), format!("of the kind {}", any())),
        "tag" => {
            let tag = value.trim_start_matches('#').trim_end_matches('/');
            if tag.is_empty() {
                return Some(Err("it names no tag".into()));
            }
            (Test::Tag(tag.to_owned()), format!("with the tag #{tag}"))
        }
        "path" => (Test::Path(owned()), format!("with a path like {value}")),
        "title" => (Test::Title(owned()), format!("with {value:?} in the title")),
        "lang" | "language" => (Test::Language(owned()), format!("in the language {value}")),
        "author" | "channel" => (Test::Author(owned()), format!("by {value}")),
        "before" | "after" | "on" => return Some(time(name, Time::Any, value, now)),
        "created" => return Some(time("on", Time::Created, value, now)),
        "modified" => return Some(time("on", Time::Modified, value, now)),
        "published" => return Some(time("on", Time::Published, value, now)),
        "ingested" => return Some(time("on", Time::Ingested, value, now)),
        "duration" => return Some(duration(value)),
        "is" => return Some(state(value)),
        _ => {
            let property = name.strip_prefix("prop.")?;
            if property.is_empty() {
                return None;
            }
            let any = value == "*";
            let meaning = if any {
                format!("with the property {property}")
            } else {
                format!("with the property {property} = {value}")
            };
            let test = Test::Property {
                name: property.to_owned(),
                value: (!any).then(owned),
            };
            (test, meaning)
        }
    }))
}

/// The field whose name this is but for one letter.
fn meant(name: &str) -> Option<&'static str> {
    if name.len() < SLIP_FROM {
        return None;
    }
    NAMES
        .into_iter()
        .find(|known| strsim::osa_distance(known, name) == 1)
}

fn state(value: &str) -> Result<(Test, String), String> {
    match value.to_ascii_lowercase().as_str() {
        "stale" => Ok((
            Test::Status(ItemStatus::Stale),
            "whose latest state could not be read".into(),
        )),
        "untagged" => Ok((Test::Untagged, "without tags".into())),
        "deleted" => Err(
            "a search never finds what is deleted; `pkb browse` with --status deleted lists it"
                .into(),
        ),
        _ => Err("an item can be is:untagged or is:stale; of what kind it is, kind: asks".into()),
    }
}

fn duration(value: &str) -> Result<(Test, String), String> {
    let (least, most) = duration_range(value).ok_or_else(|| {
        "it is no length of time: write one such as 90s, 5m or 1h30m, with < or > before it or .. between two"
            .to_owned()
    })?;
    let meaning = match value.strip_prefix(['<', '>']) {
        Some(rest) => {
            let less = value.starts_with('<');
            match (less, rest.strip_prefix('=').map(str::trim)) {
                (true, Some(length)) => format!("lasting {length} or less"),
                (true, None) => format!("lasting less than {}", rest.trim()),
                (false, Some(length)) => format!("lasting {length} or more"),
                (false, None) => format!("lasting more than {}", rest.trim()),
            }
        }
        None => match value.split_once("..") {
            Some((from, "")) => format!("lasting {from} or more"),
            Some(("", to)) => format!("lasting {to} or less"),
            Some((from, to)) => format!("lasting {from} to {to}"),
            None => format!("lasting about {value}"),
        },
    };
    Ok((Test::Duration { least, most }, meaning))
}

fn time(
    relation: &str,
    which: Time,
    value: &str,
    now: &ZonedDateTime,
) -> Result<(Test, String), String> {
    let no_date = || {
        "it is no date: write one such as 2024, 2024-03, 2024-03-09, last-month or 7d, or two with .. between them"
            .to_owned()
    };
    let Range { start, end } = range_of(value, now).ok_or_else(no_date)?;
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
        (None, None) => return Err(no_date()),
    };
    Ok((Test::Time { which, from, until }, meaning))
}
