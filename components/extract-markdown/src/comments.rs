//! Takes Obsidian's `%% comments %%` out of a text.

use crate::inline;
use extract_core::Mark;
use std::ops::Range;

/// A comment that opens or closes code for the parser makes it see the rest of
/// the text wrong, and the rest is parsed again; not more often than this, so
/// that the time stays linear.
const MAX_PARSES: usize = 8;

/// Blanks at the start of a line are looked through up to here, in bytes.
const MAX_INDENT: usize = 256;

/// What was found of comments.
pub(crate) struct Stripped {
    /// The text without comments and its marks; none when there is none.
    pub(crate) result: Option<(String, Vec<Mark>)>,
    pub(crate) warning: Option<String>,
}

/// Removes the comments of `text`, whose first character stands on line
/// `first_line` of the original. `%%` inside code or math, or after a backslash,
/// is no comment, nor is one that is never closed: losing the rest of a note
/// because it says "100%%" would be worse than showing it. Gives nothing for a
/// text without `%%`.
///
/// Only the comment itself goes; the line end after it stays, so what follows
/// keeps its place as a block.
pub(crate) fn strip(text: &str, first_line: u32) -> Option<Stripped> {
    if !text.contains("%%") {
        return None;
    }
    let Found { comments, unclosed } = find(text);
    let warning = unclosed.map(|at| {
        let line = first_line.saturating_add(newlines(&text[..at]));
        format!("The comment that %% opens on line {line} is never closed; it was read as text.")
    });
    let result = (!comments.is_empty()).then(|| cut(text, first_line, &comments));
    Some(Stripped { result, warning })
}

struct Found {
    comments: Vec<Range<usize>>,
    /// Where a comment opens that is never closed.
    unclosed: Option<usize>,
}

fn find(text: &str) -> Found {
    let mut comments: Vec<Range<usize>> = Vec::new();
    let mut masked = None;
    let mut from = 0;
    for parse in 1..=MAX_PARSES {
        let seen = masked.as_deref().unwrap_or(text);
        let code = inline::code_ranges(seen);
        let begin = from;
        let mut code = code.iter().filter(|range| range.start >= begin).peekable();
        loop {
            let Some(open) = next_opening(text, &mut from, &mut code) else {
                return Found {
                    comments,
                    unclosed: None,
                };
            };
            let Some(length) = text[open + 2..].find("%%") else {
                return Found {
                    comments,
                    unclosed: Some(open),
                };
            };
            let close = open + 2 + length + 2;
            comments.push(open..close);
            from = close;
            // Code that begins in the comment is none; where it goes on behind
            // the comment, what is code there has to be found anew.
            let mut straddles = false;
            while let Some(range) = code.next_if(|range| range.start < close) {
                straddles |= range.end > close;
            }
            if straddles && parse < MAX_PARSES {
                break;
            }
        }
        masked = Some(mask(text, &comments));
    }
    Found {
        comments,
        unclosed: None,
    }
}

/// The next `%%` from `from` on that is not in code and not escaped; moves
/// `from` past what is none.
fn next_opening<'a>(
    text: &str,
    from: &mut usize,
    code: &mut std::iter::Peekable<impl Iterator<Item = &'a Range<usize>>>,
) -> Option<usize> {
    loop {
        let at = *from + text[*from..].find("%%")?;
        while code.next_if(|range| range.end <= at).is_some() {}
        if let Some(range) = code.peek()
            && range.start <= at
        {
            *from = range.end;
            continue;
        }
        let slashes = text[..at]
            .bytes()
            .rev()
            .take_while(|&byte| byte == b'\\')
            .count();
        if slashes % 2 == 1 {
            *from = at + 1;
            continue;
        }
        return Some(at);
    }
}

/// The text with the comments made meaningless, every byte in its place: blank
/// where a comment has its lines to itself, a word where it has not.
fn mask(text: &str, comments: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for comment in comments {
        out.push_str(&text[done..comment.start]);
        let alone = starts_line(&text[..comment.start]) && ends_line(&text[comment.end..]);
        let fill = if alone { ' ' } else { 'x' };
        out.extend(text[comment.clone()].bytes().map(|byte| match byte {
            b'\n' => '\n',
            _ => fill,
        }));
        done = comment.end;
    }
    out.push_str(&text[done..]);
    out
}

/// Whether at most blanks stand between the line's start and the end of
/// `before`. Looks back a bounded way, so that asking at each of many comments
/// behind a very long blank line stays cheap.
fn starts_line(before: &str) -> bool {
    let mut back = before.bytes().rev().take(MAX_INDENT + 1);
    match back.find(|byte| !matches!(byte, b' ' | b'\t')) {
        Some(byte) => byte == b'\n',
        None => before.len() <= MAX_INDENT,
    }
}

fn ends_line(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\t']);
    after.is_empty() || after.starts_with('\n')
}

fn cut(text: &str, first_line: u32, comments: &[Range<usize>]) -> (String, Vec<Mark>) {
    let mut out = String::with_capacity(text.len());
    let mut marks = vec![Mark::line(0, first_line)];
    let mut line = first_line;
    let mut done = 0;
    for comment in comments {
        let kept = &text[done..comment.start];
        out.push_str(kept);
        let inside = newlines(&text[comment.clone()]);
        line = line.saturating_add(newlines(kept)).saturating_add(inside);
        done = comment.end;
        // Space behind a comment that began its line would become indentation,
        // and indentation can mean code.
        if starts_line(&out) {
            let rest = &text[done..];
            done += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
        if inside > 0 {
            let mark = Mark::line(out.len(), line);
            match marks.last_mut() {
                Some(last) if last.offset == mark.offset => *last = mark,
                _ => marks.push(mark),
            }
        }
    }
    out.push_str(&text[done..]);
    // At the end of the text there is no character left to place.
    while marks.last().is_some_and(|mark| mark.offset >= out.len()) {
        marks.pop();
    }
    (out, marks)
}

fn newlines(text: &str) -> u32 {
    let count = text.bytes().filter(|&byte| byte == b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
