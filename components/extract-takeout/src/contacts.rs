//! Contacts (vCard 2.1, 3.0 and 4.0): a document for each.

use extract_core::{
    Decoded, Document, Failure, Property, canonical_url, escape_line, escape_plain, title,
    unify_newlines,
};

use crate::body::Body;
use crate::calendar::starts_with;
use crate::items::Items;
use crate::lines::{Line, lines};

/// Whether a file with this beginning holds contacts.
pub(crate) fn is_contacts(head: &str) -> bool {
    starts_with(head, "BEGIN:VCARD")
}

/// Reads contacts.
///
/// # Errors
/// For bytes that are no text.
pub(crate) fn read(name: &str, bytes: Vec<u8>) -> Result<Vec<Document>, Failure> {
    let Decoded { text, warnings } = extract_core::decode(bytes)?;
    let text = unify_newlines(text);
    let mut items = Items::default();
    let mut card: Option<Vec<Line>> = None;
    for line in lines(&text) {
        let is_card = line.value.trim().eq_ignore_ascii_case("VCARD");
        match (line.name.as_str(), &mut card) {
            ("BEGIN", open) if is_card => {
                // One that was never closed.
                if let Some(lines) = open.replace(Vec::new()) {
                    items.add_anyway(document(&lines));
                }
            }
            ("END", open) if is_card => {
                if let Some(lines) = open.take() {
                    items.add_anyway(document(&lines));
                }
            }
            // Pictures, sounds and keys are not text.
            ("PHOTO" | "LOGO" | "SOUND" | "KEY", _) | (_, None) => {}
            (_, Some(lines)) => lines.push(line),
        }
    }
    if let Some(lines) = card {
        items.add_anyway(document(&lines));
    }
    let count = items.documents.len();
    let text = format!("{count} contact{}", if count == 1 { "" } else { "s" });
    Ok(items.into_documents(name, text, warnings))
}

fn document(card: &[Line]) -> Document {
    let all = |name: &str| {
        card.iter()
            .filter(move |line| line.name == name)
            .collect::<Vec<_>>()
    };
    let first = |name: &str| card.iter().find(|line| line.name == name);
    let text = |name: &str| first(name).map(Line::text).unwrap_or_default();

    let mut body = Body::default();
    let organisation = first("ORG")
        .map(|line| joined(line.parts(';'), ", "))
        .unwrap_or_default();
    let job = text("TITLE");
    let work = joined(vec![job.clone(), organisation.clone()], ", ");
    if !work.is_empty() {
        body.paragraph(&escape_line(&work));
    }

    let mut facts = Vec::new();
    let mut properties = Vec::new();
    for (name, label, property) in [
        ("EMAIL", "Email", "email"),
        ("TEL", "Phone", "phone"),
        ("IMPP", "Chat", "chat"),
    ] {
        let lines = all(name);
        let values: Vec<String> = lines
            .iter()
            .map(|line| bare(&line.text()))
            .filter(|value| !value.is_empty())
            .collect();
        for line in lines {
            let value = bare(&line.text());
            if !value.is_empty() {
                facts.push(format!(
                    "- {label}{}: {}",
                    kinds(line, card),
                    escape_line(&value)
                ));
            }
        }
        if !values.is_empty() {
            properties.push(Property::texts(property, values));
        }
    }
    for line in all("ADR") {
        let address = joined(line.parts(';'), ", ");
        if !address.is_empty() {
            facts.push(format!(
                "- Address{}: {}",
                kinds(line, card),
                escape_line(&address)
            ));
        }
    }
    for (name, label) in [
        ("BDAY", "Birthday"),
        ("ANNIVERSARY", "Anniversary"),
        ("ROLE", "Role"),
    ] {
        let value = text(name);
        if !value.is_empty() {
            let value = crate::recurrence::day(&value).unwrap_or(value);
            facts.push(format!("- {label}: {}", escape_line(&value)));
            if name == "BDAY" {
                properties.push(Property::text("birthday", value));
            }
        }
    }
    for line in all("X-ABDATE")
        .into_iter()
        .chain(all("X-ABRELATEDNAMES"))
        .chain(all("RELATED"))
    {
        let label = label(line, card).unwrap_or_else(|| "Related".to_owned());
        facts.push(format!(
            "- {}: {}",
            escape_line(&label),
            escape_line(&line.text())
        ));
    }
    if !facts.is_empty() {
        body.paragraph(&facts.join("\n"));
    }
    let mut websites = Vec::new();
    for line in all("URL") {
        let url = line.text();
        if canonical_url(&url).is_some() {
            body.line("", &url, &url);
            websites.push(url);
        }
    }
    for note in all("NOTE") {
        let note = note.text();
        if !note.is_empty() {
            body.paragraph(&escape_plain(&note));
        }
    }
    for (name, value) in [("organization", &organisation), ("job", &job)] {
        if !value.is_empty() {
            properties.push(Property::text(name, value));
        }
    }
    if !websites.is_empty() {
        properties.push(Property::texts("website", websites));
    }
    let modified = text("REV").parse::<jiff::Timestamp>().ok();
    properties.extend(modified.map(|at| Property::timestamp("modified", at.as_millisecond())));

    // Family, given, additional, before, after.
    let name = first("N").map(|line| {
        let mut parts = line.parts(';');
        parts.resize(5, String::new());
        joined([3, 1, 2, 0, 4].map(|at| parts[at].clone()).into(), " ")
    });
    let reached = ["EMAIL", "TEL"].map(|name| {
        first(name)
            .map(|line| bare(&line.text()))
            .unwrap_or_default()
    });
    let names = [text("FN"), name.unwrap_or_default(), organisation];
    let title = names
        .iter()
        .chain(&reached)
        .find_map(|name| title::tidy(name));
    let title = title.unwrap_or_else(|| "Contact without a name".to_owned());
    let id = text("UID");
    let part = if id.is_empty() {
        format!(
            "contact/{}",
            joined(vec![title.clone(), reached.concat()], " ")
        )
    } else {
        id
    };
    let mut seen = std::collections::HashSet::new();
    // Google's own groups, which everyone is in, begin with a star.
    let tags = all("CATEGORIES")
        .into_iter()
        .flat_map(|line| line.parts(','));
    let tags = tags.filter(|tag| tag != "myContacts" && !tag.starts_with("* "));
    let tags = tags
        .filter_map(|tag| title::tidy(&tag))
        .filter(|tag| seen.insert(tag.to_lowercase()))
        .collect();
    let aliases = all("NICKNAME").into_iter().flat_map(|line| line.parts(','));
    Document {
        part,
        kind: "contact".to_owned(),
        title,
        text: body.text,
        links: body.links,
        properties,
        tags,
        aliases: aliases.filter_map(|alias| title::tidy(&alias)).collect(),
        ..Document::default()
    }
}

fn joined(parts: Vec<String>, between: &str) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(between)
}

/// An address without the scheme that vCard 4 puts before it.
fn bare(value: &str) -> String {
    let schemes = ["mailto:", "tel:"];
    let scheme = schemes.iter().find(|scheme| {
        value
            .get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    });
    value[scheme.map_or(0, |scheme| scheme.len())..].to_owned()
}

/// ` (home)`, where the line or the label of its group says so.
fn kinds(line: &Line, card: &[Line]) -> String {
    if let Some(label) = label(line, card) {
        return format!(" ({})", escape_line(&label).to_lowercase());
    }
    let said = line.params.iter().filter(|param| param.0 == "TYPE");
    let said = said.map(|param| param.1.to_lowercase());
    let of_no_use = ["internet", "pref", "voice", "x-internet", "dom", "other"];
    let kinds: Vec<String> = said
        .filter(|kind| !of_no_use.contains(&kind.as_str()))
        .take(3)
        .collect();
    if kinds.is_empty() {
        String::new()
    } else {
        format!(" ({})", escape_line(&kinds.join(", ")))
    }
}

/// What the contact's owner calls a line: `item1.X-ABLabel:_$!<Anniversary>!$_`.
fn label(line: &Line, card: &[Line]) -> Option<String> {
    if line.group.is_empty() {
        return None;
    }
    // A card has few lines; more of them are an attack on this search.
    let mut near = card.iter().take(1000);
    let label = near.find(|other| other.name == "X-ABLABEL" && other.group == line.group)?;
    let text = label.text();
    let text = text.trim_start_matches("_$!<").trim_end_matches(">!$_");
    title::tidy(text)
}
