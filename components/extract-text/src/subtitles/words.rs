//! The words of a cue without what is for players.

use super::Line;

/// A longer tag is no tag, in bytes.
const MOST_TAG: usize = 300;

/// The lines of a cue's text, tags, effects and entities resolved. `<v Name>`
/// and a new line begin a line.
pub(super) fn lines(raw: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut speaker: Option<String> = None;
    let mut text = String::new();
    let mut rest = raw;
    while let Some(at) = rest.find(['<', '{', '&', '\n']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, meaning) = special(rest);
        match meaning {
            Special::Break => push(&mut lines, speaker.as_deref(), &mut text),
            Special::Speaker(name) => {
                push(&mut lines, speaker.as_deref(), &mut text);
                speaker = Some(name);
            }
            Special::Nothing => {}
            Special::Text(c) => text.push(c),
        }
        rest = &rest[length..];
    }
    text.push_str(rest);
    push(&mut lines, speaker.as_deref(), &mut text);
    lines
}

fn push(lines: &mut Vec<Line>, speaker: Option<&str>, text: &mut String) {
    let plain = crate::out::one_line(text);
    text.clear();
    if !plain.is_empty() {
        lines.push(Line {
            speaker: speaker.map(str::to_owned),
            text: plain,
        });
    }
}

enum Special {
    Break,
    Speaker(String),
    Nothing,
    Text(char),
}

/// What stands at the start of `rest`, a special character, and its bytes.
fn special(rest: &str) -> (usize, Special) {
    let near = &rest[..rest.floor_char_boundary(MOST_TAG)];
    match rest.as_bytes()[0] {
        b'\n' => (1, Special::Break),
        b'<' => match near.find('>') {
            Some(end) if is_tag(&near[1..end]) => (end + 1, tag(&near[1..end])),
            _ => (1, Special::Text('<')),
        },
        b'{' => match near.find('}') {
            Some(end) if near[1..].starts_with('\\') => (end + 1, Special::Nothing),
            _ => (1, Special::Text('{')),
        },
        _ => match near.find(';') {
            Some(end) if end <= 8 => match entity(&near[1..end]) {
                Some(meaning) => (end + 1, meaning),
                None => (1, Special::Text('&')),
            },
            _ => (1, Special::Text('&')),
        },
    }
}

fn is_tag(inside: &str) -> bool {
    let name = inside.strip_prefix('/').unwrap_or(inside);
    name.is_empty() || name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

fn tag(inside: &str) -> Special {
    if inside.eq_ignore_ascii_case("br") || inside.eq_ignore_ascii_case("br/") || inside == "br /" {
        return Special::Break;
    }
    // `v Name`, `v.loud Name`.
    let Some((name, annotation)) = inside.split_once([' ', '\t']) else {
        return Special::Nothing;
    };
    let annotation = annotation.trim();
    if (name == "v" || name.starts_with("v.")) && !annotation.is_empty() {
        Special::Speaker(annotation.to_owned())
    } else {
        Special::Nothing
    }
}

fn entity(name: &str) -> Option<Special> {
    Some(match name {
        "amp" => Special::Text('&'),
        "lt" => Special::Text('<'),
        "gt" => Special::Text('>'),
        "quot" => Special::Text('"'),
        "apos" => Special::Text('\''),
        "nbsp" => Special::Text(' '),
        "lrm" | "rlm" => Special::Nothing,
        _ => {
            let code = match name.strip_prefix("#x").or_else(|| name.strip_prefix("#X")) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => name.strip_prefix('#')?.parse().ok()?,
            };
            match char::from_u32(code)? {
                '\0' => Special::Nothing,
                c => Special::Text(c),
            }
        }
    })
}
