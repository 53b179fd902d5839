//! One message -> its document and its files.

use extract_core::{Document, Property, title};

use crate::attachments::{self, Attachment};
use crate::body::{self, About};
use crate::headers::{Headers, Person};
use crate::labels;
use crate::mime;
use crate::phrases;
use crate::settings::{Quotes, Settings};
use crate::structure::Structure;

/// A message as it was read.
#[derive(Debug)]
pub(crate) struct Message {
    /// Without its part, which depends on what the message lies in.
    pub(crate) document: Document,
    pub(crate) attachments: Vec<Attachment>,
}

/// Reads a message. `delivered` is when a mailbox says it came, `warnings` what
/// is already to be said of it.
pub(crate) fn read(
    raw: &[u8],
    delivered: Option<i64>,
    warnings: Vec<String>,
    settings: &Settings,
) -> Message {
    let tree = mime::parse(raw);
    let headers = match tree.parts.first() {
        Some(root) => Headers::of(&raw[root.header.clone()]),
        None => Headers::default(),
    };
    let structure = Structure::of(&tree);
    let subject = headers.text("subject").unwrap_or_default();
    let id = headers.ids("message-id").into_iter().next();
    let answered = headers.ids("in-reply-to");
    let references = headers.ids("references");
    let about = About {
        is_forward: phrases::is_forward_subject(&subject),
        is_reply: !answered.is_empty() || !references.is_empty(),
        keep_quotes: settings.quotes == Quotes::Keep,
    };
    let mut body = body::read(raw, &tree, &structure, about);
    let written = std::mem::take(&mut body.files);
    let (mut files, about_files) = attachments::list(raw, &tree, &structure, written, settings);

    let mut document = Document {
        kind: "message".to_owned(),
        title: title::tidy(&subject).unwrap_or_else(|| "(no subject)".to_owned()),
        text: body.text,
        links: body.links,
        warnings,
        ..Document::default()
    };
    if structure.encrypted || body.encrypted {
        let warning = "The message is encrypted; what is encrypted was not read.";
        document.warnings.push(warning.to_owned());
    }
    if structure.enveloped {
        let warning = "The message lies inside of its signature (smime.p7m) and was not read.";
        document.warnings.push(warning.to_owned());
    }
    document.warnings.extend(body.warnings);
    document.warnings.extend(tree.warnings);
    document.warnings.extend(about_files);

    let properties = &mut document.properties;
    if let Some(id) = &id {
        properties.push(Property::text("message_id", id.as_str()));
    }
    add_people(&headers, properties);
    let created = headers
        .date("date")
        .or_else(|| headers.received())
        .or(delivered);
    if let Some(created) = created {
        properties.push(Property::timestamp("created", created));
    }
    let thread = references.first().or(answered.first()).or(id.as_ref());
    if let Some(thread) = thread {
        properties.push(Property::text("thread", thread.as_str()));
    }
    if let Some(answered) = answered.first() {
        properties.push(Property::text("in_reply_to", answered.as_str()));
    }
    if !references.is_empty() {
        properties.push(Property::texts("references", references));
    }
    let labels = labels::of(&headers);
    document.tags = labels::tags(&labels);
    if !labels.is_empty() {
        properties.push(Property::texts("labels", labels));
    }
    if let Some(list) = headers.raw("list-id") {
        properties.push(Property::text("list", list_id(&list)));
    }
    if let Some(url) = headers.raw("archived-at") {
        let url = url.trim_matches(['<', '>', ' ']);
        if url.starts_with("http") {
            properties.push(Property::text("url", url));
        }
    }
    let lang = headers.raw("content-language").or(body.lang);
    if let Some(lang) = lang
        .as_deref()
        .and_then(|lang| lang.split([',', ' ']).next())
    {
        properties.push(Property::text("lang", lang.to_lowercase()));
    }
    if !files.is_empty() {
        let names = files.iter().map(|file| file.name.as_str());
        properties.push(Property::texts("attachments", names));
    }
    if body.quoted > 0 {
        properties.push(Property::number("quoted_lines", body.quoted as f64));
    }
    if !settings.attachments {
        files.clear();
    }
    document.bound_warnings();
    Message {
        document,
        attachments: files,
    }
}

fn add_people(headers: &Headers<'_>, properties: &mut Vec<Property>) {
    let mut from = headers.people("from");
    if from.is_empty() {
        from = headers.people("sender");
    }
    if from.is_empty() {
        // A header that no parser understands is still worth finding.
        let name = headers.text("from");
        from.extend(name.map(|name| Person {
            name: Some(name),
            address: None,
        }));
    }
    if let Some(author) = from.first() {
        let all: Vec<String> = from.iter().map(Person::full).collect();
        properties.push(Property::text("from", all.join(", ")));
        properties.push(Property::text("author", author.short()));
    }
    for name in ["to", "cc", "bcc"] {
        let people = headers.people(name);
        if !people.is_empty() {
            properties.push(Property::texts(name, people.iter().map(Person::full)));
        }
    }
}

/// The identifier of a list: what is in the brackets.
fn list_id(raw: &str) -> String {
    let id = match raw.rsplit_once('<') {
        Some((_, id)) => id.trim_end_matches(['>', ' ']),
        None => raw,
    };
    id.to_owned()
}
