//! Tokens -> tree.
//!
//! The rules of the HTML standard for implied and misplaced tags, as far as
//! they matter to text: nothing is moved, so that the nodes stay in the order
//! of the text. Each tag costs at most the depth of the tree, which is bounded.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};

use crate::dom::{Dom, Node, Value};
use crate::names::{Attribute, Name};

/// As in Blink and WebKit: an element deeper than this becomes a sibling.
const MAX_DEPTH: usize = 512;
/// More nodes than this (80 MB of them) are not read.
const MAX_NODES: usize = 4_000_000;
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

    /// Whether the innermost open element is not one of HTML.
    fn in_foreign(&self) -> bool {
        (self.is_open(Name::Svg) || self.is_open(Name::Math))
            && self
                .find(
                    |open| matches!(open.name, Name::Svg | Name::Math),
                    |name| name == Name::ForeignObject,
                )
                .is_some()
    }

    fn start_tag(&mut self, tag: &Tag, self_closing: bool) -> Option<State> {
        let name = tag.name;
        if self.in_foreign() {
            if !ends_foreign(name) {
                if self_closing {
                    self.insert(tag);
                } else {
                    self.push(tag);
                }
                return None;
            }
            self.close(|name| matches!(name, Name::Svg | Name::Math), |_| false);
        }
        if self.top() == Name::Head && !name.is_metadata() && name != Name::Head {
            self.close_from(self.stack.len() - 1);
        }
        if name.closes_p() && self.is_open(Name::P) {
            self.close(
                |name| name == Name::P,
                |name| name.is_scope() || name == Name::Button,
            );
        }
        match name {
            Name::Html if self.is_open(Name::Html) => return None,
            Name::Head if std::mem::replace(&mut self.seen_head, true) => return None,
            Name::Body if std::mem::replace(&mut self.seen_body, true) => return None,
            _ if name.heading().is_some() => {
                if self.top().heading().is_some() {
                    self.close_from(self.stack.len() - 1);
                }
            }
            Name::Li => self.close(|name| name == Name::Li, ends_item),
            Name::Dd | Name::Dt => {
                self.close(|name| matches!(name, Name::Dd | Name::Dt), ends_item);
            }
            Name::Option | Name::Optgroup => {
                if self.top() == Name::Option {
                    self.close_from(self.stack.len() - 1);
                }
                if name == Name::Optgroup && self.top() == Name::Optgroup {
                    self.close_from(self.stack.len() - 1);
                }
            }
            Name::Button => self.close(|name| name == Name::Button, Name::is_scope),
            Name::Rp | Name::Rt => {
                if matches!(self.top(), Name::Rp | Name::Rt) {
                    self.close_from(self.stack.len() - 1);
                }
            }
            Name::A => self.end_inline(|open| open.name == Name::A),
            Name::Table | Name::Form if self.is_between_cells() => {
                if name == Name::Form {
                    self.insert(tag);
                    return None;
                }
                self.close(|name| name == Name::Table, |_| false);
            }
            _ => self.table_part(tag),
        }
        if name.is_void() {
            self.insert(tag);
            return None;
        }
        self.push(tag);
        match name {
            Name::Title | Name::Textarea => Some(State::RcData),
            Name::Script => Some(State::ScriptData),
            Name::Style | Name::Iframe | Name::Xmp | Name::Noembed | Name::Noframes => {
                Some(State::RawText)
            }
            Name::Plaintext => Some(State::PlainText),
            _ => None,
        }
    }

    fn is_between_cells(&self) -> bool {
        let top = self.top();
        top.is_row_group() || matches!(top, Name::Table | Name::Tr)
    }

    /// Ends what a row group, row or cell ends, and begins the row that a cell
    /// needs.
    fn table_part(&mut self, tag: &Tag) {
        let end = |name: Name| matches!(name, Name::Table | Name::Template);
        let name = tag.name;
        if !self.is_open(Name::Table) {
            // Part of a table that was cut out of its page.
            if name.is_cell() {
                self.close(Name::is_cell, |name| name == Name::Tr);
            } else if name == Name::Tr {
                self.close(|name| name == Name::Tr, |_| false);
            }
            return;
        }
        let inside = |at: Option<usize>| at.map_or(0, |at| at + 1);
        if name.is_row_group() || matches!(name, Name::Caption | Name::Colgroup) {
            self.close_from(inside(self.find(|open| end(open.name), |_| false)));
        } else if name == Name::Tr || name.is_cell() {
            if name.is_cell()
                && let Some(row) = self.find(|open| open.name == Name::Tr, end)
            {
                self.close_from(row + 1);
                return;
            }
            let outer = |open: &Open| open.name.is_row_group() || end(open.name);
            self.close_from(inside(self.find(outer, |_| false)));
            if name.is_cell() {
                let mut attributes = std::mem::take(&mut self.dom.attributes);
                let own = attributes.split_off(tag.first_attribute);
                self.dom.attributes = attributes;
                self.push(&Tag {
                    name: Name::Tr,
                    hash: hash(b"tr"),
                    first_attribute: tag.first_attribute,
                    seen: 0,
                    attribute: None,
                });
                self.dom.attributes.extend(own);
            }
        }
    }

    /// Ends an inline element: at once, or with the blocks that are open in it.
    fn end_inline(&mut self, is: impl Fn(&Open) -> bool) {
        let mut inside_block = false;
        for at in (0..self.stack.len()).rev() {
            let open = self.stack[at];
            if is(&open) && !open.ended {
                self.stack[at].ended = inside_block;
                if !inside_block {
                    self.close_from(at);
                }
                return;
            }
            if open.name.is_scope() {
                return;
            }
            inside_block |= open.name.is_block();
        }
    }

    fn end_tag(&mut self, name: Name, hash: u32) {
        match name {
            // What follows them still belongs to the page.
            Name::Html | Name::Body => return,
            Name::Br => {
                let tag = Tag {
                    name,
                    hash,
                    first_attribute: self.dom.attributes.len(),
                    seen: 0,
                    attribute: None,
                };
                if !self.is_full() {
                    self.insert(&tag);
                }
                return;
            }
            _ if name.heading().is_some() => {
                self.close(|open| open.heading().is_some(), Name::is_scope);
                return;
            }
            _ => {}
        }
        if !self.is_open(name) {
            return;
        }
        let is = |open: &Open| open.name == name && open.hash == hash;
        let at = match name {
            Name::Caption | Name::Table | Name::Td | Name::Th | Name::Tr => {
                self.find(is, |name| matches!(name, Name::Table | Name::Template))
            }
            _ if name.is_row_group() => {
                self.find(is, |name| matches!(name, Name::Table | Name::Template))
            }
            Name::Li => self.find(is, |name| is_list(name) || name.is_scope()),
            Name::P => self.find(is, |name| name == Name::Button || name.is_scope()),
            _ if name.is_block() || name.is_scope() || name.is_metadata() => {
                self.find(is, Name::is_scope)
            }
            Name::Audio
            | Name::Button
            | Name::Canvas
            | Name::Datalist
            | Name::ForeignObject
            | Name::Head
            | Name::Map
            | Name::Select
            | Name::Textarea
            | Name::Video => self.find(is, Name::is_scope),
            _ => {
                self.end_inline(is);
                return;
            }
        };
        if let Some(at) = at {
            self.close_from(at);
        }
    }
}

fn is_list(name: Name) -> bool {
    matches!(name, Name::Ul | Name::Ol | Name::Menu | Name::Dir)
}

/// Elements that keep the items inside them from ending those around them.
fn ends_item(name: Name) -> bool {
    name.is_scope()
        || name == Name::Button
        || (name.is_block() && !matches!(name, Name::Address | Name::Div | Name::P))
}

/// HTML elements that end an open `svg` or `math` instead of being part of it.
fn ends_foreign(name: Name) -> bool {
    !matches!(
        name,
        Name::A
            | Name::Annotation
            | Name::Font
            | Name::ForeignObject
            | Name::Link
            | Name::Script
            | Name::Style
            | Name::Summary
            | Name::Template
            | Name::Title
            | Name::Video
            | Name::Audio
            | Name::Iframe
            | Name::Canvas
            | Name::Svg
            | Name::Math
            | Name::Other
    )
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
