//! Notes of Google Keep.

use extract_core::{
    Document, Failure, FailureKind, Property, Scalar, Value as Given, escape_line, escape_plain,
    title,
};
use memchr::memmem;
use serde_json::{Map, Value};

use crate::body::Body;

/// The members of a note's JSON that are read.
pub(crate) const MEMBERS: [&str; 13] = [
    "annotations",
    "attachments",
    "createdTimestampUsec",
    "isArchived",
    "isPinned",
    "isTrashed",
    "labels",
    "listContent",
    "sharees",
    "textContent",
    "textContentHtml",
    "title",
    "userEditedTimestampUsec",
];

/// Whether a file with this beginning is the HTML twin of a note.
pub(crate) fn is_twin(head: &[u8]) -> bool {
    let has = |what: &str| memmem::find(head, what.as_bytes()).is_some();
    has("<div class=\"note\"") && has("<div class=\"heading\"") && has("class=\"content\"")
}

/// What is said of the HTML that Keep exports beside each note's JSON.
pub(crate) fn twin() -> Failure {
    Failure::new(
        FailureKind::Unsupported,
        "This is the web page of a Google Keep note, which is left out as the JSON file beside it has the same note.",
    )
}

/// Whether members of an object are those of a note.
pub(crate) fn is_note(note: &Map<String, Value>) -> bool {
    let has = |name: &str| note.contains_key(name);
    has("userEditedTimestampUsec") || has("isTrashed") || has("textContent") || has("listContent")
}

/// The document of a note in the file called `name`.
///
/// # Errors
/// As unsupported for a note in the trash.
pub(crate) fn document(name: &str, note: &Map<String, Value>) -> Result<Document, Failure> {
    if note.get("isTrashed") == Some(&Value::Bool(true)) {
        return Err(Failure::new(
            FailureKind::Unsupported,
            "The note lies in the trash of Google Keep, so it is left out.",
        ));
    }
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let text = note.get("textContent").map(string).unwrap_or_default();
    let list = |name: &str| {
        note.get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };

    let mut body = Body::default();
    if !text.trim().is_empty() {
        body.paragraph(&escape_plain(text.trim_end()));
    }
    let items: Vec<String> = list("listContent").map(item).collect();
    if !items.is_empty() {
        body.paragraph(&items.join("\n"));
    }
    for annotation in list("annotations") {
        let (url, name) = (string(&annotation["url"]), string(&annotation["title"]));
        let shown = if name.trim().is_empty() { &url } else { &name };
        // A link in the text is among the annotations too.
        if !text.contains(&url) || !name.trim().is_empty() {
            body.line("", shown, &url);
        }
        let description = escape_line(&string(&annotation["description"]));
        if !description.is_empty() {
            body.paragraph(&description);
        }
    }
    let mut attachments = Vec::new();
    for attachment in list("attachments") {
        let path = string(&attachment["filePath"]);
        if !path.is_empty() {
            body.image(&path);
            attachments.push(path);
        }
    }

    let mut properties = Vec::new();
    for (name, member) in [
        ("created", "createdTimestampUsec"),
        ("modified", "userEditedTimestampUsec"),
    ] {
        let usec = note.get(member).and_then(Value::as_i64);
        let ms = usec.filter(|usec| *usec > 0).map(|usec| usec / 1000);
        properties.extend(ms.map(|ms| Property::timestamp(name, ms)));
    }
    for (name, member) in [("pinned", "isPinned"), ("archived", "isArchived")] {
        if note.get(member) == Some(&Value::Bool(true)) {
            properties.push(Property {
                name: name.to_owned(),
                value: Given::One(Scalar::Boolean(true)),
            });
        }
    }
    if !attachments.is_empty() {
        properties.push(Property::texts("attachments", attachments));
    }
    let others = list("sharees").filter(|sharee| sharee["isOwner"] != true);
    let others: Vec<String> = others
        .map(|sharee| string(&sharee["email"]))
        .filter(|email| !email.is_empty())
        .collect();
    if !others.is_empty() {
        properties.push(Property::texts("shared_with", others));
    }
    let mut seen = std::collections::HashSet::new();
    let tags = list("labels").filter_map(|label| title::tidy(label["name"].as_str()?));
    let tags = tags.filter(|tag| seen.insert(tag.to_lowercase())).collect();

    let given = note.get("title").map(string).unwrap_or_default();
    let first_line = || {
        let mut lines = text.lines().map(str::to_owned);
        let line = lines.find(|line| !line.trim().is_empty());
        let item = || Some(string(&list("listContent").next()?["text"]));
        line.or_else(item).and_then(|line| title::tidy(&line))
    };
    Ok(Document {
        kind: "note".to_owned(),
        title: title::tidy(&given)
            .or_else(first_line)
            .unwrap_or_else(|| title::from_name(name)),
        text: body.text,
        links: body.links,
        properties,
        tags,
        ..Document::default()
    })
}

fn item(item: &Value) -> String {
    let mark = if item["isChecked"] == true { 'x' } else { ' ' };
    let text = escape_line(item["text"].as_str().unwrap_or_default());
    format!("- [{mark}] {text}")
}
