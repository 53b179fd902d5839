//! What a page says of itself.

use extract_core::canonical_url;
use extract_core::title::tidy;
use extract_markup::{Attribute, Dom, Name, NodeId, resolve};

use crate::dates;
use crate::linked::Linked;

/// More keywords than this are there for search engines.
const MAX_KEYWORDS: usize = 30;
/// Longer descriptions are cut, in characters.
const MAX_DESCRIPTION: usize = 2_000;

/// Each is one line, or nothing.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) title: Option<String>,
    pub(crate) authors: Vec<String>,
    /// Milliseconds since 1970.
    pub(crate) published: Option<i64>,
    pub(crate) modified: Option<i64>,
    pub(crate) lang: Option<String>,
    /// Absolute, and as every source spells it.
    pub(crate) url: Option<String>,
    pub(crate) site: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) keywords: Vec<String>,
}

impl Facts {
    /// Reads them; `saved_from` is where the page was saved from, if known.
    pub(crate) fn read(dom: &Dom, saved_from: Option<&str>) -> Self {
        let metas = Metas::read(dom);
        let linked = Linked::read(dom);
        let base = extract_markup::base(dom).or_else(|| saved_from.map(str::to_owned));
        let written_title = extract_markup::title(dom);
        let title = linked
            .title(written_title.as_deref())
            .or_else(|| {
                metas.first(&[
                    "dc:title",
                    "dcterm:title",
                    "dcterms:title",
                    "og:title",
                    "weibo:article:title",
                    "weibo:webpage:title",
                    "title",
                    "twitter:title",
                    "parsely-title",
                ])
            })
            .or_else(|| written_title.map(|title| of_page(dom, &title)))
            .or_else(|| only_heading(dom));
        let mut authors = linked.authors;
        if authors.is_empty() {
            authors = metas
                .first(&[
                    "dc:creator",
                    "dcterm:creator",
                    "dcterms:creator",
                    "author",
                    "parsely-author",
                ])
                .or_else(|| {
                    metas
                        .first(&["article:author"])
                        .filter(|author| !author.contains("://"))
                })
                .map(|author| split_authors(&author))
                .unwrap_or_default();
        }
        let date = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| dates::parse(&metas.first(&[name])?))
        };
        Self {
            published: linked
                .published
                .or_else(|| {
                    date(&[
                        "article:published_time",
                        "og:published_time",
                        "parsely-pub-date",
                        "dcterms:created",
                        "dcterms:issued",
                        "dcterms:available",
                        "dc:date",
                        "dc:date:issued",
                        "dcterms:date",
                        "citation_publication_date",
                        "citation_date",
                        "datepublished",
                        "pubdate",
                        "publishdate",
                        "publish-date",
                        "sailthru:date",
                        "date",
                    ])
                })
                .or_else(|| time_of(dom, "datePublished"))
                .or_else(|| only_time(dom)),
            modified: linked
                .modified
                .or_else(|| {
                    date(&[
                        "article:modified_time",
                        "og:updated_time",
                        "dcterms:modified",
                        "datemodified",
                        "last-modified",
                    ])
                })
                .or_else(|| time_of(dom, "dateModified")),
            lang: extract_markup::lang(dom).or_else(|| {
                let said =
                    metas.first(&["og:locale", "dc:language", "dcterms:language", "language"])?;
                let fits = said.len() <= 12
                    && said
                        .split(['_', '-'])
                        .next()
                        .is_some_and(|tag| matches!(tag.len(), 2 | 3));
                fits.then(|| said.replace('_', "-"))
            }),
            url: url(dom, &metas, base.as_deref())
                .or_else(|| saved_from.map(str::to_owned))
                .map(|url| canonical_url(&url).unwrap_or(url)),
            site: linked.site.or_else(|| {
                metas
                    .first(&["og:site_name", "application-name", "twitter:site"])
                    .filter(|site| !site.starts_with('@'))
            }),
            description: linked
                .description
                .or_else(|| {
                    let text = metas.text(&[
                        "dc:description",
                        "dcterm:description",
                        "dcterms:description",
                        "og:description",
                        "weibo:article:description",
                        "weibo:webpage:description",
                        "description",
                        "twitter:description",
                    ]);
                    text.map(one_line)
                })
                .map(|text| text.chars().take(MAX_DESCRIPTION).collect()),
            keywords: metas.keywords(),
            title,
            authors,
        }
    }
}

/// `meta` elements: lower-case names and their contents.
struct Metas<'a>(Vec<(String, &'a str)>);

impl<'a> Metas<'a> {
    fn read(dom: &'a Dom) -> Self {
        let mut metas = Vec::new();
        let elements: Vec<NodeId> = dom.all().filter(|&id| dom.name(id) == Name::Meta).collect();
        // Of the same name a property counts first, as the newer way to say it.
        for attribute in [
            Attribute::Property,
            Attribute::Name,
            Attribute::Itemprop,
            Attribute::HttpEquiv,
        ] {
            for &id in &elements {
                let Some(content) = dom.attribute(id, Attribute::Content) else {
                    continue;
                };
                let names = dom.attribute(id, attribute).unwrap_or_default();
                // There may be several; a dot stands for a colon.
                for name in names.split_whitespace() {
                    let name = name.to_lowercase().replace('.', ":");
                    let name = match name.strip_prefix("og:") {
                        Some(inner) if inner.starts_with("article:") => inner.to_owned(),
                        _ => name,
                    };
                    metas.push((name, content));
                }
            }
        }
        Self(metas)
    }

    /// The content under the first of the names that has any.
    fn first(&self, names: &[&str]) -> Option<String> {
        self.text(names).and_then(tidy)
    }

    /// The same, as it is written.
    fn text(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| {
            let with_name = self.0.iter().filter(|(known, _)| known == name);
            let mut contents = with_name.map(|&(_, content)| content);
            contents.find(|content| !content.trim().is_empty())
        })
    }

    fn keywords(&self) -> Vec<String> {
        let mut keywords: Vec<String> = Vec::new();
        let mut add = |word: &str| {
            if let Some(word) = tidy(word)
                && keywords.len() < MAX_KEYWORDS
                && !keywords
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(&word))
            {
                keywords.push(word);
            }
        };
        for (name, content) in &self.0 {
            match &**name {
                "article:tag" => add(content),
                "keywords" | "news_keywords" | "parsely-tags" => {
                    content.split([',', ';']).for_each(&mut add)
                }
                _ => {}
            }
        }
        keywords
    }
}

/// The address the page gives as its own, absolute.
fn url(dom: &Dom, metas: &Metas<'_>, base: Option<&str>) -> Option<String> {
    let absolute = |address: &str| {
        let address = resolve(base, address);
        let web = address.starts_with("https://") || address.starts_with("http://");
        (web && !address.contains(char::is_whitespace)).then_some(address)
    };
    let is_canonical = |&id: &NodeId| {
        dom.name(id) == Name::Link
            && dom.attribute(id, Attribute::Rel).is_some_and(|rel| {
                rel.split_whitespace()
                    .any(|rel| rel.eq_ignore_ascii_case("canonical"))
            })
    };
    dom.all()
        .filter(is_canonical)
        .filter_map(|id| dom.attribute(id, Attribute::Href))
        .find_map(absolute)
        .or_else(|| absolute(&metas.first(&["og:url"])?))
}

/// A page's title without the name of its site: Readability's rules.
fn of_page(dom: &Dom, title: &str) -> String {
    let words = |text: &str| text.split_whitespace().count();
    let separator = |c: char| matches!(c, '|' | '-' | '–' | '—' | '\\' | '/' | '>' | '»');
    let spaced = title
        .char_indices()
        .rfind(|&(at, c)| {
            separator(c)
                && title[..at].ends_with(' ')
                && title[at + c.len_utf8()..].starts_with(' ')
        })
        .map(|(at, c)| (at, c.len_utf8()));
    let hierarchy = title.contains(" / ")
        || title.contains(" > ")
        || title.contains(" » ")
        || title.contains(" \\ ");
    let mut short = title.to_owned();
    if let Some((at, length)) = spaced {
        title[..at].trim().clone_into(&mut short);
        if words(&short) < 3 {
            // What stands before is the site's name.
            let first = title.char_indices().find(|&(at, c)| {
                separator(c)
                    && title[..at].ends_with(' ')
                    && title[at + c.len_utf8()..].starts_with(' ')
            });
            let from = first.map_or(at + length, |(at, c)| at + c.len_utf8());
            title[from..].trim().clone_into(&mut short);
        }
    } else if title.contains(": ") {
        if !is_heading(dom, title) {
            let after = title.rfind(':').map_or("", |at| title[at + 1..].trim());
            let first = title.find(':').unwrap_or(0);
            if words(after) >= 3 {
                after.clone_into(&mut short);
            } else if words(&title[..first]) <= 5 {
                title[first + 1..].trim().clone_into(&mut short);
            }
        }
    } else if title.chars().count() > 150 || title.chars().count() < 15 {
        let heading = only_heading(dom).filter(|heading| words(heading) > 4);
        return heading.unwrap_or_else(|| title.to_owned());
    }
    // What is as short as that may be no title, unless the page has it as one.
    if is_heading(dom, &short) {
        return short;
    }
    let plain: String = title.chars().filter(|&c| !separator(c)).collect();
    if words(&short) <= 4 && (!hierarchy || words(&short) + 1 != words(&plain)) {
        return title.to_owned();
    }
    short
}

/// Whether a heading of the first two levels says just that.
fn is_heading(dom: &Dom, text: &str) -> bool {
    dom.all().any(|id| {
        matches!(dom.name(id), Name::H1 | Name::H2)
            && tidy(&dom.text_under(id)).as_deref() == Some(text)
    })
}

/// The first heading of the first level, where it is the only one.
fn only_heading(dom: &Dom) -> Option<String> {
    let mut headings = dom.all().filter(|&id| dom.name(id) == Name::H1);
    let only = headings.next()?;
    headings
        .next()
        .is_none()
        .then(|| tidy(&dom.text_under(only)))?
}

/// The time in an element with such an `itemprop`.
fn time_of(dom: &Dom, itemprop: &str) -> Option<i64> {
    let named = |&id: &NodeId| {
        dom.attribute(id, Attribute::Itemprop)
            .is_some_and(|names| names.split_whitespace().any(|name| name == itemprop))
    };
    dom.all().filter(named).find_map(|id| {
        let said = dom
            .attribute(id, Attribute::Datetime)
            .or_else(|| dom.attribute(id, Attribute::Content));
        said.and_then(dates::parse)
    })
}

/// The time of the only `time` element with one; of several none is surely that
/// of the page.
fn only_time(dom: &Dom) -> Option<i64> {
    let mut times = dom
        .all()
        .filter(|&id| dom.name(id) == Name::Time)
        .filter_map(|id| dates::parse(dom.attribute(id, Attribute::Datetime)?));
    let only = times.next()?;
    times.all(|time| time == only).then_some(only)
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// `By A and B` as its names.
pub(crate) fn split_authors(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = match line.get(..3) {
        Some(by) if by.eq_ignore_ascii_case("by ") => &line[3..],
        _ => line,
    };
    line.split([';', '|'])
        .flat_map(|part| part.split(" and "))
        .filter_map(tidy)
        .collect()
}
