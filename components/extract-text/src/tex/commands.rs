//! LaTeX's commands inside a line.

use crate::out::{Inline, link};

/// Arguments are looked for this far, in bytes.
const MOST: usize = 4000;
/// Arguments in arguments are resolved down to this depth.
const DEEPEST: usize = 6;

/// The argument in braces at the start, and what follows.
pub(super) fn argument(text: &str) -> Option<(&str, &str)> {
    let start = text.len() - text.trim_start().len();
    let near = &text[..text.floor_char_boundary(MOST)];
    let mut depth = 0usize;
    for (at, byte) in near.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((&text[start + 1..at], &text[at + 1..]));
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// A text without its commands.
pub(super) fn plain(text: &str) -> Inline {
    let mut done = Inline::default();
    resolve(text, &mut done, 0);
    done
}

fn resolve(text: &str, done: &mut Inline, depth: usize) {
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '~', '{', '}', '-', '`', '\'', '$']) {
        done.text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, text) = match rest.as_bytes()[0] {
            b'~' => (1, " "),
            b'{' | b'}' => (1, ""),
            b'-' if rest.starts_with("---") => (3, "—"),
            b'-' if rest.starts_with("--") => (2, "–"),
            b'`' if rest.starts_with("``") => (2, "“"),
            b'\'' if rest.starts_with("''") => (2, "”"),
            b'`' => (1, "‘"),
            b'$' => {
                // A formula stays as it is.
                let near = &rest[1..rest.floor_char_boundary(MOST)];
                let end = near.find('$').map_or(1, |end| end + 2);
                (end, &rest[..end])
            }
            b'\\' => {
                rest = command(rest, done, depth);
                continue;
            }
            _ => (1, &rest[..1]),
        };
        done.text.push_str(text);
        rest = &rest[length..];
    }
    done.text.push_str(rest);
}

/// Resolves the command at the start; answers what follows it.
fn command<'a>(text: &'a str, done: &mut Inline, depth: usize) -> &'a str {
    let rest = &text[1..];
    let end = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    if end == 0 {
        let mut chars = rest.chars();
        match chars.next() {
            Some('\\') => done.text.push(' '),
            // Accents: `\"a`, `\'{e}`.
            Some(sign @ ('"' | '\'' | '`' | '^' | '~' | '=' | '.')) => {
                return accent(sign, chars.as_str(), done);
            }
            Some('(' | ')') => done.text.push('$'),
            Some(',' | ';' | ' ' | '!' | '/' | '-') => {}
            Some(c) => done.text.push(c),
            None => {}
        }
        return chars.as_str();
    }
    let (name, mut after) = (&rest[..end], &rest[end..]);
    if matches!(name, "ss" | "LaTeX" | "TeX" | "ldots" | "dots" | "item") {
        done.text.push_str(match name {
            "ss" => "ß",
            "ldots" | "dots" => "…",
            "item" => "- ",
            other => other,
        });
        return after
            .strip_prefix("{}")
            .unwrap_or(after.strip_prefix(' ').unwrap_or(after));
    }
    after = after.trim_start_matches('*');
    if let Some(options) = after.strip_prefix('[')
        && let Some((_, rest)) = options.split_once(']')
    {
        after = rest;
    }
    let Some((first, rest)) = argument(after).filter(|_| after.starts_with('{')) else {
        // A command without arguments; the blank after it ends its name.
        return after.strip_prefix(' ').unwrap_or(after);
    };
    let around = match name {
        "textbf" | "strong" => "**",
        "emph" | "textit" | "textsl" => "*",
        "texttt" | "code" | "verb" => "`",
        _ => "",
    };
    match name {
        "href" => {
            if let Some((label, rest)) = argument(rest) {
                let label = plain_words(label, depth);
                done.push_link(link(&label, &first.replace('\\', "")));
                return rest;
            }
        }
        "url" => done.push_link(link("", &first.replace('\\', ""))),
        "label" | "vspace" | "hspace" | "input" | "include" | "bibliography"
        | "bibliographystyle" | "usepackage" | "pagestyle" | "setlength" | "index" => {}
        "includegraphics" => done.push_link(crate::out::image("", first)),
        "footnote" => {
            done.text
                .push_str(&format!(" ({})", plain_words(first, depth)));
        }
        "cite" | "citep" | "citet" | "ref" | "eqref" | "cref" | "autoref" | "pageref" => {
            done.text.push_str(&format!("[{first}]"));
        }
        _ => {
            done.text.push_str(around);
            if depth < DEEPEST {
                resolve(first, done, depth + 1);
            } else {
                done.text.push_str(first);
            }
            done.text.push_str(around);
        }
    }
    rest
}

fn plain_words(text: &str, depth: usize) -> String {
    let mut done = Inline::default();
    if depth < DEEPEST {
        resolve(text, &mut done, depth + 1);
    }
    done.text
}

/// A letter with an accent.
fn accent<'a>(sign: char, text: &'a str, done: &mut Inline) -> &'a str {
    let (letter, rest) = match text.strip_prefix('{').and_then(|open| open.split_once('}')) {
        Some((letter, rest)) => (letter, rest),
        None => text.split_at(text.chars().next().map_or(0, char::len_utf8)),
    };
    let letter = match letter {
        "\\i" => "i",
        other => other,
    };
    const KNOWN: [(char, &str, &str); 7] = [
        ('"', "aeiouyAEIOUY", "äëïöüÿÄËÏÖÜŸ"),
        ('\'', "aeiouyAEIOUYcnsz", "áéíóúýÁÉÍÓÚÝćńśź"),
        ('`', "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
        ('^', "aeiouAEIOU", "âêîôûÂÊÎÔÛ"),
        ('~', "anoANO", "ãñõÃÑÕ"),
        ('=', "aeiou", "āēīōū"),
        ('.', "zZe", "żŻė"),
    ];
    let found = KNOWN
        .iter()
        .find(|(known, ..)| *known == sign)
        .and_then(|(_, from, to)| {
            let mut chars = letter.chars();
            let (first, None) = (chars.next()?, chars.next()) else {
                return None;
            };
            let at = from.chars().position(|c| c == first)?;
            to.chars().nth(at)
        });
    match found {
        Some(c) => done.text.push(c),
        None => done.text.push_str(letter),
    }
    rest
}
