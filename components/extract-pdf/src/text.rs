//! Paragraphs -> Markdown, with a mark for each page.

use std::collections::HashSet;

use extract_core::Mark;

use crate::paragraphs::Paragraph;

/// Words with a hyphen remembered, to know which keep it at a line's end.
const MOST_HYPHENATED: usize = 100_000;

/// The Markdown of all pages.
pub(crate) fn markdown(pages: &[Vec<Paragraph>]) -> (String, Vec<Mark>) {
    let hyphenated = hyphenated(pages);
    let mut text = String::new();
    let mut marks = Vec::new();
    for (index, paragraphs) in pages.iter().enumerate() {
        let mut first = true;
        for paragraph in paragraphs {
            // A word may go on in the next column.
            let goes_on = !first
                && paragraph.level.is_none()
                && paragraph.lines.first().is_some_and(|line| {
                    joins(&text, line, &hyphenated).is_some()
                });
            if !text.is_empty() && !goes_on {
                text.push_str("\n\n");
            }
            if first {
                let page = u32::try_from(index + 1).unwrap_or(u32::MAX);
                marks.push(Mark::page(text.len(), page));
                first = false;
            }
            write(&mut text, paragraph, goes_on, &hyphenated);
        }
    }
    (text, marks)
}

fn write(
    text: &mut String,
    paragraph: &Paragraph,
    mut goes_on: bool,
    hyphenated: &HashSet<String>,
) {
    if let Some(level) = paragraph.level {
        text.extend(std::iter::repeat_n('#', usize::from(level)));
        text.push(' ');
        let heading = paragraph.lines.join(" ");
        text.push_str(&escape_tags(heading.trim_start_matches('#').trim_start()));
        return;
    }
    for (index, line) in paragraph.lines.iter().enumerate() {
        if index > 0 || goes_on {
            match joins(text, line, hyphenated) {
                Some(Join::WithHyphen) => {
                    text.push_str(&escape_tags(line));
                    continue;
                }
                Some(Join::WithoutHyphen) => {
                    text.pop();
                    text.push_str(&escape_tags(line));
                    continue;
                }
                None if index > 0 => text.push('\n'),
                None => {}
            }
        }
        goes_on = false;
        text.push_str(&escape(line));
    }
}

/// How a word goes on behind a hyphen at a line's end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Join {
    WithHyphen,
    WithoutHyphen,
}

/// Whether the last word of `text` goes on with `line`.
fn joins(text: &str, line: &str, hyphenated: &HashSet<String>) -> Option<Join> {
    let hyphen = text.chars().next_back()?;
    if !matches!(hyphen, '-' | '\u{2010}' | '\u{AD}') {
        return None;
    }
    let before = &text[..text.len() - hyphen.len_utf8()];
    if !before.chars().next_back()?.is_alphabetic() {
        return None;
    }
    if hyphen == '\u{AD}' {
        return Some(Join::WithoutHyphen);
    }
    if !line.chars().next()?.is_lowercase() {
        return None;
    }
    let start = before
        .char_indices()
        .rev()
        .find(|(_, c)| !is_in_word(*c))
        .map_or(0, |(at, c)| at + c.len_utf8());
    let end = line.find(|c| !is_in_word(c)).unwrap_or(line.len());
    let word = format!("{}-{}", &before[start..], &line[..end]).to_lowercase();
    Some(if hyphenated.contains(&word) {
        Join::WithHyphen
    } else {
        Join::WithoutHyphen
    })
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '\u{2010}')
}

/// The words that have a hyphen within a line: it is a part of them.
fn hyphenated(pages: &[Vec<Paragraph>]) -> HashSet<String> {
    let mut out = HashSet::new();
    let lines = pages.iter().flatten().flat_map(|paragraph| &paragraph.lines);
    for word in lines.flat_map(|line| line.split(|c| !is_in_word(c))) {
        let inner = word.trim_matches(['-', '\u{2010}']);
        if inner.contains(['-', '\u{2010}']) && inner.len() < 100 {
            out.insert(inner.replace('\u{2010}', "-").to_lowercase());
            if out.len() == MOST_HYPHENATED {
                break;
            }
        }
    }
    out
}

/// A line as Markdown that means it: what would begin a heading, a quote, code
/// or a rule is escaped, and bullets are list items.
fn escape(line: &str) -> String {
    let mut rest = line;
    let mut out = String::with_capacity(line.len() + 2);
    let mut signs = line.chars();
    if let (Some('•' | '●' | '▪' | '■' | '◦' | '‣' | '⁃' | '∙'), Some(' ')) =
        (signs.next(), signs.next())
        && !signs.as_str().trim().is_empty()
    {
        out.push_str("- ");
        rest = signs.as_str().trim_start();
    }
    if begins_markup(rest) {
        out.push('\\');
    }
    out.push_str(&escape_tags(rest));
    out
}

fn begins_markup(line: &str) -> bool {
    let hashes = line.bytes().take_while(|&byte| byte == b'#').count();
    let heading = (1..=6).contains(&hashes)
        && line[hashes..].chars().next().is_none_or(char::is_whitespace);
    let rule = line.chars().next().is_some_and(|first| {
        matches!(first, '-' | '=' | '_' | '*')
            && line.chars().all(|c| c == first || c.is_whitespace())
    });
    heading || rule || line.starts_with('>') || line.starts_with("```") || line.starts_with("~~~")
}

/// `<b>` is text here, no HTML.
fn escape_tags(line: &str) -> String {
    if !line.contains('<') {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len() + 4);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let tag = chars
            .peek()
            .is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
        if c == '<' && tag {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(paragraphs: &[&[&str]]) -> Vec<Paragraph> {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        paragraphs
            .iter()
            .map(|of| Paragraph {
                lines: lines(of),
                level: None,
            })
            .collect()
    }

    fn text(paragraphs: &[&[&str]]) -> String {
        markdown(&[page(paragraphs)]).0
    }

    #[test]
    fn words_parted_at_a_line_end_are_whole_again() {
        assert_eq!(text(&[&["an exam-", "ple here"]]), "an example here");
        assert_eq!(text(&[&["an exam-"], &["ple here"]]), "an example here");
        assert_eq!(text(&[&["a soft\u{AD}", "Ware"]]), "a softWare");
        assert_eq!(
            text(&[&["a well-known fact, as well-", "known as it is"]]),
            "a well-known fact, as well-known as it is"
        );
        assert_eq!(text(&[&["Jean-", "Paul"]]), "Jean-\nPaul");
        assert_eq!(text(&[&["1-", "a"], &["-", "b"]]), "1-\na\n\n\\-\nb");
    }

    #[test]
    fn a_heading_is_no_end_of_a_word() {
        let mut two = page(&[&["exam-"], &["ple"]]);
        two[1].level = Some(2);
        assert_eq!(markdown(&[two]).0, "exam-\n\n## ple");
    }

    #[test]
    fn pages_without_text_have_no_mark() {
        let (text, marks) = markdown(&[page(&[&["a"]]), Vec::new(), page(&[&["b-"], &["c"]])]);
        assert_eq!(text, "a\n\nbc");
        assert_eq!(marks, [Mark::page(0, 1), Mark::page(3, 3)]);
    }

    #[test]
    fn what_looks_like_markup_is_text() {
        for (line, written) in [
            ("# no heading", "\\# no heading"),
            ("#hash", "#hash"),
            ("> quote", "\\> quote"),
            ("----", "\\----"),
            ("== ==", "\\== =="),
            ("a <b> < c </d>", "a \\<b> < c \\</d>"),
            ("• item", "- item"),
            ("• # 3", "- \\# 3"),
            ("•", "•"),
            ("2 * 3 * 4", "2 * 3 * 4"),
        ] {
            assert_eq!(text(&[&[line]]), written, "{line}");
        }
    }
}
