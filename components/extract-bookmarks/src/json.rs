//! Chromium's `Bookmarks` file and Firefox's backups.

use std::fmt;

use extract_core::Failure;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::collect::{Collection, Folder, Saved};
use crate::date;

/// A file of either kind.
#[derive(Debug, Deserialize)]
struct File {
    roots: Option<Roots>,
    children: Option<Vec<Node>>,
}

/// Chromium's own folders, in order.
#[derive(Debug, Default)]
struct Roots(Vec<Node>);

impl<'de> Deserialize<'de> for Roots {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Roots;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("folders by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Roots, A::Error> {
                let mut roots = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    match name.as_str() {
                        "trash" => {
                            map.next_value::<IgnoredAny>()?;
                        }
                        // Opera keeps most of its folders one level down.
                        "custom_root" => roots.append(&mut map.next_value::<Self::Value>()?.0),
                        _ => roots.extend(map.next_value::<Root>()?.0),
                    }
                }
                Ok(Roots(roots))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

/// Among the folders stand values of other kinds.
#[derive(Debug)]
struct Root(Option<Node>);

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Root;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a folder")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Root, A::Error> {
                Node::deserialize(MapAccessDeserializer::new(map)).map(|node| Root(Some(node)))
            }

            fn visit_str<E>(self, _: &str) -> Result<Root, E> {
                Ok(Root(None))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Root, E> {
                Ok(Root(None))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Root, E> {
                Ok(Root(None))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Root, E> {
                Ok(Root(None))
            }

            fn visit_unit<E>(self) -> Result<Root, E> {
                Ok(Root(None))
            }
        }
        deserializer.deserialize_any(Visit)
    }
}

/// A bookmark or folder, in the words of both browsers. Leaves are kept loose:
/// a wrong type there must not cost the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Node {
    /// Chromium's `name`.
    #[serde(alias = "name")]
    title: Value,
    /// Firefox's `uri`.
    #[serde(alias = "uri")]
    url: Value,
    #[serde(alias = "dateAdded")]
    date_added: Value,
    #[serde(alias = "lastModified")]
    date_modified: Value,
    date_last_used: Value,
    tags: Value,
    keyword: Value,
    /// Firefox's name of one of its own folders.
    root: Value,
    guid: Value,
    annos: Value,
    /// What Vivaldi and others add.
    meta_info: Value,
    children: Option<Vec<Node>>,
}

/// Reads a file that is JSON.
///
/// # Errors
/// For JSON that is broken or something else.
pub(crate) fn read(json: &str, into: &mut Collection) -> Result<(), Failure> {
    let file: File = serde_json::from_str(json)
        .map_err(|error| Failure::invalid(format!("The bookmarks cannot be read: {error}.")))?;
    let top = Folder::default();
    if let Some(roots) = file.roots {
        for root in roots.0 {
            walk(root, &top, true, into);
        }
    } else if let Some(children) = file.children {
        for root in children {
            if is_tags(&root) {
                tags(root, into);
            } else {
                let own = !string(&root.root).is_empty() || string(&root.guid).ends_with("_____");
                walk(root, &top, own, into);
            }
        }
    } else {
        return Err(Failure::invalid(
            "The file is JSON, but neither a browser's bookmarks nor a backup of them.",
        ));
    }
    Ok(())
}

/// JSON of some 100 levels at most comes here, as the parser goes no deeper.
fn walk(node: Node, folder: &Folder, root: bool, into: &mut Collection) {
    let title = string(&node.title);
    if let Some(children) = node.children {
        let inner = folder.child(title, root);
        for child in children {
            walk(child, &inner, false, into);
        }
        return;
    }
    let Some(url) = node.url.as_str() else {
        // A separator.
        return;
    };
    let info = |name: &str| string(&node.meta_info[name]);
    let note = node.annos.as_array().and_then(|annos| {
        let mut notes = annos.iter();
        notes.find(|anno| anno["name"] == "bookmarkProperties/description")
    });
    let note = note.map_or("", |anno| string(&anno["value"]));
    let saved = Saved {
        url: url.to_owned(),
        title: title.to_owned(),
        description: if note.is_empty() {
            info("Description")
        } else {
            note
        }
        .to_owned(),
        tags: string(&node.tags).split(',').map(str::to_owned).collect(),
        created: when(&node.date_added),
        modified: when(&node.date_modified),
        visited: when(&node.date_last_used),
        keyword: match string(&node.keyword) {
            "" => info("Nickname").to_owned(),
            keyword => keyword.to_owned(),
        },
        ..Saved::default()
    };
    into.add(saved, folder);
}

fn is_tags(node: &Node) -> bool {
    string(&node.root) == "tagsFolder" || string(&node.guid) == "tags________"
}

/// Older backups hold each tag as a folder of bookmarks of its own.
fn tags(root: Node, into: &mut Collection) {
    for tag in root.children.unwrap_or_default() {
        let name = string(&tag.title).to_owned();
        for child in tag.children.unwrap_or_default() {
            if let Some(url) = child.url.as_str() {
                let saved = Saved {
                    url: url.to_owned(),
                    title: string(&child.title).to_owned(),
                    tags: vec![name.clone()],
                    ..Saved::default()
                };
                into.add(saved, &Folder::default());
            }
        }
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn when(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => date::from_number(number.as_i64()?),
        Value::String(text) => date::from_text(text),
        _ => None,
    }
}
