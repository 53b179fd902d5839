//! What a file says of itself: title, author, dates, keywords.

use extract_core::{Document, Property, title};
use jiff::civil;
use jiff::tz::Offset;

/// Titles that programs give on their own.
const NO_TITLES: [&str; 9] = [
    "untitled",
    "powerpoint presentation",
    "presentation",
    "slide 1",
    "document",
    "title",
    "new document",
    "unknown",
    "word document",
];

/// Facts as they are found, whatever the format calls them.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    title: Option<String>,
    authors: Vec<String>,
    keywords: Vec<String>,
    properties: Vec<Property>,
    /// How many pages the file says it has.
    pub(crate) pages: Option<u32>,
}

impl Facts {
    /// A fact. Empty and unreadable ones are nothing.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        let value = value.trim();
        if value.is_empty() {
            return;
        }
        match name {
            "title" => {
                let found = title::tidy(value).filter(|title| is_title(title));
                self.title = self.title.take().or(found);
            }
            "author" => {
                for author in value.split(';').filter_map(title::tidy) {
                    if !self.authors.contains(&author) {
                        self.authors.push(author);
                    }
                }
            }
            "keywords" => {
                let words = value
                    .split([',', ';'])
                    .map(|word| word.trim().trim_start_matches('#'));
                for word in words
                    .filter(|word| !word.is_empty())
                    .filter_map(title::tidy)
                {
                    let known = self
                        .keywords
                        .iter()
                        .any(|known| known.to_lowercase() == word.to_lowercase());
                    if !known && self.keywords.len() < 200 {
                        self.keywords.push(word);
                    }
                }
            }
            "pages" => self.pages = value.parse().ok().or(self.pages),
            "created" | "modified" | "published" => {
                if let Some(at) = timestamp(value)
                    && !self.has(name)
                {
                    self.properties.push(Property::timestamp(name, at));
                }
            }
            _ if !self.has(name) => self.properties.push(Property::text(name, value)),
            _ => {}
        }
    }

    /// Whether somebody is known to have written it.
    pub(crate) fn has_author(&self) -> bool {
        !self.authors.is_empty()
    }

    fn has(&self, name: &str) -> bool {
        self.properties.iter().any(|property| property.name == name)
    }

    /// Tells the document.
    pub(crate) fn apply(self, document: &mut Document) {
        document.title = self.title.unwrap_or_default();
        match self.authors.as_slice() {
            [] => {}
            [one] => document.properties.push(Property::text("author", one)),
            many => document.properties.push(Property::texts("author", many)),
        }
        document.properties.extend(self.properties);
        document.tags = self.keywords;
    }
}

/// Whether a person gave the title, as far as can be told.
fn is_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    let made = lower.starts_with("microsoft word - ")
        || lower.starts_with("microsoft powerpoint - ")
        || lower.starts_with("document1");
    !made && !NO_TITLES.contains(&lower.as_str())
}

/// Milliseconds since 1970 of a date as files write it; one without a zone
/// counts as UTC.
pub(crate) fn timestamp(value: &str) -> Option<i64> {
    let value = value.trim();
    let found = value.parse::<jiff::Timestamp>().ok().or_else(|| {
        let at = value
            .parse::<civil::DateTime>()
            .ok()
            .or_else(|| {
                Some(
                    value
                        .parse::<civil::Date>()
                        .ok()?
                        .to_datetime(civil::Time::midnight()),
                )
            })
            .or_else(|| {
                // A year, or a year and a month, as books have them.
                let mut numbers = value.split('-');
                let year = numbers
                    .next()
                    .filter(|year| year.len() == 4)?
                    .parse()
                    .ok()?;
                let month = numbers.next().map_or(Some(1), |month| month.parse().ok())?;
                Some(
                    civil::Date::new(year, month, 1)
                        .ok()?
                        .to_datetime(civil::Time::midnight()),
                )
            })?;
        Offset::UTC.to_timestamp(at).ok()
    })?;
    Some(found.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_files_write_them() {
        assert_eq!(timestamp("1970-01-02T00:00:00Z"), Some(86_400_000));
        assert_eq!(timestamp("1970-01-02T00:00:01.500000000"), Some(86_401_500));
        assert_eq!(timestamp("1970-01-02"), Some(86_400_000));
        assert_eq!(timestamp("1970"), Some(0));
        assert_eq!(timestamp("1970-02"), Some(31 * 86_400_000));
        assert_eq!(timestamp("yesterday"), None);
    }

    #[test]
    fn keywords_become_tags_and_titles_of_programs_none() {
        let mut facts = Facts::default();
        facts.add("title", "PowerPoint Presentation");
        facts.add("keywords", "a b, #c; A B,, d");
        facts.add("author", "Ann; Bob");
        facts.add("subject", " x ");
        let mut document = Document::default();
        facts.apply(&mut document);
        assert_eq!(document.title, "");
        assert_eq!(document.tags, ["a b", "c", "d"]);
        assert_eq!(
            document.properties,
            [
                Property::texts("author", ["Ann", "Bob"]),
                Property::text("subject", "x")
            ]
        );
    }
}
