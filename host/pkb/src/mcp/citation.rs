//! Citing what was found, for clients.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::render::{line, marked, uri};

/// Warnings that stand below an entry of a list.
const WARNINGS: usize = 2;

/// An item, cited at one place in it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Citation {
    /// Number of the item, for get_document.
    pub(super) item: i64,
    /// The item's address here, for citing it.
    uri: String,
    title: String,
    /// Name of the source and path in it.
    path: String,
    /// Headings that the passage stands under, outermost first.
    headings: Vec<String>,
    /// Where the passage stands, such as "lines 3-7" or "page 12".
    place: String,
    /// First line of the passage in the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from_line: Option<u32>,
    /// Last line of the passage in the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_line: Option<u32>,
    /// Text of the passage, what matched in **bold**; an asterisk of the text
    /// itself has a backslash before it.
    snippet: String,
    /// Where the original can be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// What could not be read of the item as it should: the passage may be
    /// incomplete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl From<pkb_engine::Citation> for Citation {
    fn from(cited: pkb_engine::Citation) -> Self {
        Citation {
            item: cited.item,
            uri: uri(cited.item),
            title: line(&cited.title),
            path: cited.path,
            headings: cited.headings,
            place: cited.place.to_words(),
            from_line: cited.place.lines.map(|(first, _)| first),
            to_line: cited.place.lines.map(|(_, last)| last),
            snippet: marked(&cited.snippet),
            url: cited.url,
            warnings: cited.warnings,
        }
    }
}

impl Citation {
    /// As an entry of a list, the address left out; `after_title` and
    /// `after_place` go where their names say.
    pub(super) fn to_text(&self, number: usize, after_title: &str, after_place: &str) -> String {
        let mut text = format!(
            "{number}. {} [item {}]{after_title}\n   {}",
            self.title,
            self.item,
            line(&self.path)
        );
        if !self.place.is_empty() {
            let _ = write!(text, ", {}", line(&self.place));
        }
        text.push_str(after_place);
        if !self.headings.is_empty() {
            let _ = write!(text, "\n   under: {}", line(&self.headings.join(" > ")));
        }
        let _ = write!(text, "\n   {}", self.snippet);
        for warning in self.warnings.iter().take(WARNINGS) {
            let _ = write!(text, "\n   note: {}", line(warning));
        }
        text
    }

    /// Where the original can be opened, but for a file: where that lies, its
    /// path says.
    pub(super) fn address(&self) -> Option<&str> {
        self.url.as_deref().filter(|url| !url.starts_with("file:"))
    }
}
