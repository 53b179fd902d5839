//! Styles: which paragraphs are headings, which are counted, what is hidden.

use std::collections::HashMap;

use crate::xml::{self, Damage, Ns, Step};

/// Styles are based on others; a chain longer than this goes in a circle.
const MOST_ANCESTORS: usize = 30;

#[derive(Debug, Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    list: Option<u32>,
    level: Option<u8>,
    vanish: Option<bool>,
    page_before: Option<bool>,
}

/// The styles of a document, by id. Ids are translated, names of built-in
/// styles are not.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    styles: HashMap<String, Style>,
}

/// What a style and those it is based on say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// From 1.
    pub(crate) heading: Option<u8>,
    /// The list the paragraph counts in; 0 for none.
    pub(crate) list: Option<u32>,
    /// The level in it, from 0.
    pub(crate) level: Option<u8>,
    /// Whether text is hidden.
    pub(crate) vanish: bool,
    /// Whether a page begins with the paragraph.
    pub(crate) page_before: bool,
}

impl Styles {
    /// Reads `styles.xml`.
    pub(crate) fn read(text: &str) -> (Self, Option<Damage>) {
        let mut styles: HashMap<String, Style> = HashMap::new();
        let mut current: Option<String> = None;
        let damage = xml::each(text, |tag| {
            if tag.ns != Ns::Word {
                return Step::Into;
            }
            if tag.name == "style" {
                current = tag.attr("styleId").map(|id| id.into_owned());
                if let Some(id) = &current {
                    styles.entry(id.clone()).or_default();
                }
                return Step::Into;
            }
            // Parts of a table's style, and what a style was before a change.
            if tag.name == "tblStylePr" || tag.name.ends_with("Change") {
                return Step::Skip;
            }
            let style = current.as_ref().and_then(|id| styles.get_mut(id));
            if let Some(style) = style {
                match tag.name {
                    "name" => style.name = tag.attr("val").unwrap_or_default().to_lowercase(),
                    "basedOn" => style.based_on = tag.attr("val").map(|id| id.into_owned()),
                    "outlineLvl" => style.outline = tag.number("val"),
                    "numId" => style.list = tag.number("val"),
                    "ilvl" => style.level = tag.number("val"),
                    "pageBreakBefore" => style.page_before = Some(tag.is_on()),
                    "vanish" => style.vanish = Some(tag.is_on()),
                    _ => {}
                }
            }
            Step::Into
        });
        (Self { styles }, damage.err())
    }

    /// What the style with this id says.
    pub(crate) fn resolve(&self, id: &str) -> Resolved {
        let mut resolved = Resolved::default();
        let mut outline = None;
        let (mut vanish, mut page_before) = (None, None);
        let mut next = Some(id);
        for _ in 0..MOST_ANCESTORS {
            let Some(id) = next else { break };
            let style = self.styles.get(id);
            let name = style.map_or(id, |style| &style.name);
            let by_name = || heading_by_name(name);
            outline = outline
                .or_else(|| style?.outline)
                .or_else(|| by_name().map(|level| level - 1));
            let Some(style) = style else { break };
            if resolved.list.is_none() {
                resolved.list = style.list;
                resolved.level = resolved.level.or(style.level);
            }
            vanish = vanish.or(style.vanish);
            page_before = page_before.or(style.page_before);
            next = style.based_on.as_deref();
        }
        // Level 9 says body text.
        resolved.heading = outline.filter(|&level| level < 9).map(|level| level + 1);
        resolved.vanish = vanish.unwrap_or(false);
        resolved.page_before = page_before.unwrap_or(false);
        resolved
    }
}

/// The level that the name of a built-in style says.
fn heading_by_name(name: &str) -> Option<u8> {
    let name = name.to_lowercase();
    if name == "title" {
        return Some(1);
    }
    let level = name.strip_prefix("heading")?.trim();
    level.parse().ok().filter(|level| (1..=9).contains(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(inner: &str) -> Styles {
        let text = format!(
            r#"<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">{inner}</w:styles>"#
        );
        let (styles, damage) = Styles::read(&text);
        assert_eq!(damage, None);
        styles
    }

    #[test]
    fn headings_are_told_by_outline_name_and_ancestor() {
        let styles = styles(
            r#"<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="Standard"/></w:style>
            <w:style w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="7"/></w:numPr></w:pPr></w:style>
            <w:style w:styleId="Off"><w:basedOn w:val="Kapitel"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
            <w:style w:styleId="Own"><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:vanish/></w:rPr></w:style>
            <w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
            <w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>"#,
        );
        let heading = |id| styles.resolve(id).heading;
        assert_eq!(heading("berschrift2"), Some(2));
        assert_eq!(heading("Kapitel"), Some(2));
        assert_eq!(styles.resolve("Kapitel").list, Some(7));
        assert_eq!(styles.resolve("Off").level, Some(1));
        assert_eq!(heading("Off"), None);
        assert_eq!(heading("Own"), Some(1));
        assert!(styles.resolve("Own").vanish);
        assert_eq!(heading("Titel"), Some(1));
        assert_eq!(heading("A"), None);
        assert_eq!(heading("Heading3"), Some(3), "without a style of that id");
        assert_eq!(heading("Unknown"), None);
    }
}
