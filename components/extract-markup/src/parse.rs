//! Tokens -> tree.
//!
//! The rules of the HTML standard for implied and misplaced tags, as far as
//! they matter to text: nothing is moved, so that the nodes stay in the order
//! of the text. Each tag costs at most the depth of the tree, which is bounded.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};

use crate::dom::{Dom, Node, Value};
use crate::names::{Attribute, Name};

mod rules;

/// As in Blink and WebKit: an element deeper than this becomes a sibling.
const MAX_DEPTH: usize = 512;
/// More nodes than this (40 MB of them, of a page of 30 MB) are not read.
const MAX_NODES: usize = 2_000_000;
/// Longer texts and values are not numbered.
const MAX_TEXT: usize = u32::MAX as usize;
/// Longer values of attributes are no names, addresses or texts.
const MAX_VALUE: usize = 64 << 10;

pub(crate) fn parse(html: &str) -> Dom {
    let mut builder = Builder::new(html.len());
    let emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
        // What comes of a tag is the state in which the tokenizer goes on.
        builder.event(event)
    });
    let mut tokenizer = Tokenizer::new_with_emitter(html, emitter);
    while let Some(Ok(state)) = tokenizer.next() {
        tokenizer.set_state(state);
    }
    drop(tokenizer);
    builder.finish()
}

/// An element whose end has not come.
#[derive(Clone, Copy)]
struct Open {
    node: usize,
    name: Name,
    /// Tells elements without a [`Name`] of their own apart.
    hash: u32,
    /// Its end tag came while a block was open inside it; it ends with that.
    ended: bool,
}

/// A start tag that is being read.
struct Tag {
    name: Name,
    hash: u32,
    first_attribute: usize,
    /// Names that came already, by bit; the first value counts.
    seen: u64,
    /// The attribute whose value may follow.
    attribute: Option<Attribute>,
}

struct Builder {
    dom: Dom,
    stack: Vec<Open>,
    /// How many elements of each name are open.
    open: [u16; Name::Other as usize + 1],
    tag: Option<Tag>,
    seen_head: bool,
    seen_body: bool,
}

impl Builder {
    fn new(bytes: usize) -> Self {
        let root = Node {
            parent: 0,
            end: 1,
            name: Name::Root,
            start: 0,
            length: 0,
        };
        Self {
            dom: Dom {
                nodes: vec![root],
                attributes: Vec::new(),
                text: String::with_capacity(bytes / 2),
                cut: false,
            },
            stack: Vec::new(),
            open: [0; Name::Other as usize + 1],
            tag: None,
            seen_head: false,
            seen_body: false,
        }
    }

    fn finish(mut self) -> Dom {
        self.close_from(0);
        self.dom.nodes[0].end = number(self.dom.nodes.len());
        self.dom.text.shrink_to_fit();
        self.dom
    }

    fn event(&mut self, event: CallbackEvent<'_>) -> Option<State> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Some(Tag {
                    name: Name::from_bytes(name),
                    hash: hash(name),
                    first_attribute: self.dom.attributes.len(),
                    seen: 0,
                    attribute: None,
                });
            }
            CallbackEvent::AttributeName { name } => self.attribute_name(name),
            CallbackEvent::AttributeValue { value } => self.attribute_value(value),
            CallbackEvent::CloseStartTag { self_closing } => {
                let tag = self.tag.take()?;
                if !self.is_full() {
                    return self.start_tag(&tag, self_closing);
                }
            }
            CallbackEvent::EndTag { name } => self.end_tag(Name::from_bytes(name), hash(name)),
            CallbackEvent::String { value } => {
                if !self.is_full() {
                    self.characters(&String::from_utf8_lossy(value));
                }
            }
            CallbackEvent::Comment { .. }
            | CallbackEvent::Doctype { .. }
            | CallbackEvent::Error(_) => {}
        }
        None
    }

    fn is_full(&mut self) -> bool {
        self.dom.cut |= self.dom.nodes.len() >= MAX_NODES || self.dom.text.len() >= MAX_TEXT / 2;
        self.dom.cut
    }

    fn attribute_name(&mut self, name: &[u8]) {
        // End tags have attributes too, which mean nothing.
        let Some(tag) = &mut self.tag else { return };
        let name = Attribute::from_bytes(name);
        let bit = 1 << (name as u64);
        tag.attribute = None;
        if name != Attribute::Other && tag.seen & bit == 0 {
            tag.seen |= bit;
            tag.attribute = Some(name);
            self.dom.attributes.push(Value {
                name,
                start: 0,
                length: 0,
            });
        }
    }

    fn attribute_value(&mut self, value: &[u8]) {
        let Some(tag) = &mut self.tag else { return };
        let Some(name) = tag.attribute.take() else {
            return;
        };
        // A picture inside the page says nothing that can be searched.
        let inlined = value.len() > 5
            && value[..5].eq_ignore_ascii_case(b"data:")
            && matches!(name, Attribute::Src | Attribute::Href);
        let value = if inlined { &value[..5] } else { value };
        if value.len() > MAX_VALUE || self.dom.text.len() >= MAX_TEXT / 2 {
            return;
        }
        if let Some(last) = self.dom.attributes.last_mut() {
            let start = self.dom.text.len();
            self.dom.text.push_str(&String::from_utf8_lossy(value));
            last.start = number(start);
            last.length = number(self.dom.text.len() - start);
        }
    }

    fn top(&self) -> Name {
        self.stack.last().map_or(Name::Root, |open| open.name)
    }

    fn is_open(&self, name: Name) -> bool {
        self.open[name as usize] > 0
    }

    fn characters(&mut self, text: &str) {
        match self.top() {
            Name::Head => {
                if text.trim_ascii().is_empty() {
                    return;
                }
                self.close_from(self.stack.len() - 1);
            }
            Name::Style
            | Name::Iframe
            | Name::Noembed
            | Name::Noframes
            | Name::Textarea
            | Name::Template => return,
            Name::Script if !self.is_data_script() => return,
            _ => {}
        }
        let start = self.dom.text.len();
        self.dom.text.push_str(text);
        let parent = self.stack.last().map_or(0, |open| open.node);
        if let Some(last) = self.dom.nodes.last_mut()
            && last.name == Name::Text
            && last.parent as usize == parent
            && (last.start + last.length) as usize == start
        {
            last.length += number(text.len());
            return;
        }
        self.dom.nodes.push(Node {
            parent: number(parent),
            end: number(self.dom.nodes.len() + 1),
            name: Name::Text,
            start: number(start),
            length: number(text.len()),
        });
    }

    /// Whether the open script is data about the page.
    fn is_data_script(&self) -> bool {
        self.stack.last().is_some_and(|open| {
            self.dom
                .attribute(open.node, Attribute::Type)
                .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
        })
    }

    /// Adds an element to the innermost open one.
    fn insert(&mut self, tag: &Tag) -> usize {
        let node = self.dom.nodes.len();
        self.dom.nodes.push(Node {
            parent: number(self.stack.last().map_or(0, |open| open.node)),
            end: number(node + 1),
            name: tag.name,
            start: number(tag.first_attribute),
            length: number(self.dom.attributes.len() - tag.first_attribute),
        });
        node
    }

    fn push(&mut self, tag: &Tag) {
        if self.stack.len() >= MAX_DEPTH {
            self.close_from(MAX_DEPTH - 1);
        }
        let node = self.insert(tag);
        self.open[tag.name as usize] += 1;
        self.stack.push(Open {
            node,
            name: tag.name,
            hash: tag.hash,
            ended: false,
        });
    }

    /// Ends the open elements from the `at`th on, and those before it that
    /// waited for them.
    fn close_from(&mut self, at: usize) {
        let end = number(self.dom.nodes.len());
        while let Some(open) = self.stack.last()
            && (self.stack.len() > at || open.ended)
        {
            self.dom.nodes[open.node].end = end;
            self.open[open.name as usize] -= 1;
            self.stack.pop();
        }
    }

    /// The innermost open element that `is` one, unless one that `ends` the
    /// search is further in.
    fn find(&self, is: impl Fn(&Open) -> bool, ends: impl Fn(Name) -> bool) -> Option<usize> {
        for (at, open) in self.stack.iter().enumerate().rev() {
            if is(open) {
                return Some(at);
            }
            if ends(open.name) {
                return None;
            }
        }
        None
    }

    fn close(&mut self, is: impl Fn(Name) -> bool, ends: impl Fn(Name) -> bool) {
        if let Some(at) = self.find(|open| is(open.name), ends) {
            self.close_from(at);
        }
    }
}

/// Positions are below [`MAX_TEXT`], which is checked where they grow.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0x811C_9DC5, |hash, &byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
