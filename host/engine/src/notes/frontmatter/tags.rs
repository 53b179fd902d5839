//! The tags of a frontmatter in all the ways that people write them.

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::super::yaml::{self, Entry, Item, Scalar, Value};
use super::{Change, Refusal, TagChange, behind_colon};

/// A tag as it is compared: without its `#`, in any letter case.
fn folded(tag: &str) -> String {
    tag.trim().trim_start_matches('#').to_lowercase()
}

fn holds(tags: &[String], tag: &str) -> bool {
    tags.iter().any(|other| folded(other) == folded(tag))
}

/// The tags that these entries give.
pub(super) fn of(yaml: &str, entries: &[&Entry]) -> Result<Vec<String>, Refusal> {
    let mut tags = Vec::new();
    for entry in entries {
        for tag in own(yaml, entry)? {
            if !holds(&tags, &tag) {
                tags.push(tag);
            }
        }
    }
    Ok(tags)
}

fn own(yaml: &str, entry: &Entry) -> Result<Vec<String>, Refusal> {
    let mut tags = Vec::new();
    match &entry.value {
        Value::Nothing => {
            if let Some((_, written)) = hash_tags(yaml, entry)? {
                tags.extend(split(&written));
            }
        }
        Value::Scalar(scalar) if is_null(scalar) => {}
        Value::Scalar(scalar) => tags.extend(split(&scalar.text)),
        Value::Flow { items, .. } | Value::Block { items } => {
            for scalar in items.iter().flatten().filter(|item| !is_null(item)) {
                match scalar.text.trim().starts_with('#') {
                    true => tags.extend(split(&scalar.text)),
                    false => tags.extend(clean(&scalar.text)),
                }
            }
        }
        Value::Other => {
            return Err(
                "its tags in the frontmatter are neither a text nor a list of texts".into(),
            );
        }
    }
    Ok(tags)
}

fn is_null(scalar: &Scalar) -> bool {
    scalar.style == ScalarStyle::Plain && matches!(&*scalar.text, "~" | "null" | "Null" | "NULL")
}

/// A text of several tags: between commas, or else spaces.
fn split(text: &str) -> Vec<String> {
    match text.contains(',') {
        true => text.split(',').filter_map(clean).collect(),
        false => text.split_whitespace().filter_map(clean).collect(),
    }
}

fn clean(tag: &str) -> Option<String> {
    let tag = tag.trim().trim_start_matches('#').trim().trim_matches('/');
    (!tag.is_empty()).then(|| tag.to_owned())
}

/// `tags: #one #two`, which YAML takes for a comment: where it stands, and what
/// it says.
fn hash_tags(yaml: &str, entry: &Entry) -> Result<Option<(Range<usize>, String)>, Refusal> {
    let at = behind_colon(yaml, entry)?;
    let line = yaml[at..].lines().next().unwrap_or_default().trim_end();
    let written = line.trim_start();
    let is_tag = |word: &str| word.starts_with('#') && word.len() > 1;
    if !written.split_whitespace().next().is_some_and(is_tag) {
        return Ok(None);
    }
    let words = written.split_whitespace().take_while(|word| *word != "#");
    let written = words.collect::<Vec<_>>().join(" ");
    Ok(Some((at..at + line.len(), written)))
}

/// The tags that the note is to have.
pub(super) fn wanted(
    yaml: &str,
    entries: &[&Entry],
    change: &TagChange,
) -> Result<Vec<String>, Refusal> {
    let now = of(yaml, entries)?;
    let mut wanted: Vec<String> = Vec::new();
    let mut take = |tag: &String| {
        if !holds(&wanted, tag) {
            wanted.push(tag.clone());
        }
    };
    match change {
        TagChange::Set(tags) => tags.iter().for_each(take),
        TagChange::Change { add, remove } => {
            now.iter()
                .filter(|tag| !holds(remove, tag))
                .for_each(&mut take);
            add.iter().for_each(take);
        }
    }
    Ok(wanted)
}

/// What has to change for the entries to give the wanted tags, in the style
/// that each is written in.
pub(super) fn changes(
    yaml: &str,
    all: &[Entry],
    entries: &[&Entry],
    wanted: &[String],
    newline: &str,
) -> Result<Vec<Change>, Refusal> {
    let there = of(yaml, entries)?;
    let new: Vec<String> = wanted
        .iter()
        .filter(|tag| !holds(&there, tag))
        .cloned()
        .collect();
    let mut changes = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let own = own(yaml, entry)?;
        let new = if at == 0 { new.as_slice() } else { &[] };
        let stays: Vec<String> = own
            .iter()
            .filter(|tag| holds(wanted, tag))
            .cloned()
            .collect();
        if stays.len() == own.len() && new.is_empty() {
            continue;
        }
        let whole: Vec<String> = stays.iter().chain(new).cloned().collect();
        changes.extend(change_one(yaml, all, entry, &stays, new, &whole, newline)?);
    }
    Ok(changes)
}

fn change_one(
    yaml: &str,
    all: &[Entry],
    entry: &Entry,
    stays: &[String],
    new: &[String],
    whole: &[String],
    newline: &str,
) -> Result<Vec<Change>, Refusal> {
    match &entry.value {
        Value::Nothing => {
            let at = match hash_tags(yaml, entry)? {
                Some((at, _)) => at,
                None => {
                    let at = behind_colon(yaml, entry)?;
                    at..at
                }
            };
            Ok(vec![(at, format!(" {}", in_brackets(whole)))])
        }
        Value::Scalar(scalar) => Ok(vec![(scalar.at.clone(), as_text(scalar, whole))]),
        Value::Flow { items, start } => match in_flow(yaml, items, *start, stays, new) {
            Some(changes) => Ok(changes),
            None => anew(yaml, all, entry, whole),
        },
        Value::Block { items } => match in_block(yaml, entry, items, stays, new, newline) {
            Some(changes) => Ok(changes),
            None => anew(yaml, all, entry, whole),
        },
        Value::Other => {
            Err("its tags in the frontmatter are neither a text nor a list of texts".into())
        }
    }
}

pub(super) fn in_brackets(tags: &[String]) -> String {
    let tags: Vec<String> = tags.iter().map(|tag| in_list(tag)).collect();
    format!("[{}]", tags.join(", "))
}

fn in_list(tag: &str) -> String {
    yaml::write(tag, ScalarStyle::Plain, true)
}

/// Several tags as one text, as they stood.
fn as_text(scalar: &Scalar, tags: &[String]) -> String {
    let spaced = tags.iter().any(|tag| tag.contains(char::is_whitespace));
    let by_spaces = !scalar.text.contains(',') && scalar.text.contains(char::is_whitespace);
    match tags {
        [] => "[]".into(),
        [one] if spaced => in_brackets(std::slice::from_ref(one)),
        tags if by_spaces && !spaced => yaml::write(&tags.join(" "), scalar.style, false),
        tags => yaml::write(&tags.join(", "), scalar.style, false),
    }
}

/// The items whose tags all stay, by number; none where one has tags of both
/// sorts, or is no text.
fn kept(items: &[Item], stays: &[String]) -> Option<Vec<bool>> {
    items
        .iter()
        .map(|item| {
            let item = item.as_ref()?;
            let own = match item.text.trim().starts_with('#') {
                true => split(&item.text),
                false => clean(&item.text).into_iter().collect(),
            };
            let staying = own.iter().filter(|tag| holds(stays, tag)).count();
            match staying {
                0 => Some(false),
                all if all == own.len() => Some(true),
                _ => None,
            }
        })
        .collect()
}

/// In brackets: what goes is taken out with the comma that parts it from its
/// neighbour, what comes stands behind the last.
fn in_flow(
    yaml: &str,
    items: &[Item],
    start: usize,
    stays: &[String],
    new: &[String],
) -> Option<Vec<Change>> {
    let kept = kept(items, stays)?;
    let places: Vec<Range<usize>> = items.iter().flatten().map(|item| item.at.clone()).collect();
    let mut changes = Vec::new();
    let new: Vec<String> = new.iter().map(|tag| in_list(tag)).collect();
    let Some(last) = kept.iter().rposition(|kept| *kept) else {
        // All between the first and the last goes, or nothing is there. Where
        // nothing comes, the brackets are to stand together.
        let at = match (places.first(), places.last()) {
            (Some(_), Some(last)) if new.is_empty() => {
                let blank = |c: char| c.is_whitespace() || c == ',';
                let rest = yaml[last.end..].trim_start_matches(blank);
                if !rest.starts_with(']') {
                    return None;
                }
                start..yaml.len() - rest.len()
            }
            (Some(first), Some(last)) => first.start..last.end,
            _ => start..start,
        };
        if has_comment(&yaml[at.clone()]) {
            return None;
        }
        return Some(vec![(at, new.join(", "))]);
    };
    for (at, place) in places.iter().enumerate().filter(|(at, _)| !kept[*at]) {
        let gap = if at < last {
            place.start..places[at + 1].start
        } else {
            places[at - 1].end..place.end
        };
        // A comment would go too, or eat what follows.
        if has_comment(&yaml[gap.clone()]) {
            return None;
        }
        changes.push((gap, String::new()));
    }
    if !new.is_empty() {
        let at = places[last].end;
        changes.push((at..at, format!(", {}", new.join(", "))));
    }
    Some(changes)
}

/// Whether there may be a comment in a part of a list in brackets.
fn has_comment(part: &str) -> bool {
    part.contains('\n') && part.contains('#')
}

/// By dashes: lines go and come whole.
fn in_block(
    yaml: &str,
    entry: &Entry,
    items: &[Item],
    stays: &[String],
    new: &[String],
    newline: &str,
) -> Option<Vec<Change>> {
    let kept = kept(items, stays)?;
    let mut lines = Vec::new();
    for item in items.iter().flatten() {
        let start = yaml[..item.at.start].rfind('\n').map_or(0, |at| at + 1);
        let dash = &yaml[start..item.at.start];
        let one_line = !yaml[item.at.clone()].contains('\n');
        if dash.trim() != "-" || !one_line || start <= entry.at.end {
            return None;
        }
        let end = yaml[item.at.end..]
            .find('\n')
            .map_or(yaml.len(), |at| item.at.end + at + 1);
        lines.push((start..end, dash));
    }
    if kept.len() != lines.len() {
        return None;
    }
    let mut changes: Vec<Change> = (lines.iter().zip(&kept))
        .filter(|(_, kept)| !**kept)
        .map(|((line, _), _)| (line.clone(), String::new()))
        .collect();
    if new.is_empty() && !kept.contains(&true) {
        // Without any item, it would be nothing at all.
        let at = behind_colon(yaml, entry).ok()?;
        changes.push((at..at, " []".into()));
    }
    if !new.is_empty() {
        let (line, dash) = lines.last()?;
        let newline = super::line_end(&yaml[line.clone()]).unwrap_or(newline);
        let mut text = String::new();
        if !yaml[line.clone()].ends_with('\n') {
            text.push_str(newline);
        }
        for tag in new {
            let tag = yaml::write(tag, ScalarStyle::Plain, false);
            text.push_str(&format!("{dash}{tag}{newline}"));
        }
        changes.push((line.end..line.end, text));
    }
    Some(changes)
}

/// Writes the whole value anew, in brackets on the key's line.
fn anew(yaml: &str, all: &[Entry], entry: &Entry, tags: &[String]) -> Result<Vec<Change>, Refusal> {
    let start = behind_colon(yaml, entry)?;
    let next = all
        .iter()
        .map(|other| other.at.start)
        .filter(|at| *at > entry.at.start)
        .min()
        .map_or(yaml.len(), |at| {
            yaml[..at].rfind('\n').map_or(at, |line| line + 1)
        });
    let mut end = start;
    let mut at = start;
    for line in yaml[start..next].split_inclusive('\n') {
        let said = line.trim();
        if line.contains('#') && !said.starts_with('#') {
            return Err("its tags in the frontmatter have comments among them".into());
        }
        if !said.is_empty() && !said.starts_with('#') {
            end = at + line.trim_end().len();
        }
        at += line.len();
    }
    if yaml[start..end].contains('#') {
        return Err("its tags in the frontmatter have comments among them".into());
    }
    Ok(vec![(start..end, format!(" {}", in_brackets(tags)))])
}
