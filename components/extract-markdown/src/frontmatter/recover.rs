//! Frontmatter that is not quite YAML, read key by key.

use super::{file_line, is_tags, warn_repeated};
use crate::tags;
use crate::yaml::{self, Node};
use extract_core::{Property, Scalar, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Longer keys are taken for sentences, in bytes.
const MAX_KEY: usize = 200;

/// A key at the start of a line, with the lines that belong to it.
struct Section<'a> {
    key: &'a str,
    /// The line of the key, and those up to the next key.
    text: &'a str,
    /// Where the text begins in the YAML.
    start: usize,
    /// What stands behind the key on its line.
    rest: &'a str,
    /// Line of the YAML, counted from 1.
    line: usize,
}

/// Whether the first line that is not blank and no comment can begin a mapping,
/// or there is none.
pub(super) fn looks_like_keys(yaml: &str) -> bool {
    let mut lines = yaml
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.next().is_none_or(|line| {
        let indented = line.trim_start();
        indented.starts_with(['{', '?', '%']) || split_key(indented).is_some()
    })
}

/// Splits `key: rest`, `"key": rest` and `key:rest` at the start of a line.
pub(super) fn split_key(line: &str) -> Option<(&str, &str)> {
    if line.starts_with(|c: char| c.is_whitespace() || "#-[]{},&*!|>%@`".contains(c)) {
        return None;
    }
    for quote in ['"', '\''] {
        if let Some(inner) = line.strip_prefix(quote) {
            let (key, rest) = inner.split_once(quote)?;
            let rest = rest.trim_start().strip_prefix(':')?;
            return fitting(key, rest);
        }
    }
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find(':').map(|at| from + at) {
        if at > MAX_KEY {
            return None;
        }
        let (key, rest) = (&line[..at], &line[at + 1..]);
        let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
        let word = key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))
            && key.starts_with(char::is_alphabetic);
        if spaced || (word && !rest.starts_with(['/', ':'])) {
            return fitting(key, rest);
        }
        from = at + 1;
    }
    None
}

fn fitting<'a>(key: &'a str, rest: &'a str) -> Option<(&'a str, &'a str)> {
    let key = key.trim();
    (!key.is_empty() && key.len() <= MAX_KEY).then_some((key, rest.trim()))
}

/// The sections of the text; and the lines, counted from 1, before the first.
fn sections(yaml: &str) -> (Vec<Section<'_>>, Vec<usize>) {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut strays = Vec::new();
    let mut at = 0;
    for (index, line) in yaml.split_inclusive('\n').enumerate() {
        if let Some((key, rest)) = split_key(line.trim_end()) {
            sections.push(Section {
                key,
                text: "",
                start: at,
                rest,
                line: index + 1,
            });
        } else if sections.is_empty() && has_content(line) {
            strays.push(index + 1);
        }
        at += line.len();
    }
    let mut end = yaml.len();
    for section in sections.iter_mut().rev() {
        section.text = &yaml[section.start..end];
        end = section.start;
    }
    (sections, strays)
}

fn has_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

/// Reads each section as YAML of its own, and where that fails as text. Warns
/// of what was lost. Gives nothing when more lines are lost than kept: then it
/// is prose between two thematic breaks.
pub(super) fn key_by_key(
    yaml: &str,
    warnings: &mut Vec<String>,
) -> Option<Vec<(String, Rc<Node>)>> {
    let (sections, mut lost) = sections(yaml);
    let mut entries: Vec<(String, Rc<Node>)> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut repeated = Vec::new();
    for section in &sections {
        let read = if let Some((read, again)) = section_as_yaml(section.text) {
            warn_repeated(&again, section.line, warnings);
            read
        } else if let Some((read, _)) = first_line_as_yaml(section) {
            lost.extend(content_below(section).map(|(line, _)| line));
            read
        } else {
            let (node, unread) = section_as_text(section);
            if has_content(section.rest) {
                warnings.push(format!(
                    "The value of the frontmatter key {:?} on line {} is not valid YAML; it was read as text.",
                    section.key,
                    file_line(section.line)
                ));
            }
            lost.extend(unread);
            vec![(section.key.to_owned(), Rc::new(node))]
        };
        for (key, node) in read {
            if let Some(&at) = index.get(&key) {
                entries[at].1 = node;
                repeated.push((key, section.line));
            } else {
                index.insert(key.clone(), entries.len());
                entries.push((key, node));
            }
        }
    }
    let lines = yaml.lines().filter(|line| has_content(line)).count();
    if entries.is_empty() || lost.len() * 2 > lines {
        return None;
    }
    warn_repeated(&repeated, 1, warnings);
    for line in lost {
        warnings.push(format!(
            "Line {} of the frontmatter could not be read.",
            file_line(line)
        ));
    }
    Some(entries)
}

type Read = (Vec<(String, Rc<Node>)>, Vec<(String, usize)>);

/// The lines below that of the key which are not blank and no comments, each
/// with its number.
fn content_below<'a>(section: &Section<'a>) -> impl Iterator<Item = (usize, &'a str)> {
    let first = section.line;
    let lines = section.text.lines().enumerate().skip(1);
    lines
        .filter(|(_, line)| has_content(line))
        .map(move |(index, line)| (first + index, line))
}

/// A value that stands on the line of its key, where what follows spoils it.
fn first_line_as_yaml(section: &Section<'_>) -> Option<Read> {
    if !has_content(section.rest) || section.rest.starts_with(['|', '>']) {
        return None;
    }
    section_as_yaml(section.text.lines().next()?)
}

/// YAML forbids tabs as indentation; they stand for two spaces here.
fn section_as_yaml(text: &str) -> Option<Read> {
    let mut untabbed = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        for c in line[..line.len() - content.len()].chars() {
            untabbed.push_str(if c == '\t' { "  " } else { " " });
        }
        untabbed.push_str(content);
    }
    let parsed = yaml::parse(&untabbed).ok()?;
    match &*parsed.root {
        Node::Map(entries) => Some((entries.clone(), parsed.repeated)),
        _ => None,
    }
}

/// A value as text, or a list of texts where it looks like one; and the lines,
/// counted from 1, that had no place in it.
fn section_as_text(section: &Section<'_>) -> (Node, Vec<usize>) {
    let below = content_below(section);
    let mut unread = Vec::new();
    if matches!(section.rest, "|" | "|-" | "|+" | ">" | ">-" | ">+") {
        let lines: Vec<_> = below.map(|(_, line)| line.trim()).collect();
        return (text_node(&lines.join("\n")), unread);
    }
    if has_content(section.rest) {
        unread.extend(below.map(|(line, _)| line));
        let inner = section.rest.strip_prefix('[');
        let node = match inner.filter(|inner| !inner.starts_with('[')) {
            Some(inner) => {
                let inner = inner.strip_suffix(']').unwrap_or(inner);
                let items = inner.split(',').filter(|item| !item.trim().is_empty());
                Node::List(items.map(|item| Rc::new(item_node(item))).collect())
            }
            None => text_node(section.rest),
        };
        return (node, unread);
    }
    let mut items = Vec::new();
    for (number, line) in below {
        match line.trim().strip_prefix('-') {
            Some(item) => items.push(Rc::new(item_node(item))),
            None => unread.push(number),
        }
    }
    (Node::List(items), unread)
}

fn text_node(text: &str) -> Node {
    Node::Scalar {
        text: unquoted(text).unwrap_or(text).to_owned(),
        plain: false,
    }
}

fn item_node(item: &str) -> Node {
    let item = item.trim();
    match unquoted(item) {
        Some(inner) => text_node(inner),
        None => Node::Scalar {
            text: item.to_owned(),
            plain: true,
        },
    }
}

fn unquoted(text: &str) -> Option<&str> {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

/// Tags written with `#`, taken out of the YAML.
pub(super) struct HashTags {
    key: String,
    pub(super) tags: Vec<String>,
    /// The YAML with the section of the tags blank, line for line.
    pub(super) rest: String,
}

impl HashTags {
    /// The tags as the property they were written as.
    pub(super) fn property(&self) -> Property {
        Property {
            name: self.key.clone(),
            value: Value::Many(self.tags.iter().cloned().map(Scalar::Text).collect()),
        }
    }
}

/// Takes out `tags: #one #two`, `tags: [#one, #two]` and lists of such tags,
/// which YAML takes for comments. A `#` with a space behind it is one.
pub(super) fn take_hash_tags(yaml: &str) -> Option<HashTags> {
    if !yaml.contains('#') {
        return None;
    }
    let (sections, _) = sections(yaml);
    let section = sections.iter().rfind(|section| is_tags(section.key))?;
    let below = section.text.split_once('\n').map_or("", |(_, below)| below);
    let lines = || std::iter::once(section.rest).chain(below.lines().map(str::trim));
    if !lines().any(has_hash_tag) {
        return None;
    }
    let mut found = Vec::new();
    for line in lines() {
        let line = line.strip_prefix("- ").unwrap_or(line);
        for word in line.split(|c: char| c.is_whitespace() || ",[]\"'".contains(c)) {
            if word == "#" {
                break;
            }
            found.extend(tags::clean(word));
        }
    }
    let mut rest = yaml[..section.start].to_owned();
    rest.extend(section.text.chars().filter(|&c| c == '\n'));
    rest.push_str(&yaml[section.start + section.text.len()..]);
    Some(HashTags {
        key: section.key.to_owned(),
        tags: found,
        rest,
    })
}

/// Whether an unquoted `#` begins a word and a word follows it.
fn has_hash_tag(line: &str) -> bool {
    let mut before = ' ';
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '#'
            && (before.is_whitespace() || "[,".contains(before))
            && chars.peek().is_some_and(|next| !next.is_whitespace())
        {
            return true;
        }
        before = c;
    }
    false
}
