//! One event or task, and its document.

use std::collections::HashMap;

use extract_core::{Document, Property, escape_line, escape_plain, title};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use crate::body::Body;
use crate::lines::Line;
use crate::recurrence;
use crate::zones::Zones;

/// More dates, guests and changes than this are not listed.
const MOST_LISTED: usize = 50;

/// An event or task as its lines.
pub(super) struct Component {
    pub(super) kind: &'static str,
    pub(super) lines: Vec<Line>,
}

impl Component {
    pub(super) fn line(&self, name: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.name == name)
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.line(name).map(Line::text).unwrap_or_default()
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().filter(move |line| line.name == name)
    }
}

/// A date of an event.
#[derive(Debug, Clone, PartialEq)]
struct When {
    /// Milliseconds since 1970.
    ms: i64,
    local: DateTime,
    /// Without a time of day.
    all_day: bool,
    zone: String,
}

impl When {
    fn words(&self) -> String {
        let date = self.local.date();
        if self.all_day {
            return date.to_string();
        }
        format!("{date} {}", self.clock())
    }

    fn clock(&self) -> String {
        let time = self.local.time();
        format!("{:02}:{:02}", time.hour(), time.minute())
    }
}

/// Writes the documents of one calendar.
pub(super) struct Writer {
    zones: Zones,
    /// How many times were in each zone that is not known.
    pub(super) unknown: HashMap<String, usize>,
}

impl Writer {
    pub(super) fn new(zones: Zones) -> Self {
        Self {
            zones,
            unknown: HashMap::new(),
        }
    }

    fn when(&mut self, line: &Line) -> Option<When> {
        let value = line.value.trim();
        if value.len() == 8 {
            let date: Date = value.parse().ok()?;
            let local = date.to_datetime(jiff::civil::Time::midnight());
            let ms = TimeZone::UTC.to_timestamp(local).ok()?.as_millisecond();
            return Some(When {
                ms,
                local,
                all_day: true,
                zone: String::new(),
            });
        }
        let (bare, utc) = value
            .strip_suffix(['Z', 'z'])
            .map_or((value, false), |bare| (bare, true));
        let local: DateTime = bare.parse().ok()?;
        let id = line.param("TZID").filter(|_| !utc).unwrap_or("UTC");
        let zone = if id == "UTC" {
            Some(TimeZone::UTC)
        } else {
            self.zones.get(id)
        };
        let zone = zone.unwrap_or_else(|| {
            *self.unknown.entry(id.to_owned()).or_default() += 1;
            TimeZone::UTC
        });
        let ms = zone.to_timestamp(local).ok()?.as_millisecond();
        // A time without a zone is meant wherever one is.
        let zone = if utc || line.param("TZID").is_some() {
            id
        } else {
            ""
        };
        Some(When {
            ms,
            local,
            all_day: false,
            zone: zone.to_owned(),
        })
    }

    fn span(&mut self, event: &Component) -> (Option<When>, Option<When>) {
        let start = event.line("DTSTART").and_then(|line| self.when(line));
        let end = event.line("DTEND").or_else(|| event.line("DUE"));
        let mut end = end.and_then(|line| self.when(line));
        if let (None, Some(start), Some(duration)) = (&end, &start, event.line("DURATION")) {
            end = duration
                .value
                .trim()
                .parse()
                .ok()
                .and_then(|span: jiff::Span| {
                    let local = start.local.checked_add(span).ok()?;
                    let between = local.duration_since(start.local);
                    let ms = start
                        .ms
                        .checked_add(i64::try_from(between.as_millis()).ok()?)?;
                    Some(When {
                        ms,
                        local,
                        ..start.clone()
                    })
                });
        }
        (start, end)
    }

    /// The document of an event, with those of its occurrences that are not as
    /// the others.
    pub(super) fn document(&mut self, event: &Component, changes: &[Component]) -> Document {
        let (start, end) = self.span(event);
        let mut body = Body::default();
        let mut facts = Vec::new();
        if let Some(start) = &start {
            facts.push(format!("- When: {}", span_words(start, end.as_ref())));
        } else if let Some(end) = &end {
            facts.push(format!("- Due: {}", end.words()));
        }
        if let Some(words) = event
            .line("RRULE")
            .and_then(|line| recurrence::in_words(&line.value))
        {
            facts.push(format!("- Repeats: {words}"));
        }
        for (label, name) in [("Also on", "RDATE"), ("Not on", "EXDATE")] {
            let dates = event.all(name).flat_map(|line| line.parts(','));
            let dates: Vec<String> = dates
                .filter_map(|date| recurrence::day(&date))
                .take(MOST_LISTED)
                .collect();
            if !dates.is_empty() {
                facts.push(format!("- {label}: {}", dates.join(", ")));
            }
        }
        let location = event.text("LOCATION");
        if !location.is_empty() {
            facts.push(format!("- Where: {}", escape_line(&location)));
        }
        let organizer = event.line("ORGANIZER").map(person);
        if let Some(organizer) = &organizer {
            facts.push(format!("- Organizer: {}", escape_line(organizer)));
        }
        let guests: Vec<String> = event
            .all("ATTENDEE")
            .map(person)
            .take(MOST_LISTED)
            .collect();
        if !guests.is_empty() {
            facts.push(format!("- Guests: {}", escape_line(&guests.join(", "))));
        }
        let status = event.text("STATUS").to_lowercase();
        if status == "cancelled" {
            facts.push("- Cancelled".to_owned());
        }
        body.paragraph(&facts.join("\n"));
        let description = event.text("DESCRIPTION");
        if !description.is_empty() {
            body.paragraph(&escape_plain(&description));
        }
        let website = event.text("URL");
        if extract_core::canonical_url(&website).is_some() {
            body.line("", &website, &website);
        }
        let changed: Vec<String> = changes
            .iter()
            .take(MOST_LISTED)
            .filter_map(|change| self.change(event, change))
            .collect();
        if !changed.is_empty() {
            body.paragraph(&format!("Changed:\n\n{}", changed.join("\n")));
        }

        let summary = title::tidy(&event.text("SUMMARY"));
        let title = summary.unwrap_or_else(|| match &start {
            Some(start) => format!("{} on {}", capital(event.kind), start.local.date()),
            None => capital(event.kind),
        });
        let id = event.text("UID");
        let part = if id.is_empty() {
            let when = start.as_ref().map(When::words).unwrap_or_default();
            format!("{}/{when} {title}", event.kind)
        } else {
            id
        };
        let mut properties = Vec::new();
        for (name, when) in [("start", &start), ("end", &end)] {
            properties.extend(when.as_ref().map(|when| Property::timestamp(name, when.ms)));
        }
        for (name, line) in [("created", "CREATED"), ("modified", "LAST-MODIFIED")] {
            let when = event.line(line).and_then(|line| self.when(line));
            properties.extend(when.map(|when| Property::timestamp(name, when.ms)));
        }
        for (name, text) in [
            ("location", location),
            ("status", status),
            ("website", website),
        ] {
            // What is confirmed is as all others.
            if !text.is_empty() && text != "confirmed" {
                properties.push(Property::text(name, text));
            }
        }
        properties.extend(organizer.map(|organizer| Property::text("author", organizer)));
        if !guests.is_empty() {
            properties.push(Property::texts("guests", guests));
        }
        let mut seen = std::collections::HashSet::new();
        let tags = event.all("CATEGORIES").flat_map(|line| line.parts(','));
        let tags = tags.filter_map(|tag| title::tidy(&tag));
        Document {
            part,
            kind: event.kind.to_owned(),
            title,
            text: body.text,
            links: body.links,
            properties,
            tags: tags.filter(|tag| seen.insert(tag.to_lowercase())).collect(),
            ..Document::default()
        }
    }

    /// One occurrence that is not as the others.
    fn change(&mut self, event: &Component, change: &Component) -> Option<String> {
        let usual = change
            .line("RECURRENCE-ID")
            .and_then(|line| self.when(line))?;
        let (start, end) = self.span(change);
        let mut words = format!("- {}:", usual.words());
        if change.text("STATUS").eq_ignore_ascii_case("CANCELLED") {
            return Some(format!("{words} cancelled"));
        }
        if let Some(start) = start {
            words.push_str(&format!(" {}", span_words(&start, end.as_ref())));
        }
        for name in ["SUMMARY", "LOCATION", "DESCRIPTION"] {
            let text = change.text(name);
            if !text.is_empty() && text != event.text(name) {
                words.push_str(&format!(", {}", escape_line(&text)));
            }
        }
        Some(words)
    }
}

/// `2024-05-01 10:00 to 11:00, Europe/Berlin`.
fn span_words(start: &When, end: Option<&When>) -> String {
    let mut words = start.words();
    if let Some(end) = end.filter(|end| end.ms > start.ms) {
        if start.all_day && end.all_day {
            // The end of a day's event is the day after.
            let last = end.local.date().yesterday().unwrap_or(end.local.date());
            if last > start.local.date() {
                words.push_str(&format!(" to {last}"));
            }
        } else if start.local.date() == end.local.date() {
            words.push_str(&format!(" to {}", end.clock()));
        } else {
            words.push_str(&format!(" to {}", end.words()));
        }
    }
    if !start.zone.is_empty() {
        words.push_str(&format!(", {}", start.zone));
    }
    words
}

/// Name and address of one who takes part.
fn person(line: &Line) -> String {
    let address = line.value.trim();
    let address = match address.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => &address[7..],
        _ => address,
    };
    match line.param("CN").map(str::trim) {
        Some(name) if !name.is_empty() && name != address => format!("{name} ({address})"),
        _ => address.to_owned(),
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
