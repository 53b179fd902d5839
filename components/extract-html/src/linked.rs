//! JSON-LD in a page (<https://schema.org/Article>).

use extract_core::title::tidy;
use extract_markup::{Dom, Name, NodeId};
use serde_json::Value;

use crate::dates;
use crate::facts::one_line;

/// More scripts than this, or longer ones, are not about the page.
const MAX_SCRIPTS: usize = 50;
const MAX_BYTES: usize = 1 << 20;
const MAX_AUTHORS: usize = 20;

/// What linked data says of the article on the page.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    names: Vec<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) published: Option<i64>,
    pub(crate) modified: Option<i64>,
    pub(crate) site: Option<String>,
    pub(crate) description: Option<String>,
}

impl Linked {
    /// Reads the first article.
    pub(crate) fn read(dom: &Dom) -> Self {
        // A script that has text is JSON-LD; of others there is none.
        let has_text = |&id: &NodeId| dom.name(id) == Name::Script && dom.end(id) > id + 1;
        for id in dom.all().filter(has_text).take(MAX_SCRIPTS) {
            let text = dom.text_under(id);
            let text = text.trim();
            if text.is_empty() || text.len() > MAX_BYTES {
                continue;
            }
            let text = text.strip_prefix("<![CDATA[").unwrap_or(text);
            let text = text.strip_suffix("]]>").unwrap_or(text);
            if let Ok(value) = serde_json::from_str::<Value>(text)
                && let Some(article) = article(&value)
            {
                return Self::of(article);
            }
        }
        Self::default()
    }

    fn of(article: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(unescape).and_then(|text| tidy(&text));
        let name = |value: &Value| text(value).or_else(|| text(value.get("name")?));
        let authors = match article.get("author") {
            Some(Value::Array(many)) => many.iter().filter_map(name).take(MAX_AUTHORS).collect(),
            Some(one) => name(one).into_iter().collect(),
            None => Vec::new(),
        };
        let date = |key: &str| article.get(key)?.as_str().and_then(dates::parse);
        Self {
            names: ["headline", "name"]
                .iter()
                .filter_map(|key| text(article.get(key)?))
                .collect(),
            // Some pages give addresses for names.
            authors: authors
                .into_iter()
                .filter(|name: &String| !name.contains("://"))
                .collect(),
            published: date("datePublished").or_else(|| date("dateCreated")),
            modified: date("dateModified"),
            site: article.get("publisher").and_then(name),
            description: article
                .get("description")
                .and_then(Value::as_str)
                .map(|text| one_line(&unescape(text)))
                .filter(|text| !text.is_empty()),
        }
    }

    /// Of `headline` and `name` the one that is nearer to the page's title:
    /// some sites put their own name in one of them.
    pub(crate) fn title(&self, written: Option<&str>) -> Option<String> {
        let shared = |name: &&String| {
            let written = written.unwrap_or_default();
            name.split_whitespace()
                .filter(|word| written.contains(word))
                .count()
        };
        let fits = |name: &&String| {
            let words = name.split_whitespace().count();
            written.is_none() || shared(name) * 4 > words * 3
        };
        let first = self.names.first()?;
        Some(self.names.iter().find(fits).unwrap_or(first).clone())
    }
}

/// The first article in linked data: itself, in a list, or in a graph.
fn article(value: &Value) -> Option<&Value> {
    match value {
        Value::Array(many) => many.iter().find_map(article),
        Value::Object(fields) => {
            if is_article(value) {
                return Some(value);
            }
            fields
                .get("@graph")
                .and_then(Value::as_array)?
                .iter()
                .find(|value| is_article(value))
        }
        _ => None,
    }
}

fn is_article(value: &Value) -> bool {
    const OTHERS: [&str; 6] = [
        "Report",
        "SocialMediaPosting",
        "BlogPosting",
        "LiveBlogPosting",
        "DiscussionForumPosting",
        "APIReference",
    ];
    let fits = |kind: &Value| {
        kind.as_str()
            .is_some_and(|kind| kind.ends_with("Article") || OTHERS.contains(&kind))
    };
    match value.get("@type") {
        Some(Value::Array(many)) => many.iter().any(fits),
        Some(kind) => fits(kind),
        None => false,
    }
}

/// Character references in JSON, which has no need of them but often has them.
fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let dom = Dom::parse(&text.replace('<', "&lt;"));
    dom.text_under(Dom::ROOT)
}
