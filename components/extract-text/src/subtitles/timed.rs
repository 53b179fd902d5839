//! Cues of subtitles that are written as XML or JSON.

use quick_xml::events::{BytesStart, Event};
use serde::Deserialize;

use super::Cue;
use super::cues::{push, time};
use crate::xml::{Reader, attribute, entity};

/// Reads YouTube's `<text start dur>` (seconds) and `<p t d>` (milliseconds),
/// and TTML's `<p begin end>`.
pub(super) fn read_xml(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut reader = Reader::new(text);
    let mut open: Option<(f64, f64, String)> = None;
    while let Ok((event, _)) = reader.next() {
        match event {
            Event::Start(start) => match times(&start) {
                Some((begin, end)) => open = Some((begin, end, String::new())),
                None => line_break(&start, &mut open),
            },
            Event::Empty(empty) => line_break(&empty, &mut open),
            Event::Text(words) => add(&mut open, &words),
            Event::CData(words) => add(&mut open, &words),
            Event::GeneralRef(name) => add(&mut open, &entity(&name)),
            Event::End(end) => {
                if matches!(end.local_name().as_ref(), "text" | "p")
                    && let Some((start, end, text)) = open.take()
                {
                    push(&mut cues, start, end, &text);
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    cues
}

fn add(open: &mut Option<(f64, f64, String)>, words: &str) {
    if let Some((.., text)) = open {
        text.push_str(words);
    }
}

fn line_break(element: &BytesStart<'_>, open: &mut Option<(f64, f64, String)>) {
    if element.local_name().as_ref() == "br" {
        add(open, "\n");
    }
}

/// Start and end of an element that is a cue, in seconds.
fn times(element: &BytesStart<'_>) -> Option<(f64, f64)> {
    let number = |name| attribute(element, name)?.parse::<f64>().ok();
    match element.local_name().as_ref() {
        "text" => {
            let start = number("start")?;
            Some((start, start + number("dur").unwrap_or(0.0)))
        }
        "p" => {
            if let Some(start) = number("t") {
                return Some((start / 1e3, (start + number("d").unwrap_or(0.0)) / 1e3));
            }
            let clock = |name| attribute(element, name).and_then(|text| clock_time(&text));
            let start = clock("begin")?;
            let end = clock("end").or_else(|| Some(start + clock("dur")?));
            Some((start, end.unwrap_or(start)))
        }
        _ => None,
    }
}

/// A time of TTML in seconds: a clock's, whose frames are left out, or an
/// offset in seconds, milliseconds, minutes or hours.
fn clock_time(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.matches(':').count() == 3 {
        return time(text.rsplit_once(':')?.0);
    }
    if text.contains(':') {
        return time(text);
    }
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number: f64 = text[..text.len() - unit.len()].parse().ok()?;
    let seconds = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        // The unit of most files that count in ticks.
        "t" => 1e-7,
        _ => return None,
    };
    Some(number * seconds)
}

#[derive(Deserialize)]
struct Json3 {
    #[serde(default)]
    events: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    #[serde(default)]
    t_start_ms: f64,
    #[serde(default)]
    d_duration_ms: f64,
    #[serde(default)]
    segs: Vec<Segment>,
}

#[derive(Deserialize)]
struct Segment {
    #[serde(default)]
    utf8: String,
}

/// Reads YouTube's JSON.
pub(super) fn read_json(text: &str) -> Vec<Cue> {
    let Ok(json) = serde_json::from_str::<Json3>(text) else {
        return Vec::new();
    };
    let mut cues = Vec::new();
    for said in json.events {
        let text: String = said
            .segs
            .iter()
            .map(|segment| segment.utf8.as_str())
            .collect();
        let start = said.t_start_ms / 1e3;
        push(&mut cues, start, start + said.d_duration_ms / 1e3, &text);
    }
    cues
}
