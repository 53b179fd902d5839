//! The YAML block at the start of a note.

mod properties;
mod recover;

use crate::tags;
use crate::yaml::{self, Node};
use extract_core::Property;
use extract_core::title;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

/// A longer block is not taken for frontmatter, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// What the frontmatter says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Front {
    pub(crate) title: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) properties: Vec<Property>,
    /// Line of the file, counted from 1, that the rest of the text begins on.
    pub(crate) body_line: u32,
    pub(crate) warnings: Vec<String>,
}

/// Takes the frontmatter and the blank lines after it off the text. The block
/// starts with a line `---`, the very first, and ends with a line `---` or
/// `...`. What is never closed, or has no keys in it, or is over the limit is
/// text and stays. Expects `\n` line ends.
pub(crate) fn take(text: &mut String) -> Front {
    let nothing = |warning: Option<&str>| Front {
        body_line: 1,
        warnings: warning.map(str::to_owned).into_iter().collect(),
        ..Front::default()
    };
    let (yaml, end) = match locate(text) {
        Block::Absent => return nothing(None),
        Block::Unterminated => {
            return nothing(Some(
                "The frontmatter that line 1 opens is never closed with ---; it was read as text.",
            ));
        }
        Block::Closed { yaml, end } => (&text[yaml], end),
    };
    if yaml.len() > MAX_BYTES {
        return nothing(Some(&format!(
            "The frontmatter has {} bytes, over the limit of {MAX_BYTES}; it was read as text.",
            yaml.len()
        )));
    }
    if !recover::looks_like_keys(yaml) {
        return nothing(None);
    }
    let Some(mut front) = read(yaml) else {
        return nothing(Some(
            "The block between the --- lines at the start is not YAML; it was read as text.",
        ));
    };
    let end = skip_blank_lines(text, end);
    let lines = text[..end].bytes().filter(|&byte| byte == b'\n').count();
    front.body_line = u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1);
    text.drain(..end);
    front
}

enum Block {
    Absent,
    Unterminated,
    /// The YAML between the two lines, and where the closing line ends.
    Closed {
        yaml: Range<usize>,
        end: usize,
    },
}

fn locate(text: &str) -> Block {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next() else {
        return Block::Absent;
    };
    if first.trim_end() != "---" || !first.ends_with('\n') {
        return Block::Absent;
    }
    let start = first.len();
    let mut at = start;
    for line in lines {
        let end = at + line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return Block::Closed {
                yaml: start..at,
                end,
            };
        }
        at = end;
    }
    // A thematic break can be the first line too; what follows tells.
    match text[start..].lines().next() {
        Some(line) if recover::split_key(line).is_some() => Block::Unterminated,
        _ => Block::Absent,
    }
}

fn skip_blank_lines(text: &str, mut at: usize) -> usize {
    while let Some(length) = text[at..].find('\n') {
        if !text[at..at + length].trim().is_empty() {
            break;
        }
        at += length + 1;
    }
    at
}

/// Line of the file for a line of the YAML, both counted from 1.
fn file_line(yaml_line: usize) -> usize {
    yaml_line + 1
}

/// Reads the block; nothing when it is no frontmatter after all.
fn read(yaml: &str) -> Option<Front> {
    let mut warnings = Vec::new();
    // `tags: #one #two` is a comment to YAML.
    let hash_tags = recover::take_hash_tags(yaml);
    let rest = hash_tags.as_ref().map_or(yaml, |taken| &taken.rest);

    let entries = match yaml::parse(rest) {
        Ok(parsed) if matches!(*parsed.root, Node::Map(_)) || is_empty(&parsed.root) => {
            warn_repeated(&parsed.repeated, 1, &mut warnings);
            match &*parsed.root {
                Node::Map(entries) => entries.clone(),
                _ => Vec::new(),
            }
        }
        failed => {
            let reason = match failed {
                Err(error) => format!("line {}: {}", file_line(error.line), error.message),
                Ok(_) => "it has no keys".to_owned(),
            };
            warnings.push(format!(
                "The frontmatter is not valid YAML ({reason}); it was read key by key."
            ));
            recover::key_by_key(rest, &mut warnings)?
        }
    };

    let mut front = Front {
        properties: properties::flatten(&entries),
        ..Front::default()
    };
    for (key, node) in &entries {
        if key.eq_ignore_ascii_case("title") {
            let text = texts(node).into_iter().next();
            front.title = text.and_then(|text| title::tidy(&text)).or(front.title);
        } else if is_tags(key) {
            front.tags.extend(tag_list(node));
        } else if key.eq_ignore_ascii_case("aliases") || key.eq_ignore_ascii_case("alias") {
            front.aliases.extend(name_list(node));
        }
    }
    if let Some(taken) = hash_tags {
        front.properties.push(taken.property());
        front.tags.extend(taken.tags);
    }
    let mut seen = HashSet::new();
    front.aliases.retain(|alias| seen.insert(alias.clone()));
    front.warnings = warnings;
    Some(front)
}

fn warn_repeated(repeated: &[(String, usize)], first_line: usize, warnings: &mut Vec<String>) {
    for (key, line) in repeated {
        warnings.push(format!(
            "The frontmatter gives the key {key:?} again on line {}; the last value counts.",
            file_line(line + first_line - 1)
        ));
    }
}

fn is_empty(node: &Node) -> bool {
    matches!(node, Node::Scalar { text, plain: true } if text.is_empty())
}

fn is_tags(key: &str) -> bool {
    key.eq_ignore_ascii_case("tags") || key.eq_ignore_ascii_case("tag")
}

/// The texts of a value or of a list of values, as written.
fn texts(node: &Rc<Node>) -> Vec<String> {
    match &**node {
        Node::Scalar { text, plain: true } if crate::scalar::typed(text).is_none() => Vec::new(),
        Node::Scalar { text, .. } => vec![text.trim().to_owned()],
        Node::List(items) => items.iter().flat_map(texts).collect(),
        Node::Map(_) => Vec::new(),
    }
}

/// A list item is one tag; a text is several, between commas or else spaces.
fn tag_list(node: &Rc<Node>) -> Vec<String> {
    let mut tags = Vec::new();
    for text in texts(node) {
        if matches!(**node, Node::List(_)) && !text.starts_with('#') {
            tags.extend(tags::clean(&text));
        } else if text.contains(',') {
            tags.extend(text.split(',').filter_map(tags::clean));
        } else {
            tags.extend(text.split_whitespace().filter_map(tags::clean));
        }
    }
    tags
}

/// A list item is one name; a text is several, between commas.
fn name_list(node: &Rc<Node>) -> Vec<String> {
    let mut names = Vec::new();
    for text in texts(node) {
        if matches!(**node, Node::List(_)) {
            names.push(text);
        } else {
            names.extend(text.split(',').map(|name| name.trim().to_owned()));
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests;
