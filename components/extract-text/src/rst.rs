//! reStructuredText, line by line.

mod blocks;
mod directives;
mod inline;

use std::cell::Cell;
use std::collections::HashMap;

use extract_core::{Document, Property, title};

use crate::dates;
use crate::lists::{Lists, mark, split_indent};
use crate::out::{Inline, Out, add_tag, escape_before};
use inline::inline;

/// What links lead to.
#[derive(Debug, Default)]
struct Targets {
    /// By name in lower case.
    named: HashMap<String, String>,
    /// Those of links without a name, in order.
    unnamed: Vec<String>,
    /// The next of them.
    next: Cell<usize>,
}

impl Targets {
    fn named(&self, name: &str) -> Option<&str> {
        self.named.get(&name.to_lowercase()).map(String::as_str)
    }

    fn next_unnamed(&self) -> Option<&str> {
        let next = self.next.get();
        self.next.set(next + 1);
        self.unnamed.get(next).map(String::as_str)
    }
}

/// Reads a document.
pub(crate) fn read(text: &str) -> Document {
    let lines: Vec<&str> = text.lines().collect();
    let mut rst = Rst {
        targets: targets(&lines),
        lines,
        at: 0,
        out: Out::default(),
        lists: Lists::default(),
        about: Document::default(),
        adornments: Vec::new(),
        head: true,
    };
    while rst.at < rst.lines.len() {
        rst.step();
    }
    let written = rst.out.finish();
    Document {
        text: written.text,
        marks: written.marks,
        links: written.links,
        ..rst.about
    }
}

/// What `.. _name: target` and `__ target` define.
fn targets(lines: &[&str]) -> Targets {
    let mut targets = Targets::default();
    for line in lines {
        let line = line.trim();
        if let Some(target) = unnamed_target(line) {
            targets.unnamed.push(target.to_owned());
        } else if let Some((name, target)) = line.strip_prefix(".. _").and_then(split_target)
            && !target.is_empty()
        {
            targets.named.insert(name.to_lowercase(), target.to_owned());
        }
    }
    targets
}

/// `__ target` or `.. __: target`.
fn unnamed_target(line: &str) -> Option<&str> {
    line.strip_prefix("__ ")
        .or_else(|| line.strip_prefix(".. __:"))
        .map(str::trim)
}

fn split_target(rest: &str) -> Option<(&str, &str)> {
    let (name, target) = match rest.strip_prefix('`') {
        Some(quoted) => quoted.split_once("`:")?,
        None => rest.split_once(':')?,
    };
    Some((name.trim(), target.trim()))
}

struct Rst<'a> {
    lines: Vec<&'a str>,
    at: usize,
    out: Out,
    lists: Lists,
    targets: Targets,
    about: Document,
    /// Characters that underline headings, and whether they stand above too,
    /// by level.
    adornments: Vec<(u8, bool)>,
    /// Whether nothing but the title has come.
    head: bool,
}

impl<'a> Rst<'a> {
    fn get(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    /// Takes one or more lines.
    fn step(&mut self) {
        let line = self.get(self.at);
        let number = self.at as u32 + 1;
        let (column, text) = split_indent(line);
        if text.trim_end().is_empty() {
            self.out.line(number, "");
            self.at += 1;
        } else if text.starts_with(">>> ") {
            self.session(column);
        } else if self.heading() || self.table() {
            self.lists.end();
        } else if column == 0 && adornment(text).is_some_and(|(_, length)| length >= 4) {
            self.out.blank();
            self.out.line(number, "---");
            self.at += 1;
        } else if text.starts_with("__ ") {
            // Where a link leads to.
            self.at += 1;
        } else if text == ".." || text.starts_with(".. ") {
            self.explicit(column, text.trim_end());
        } else if !self.field(column, text) {
            self.text(number, column, text.trim_end());
        }
    }

    /// A heading: a line with a line of one sign below, and above as well or
    /// not.
    fn heading(&mut self) -> bool {
        let (over, text_at) = match adornment(self.get(self.at).trim_end()) {
            Some((sign, length)) => {
                let text = self.get(self.at + 1).trim();
                let below = adornment(self.get(self.at + 2).trim_end());
                let fits = below == Some((sign, length)) && text.chars().count() <= length;
                if text.is_empty() || !fits {
                    return false;
                }
                (true, self.at + 1)
            }
            None => (false, self.at),
        };
        let text = self.get(text_at);
        if !over && text.starts_with([' ', '\t']) {
            return false;
        }
        let text = text.trim();
        let Some((sign, length)) = adornment(self.get(text_at + 1).trim_end()) else {
            return false;
        };
        if length < text.chars().count().min(4) {
            return false;
        }
        let key = (sign, over);
        self.head &= self.adornments.is_empty();
        let level = match self.adornments.iter().position(|known| *known == key) {
            Some(level) => level,
            None => {
                self.adornments.push(key);
                self.adornments.len() - 1
            }
        };
        let number = text_at as u32 + 1;
        let lead = format!("{} ", "#".repeat((level + 1).min(6)));
        let plain = self.written(number, &lead, text);
        if level == 0 && self.about.title.is_empty() {
            self.about.title = title::tidy(&plain).unwrap_or_default();
        }
        // The line below is empty in Markdown.
        self.out.line(number + 1, "");
        self.at = text_at + 2;
        true
    }

    /// A line of a paragraph: what its markup becomes may look like other.
    fn paragraph(&mut self, number: u32, mut lead: String, text: &str) {
        let inline = inline(text, &self.targets);
        lead.push_str(escape_before(&inline.text));
        self.push(number, &lead, inline);
    }

    /// A line with markup inside; answers what was written.
    fn written(&mut self, number: u32, lead: &str, text: &str) -> String {
        let inline = inline(text, &self.targets);
        self.push(number, lead, inline)
    }

    fn push(&mut self, number: u32, lead: &str, inline: Inline) -> String {
        self.out.at_line(number);
        self.out.push(lead);
        self.out.push_linked(&inline.text, inline.links);
        self.out.push("\n");
        inline.text
    }

    fn text(&mut self, number: u32, column: usize, text: &str) {
        self.at += 1;
        self.head = false;
        // `| line` keeps its line break.
        if let Some(rest) = text.strip_prefix("| ") {
            let lead = self.lists.text(column);
            self.written(number, &lead, &format!("{rest}\\"));
            return;
        }
        let literal = text.ends_with("::") && self.block_follows(column);
        let shown = if literal {
            literal_lead(text)
        } else {
            text.to_owned()
        };
        if let Some((mark, rest)) = mark(&shown) {
            let lead = format!("{}{mark}", self.lists.item(column));
            self.written(number, &lead, rest);
        } else if !shown.is_empty() {
            let lead = self.lists.text(column);
            self.paragraph(number, lead, &shown);
        }
        if literal {
            self.skip_blank();
            self.code("", column);
        }
    }

    /// Whether the next line that is not empty is further in than `column`.
    fn block_follows(&self, column: usize) -> bool {
        self.lines[self.at.min(self.lines.len())..]
            .iter()
            .find(|line| !line.trim().is_empty())
            .is_some_and(|line| split_indent(line).0 > column)
    }

    /// A field, `:name: value`: at the head a property.
    fn field(&mut self, column: usize, text: &str) -> bool {
        let Some((name, value)) = field(text) else {
            return false;
        };
        let number = self.at as u32 + 1;
        self.at += 1;
        let mut value = value.trim().to_owned();
        if self.head && column == 0 {
            let (_, more) = self.block(column);
            for line in more {
                value.push(' ');
                value.push_str(line.trim());
            }
            self.tell(name, value.trim());
        } else {
            let lead = format!("{}- **{name}**: ", self.lists.item(column));
            self.written(number, &lead, &value);
        }
        true
    }

    fn tell(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        let name = name.to_lowercase();
        match name.as_str() {
            "tags" | "keywords" => {
                for tag in value.split(',') {
                    add_tag(&mut self.about.tags, &tag.trim().replace(' ', "-"));
                }
            }
            "date" => match dates::parse(value) {
                Some(at) => self
                    .about
                    .properties
                    .push(Property::timestamp("created", at)),
                None => self.about.properties.push(Property::text("date", value)),
            },
            "title" if self.about.title.is_empty() => {
                self.about.title = title::tidy(value).unwrap_or_default();
            }
            "authors" => self.about.properties.push(Property::text("author", value)),
            "language" => self.about.properties.push(Property::text("lang", value)),
            "category" => self
                .about
                .properties
                .push(Property::text("categories", value)),
            _ => self.about.properties.push(Property::text(&name, value)),
        }
    }
}

/// The sign and the length of a line made of one sign.
fn adornment(line: &str) -> Option<(u8, usize)> {
    let &sign = line.as_bytes().first()?;
    let all = sign.is_ascii_punctuation() && line.bytes().all(|byte| byte == sign);
    (all && line.len() >= 2 && line != ".." && line != "::").then_some((sign, line.len()))
}

/// `:name: value`; not a role, whose name a backtick follows.
fn field(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(':')?;
    let end = rest.find(':').filter(|&end| end > 0 && end < 80)?;
    let (name, value) = (&rest[..end], &rest[end + 1..]);
    let sound = !name.starts_with(' ') && (value.is_empty() || value.starts_with(' '));
    sound.then_some((name, value))
}

/// The text before a block of code: `Text::` says `Text:`, `::` alone nothing.
fn literal_lead(text: &str) -> String {
    let before = text.strip_suffix("::").unwrap_or(text);
    if before.trim().is_empty() {
        String::new()
    } else if before.ends_with(' ') {
        before.trim_end().to_owned()
    } else {
        format!("{before}:")
    }
}

#[cfg(test)]
mod tests;
