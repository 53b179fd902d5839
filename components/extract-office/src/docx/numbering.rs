//! Lists: which label the next item of a list bears.

use std::collections::{HashMap, HashSet};

use crate::labels::Format;
use crate::xml::{self, Damage, Ns, Step};

const LEVELS: usize = 9;

#[derive(Debug, Clone)]
struct Level {
    format: Format,
    start: u32,
    /// `%1.%2`: numbers of levels in it.
    text: String,
    /// The style whose paragraphs are on this level.
    style: Option<String>,
    /// All numbers of the label in digits.
    legal: bool,
    /// False where the level goes on counting whatever comes above it.
    restarts: bool,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            format: Format::Decimal,
            start: 1,
            text: String::new(),
            style: None,
            legal: false,
            restarts: true,
        }
    }
}

#[derive(Debug, Default)]
struct Abstract {
    levels: [Level; LEVELS],
    /// Where the levels are those of a style, its id.
    defined_by: Option<String>,
}

#[derive(Debug, Default)]
struct List {
    of: u32,
    /// Where counting starts anew with this list.
    starts: [Option<u32>; LEVELS],
    levels: HashMap<usize, Level>,
}

/// The lists of a document, and how far each has counted.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    abstracts: HashMap<u32, Abstract>,
    lists: HashMap<u32, List>,
    /// Definitions that styles have, by the style's id.
    of_styles: HashMap<String, u32>,
    /// Lists of one definition count together.
    counters: HashMap<u32, [Option<u32>; LEVELS]>,
    started: HashSet<u32>,
}

impl Numbering {
    /// Reads `numbering.xml`.
    pub(crate) fn read(text: &str) -> (Self, Option<Damage>) {
        let mut out = Self::default();
        // What the tags that come are about.
        let (mut definition, mut list, mut level) = (None, None, None);
        let damage = xml::each(text, |tag| {
            if tag.ns != Ns::Word {
                return Step::Into;
            }
            let value = || tag.attr("val").unwrap_or_default();
            match tag.name {
                "abstractNum" => {
                    definition = tag.number::<u32>("abstractNumId");
                    (list, level) = (None, None);
                    if let Some(id) = definition {
                        out.abstracts.insert(id, Abstract::default());
                    }
                }
                "num" => {
                    list = tag.number::<u32>("numId");
                    (definition, level) = (None, None);
                    if let Some(id) = list {
                        out.lists.insert(id, List::default());
                    }
                }
                "lvl" | "lvlOverride" => {
                    level = tag.number::<usize>("ilvl").filter(|&level| level < LEVELS);
                    if let (Some(level), Some(list), "lvl") =
                        (level, list.and_then(|id| out.lists.get_mut(&id)), tag.name)
                    {
                        list.levels.insert(level, Level::default());
                    }
                }
                "abstractNumId" => {
                    if let Some(list) = list.and_then(|id| out.lists.get_mut(&id)) {
                        list.of = tag.number("val").unwrap_or(0);
                    }
                }
                "startOverride" => {
                    if let (Some(list), Some(level)) =
                        (list.and_then(|id| out.lists.get_mut(&id)), level)
                    {
                        list.starts[level] = tag.number("val");
                    }
                }
                "styleLink" => {
                    if let Some(id) = definition {
                        out.of_styles.insert(value().into_owned(), id);
                    }
                }
                "numStyleLink" => {
                    if let Some(found) = definition.and_then(|id| out.abstracts.get_mut(&id)) {
                        found.defined_by = Some(value().into_owned());
                    }
                }
                name => {
                    let of_definition = definition.and_then(|id| out.abstracts.get_mut(&id));
                    let of_list = list.and_then(|id| out.lists.get_mut(&id));
                    let found = match (of_definition, of_list, level) {
                        (Some(definition), _, Some(level)) => definition.levels.get_mut(level),
                        (_, Some(list), Some(level)) => list.levels.get_mut(&level),
                        _ => None,
                    };
                    if let Some(level) = found {
                        match name {
                            "start" => level.start = tag.number("val").unwrap_or(1),
                            "numFmt" => level.format = Format::of_office(&value()),
                            "lvlText" => level.text = value().chars().take(100).collect(),
                            "pStyle" => level.style = Some(value().into_owned()),
                            "isLgl" => level.legal = tag.is_on(),
                            "lvlRestart" => level.restarts = tag.number("val") != Some(0),
                            _ => {}
                        }
                    }
                }
            }
            Step::Into
        });
        (out, damage.err())
    }

    /// The definition a list uses.
    fn definition(&self, list: u32) -> Option<(u32, &Abstract)> {
        let id = self.lists.get(&list)?.of;
        let found = self.abstracts.get(&id)?;
        let other = found.defined_by.as_ref().and_then(|style| {
            let other = self.of_styles.get(style)?;
            self.abstracts.get(other)
        });
        Some((id, other.unwrap_or(found)))
    }

    /// The level of a list that belongs to a style.
    pub(crate) fn level_of_style(&self, list: u32, style: &str) -> Option<u8> {
        let (_, definition) = self.definition(list)?;
        let is_it = |level: &Level| level.style.as_deref() == Some(style);
        let found = definition.levels.iter().position(is_it)?;
        u8::try_from(found).ok()
    }

    /// Counts an item and gives its label; an empty one for a bullet. Nothing
    /// where there is no such list.
    pub(crate) fn next(&mut self, list: u32, level: u8) -> Option<String> {
        let level = usize::from(level).min(LEVELS - 1);
        let (id, definition) = self.definition(list)?;
        let of_list = self.lists.get(&list)?;
        let at = |index: usize| {
            of_list
                .levels
                .get(&index)
                .unwrap_or(&definition.levels[index])
        };
        let mut counters = self.counters.get(&id).copied().unwrap_or_default();
        if !self.started.contains(&list) {
            for (counter, start) in counters.iter_mut().zip(of_list.starts) {
                if start.is_some() {
                    *counter = None;
                }
            }
        }
        let start = |index: usize| of_list.starts[index].unwrap_or(at(index).start);
        counters[level] = Some(match counters[level] {
            Some(before) => before.saturating_add(1),
            None => start(level),
        });
        for (below, counter) in counters.iter_mut().enumerate().skip(level + 1) {
            if at(below).restarts {
                *counter = None;
            }
        }
        let shown = at(level);
        let mut label = String::new();
        if !matches!(shown.format, Format::Bullet) {
            let mut chars = shown.text.chars().peekable();
            while let Some(c) = chars.next() {
                let number = chars.peek().and_then(|next| next.to_digit(10));
                match (c, number) {
                    ('%', Some(number @ 1..=9)) => {
                        chars.next();
                        let index = number as usize - 1;
                        let format = match at(index).format {
                            _ if shown.legal => Format::Decimal,
                            format => format,
                        };
                        let count = counters[index].unwrap_or_else(|| start(index));
                        label.push_str(&format.write(count));
                    }
                    _ => label.push(c),
                }
            }
        }
        self.started.insert(list);
        self.counters.insert(id, counters);
        Some(label.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_count_by_level_and_start_anew_where_told() {
        let text = r#"<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
            <w:abstractNum w:abstractNumId="1">
              <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>
              <w:lvl w:ilvl="1"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:pStyle w:val="H2"/><w:isLgl/><w:lvlText w:val="%1.%2"/></w:lvl>
              <w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl>
            </w:abstractNum>
            <w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num>
            <w:num w:numId="6"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/></w:lvlOverride></w:num>
          </w:numbering>"#;
        let (mut lists, damage) = Numbering::read(text);
        assert_eq!(damage, None);
        let mut next = |list, level| lists.next(list, level).unwrap();
        assert_eq!(next(5, 0), "I.");
        assert_eq!(next(5, 1), "1.3");
        assert_eq!(next(5, 1), "1.4");
        assert_eq!(next(5, 2), "");
        assert_eq!(next(5, 0), "II.");
        assert_eq!(next(5, 1), "2.3");
        assert_eq!(next(6, 0), "IV.");
        assert_eq!(next(6, 0), "V.");
        assert_eq!(next(5, 0), "VI.", "lists of one definition count together");
        assert_eq!(lists.next(9, 0), None);
        assert_eq!(lists.level_of_style(5, "H2"), Some(1));
    }
}
