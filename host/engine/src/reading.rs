//! Reading on: single items and their text.

use std::path::Path;

use pkb_store::{Item, ItemDetails, ItemId, ItemText, Place};
use serde::Serialize;

use crate::engine::Engine;
use crate::error::Error;
use crate::place::line_at;
use crate::search::item_path;

/// An item with its text, or the part that was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// Number of the item.
    pub item: i64,
    /// `source/path`.
    pub path: String,
    /// What there is to know of it.
    pub details: ItemDetails,
    /// First and last line of the original in `text`, from 1; none where the
    /// original has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// Lines of the original, in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u32>,
    /// The text.
    pub text: String,
}

impl Engine {
    /// The item that `wanted` names: its number, `source/path`, the path of its
    /// file, the end of a path, a title, an alias, `[[title]]`, or
    /// `pkb://item/NUMBER`.
    ///
    /// # Errors
    /// [`Error::NotFound`] with near misses; [`Error::Usage`] where several
    /// items fit.
    pub fn find_item(&self, wanted: &str) -> Result<Item, Error> {
        let wanted = wanted.trim();
        let number = wanted.strip_prefix("pkb://item/").unwrap_or(wanted);
        if let Ok(number) = number.parse::<i64>()
            && let Some(details) = self.store().item(ItemId(number))?
        {
            return Ok(details.item);
        }
        if let Some((source, path)) = wanted.split_once('/')
            && let Some(source) = self.store().source(source)?
            && let Some(item) = self.store().item_by_identity(source.id, path)?
        {
            return Ok(item);
        }
        if let Some(item) = self.item_of_file(Path::new(wanted))? {
            return Ok(item);
        }
        let bare = wanted
            .strip_prefix("[[")
            .and_then(|rest| rest.strip_suffix("]]"));
        let mut found = self.store().find(bare.unwrap_or(wanted), 6)?;
        match found.len() {
            1 => Ok(found.swap_remove(0)),
            0 => {
                let near = self
                    .store()
                    .similar(wanted, 3)?
                    .iter()
                    .map(item_path)
                    .collect();
                let hint = "`pkb list` shows what there is; `pkb search` finds by content.".into();
                Err(Error::NotFound {
                    what: format!("there is no item {wanted:?}"),
                    near,
                    hint,
                })
            }
            _ => {
                let names: Vec<String> = found
                    .iter()
                    .map(|item| format!("{} ({})", item_path(item), item.id))
                    .collect();
                Err(Error::usage(
                    format!("{wanted:?} fits several items"),
                    format!("Name one by its path or number: {}.", names.join(", ")),
                ))
            }
        }
    }

    /// The item of a file in a folder that is a source.
    fn item_of_file(&self, file: &Path) -> Result<Option<Item>, Error> {
        if !file.is_absolute() {
            return Ok(None);
        }
        for source in self.store().sources()? {
            if let Ok(path) = file.strip_prefix(&source.spec.location) {
                let id = path.to_string_lossy().replace('\\', "/");
                if let Some(item) = self.store().item_by_identity(source.id, &id)? {
                    return Ok(Some(item));
                }
            }
        }
        Ok(None)
    }

    /// The item that `wanted` names, with its text, or with the lines of the
    /// original from `lines.0` to `lines.1`, both included.
    ///
    /// # Errors
    /// As [`Engine::find_item`]; [`Error::Usage`] for lines it does not have.
    pub fn read_item(&self, wanted: &str, lines: Option<(u32, u32)>) -> Result<Reading, Error> {
        let item = self.find_item(wanted)?;
        let gone = || Error::NotFound {
            what: format!("the item {wanted:?} is just gone"),
            near: Vec::new(),
            hint: String::new(),
        };
        let details = self.store().item(item.id)?.ok_or_else(gone)?;
        let text = self.store().text(item.id)?.ok_or_else(gone)?;
        let path = item_path(&item);
        let last = text.text.len().saturating_sub(1);
        let count = line_at(&text.text, &text.marks, last);
        let first = line_at(&text.text, &text.marks, 0);
        let (part, lines) = match lines {
            None => (text.text, first.zip(count)),
            Some((from, to)) => {
                let (part, lines) = cut(&text, from, to).ok_or_else(|| {
                    let upto = if to == u32::MAX { "the end".to_owned() } else { to.to_string() };
                    Error::usage(
                        format!("{path} has no text on lines {from} to {upto}"),
                        match first.zip(count) {
                            Some((1, count)) => format!("Its text goes to line {count}."),
                            Some((first, count)) => format!(
                                "Its text goes from line {first} to line {count}; what stands before it are properties."
                            ),
                            None => "It is not a file of lines; leave --lines out.".into(),
                        },
                    )
                })?;
                (part, Some(lines))
            }
        };
        Ok(Reading {
            item: item.id.0,
            path,
            details,
            lines,
            line_count: count,
            text: part,
        })
    }
}

/// The lines of the text that stand on lines `from` to `to` of the original,
/// and the first and last of them.
fn cut(text: &ItemText, from: u32, to: u32) -> Option<(String, (u32, u32))> {
    let mut marks = text.marks.iter().filter_map(|mark| match mark.place {
        Place::Line(line) => Some((mark.offset as usize, line)),
        _ => None,
    });
    let (_, mut number) = marks.next().filter(|(offset, _)| *offset == 0)?;
    let mut mark = marks.next();
    let mut part = String::new();
    let mut range: Option<(u32, u32)> = None;
    let mut at = 0;
    for line in text.text.split_inclusive('\n') {
        if (from..=to).contains(&number) {
            part.push_str(line);
            range = Some((range.map_or(number, |(first, _)| first), number));
        }
        at += line.len();
        number = number.saturating_add(1);
        while let Some((offset, marked)) = mark.filter(|(offset, _)| *offset <= at) {
            let breaks = text.text.as_bytes()[offset..at]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            number = marked.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
            mark = marks.next();
        }
    }
    Some((part, range?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pkb_store::Mark;

    #[test]
    fn lines_are_those_of_the_original() {
        let line = |offset, line| Mark {
            offset,
            place: Place::Line(line),
        };
        let text = ItemText {
            text: "a\nb\nc\nd".into(),
            marks: vec![line(0, 4), line(4, 9)],
        };
        assert_eq!(cut(&text, 5, 9), Some(("b\nc\n".into(), (5, 9))));
        assert_eq!(cut(&text, 10, 99), Some(("d".into(), (10, 10))));
        assert_eq!(cut(&text, 1, 3), None);
        assert_eq!(
            cut(
                &ItemText {
                    text: "a".into(),
                    marks: Vec::new()
                },
                1,
                1
            ),
            None
        );
    }
}
