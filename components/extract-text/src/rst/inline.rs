//! Links, code and roles inside a line of reStructuredText.

use crate::out::{Inline, link};

use super::Targets;

/// What is longer is no markup, in bytes.
const MOST: usize = 2000;

/// Roles whose text is a name out of code.
const CODE_ROLES: [&str; 22] = [
    "attr",
    "class",
    "code",
    "command",
    "const",
    "data",
    "envvar",
    "exc",
    "file",
    "func",
    "kbd",
    "keyword",
    "literal",
    "meth",
    "mod",
    "obj",
    "option",
    "program",
    "samp",
    "token",
    "type",
    "term-code",
];

/// Converts a line.
pub(super) fn inline(line: &str, targets: &Targets) -> Inline {
    let mut done = Inline::default();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '[', '_', '|']) {
        let (before, after) = rest.split_at(at);
        let near = &after[..after.floor_char_boundary(MOST)];
        let taken = match near.as_bytes()[0] {
            b'`' => backtick(before, near, targets, &mut done),
            b'[' => footnote(before, near, &mut done),
            b'|' => substitution(before, near, &mut done),
            _ => reference(before, near, targets, &mut done),
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

/// What begins with a backtick; answers its bytes. `before` has not been
/// written.
fn backtick(before: &str, near: &str, targets: &Targets, done: &mut Inline) -> Option<usize> {
    if let Some(inside) = near.strip_prefix("``") {
        let end = inside.find("``").filter(|&end| end > 0)?;
        done.text.push_str(before);
        push_code(&inside[..end], done);
        return Some(end + 4);
    }
    let inside = &near[1..];
    let end = inside.find('`').filter(|&end| end > 0)?;
    let (content, after) = (&inside[..end], &inside[end + 1..]);
    let mut length = end + 2;
    let (text, target) = match content
        .strip_suffix('>')
        .and_then(|open| open.rsplit_once('<'))
    {
        Some((text, target)) => (text.trim(), Some(target.trim())),
        None => (content, None),
    };
    if after.starts_with('_') {
        let unnamed = after.starts_with("__");
        length += if unnamed { 2 } else { 1 };
        done.text.push_str(before);
        let known = match target {
            Some(target) => Some(target),
            None if unnamed => targets.next_unnamed(),
            None => targets.named(text),
        };
        match known {
            Some(target) => done.push_link(link(text, resolve(target, targets))),
            None => done.text.push_str(text),
        }
        return Some(length);
    }
    // A role before or after.
    let role = role_before(before);
    if let Some(role) = role {
        done.text.push_str(&before[..before.len() - role.len() - 2]);
    } else {
        done.text.push_str(before);
    }
    let trailing = after
        .strip_prefix(':')
        .and_then(|rest| rest.find(':').map(|end| &rest[..end]))
        .filter(|name| is_role(name));
    if role.is_none()
        && let Some(name) = trailing
    {
        length += name.len() + 2;
    }
    let name = role.or(trailing).unwrap_or_default();
    let name = name.rsplit(':').next().unwrap_or(name);
    let shown = text.trim_start_matches(['~', '!']);
    // What has no role mostly is meant as code.
    if name.is_empty() || CODE_ROLES.contains(&name) {
        push_code(shown, done);
    } else if name == "math" {
        done.text.push_str(&format!("${content}$"));
    } else if matches!(name, "doc" | "download") {
        let target = target.unwrap_or(content);
        let label = if text == target { "" } else { text };
        done.push_link(link(label, target));
    } else {
        done.text.push_str(shown);
    }
    Some(length)
}

fn push_code(code: &str, done: &mut Inline) {
    let around = if code.contains('`') { "``" } else { "`" };
    done.text.push_str(&format!("{around}{code}{around}"));
}

/// A target may name another: `other_`.
fn resolve<'a>(target: &'a str, targets: &'a Targets) -> &'a str {
    let name = target.strip_suffix('_');
    name.and_then(|name| targets.named(name)).unwrap_or(target)
}

/// The role that ends the text before a backtick: `:name:`.
fn role_before(before: &str) -> Option<&str> {
    let rest = before.strip_suffix(':')?;
    let start = rest
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || "-_.+:".contains(c)))
        .map_or(0, |at| {
            at + rest[at..].chars().next().map_or(1, char::len_utf8)
        });
    let name = rest[start..].strip_prefix(':')?;
    is_role(name).then_some(name)
}

fn is_role(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 40
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.+:".contains(&byte))
}

/// `[1]_` and `[name]_`.
fn footnote(before: &str, near: &str, done: &mut Inline) -> Option<usize> {
    let end = near.find("]_").filter(|&end| end > 1)?;
    let name = &near[1..end];
    let sound = name
        .chars()
        .all(|c| c.is_alphanumeric() || "#*-_.".contains(c));
    sound.then(|| {
        done.text.push_str(before);
        done.text
            .push_str(&format!("[^{}]", name.trim_start_matches('#')));
        end + 2
    })
}

/// `|name|` says what it is replaced with, more or less.
fn substitution(before: &str, near: &str, done: &mut Inline) -> Option<usize> {
    let end = near[1..].find('|')? + 1;
    let name = &near[1..end];
    let sound = !name.is_empty()
        && !name.starts_with(' ')
        && !name.ends_with(' ')
        && !before.ends_with(|c: char| c.is_alphanumeric());
    sound.then(|| {
        done.text.push_str(before);
        done.text.push_str(name);
        // With `_` it is a link as well.
        let rest = &near[end + 1..];
        end + 1 + (rest.len() - rest.trim_start_matches('_').len()).min(2)
    })
}

/// `name_`, where the document defines that name.
fn reference(before: &str, near: &str, targets: &Targets, done: &mut Inline) -> Option<usize> {
    if near[1..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || "-.+".contains(c)))
        .map_or(0, |at| {
            at + before[at..].chars().next().map_or(1, char::len_utf8)
        });
    let name = &before[start..];
    let target = targets.named(name).filter(|_| !name.is_empty())?;
    done.text.push_str(&before[..start]);
    done.push_link(link(name, target));
    Some(1)
}
