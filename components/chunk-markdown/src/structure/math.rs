//! Formulas between lines of `$$` that hold blank lines, which Markdown alone
//! would take for several paragraphs.

use super::{Mark, Solid, SolidKind, Structure, is_container_mark};

/// Makes a solid of every stretch from one line of `$$` to the next that holds
/// no heading and no other solid.
pub(super) fn add_blocks(text: &str, found: &mut Structure) {
    let mut open: Option<usize> = None;
    let mut blocks = Vec::new();
    let mut solids = found.solids.iter().peekable();
    let mut headings = found.heading_lines.iter().peekable();
    for line in 0..found.lines.len() {
        let span = found.lines.span(&(line..line + 1));
        while solids
            .next_if(|solid| solid.span.end <= span.start)
            .is_some()
        {}
        while headings.next_if(|heading| heading.end <= line).is_some() {}
        let taken = solids
            .peek()
            .is_some_and(|solid| solid.span.start < span.end)
            || headings.peek().is_some_and(|heading| heading.start <= line);
        if taken {
            open = None;
        } else if text[span].trim_matches(is_container_mark) == "$$" {
            match open.take() {
                Some(first) => blocks.push(first..line + 1),
                None => open = Some(line),
            }
        }
    }
    if blocks.is_empty() {
        return;
    }
    for lines in blocks {
        if found.lines.marks[lines.start] == Mark::Inside {
            continue;
        }
        found.lines.close(lines.clone());
        found.solids.push(Solid {
            span: found.lines.span(&lines),
            lead: None,
            kind: SolidKind::Math,
        });
    }
    found.solids.sort_by_key(|solid| solid.span.start);
}
