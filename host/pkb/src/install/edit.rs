//! What is put into a client's settings and taken out again. Whatever else the
//! file holds stays as it is, to the byte.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value as Json};

use super::document::{Document, Edit, Layout, edited, property};

/// Where a client looks for a server: an object of servers by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    /// The object's name.
    pub(crate) section: &'a str,
    /// The server's name.
    pub(crate) name: &'a str,
}

/// How a client starts a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Whether the client wants to be told that the server speaks over stdio.
    pub(crate) typed: bool,
    /// The program.
    pub(crate) command: String,
    /// What it is started with.
    pub(crate) args: Vec<String>,
}

/// Why a file is left as it is.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It cannot be read.
    #[error("is not valid JSON: {what} (line {line}, column {column})")]
    Syntax {
        /// What is wrong.
        what: String,
        /// On which line, from 1.
        line: usize,
        /// In which column, from 1.
        column: usize,
    },
    /// Something is not the object that it has to be.
    #[error("is not as expected: {what} is not an object")]
    Shape {
        /// What.
        what: String,
    },
    /// A name that may be there once is there several times.
    #[error("has {key:?} twice in one place, and only one of them counts")]
    Twice {
        /// The name.
        key: String,
    },
    /// A server of that name which is not pkb.
    #[error("has a server {name:?} that is not pkb ({what})")]
    Other {
        /// The name.
        name: String,
        /// What it is.
        what: String,
    },
}

/// What a file was before pkb was put into it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Before<'a> {
    /// There was none.
    Absent,
    /// It said this.
    Text(&'a str),
}

/// What is left of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing that anyone but pkb put there.
    Nothing,
    /// This.
    Text(String),
}

impl Entry {
    fn fields(&self) -> Vec<(&'static str, Json)> {
        let mut fields = Vec::new();
        if self.typed {
            fields.push(("type", Json::from("stdio")));
        }
        fields.push(("command", Json::from(self.command.as_str())));
        fields.push(("args", Json::from(self.args.clone())));
        fields
    }

    /// As JSON, for those who read that.
    pub(crate) fn to_json(&self) -> Json {
        let fields = self.fields().into_iter();
        Json::Object(fields.map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The entry that would be written as `object`, if one would.
    fn of(object: &Map<String, Json>) -> Option<Entry> {
        let entry = Entry {
            typed: object.contains_key("type"),
            command: object.get("command")?.as_str()?.to_owned(),
            args: serde_json::from_value(object.get("args")?.clone()).ok()?,
        };
        (entry.to_json() == Json::Object(object.clone())).then_some(entry)
    }

    fn write(&self, layout: Layout) -> String {
        let fields = self.fields().into_iter();
        let fields: Vec<String> = fields
            .map(|(key, value)| format!("{}: {}", quoted(key), inline(&value)))
            .collect();
        braced(&fields, layout)
    }
}

/// The text with this entry in its slot; none where it is there already. An
/// entry of pkb's that starts it otherwise is brought up to date, and keeps what
/// its owner added to it. `replace` takes another server's place.
pub(crate) fn put(
    text: &str,
    slot: Slot,
    entry: &Entry,
    replace: bool,
) -> Result<Option<String>, Trouble> {
    let document = Document::parse(text)?;
    let server = |layout: Layout| format!("{}: {}", quoted(slot.name), entry.write(layout));
    let section = |layout: Layout| {
        let (inner, close) = deeper(layout);
        let servers = match layout {
            Layout::Line => format!("{{{}}}", server(layout)),
            Layout::Lines { newline, unit, .. } => {
                let layout = Layout::Lines {
                    newline,
                    indent: &inner,
                    unit,
                };
                format!("{{{newline}{inner}{}{close}}}", server(layout))
            }
        };
        format!("{}: {servers}", quoted(slot.section))
    };
    let Some(root) = document.root()? else {
        let newline = document.newline();
        let (indent, unit) = (document.unit(), document.unit());
        let layout = Layout::Lines {
            newline,
            indent,
            unit,
        };
        let gap = if text.is_empty() || text.ends_with(['\n', '\r']) {
            ""
        } else {
            newline
        };
        let whole = format!("{{{newline}{indent}{}{newline}}}{newline}", section(layout));
        return Ok(Some(format!("{text}{gap}{whole}")));
    };
    let edits = match servers(root, slot)? {
        None => document.append(root, &section),
        Some(servers) => match property(servers, slot.name)? {
            None => document.append(servers, &server),
            Some((_, there)) => {
                let ours = ours(slot, &there.value);
                match (ours, &there.value) {
                    (Ok(()), Value::Object(there)) => update(there, entry)?,
                    (Err(other), _) if !replace => return Err(other),
                    _ => {
                        let indent = document.indent(there.start());
                        let layout = match document.text[..there.start()].contains('\n') {
                            false => Layout::Line,
                            true => Layout::Lines {
                                newline: document.newline(),
                                indent,
                                unit: document.unit(),
                            },
                        };
                        let range = there.value.start()..there.value.end();
                        vec![(range, entry.write(layout))]
                    }
                }
            }
        },
    };
    Ok((!edits.is_empty()).then(|| edited(text, edits)))
}

/// Edits that make pkb's entry start it as `entry` says.
fn update(there: &Object, entry: &Entry) -> Result<Vec<Edit>, Trouble> {
    let mut edits = Vec::new();
    for (key, wanted) in entry.fields() {
        // Only the type may be missing, and clients take a command without one
        // for stdio.
        if let Some((_, found)) = property(there, key)?
            && Json::from(found.value.clone()) != wanted
        {
            edits.push((found.value.start()..found.value.end(), inline(&wanted)));
        }
    }
    Ok(edits)
}

/// What is left of the text without pkb's entry; none where there is no entry.
/// What pkb had to put around it goes too, if nobody else uses it.
pub(crate) fn take(text: &str, slot: Slot, before: Before) -> Result<Option<Left>, Trouble> {
    let document = Document::parse(text)?;
    let Some(root) = document.root()? else {
        return Ok(None);
    };
    let Some(servers) = servers(root, slot)? else {
        return Ok(None);
    };
    let Some((index, there)) = property(servers, slot.name)? else {
        return Ok(None);
    };
    ours(slot, &there.value)?;
    if let Some(left) = undone(text, slot, &there.value, before) {
        return Ok(Some(left));
    }
    Ok(Some(cut(&document, root, servers, index, slot, before)))
}

/// Whether the text is exactly what putting pkb in made of what was before.
pub(crate) fn is_put(text: &str, slot: Slot, before: Before) -> bool {
    let there = Document::parse(text).ok().and_then(|document| {
        let servers = servers(document.root().ok()??, slot).ok()??;
        let (_, there) = property(servers, slot.name).ok()??;
        undone(text, slot, &there.value, before)
    });
    there.is_some()
}

/// What [`take`] leaves, without a look at what the file was as a whole.
#[cfg(test)]
pub(super) fn take_apart(text: &str, slot: Slot, before: Before) -> Result<Option<Left>, Trouble> {
    let document = Document::parse(text)?;
    let Some(root) = document.root()? else {
        return Ok(None);
    };
    let Some(servers) = servers(root, slot)? else {
        return Ok(None);
    };
    let found = property(servers, slot.name)?;
    Ok(found.map(|(index, _)| cut(&document, root, servers, index, slot, before)))
}

/// What there was before, where the text is exactly what putting pkb in made
/// of that.
fn undone(text: &str, slot: Slot, there: &Value, before: Before) -> Option<Left> {
    let Json::Object(there) = Json::from(there.clone()) else {
        return None;
    };
    let entry = Entry::of(&there)?;
    let was = match before {
        Before::Absent => "",
        Before::Text(was) => was,
    };
    if find(was, slot).ok()?.is_some() || put(was, slot, &entry, false).ok()??.as_str() != text {
        return None;
    }
    Some(match before {
        Before::Absent => Left::Nothing,
        Before::Text(was) => Left::Text(was.to_owned()),
    })
}

/// The text without the server at `index`, whatever else was changed since.
fn cut(
    document: &Document,
    root: &Object,
    servers: &Object,
    index: usize,
    slot: Slot,
    before: Before,
) -> Left {
    let was = match before {
        Before::Absent => Some(Was::default()),
        Before::Text(was) => Was::read(was, slot),
    };
    let (edits, left) = document.cut(servers, index);
    if servers.properties.len() > 1 {
        return Left::Text(edited(document.text, edits));
    }
    // The last server goes: so does the section, if it came with pkb.
    let comments = left.trim();
    if let (true, Some(was)) = (comments.is_empty(), &was)
        && was.section.is_none()
        && let Ok(Some((at, section))) = property(root, slot.section)
        && !document.is_commented(section)
    {
        let (edits, left) = document.cut(root, at);
        if root.properties.len() > 1 {
            return Left::Text(edited(document.text, edits));
        }
        if matches!(before, Before::Absent) && left.trim().is_empty() && document.is_only_root() {
            return Left::Nothing;
        }
        return Left::Text(emptied(
            document.text,
            root,
            edits,
            &left,
            was.root.as_deref(),
        ));
    }
    let was = was.and_then(|was| was.section);
    Left::Text(emptied(
        document.text,
        servers,
        edits,
        &left,
        was.as_deref(),
    ))
}

/// An object from which the last property went, with nothing left over between
/// its braces but comments, or with what stood there `before`.
fn emptied(
    text: &str,
    object: &Object,
    edits: Vec<Edit>,
    left: &str,
    before: Option<&str>,
) -> String {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    match before {
        Some(before) if bare(before) == bare(left) => edited(text, vec![inside(object, before)]),
        _ if left.trim().is_empty() => edited(text, vec![inside(object, "")]),
        _ => edited(text, edits),
    }
}

fn inside(object: &Object, text: &str) -> Edit {
    (object.start() + 1..object.end() - 1, text.to_owned())
}

/// What stood between the braces of the section and of the file, where these
/// held no property.
#[derive(Default)]
struct Was {
    /// None where there was no section.
    section: Option<String>,
    root: Option<String>,
}

impl Was {
    /// None where the text cannot be read.
    fn read(text: &str, slot: Slot) -> Option<Was> {
        let document = Document::parse(text).ok()?;
        let between = |object: &Object| text[object.start() + 1..object.end() - 1].to_owned();
        let Some(root) = document.root().ok()? else {
            return Some(Was::default());
        };
        Some(Was {
            section: servers(root, slot).ok()?.map(between),
            root: Some(between(root)),
        })
    }
}

/// What stands in the slot.
pub(crate) fn find(text: &str, slot: Slot) -> Result<Option<Json>, Trouble> {
    let document = Document::parse(text)?;
    let Some(root) = document.root()? else {
        return Ok(None);
    };
    let Some(servers) = servers(root, slot)? else {
        return Ok(None);
    };
    let found = property(servers, slot.name)?;
    Ok(found.map(|(_, there)| Json::from(there.value.clone())))
}

fn servers<'o, 'a>(root: &'o Object<'a>, slot: Slot) -> Result<Option<&'o Object<'a>>, Trouble> {
    match property(root, slot.section)? {
        None => Ok(None),
        Some((_, section)) => match &section.value {
            Value::Object(servers) => Ok(Some(servers)),
            _ => Err(Trouble::Shape {
                what: format!("{:?}", slot.section),
            }),
        },
    }
}

/// Whether a server is pkb: a program of that name, serving.
fn ours(slot: Slot, server: &Value) -> Result<(), Trouble> {
    let server = Json::from(server.clone());
    let text = |key: &str| server.get(key).and_then(Json::as_str);
    let command = text("command").unwrap_or_default();
    let program = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let args = server.get("args").and_then(Json::as_array);
    let serves = args.is_some_and(|args| args.iter().any(|arg| arg == "serve"));
    if serves && program.to_ascii_lowercase().starts_with("pkb") {
        return Ok(());
    }
    let what = match (text("command"), text("url")) {
        (Some(command), _) => format!("it starts {command}"),
        (None, Some(url)) => format!("it is at {url}"),
        (None, None) => "it starts nothing that pkb knows of".into(),
    };
    Err(Trouble::Other {
        name: slot.name.into(),
        what,
    })
}

fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// On one line, with a space after each comma.
fn inline(value: &Json) -> String {
    match value {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        value => value.to_string(),
    }
}

/// Indentation one level down, and what comes before the closing brace.
fn deeper(layout: Layout) -> (String, String) {
    match layout {
        Layout::Line => (String::new(), String::new()),
        Layout::Lines {
            newline,
            indent,
            unit,
        } => (format!("{indent}{unit}"), format!("{newline}{indent}")),
    }
}

fn braced(fields: &[String], layout: Layout) -> String {
    let (inner, close) = deeper(layout);
    match layout {
        Layout::Line => format!("{{{}}}", fields.join(", ")),
        Layout::Lines { newline, .. } => {
            let between = format!(",{newline}{inner}");
            format!("{{{newline}{inner}{}{close}}}", fields.join(&between))
        }
    }
}
