//! From cues to paragraphs.

use extract_core::Place;

use super::{Cue, Line};
use crate::out::{Out, escape_start};

/// A paragraph that is longer ends with the next sentence, in bytes ...
const LONG: usize = 600;
/// ... or with the next cue where no sentence ends.
const VERY_LONG: usize = 1200;
/// A silence that ends a paragraph, in seconds: after a sentence, and anywhere.
const PAUSE: f64 = 3.0;
const LONG_PAUSE: f64 = 10.0;

/// Takes out what cues repeat of the one before: captions made by machine show
/// a line, then the same line again above the next. A person's subtitles, where
/// someone says a thing twice, are left alone.
pub(super) fn unroll(cues: &mut Vec<Cue>) {
    // The same words at the same time: shadows and outlines are drawn so.
    cues.dedup_by(|next, before| next.start == before.start && next.lines == before.lines);
    let rolling = cues
        .windows(2)
        .filter(|pair| repeated(&pair[0].lines, &pair[1].lines) > 0)
        .count();
    if rolling * 3 < cues.len() || cues.len() < 4 {
        return;
    }
    let mut before: Vec<Line> = Vec::new();
    for cue in cues.iter_mut() {
        let shown = cue.lines.clone();
        cue.lines.drain(..repeated(&before, &shown));
        before = shown;
    }
    cues.retain(|cue| !cue.lines.is_empty());
}

/// How many lines at the start of `next` are those at the end of `before`.
fn repeated(before: &[Line], next: &[Line]) -> usize {
    let most = before.len().min(next.len()).min(4);
    (1..=most)
        .rev()
        .find(|&count| before[before.len() - count..] == next[..count])
        .unwrap_or(0)
}

/// Writes the cues; a mark at each.
pub(super) fn write(cues: &[Cue]) -> Out {
    let mut flow = Flow::default();
    for cue in cues {
        for line in &cue.lines {
            flow.line(line, cue.start);
        }
        flow.silent_since = flow.silent_since.max(cue.end);
    }
    flow.out
}

#[derive(Default)]
struct Flow {
    out: Out,
    /// Where the paragraph begins.
    paragraph: usize,
    speaker: Option<String>,
    silent_since: f64,
    second: Option<f64>,
}

impl Flow {
    fn line(&mut self, line: &Line, start: f64) {
        // `>>` says that someone else speaks.
        let text = line.text.trim_start_matches('>').trim_start();
        let other = text.len() < line.text.len();
        let dash = text.strip_prefix("- ").or_else(|| {
            let rest = text.strip_prefix('-')?;
            rest.starts_with(char::is_alphabetic).then_some(rest)
        });
        if text.is_empty() {
            return;
        }
        let speaker_changed = line.speaker.is_some() && line.speaker != self.speaker;
        let begins = self.out.text.is_empty()
            || speaker_changed
            || (other && line.text.starts_with(">>"))
            || self.ends(start);
        if begins {
            self.out.blank();
            self.paragraph = self.out.text.len();
        } else if !joins_without_blank(&self.out.text, text) {
            self.out.push(" ");
        }
        self.silent_since = self.silent_since.max(start);
        if self.second != Some(start) {
            self.second = Some(start);
            self.out.mark(Place::Second(start));
        }
        if speaker_changed {
            self.speaker.clone_from(&line.speaker);
            if let Some(speaker) = &self.speaker {
                self.out.push(&format!("{}: ", escape_start(speaker)));
            }
        }
        // A dash at the start would make a list.
        match dash {
            Some(rest) => self.out.push(&format!("– {rest}")),
            None if begins && !speaker_changed => self.out.push(&escape_start(text)),
            None => self.out.push(text),
        }
    }

    /// Whether the paragraph ends before what begins at `start`.
    fn ends(&self, start: f64) -> bool {
        let text = &self.out.text[self.paragraph..];
        let sentence = text
            .trim_end_matches(['"', '\'', ')', ']', '”', '’', '»', '」', '♪'])
            .ends_with(['.', '!', '?', '…', '。', '！', '？', '।', '؟']);
        let pause = start - self.silent_since;
        (sentence && (text.len() > LONG || pause > PAUSE))
            || text.len() > VERY_LONG
            || pause > LONG_PAUSE
    }
}

/// Scripts that write no blanks between words.
fn joins_without_blank(before: &str, after: &str) -> bool {
    let dense = |c: char| matches!(c, '\u{0E00}'..='\u{0E7F}' | '\u{3000}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{FF00}'..='\u{FF65}');
    before.chars().next_back().is_some_and(dense) && after.chars().next().is_some_and(dense)
}
