//! HTML for extractors: decoding, a tree that hostile pages cannot make deep or
//! slow, and Markdown.
//!
//! [`to_markdown`] is all that most need. [`Dom`] and [`render`] are for those
//! who choose what of a page to read.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod address;
mod charset;
mod dom;
mod escape;
mod hidden;
mod names;
mod parse;
mod render;
mod table;
#[cfg(test)]
mod tests;
mod writer;

pub use address::{is_video, resolve};
pub use charset::decode_html;
pub use dom::{Dom, NodeId};
use extract_core::Link;
pub use hidden::is_hidden;
pub use names::{Attribute, Name};
pub use render::{Options, Rendered, render};

/// A page as Markdown.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// All that the page shows, without blank lines at its ends.
    pub text: String,
    /// In order of their start; pictures with a description among them.
    pub links: Vec<Link>,
    /// The page's `title`, on one line.
    pub title: Option<String>,
    /// The language tag that the page gives itself.
    pub lang: Option<String>,
}

/// Converts a page, or a part of one, in linear time. What is not shown is left
/// out: scripts, styles, forms' controls, `hidden` and `display: none`. Tables
/// of facts become pipe tables; tables that only place things give their
/// content in order. Links are as the page has them, or resolved by its `base`.
pub fn to_markdown(html: &str) -> Converted {
    let dom = Dom::parse(html);
    let base = base(&dom);
    let options = Options {
        base: base.as_deref(),
        ..Options::default()
    };
    let Rendered { text, links } = render(&dom, std::slice::from_ref(&dom.all()), &options);
    Converted {
        text,
        links,
        title: title(&dom),
        lang: lang(&dom),
    }
}

/// The text of the page's first `title`, on one line.
pub fn title(dom: &Dom) -> Option<String> {
    let of_page = |&id: &NodeId| {
        dom.name(id) == Name::Title && !dom.ancestors(id).any(|id| dom.name(id) == Name::Svg)
    };
    dom.descendants(Dom::ROOT)
        .filter(of_page)
        .find_map(|id| extract_core::title::tidy(&dom.text_under(id)))
}

/// The language tag in `lang` of the page or its body, or in a `meta`.
pub fn lang(dom: &Dom) -> Option<String> {
    dom.descendants(Dom::ROOT).find_map(|id| {
        let said = match dom.name(id) {
            Name::Html | Name::Body => dom
                .attribute(id, Attribute::Lang)
                .or_else(|| dom.attribute(id, Attribute::XmlLang)),
            Name::Meta
                if dom
                    .attribute(id, Attribute::HttpEquiv)
                    .is_some_and(|name| name.eq_ignore_ascii_case("content-language")) =>
            {
                dom.attribute(id, Attribute::Content)
            }
            _ => None,
        }?;
        let said = said.split(',').next().unwrap_or(said).trim();
        let fits = (2..=35).contains(&said.len())
            && said
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        fits.then(|| said.replace('_', "-"))
    })
}

/// The absolute address in the page's `base`.
pub fn base(dom: &Dom) -> Option<String> {
    dom.descendants(Dom::ROOT)
        .filter(|&id| dom.name(id) == Name::Base)
        .find_map(|id| dom.attribute(id, Attribute::Href))
        .map(|href| href.trim().to_owned())
        .filter(|href| href.starts_with("http://") || href.starts_with("https://"))
}
