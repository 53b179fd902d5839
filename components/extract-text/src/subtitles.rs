//! Subtitles as paragraphs that can be read, with the second of each cue.

mod cues;
mod flow;
mod timed;
mod words;

use extract_core::{Document, Property, title};

use crate::out::from_first_line;

/// How subtitles are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// SubRip.
    Srt,
    /// WebVTT.
    Vtt,
    /// YouTube's plain one.
    Sbv,
    /// SubStation Alpha.
    Ass,
    /// Lyrics.
    Lrc,
    /// XML: YouTube's, TTML.
    TimedText,
    /// YouTube's JSON.
    Json3,
}

impl How {
    /// By the file's extension and its first bytes.
    pub(crate) fn of(extension: &str, head: &str) -> Option<Self> {
        let start = head.trim_start();
        if start.starts_with("WEBVTT") {
            return Some(Self::Vtt);
        }
        match extension {
            "srt" => Some(Self::Srt),
            "vtt" | "webvtt" => Some(Self::Vtt),
            "sbv" => Some(Self::Sbv),
            "ass" | "ssa" => Some(Self::Ass),
            "lrc" => Some(Self::Lrc),
            "json3" => Some(Self::Json3),
            "json" if start.starts_with('{') && head.contains("\"tStartMs\"") => Some(Self::Json3),
            "ttml" | "dfxp" | "srv1" | "srv2" | "srv3" => Some(Self::TimedText),
            "xml" if is_timed_text(head) => Some(Self::TimedText),
            "" | "txt" if cues::looks_like_srt(head) => Some(Self::Srt),
            _ => None,
        }
    }
}

fn is_timed_text(head: &str) -> bool {
    (head.contains("<transcript>") && head.contains("<text start="))
        || head.contains("<timedtext")
        || head.contains("http://www.w3.org/ns/ttml")
}

/// What is said over a stretch of time, in seconds.
#[derive(Debug, Clone, PartialEq)]
struct Cue {
    start: f64,
    end: f64,
    /// Not empty.
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    speaker: Option<String>,
    /// Plain, on one line, not empty.
    text: String,
}

/// Reads the subtitles in the file called `name`.
pub(crate) fn read(text: &str, how: How, name: &str) -> Document {
    let mut lang = None;
    let mut cues = match how {
        How::Srt | How::Sbv | How::Vtt => {
            lang = cues::language(text);
            cues::read(text, how)
        }
        How::Ass => cues::read_ass(text),
        How::Lrc => cues::read_lyrics(text),
        How::TimedText => timed::read_xml(text),
        How::Json3 => timed::read_json(text),
    };
    if cues.is_empty() {
        return Document {
            marks: from_first_line(text),
            text: text.to_owned(),
            warnings: vec!["No subtitles were found in the file; it was read as text.".to_owned()],
            ..Document::default()
        };
    }
    cues.sort_by(|a, b| a.start.total_cmp(&b.start));
    let duration = cues.iter().map(|cue| cue.end).fold(0.0, f64::max);
    flow::unroll(&mut cues);
    let mut document = flow::write(&cues).finish();
    let (stem, of_name) = split_language(name);
    document.title = title::from_name(&format!("{stem}."));
    document
        .properties
        .push(Property::number("duration", duration));
    if let Some(lang) = lang.or(of_name) {
        document.properties.push(Property::text("lang", lang));
    }
    document
}

/// Languages in three letters that file names have; other words of three
/// letters are words.
const LONG_CODES: [&str; 24] = [
    "ara", "ces", "chi", "cze", "dan", "deu", "dut", "eng", "fin", "fra", "fre", "ger", "heb",
    "hin", "ita", "jpn", "kor", "nld", "pol", "por", "rus", "spa", "swe", "zho",
];

/// The name without extension and language, and the language: `talk.en.vtt`,
/// `talk.pt-BR.forced.srt`.
fn split_language(name: &str) -> (&str, Option<String>) {
    let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut rest = stem;
    for _ in 0..2 {
        let Some((before, last)) = rest.rsplit_once('.') else {
            break;
        };
        if is_language(last) {
            return (before, Some(last.replace('_', "-")));
        }
        let kind = last.to_lowercase();
        if !matches!(
            kind.as_str(),
            "forced" | "sdh" | "cc" | "auto" | "hi" | "default"
        ) {
            break;
        }
        rest = before;
    }
    (stem, None)
}

fn is_language(code: &str) -> bool {
    let (language, region) = match code.split_once(['-', '_']) {
        Some((language, region)) => (language, Some(region)),
        None => (code, None),
    };
    let known = (language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase()))
        || LONG_CODES.contains(&language);
    known
        && region.is_none_or(|region| {
            (2..=4).contains(&region.len())
                && region.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests;
