//! A YAML mapping -> flat, typed properties.

use crate::scalar;
use crate::yaml::Node;
use extract_core::{Property, Scalar, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Keys of inner mappings carry the outer key before a dot; lists inside lists
/// are flattened; a list of mappings becomes a list per key. What has no value
/// is left out.
pub(crate) fn flatten(entries: &[(String, Rc<Node>)]) -> Vec<Property> {
    let mut flat = Flat::default();
    for (key, node) in entries {
        flat.walk(key, node, false);
    }
    flat.properties
}

#[derive(Default)]
struct Flat {
    properties: Vec<Property>,
    index: HashMap<String, usize>,
}

impl Flat {
    /// The tree is at most a few levels deep: the YAML reader sees to that.
    fn walk(&mut self, name: &str, node: &Node, in_list: bool) {
        match node {
            Node::Scalar { text, plain } => {
                let scalar = if *plain {
                    scalar::typed(text)
                } else {
                    (!text.trim().is_empty()).then(|| Scalar::Text(text.clone()))
                };
                if let Some(scalar) = scalar {
                    self.add(name, scalar, in_list);
                }
            }
            Node::List(items) => {
                for item in items {
                    self.walk(name, item, true);
                }
            }
            Node::Map(entries) => {
                for (key, node) in entries {
                    self.walk(&format!("{name}.{key}"), node, in_list);
                }
            }
        }
    }

    /// A name that is there already takes further values of a list; another
    /// single value replaces what it has.
    fn add(&mut self, name: &str, scalar: Scalar, in_list: bool) {
        if let Some(&at) = self.index.get(name) {
            match (&mut self.properties[at].value, in_list) {
                (Value::Many(list), true) => list.push(scalar),
                (value, true) => *value = Value::Many(vec![scalar]),
                (value, false) => *value = Value::One(scalar),
            }
            return;
        }
        self.index.insert(name.to_owned(), self.properties.len());
        self.properties.push(Property {
            name: name.to_owned(),
            value: if in_list {
                Value::Many(vec![scalar])
            } else {
                Value::One(scalar)
            },
        });
    }
}
