//! Writing a document's text with its marks and links.

use extract_core::{Document, Link, LinkKind, Mark, Place};

/// A text in the making. Lines that stand in the original one after the other
/// need a single mark; only where the count goes astray another is set.
#[derive(Debug, Default)]
pub(crate) struct Out {
    pub(crate) text: String,
    marks: Vec<Mark>,
    links: Vec<Link>,
    /// The line of the original that the marks say for what comes next; 0
    /// while there is none.
    line: u32,
    /// Whether lines of the original say nothing.
    without_lines: bool,
}

/// Longer lines, in bytes on average, are those of a program's output: to know
/// the line is to know nothing.
const LONG_LINE: usize = 2000;

impl Out {
    /// A text made from `original`, whose lines are marked where they are not
    /// as long as those that no person reads.
    pub(crate) fn of(original: &str) -> Self {
        let lines = original.bytes().filter(|&byte| byte == b'\n').count() + 1;
        Self {
            without_lines: original.len() / lines > LONG_LINE,
            ..Self::default()
        }
    }

    /// A text in which no lines are marked.
    pub(crate) fn without_lines() -> Self {
        Self {
            without_lines: true,
            ..Self::default()
        }
    }

    /// Adds text.
    pub(crate) fn push(&mut self, text: &str) {
        if self.line > 0 {
            let breaks = text.bytes().filter(|&byte| byte == b'\n').count();
            self.line = self.line.saturating_add(breaks as u32);
        }
        self.text.push_str(text);
    }

    /// Says that what comes next stands on `line` of the original.
    pub(crate) fn at_line(&mut self, line: u32) {
        if self.line == line || self.without_lines {
            return;
        }
        self.line = line;
        let offset = self.text.len();
        if let Some(last) = self.marks.last_mut()
            && last.offset == offset
            && matches!(last.place, Place::Line(_))
        {
            last.place = Place::Line(line);
            return;
        }
        self.marks.push(Mark::line(offset, line));
    }

    /// Says where what comes next stands.
    pub(crate) fn mark(&mut self, place: Place) {
        self.marks.push(Mark {
            offset: self.text.len(),
            place,
        });
    }

    /// Adds a line of the original, as text.
    pub(crate) fn line(&mut self, line: u32, text: &str) {
        self.at_line(line);
        self.push(text);
        self.push("\n");
    }

    /// Adds an empty line, unless there is one.
    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.push(if self.text.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            });
        }
    }

    /// Adds text that holds links, whose spans count from its start.
    pub(crate) fn push_linked(&mut self, text: &str, links: Vec<Link>) {
        let offset = self.text.len();
        self.links.extend(links.into_iter().map(|mut link| {
            link.span.start += offset;
            link.span.end += offset;
            link
        }));
        self.push(text);
    }

    /// The document with this text, without white space at its end.
    pub(crate) fn finish(mut self) -> Document {
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        if end > 0 {
            self.text.push('\n');
        }
        let end = self.text.len();
        self.marks.retain(|mark| mark.offset < end);
        self.links.retain(|link| link.span.end <= end);
        Document {
            text: self.text,
            marks: self.marks,
            links: self.links,
            ..Document::default()
        }
    }
}

/// The marks of a text that stands in the original as it is.
pub(crate) fn from_first_line(text: &str) -> Vec<Mark> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Mark::line(0, 1)]
}

/// The lines of a text with their numbers, from 1.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(text.lines())
}

/// A fence that no line of `code` closes.
pub(crate) fn fence<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let longest = lines
        .map(|line| {
            let line = line.trim_start();
            line.len() - line.trim_start_matches('`').len()
        })
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// `[label](target)` and the link it is, with its span from 0.
pub(crate) fn link(label: &str, target: &str) -> (String, Option<Link>) {
    written(LinkKind::Hyperlink, label, target)
}

/// `![alt](target)` and the link it is, with its span from 0.
pub(crate) fn image(alt: &str, target: &str) -> (String, Option<Link>) {
    written(LinkKind::Image, alt, target)
}

fn written(kind: LinkKind, label: &str, target: &str) -> (String, Option<Link>) {
    let target = target.trim();
    if target.is_empty() || target.contains('\n') {
        return (label.to_owned(), None);
    }
    let bang = if kind == LinkKind::Image { "!" } else { "" };
    let shown = if label.is_empty() && kind == LinkKind::Hyperlink {
        target
    } else {
        label
    };
    let shown: String = shown
        .chars()
        .map(|c| match c {
            '[' => '(',
            ']' => ')',
            other => other,
        })
        .collect();
    let text = if target.contains([' ', '(', ')', '<', '>']) {
        let target: String = target.chars().filter(|c| !matches!(c, '<' | '>')).collect();
        format!("{bang}[{shown}](<{target}>)")
    } else {
        format!("{bang}[{shown}]({target})")
    };
    let has_scheme = target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let (path, heading) = match target.split_once('#') {
        Some((path, heading)) if !has_scheme && !heading.is_empty() => {
            (path, Some(heading.to_owned()))
        }
        _ => (target, None),
    };
    let link = Link {
        kind,
        target: if has_scheme {
            path.to_owned()
        } else {
            percent_decoded(path)
        },
        heading,
        block: None,
        label: (!label.is_empty() && label != target).then(|| label.to_owned()),
        span: (0..text.len()).into(),
    };
    (text, Some(link))
}

/// A path without `%20` and the like; as it is where that gives no text.
fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits
            .filter(|digits| first == b'%' && !digits.starts_with('+'))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    match String::from_utf8(bytes) {
        Ok(decoded) if !decoded.contains(char::is_control) => decoded,
        _ => path.to_owned(),
    }
}

/// A text made of words and links.
#[derive(Debug, Default)]
pub(crate) struct Inline {
    pub(crate) text: String,
    pub(crate) links: Vec<Link>,
}

impl Inline {
    /// Adds what [`link`] or [`image`] gave.
    pub(crate) fn push_link(&mut self, (text, link): (String, Option<Link>)) {
        if let Some(mut link) = link {
            link.span.start += self.text.len();
            link.span.end += self.text.len();
            self.links.push(link);
        }
        self.text.push_str(&text);
    }
}

/// Adds tags, each once whatever its case.
pub(crate) fn add_tag(tags: &mut Vec<String>, tag: &str) {
    let tag = tag.trim().trim_start_matches('#');
    let known = |known: &String| known.to_lowercase() == tag.to_lowercase();
    if !tag.is_empty() && tags.len() < 1000 && !tags.iter().any(known) {
        tags.push(tag.to_owned());
    }
}

/// A text on one line, with single blanks.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Longer texts without a blank are looked at, in bytes.
const LONG: usize = 200;

/// Whether a text is packed data that no one searches for words.
pub(crate) fn is_data(text: &str) -> bool {
    if text.len() < LONG {
        return false;
    }
    if text.starts_with("data:") {
        return true;
    }
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"+/=-_\n".contains(&byte))
}

/// What has to stand before a paragraph that begins with `text`, so that
/// Markdown does not take it for something else.
pub(crate) fn escape_before(text: &str) -> &'static str {
    if escape_start(text).starts_with('\\') && !text.starts_with('\\') {
        "\\"
    } else {
        ""
    }
}

/// The start of a paragraph without what Markdown takes for a heading, a list,
/// a quote or a table.
pub(crate) fn escape_start(text: &str) -> String {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < text.len() && rest.starts_with(['.', ')']);
    if numbered {
        let digits = text.len() - rest.len();
        return format!("{}\\{rest}", &text[..digits]);
    }
    let mark = text.starts_with(['#', '>', '|', '=', '~', '`'])
        || text.starts_with("- ")
        || text.starts_with("+ ")
        || text.starts_with("* ")
        || text.starts_with("---")
        || text.starts_with("***");
    if mark {
        format!("\\{text}")
    } else {
        text.to_owned()
    }
}

/// A text without the sequences that set colours.
pub(crate) fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1B}[") {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';');
        rest = end.map_or("", |end| &after[after.ceil_char_boundary(end + 1)..]);
    }
    plain.push_str(rest);
    plain
}
