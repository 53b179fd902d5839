//! Changes to the frontmatter of a note that leave every other byte alone.

mod tags;

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::yaml::{self, Entry, Root, Value};

/// A longer block is not read as frontmatter, in bytes; as in extract-markdown.
const MAX_BYTES: usize = 256 << 10;

/// What is to become of a note's tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagChange {
    /// It has these and no others.
    Set(Vec<String>),
    /// It gets some and loses some.
    Change {
        /// Those that it gets.
        add: Vec<String>,
        /// Those that it loses.
        remove: Vec<String>,
    },
}

/// What is to become of a note's frontmatter.
#[derive(Clone, Debug, Default)]
pub(super) struct Edit {
    pub(super) title: Option<String>,
    pub(super) tags: Option<TagChange>,
    /// Keys that it gets where it has not, with their values as YAML.
    pub(super) new: Vec<(String, String)>,
}

/// Why a note is not changed: a sentence for a person.
pub(super) type Refusal = String;

/// The note with its frontmatter changed.
///
/// # Errors
/// Where that could not be done without touching anything else.
pub(super) fn edit(note: &str, edit: &Edit) -> Result<String, Refusal> {
    let text = note.strip_prefix('\u{FEFF}').unwrap_or(note);
    let mark = &note[..note.len() - text.len()];
    let newline = line_end(text.split_inclusive('\n').next().unwrap_or_default()).unwrap_or("\n");
    let Some(block) = locate(text)? else {
        let yaml = changed("", edit, newline)?;
        if yaml.is_empty() {
            return Ok(note.to_owned());
        }
        return Ok(format!("{mark}---{newline}{yaml}---{newline}{text}"));
    };
    let yaml = changed(&text[block.clone()], edit, newline)?;
    let (before, after) = (&text[..block.start], &text[block.end..]);
    Ok(format!("{mark}{before}{yaml}{after}"))
}

/// How a line ends, or the last of several; none where nothing ends it.
fn line_end(line: &str) -> Option<&'static str> {
    match line {
        line if line.ends_with("\r\n") => Some("\r\n"),
        line if line.ends_with('\n') => Some("\n"),
        _ => None,
    }
}

/// The title and the tags that a note's frontmatter gives, as far as it can be
/// read.
pub(super) fn title_and_tags(note: &str) -> (Option<String>, Vec<String>) {
    let text = note.strip_prefix('\u{FEFF}').unwrap_or(note);
    let Ok(Some(block)) = locate(text) else {
        return (None, Vec::new());
    };
    let yaml = &text[block];
    let Ok((entries, _)) = keys(yaml) else {
        return (None, Vec::new());
    };
    let title = entries.iter().rev().find_map(|entry| {
        let is_title = |key: &str| key.eq_ignore_ascii_case("title");
        match &entry.value {
            Value::Scalar(scalar) if entry.key.as_deref().is_some_and(is_title) => {
                Some(scalar.text.trim().to_owned())
            }
            _ => None,
        }
    });
    let tags = only(&entries, is_tags).and_then(|own| tags::of(yaml, &own));
    (title, tags.unwrap_or_default())
}

/// The YAML of a note's frontmatter; none where it has no frontmatter.
fn locate(text: &str) -> Result<Option<Range<usize>>, Refusal> {
    let Some(block) = between_dashes(text)? else {
        return Ok(None);
    };
    let yaml = &text[block.clone()];
    if yaml.len() > MAX_BYTES {
        return Err(format!(
            "its frontmatter has {} bytes, over the limit of {MAX_BYTES}",
            yaml.len()
        ));
    }
    match yaml::read(yaml) {
        Ok(Root::Empty | Root::Keys { .. }) => Ok(Some(block)),
        // A text between two thematic breaks.
        Ok(Root::NoKeys) if !begins_with_key(yaml) => Ok(None),
        // Readers of notes are generous, and take `a:b` for a key.
        Ok(Root::NoKeys) => Err("its frontmatter is not valid YAML (it has no keys)".into()),
        Err(_) if !begins_with_key(yaml) => Ok(None),
        Err((line, reason)) => Err(format!(
            "its frontmatter is not valid YAML (line {}: {reason})",
            line + 1
        )),
    }
}

fn between_dashes(text: &str) -> Result<Option<Range<usize>>, Refusal> {
    // For YAML and for readers of notes that ends a line as well.
    let first = text.split(['\n', '\r']).next().unwrap_or_default();
    let rest = &text[first.len()..];
    if first.trim_end() == "---" && rest.starts_with('\r') && !rest.starts_with("\r\n") {
        return Err("its lines end with a bare CR, as old Macs wrote them".into());
    }
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next() else {
        return Ok(None);
    };
    if first.trim_end() != "---" || !first.ends_with('\n') {
        return Ok(None);
    }
    let mut at = first.len();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok(Some(first.len()..at));
        }
        at += line.len();
    }
    if begins_with_key(&text[first.len()..]) {
        return Err("the frontmatter that its first line opens is never closed with ---".into());
    }
    Ok(None)
}

/// Whether the first line that says something is a key, for readers as generous
/// as extract-markdown: what that takes for frontmatter is not to become text
/// below another block.
fn begins_with_key(yaml: &str) -> bool {
    let mut lines = yaml
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| {
        let line = line.trim();
        line.starts_with(['{', '?', '%']) || is_key(line)
    })
}

fn is_key(line: &str) -> bool {
    if line.starts_with(|c: char| "#-[]{},&*!|>%@`".contains(c)) {
        return false;
    }
    for quote in ['"', '\''] {
        if let Some(inner) = line.strip_prefix(quote) {
            return inner
                .split_once(quote)
                .is_some_and(|(_, rest)| rest.trim_start().starts_with(':'));
        }
    }
    line.match_indices(':').any(|(at, _)| {
        let (key, rest) = (&line[..at], &line[at + 1..]);
        let spaced = rest.is_empty() || rest.starts_with(char::is_whitespace);
        let word = key.starts_with(char::is_alphabetic)
            && key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
        !key.trim().is_empty() && (spaced || word && !rest.starts_with(['/', ':']))
    })
}

/// A place and what is to stand there.
type Change = (Range<usize>, String);

/// The YAML with all changes made, and checked.
fn changed(before: &str, edit: &Edit, newline: &str) -> Result<String, Refusal> {
    let (entries, flow) = keys(before)?;
    // A file can have both ends; a line gets that of the one before it.
    let newline = line_end(before).unwrap_or(newline);
    let mut changes: Vec<Change> = Vec::new();
    let mut lines = String::new();
    let mut add = |key: &str, value: &str| lines.push_str(&format!("{key}: {value}{newline}"));
    let title = edit.title.as_deref();
    if let Some(title) = title {
        match only(&entries, |key| key.eq_ignore_ascii_case("title"))?.last() {
            Some(entry) => changes.extend(set_title(before, entry, title)?),
            None => add("title", &yaml::write(title, ScalarStyle::Plain, false)),
        }
    }
    let mut tags_after = None;
    if let Some(change) = &edit.tags {
        let own = only(&entries, is_tags)?;
        let wanted = tags::wanted(before, &own, change)?;
        match own.is_empty() {
            true if wanted.is_empty() => {}
            true => add("tags", &tags::in_brackets(&wanted)),
            false => changes.extend(tags::changes(before, &entries, &own, &wanted, newline)?),
        }
        tags_after = Some(wanted);
    }
    for (key, value) in &edit.new {
        if !entries.iter().any(|entry| entry.key.as_ref() == Some(key)) {
            add(key, value);
        }
    }
    if flow && !lines.is_empty() {
        return Err("its frontmatter stands in braces, where no line can be added".into());
    }
    let mut after = apply(before, changes);
    if !lines.is_empty() {
        if !after.is_empty() && !after.ends_with('\n') {
            after.push_str(newline);
        }
        after.push_str(&lines);
    }
    check(&entries, &after, title, tags_after.as_deref())?;
    Ok(after)
}

fn keys(yaml: &str) -> Result<(Vec<Entry>, bool), Refusal> {
    match yaml::read(yaml) {
        Ok(Root::Keys { entries, flow }) => Ok((entries, flow)),
        Ok(Root::Empty) => Ok((Vec::new(), false)),
        Ok(Root::NoKeys) => Err("its frontmatter has no keys".into()),
        Err((line, reason)) => Err(format!(
            "its frontmatter is not valid YAML (line {}: {reason})",
            line + 1
        )),
    }
}

fn is_tags(key: &str) -> bool {
    key.eq_ignore_ascii_case("tags") || key.eq_ignore_ascii_case("tag")
}

/// The entries of these keys, of which none may stand twice.
fn only(entries: &[Entry], is: impl Fn(&str) -> bool) -> Result<Vec<&Entry>, Refusal> {
    let own: Vec<&Entry> = entries
        .iter()
        .filter(|entry| entry.key.as_deref().is_some_and(&is))
        .collect();
    for (at, entry) in own.iter().enumerate() {
        if own[..at].iter().any(|other| other.key == entry.key) {
            let key = entry.key.as_deref().unwrap_or_default();
            return Err(format!("its frontmatter has the key {key} more than once"));
        }
    }
    Ok(own)
}

fn set_title(yaml: &str, entry: &Entry, title: &str) -> Result<Option<Change>, Refusal> {
    match &entry.value {
        Value::Scalar(scalar) if scalar.text.trim_end() == title => Ok(None),
        Value::Scalar(scalar) => Ok(Some((
            scalar.at.clone(),
            yaml::write(title, scalar.style, false),
        ))),
        Value::Nothing => {
            let at = behind_colon(yaml, entry)?;
            let value = yaml::write(title, ScalarStyle::Plain, false);
            Ok(Some((at..at, format!(" {value}"))))
        }
        _ => Err("its title in the frontmatter is not a plain text".into()),
    }
}

/// Where the value of a key can stand that has none.
fn behind_colon(yaml: &str, entry: &Entry) -> Result<usize, Refusal> {
    let rest = &yaml[entry.at.end..];
    let colon = rest.find(':').filter(|at| rest[..*at].trim().is_empty());
    match colon {
        Some(at) => Ok(entry.at.end + at + 1),
        None => Err("its frontmatter is written in an unusual way".into()),
    }
}

/// Makes the changes, which do not overlap.
fn apply(text: &str, mut changes: Vec<Change>) -> String {
    changes.sort_by_key(|(at, _)| (at.start, at.end));
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, with) in changes {
        out.push_str(text.get(from..at.start).unwrap_or_default());
        out.push_str(&with);
        from = at.end.max(from);
    }
    out.push_str(&text[from..]);
    out
}

/// Makes sure that the block says what is wanted, and of everything else what
/// it said before.
fn check(
    before: &[Entry],
    after: &str,
    title: Option<&str>,
    tags: Option<&[String]>,
) -> Result<(), Refusal> {
    let refused = || "its frontmatter cannot be changed without touching more than that".to_owned();
    let Ok((now, _)) = keys(after) else {
        return Err(refused());
    };
    let ours = |entry: &Entry| {
        entry.key.as_deref().is_some_and(|key| {
            title.is_some() && key.eq_ignore_ascii_case("title") || tags.is_some() && is_tags(key)
        })
    };
    let same = |(one, other): (&Entry, &Entry)| {
        one.key == other.key && (ours(one) || one.told == other.told)
    };
    if now.len() < before.len() || !before.iter().zip(&now).all(same) {
        return Err(refused());
    }
    let own = |is: &dyn Fn(&str) -> bool| only(&now, is).map_err(|_| refused());
    if let Some(title) = title {
        let entry = own(&|key| key.eq_ignore_ascii_case("title"))?;
        // A text in a block has a line end of its own.
        let is = |entry: &&Entry| matches!(&entry.value, Value::Scalar(own) if own.text.trim_end() == title);
        if !entry.last().is_some_and(is) {
            return Err(refused());
        }
    }
    if let Some(tags) = tags {
        let fold = |tags: &[String]| {
            let mut tags: Vec<String> = tags.iter().map(|tag| tag.to_lowercase()).collect();
            tags.sort();
            tags.dedup();
            tags
        };
        let found = tags::of(after, &own(&is_tags)?).map_err(|_| refused())?;
        if fold(&found) != fold(tags) {
            return Err(refused());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
