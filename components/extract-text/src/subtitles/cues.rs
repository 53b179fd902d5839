//! Cues of subtitles that are written as lines.

use super::{Cue, How, words};

/// A recording has fewer seconds than this.
const MOST_SECONDS: f64 = 1e7;

/// `[hours:]minutes:seconds[.fraction]` in seconds; the fraction may stand
/// after a comma as well.
pub(super) fn time(text: &str) -> Option<f64> {
    let mut seconds = 0.0;
    let mut parts = 0;
    for part in text.trim().split(':') {
        let part = part.replace(',', ".");
        let digits = part
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        if part.is_empty() || !digits {
            return None;
        }
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
        parts += 1;
    }
    ((2..=3).contains(&parts) && seconds < MOST_SECONDS).then_some(seconds)
}

/// The times of a line that begins a cue.
fn times(line: &str, how: How) -> Option<(f64, f64)> {
    let (start, end) = match how {
        How::Sbv => line.split_once(',')?,
        _ => line.split_once("-->")?,
    };
    // Settings of WebVTT, or coordinates, stand after the end.
    let end = end.split_whitespace().next()?;
    Some((time(start)?, time(end)?))
}

/// Whether the first lines are a number and two times.
pub(super) fn looks_like_srt(head: &str) -> bool {
    let mut lines = head.trim_start().lines();
    let number = lines.next().is_some_and(is_number);
    number
        && lines
            .next()
            .is_some_and(|line| times(line, How::Srt).is_some())
}

fn is_number(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

/// The language that the head of a WebVTT file names.
pub(super) fn language(text: &str) -> Option<String> {
    let head = text.trim_start().strip_prefix("WEBVTT")?;
    let line = head
        .lines()
        .take_while(|line| !line.contains("-->"))
        .take(20)
        .find_map(|line| line.strip_prefix("Language:"))?;
    let lang = line.trim();
    (!lang.is_empty() && lang.len() < 20).then(|| lang.to_owned())
}

/// Reads SubRip, WebVTT or SBV: a cue begins with its times and ends with an
/// empty line. Notes and styles have no times.
pub(super) fn read(text: &str, how: How) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut open: Option<(f64, f64, Vec<&str>)> = None;
    // After an empty line a number may begin the next cue of SubRip.
    let mut after_blank = false;
    for line in text.lines() {
        if let Some((start, end)) = times(line, how) {
            if let Some((.., lines)) = &mut open
                && lines.last().is_some_and(|last| is_number(last))
            {
                lines.pop();
            }
            close(&mut cues, open.take());
            open = Some((start, end, Vec::new()));
            after_blank = false;
            continue;
        }
        if line.trim().is_empty() {
            after_blank = true;
            if how != How::Srt {
                close(&mut cues, open.take());
            }
            continue;
        }
        if let Some((.., lines)) = &mut open {
            // SubRip's texts may have empty lines inside.
            if !(after_blank && is_number(line) && how == How::Srt) || lines.is_empty() {
                lines.push(line);
            }
        }
    }
    close(&mut cues, open);
    cues
}

fn close(cues: &mut Vec<Cue>, open: Option<(f64, f64, Vec<&str>)>) {
    if let Some((start, end, lines)) = open {
        push(cues, start, end, &lines.join("\n"));
    }
}

/// Adds a cue, unless it says nothing.
pub(super) fn push(cues: &mut Vec<Cue>, start: f64, end: f64, raw: &str) {
    let lines = words::lines(raw);
    if !lines.is_empty() && start.is_finite() && (0.0..MOST_SECONDS).contains(&start) {
        let end = if end.is_finite() {
            end.clamp(start, MOST_SECONDS)
        } else {
            start
        };
        cues.push(Cue { start, end, lines });
    }
}

/// Reads SubStation Alpha: `Dialogue:` lines whose fields `Format:` names.
pub(super) fn read_ass(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut fields: Vec<String> = "layer,start,end,style,name,marginl,marginr,marginv,effect,text"
        .split(',')
        .map(str::to_owned)
        .collect();
    let mut events = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            events = line.eq_ignore_ascii_case("[events]");
        } else if let Some(format) = line.strip_prefix("Format:").filter(|_| events) {
            fields = format
                .split(',')
                .map(|field| field.trim().to_lowercase())
                .collect();
        } else if let Some(dialogue) = line.strip_prefix("Dialogue:") {
            let values: Vec<&str> = dialogue.splitn(fields.len().max(1), ',').collect();
            let get = |name: &str| {
                let index = fields.iter().position(|field| field == name)?;
                values.get(index).map(|value| value.trim())
            };
            let (Some(start), Some(end), Some(text)) = (
                get("start").and_then(time),
                get("end").and_then(time),
                get("text"),
            ) else {
                continue;
            };
            // Drawings are no words.
            if text.contains("\\p1") {
                continue;
            }
            let text = text
                .replace("\\N", "\n")
                .replace("\\n", "\n")
                .replace("\\h", " ");
            let text = match get("name").filter(|name| !name.is_empty() && !name.contains('>')) {
                Some(name) => format!("<v {name}>{text}"),
                None => text,
            };
            push(&mut cues, start, end, &text);
        }
    }
    cues
}

/// Reads lyrics: `[01:02.03] words`, with one or more times before the words.
pub(super) fn read_lyrics(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim();
        let mut starts = Vec::new();
        while let Some((inside, after)) =
            rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            let Some(start) = time(inside) else { break };
            starts.push(start);
            rest = after.trim_start();
        }
        for start in starts {
            push(&mut cues, start, start, rest);
        }
    }
    cues
}
