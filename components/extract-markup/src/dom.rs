//! The tree of a page.

use crate::names::{Attribute, Name};
use crate::parse;

/// The number of a node. Nodes are numbered in the order of the text, so that
/// the nodes under `id` are those from `id + 1` to before [`Dom::end`].
pub type NodeId = usize;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) end: u32,
    pub(crate) name: Name,
    /// Of a text where it begins in `Dom::text`, of an element its first
    /// attribute in `Dom::attributes`.
    pub(crate) start: u32,
    /// Of a text its bytes, of an element the number of its attributes.
    pub(crate) length: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Value {
    pub(crate) name: Attribute,
    pub(crate) start: u32,
    pub(crate) length: u32,
}

/// A page as a tree, at most 512 elements deep as in browsers. Of attributes it
/// has those that [`Attribute`] names, of scripts only JSON-LD.
#[derive(Debug)]
pub struct Dom {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<Value>,
    pub(crate) text: String,
    pub(crate) cut: bool,
}

impl Dom {
    /// Reads a page, or a part of one. Whatever the input, there is a tree, in
    /// linear time.
    pub fn parse(html: &str) -> Self {
        parse::parse(html)
    }

    /// The root, around all that the page has.
    pub const ROOT: NodeId = 0;

    /// All nodes but the root.
    pub fn all(&self) -> std::ops::Range<NodeId> {
        self.descendants(Self::ROOT)
    }

    /// How many nodes there are, the root among them.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the page had more elements than a tree may have, and what came
    /// after them is not in it.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The name of an element; [`Name::Text`] of a text.
    pub fn name(&self, id: NodeId) -> Name {
        self.nodes[id].name
    }

    /// The parent; the root is its own.
    pub fn parent(&self, id: NodeId) -> NodeId {
        self.nodes[id].parent as usize
    }

    /// One past the last node under `id`.
    pub fn end(&self, id: NodeId) -> NodeId {
        self.nodes[id].end as usize
    }

    /// The nodes right under `id`, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.end(id);
        let mut next = id + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.end(child);
                child
            })
        })
    }

    /// The nodes under `id`, in order.
    pub fn descendants(&self, id: NodeId) -> std::ops::Range<NodeId> {
        id + 1..self.end(id)
    }

    /// The nodes around `id`, the nearest first, without the root.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut at = id;
        std::iter::from_fn(move || {
            at = self.parent(at);
            (at != Self::ROOT).then_some(at)
        })
    }

    /// The characters of a text node; nothing for an element.
    pub fn text(&self, id: NodeId) -> &str {
        let node = self.nodes[id];
        if node.name != Name::Text {
            return "";
        }
        &self.text[node.start as usize..(node.start + node.length) as usize]
    }

    /// All text under `id`, as it stands in the page.
    pub fn text_under(&self, id: NodeId) -> String {
        (id..self.end(id)).map(|id| self.text(id)).collect()
    }

    /// The value of an attribute, where the element has it.
    pub fn attribute(&self, id: NodeId, name: Attribute) -> Option<&str> {
        let node = self.nodes[id];
        if node.name == Name::Text {
            return None;
        }
        self.attributes[node.start as usize..(node.start + node.length) as usize]
            .iter()
            .find(|value| value.name == name)
            .map(|value| &self.text[value.start as usize..(value.start + value.length) as usize])
    }

    /// The first element of a name under `id`.
    pub fn first(&self, id: NodeId, name: Name) -> Option<NodeId> {
        self.descendants(id).find(|&id| self.name(id) == name)
    }
}
