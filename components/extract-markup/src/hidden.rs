//! What of a page is not shown.

use crate::dom::{Dom, NodeId};
use crate::names::{Attribute, Name};

/// Whether an element, and all in it, is not shown or is no text: scripts,
/// controls, what `hidden` or its style hides, pictures for the eye only.
pub fn is_hidden(dom: &Dom, id: NodeId) -> bool {
    let name = dom.name(id);
    match name {
        Name::Text | Name::Root => return false,
        Name::Audio
        | Name::Canvas
        | Name::Datalist
        | Name::Embed
        | Name::Head
        | Name::Iframe
        | Name::Input
        | Name::Map
        | Name::Noembed
        | Name::Noframes
        | Name::Noscript
        | Name::Rp
        | Name::Rt
        | Name::Script
        | Name::Select
        | Name::Style
        | Name::Svg
        | Name::Template
        | Name::Textarea
        | Name::Title
        | Name::Video => return true,
        _ => {}
    }
    if let Some(value) = dom.attribute(id, Attribute::Hidden)
        && !value.eq_ignore_ascii_case("until-found")
    {
        return true;
    }
    if let Some(style) = dom.attribute(id, Attribute::Style)
        && style_hides(style)
    {
        return true;
    }
    // Of blocks the page may say so only while a dialog is open over them.
    if !name.is_block()
        && dom
            .attribute(id, Attribute::AriaHidden)
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
    {
        return true;
    }
    dom.attribute(id, Attribute::Class).is_some_and(|classes| {
        classes.split_ascii_whitespace().any(|class| {
            // The numbers of lines beside code.
            matches!(
                class,
                "gutter"
                    | "linenos"
                    | "lineno"
                    | "line-numbers-rows"
                    | "rouge-gutter"
                    | "hljs-ln-numbers"
                    | "blob-num"
            )
        })
    })
}

fn style_hides(style: &str) -> bool {
    style.split(';').any(|rule| {
        let Some((property, value)) = rule.split_once(':') else {
            return false;
        };
        let (property, value) = (property.trim(), value.trim());
        let value = value
            .split(|c: char| c == '!' || c.is_whitespace())
            .next()
            .unwrap_or_default();
        let is = |name: &str, hiding: &str| {
            property.eq_ignore_ascii_case(name) && value.eq_ignore_ascii_case(hiding)
        };
        is("display", "none") || is("visibility", "hidden") || is("mso-hide", "all")
    })
}
