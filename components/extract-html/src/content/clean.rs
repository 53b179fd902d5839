//! Takes out of the content what is not part of it.

use std::ops::Range;

use extract_markup::{Attribute, Name, NodeId, is_video};

use super::state::{Counts, State, density, normal_length};
use super::words::{Names, is_placeholder};
use super::{ENOUGH, Strictness};

/// Texts up to so many characters can be nothing but the name of an
/// advertisement.
const LONGEST_PLACEHOLDER: u32 = 20;

pub(super) fn clean(
    state: &mut State<'_>,
    counts: &Counts,
    stretches: &[Range<NodeId>],
    strictness: Strictness,
) {
    let mut cleaner = Cleaner {
        state,
        facts: Vec::new(),
        roots: stretches.iter().map(|stretch| stretch.start).collect(),
        strictness,
    };
    cleaner.facts = stretches
        .iter()
        .flat_map(|stretch| cleaner.tables_of_facts(stretch.clone()))
        .collect();
    let each = |cleaner: &mut Cleaner<'_, '_>, names: &[Name]| {
        for stretch in stretches {
            cleaner.conditionally(stretch.clone(), names);
        }
    };
    each(&mut cleaner, &[Name::Form, Name::Fieldset]);
    for stretch in stretches {
        cleaner.always(stretch, counts);
    }
    each(&mut cleaner, &[Name::Table]);
    each(&mut cleaner, &[Name::Ul]);
    each(&mut cleaner, &[Name::Div]);
}

struct Cleaner<'s, 'a> {
    state: &'s mut State<'a>,
    /// Tables that hold facts, in order.
    facts: Vec<NodeId>,
    /// Where the stretches start: what is chosen there is a place, whatever its
    /// name.
    roots: Vec<NodeId>,
    strictness: Strictness,
}

/// What is under an element.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    chars: u32,
    commas: u32,
    /// Tenths of characters in links.
    links: u32,
    paragraphs: u32,
    images: u32,
    items: u32,
    fields: u32,
    embeds: u32,
    headings: u32,
    lists: u32,
    text: u32,
    video: bool,
    facts: bool,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.chars += other.chars;
        self.commas += other.commas;
        self.links += other.links;
        self.paragraphs += other.paragraphs;
        self.images += other.images;
        self.items += other.items;
        self.fields += other.fields;
        self.embeds += other.embeds;
        self.headings = self.headings.saturating_add(other.headings);
        self.lists = self.lists.saturating_add(other.lists);
        self.text = self.text.saturating_add(other.text);
        self.video |= other.video;
        self.facts |= other.facts;
    }
}

impl Cleaner<'_, '_> {
    /// What goes whatever it holds.
    fn always(&mut self, stretch: &Range<NodeId>, counts: &Counts) {
        let dom = self.state.dom;
        let nodes: Vec<NodeId> = self.state.nodes(stretch.clone()).collect();
        for id in nodes {
            let name = dom.name(id);
            let gone = match name {
                Name::Text => continue,
                Name::Aside
                | Name::Button
                | Name::Footer
                | Name::Link
                | Name::Select
                | Name::Textarea
                | Name::Input => true,
                Name::Embed | Name::Iframe | Name::Object => !self.shows_video(id),
                Name::H1 | Name::H2 => {
                    self.strictness.weigh_names && Names::of(dom, id).weight() < 0.0
                }
                _ => false,
            };
            let share = || {
                id != stretch.start
                    && counts.chars(&(id..dom.end(id))) < ENOUGH
                    && Names::of(dom, id).are_share()
            };
            if gone || share() {
                self.state.remove(id);
            }
        }
    }

    fn shows_video(&self, id: NodeId) -> bool {
        let src = self.state.dom.attribute(id, Attribute::Src);
        src.is_some_and(is_video)
    }

    /// Takes out elements of some names that look like anything but content.
    /// One walk from the end: what is under an element is known when it comes.
    fn conditionally(&mut self, stretch: Range<NodeId>, names: &[Name]) {
        if !self.strictness.clean {
            return;
        }
        let dom = self.state.dom;
        let nodes: Vec<NodeId> = self.state.nodes(stretch.clone()).collect();
        // The sums of those elements that hold the one at hand, innermost last.
        let mut open: Vec<(NodeId, Sum)> = Vec::new();
        for &id in nodes.iter().rev() {
            let mut sum = Sum::default();
            while let Some((of, _)) = open.last()
                && *of == id
            {
                if let Some((_, under)) = open.pop() {
                    sum.add(&under);
                }
            }
            let own = self.own(id, &sum);
            let name = self.taken_for(id);
            let gone = names.contains(&name) && !self.state.is_shell(id) && {
                self.is_not_content(id, name, &sum)
            };
            if gone {
                self.state.remove(id);
                continue;
            }
            sum.add(&own);
            let parent = dom.parent(id);
            match open.last_mut() {
                Some((of, under)) if *of == parent => under.add(&sum),
                _ => open.push((parent, sum)),
            }
        }
    }

    fn taken_for(&self, id: NodeId) -> Name {
        let name = self.state.name(id);
        let kept = matches!(
            name,
            Name::Article | Name::Section | Name::P | Name::Ol | Name::Ul | Name::Text
        );
        if self.roots.contains(&id) && !kept {
            Name::Div
        } else {
            name
        }
    }

    /// What an element adds itself to what is under it.
    fn own(&self, id: NodeId, under: &Sum) -> Sum {
        let dom = self.state.dom;
        let mut own = Sum::default();
        let runs = self.state.runs_of(id).len();
        own.paragraphs = u32::try_from(runs).unwrap_or(u32::MAX);
        own.text = own.paragraphs;
        match self.state.name(id) {
            Name::Text => {
                let text = dom.text(id);
                // White space between blocks is text of none.
                own.chars = normal_length(text, &mut text.trim().is_empty());
                own.commas = u32::try_from(text.matches(',').count()).unwrap_or(u32::MAX);
                return own;
            }
            Name::A => {
                let href = dom.attribute(id, Attribute::Href).unwrap_or_default();
                let tenths = if href.starts_with('#') { 3 } else { 10 };
                own.links = (under.chars * tenths).saturating_sub(under.links);
            }
            Name::P => own.paragraphs += 1,
            Name::Img => {
                own.images = 1;
                return own;
            }
            Name::Li => own.items = 1,
            Name::Input => own.fields = 1,
            Name::Embed | Name::Iframe | Name::Object => {
                own.embeds = 1;
                own.video = self.shows_video(id);
            }
            Name::Ul | Name::Ol => own.lists = under.chars,
            Name::Table => own.facts = self.facts.binary_search(&id).is_ok(),
            name if name.heading().is_some() => own.headings = under.chars,
            _ => {}
        }
        if matches!(
            self.state.name(id),
            Name::Blockquote
                | Name::Dl
                | Name::Div
                | Name::Ol
                | Name::P
                | Name::Pre
                | Name::Table
                | Name::Ul
                | Name::Span
                | Name::Li
                | Name::Td
        ) {
            own.text = own.text.saturating_add(under.chars);
        }
        own
    }

    /// Readability's `_cleanConditionally`.
    fn is_not_content(&self, id: NodeId, name: Name, under: &Sum) -> bool {
        let dom = self.state.dom;
        let is_facts = |id: NodeId| self.facts.binary_search(&id).is_ok();
        if under.facts
            || is_facts(id)
            || dom.ancestors(id).any(is_facts)
            || dom
                .ancestors(id)
                .take(4)
                .any(|id| dom.name(id) == Name::Code)
        {
            return false;
        }
        let weight = if self.strictness.weigh_names {
            Names::of(dom, id).weight()
        } else {
            0.0
        };
        if weight < 0.0 {
            return true;
        }
        if under.commas >= 10 || under.video {
            return false;
        }
        let whole = id..dom.end(id);
        if under.chars <= LONGEST_PLACEHOLDER && is_placeholder(&self.state.text(whole)) {
            return true;
        }
        let is_list =
            matches!(name, Name::Ul | Name::Ol) || under.lists * 10 > under.chars.saturating_mul(9);
        let in_figure = dom
            .ancestors(id)
            .take(4)
            .any(|id| dom.name(id) == Name::Figure);
        let links = density(under.links, under.chars);
        let remove = (!in_figure && under.images > 1 && under.paragraphs * 2 < under.images)
            || (!is_list && under.items > under.paragraphs + 100)
            || under.fields > under.paragraphs / 3
            || (!is_list
                && !in_figure
                && under.headings * 10 < under.chars.saturating_mul(9)
                && under.chars < 25
                && (under.images == 0 || under.images > 2)
                && links > 0.0)
            || (!is_list && weight < 25.0 && links > 0.2)
            || (weight >= 25.0 && links > 0.5)
            || (under.embeds == 1 && under.chars < 75)
            || under.embeds > 1
            || (under.images == 0 && under.text == 0);
        if remove && is_list {
            // A plain list of pictures is content.
            let plain = |id| self.state.elements(id).take(2).count() <= 1;
            return !self.state.elements(id).all(plain) || under.images != under.items;
        }
        remove
    }

    /// The tables of a stretch that hold facts: Readability's rules.
    fn tables_of_facts(&self, stretch: Range<NodeId>) -> Vec<NodeId> {
        let dom = self.state.dom;
        let tables = self.state.nodes(stretch);
        tables
            .filter(|&id| dom.name(id) == Name::Table && self.holds_facts(id))
            .collect()
    }

    fn holds_facts(&self, table: NodeId) -> bool {
        let dom = self.state.dom;
        if dom.attribute(table, Attribute::Role) == Some("presentation") {
            return false;
        }
        let (mut rows, mut columns, mut row) = (0, 0, 0);
        for id in self.state.nodes(dom.descendants(table)) {
            match dom.name(id) {
                Name::Caption
                | Name::Col
                | Name::Colgroup
                | Name::Tfoot
                | Name::Thead
                | Name::Th => {
                    return true;
                }
                Name::Table => return false,
                Name::Tr => {
                    rows += 1;
                    row = 0;
                }
                Name::Td => {
                    let span = dom.attribute(id, Attribute::Colspan);
                    let span = span.and_then(|span| span.trim().parse::<usize>().ok());
                    row += span.unwrap_or(1).clamp(1, 1_000);
                    columns = columns.max(row);
                }
                _ => {}
            }
        }
        rows != 1 && columns != 1 && (rows >= 10 || columns > 4 || rows * columns > 10)
    }
}
