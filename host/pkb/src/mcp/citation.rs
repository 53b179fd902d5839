//! Citing what was found, for clients.

use std::fmt::Write;

use pkb_engine::{Places, Snippet};
use serde::Serialize;

use super::budget::Cut;
use super::render::{day, line, marked, short};

/// Warnings that stand below an entry of a list.
const WARNINGS: usize = 2;
/// Headings that are named, from the innermost.
const HEADINGS: usize = 4;
/// The longest address that is shown: a longer one is data in disguise.
const LONGEST_URL: usize = 300;

/// An item, cited at one place in it. What it has not is left out.
#[derive(Serialize)]
pub(super) struct Citation {
    /// Number of the item, for get_document.
    pub(super) item: i64,
    title: String,
    /// Name of the source and path in it.
    path: String,
    /// Headings that the passage stands under, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headings: Vec<String>,
    #[serde(flatten)]
    place: Place,
    /// Text of the passage, what matched in **bold**; an asterisk of the text
    /// itself has a backslash before it.
    #[serde(skip_serializing_if = "String::is_empty")]
    snippet: String,
    /// Where the original can be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Its day.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// What could not be read of the item as it should: the passage may be
    /// incomplete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Where a passage stands in the original.
#[derive(Default, Serialize)]
pub(super) struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_page: Option<u32>,
    /// Seconds from the start of a recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<u64>,
    /// Part of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    /// In words.
    #[serde(skip)]
    words: String,
}

impl From<&Places> for Place {
    fn from(places: &Places) -> Self {
        Place {
            from_line: places.lines.map(|(first, _)| first),
            to_line: places.lines.map(|(_, last)| last),
            page: places.pages.map(|(first, _)| first),
            to_page: (places.pages)
                .filter(|(first, last)| first != last)
                .map(|(_, last)| last),
            second: places.second.map(|second| second.max(0.0) as u64),
            part: places.part.as_deref().map(|part| short(part, 80)),
            words: line(&places.to_words()),
        }
    }
}

impl Citation {
    /// As much of it as the cut leaves.
    pub(super) fn new(cited: &pkb_engine::Citation, cut: Cut) -> Self {
        let names = if cut.bare { 60 } else { 160 };
        let headings = cited.headings.len().saturating_sub(HEADINGS);
        Citation {
            item: cited.item,
            title: short(&cited.title, names),
            path: short(&cited.path, names),
            headings: match cut.bare {
                true => Vec::new(),
                false => (cited.headings[headings..].iter())
                    .map(|heading| short(heading, 100))
                    .collect(),
            },
            place: Place::from(&cited.place),
            snippet: shortened(&cited.snippet, cut.snippet),
            url: (cited.url.as_deref())
                // Where a file lies, its path says.
                .filter(|url| !url.starts_with("file:"))
                .filter(|url| !cut.bare && url.len() <= LONGEST_URL)
                .map(|url| at_second(url, cited.place.second)),
            date: day(cited.date),
            warnings: match cut.bare {
                true => Vec::new(),
                false => (cited.warnings.iter().take(WARNINGS))
                    .map(|warning| short(warning, 160))
                    .collect(),
            },
        }
    }

    /// As an entry of a list; `after_title` and `after_date` go where their
    /// names say.
    pub(super) fn to_text(&self, number: usize, after_title: &str, after_date: &str) -> String {
        let mut text = format!(
            "{number}. {} [item {}]{after_title}\n   {}",
            self.title, self.item, self.path
        );
        if !self.place.words.is_empty() {
            let _ = write!(text, ", {}", self.place.words);
        }
        if let Some(date) = &self.date {
            let _ = write!(text, ", {date}");
        }
        text.push_str(after_date);
        if !self.headings.is_empty() {
            let _ = write!(text, "\n   under: {}", self.headings.join(" > "));
        }
        if !self.snippet.is_empty() {
            let _ = write!(text, "\n   {}", self.snippet);
        }
        if let Some(url) = &self.url {
            let _ = write!(text, "\n   {}", line(url));
        }
        for warning in &self.warnings {
            let _ = write!(text, "\n   note: {warning}");
        }
        text
    }

    /// The arguments that read on there.
    pub(super) fn read_on(&self) -> String {
        let at = match (self.place.from_line, self.place.page) {
            (Some(line), _) => format!(", \"from_line\": {line}, \"around\": 1"),
            (None, Some(page)) => format!(", \"page\": {page}"),
            (None, None) => String::new(),
        };
        format!("{{\"item\": \"{}\"{at}}}", self.item)
    }
}

/// A snippet of at most about `most` bytes, around its matches.
pub(super) fn shortened(snippet: &Snippet, most: usize) -> String {
    if most == 0 {
        return String::new();
    }
    if snippet.text.len() <= most {
        return marked(snippet);
    }
    marked(&Snippet::around(&snippet.text, &snippet.matches, most))
}

/// The address of a video at a second of it, where addresses can say that.
fn at_second(url: &str, second: Option<f64>) -> String {
    let second = second.unwrap_or_default().max(0.0) as u64;
    let video = url.starts_with("https://www.youtube.com/watch?v=") && !url.contains('#');
    match (video, second) {
        (true, 1..) => format!("{url}&t={second}s"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_snippet_keeps_what_matched() {
        let text = format!(
            "{}needle in hay{}",
            "before ".repeat(20),
            " after".repeat(20)
        );
        let at = text.find("needle").unwrap_or_default();
        let snippet = Snippet {
            matches: std::iter::once(at..at + 6).collect(),
            text,
        };
        for most in [400, 150, 90, 40] {
            let shown = shortened(&snippet, most);
            assert!(shown.contains("**needle**"), "{most}: {shown}");
            assert!(shown.len() <= most + 30, "{most}: {shown}");
        }
        assert_eq!(shortened(&snippet, 0), "");
    }

    #[test]
    fn a_video_is_cited_at_its_second() {
        let video = "https://www.youtube.com/watch?v=dQw4w9WgXcQ";
        assert_eq!(at_second(video, Some(83.7)), format!("{video}&t=83s"));
        assert_eq!(at_second(video, None), video);
        assert_eq!(at_second("https://a.b/c", Some(83.0)), "https://a.b/c");
    }
}
