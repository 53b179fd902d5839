//! Code and configuration: a fenced block that keeps its lines.

use extract_core::{Document, Failure, FailureKind};

use crate::out::{Out, fence};

/// Lines that are longer on average were written by a program for a program,
/// in bytes; as long as there is enough to go by.
const MOST_AVERAGE_LINE: usize = 500;
const ENOUGH: usize = 5000;

/// Languages in which people write prose and data, whose lines may be long.
const PROSE: [&str; 8] = [
    "bibtex",
    "diff",
    "ini",
    "properties",
    "sql",
    "toml",
    "typst",
    "yaml",
];

/// Reads code in `language`.
pub(crate) fn read(text: &str, language: &str) -> Result<Document, Failure> {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let is_code = !PROSE.contains(&language);
    if is_code && text.len() > ENOUGH && text.len() / lines.max(1) > MOST_AVERAGE_LINE {
        return Err(Failure::new(
            FailureKind::Unsupported,
            format!(
                "The code is minified or generated: its lines have {} bytes on average.",
                text.len() / lines.max(1)
            ),
        ));
    }
    let mut out = Out::default();
    if lines > 0 {
        fenced(&mut out, text, language, 1);
    }
    Ok(out.finish())
}

/// Adds `code`, whose first line is `line` of the original, in a fence.
pub(crate) fn fenced(out: &mut Out, code: &str, language: &str, line: u32) {
    let fence = fence(code.lines());
    // The fence belongs to the first line: a piece may begin with it.
    out.at_line(line);
    out.push(&format!("{fence}{language}\n"));
    out.at_line(line);
    out.push(code.trim_end());
    out.push(&format!("\n{fence}\n"));
}
