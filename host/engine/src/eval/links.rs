//! Ranking quality on a user's own items: the text around a wikilink asks for
//! what is linked there. Who wrote the link judged that the two belong
//! together.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use pkb_store::{Condition, Filter, Item, ItemDetails, ItemId, Link, LinkKind, SourceId, Test};

use super::ask::{self, in_parallel, ranked};
use super::collection::{DEPTH, Query, score};
use super::metrics::Judged;
use super::report::{Kind, Report};
use super::{EvalOptions, spread};
use crate::citation::item_path;
use crate::engine::Engine;
use crate::error::Error;
use crate::job::{Job, Stage};
use crate::links::{Names, named};

/// Queries asked where no other number is given: enough for intervals of about
/// 0.05, and a minute's work.
const QUERIES: usize = 500;
/// Letters and digits that a query has at least, its links not counted: with
/// fewer there is nothing that could ask for one item among many.
const LEAST: usize = 25;
/// The longest query, in bytes; of a longer paragraph, what is nearest to its
/// first link.
const LONGEST: usize = 600;

impl Engine {
    /// Makes a test set from the wikilinks in the named sources (all, where
    /// none is named) and asks it. A query is the paragraph, list item or table
    /// row around one or more links, without the links' own words where those
    /// are the target's name; it is to find what the links lead to, among all
    /// items but the one it stands in.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown source; [`Error::Usage`] where there
    /// are no links that can be used, or a way to search was asked for that
    /// needs vectors and there are none; [`Error::Stopped`].
    pub fn eval_links(
        &self,
        sources: &[String],
        options: &EvalOptions,
        job: &dyn Job,
    ) -> Result<Report, Error> {
        let filter = match sources {
            [] => Filter::default(),
            names => Filter::from(Test::Source(names.to_vec())),
        };
        self.know_sources(&filter)?;
        let data = match sources {
            [] => "links of all sources".to_owned(),
            names => format!("links of {}", names.join(", ")),
        };
        let mut report = Report::new(Kind::Links, data, options);
        let items = self.all_items(&filter)?;
        let targets = self.targets(&items)?;
        let found = in_parallel(items.len(), Stage::Scanning, job, |at| {
            self.link_queries(&items[at], &filter, &targets)
        })?;
        let (links, queries) = found
            .into_iter()
            .fold((0, Vec::new()), |mut all, (links, some)| {
                all.0 += links;
                all.1.extend(some);
                all
            });
        if queries.is_empty() {
            return Err(no_links(&report.data, items.len(), links));
        }
        let limit = options.limit_queries.unwrap_or(QUERIES);
        if queries.len() > limit {
            report.notes.push(format!(
                "Asked {limit} of {} queries, spread over all items; --limit-queries asks more.",
                queries.len()
            ));
        }
        let queries = spread(queries, Some(limit));

        let model = match options.wants_vectors() {
            true => self.searchable_model(&mut report.notes)?,
            false => None,
        };
        if let Some(own) = &model
            && let missing = self.pending(own.id)?
            && missing > 0
        {
            report.notes.push(format!(
                "{missing} chunks have no vector yet and can only be found by word. `pkb sync` makes them."
            ));
        }
        let modes = options.modes(model.is_some());
        if modes.is_empty() {
            return Err(Error::usage(report.notes.join(" "), ""));
        }
        let names: ask::Names = items
            .iter()
            .map(|item| (item.id, item_path(item)))
            .collect();
        for mode in modes {
            report.rows.push(score(mode, &queries, job, |query| {
                let request = options.request(&query.text, mode, &query.filter, DEPTH);
                ranked(self, &names, &request)
            })?);
        }
        report.model = model.map(|own| own.model.model.info().name.clone());
        report.documents = items.len() as u64;
        report.queries = queries.into_iter().map(|query| query.id).collect();
        report.add_differences();
        Ok(report)
    }

    /// How many wikilinks an item holds, and the queries they make.
    fn link_queries(
        &self,
        item: &Item,
        filter: &Filter,
        targets: &Targets<'_>,
    ) -> Result<(usize, Vec<Query>), Error> {
        let (Some(details), Some(text)) =
            (self.store().item(item.id)?, self.store().text(item.id)?)
        else {
            return Ok((0, Vec::new()));
        };
        let links = wikilinks(&details, text.text.len());
        let mut queries = Vec::new();
        for block in blocks(&text.text, &links) {
            let inside: Vec<&Link> = links
                .iter()
                .filter(|link| block.start <= start(link) && end(link) <= block.end)
                .copied()
                .collect();
            let mut judged = Judged::new();
            let mut shown = Vec::new();
            for link in inside {
                let target = targets.of(link, item);
                if let Some(target) = target.filter(|target| target.id != item.id) {
                    judged.insert(item_path(target), 1.0);
                }
                shown.push((start(link)..end(link), words(link, target)));
            }
            let text = query(&text.text, &block, &shown);
            let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
            if !judged.is_empty() && letters >= LEAST {
                queries.push(Query {
                    id: format!("{}:{}", item_path(item), block.start),
                    text,
                    judged,
                    filter: others(filter, item.id),
                });
            }
        }
        Ok((links.len(), queries))
    }

    /// What links in these items can lead to.
    fn targets<'a>(&self, items: &'a [Item]) -> Result<Targets<'a>, Error> {
        let mut targets = Targets {
            names: HashMap::new(),
            items: items.iter().map(|item| (item.id, item)).collect(),
        };
        for item in items {
            if let Entry::Vacant(new) = targets.names.entry(item.source_id) {
                new.insert(self.names(item.source_id)?);
            }
        }
        Ok(targets)
    }
}

/// What links lead to.
struct Targets<'a> {
    names: HashMap<SourceId, Names>,
    items: HashMap<ItemId, &'a Item>,
}

impl<'a> Targets<'a> {
    /// The item that a link leads to; none where it leads to none.
    fn of(&self, link: &Link, from: &Item) -> Option<&'a Item> {
        let file = named(self.names.get(&from.source_id)?, from, link)?;
        self.items.get(&file.item?).copied()
    }
}

/// All that the filter lets through but one.
fn others(filter: &Filter, but: ItemId) -> Filter {
    let mut filter = filter.clone();
    filter.conditions.push(Condition {
        not: true,
        test: Test::Items(vec![but]),
    });
    filter
}

/// The links of an item that name another one and are read as part of its
/// text, in order.
fn wikilinks(details: &ItemDetails, length: usize) -> Vec<&Link> {
    let mut links: Vec<&Link> = details
        .links
        .iter()
        .filter(|link| link.kind == LinkKind::Wikilink && !link.target.is_empty())
        .filter(|link| start(link) < end(link) && end(link) <= length)
        .collect();
    links.sort_by_key(|link| (start(link), end(link)));
    links.dedup_by_key(|link| start(link));
    links
}

fn start(link: &Link) -> usize {
    usize::try_from(link.span.start).unwrap_or(usize::MAX)
}

fn end(link: &Link) -> usize {
    usize::try_from(link.span.end).unwrap_or(usize::MAX)
}

/// The words of a link that a query keeps: its label, where that is not just
/// the target's name.
fn words(link: &Link, target: Option<&Item>) -> String {
    let Some(label) = link.label.as_deref().map(str::trim) else {
        return String::new();
    };
    let plain = |text: &str| text.trim().to_lowercase();
    let name = |path: &str| {
        let last = path.rsplit('/').next().unwrap_or(path);
        plain(last.strip_suffix(".md").unwrap_or(last))
    };
    let names = [
        Some(plain(&link.target)),
        Some(name(&link.target)),
        target.map(|target| plain(&target.title)),
        target.map(|target| name(&target.external_id)),
    ];
    if names.into_iter().flatten().any(|name| name == plain(label)) {
        String::new()
    } else {
        label.to_owned()
    }
}

/// The blocks of a text that hold links: paragraphs, where each item of a
/// list, each row of a table and each heading is one of its own.
fn blocks(text: &str, links: &[&Link]) -> Vec<Range<usize>> {
    let starts: BTreeSet<usize> = links.iter().map(|link| start(link)).collect();
    let mut blocks = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let blank = line.trim().is_empty();
        if blank || begins_block(line) {
            blocks.extend(open.take());
        }
        if !blank {
            open = Some(open.map_or(range.start, |block| block.start)..range.end);
        }
    }
    blocks.extend(open);
    blocks.retain(|block| starts.range(block.clone()).next().is_some());
    blocks
}

fn begins_block(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('>').trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered =
        digits.len() < line.len() && (digits.starts_with(". ") || digits.starts_with(") "));
    numbered
        || ["- ", "* ", "+ ", "#", "|"]
            .iter()
            .any(|mark| line.starts_with(mark))
}

/// The text of `block` with its links (in order) shown as given, without the
/// marks that begin its lines, and not longer than [`LONGEST`].
fn query(text: &str, block: &Range<usize>, links: &[(Range<usize>, String)]) -> String {
    let mut shown = String::new();
    let mut first = None;
    let mut at = block.start;
    for (span, words) in links.iter().filter(|(span, _)| span.start >= block.start) {
        // Links in links are read once.
        if span.start < at {
            continue;
        }
        shown.push_str(&text[at..span.start]);
        first = first.or(Some(shown.len()));
        shown.push_str(words);
        at = span.end;
    }
    shown.push_str(&text[at..block.end]);
    let cut = around(&shown, first.unwrap_or(0)).replace('"', " ");
    let marks = |line: &str| {
        line.trim_start_matches(|c: char| c.is_whitespace() || "->*+#|[]".contains(c))
            .to_owned()
    };
    let lines: Vec<String> = cut.lines().map(marks).collect();
    lines
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// At most [`LONGEST`] bytes of `text` around byte `at`, cut between words
/// where there are any.
fn around(text: &str, at: usize) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    let mut from = at.saturating_sub(LONGEST / 2).min(text.len() - LONGEST);
    let mut to = from + LONGEST;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let part = &text[from..to];
    let part = match part.find(char::is_whitespace) {
        Some(space) if from > 0 && space < part.len() / 4 => &part[space..],
        _ => part,
    };
    match part.rfind(char::is_whitespace) {
        Some(space) if to < text.len() && space > part.len() * 3 / 4 => &part[..space],
        _ => part,
    }
}

fn no_links(data: &str, items: usize, links: usize) -> Error {
    let what = match (items, links) {
        (0, _) => "there are no items yet".to_owned(),
        (_, 0) => format!("{data}: no item holds a wikilink"),
        _ => format!(
            "{data}: none of {links} wikilinks leads to another item and has text around it to ask with"
        ),
    };
    Error::usage(
        what,
        "A test set can be made from notes that link to one another like [[this]]. `pkb eval DIR` measures on a judged collection instead.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(text: &str, written: &str, target: &str, label: Option<&str>) -> Link {
        let at = text.find(written).unwrap() as u64;
        Link {
            kind: LinkKind::Wikilink,
            target: target.into(),
            heading: None,
            block: None,
            label: label.map(str::to_owned),
            span: at..at + written.len() as u64,
        }
    }

    #[test]
    fn each_list_item_row_and_paragraph_is_a_block() {
        let text = "A paragraph about [[A]]\nthat goes on.\n\n- one [[B]]\n  and more\n- two\n\n| x | [[C]] |\n| y | z |\n# [[D]]\nEnd.\n";
        let links = ["A", "B", "C", "D"].map(|name| link(text, &format!("[[{name}]]"), name, None));
        let links: Vec<&Link> = links.iter().collect();
        let texts: Vec<&str> = blocks(text, &links)
            .into_iter()
            .map(|block| &text[block])
            .collect();
        assert_eq!(
            texts,
            [
                "A paragraph about [[A]]\nthat goes on.\n",
                "- one [[B]]\n  and more\n",
                "| x | [[C]] |\n",
                "# [[D]]\nEnd.\n"
            ]
        );
        assert!(blocks(text, &[]).is_empty());
    }

    #[test]
    fn a_query_does_not_name_its_target() {
        let text = "- [ ] See [[People/Ada|Ada]] on [[Engines|how it ran]], é [[日本]].\n";
        let links = [
            link(text, "[[People/Ada|Ada]]", "People/Ada", Some("Ada")),
            link(
                text,
                "[[Engines|how it ran]]",
                "Engines",
                Some("how it ran"),
            ),
            link(text, "[[日本]]", "日本", None),
        ];
        let shown: Vec<_> = links
            .iter()
            .map(|link| (start(link)..end(link), words(link, None)))
            .collect();
        let block = 0..text.len();
        assert_eq!(query(text, &block, &shown), "See on how it ran, é .");
    }

    #[test]
    fn a_long_paragraph_is_cut_around_its_link() {
        let text = format!("{} [[A]] {}", "före ".repeat(400), "efter ".repeat(400));
        let link = link(&text, "[[A]]", "A", None);
        let shown = [(start(&link)..end(&link), String::new())];
        let query = query(&text, &(0..text.len()), &shown);
        assert!(
            query.len() <= LONGEST && query.len() > LONGEST / 2,
            "{}",
            query.len()
        );
        assert!(
            query.starts_with("före ") && query.ends_with(" efter"),
            "{query}"
        );
        // Where no white space can be cut at, a character still is not.
        let text = "日本".repeat(400);
        assert!(around(&text, 1_200).len() > LONGEST - 4);
    }
}
