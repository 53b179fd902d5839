//! Calendars (iCalendar, RFC 5545): a document for each event or task, one that
//! recurs once.

mod event;

use std::collections::HashMap;

use extract_core::{Decoded, Document, Failure, escape_plain, title, unify_newlines};

use self::event::{Component, Writer};
use crate::items::Items;
use crate::lines::{Line, lines};
use crate::zones::{Definition, Zones};

/// Whether a file with this beginning is a calendar.
pub(crate) fn is_calendar(head: &str) -> bool {
    starts_with(head, "BEGIN:VCALENDAR")
}

/// Whether the first words are these, whatever their case.
pub(crate) fn starts_with(head: &str, words: &str) -> bool {
    let begin = head.trim_start().get(..words.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(words))
}

/// Reads a calendar.
///
/// # Errors
/// For bytes that are no text.
pub(crate) fn read(name: &str, bytes: Vec<u8>) -> Result<Vec<Document>, Failure> {
    let Decoded { text, warnings } = extract_core::decode(bytes)?;
    let text = unify_newlines(text);
    let mut calendar = Calendar::default();
    for line in lines(&text) {
        calendar.take(line);
    }
    calendar.finish_component();
    Ok(calendar.into_documents(name, warnings))
}

#[derive(Default)]
struct Calendar {
    name: Option<String>,
    description: String,
    zones: Zones,
    /// The names of the components that are open.
    open: Vec<String>,
    /// How many are open beyond what is kept of their names.
    deeper: usize,
    zone: Option<(String, Definition)>,
    component: Option<Component>,
    components: Vec<Component>,
}

impl Calendar {
    fn take(&mut self, line: Line) {
        let value = line.value.trim().to_ascii_uppercase();
        match line.name.as_str() {
            "BEGIN" => {
                if self.open.len() < 8 {
                    self.open.push(value.clone());
                } else {
                    self.deeper += 1;
                }
                let kind = match value.as_str() {
                    "VEVENT" => Some("event"),
                    "VTODO" => Some("task"),
                    "VJOURNAL" => Some("note"),
                    _ => None,
                };
                if value == "VTIMEZONE" {
                    self.zone = Some(Default::default());
                } else if let Some((_, zone)) = &mut self.zone {
                    zone.take(&line);
                } else if let Some(kind) = kind {
                    self.finish_component();
                    let lines = Vec::new();
                    self.component = Some(Component { kind, lines });
                }
            }
            "END" => {
                if self.deeper > 0 {
                    self.deeper -= 1;
                } else {
                    self.open.pop();
                }
                if value == "VTIMEZONE" {
                    if let Some((id, zone)) = self.zone.take() {
                        self.zones.define(&id, zone);
                    }
                } else if let Some((_, zone)) = &mut self.zone {
                    zone.take(&line);
                } else if matches!(value.as_str(), "VEVENT" | "VTODO" | "VJOURNAL") {
                    self.finish_component();
                }
            }
            name => {
                if let Some((id, zone)) = &mut self.zone {
                    if name == "TZID" {
                        *id = line.value.trim().to_owned();
                    }
                    zone.take(&line);
                } else if let Some(component) = &mut self.component {
                    // What is further in is an alarm's.
                    let inside = self.open.last().is_some_and(|open| open == "VALARM");
                    if !inside && name != "ATTACH" {
                        component.lines.push(line);
                    }
                } else if name == "X-WR-CALNAME" {
                    self.name = title::tidy(&line.text());
                } else if name == "X-WR-CALDESC" {
                    self.description = line.text();
                }
            }
        }
    }

    fn finish_component(&mut self) {
        self.components.extend(self.component.take());
    }

    fn into_documents(mut self, name: &str, mut warnings: Vec<String>) -> Vec<Document> {
        // Changed occurrences go to the event that they are of.
        let mut events: Vec<(Component, Vec<Component>)> = Vec::new();
        let mut by_id: HashMap<String, usize> = HashMap::new();
        let mut changed = Vec::new();
        for component in std::mem::take(&mut self.components) {
            let id = component.text("UID");
            if component.line("RECURRENCE-ID").is_some() && !id.is_empty() {
                changed.push((id, component));
            } else {
                by_id.entry(id).or_insert(events.len());
                events.push((component, Vec::new()));
            }
        }
        for (id, component) in changed {
            match by_id.get(&id) {
                Some(&at) => events[at].1.push(component),
                None => {
                    by_id.insert(id, events.len());
                    events.push((component, Vec::new()));
                }
            }
        }
        let mut writer = Writer::new(self.zones);
        let mut items = Items::default();
        for (event, changes) in &events {
            items.add_anyway(writer.document(event, changes));
        }
        let mut unknown: Vec<_> = writer.unknown.into_iter().collect();
        unknown.sort();
        for (zone, count) in unknown {
            let s = if count == 1 { "" } else { "s" };
            warnings.push(format!(
                "The time zone {zone} is not known; {count} time{s} in it count as UTC."
            ));
        }
        let count = events.len();
        let mut text = format!("{count} {}", if count == 1 { "entry" } else { "entries" });
        if !self.description.is_empty() {
            text.insert_str(0, &format!("{}\n\n", escape_plain(&self.description)));
        }
        let mut documents = items.into_documents(name, text, warnings);
        if let (Some(own), Some(name)) = (documents.first_mut(), self.name) {
            own.title = name;
        }
        documents
    }
}
