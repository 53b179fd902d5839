//! What mail programs write around quoted and forwarded messages, in the
//! languages they write it in.

mod words;

use words::{
    DATE_LABELS, FORWARD_PREFIXES, FORWARDED, FROM_LABELS, LIST_FOOTER, MOBILE, OPENERS, ORIGINAL,
    OTHER_LABELS, STUB, WROTE,
};

fn any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

fn begins(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.starts_with(phrase))
}

/// Longer lines are looked at no further.
const MOST_BARE: usize = 600;

/// A line in lower case without the marks of emphasis, quotation and line
/// breaks around its words.
pub(crate) fn bare(line: &str) -> String {
    let line = line.trim();
    let line = &line[..line.floor_char_boundary(MOST_BARE)];
    let kept = line
        .chars()
        .filter(|c| !matches!(c, '*' | '\\' | '`' | '\u{200E}' | '\u{200F}' | '\u{FEFF}'))
        .map(|c| {
            if c == '\u{A0}' || c == '\u{202F}' {
                ' '
            } else {
                c
            }
        });
    let text: String = kept.collect();
    text.trim_matches(|c: char| c.is_whitespace() || c == '_')
        .to_lowercase()
}

/// Longer lines are prose.
const MOST_ATTRIBUTION: usize = 400;

/// What a line before a quotation says of who wrote it and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribution {
    /// So clearly that it needs no quotation marks after it.
    Clear,
    /// Clearly where a quotation follows.
    Likely,
}

/// Judges one or several lines joined, [`bare`].
pub(crate) fn attribution(line: &str) -> Option<Attribution> {
    if line.len() > MOST_ATTRIBUTION || !line.ends_with([':', '：']) {
        return None;
    }
    let digits = line.bytes().filter(u8::is_ascii_digit).count();
    let verb = any(line, WROTE);
    let opener = begins(line, OPENERS) || line.starts_with(|c: char| c.is_ascii_digit());
    let dated = digits >= 4;
    match (verb, dated, line.contains('@')) {
        (true, true, _) if opener => Some(Attribution::Clear),
        (true, _, _) | (_, true, true) => Some(Attribution::Likely),
        _ => None,
    }
}

/// Whether lines, joined, may begin as an attribution does.
pub(crate) fn opens_attribution(line: &str) -> bool {
    begins(line, OPENERS) || line.starts_with(|c: char| c.is_ascii_digit())
}

fn between_dashes(line: &str) -> Option<&str> {
    let inner =
        line.trim_matches(|c: char| matches!(c, '-' | '_' | '=' | '–' | '—' | '>' | '<' | ' '));
    let dashes = line
        .chars()
        .take_while(|c| matches!(c, '-' | '_' | '=' | '–' | '—'))
        .count();
    (dashes >= 2 && !inner.is_empty()).then_some(inner)
}

/// Whether a [`bare`] line says that a quoted message follows.
pub(crate) fn is_original(line: &str) -> bool {
    line.len() < 120 && between_dashes(line).is_some_and(|inner| begins(inner, ORIGINAL))
}

/// Whether a [`bare`] line says that a message passed on follows.
pub(crate) fn is_forward(line: &str) -> bool {
    if line.len() > 160 {
        return false;
    }
    match between_dashes(line) {
        Some(inner) => any(inner, FORWARDED),
        None => line.ends_with([':', '：']) && begins(line, FORWARDED),
    }
}

/// Whether the subject is that of a message passed on.
pub(crate) fn is_forward_subject(subject: &str) -> bool {
    let mut rest = subject.trim().to_lowercase();
    // Replies to what was passed on are replies.
    if let Some(bracket) = rest.strip_prefix('[')
        && let Some((_, after)) = bracket.split_once(']')
    {
        rest = after.trim_start().to_owned();
    }
    begins(&rest, FORWARD_PREFIXES)
}

/// What a header line of a quoted message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    From,
    Date,
    Other,
}

/// The label of a [`bare`] line such as `sent: monday`.
pub(crate) fn label(line: &str) -> Option<Label> {
    let (label, _) = line.split_once([':', '：'])?;
    let label = label.trim();
    if label.len() > 40 {
        return None;
    }
    let is = |labels: &[&str]| labels.contains(&label);
    if is(FROM_LABELS) {
        Some(Label::From)
    } else if is(DATE_LABELS) {
        Some(Label::Date)
    } else if is(OTHER_LABELS) {
        Some(Label::Other)
    } else {
        None
    }
}

/// Whether a [`bare`] last line is what a telephone adds.
pub(crate) fn is_mobile_signature(line: &str) -> bool {
    let line = line.trim_start_matches(['[', '(', '-', '<']).trim_start();
    line.len() < 120
        && (begins(line, MOBILE)
            || MOBILE.iter().any(|phrase| {
                !phrase.is_ascii() && line.contains(phrase) && line.chars().count() < 40
            }))
}

/// Whether a [`bare`] line belongs to the footer of a mailing list.
pub(crate) fn is_list_footer(line: &str) -> bool {
    any(line, LIST_FOOTER)
}

/// Whether a plain text only stands in for the HTML.
pub(crate) fn is_stub(text: &str) -> bool {
    text.chars().count() < 400 && any(&text.to_lowercase(), STUB)
}

#[cfg(test)]
mod tests;
