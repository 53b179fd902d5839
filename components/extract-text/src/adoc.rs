//! AsciiDoc, line by line.

use extract_core::{Document, Property, title};

use crate::dates;
use crate::out::{Inline, Out, add_tag, escape_before, fence, image, link, numbered};

/// Markup that is longer is none, in bytes.
const MOST: usize = 2000;

/// Reads a document.
pub(crate) fn read(text: &str) -> Document {
    let lines: Vec<(u32, &str)> = numbered(text).collect();
    let mut adoc = Adoc::default();
    let mut at = 0;
    while at < lines.len() {
        at = adoc.step(&lines, at);
    }
    let written = adoc.out.finish();
    Document {
        text: written.text,
        marks: written.marks,
        links: written.links,
        ..adoc.about
    }
}

#[derive(Default)]
struct Adoc {
    out: Out,
    about: Document,
    /// Language of the block that comes next.
    language: String,
    /// Columns of the table that is open; 0 before its first row.
    table: Option<usize>,
}

impl Adoc {
    /// Takes one or more lines; answers which is next.
    fn step(&mut self, lines: &[(u32, &str)], at: usize) -> usize {
        let (number, line) = lines[at];
        let line = line.trim_end();
        let next = at + 1;
        if line.is_empty() {
            self.out.line(number, "");
        } else if let Some(kind) = block(line) {
            return self.block(lines, at, line, kind);
        } else if line == "|===" {
            if self.table.take().is_none() {
                self.table = Some(0);
                self.out.blank();
            }
        } else if self.table.is_some() && line.starts_with('|') {
            self.table_row(number, line);
        } else if line.starts_with("//") {
            // A comment.
        } else if let Some(level) = heading(line) {
            let words = line[level..].trim();
            if level == 1 && self.about.title.is_empty() {
                self.about.title = title::tidy(words).unwrap_or_default();
                self.written(number, "# ", words);
                return self.revision(lines, next);
            }
            self.written(number, &format!("{} ", "#".repeat(level.min(6))), words);
        } else if let Some(attribute) = attribute(line) {
            self.tell(attribute);
        } else if line.starts_with('[') && line.ends_with(']') {
            let mut words = line[1..line.len() - 1].split(',').map(str::trim);
            if words
                .next()
                .is_some_and(|kind| matches!(kind, "source" | "source%linenums"))
            {
                self.language = words.next().unwrap_or_default().to_owned();
            }
        } else if line == "+" || line.starts_with("toc::") {
            // An item goes on; a table of contents.
        } else if line == "'''" || line == "<<<" {
            self.out.blank();
            self.out.line(number, "---");
        } else {
            self.text(number, line);
        }
        next
    }

    /// Author and revision below the title.
    fn revision(&mut self, lines: &[(u32, &str)], mut at: usize) -> usize {
        let Some((_, author)) = lines.get(at).filter(|(_, line)| {
            line.starts_with(char::is_alphabetic)
                && (line.contains('<') || line.split(' ').count() < 5)
        }) else {
            return at;
        };
        let author = author.split('<').next().unwrap_or_default().trim();
        self.about.properties.push(Property::text("author", author));
        at += 1;
        if let Some((_, line)) = lines.get(at)
            && (line.starts_with('v') || line.starts_with(|c: char| c.is_ascii_digit()))
        {
            let date = line
                .split(',')
                .find_map(|part| dates::parse(part.split(':').next()?));
            self.about
                .properties
                .extend(date.map(|at| Property::timestamp("created", at)));
            at += 1;
        }
        at
    }

    fn tell(&mut self, (name, value): (&str, &str)) {
        match name {
            _ if value.is_empty() => {}
            "author" | "description" | "email" => {
                self.about.properties.push(Property::text(name, value))
            }
            "lang" => self.about.properties.push(Property::text("lang", value)),
            "revdate" | "date" => {
                let at = dates::parse(value).map(|at| Property::timestamp("created", at));
                self.about.properties.extend(at);
            }
            "keywords" | "tags" | "page-tags" => {
                for tag in value.split(',') {
                    add_tag(&mut self.about.tags, &tag.trim().replace(' ', "-"));
                }
            }
            _ => {}
        }
    }

    /// A block between two equal lines.
    fn block(&mut self, lines: &[(u32, &str)], at: usize, line: &str, kind: Block) -> usize {
        let language = std::mem::take(&mut self.language);
        if kind == Block::Open {
            return at + 1;
        }
        let rest = &lines[at + 1..];
        let length = rest
            .iter()
            .position(|(_, other)| other.trim_end() == line)
            .unwrap_or(rest.len());
        if kind == Block::Code {
            let code = &rest[..length];
            let fence = fence(code.iter().map(|(_, line)| *line));
            self.out.blank();
            self.out.line(lines[at].0, &format!("{fence}{language}"));
            for (number, line) in code {
                self.out.line(*number, line.trim_end());
            }
            self.out.push(&format!("{fence}\n"));
        }
        at + 1 + length + 1
    }

    fn table_row(&mut self, number: u32, line: &str) {
        let cells = line.matches('|').count();
        self.written(number, "", &format!("{} |", line.replace("a|", "|")));
        if self.table == Some(0) {
            self.out
                .push(&format!("|{}\n", " --- |".repeat(cells.min(1000))));
            self.table = Some(cells);
        }
    }

    fn text(&mut self, number: u32, line: &str) {
        let text = line.trim_start();
        let bullets = text.len() - text.trim_start_matches('*').len();
        let dots = text.len() - text.trim_start_matches('.').len();
        for (count, mark) in [(bullets, "- "), (dots, "1. ")] {
            if count > 0 && text[count..].starts_with(' ') {
                let lead = format!("{}{mark}", " ".repeat((count - 1).min(8) * 4));
                self.written(number, &lead, text[count..].trim_start());
                return;
            }
        }
        if let Some(words) = text.strip_prefix("- ") {
            self.written(number, "- ", words);
        } else if dots == 1 && text.len() > 1 {
            // The title of a block.
            self.written(number, "**", &format!("{}**", &text[1..]));
        } else if let Some((term, words)) = text.split_once(":: ") {
            self.written(number, "- ", &format!("*{term}*: {words}"));
        } else if let Some(term) = text.strip_suffix("::") {
            self.written(number, "- ", &format!("*{term}*"));
        } else {
            let text = text.trim_end_matches(" +");
            self.written(number, escape_before(text), text);
        }
    }

    fn written(&mut self, number: u32, lead: &str, text: &str) {
        let inline = inline(text);
        self.out.at_line(number);
        self.out.push(lead);
        self.out.push_linked(&inline.text, inline.links);
        self.out.push("\n");
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Code,
    Comment,
    /// What is inside is text as outside.
    Open,
}

fn block(line: &str) -> Option<Block> {
    let all = |sign: u8| line.len() >= 4 && line.bytes().all(|byte| byte == sign);
    if all(b'-') || all(b'.') || all(b'+') || line == "```" {
        Some(Block::Code)
    } else if all(b'/') {
        Some(Block::Comment)
    } else if all(b'=') || all(b'*') || all(b'_') || line == "--" {
        Some(Block::Open)
    } else {
        None
    }
}

fn heading(line: &str) -> Option<usize> {
    let level = line.len() - line.trim_start_matches('=').len();
    ((1..=6).contains(&level) && line[level..].starts_with(' ')).then_some(level)
}

/// `:name: value`.
fn attribute(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_!".contains(&byte);
    (!name.is_empty() && name.bytes().all(is_name)).then_some((name, value.trim()))
}

/// Links, images and emphasis inside a line.
fn inline(text: &str) -> Inline {
    let mut done = Inline::default();
    // Words that are passed on as they are.
    let text = &text.replace("`+", "`").replace("+`", "`");
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['[', '*', '<']) {
        let (before, after) = rest.split_at(at);
        let near = &after[..after.floor_char_boundary(MOST)];
        let taken = match near.as_bytes()[0] {
            b'[' => bracket(before, near, &mut done),
            b'<' => cross_reference(before, near, &mut done),
            _ => bold(before, near, &mut done),
        };
        let taken = taken.unwrap_or_else(|| {
            done.text.push_str(before);
            done.text.push_str(&near[..1]);
            1
        });
        rest = &after[taken..];
    }
    done.text.push_str(rest);
    done
}

/// `https://address[label]`, `link:target[label]`, `image:target[alt]`.
fn bracket(before: &str, near: &str, done: &mut Inline) -> Option<usize> {
    let end = near.find(']')?;
    let start = before
        .rfind([' ', '(', '"', '|', '\t'])
        .map_or(0, |at| at + 1);
    let macro_ = &before[start..];
    let label = near[1..end]
        .split(",window=")
        .next()
        .unwrap_or_default()
        .trim_end_matches('^');
    let made = if macro_.starts_with("http://")
        || macro_.starts_with("https://")
        || macro_.starts_with("mailto:")
    {
        link(label, macro_)
    } else if let Some(target) = macro_
        .strip_prefix("link:")
        .or_else(|| macro_.strip_prefix("xref:"))
    {
        link(label, target)
    } else if let Some(target) = macro_.strip_prefix("image:") {
        image(
            label.split(',').next().unwrap_or_default(),
            target.trim_start_matches(':'),
        )
    } else if macro_.starts_with("footnote:") {
        (format!(" ({label})"), None)
    } else {
        return None;
    };
    done.text.push_str(&before[..start]);
    done.push_link(made);
    Some(end + 1)
}

/// `<<anchor,label>>`.
fn cross_reference(before: &str, near: &str, done: &mut Inline) -> Option<usize> {
    let end = near.strip_prefix("<<")?.find(">>")?;
    let inside = &near[2..2 + end];
    done.text.push_str(before);
    done.text.push_str(
        inside
            .split_once(',')
            .map_or(inside, |(_, label)| label.trim()),
    );
    Some(end + 4)
}

/// `*bold*`.
fn bold(before: &str, near: &str, done: &mut Inline) -> Option<usize> {
    if near.starts_with("**") || before.ends_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let end = near[1..].find('*')? + 1;
    let inside = &near[1..end];
    let sound = !inside.is_empty()
        && !inside.starts_with(' ')
        && !inside.ends_with(' ')
        && !near[end + 1..].starts_with(|c: char| c.is_alphanumeric() || c == '*');
    sound.then(|| {
        done.text.push_str(before);
        done.text.push_str(&format!("**{inside}**"));
        end + 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_converted() {
        let document = read(
            "= The Title\nAda L. <ada@e.example>\nv1.0, 2024-03-01\n:keywords: one, two\n\nText with *bold*, https://e.example/[a link] and <<sec,that>>.\n\n== Section\n\n[source,rust]\n----\nfn main() {}\n----\n\n* one\n** two\n. first\nterm:: what\n\n|===\n|A |B\n|1 |2\n|===\n\n// comment\nNOTE: end\n",
        );
        assert_eq!(
            document.text,
            "# The Title\n\nText with **bold**, [a link](https://e.example/) and that.\n\n## Section\n\n```rust\nfn main() {}\n```\n\n- one\n    - two\n1. first\n- **term**: what\n\n|A |B |\n| --- | --- |\n|1 |2 |\n\nNOTE: end\n"
        );
        assert_eq!(document.title, "The Title");
        assert_eq!(document.tags, ["one", "two"]);
        assert_eq!(document.properties[0], Property::text("author", "Ada L."));
        let link = &document.links[0];
        assert_eq!(
            &document.text[link.span.start..link.span.end],
            "[a link](https://e.example/)"
        );
        let at = document.text.find("NOTE").unwrap();
        assert!(document.marks.contains(&extract_core::Mark::line(at, 26)));
    }
}
