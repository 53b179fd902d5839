//! Nesting of lists as Markdown wants it: other formats indent as they like.

/// Deeper lists are written at this depth.
const DEEPEST: usize = 8;

/// The items that are open, by the columns of their marks.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    open: Vec<usize>,
}

impl Lists {
    /// An item whose mark stands in `column`; answers the blanks to write
    /// before it.
    pub(crate) fn item(&mut self, column: usize) -> String {
        while self.open.last().is_some_and(|&open| open > column) {
            self.open.pop();
        }
        if self.open.last() != Some(&column) {
            self.open.push(column);
        }
        blanks(self.open.len() - 1, 0)
    }

    /// A line of text that begins in `column`; answers the blanks to write
    /// before it. What is not further in than an item's mark ends its list.
    pub(crate) fn text(&mut self, column: usize) -> String {
        while self.open.last().is_some_and(|&open| open >= column) {
            self.open.pop();
        }
        match self.open.len().checked_sub(1) {
            Some(depth) => blanks(depth, 3),
            None => String::new(),
        }
    }

    /// Ends all lists.
    pub(crate) fn end(&mut self) {
        self.open.clear();
    }
}

/// Four blanks a level fit below `-` and `1.` alike.
fn blanks(depth: usize, more: usize) -> String {
    " ".repeat(depth.min(DEEPEST) * 4 + more)
}

/// Splits a line into the column of its first character and the rest.
pub(crate) fn split_indent(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    let column = line[..line.len() - rest.len()]
        .chars()
        .map(|c| if c == '\t' { 8 } else { 1 })
        .sum();
    (column, rest)
}

/// A line without white space in its first `columns` columns.
pub(crate) fn without_indent(line: &str, columns: usize) -> &str {
    let mut column = 0;
    let indent = line.bytes().take_while(|byte| {
        let inside = column < columns && matches!(byte, b' ' | b'\t');
        column += if *byte == b'\t' { 8 } else { 1 };
        inside
    });
    let length = indent.count();
    &line[length..]
}

/// The mark of a list's item at the start of a line, as Markdown writes it, and
/// what follows. Letters and Roman numbers become numbers.
pub(crate) fn mark(text: &str) -> Option<(String, &str)> {
    for bullet in ["- ", "* ", "+ ", "• "] {
        if let Some(rest) = text.strip_prefix(bullet) {
            return Some(("- ".to_owned(), rest.trim_start()));
        }
    }
    let text = text.strip_prefix('(').unwrap_or(text);
    let end = text.find(['.', ')']).filter(|&end| end > 0 && end <= 4)?;
    let (number, rest) = (&text[..end], text[end + 1..].strip_prefix(' ')?);
    if number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some((format!("{number}. "), rest.trim_start()));
    }
    (number == "#").then(|| ("1. ".to_owned(), rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_kept_however_it_is_indented() {
        let mut lists = Lists::default();
        assert_eq!(lists.item(6), "");
        assert_eq!(lists.item(8), "    ");
        assert_eq!(lists.text(10), "       ");
        assert_eq!(lists.text(8), "   ");
        assert_eq!(lists.item(6), "");
        assert_eq!(lists.text(0), "");
        assert_eq!(lists.item(4), "");
    }

    #[test]
    fn marks_are_told_from_words() {
        assert_eq!(mark("- a"), Some(("- ".into(), "a")));
        assert_eq!(mark("12) a"), Some(("12. ".into(), "a")));
        assert_eq!(mark("#. a"), Some(("1. ".into(), "a")));
        assert_eq!(mark("e.g. a"), None);
        assert_eq!(mark("-a"), None);
        assert_eq!(mark("1.5 a"), None);
    }
}
