//! YAML -> a tree, within limits that a hostile file cannot pass.

use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::HashMap;
use std::rc::Rc;

/// Lists and mappings inside one another, aliases followed.
const MAX_DEPTH: usize = 16;

/// Values, aliases counted as often as they are used.
const MAX_NODES: usize = 10_000;

/// Bytes of all keys and values, aliases counted as often as they are used.
const MAX_BYTES: usize = 1 << 20;

/// Bytes of one key.
const MAX_KEY: usize = 200;

/// A value.
#[derive(Debug, PartialEq)]
pub(crate) enum Node {
    /// `plain` is false for what was quoted, a block, or tagged `!!str`: text
    /// whatever it looks like.
    Scalar { text: String, plain: bool },
    /// Items in order.
    List(Vec<Rc<Node>>),
    /// Keys in order, each once.
    Map(Vec<(String, Rc<Node>)>),
}

/// Why a text could not be read as YAML.
#[derive(Debug, PartialEq)]
pub(crate) struct Error {
    /// Line in the text, counted from 1.
    pub(crate) line: usize,
    /// What is wrong there.
    pub(crate) message: String,
}

/// A tree, and the keys that were given more than once, with the line of each
/// repetition. The last value of such a key is kept.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) root: Rc<Node>,
    pub(crate) repeated: Vec<(String, usize)>,
}

/// Reads one YAML document. Mappings must have plain keys. `<<` merges.
pub(crate) fn parse(text: &str) -> Result<Parsed, Error> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::default();
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| Error {
            line: error.marker().line(),
            message: error.info().to_owned(),
        })?;
        let line = span.start.line();
        let step = match event {
            Event::StreamEnd => break,
            Event::Scalar(text, style, anchor, tag) => {
                let as_text = tag.is_some_and(|tag| {
                    tag.suffix == "str" && (tag.is_yaml_core_schema() || tag.handle == "!!")
                });
                let plain = style == ScalarStyle::Plain && !as_text;
                builder.scalar(text.into_owned(), plain, anchor, line)
            }
            Event::SequenceStart(anchor, _) => builder.open(Frame::list(anchor)),
            Event::MappingStart(anchor, _) => builder.open(Frame::map(anchor)),
            Event::SequenceEnd | Event::MappingEnd => builder.close(line),
            Event::Alias(id) => builder.alias(id, line),
            Event::DocumentStart(_) if builder.root.is_some() => {
                Err("there is a second YAML document".to_owned())
            }
            _ => Ok(()),
        };
        step.map_err(|message| Error { line, message })?;
    }
    let root = builder.root.unwrap_or_else(|| {
        Rc::new(Node::Scalar {
            text: String::new(),
            plain: true,
        })
    });
    Ok(Parsed {
        root,
        repeated: builder.repeated,
    })
}

/// What a value takes when it is written out.
#[derive(Clone, Copy, Default)]
struct Cost {
    nodes: usize,
    bytes: usize,
    depth: usize,
}

impl Cost {
    fn of(node: &Node, parts: Cost) -> Self {
        match node {
            Node::Scalar { text, .. } => Self {
                nodes: 1,
                bytes: text.len(),
                depth: 0,
            },
            Node::List(_) | Node::Map(_) => Self {
                nodes: parts.nodes + 1,
                depth: parts.depth + 1,
                ..parts
            },
        }
    }
}

#[derive(Default)]
struct Builder {
    root: Option<Rc<Node>>,
    open: Vec<Frame>,
    anchors: HashMap<usize, (Rc<Node>, Cost)>,
    repeated: Vec<(String, usize)>,
    nodes: usize,
    bytes: usize,
}

/// A list or mapping that is being read.
struct Frame {
    anchor: usize,
    cost: Cost,
    content: Content,
}

enum Content {
    List(Vec<Rc<Node>>),
    Map {
        entries: Vec<(String, Rc<Node>)>,
        index: HashMap<String, usize>,
        merged: Vec<(String, Rc<Node>)>,
        key: Option<String>,
    },
}

impl Frame {
    fn list(anchor: usize) -> Self {
        Self {
            anchor,
            cost: Cost::default(),
            content: Content::List(Vec::new()),
        }
    }

    fn map(anchor: usize) -> Self {
        Self {
            anchor,
            cost: Cost::default(),
            content: Content::Map {
                entries: Vec::new(),
                index: HashMap::new(),
                merged: Vec::new(),
                key: None,
            },
        }
    }
}

type Step = Result<(), String>;

impl Builder {
    fn open(&mut self, frame: Frame) -> Step {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("values are nested more than {MAX_DEPTH} deep"));
        }
        self.open.push(frame);
        Ok(())
    }

    fn scalar(&mut self, text: String, plain: bool, anchor: usize, line: usize) -> Step {
        if let Some(Frame {
            content: Content::Map { key, .. },
            ..
        }) = self.open.last_mut()
            && key.is_none()
        {
            if text.len() > MAX_KEY {
                return Err(format!("a key is longer than {MAX_KEY} bytes"));
            }
            self.bytes += text.len();
            *key = Some(text);
            return Ok(());
        }
        let node = Node::Scalar { text, plain };
        let cost = Cost::of(&node, Cost::default());
        self.finish(Rc::new(node), cost, anchor, line)
    }

    fn close(&mut self, line: usize) -> Step {
        let Some(frame) = self.open.pop() else {
            return Ok(());
        };
        let node = match frame.content {
            Content::List(items) => Node::List(items),
            Content::Map {
                mut entries,
                mut index,
                merged,
                ..
            } => {
                for (name, node) in merged {
                    if !index.contains_key(&name) {
                        index.insert(name.clone(), entries.len());
                        entries.push((name, node));
                    }
                }
                Node::Map(entries)
            }
        };
        let cost = Cost::of(&node, frame.cost);
        self.finish(Rc::new(node), cost, frame.anchor, line)
    }

    fn alias(&mut self, id: usize, line: usize) -> Step {
        let Some((node, cost)) = self.anchors.get(&id) else {
            return Err("an alias names nothing that can be repeated".to_owned());
        };
        let (node, cost) = (Rc::clone(node), *cost);
        self.nodes += cost.nodes;
        self.bytes += cost.bytes;
        self.attach(node, cost, line)
    }

    fn finish(&mut self, node: Rc<Node>, cost: Cost, anchor: usize, line: usize) -> Step {
        if anchor > 0 {
            self.anchors.insert(anchor, (Rc::clone(&node), cost));
        }
        self.nodes += 1;
        if let Node::Scalar { text, .. } = &*node {
            self.bytes += text.len();
        }
        self.attach(node, cost, line)
    }

    fn attach(&mut self, node: Rc<Node>, cost: Cost, line: usize) -> Step {
        if self.nodes > MAX_NODES {
            return Err(format!("there are more than {MAX_NODES} values"));
        }
        if self.bytes > MAX_BYTES {
            return Err(format!("the values take more than {MAX_BYTES} bytes"));
        }
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.cost.nodes += cost.nodes;
        frame.cost.bytes += cost.bytes;
        frame.cost.depth = frame.cost.depth.max(cost.depth);
        if frame.cost.depth >= MAX_DEPTH {
            return Err(format!("values are nested more than {MAX_DEPTH} deep"));
        }
        match &mut frame.content {
            Content::List(items) => items.push(node),
            Content::Map {
                entries,
                index,
                merged,
                key,
            } => {
                let Some(name) = key.take() else {
                    return Err("a key is not a plain value".to_owned());
                };
                frame.cost.bytes += name.len();
                if name == "<<" && merge(&node, merged) {
                    return Ok(());
                }
                if let Some(&at) = index.get(&name) {
                    entries[at].1 = node;
                    self.repeated.push((name, line));
                } else {
                    index.insert(name.clone(), entries.len());
                    entries.push((name, node));
                }
            }
        }
        Ok(())
    }
}

/// Adds the entries of a mapping, or of a list of mappings, behind `<<`; false
/// when it is neither. Earlier ones win.
fn merge(node: &Node, merged: &mut Vec<(String, Rc<Node>)>) -> bool {
    match node {
        Node::Map(entries) => {
            merged.extend(entries.iter().cloned());
            true
        }
        Node::List(items) => {
            items.iter().all(|item| matches!(**item, Node::Map(_)))
                && items.iter().all(|item| merge(item, merged))
        }
        Node::Scalar { .. } => false,
    }
}

#[cfg(test)]
mod tests;
