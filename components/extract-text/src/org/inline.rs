//! Links and emphasis inside a line of Org.

use crate::out::{Inline, image, link};

/// Emphasis and links that are longer are none, in bytes.
const MOST: usize = 2000;

/// Converts a line.
pub(super) fn inline(line: &str) -> Inline {
    let mut done = Inline::default();
    let mut rest = line;
    let mut before = None;
    let mut unclosed = Unclosed::default();
    while let Some(at) = rest.find(['[', '*', '/', '=', '~', '+', '_', '<']) {
        done.text.push_str(&rest[..at]);
        before = rest[..at].chars().next_back().or(before);
        rest = &rest[at..];
        let near = &rest[..rest.floor_char_boundary(MOST)];
        let taken = match near.as_bytes()[0] {
            b'[' => bracket(near, &mut done),
            b'<' => time(near, &mut done),
            _ => {
                let at = line.len() - rest.len();
                emphasis(near, at, before, &mut unclosed, &mut done)
            }
        };
        let taken = taken.unwrap_or_else(|| {
            done.text.push_str(&near[..1]);
            1
        });
        before = rest[..taken].chars().next_back();
        rest = &rest[taken..];
    }
    done.text.push_str(rest);
    done
}

/// A link or a footnote; answers its bytes.
fn bracket(near: &str, done: &mut Inline) -> Option<usize> {
    if let Some(inside) = near.strip_prefix("[[") {
        let end = inside.find("]]")?;
        let (target, label) = match inside[..end].split_once("][") {
            Some((target, label)) => (target, label),
            None => (&inside[..end], ""),
        };
        let target = target.trim().trim_start_matches("file:");
        let heading;
        let target = match target.strip_prefix('*') {
            // A heading of the same file.
            Some(name) => {
                heading = format!("#{name}");
                &heading
            }
            // What is searched for in a file stands after it.
            None if !target.contains("://") => target.split("::").next().unwrap_or(target),
            None => target,
        };
        if is_picture(target) {
            done.push_link(image(label, target));
        } else {
            // Marks around a label would be shown.
            let label = label.trim_matches(|c| matches!(c, '=' | '~' | '*' | '/'));
            done.push_link(link(label, target));
        }
        return Some(2 + end + 2);
    }
    let inside = near.strip_prefix("[fn:")?;
    let end = inside.find(']')?;
    let (name, text) = inside[..end]
        .split_once(':')
        .unwrap_or((&inside[..end], ""));
    if text.is_empty() {
        done.text.push_str(&format!("[^{name}]"));
    } else {
        done.text.push_str(&format!(" ({})", text.trim()));
    }
    Some("[fn:".len() + end + 1)
}

fn is_picture(target: &str) -> bool {
    let extension = target
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    ["png", "jpg", "jpeg", "gif", "svg", "webp"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

/// A time `<2024-01-02 Tue>`, or an address `<https://...>`, which stays.
fn time(near: &str, done: &mut Inline) -> Option<usize> {
    let end = near.find('>')?;
    let inside = &near[1..end];
    let is_time = inside.len() >= 10
        && inside.as_bytes()[..4].iter().all(u8::is_ascii_digit)
        && inside.as_bytes()[4] == b'-';
    is_time.then(|| {
        done.text.push_str(inside);
        end + 1
    })
}

/// Up to which byte of the line each sign of emphasis is known to close
/// nothing, so that it is looked for only once.
#[derive(Default)]
struct Unclosed([usize; 6]);

impl Unclosed {
    fn of(&mut self, marker: u8) -> &mut usize {
        let index = b"*/=~+".iter().position(|&known| known == marker);
        &mut self.0[index.unwrap_or(5)]
    }
}

/// Emphasis, `at` that byte of the line: what it may touch on each side is
/// Org's rule.
fn emphasis(
    near: &str,
    at: usize,
    before: Option<char>,
    unclosed: &mut Unclosed,
    done: &mut Inline,
) -> Option<usize> {
    let opens = before.is_none_or(|c| c.is_whitespace() || "-–—({'\"|>".contains(c));
    let marker = near.as_bytes()[0];
    let first = near[1..].chars().next()?;
    if !opens || first.is_whitespace() || first == char::from(marker) {
        return None;
    }
    let unclosed = unclosed.of(marker);
    let from = near.ceil_char_boundary(unclosed.saturating_sub(at).clamp(1, near.len()));
    let end = near[from..]
        .match_indices(char::from(marker))
        .map(|(found, _)| from + found)
        .find(|&end| {
            let inside = !near[..end].ends_with(char::is_whitespace) && end > 1;
            let after = near[end + 1..].chars().next();
            inside && after.is_none_or(|c| c.is_whitespace() || "-–—.,;:!?')}\"[|".contains(c))
        });
    let Some(end) = end else {
        *unclosed = at + near.len();
        return None;
    };
    let inside = &near[1..end];
    let around = match marker {
        b'*' => "**",
        b'/' => "*",
        b'+' => "~~",
        b'=' | b'~' if inside.contains('`') => "``",
        b'=' | b'~' => "`",
        // Underlined: Markdown has no such thing.
        _ => "",
    };
    // Links inside emphasis are rare; the words count.
    done.text.push_str(around);
    if around.starts_with('`') {
        done.text.push_str(inside);
    } else {
        done.text.push_str(&without_links(inside));
    }
    done.text.push_str(around);
    Some(end + 1)
}

/// `[[target][label]]` as its label.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((inside, after)) = after.split_once("]]") else {
            break;
        };
        plain.push_str(before);
        plain.push_str(inside.split_once("][").map_or(inside, |(_, label)| label));
        rest = after;
    }
    plain.push_str(rest);
    plain
}
