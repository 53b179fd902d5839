//! The headings of a text, and which of them a person means.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_normalization::UnicodeNormalization;

/// How like a heading must be to be worth a "did you mean", from 0 to 1.
const LIKENESS: f64 = 0.5;

/// A heading and what stands below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The headings it stands under, and its own, outermost first.
    pub(super) path: Vec<String>,
    /// From the heading to the next one of the same or a higher level, in bytes
    /// of the text.
    pub(super) span: Range<usize>,
}

/// The sections of a Markdown text, in order. Headings inside quotes, lists
/// and the like begin none.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_WIKILINKS;
    // The sections that are still open: their levels and places in the list.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut sections: Vec<Section> = Vec::new();
    let mut title: Option<String> = None;
    let mut containers = 0_usize;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if containers == 0 => {
                let level = level as usize;
                while let Some((_, at)) = open.pop_if(|(above, _)| *above >= level) {
                    sections[at].span.end = range.start;
                }
                let path = open
                    .last()
                    .map_or_else(Vec::new, |(_, at)| sections[*at].path.clone());
                open.push((level, sections.len()));
                sections.push(Section {
                    path,
                    span: range.start..text.len(),
                });
                title = Some(String::new());
            }
            Event::End(TagEnd::Heading(_)) => {
                if let (Some(title), Some(section)) = (title.take(), sections.last_mut()) {
                    section.path.push(title.trim().to_owned());
                }
            }
            Event::Start(
                Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_) | Tag::Table(_),
            ) => containers += 1,
            Event::End(
                TagEnd::BlockQuote(_)
                | TagEnd::List(_)
                | TagEnd::FootnoteDefinition
                | TagEnd::Table,
            ) => containers = containers.saturating_sub(1),
            Event::Text(piece) | Event::Code(piece) | Event::InlineMath(piece) => {
                if let Some(title) = &mut title {
                    title.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut title {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }
    sections
}

/// The sections that `wanted` names: a heading, or a path of headings parted by
/// `>`, or `#`, or its end. The first of these readings that fits any counts:
/// headings one right below the other; with others between them; and both with
/// only letters and digits compared, as anchors have them.
pub(super) fn find<'a>(sections: &'a [Section], wanted: &str) -> Vec<&'a Section> {
    for normal in [folded, bare] {
        // What parts a path can stand in a heading itself.
        for parts in [vec![wanted], parts(wanted)] {
            let parts: Vec<String> = parts.iter().map(|part| normal(part)).collect();
            if parts.is_empty() || parts.iter().any(String::is_empty) {
                continue;
            }
            for fits in [ends_with, runs_through] {
                let found: Vec<&Section> = sections
                    .iter()
                    .filter(|section| {
                        let path: Vec<String> =
                            section.path.iter().map(|title| normal(title)).collect();
                        fits(&path, &parts)
                    })
                    .collect();
                if !found.is_empty() {
                    return found;
                }
            }
        }
    }
    Vec::new()
}

/// Headings that look like `wanted`, the likest first, as paths.
pub(super) fn near(sections: &[Section], wanted: &str, most: usize) -> Vec<String> {
    let whole = folded(wanted);
    let last = parts(wanted)
        .last()
        .map_or_else(String::new, |part| folded(part));
    let mut near: Vec<(f64, usize, String)> = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        let own = section.path.last().map_or_else(String::new, |t| folded(t));
        let path = folded(&to_words(&section.path));
        let held = last.chars().count() >= 3 && own.contains(&last);
        let likeness = strsim::sorensen_dice(&last, &own)
            .max(strsim::normalized_damerau_levenshtein(&last, &own))
            .max(strsim::sorensen_dice(&whole, &path))
            .max(if held { 0.9 } else { 0.0 });
        if likeness >= LIKENESS {
            near.push((likeness, at, to_words(&section.path)));
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut names: Vec<String> = Vec::new();
    for (.., name) in near {
        if names.len() < most && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// `Install > Linux`.
pub(super) fn to_words(path: &[String]) -> String {
    path.join(" > ")
}

fn parts(wanted: &str) -> Vec<&str> {
    wanted
        .split(['>', '›', '#'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

fn ends_with(path: &[String], parts: &[String]) -> bool {
    path.ends_with(parts)
}

/// Whether the parts stand in the path in this order, the last one last.
fn runs_through(path: &[String], parts: &[String]) -> bool {
    let mut left = path.iter();
    path.last() == parts.last() && parts.iter().all(|part| left.any(|own| own == part))
}

/// Letter case, accents' encoding and white space do not count.
fn folded(title: &str) -> String {
    let lower: String = title.nfc().flat_map(char::to_lowercase).collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Letters and digits alone.
fn bare(title: &str) -> String {
    folded(title)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Before.\n\n# Install\n\nFirst.\n\n## Linux\n\nOn `apt`.\n\n### Debian\n\nOld.\n\n\
        ## Mac OS\n\nBrew.\n\n> # Quoted\n\n```\n# Code\n```\n\n- # In a list\n\nUse\n===\n\n## Linux\n\nThere.\n";

    fn texts(wanted: &str) -> Vec<&'static str> {
        find(&sections(TEXT), wanted)
            .into_iter()
            .map(|section| &TEXT[section.span.clone()])
            .collect()
    }

    #[test]
    fn a_section_ends_before_the_next_heading_of_its_level_or_a_higher_one() {
        let all = sections(TEXT);
        let paths: Vec<String> = all.iter().map(|section| to_words(&section.path)).collect();
        assert_eq!(
            paths,
            [
                "Install",
                "Install > Linux",
                "Install > Linux > Debian",
                "Install > Mac OS",
                "Use",
                "Use > Linux"
            ]
        );
        assert_eq!(
            texts("install > linux"),
            ["## Linux\n\nOn `apt`.\n\n### Debian\n\nOld.\n\n"]
        );
        assert!(texts("Install")[0].ends_with("- # In a list\n\n"));
        assert_eq!(texts("Use")[0], "Use\n===\n\n## Linux\n\nThere.\n");
    }

    #[test]
    fn a_heading_is_named_by_its_path_or_the_end_of_it() {
        for (wanted, count) in [
            ("Linux", 2),
            ("LINUX", 2),
            ("use › linux", 1),
            ("Install#Linux", 1),
            ("Linux > Debian", 1),
            ("Install > Debian", 1),
            ("mac-os", 1),
            ("#mac-os", 1),
            ("Debian > Linux", 0),
            ("Quoted", 0),
            ("Code", 0),
            ("", 0),
            (">", 0),
            ("#", 0),
            ("lin", 0),
        ] {
            assert_eq!(texts(wanted).len(), count, "{wanted:?}");
        }
    }

    #[test]
    fn signs_of_a_path_may_stand_in_a_heading() {
        let text = "# A > B\n\nx\n\n# C#\n\ny\n\n## 日本語 の見出し\n\nz\n";
        let all = sections(text);
        for wanted in ["A > B", "C#", "日本語 の見出し", "c# > 日本語 の見出し"] {
            assert_eq!(find(&all, wanted).len(), 1, "{wanted}");
        }
    }

    #[test]
    fn near_headings_are_those_that_look_alike() {
        let all = sections(TEXT);
        assert_eq!(near(&all, "instal", 1), ["Install"]);
        assert_eq!(near(&all, "Install > Linus", 1), ["Install > Linux"]);
        assert_eq!(near(&all, "debian linux", 1).len(), 1);
        assert!(near(&all, "zzzz", 3).is_empty());
        assert!(near(&[], "a", 3).is_empty());
    }
}
