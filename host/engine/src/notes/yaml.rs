//! YAML as far as frontmatter needs it: where each key and value stands, and
//! values written so that every reader takes them for the same text.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

/// A key of the first level and its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// None for a key that is no text.
    pub(super) key: Option<String>,
    /// Where the key stands, its quotes included.
    pub(super) at: Range<usize>,
    pub(super) value: Value,
    /// The value as the parser tells it, places left out.
    pub(super) told: Vec<String>,
}

/// A value, as far as it can be changed.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Nothing stands there.
    Nothing,
    /// A text.
    Scalar(Scalar),
    /// A list in brackets; `start` is just behind the first of them.
    Flow { items: Vec<Item>, start: usize },
    /// A list by dashes.
    Block { items: Vec<Item> },
    /// A mapping, an alias, something with an anchor.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub(super) text: String,
    pub(super) style: ScalarStyle,
    pub(super) at: Range<usize>,
}

/// An item of a list; none where it is not a text.
pub(super) type Item = Option<Scalar>;

/// What a block holds.
pub(super) enum Root {
    /// Nothing, or comments.
    Empty,
    /// Keys, in order; `flow` where they stand in braces.
    Keys { entries: Vec<Entry>, flow: bool },
    /// A text or a list.
    NoKeys,
}

/// Reads one YAML document.
///
/// # Errors
/// What is wrong with it, and on which line, counted from 1.
pub(super) fn read(yaml: &str) -> Result<Root, (usize, String)> {
    // The parser counts characters.
    let mut bytes: Vec<usize> = yaml.char_indices().map(|(at, _)| at).collect();
    bytes.push(yaml.len());
    let at = |index: usize| bytes.get(index).copied().unwrap_or(yaml.len());
    let mut events = Vec::new();
    for next in Parser::new_from_str(yaml) {
        let (event, span) =
            next.map_err(|error| (error.marker().line(), error.info().to_owned()))?;
        if matches!(event, Event::DocumentStart(_))
            && events
                .iter()
                .any(|(event, _)| matches!(event, Event::DocumentStart(_)))
        {
            return Err((span.start.line(), "there is a second YAML document".into()));
        }
        let (start, end) = (at(span.start.index()), at(span.end.index()));
        events.push((event, start..end.max(start)));
    }
    let content = events.iter().position(|(event, _)| {
        !matches!(
            event,
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_)
        )
    });
    let Some(first) = content else {
        return Ok(Root::Empty);
    };
    match &events[first] {
        (Event::StreamEnd | Event::DocumentEnd, _) => Ok(Root::Empty),
        (Event::Scalar(text, ScalarStyle::Plain, 0, None), _) if text.is_empty() => Ok(Root::Empty),
        (Event::MappingStart(..), place) => {
            let flow = yaml[place.clone()].starts_with('{');
            Ok(Root::Keys {
                entries: entries(yaml, &events[first + 1..]),
                flow,
            })
        }
        _ => Ok(Root::NoKeys),
    }
}

type Placed<'a> = (Event<'a>, Range<usize>);

/// The keys and values of a mapping whose first key is the first event.
fn entries(yaml: &str, events: &[Placed<'_>]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rest = events;
    while let Some((first, _)) = rest.first()
        && !matches!(first, Event::MappingEnd)
    {
        let (key, after) = rest.split_at(length(rest));
        let (value, after) = after.split_at(length(after));
        let (Some((event, at)), false) = (key.first(), value.is_empty()) else {
            break;
        };
        entries.push(Entry {
            key: match event {
                Event::Scalar(text, ..) => Some(text.to_string()),
                _ => None,
            },
            at: at.clone(),
            value: value_of(yaml, value),
            told: value
                .iter()
                .map(|(event, _)| format!("{event:?}"))
                .collect(),
        });
        rest = after;
    }
    entries
}

/// How many events the first node takes.
fn length(events: &[Placed<'_>]) -> usize {
    let mut depth = 0;
    for (at, (event, _)) in events.iter().enumerate() {
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return at + 1;
        }
    }
    events.len()
}

fn value_of(yaml: &str, events: &[Placed<'_>]) -> Value {
    match events {
        [one] => match scalar_of(yaml, one) {
            Some(Some(scalar)) => Value::Scalar(scalar),
            Some(None) => Value::Nothing,
            None => Value::Other,
        },
        [(Event::SequenceStart(0, None), start), inner @ .., _] => {
            let flow = yaml[start.clone()].starts_with('[');
            let mut items = Vec::new();
            for event in inner {
                match scalar_of(yaml, event) {
                    Some(item) => items.push(item),
                    None => return Value::Other,
                }
            }
            match flow {
                true => Value::Flow {
                    items,
                    start: start.start + 1,
                },
                false => Value::Block { items },
            }
        }
        _ => Value::Other,
    }
}

/// A text; none inside where nothing stands there, none where it is something
/// else.
fn scalar_of(yaml: &str, (event, at): &Placed<'_>) -> Option<Item> {
    let Event::Scalar(text, style, 0, tag) = event else {
        return None;
    };
    if *style == ScalarStyle::Plain && text.is_empty() && tag.is_none() {
        return Some(None);
    }
    let written = &yaml[at.clone()];
    let length = match style {
        // The parser's end is behind a comment that follows.
        ScalarStyle::SingleQuoted => quoted_length(written, '\''),
        ScalarStyle::DoubleQuoted => quoted_length(written, '"'),
        _ => written.trim_end().len(),
    };
    Some(Some(Scalar {
        text: text.to_string(),
        style: *style,
        at: at.start..at.start + length,
    }))
}

/// How long a text in quotes is, what may stand before them included.
fn quoted_length(written: &str, quote: char) -> usize {
    let Some(open) = written.find(quote) else {
        return written.trim_end().len();
    };
    let mut chars = written[open + 1..].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            // Doubled, a single quote stands for itself.
            match chars.peek() {
                Some((_, '\'')) if quote == '\'' => {
                    chars.next();
                }
                _ => return open + 1 + at + 1,
            }
        }
    }
    written.trim_end().len()
}

/// A text of one line as a scalar, in the style that was there before as far as
/// that can hold it. `inside` a list in brackets, and in a text of several tags,
/// fewer signs can stand bare.
pub(super) fn write(text: &str, style: ScalarStyle, inside: bool) -> String {
    let single = || format!("'{}'", text.replace('\'', "''"));
    let plain_line = !text.chars().any(is_special);
    match style {
        ScalarStyle::SingleQuoted if plain_line => single(),
        ScalarStyle::DoubleQuoted => pkb_sources::clip::quoted(text),
        // What is found of a block is its text, behind the sign that opens it.
        ScalarStyle::Literal | ScalarStyle::Folded => text.to_owned(),
        _ if is_plain(text, inside) => text.to_owned(),
        _ => pkb_sources::clip::quoted(text),
    }
}

/// What a scalar in single quotes cannot hold on one line.
fn is_special(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{85}')
}

/// Whether a text can stand without quotes, and is taken for a text then by
/// readers of YAML 1.1 and 1.2 alike.
fn is_plain(text: &str, inside: bool) -> bool {
    const WORDS: [&str; 12] = [
        "true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf", "none",
    ];
    let Some(first) = text.chars().next() else {
        return false;
    };
    let bare = |c: char| match c {
        '-' | '_' | '/' | '.' | ' ' => true,
        ',' => !inside,
        '\'' | '(' | ')' | '!' | '?' | '&' | '+' | ';' => !inside,
        c if c.is_ascii() => c.is_ascii_alphanumeric(),
        c => !is_special(c) && !c.is_whitespace(),
    };
    first.is_alphabetic()
        && text.chars().all(bare)
        && !text.ends_with(' ')
        && !WORDS.contains(&text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(yaml: &str) -> Vec<Entry> {
        match read(yaml) {
            Ok(Root::Keys { entries, .. }) => entries,
            Ok(_) => panic!("no keys in {yaml:?}"),
            Err(error) => panic!("{yaml:?}: {error:?}"),
        }
    }

    #[test]
    fn values_are_found_where_they_stand() {
        for newline in ["\n", "\r\n"] {
            let yaml = "ä: ü # 1\n\"title\":  'It''s' # 2\nlist: [a, \"b\"]\ntags:\n  - x # 3\n  - 'y z'\nempty:\nlast: |\n  two\n  lines\n"
                .replace('\n', newline);
            let entries = keys(&yaml);
            let names: Vec<_> = entries.iter().map(|e| e.key.as_deref().unwrap()).collect();
            assert_eq!(names, ["ä", "title", "list", "tags", "empty", "last"]);
            assert_eq!(&yaml[entries[1].at.clone()], "\"title\"");
            let written = |value: &Value| match value {
                Value::Scalar(scalar) => vec![yaml[scalar.at.clone()].to_owned()],
                Value::Flow { items, .. } | Value::Block { items } => items
                    .iter()
                    .map(|item| yaml[item.as_ref().unwrap().at.clone()].to_owned())
                    .collect(),
                Value::Nothing => Vec::new(),
                Value::Other => panic!("{value:?}"),
            };
            let all: Vec<_> = entries.iter().map(|e| written(&e.value)).collect();
            assert_eq!(all[0], ["ü"]);
            assert_eq!(all[1], ["'It''s'"]);
            assert_eq!(all[2], ["a", "\"b\""]);
            assert_eq!(all[3], ["x", "'y z'"]);
            assert!(all[4].is_empty());
            assert!(matches!(entries[3].value, Value::Block { .. }));
            assert!(matches!(&entries[1].value, Value::Scalar(s) if s.text == "It's"));
        }
    }

    #[test]
    fn what_has_no_keys_is_told_apart() {
        assert!(matches!(read(""), Ok(Root::Empty)));
        assert!(matches!(read("# only this\n"), Ok(Root::Empty)));
        assert!(matches!(read("a text\n"), Ok(Root::NoKeys)));
        assert!(matches!(read("- a\n"), Ok(Root::NoKeys)));
        assert!(matches!(read("{a: b}"), Ok(Root::Keys { flow: true, .. })));
        assert!(read("a: [b\n").is_err());
        assert!(read("a: b\n---\nc: d\n").is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same_text(
            text in "\\PC{1,20}|[a-z'\"\\\\:#,\\[\\]{}&*!|>%@` \t\n-]{1,20}|true|NO|1e3|~|2024-01-01",
            style in prop::sample::select(vec![
                ScalarStyle::Plain, ScalarStyle::SingleQuoted, ScalarStyle::DoubleQuoted,
            ]),
        ) {
            let yaml = format!("key: {}\nlist: [{}]\nend: x\n", write(&text, style, false), write(&text, style, true));
            let entries = keys(&yaml);
            prop_assert_eq!(entries.len(), 3);
            let Value::Scalar(scalar) = &entries[0].value else { panic!("{yaml:?}") };
            prop_assert_eq!(&scalar.text, &text);
            let Value::Flow { items, .. } = &entries[1].value else { panic!("{yaml:?}") };
            prop_assert_eq!(items.len(), 1);
            prop_assert_eq!(&items[0].as_ref().unwrap().text, &text);
        }

        #[test]
        fn anything_is_read_or_refused(yaml in "(a|b|: |- |\n|\r\n|  |#|'|\"|\\[|\\]|\\{|\\}|,|&x |\\*x|!!str |\\||>|ä){0,24}") {
            if let Ok(Root::Keys { entries, .. }) = read(&yaml) {
                for entry in entries {
                    let _ = &yaml[entry.at.clone()];
                }
            }
        }
    }
}
