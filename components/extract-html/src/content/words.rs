//! What names of classes and ids say of an element: Readability's lists.

use extract_markup::{Attribute, Dom, NodeId};

/// Longer names are not looked through to their end.
const MAX_NAME: usize = 1_000;

const UNLIKELY: [&str; 30] = [
    "-ad-",
    "ai2html",
    "banner",
    "breadcrumbs",
    "combx",
    "comment",
    "community",
    "cover-wrap",
    "disqus",
    "extra",
    "footer",
    "gdpr",
    "header",
    "legends",
    "menu",
    "related",
    "remark",
    "replies",
    "rss",
    "shoutbox",
    "sidebar",
    "skyscraper",
    "social",
    "sponsor",
    "supplemental",
    "ad-break",
    "agegate",
    "pagination",
    "pager",
    "popup",
];
const LIKELY: [&str; 8] = [
    "and", "article", "body", "column", "content", "main", "mathjax", "shadow",
];
const NEGATIVE: [&str; 25] = [
    "-ad-",
    "hidden",
    "banner",
    "combx",
    "comment",
    "com-",
    "contact",
    "footer",
    "gdpr",
    "masthead",
    "media",
    "meta",
    "outbrain",
    "promo",
    "related",
    "scroll",
    "share",
    "shoutbox",
    "sidebar",
    "skyscraper",
    "sponsor",
    "shopping",
    "tags",
    "widget",
    "yom-remote",
];
const POSITIVE: [&str; 12] = [
    "article", "body", "content", "entry", "hentry", "h-entry", "main", "page", "post", "text",
    "blog", "story",
];
const BYLINE: [&str; 5] = ["byline", "author", "dateline", "writtenby", "p-author"];
const ADS: [&str; 10] = [
    "ad",
    "advertising",
    "advertisement",
    "pub",
    "publicité",
    "werb",
    "werbung",
    "广告",
    "реклама",
    "anuncio",
];
const LOADING: [&str; 5] = ["loading", "正在加载", "загрузка", "chargement", "cargando"];

/// Class and id of an element, in lower case.
pub(super) struct Names {
    class: String,
    id: String,
}

impl Names {
    pub(super) fn of(dom: &Dom, id: NodeId) -> Self {
        let lower = |name| {
            let value = dom.attribute(id, name).unwrap_or_default();
            let end = value.floor_char_boundary(MAX_NAME);
            value[..end].to_ascii_lowercase()
        };
        Self {
            class: lower(Attribute::Class),
            id: lower(Attribute::Id),
        }
    }

    fn has(&self, words: &[&str]) -> bool {
        has(&self.class, words) || has(&self.id, words)
    }

    /// Whether it is named as what stands around the content.
    pub(super) fn are_unlikely(&self) -> bool {
        self.has(&UNLIKELY) && !self.has(&LIKELY)
    }

    /// Whether it is named as the line that says who wrote the page.
    pub(super) fn are_byline(&self) -> bool {
        self.has(&BYLINE)
    }

    /// Whether it is named as what shares the page.
    pub(super) fn are_share(&self) -> bool {
        let word = |name: &str| {
            name.split(|c: char| !c.is_alphanumeric())
                .any(|word| matches!(word, "share" | "sharedaddy"))
        };
        word(&self.class) || word(&self.id)
    }

    /// 25 for each of class and id that speaks for content, -25 for each that
    /// speaks against it.
    pub(super) fn weight(&self) -> f32 {
        [&self.class, &self.id]
            .into_iter()
            .filter(|name| !name.is_empty())
            .map(|name| {
                let hid = name.split(' ').any(|word| word == "hid");
                let against = f32::from(u8::from(hid || has(name, &NEGATIVE)));
                let content = f32::from(u8::from(has(name, &POSITIVE)));
                (content - against) * 25.0
            })
            .sum()
    }
}

fn has(name: &str, words: &[&str]) -> bool {
    !name.is_empty() && words.iter().any(|word| name.contains(word))
}

/// Whether a text is all that an advertisement or a part that has not been
/// loaded shows.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    ADS.contains(&&*text) || LOADING.contains(&text.trim_end_matches(['…', '.']))
}
