//! Org files, line by line.

mod inline;

use std::iter::{Enumerate, Peekable};
use std::str::Lines;

use extract_core::{Document, Property, Scalar, Value, title};

use crate::dates;
use crate::lists::{Lists, mark, split_indent};
use crate::out::{Out, add_tag, fence};
use inline::inline;

/// States of a heading that Org knows without being told.
const STATES: [&str; 9] = [
    "TODO",
    "DONE",
    "NEXT",
    "WAITING",
    "WAIT",
    "HOLD",
    "STARTED",
    "CANCELLED",
    "CANCELED",
];
/// A drawer that is longer is none, in lines.
const MOST_DRAWER: usize = 500;
/// Properties kept of all headings together.
const MOST_PROPERTIES: usize = 200;

/// Reads an Org file.
pub(crate) fn read(text: &str) -> Document {
    let mut org = Org {
        lines: text.lines().enumerate().peekable(),
        out: Out::default(),
        lists: Lists::default(),
        about: Document::default(),
        states: STATES.map(str::to_owned).to_vec(),
        headed: false,
        in_table: false,
        quoted: false,
        no_drawer_until: 0,
    };
    while let Some((index, line)) = org.lines.next() {
        org.line(index as u32 + 1, line);
    }
    let written = org.out.finish();
    Document {
        text: written.text,
        marks: written.marks,
        links: written.links,
        ..org.about
    }
}

struct Org<'a> {
    lines: Peekable<Enumerate<Lines<'a>>>,
    out: Out,
    lists: Lists,
    about: Document,
    states: Vec<String>,
    /// Whether a heading has come.
    headed: bool,
    in_table: bool,
    /// Whether lines belong to a quote.
    quoted: bool,
    /// The line up to which what looks like a drawer has no end.
    no_drawer_until: u32,
}

impl<'a> Org<'a> {
    fn line(&mut self, number: u32, line: &'a str) {
        let trimmed = line.trim();
        if trimmed.starts_with('|') {
            self.table_row(number, trimmed);
            return;
        }
        self.in_table = false;
        if trimmed.is_empty() {
            self.out.line(number, if self.quoted { ">" } else { "" });
        } else if let Some(heading) = heading(line) {
            self.lists.end();
            self.heading(number, heading);
        } else if let Some(keyword) = trimmed.strip_prefix("#+") {
            self.keyword(number, keyword);
        } else if trimmed == "#" || trimmed.starts_with("# ") {
            // A comment.
        } else if trimmed == ":" || trimmed.starts_with(": ") {
            self.fixed_width(number, trimmed);
        } else if is_drawer(trimmed) && self.drawer(number, trimmed) {
            // Said as properties.
        } else if trimmed.len() >= 5 && trimmed.bytes().all(|byte| byte == b'-') {
            self.out.blank();
            self.out.line(number, "---");
        } else {
            self.text(number, line);
        }
    }

    fn text(&mut self, number: u32, line: &str) {
        let (column, text) = split_indent(line);
        let mut before = String::new();
        if self.quoted {
            before.push_str("> ");
        }
        let footnote = footnote(text).filter(|_| column == 0);
        // In the first column `*` would be a heading, and `+` is a list.
        let item = mark(text);
        let (lead, text) = match (&item, footnote) {
            (Some((mark, rest)), _) => {
                before.push_str(&self.lists.item(column));
                before.push_str(mark);
                match rest.split_once(" :: ") {
                    Some((term, rest)) => (format!("{before}**{}**: ", term.trim()), rest),
                    None => (before, *rest),
                }
            }
            (None, Some((name, rest))) => {
                self.lists.end();
                (format!("{before}[^{name}]: "), rest)
            }
            (None, None) => {
                before.push_str(&self.lists.text(column));
                (before, text)
            }
        };
        self.written(number, &lead, text.trim_end());
    }

    /// A line with markup inside.
    fn written(&mut self, number: u32, lead: &str, text: &str) {
        let inline = inline(text);
        self.out.at_line(number);
        self.out.push(lead);
        self.out.push_linked(&inline.text, inline.links);
        self.out.push("\n");
    }

    fn heading(&mut self, number: u32, (level, text): (usize, &str)) {
        self.headed = true;
        let mut text = text.trim();
        if let Some((before, tags)) = heading_tags(text) {
            for tag in tags.split(':') {
                add_tag(&mut self.about.tags, tag);
            }
            text = before.trim_end();
        }
        let mut lead = "#".repeat(level.min(6));
        lead.push(' ');
        if let Some((state, rest)) = text.split_once(' ').or(Some((text, "")))
            && self.states.iter().any(|known| known == state)
        {
            add_tag(&mut self.about.tags, state);
            lead.push_str(state);
            lead.push(' ');
            text = rest.trim_start();
        }
        // A priority, `[#A]`.
        if let Some(rest) = text.strip_prefix("[#")
            && let Some((priority, rest)) = rest.split_once(']')
            && priority.len() <= 2
        {
            text = rest.trim_start();
        }
        if let Some(rest) = text.strip_prefix("COMMENT ") {
            text = rest;
        }
        self.written(number, &lead, text);
    }

    /// What follows `#+`.
    fn keyword(&mut self, number: u32, keyword: &str) {
        let (name, value) = keyword
            .split_once(':')
            .map_or((keyword, ""), |(name, value)| (name, value.trim()));
        let lower = name.to_lowercase();
        if let Some(block) = lower.strip_prefix("begin_") {
            let kind = block.split_whitespace().next().unwrap_or_default();
            let rest = keyword["begin_".len() + kind.len()..].trim();
            self.block(number, kind, rest);
            return;
        }
        match lower.as_str() {
            "end_quote" | "end_verse" => {
                self.quoted = false;
                self.out.line(number, "");
            }
            "title" => {
                let title = match self.about.title.as_str() {
                    "" => value.to_owned(),
                    before => format!("{before} {value}"),
                };
                self.about.title = title::tidy(&title).unwrap_or_default();
            }
            "author" | "description" | "subtitle" | "email" => self.property(&lower, value),
            "language" => self.property("lang", value),
            "category" => self.property("categories", value),
            "date" => match dates::parse(value) {
                Some(at) => self
                    .about
                    .properties
                    .push(Property::timestamp("created", at)),
                None => self.property("date", value),
            },
            "keywords" => {
                for tag in value.split([',', ';']) {
                    add_tag(&mut self.about.tags, &tag.trim().replace(' ', "-"));
                }
            }
            "filetags" | "roam_tags" => {
                for tag in value.split([':', ' ']) {
                    add_tag(&mut self.about.tags, tag);
                }
            }
            "property" => {
                if let Some((name, value)) = value.split_once(' ') {
                    self.property(name, value.trim());
                }
            }
            "todo" | "seq_todo" | "typ_todo" => {
                let words = value.split_whitespace().filter(|word| *word != "|");
                let names = words.map(|word| word.split('(').next().unwrap_or(word).to_owned());
                self.states.extend(names.take(50));
            }
            "caption" => self.written(number, "", value),
            _ => {}
        }
    }

    /// A block; code is taken whole, of a quote only the fact.
    fn block(&mut self, number: u32, kind: &str, rest: &str) {
        match kind {
            "quote" | "verse" => {
                self.out.blank();
                self.quoted = true;
            }
            "src" | "example" | "export" | "comment" => {
                let end = format!("#+end_{kind}");
                let mut code: Vec<&str> = Vec::new();
                for (_, line) in self.lines.by_ref() {
                    if line.trim().eq_ignore_ascii_case(&end) {
                        break;
                    }
                    code.push(line);
                }
                if kind != "comment" {
                    let language = match kind {
                        "example" => "",
                        _ => rest.split_whitespace().next().unwrap_or_default(),
                    };
                    self.code(number, language, &code);
                }
            }
            _ => {}
        }
    }

    fn code(&mut self, number: u32, language: &str, code: &[&str]) {
        let before = self.lists.text(usize::MAX);
        let column = code
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start_matches(' ').len())
            .min()
            .unwrap_or(0);
        let fence = fence(code.iter().copied());
        self.out.line(number, &format!("{before}{fence}{language}"));
        for (line, code) in (number + 1..).zip(code) {
            let code = code.get(column..).unwrap_or_default();
            // A comma keeps such lines from being Org.
            let (indent, rest) = code.split_at(code.len() - code.trim_start().len());
            let rest = match rest.strip_prefix(',') {
                Some(plain) if plain.starts_with(['*', ',']) || plain.starts_with("#+") => plain,
                _ => rest,
            };
            self.out.line(line, &format!("{before}{indent}{rest}"));
        }
        self.out
            .line(number + code.len() as u32 + 1, &format!("{before}{fence}"));
    }

    /// Lines that begin with a colon.
    fn fixed_width(&mut self, number: u32, first: &'a str) {
        let mut code = vec![first];
        while let Some((_, line)) = self.lines.next_if(|(_, line)| {
            let line = line.trim();
            line == ":" || line.starts_with(": ")
        }) {
            code.push(line.trim());
        }
        let code: Vec<&str> = code
            .iter()
            .map(|line| line.get(2..).unwrap_or(""))
            .collect();
        let fence = fence(code.iter().copied());
        self.out.blank();
        self.out.at_line(number);
        self.out.push(&format!("{fence}\n"));
        self.out.at_line(number);
        self.out.push(&format!("{}\n{fence}\n", code.join("\n")));
    }

    fn table_row(&mut self, number: u32, row: &str) {
        let is_rule = |row: &str| row.starts_with("|-");
        if is_rule(row) {
            // Only the one below the first row is told in Markdown.
            return;
        }
        let row = if row.len() > 1 && row.ends_with('|') {
            row.to_owned()
        } else {
            format!("{row} |")
        };
        self.written(number, "", &row);
        if !self.in_table {
            self.in_table = true;
            let columns = row.matches('|').count().saturating_sub(1).clamp(1, 1000);
            self.out.push(&format!("|{}\n", " --- |".repeat(columns)));
        }
    }

    /// Takes a drawer, whose first line is `name`; false where it has no end.
    fn drawer(&mut self, number: u32, name: &str) -> bool {
        if number < self.no_drawer_until {
            return false;
        }
        let ahead = self.lines.clone().take(MOST_DRAWER);
        let Some(length) = ahead
            .map(|(_, line)| line.trim())
            .position(|line| line.eq_ignore_ascii_case(":end:"))
        else {
            // A drawer after half of these lines could still end after them.
            self.no_drawer_until = number.saturating_add(MOST_DRAWER as u32 / 2);
            return false;
        };
        let is_properties = name.eq_ignore_ascii_case(":properties:");
        let is_log = name.eq_ignore_ascii_case(":logbook:");
        for _ in 0..=length {
            let Some((index, line)) = self.lines.next() else {
                break;
            };
            if is_properties {
                let line = line.trim().strip_prefix(':').unwrap_or_default();
                if let Some((name, value)) = line.split_once(':')
                    && !name.eq_ignore_ascii_case("end")
                {
                    self.drawer_property(name, value.trim());
                }
            } else if !is_log && !line.trim().eq_ignore_ascii_case(":end:") {
                self.text(index as u32 + 1, line);
            }
        }
        true
    }

    fn drawer_property(&mut self, name: &str, value: &str) {
        let name = name.trim_end_matches('+').to_lowercase();
        match name.as_str() {
            // What programs keep for themselves.
            "id" | "custom_id" if self.headed => {}
            "roam_aliases" => {
                let mut rest = value;
                while let Some((alias, after)) = next_word(rest) {
                    if self.about.aliases.len() < MOST_PROPERTIES {
                        self.about.aliases.push(alias.to_owned());
                    }
                    rest = after;
                }
            }
            "roam_refs" if value.starts_with("http") => self.property("url", value),
            _ => self.property(&name, value),
        }
    }

    /// Adds a property; one that is there becomes a list.
    fn property(&mut self, name: &str, value: &str) {
        if value.is_empty() || name.is_empty() {
            return;
        }
        let new = Scalar::Text(value.to_owned());
        let properties = &mut self.about.properties;
        let Some(known) = properties.iter_mut().find(|known| known.name == name) else {
            if properties.len() < MOST_PROPERTIES {
                properties.push(Property::text(name, value));
            }
            return;
        };
        match &mut known.value {
            Value::Many(values) => {
                if values.len() < MOST_PROPERTIES && !values.contains(&new) {
                    values.push(new);
                }
            }
            Value::One(old) => {
                if *old != new {
                    known.value = Value::Many(vec![old.clone(), new]);
                }
            }
        }
    }
}

/// Level and text of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('*');
    let level = line.len() - rest.len();
    (level > 0 && rest.starts_with(' ')).then_some((level, rest))
}

/// The text before `:tag:tag:` at the end of a heading, and the tags.
fn heading_tags(text: &str) -> Option<(&str, &str)> {
    let body = text.strip_suffix(':')?;
    let start = text.rfind([' ', '\t']).map_or(0, |at| at + 1);
    let tags = body.get(start..)?.strip_prefix(':')?;
    let is_tag = |c: char| c.is_alphanumeric() || "_@#%:".contains(c);
    (!tags.is_empty() && tags.chars().all(is_tag)).then_some((&text[..start], tags))
}

fn is_drawer(line: &str) -> bool {
    let name = line
        .strip_prefix(':')
        .and_then(|rest| rest.strip_suffix(':'));
    name.is_some_and(|name| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_-".contains(c))
    })
}

/// Name and text of a footnote's definition.
fn footnote(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix("[fn:")?.split_once(']')?;
    let is_name = |c: char| c.is_alphanumeric() || "_-".contains(c);
    (!name.is_empty() && name.chars().all(is_name)).then_some((name, rest.trim_start()))
}

/// The first word, which may stand in quotes, and what follows.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('"') {
        return rest.split_once('"');
    }
    let end = text.find(' ').unwrap_or(text.len());
    (end > 0).then(|| (&text[..end], &text[end..]))
}

#[cfg(test)]
mod tests;
