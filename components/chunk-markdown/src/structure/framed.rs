//! Headings as wikis write them: `== Heading ==`.

/// The level, from 1 to 6, and the text of a heading that stands on `line`
/// between as many equals signs on either side; the signs may have spaces
/// between them.
pub(super) fn heading(line: &str) -> Option<(u8, &str)> {
    let line = line.trim();
    let is_mark = |character: char| character == '=' || character == ' ';
    let text = line.trim_matches(is_mark);
    if text.is_empty() || !line.starts_with('=') {
        return None;
    }
    let before = line.len() - line.trim_start_matches(is_mark).len();
    let (open, close) = (&line[..before], &line[before + text.len()..]);
    let level = open.matches('=').count();
    let framed = level == close.matches('=').count() && level <= 6;
    u8::try_from(level)
        .ok()
        .filter(|_| framed)
        .map(|level| (level, text))
}
