//! Styles of OpenDocument files: what is hidden, where pages begin, how lists
//! count.

use std::collections::HashMap;

use crate::labels::Format;
use crate::xml::{self, Ns, Step, Tag};

const LEVELS: usize = 10;
/// A chain of styles longer than this goes in a circle.
const MOST_ANCESTORS: usize = 30;

#[derive(Debug, Default)]
struct Style {
    parent: Option<String>,
    hidden: Option<bool>,
    page_before: bool,
    page_after: bool,
}

#[derive(Debug, Clone)]
struct Level {
    format: Format,
    prefix: String,
    suffix: String,
    start: u32,
    /// How many levels the label shows.
    shown: usize,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            format: Format::None,
            prefix: String::new(),
            suffix: String::new(),
            start: 1,
            shown: 1,
        }
    }
}

/// How far a list has counted, by level.
pub(super) type Counters = [Option<u32>; LEVELS];

type Levels = [Level; LEVELS];

/// Styles, by family and name.
#[derive(Debug, Default)]
pub(super) struct Styles {
    paragraphs: HashMap<String, Style>,
    texts: HashMap<String, Style>,
    lists: HashMap<String, Box<Levels>>,
    /// How headings count.
    outline: Box<Levels>,
}

/// What a paragraph's style says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) hidden: bool,
    pub(super) title: bool,
    pub(super) page_before: bool,
    pub(super) page_after: bool,
}

impl Styles {
    /// Adds what a part says of styles. The document itself is not looked at.
    pub(super) fn read(&mut self, text: &str) {
        let mut style: Option<(bool, String)> = None;
        let mut list: Option<String> = None;
        let mut level: Option<usize> = None;
        // What is damaged is reported where the text is read.
        let _ = xml::each(text, |tag| {
            match (tag.ns, tag.name) {
                (Ns::Office, "body" | "master-styles" | "scripts" | "font-face-decls") => {
                    return Step::Skip;
                }
                (Ns::Style, "style") => {
                    style = self.begin_style(tag);
                    list = None;
                }
                (Ns::Style, "text-properties" | "paragraph-properties") => {
                    if let Some(style) = style.as_ref().and_then(|key| self.style_mut(key)) {
                        if let Some(display) = tag.attr("display") {
                            style.hidden = Some(display == "none");
                        }
                        style.page_before |= tag.attr("break-before").as_deref() == Some("page");
                        style.page_after |= tag.attr("break-after").as_deref() == Some("page");
                    }
                }
                (Ns::Text, "list-style" | "outline-style") => {
                    style = None;
                    list = match (tag.name, tag.attr("name")) {
                        ("list-style", Some(name)) => Some(name.into_owned()),
                        _ => Some(String::new()),
                    };
                    level = None;
                }
                (
                    Ns::Text,
                    "list-level-style-number" | "list-level-style-bullet" | "outline-level-style",
                ) => {
                    level = tag
                        .number::<usize>("level")
                        .and_then(|level| level.checked_sub(1))
                        .filter(|&level| level < LEVELS);
                    if let (Some(level), Some(list)) = (level, &list) {
                        let levels = if tag.name == "outline-level-style" {
                            &mut self.outline
                        } else {
                            self.lists.entry(list.clone()).or_default()
                        };
                        levels[level] = self::level(tag);
                    }
                }
                _ => {}
            }
            Step::Into
        });
    }

    fn begin_style(&mut self, tag: &Tag<'_>) -> Option<(bool, String)> {
        let is_text = match tag.attr("family").as_deref() {
            Some("paragraph") => false,
            Some("text") => true,
            _ => return None,
        };
        let key = (is_text, tag.attr("name")?.into_owned());
        let style = Style {
            parent: tag.attr("parent-style-name").map(|name| name.into_owned()),
            // A paragraph that changes the kind of page begins one.
            page_before: tag
                .attr("master-page-name")
                .is_some_and(|name| !name.is_empty()),
            ..Style::default()
        };
        let family = if is_text {
            &mut self.texts
        } else {
            &mut self.paragraphs
        };
        family.insert(key.1.clone(), style);
        Some(key)
    }

    fn style_mut(&mut self, key: &(bool, String)) -> Option<&mut Style> {
        let family = if key.0 {
            &mut self.texts
        } else {
            &mut self.paragraphs
        };
        family.get_mut(&key.1)
    }

    /// What a paragraph's style says.
    pub(super) fn paragraph(&self, name: &str) -> Resolved {
        let own = self.paragraphs.get(name);
        let mut resolved = Resolved {
            page_before: own.is_some_and(|style| style.page_before),
            page_after: own.is_some_and(|style| style.page_after),
            ..Resolved::default()
        };
        let mut hidden = None;
        let mut next = Some(name);
        for _ in 0..MOST_ANCESTORS {
            let Some(name) = next else { break };
            resolved.title |= name == "Title";
            let Some(style) = self.paragraphs.get(name) else {
                break;
            };
            hidden = hidden.or(style.hidden);
            next = style.parent.as_deref();
        }
        resolved.hidden = hidden.unwrap_or(false);
        resolved
    }

    /// Whether a stretch of text in this style is hidden, if the style says.
    pub(super) fn hides(&self, name: &str) -> Option<bool> {
        let mut next = Some(name);
        for _ in 0..MOST_ANCESTORS {
            let style = self.texts.get(next?)?;
            if style.hidden.is_some() {
                return style.hidden;
            }
            next = style.parent.as_deref();
        }
        None
    }

    /// Counts an item of a list and gives its label; an empty one for a bullet
    /// and for an unknown list.
    pub(super) fn count(&self, list: &str, level: usize, counters: &mut Counters) -> String {
        match self.lists.get(list) {
            Some(levels) => count(levels, level, counters),
            None => String::new(),
        }
    }

    /// Counts a heading, its level from 0, and gives its label.
    pub(super) fn count_heading(&self, level: usize, counters: &mut Counters) -> String {
        count(&self.outline, level, counters)
    }
}

fn level(tag: &Tag<'_>) -> Level {
    let text = |name| -> String {
        let value = tag.attr(name).unwrap_or_default();
        value.chars().take(50).collect()
    };
    Level {
        format: if tag.name == "list-level-style-bullet" {
            Format::Bullet
        } else {
            Format::of_odf(&text("num-format"))
        },
        prefix: text("num-prefix"),
        suffix: text("num-suffix"),
        start: tag.number("start-value").unwrap_or(1),
        shown: tag.number("display-levels").unwrap_or(1),
    }
}

fn count(levels: &Levels, level: usize, counters: &mut Counters) -> String {
    let level = level.min(LEVELS - 1);
    let own = &levels[level];
    counters[level] = Some(match counters[level] {
        Some(before) => before.saturating_add(1),
        None => own.start,
    });
    counters[level + 1..].fill(None);
    if matches!(own.format, Format::Bullet | Format::None) {
        return String::new();
    }
    let first = (level + 1).saturating_sub(own.shown.max(1));
    let numbers: Vec<_> = (first..=level)
        .filter(|&index| !matches!(levels[index].format, Format::Bullet | Format::None))
        .map(|index| {
            let number = counters[index].unwrap_or(levels[index].start);
            levels[index].format.write(number)
        })
        .collect();
    format!("{}{}{}", own.prefix, numbers.join("."), own.suffix)
}
