//! Excel workbooks.

mod cells;
mod formats;

use std::collections::{HashMap, HashSet};

use extract_core::{Document, Failure};

use crate::office;
use crate::package::{Package, targets};
use crate::settings::Settings;
use crate::sheets::Sheets;
use crate::writer::Writer;
use crate::xml::{self, Handler, Ns, Step, Tag};
use cells::Cells;
use formats::Formats;

/// Reads a workbook whose list of sheets is in the part `main`.
///
/// # Errors
/// Where the file unpacks to too much, or has no list of sheets.
pub(crate) fn read(
    package: &mut Package,
    main: &str,
    name: &str,
    settings: &Settings,
) -> Result<Document, Failure> {
    let relations = package.relations(main)?;
    let Some(workbook) = package.text(main)? else {
        return Err(office::without_main(main));
    };
    let mut from_1904 = false;
    let mut sheets = Vec::new();
    let listed = xml::each(&workbook, |tag| {
        match (tag.ns, tag.name) {
            (Ns::Sheet, "workbookPr") => {
                from_1904 = matches!(tag.attr("date1904").as_deref(), Some("1" | "true"));
            }
            (Ns::Sheet, "sheet") => {
                let relation = tag.relation("id").and_then(|id| relations.get(&*id));
                if let Some(relation) = relation {
                    let name = tag.attr("name").unwrap_or_default().into_owned();
                    sheets.push((name, relation.clone()));
                }
            }
            _ => {}
        }
        Step::Into
    });
    let part_of_kind = |kind: &str| targets(&relations, &[kind]).into_iter().next();
    let mut strings = Strings::default();
    if let Some(part) = part_of_kind("sharedStrings")
        && let Some(text) = package.text(&part)?
        && let Err(damage) = xml::drive(&text, &mut strings)
    {
        package.warnings.push(damage.warning(&part));
    }
    let formats = match part_of_kind("styles") {
        Some(part) => Formats::read(&package.text(&part)?.unwrap_or_default(), from_1904),
        None => Formats::read("", from_1904),
    };
    let facts = office::facts(package)?;
    let mut writer = Writer::new(settings.max_text_bytes);
    facts.apply(&mut writer.document);
    if let Err(damage) = listed {
        writer.warn(damage.warning(main));
    }

    let mut out = Sheets::new(writer);
    let mut seen = HashSet::new();
    for (name, relation) in sheets {
        if out.full() {
            break;
        }
        if !seen.insert(relation.target.clone()) {
            continue;
        }
        out.begin(&name);
        // Sheets of another kind hold a chart alone.
        if relation.kind != "worksheet" || relation.external {
            continue;
        }
        let comments = comments(package, &relation.target)?;
        let Some(text) = package.text(&relation.target)? else {
            out.warn(format!("The sheet {name} is missing from the file."));
            continue;
        };
        let mut cells = Cells::new(&mut out, &strings, &formats, comments);
        let read = xml::drive(&text, &mut cells);
        cells.finish();
        if let Err(damage) = read {
            out.warn(damage.warning(&relation.target));
        }
    }
    let mut writer = out.finish();
    writer.document.warnings.append(&mut package.warnings);
    writer.finish(name, None)
}

/// The strings that cells share, one after another in one text.
#[derive(Default)]
struct Strings {
    text: String,
    ends: Vec<usize>,
    takes: bool,
}

impl Strings {
    fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }
}

impl Handler for Strings {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match tag.name {
            // How an Asian word is read.
            "rPh" => return Step::Skip,
            "t" => self.takes = true,
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, _: Ns, name: &str) {
        match name {
            "t" => self.takes = false,
            "si" => self.ends.push(self.text.len()),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.takes {
            self.text.push_str(text);
        }
    }
}

/// The comments of a sheet, by cell.
fn comments(package: &mut Package, sheet: &str) -> Result<HashMap<String, String>, Failure> {
    let relations = package.relations(sheet)?;
    let mut reader = Comments::default();
    for part in targets(&relations, &["comments"]) {
        if let Some(text) = package.text(&part)?
            && let Err(damage) = xml::drive(&text, &mut reader)
        {
            package.warnings.push(damage.warning(&part));
        }
    }
    Ok(reader.found)
}

#[derive(Default)]
struct Comments {
    authors: Vec<String>,
    /// The cell, and the author.
    current: Option<(String, usize)>,
    takes: bool,
    value: String,
    found: HashMap<String, String>,
}

impl Handler for Comments {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match tag.name {
            "author" => {
                self.value.clear();
                self.takes = true;
            }
            "t" => self.takes = true,
            "comment" => {
                self.value.clear();
                let cell = tag.attr("ref").unwrap_or_default().into_owned();
                self.current = Some((cell, tag.number("authorId").unwrap_or(usize::MAX)));
            }
            "rPh" => return Step::Skip,
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, _: Ns, name: &str) {
        match name {
            "author" => {
                self.takes = false;
                self.authors.push(std::mem::take(&mut self.value));
            }
            "t" => self.takes = false,
            "comment" => {
                let Some((cell, author)) = self.current.take() else {
                    return;
                };
                let mut text = self.value.trim();
                // What Excel tells older versions of itself.
                if text.starts_with("[Threaded comment]")
                    && let Some((_, rest)) = text.split_once("Comment:")
                {
                    text = rest.trim();
                }
                let author = self.authors.get(author).map(|author| author.trim());
                // The author's name stands on its first line, as a rule.
                let text = author
                    .and_then(|author| text.strip_prefix(author)?.strip_prefix(':'))
                    .map_or(text, str::trim);
                let by = match author {
                    Some(author) if !author.is_empty() && !author.starts_with("tc=") => {
                        format!(" by {author}")
                    }
                    _ => String::new(),
                };
                if !text.is_empty() {
                    self.found.insert(cell, format!("(Comment{by}: {text})"));
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.takes {
            self.value.push_str(text);
        }
    }
}
