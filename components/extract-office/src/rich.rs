//! A paragraph on its way to Markdown: text, escaped as little as will do, with
//! links and page breaks at places in it.

use extract_core::{Link, LinkKind, Span};

/// Text of one paragraph, or of a cell: Markdown without what makes a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rich {
    pub(crate) text: String,
    /// Spans lie in the text.
    pub(crate) links: Vec<Link>,
    /// Where a new page begins, as offsets into the text.
    pub(crate) breaks: Vec<usize>,
    /// The link that is being written, and where it starts.
    open: Option<(usize, String)>,
}

impl Rich {
    /// Words as they stand in the file. Runs of spaces become one.
    pub(crate) fn push(&mut self, words: &str) {
        let mut chars = words.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                // What a word processor breaks words at is no part of them.
                '\u{AD}' | '\u{FEFF}' | '\0'..='\u{8}' | '\u{E}'..='\u{1F}' => {}
                // Signs of a font that nobody else has.
                '\u{E000}'..='\u{F8FF}' => {}
                c if c.is_ascii_whitespace() || c == '\u{B}' => self.space(),
                // HTML would vanish.
                '<' if chars
                    .peek()
                    .is_none_or(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) =>
                {
                    self.text.push_str("\\<");
                }
                // `[text](like this)` would be a link.
                '(' if self.text.ends_with(']') => {
                    self.text.push_str("\\(");
                }
                c => self.text.push(c),
            }
        }
    }

    /// A space, unless one is there or nothing is.
    pub(crate) fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// A line end inside the paragraph.
    pub(crate) fn newline(&mut self) {
        let length = self.text.trim_end_matches(' ').len();
        self.cut(length);
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Markdown, taken as it is.
    pub(crate) fn push_raw(&mut self, markdown: &str) {
        self.text.push_str(markdown);
    }

    /// A new page begins here.
    pub(crate) fn page_break(&mut self) {
        self.breaks.push(self.text.len());
    }

    /// Whether there are no words.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// What is pushed from now on is the label of a link. A link in a link is
    /// none.
    pub(crate) fn open_link(&mut self, target: &str) -> bool {
        if self.open.is_some() || target.trim().is_empty() {
            return false;
        }
        self.open = Some((self.text.len(), target.trim().to_owned()));
        self.text.push('[');
        true
    }

    /// Ends the link that is open.
    pub(crate) fn close_link(&mut self) {
        let Some((start, target)) = self.open.take() else {
            return;
        };
        let label = self.text[start + 1..].trim().replace('\n', " ");
        let bare = label == target || target.strip_prefix("mailto:") == Some(&label);
        if label.is_empty() || bare {
            self.text.remove(start);
            for at in self.breaks.iter_mut().rev().take_while(|at| **at > start) {
                *at -= 1;
            }
            if label.is_empty() {
                return;
            }
        } else {
            let length = self.text.trim_end_matches([' ', '\n']).len();
            let spaced = length < self.text.len();
            self.cut(length);
            self.text.push_str("](");
            for c in target.chars() {
                match c {
                    ' ' => self.text.push_str("%20"),
                    '(' => self.text.push_str("%28"),
                    ')' => self.text.push_str("%29"),
                    '<' => self.text.push_str("%3C"),
                    '>' => self.text.push_str("%3E"),
                    c if c.is_control() => {}
                    c => self.text.push(c),
                }
            }
            self.text.push(')');
            if spaced {
                self.text.push(' ');
            }
        }
        let end = self.text.trim_end_matches([' ', '\n']).len();
        let (path, heading) = match target.split_once('#') {
            Some((path, heading)) if !heading.is_empty() => (path, Some(heading.to_owned())),
            _ => (target.as_str(), None),
        };
        self.links.push(Link {
            kind: LinkKind::Hyperlink,
            target: path.to_owned(),
            heading,
            block: None,
            label: (!bare).then_some(label),
            span: Span { start, end },
        });
    }

    /// Takes what is at the end away.
    fn cut(&mut self, length: usize) {
        self.text.truncate(length);
        for at in self.breaks.iter_mut().rev().take_while(|at| **at > length) {
            *at = length;
        }
    }

    /// Ends the paragraph: no link stays open, no space at its end.
    pub(crate) fn finish(&mut self) {
        self.close_link();
        let length = self.text.trim_end().len();
        self.cut(length);
    }

    /// Puts another after this one.
    pub(crate) fn append(&mut self, other: Self) {
        self.close_link();
        let by = self.text.len();
        self.text.push_str(&other.text);
        self.breaks.extend(other.breaks.iter().map(|at| at + by));
        self.links.extend(other.links.into_iter().map(|mut link| {
            link.span.start += by;
            link.span.end += by;
            link
        }));
    }

    /// Puts backslashes where a line would begin a block of another kind.
    pub(crate) fn escape_lines(&mut self) {
        let mut at = 0;
        let mut places = Vec::new();
        for line in self.text.split_inclusive('\n') {
            if begins_a_block(line.trim_end()) {
                places.push(at);
            }
            at += line.len();
        }
        self.insert_backslashes(&places);
    }

    /// On one line, fit for a cell of a table.
    pub(crate) fn into_cell(mut self) -> Self {
        self.on_one_line();
        let places: Vec<_> = self.text.match_indices('|').map(|(at, _)| at).collect();
        self.insert_backslashes(&places);
        self
    }

    /// On one line.
    pub(crate) fn on_one_line(&mut self) {
        if self.text.contains('\n') {
            self.text = self.text.replace('\n', " ");
        }
    }

    /// Inserts backslashes at places, which are in ascending order.
    fn insert_backslashes(&mut self, places: &[usize]) {
        if places.is_empty() {
            return;
        }
        let mut text = String::with_capacity(self.text.len() + places.len());
        let mut from = 0;
        for &place in places {
            text.push_str(&self.text[from..place]);
            text.push('\\');
            from = place;
        }
        text.push_str(&self.text[from..]);
        self.text = text;
        // What stands at a place moves, what ends there does not.
        let moved = |at: usize| at + places.partition_point(|&place| place < at);
        for at in &mut self.breaks {
            *at = moved(*at);
        }
        for link in &mut self.links {
            link.span.start = moved(link.span.start);
            link.span.end = moved(link.span.end);
        }
    }
}

/// Whether Markdown sees more in the line than words. Numbers and dashes that
/// begin a line read the same as the list they become.
fn begins_a_block(line: &str) -> bool {
    let run = |c: char| line.len() - line.trim_start_matches(c).len();
    let only = |c: char| !line.is_empty() && line.trim_matches(c).is_empty();
    match line.chars().next() {
        Some('#') => (1..=6).contains(&run('#')) && line[run('#')..].starts_with([' ', '\t']),
        Some('>') => true,
        Some('`') => run('`') >= 3,
        Some('~') => run('~') >= 3,
        Some('=') => only('='),
        Some('-') => only('-'),
        // A definition is not shown.
        Some('[') => line
            .find("]:")
            .is_some_and(|end| line[..end].find(']').is_none()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rich(words: &str) -> Rich {
        let mut rich = Rich::default();
        rich.push(words);
        rich.finish();
        rich
    }

    #[test]
    fn only_what_would_change_the_meaning_is_escaped() {
        let plain = "a * b, snake_case, 1 < 2, [x], C#, `x`, 5 > 3 | 4";
        assert_eq!(rich(plain).text, plain);
        assert_eq!(rich("if <b> and </b>").text, "if \\<b> and \\</b>");
        assert_eq!(rich("[a](b)").text, "[a]\\(b)");
        let escaped = |words: &str| {
            let mut rich = rich("");
            for line in words.split('\n') {
                rich.newline();
                rich.push(line);
            }
            rich.escape_lines();
            rich.text
        };
        assert_eq!(escaped("# 1\n#tag\n> x"), "\\# 1\n#tag\n\\> x");
        assert_eq!(escaped("x\n---\n===\n```"), "x\n\\---\n\\===\n\\```");
        assert_eq!(escaped("- a\n1. b\n[x]: y"), "- a\n1. b\n\\[x]: y");
    }

    #[test]
    fn spaces_are_single_and_soft_hyphens_gone() {
        assert_eq!(rich(" a \t b\u{AD}c\r\nd ").text, "a bc d");
    }

    #[test]
    fn links_have_their_span_and_move_with_the_text() {
        let mut rich = Rich::default();
        rich.push("# see ");
        assert!(rich.open_link("https://x.example/a (b)#c"));
        assert!(!rich.open_link("https://inner.example"));
        rich.push("the | site ");
        rich.close_link();
        rich.push("now");
        rich.finish();
        assert_eq!(
            rich.text,
            "# see [the | site](https://x.example/a%20%28b%29#c) now"
        );
        rich.escape_lines();
        let rich = rich.into_cell();
        let link = &rich.links[0];
        assert_eq!(
            &rich.text[link.span.start..link.span.end],
            "[the \\| site](https://x.example/a%20%28b%29#c)"
        );
        assert_eq!(link.target, "https://x.example/a (b)");
        assert_eq!(link.heading.as_deref(), Some("c"));
        assert_eq!(link.label.as_deref(), Some("the | site"));
    }

    #[test]
    fn a_link_that_shows_its_address_stays_bare() {
        let mut rich = Rich::default();
        assert!(rich.open_link("mailto:a@b.example"));
        rich.push("a@b.example");
        rich.close_link();
        assert!(rich.open_link("https://nothing.example"));
        rich.finish();
        assert_eq!(rich.text, "a@b.example");
        assert_eq!(rich.links.len(), 1);
        assert_eq!(rich.links[0].span, Span { start: 0, end: 11 });
    }
}
