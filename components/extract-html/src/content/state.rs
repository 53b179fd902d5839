//! A page while its content is being looked for.

use std::ops::Range;

use extract_markup::{Attribute, Dom, Name, NodeId};

/// Left out, with all in it.
const GONE: u8 = 1;
/// A `div` that is a paragraph.
const PARAGRAPH: u8 = 2;
/// A `p` that holds paragraphs, told by breaks.
const DIVISION: u8 = 4;
/// A `div` around a single `p`, as good as not there.
const SHELL: u8 = 8;
/// A `p` that was looked at with the shell around it.
const SEEN: u8 = 16;

/// The tree stays as it is; what the search makes of it lies beside it.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub(super) dom: &'a Dom,
    flags: Vec<u8>,
    /// Paragraphs without an element: text between blocks or breaks, with what
    /// it stands in. In the order of that.
    pub(super) runs: Vec<(Range<NodeId>, NodeId)>,
}

impl<'a> State<'a> {
    /// The page without what never is content.
    pub(super) fn new(dom: &'a Dom) -> Self {
        let mut state = Self {
            dom,
            flags: vec![0; dom.len()],
            runs: Vec::new(),
        };
        let mut id = 1;
        while id < dom.len() {
            if matches!(
                dom.name(id),
                Name::Canvas
                    | Name::Datalist
                    | Name::Head
                    | Name::Map
                    | Name::Noembed
                    | Name::Noframes
                    | Name::Noscript
                    | Name::Script
                    | Name::Style
                    | Name::Svg
                    | Name::Template
                    | Name::Title
            ) {
                state.remove(id);
            }
            id += 1;
        }
        state
    }

    fn has(&self, id: NodeId, flag: u8) -> bool {
        self.flags[id] & flag != 0
    }

    fn set(&mut self, id: NodeId, flag: u8) {
        self.flags[id] |= flag;
    }

    /// Whether the element itself was left out; what is in it does not say so.
    pub(super) fn is_gone(&self, id: NodeId) -> bool {
        self.has(id, GONE)
    }

    pub(super) fn remove(&mut self, id: NodeId) {
        self.set(id, GONE);
    }

    pub(super) fn make_paragraph(&mut self, id: NodeId) {
        self.set(id, PARAGRAPH);
    }

    pub(super) fn make_division(&mut self, id: NodeId) {
        self.set(id, DIVISION);
    }

    pub(super) fn make_shell(&mut self, id: NodeId, paragraph: NodeId) {
        self.set(id, SHELL);
        self.set(paragraph, SEEN);
    }

    pub(super) fn is_shell(&self, id: NodeId) -> bool {
        self.has(id, SHELL)
    }

    pub(super) fn was_seen(&self, id: NodeId) -> bool {
        self.has(id, SEEN)
    }

    /// The name of what the element is taken for.
    pub(super) fn name(&self, id: NodeId) -> Name {
        if self.has(id, PARAGRAPH) {
            Name::P
        } else if self.has(id, DIVISION) {
            Name::Div
        } else {
            self.dom.name(id)
        }
    }

    /// What the element stands in, shells aside.
    pub(super) fn parent(&self, id: NodeId) -> NodeId {
        let mut parent = self.dom.parent(id);
        while self.is_shell(parent) {
            parent = self.dom.parent(parent);
        }
        parent
    }

    /// The children that are there, texts among them.
    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.dom.children(id).filter(|&id| !self.is_gone(id))
    }

    /// The children that are elements.
    pub(super) fn elements(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id)
            .filter(|&id| self.dom.name(id) != Name::Text)
    }

    /// The nodes of a stretch that are there, in order.
    pub(super) fn nodes(&self, stretch: Range<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        let mut next = stretch.start;
        std::iter::from_fn(move || {
            while next < stretch.end {
                let id = next;
                if self.is_gone(id) {
                    next = self.dom.end(id);
                } else {
                    next = id + 1;
                    return Some(id);
                }
            }
            None
        })
    }

    /// The paragraphs without an element right under one.
    pub(super) fn runs_of(&self, parent: NodeId) -> &[(Range<NodeId>, NodeId)] {
        let start = self.runs.partition_point(|(_, of)| *of < parent);
        let end = self.runs.partition_point(|(_, of)| *of <= parent);
        &self.runs[start..end]
    }

    /// The text of a stretch.
    pub(super) fn text(&self, stretch: Range<NodeId>) -> String {
        self.nodes(stretch).map(|id| self.dom.text(id)).collect()
    }

    pub(super) fn is_blank_text(&self, id: NodeId) -> bool {
        self.dom.name(id) == Name::Text && self.dom.text(id).trim().is_empty()
    }
}

/// Sums over the text before each node.
pub(super) struct Counts {
    chars: Vec<u32>,
    commas: Vec<u32>,
    /// Tenths of characters; a link within the page counts three tenths.
    links: Vec<u32>,
}

/// The commas of all scripts, as Readability has them.
const COMMAS: [char; 9] = [
    ',', '\u{60C}', '\u{FE50}', '\u{FE10}', '\u{FE11}', '\u{2E41}', '\u{2E34}', '\u{2E32}',
    '\u{FF0C}',
];

impl Counts {
    pub(super) fn new(state: &State<'_>) -> Self {
        let dom = state.dom;
        let mut counts = Self {
            chars: vec![0; dom.len() + 1],
            commas: vec![0; dom.len() + 1],
            links: vec![0; dom.len() + 1],
        };
        let (mut chars, mut commas, mut links) = (0, 0, 0);
        let (mut link_end, mut link_tenths) = (0, 0);
        let mut gone_end = 0;
        let mut space = true;
        for id in 0..dom.len() {
            (counts.chars[id], counts.commas[id], counts.links[id]) = (chars, commas, links);
            if id < gone_end {
                continue;
            }
            if state.is_gone(id) {
                gone_end = dom.end(id);
                continue;
            }
            match dom.name(id) {
                Name::A if id >= link_end => {
                    link_end = dom.end(id);
                    let href = dom.attribute(id, Attribute::Href).unwrap_or_default();
                    link_tenths = if href.starts_with('#') { 3 } else { 10 };
                }
                Name::Text => {
                    let length = normal_length(dom.text(id), &mut space);
                    chars += length;
                    if id < link_end {
                        links += length * link_tenths;
                    }
                    let comma = |c: &char| COMMAS.contains(c);
                    let found = dom.text(id).chars().filter(comma).count();
                    commas += u32::try_from(found).unwrap_or(u32::MAX);
                }
                _ => {}
            }
        }
        let end = dom.len();
        (counts.chars[end], counts.commas[end], counts.links[end]) = (chars, commas, links);
        counts
    }

    pub(super) fn chars(&self, stretch: &Range<NodeId>) -> u32 {
        self.chars[stretch.end] - self.chars[stretch.start]
    }

    pub(super) fn commas(&self, stretch: &Range<NodeId>) -> u32 {
        self.commas[stretch.end] - self.commas[stretch.start]
    }

    /// Which share of the characters is in links.
    pub(super) fn link_density(&self, stretch: &Range<NodeId>) -> f32 {
        let links = self.links[stretch.end] - self.links[stretch.start];
        density(links, self.chars(stretch))
    }
}

#[allow(clippy::cast_precision_loss)]
pub(super) fn density(link_tenths: u32, chars: u32) -> f32 {
    if chars == 0 {
        0.0
    } else {
        link_tenths as f32 / 10.0 / chars as f32
    }
}

/// Characters, white space counted once; `space` says whether the text before
/// ended in it.
pub(super) fn normal_length(text: &str, space: &mut bool) -> u32 {
    let mut length = 0;
    for c in text.chars() {
        let white = c.is_whitespace();
        length += u32::from(!white || !*space);
        *space = white;
    }
    length
}
