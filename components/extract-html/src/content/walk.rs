//! The first walk: drops what is surely not content, and finds the paragraphs.

use std::ops::Range;

use extract_markup::{Attribute, Dom, Name, NodeId};

use super::Strictness;
use super::state::{Counts, State};
use super::words::Names;

/// Longer lines do not say who wrote the page.
const MAX_BYLINE: usize = 100;
/// Headings and titles are compared up to so many words.
const MAX_TITLE_WORDS: usize = 200;

/// A paragraph to be scored.
pub(super) struct Block {
    pub(super) stretch: Range<NodeId>,
    pub(super) parent: NodeId,
}

pub(super) struct Walk {
    pub(super) blocks: Vec<Block>,
    pub(super) byline: Option<String>,
}

pub(super) fn walk(
    state: &mut State<'_>,
    body: NodeId,
    title: Option<&str>,
    has_author: bool,
    strictness: Strictness,
) -> Walk {
    let dom = state.dom;
    let counts = Counts::new(state);
    let mut walk = Walk {
        blocks: Vec::new(),
        byline: None,
    };
    let mut title = title;
    let end = dom.end(body);
    let mut id = body + 1;
    // Runs of a parent are found before those of its children.
    let mut runs = Vec::new();
    while id < end {
        if state.is_gone(id) {
            id = dom.end(id);
            continue;
        }
        let name = dom.name(id);
        if name == Name::Text {
            id += 1;
            continue;
        }
        if !state.was_seen(id) {
            let names = Names::of(dom, id);
            if !is_visible(dom, id) || is_dialog(dom, id) {
                state.remove(id);
                continue;
            }
            if !has_author && walk.byline.is_none() {
                walk.byline = byline(state, id, &names);
                if walk.byline.is_some() {
                    state.remove(id);
                    continue;
                }
            }
            if matches!(name, Name::H1 | Name::H2)
                && title.is_some_and(|title| repeats(title, &dom.text_under(id)))
            {
                title = None;
                state.remove(id);
                continue;
            }
            if strictness.strip_unlikely && is_unlikely(state, id, &names) {
                state.remove(id);
                continue;
            }
            if is_empty(state, &counts, id) {
                state.remove(id);
                continue;
            }
        }
        let found = paragraphs(state, id);
        if found.split && name == Name::P {
            state.make_division(id);
        }
        let taken_for = state.name(id);
        if matches!(
            taken_for,
            Name::H2
                | Name::H3
                | Name::H4
                | Name::H5
                | Name::H6
                | Name::P
                | Name::Pre
                | Name::Section
                | Name::Td
        ) {
            walk.blocks.push(Block {
                stretch: id..dom.end(id),
                parent: state.parent(id),
            });
        }
        if taken_for == Name::Div {
            division(state, &counts, id, found, &mut walk.blocks, &mut runs);
        } else {
            for run in found.runs.into_iter().filter(|run| run.after_break) {
                walk.blocks.push(Block {
                    stretch: run.stretch.clone(),
                    parent: id,
                });
                runs.push((run.stretch, id));
            }
        }
        id += 1;
    }
    state.runs = runs;
    walk
}

/// What a `div` is: a paragraph, the shell of one, or a place for several.
fn division(
    state: &mut State<'_>,
    counts: &Counts,
    id: NodeId,
    found: Found,
    blocks: &mut Vec<Block>,
    runs: &mut Vec<(Range<NodeId>, NodeId)>,
) {
    let dom = state.dom;
    let whole = id..dom.end(id);
    let few_links = counts.link_density(&whole) < 0.25;
    let paragraph = match (&found.runs[..], &found.blocks[..]) {
        ([_], []) if few_links => true,
        ([], &[only]) if few_links && dom.name(only) == Name::P => {
            state.make_shell(id, only);
            return;
        }
        ([], _) => !has_block(state, id),
        _ => false,
    };
    if paragraph {
        state.make_paragraph(id);
        blocks.push(Block {
            stretch: whole,
            parent: state.parent(id),
        });
        return;
    }
    for run in found.runs {
        blocks.push(Block {
            stretch: run.stretch.clone(),
            parent: id,
        });
        runs.push((run.stretch, id));
    }
}

struct Run {
    stretch: Range<NodeId>,
    /// Whether two breaks or more stand before it.
    after_break: bool,
}

/// What is right under an element.
struct Found {
    runs: Vec<Run>,
    /// The children that are not part of a run.
    blocks: Vec<NodeId>,
    /// Whether breaks split what would be one run.
    split: bool,
}

/// The runs of text and inline elements under an element, between its blocks
/// and where two breaks or more follow one another.
fn paragraphs(state: &State<'_>, id: NodeId) -> Found {
    let dom = state.dom;
    let mut found = Found {
        runs: Vec::new(),
        blocks: Vec::new(),
        split: false,
    };
    let mut run: Option<Range<NodeId>> = None;
    let mut after_break = false;
    let mut breaks = 0;
    for child in state.children(id) {
        if dom.name(child) == Name::Br {
            breaks += 1;
            if breaks == 2 {
                found.split = true;
                if let Some(stretch) = run.take() {
                    found.runs.push(Run {
                        stretch,
                        after_break,
                    });
                }
                after_break = true;
            }
            continue;
        }
        if state.is_blank_text(child) {
            continue;
        }
        breaks = 0;
        if is_phrasing(state, child) {
            let start = run.take().map_or(child, |run| run.start);
            run = Some(start..dom.end(child));
        } else {
            if let Some(stretch) = run.take() {
                found.runs.push(Run {
                    stretch,
                    after_break,
                });
            }
            after_break = false;
            found.blocks.push(child);
        }
    }
    if let Some(stretch) = run {
        found.runs.push(Run {
            stretch,
            after_break,
        });
    }
    found
}

/// Text, and elements that are part of a line of it.
fn is_phrasing(state: &State<'_>, id: NodeId) -> bool {
    match state.dom.name(id) {
        Name::A | Name::Del | Name::Ins => state
            .nodes(state.dom.descendants(id))
            .all(|id| is_phrasing_name(state.dom.name(id))),
        name => is_phrasing_name(name),
    }
}

fn is_phrasing_name(name: Name) -> bool {
    matches!(
        name,
        Name::A
            | Name::Abbr
            | Name::Audio
            | Name::B
            | Name::Bdo
            | Name::Big
            | Name::Br
            | Name::Button
            | Name::Cite
            | Name::Code
            | Name::Data
            | Name::Datalist
            | Name::Del
            | Name::Dfn
            | Name::Em
            | Name::Embed
            | Name::Font
            | Name::I
            | Name::Img
            | Name::Input
            | Name::Ins
            | Name::Kbd
            | Name::Label
            | Name::Mark
            | Name::Math
            | Name::Meter
            | Name::Object
            | Name::Output
            | Name::Progress
            | Name::Q
            | Name::Ruby
            | Name::Samp
            | Name::Select
            | Name::Small
            | Name::Span
            | Name::Strong
            | Name::Sub
            | Name::Sup
            | Name::Text
            | Name::Textarea
            | Name::Time
            | Name::Tt
            | Name::Var
            | Name::Wbr
    )
}

/// Whether a block, or a picture, is anywhere under an element. Ends at the
/// first, so that what is nested is not looked through again.
fn has_block(state: &State<'_>, id: NodeId) -> bool {
    state.nodes(state.dom.descendants(id)).any(|id| {
        matches!(
            state.dom.name(id),
            Name::Blockquote
                | Name::Div
                | Name::Dl
                | Name::Img
                | Name::Ol
                | Name::P
                | Name::Pre
                | Name::Table
                | Name::Ul
        )
    })
}

fn is_visible(dom: &Dom, id: NodeId) -> bool {
    if dom.attribute(id, Attribute::AriaHidden) == Some("true") {
        let class = dom.attribute(id, Attribute::Class).unwrap_or_default();
        return class.contains("fallback-image");
    }
    // What is hidden by its name is needed: fields are counted.
    let by_name = matches!(
        dom.name(id),
        Name::Audio
            | Name::Embed
            | Name::Iframe
            | Name::Input
            | Name::Rp
            | Name::Rt
            | Name::Select
            | Name::Textarea
            | Name::Video
    );
    by_name || !extract_markup::is_hidden(dom, id)
}

fn is_dialog(dom: &Dom, id: NodeId) -> bool {
    dom.name(id) == Name::Dialog
        || (dom.attribute(id, Attribute::AriaModal) == Some("true")
            && dom.attribute(id, Attribute::Role) == Some("dialog"))
}

fn is_unlikely(state: &State<'_>, id: NodeId, names: &Names) -> bool {
    let dom = state.dom;
    if let Some(role) = dom.attribute(id, Attribute::Role)
        && matches!(
            role,
            "menu"
                | "menubar"
                | "complementary"
                | "navigation"
                | "alert"
                | "alertdialog"
                | "dialog"
        )
    {
        return true;
    }
    !matches!(dom.name(id), Name::A | Name::Body | Name::Html)
        && names.are_unlikely()
        && !dom
            .ancestors(id)
            .any(|id| matches!(dom.name(id), Name::Table | Name::Code))
}

/// Whether an element is there to hold text, and holds none.
fn is_empty(state: &State<'_>, counts: &Counts, id: NodeId) -> bool {
    let dom = state.dom;
    let name = dom.name(id);
    (matches!(name, Name::Div | Name::Section | Name::Header) || name.heading().is_some())
        && counts.chars(&(id..dom.end(id))) <= 1
        && state
            .elements(id)
            .all(|id| matches!(dom.name(id), Name::Br | Name::Hr))
        && state
            .children(id)
            .all(|id| dom.name(id) != Name::Text || state.is_blank_text(id))
}

/// The name in a line that says who wrote the page.
fn byline(state: &State<'_>, id: NodeId, names: &Names) -> Option<String> {
    let dom = state.dom;
    let itemprop = |id| dom.attribute(id, Attribute::Itemprop);
    let says_so = dom.attribute(id, Attribute::Rel) == Some("author")
        || itemprop(id).is_some_and(|names| names.contains("author"))
        || names.are_byline();
    if !says_so {
        return None;
    }
    let mut text = String::new();
    for id in state.nodes(id..dom.end(id)) {
        text.push_str(dom.text(id));
        if text.len() > MAX_BYLINE * 8 {
            return None;
        }
    }
    let text = text.trim();
    if text.is_empty() || text.chars().count() >= MAX_BYLINE {
        return None;
    }
    let name = state
        .nodes(dom.descendants(id))
        .find(|&id| itemprop(id) == Some("name"))
        .map(|id| state.text(id..dom.end(id)))
        .filter(|name| !name.trim().is_empty());
    extract_core::title::tidy(name.as_deref().unwrap_or(text))
}

/// Whether a heading says what the title says: at most a quarter of it, in
/// characters, is words that the title has not.
fn repeats(title: &str, heading: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .take(MAX_TITLE_WORDS)
            .map(str::to_lowercase)
            .collect()
    };
    let (title, heading) = (words(title), words(heading));
    let length = |words: &[&String]| words.iter().map(|word| word.len() + 1).sum::<usize>();
    let all: Vec<_> = heading.iter().collect();
    let new: Vec<_> = heading
        .iter()
        .filter(|word| !title.contains(word))
        .collect();
    !title.is_empty() && !all.is_empty() && length(&new) * 4 < length(&all)
}
