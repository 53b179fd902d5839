//! What was found, shown: where it stands and what it says there.

use pkb_engine::{Citation, Places, Snippet};

use crate::output::{DIM, MATCH, Output, PLACE, printable, wrap};

/// What stands before each line below a title.
pub(super) const INDENT: &str = "    ";

/// Warnings that are shown below a snippet; `pkb ledger --warnings` has all.
const WARNINGS: usize = 2;

/// The path, headings and place of what is cited, and at most `lines` lines of
/// its snippet.
pub(super) fn cite(citation: &Citation, lines: usize, output: &Output) {
    let mut cited = printable(&citation.path);
    if !citation.headings.is_empty() {
        cited.push_str(" › ");
        cited.push_str(&printable(&citation.headings.join(" › ")));
    }
    let place = after(&citation.place);
    output.line(format_args!("{INDENT}{PLACE}{cited}{place}{PLACE:#}"));
    quote(&citation.snippet, lines, output);
    for warning in citation.warnings.iter().take(WARNINGS) {
        output.line(format_args!(
            "{INDENT}{DIM}note: {}{DIM:#}",
            printable(warning)
        ));
    }
}

/// At most `lines` lines of a snippet.
pub(super) fn quote(snippet: &Snippet, lines: usize, output: &Output) {
    let width = output.width() - INDENT.len();
    let wrapped = wrap(&snippet.text, &snippet.matches, MATCH, width);
    for line in wrapped.iter().take(lines) {
        output.line(format_args!("{INDENT}{line}"));
    }
}

/// A place as it goes behind a path.
pub(super) fn after(place: &Places) -> String {
    match place.to_words() {
        words if words.is_empty() => words,
        words => format!(", {words}"),
    }
}
