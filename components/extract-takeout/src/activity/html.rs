//! `MyActivity.html`, `watch-history.html`, `search-history.html`: a cell for
//! each thing done. Nothing is told by words, which are those of the account's
//! language; what stands where does it.

use extract_core::Failure;
use html5gum::{Token, Tokenizer};
use memchr::memmem;

use super::Record;
use super::json::is_ad;
use crate::dates::{Order, Zone};
use crate::stream::Stream;

/// What each cell begins with.
const CELL: &[u8] = b"<div class=\"outer-cell";

/// Larger cells are cut: real ones have some 2 KiB.
const MOST_CELL: usize = 1 << 20;

/// From so many cells the order of day and month is learnt.
const SAMPLE: usize = 1000;

/// Whether the beginning of a file is that of such a file.
pub(crate) fn is_activity(head: &[u8]) -> bool {
    memmem::find(head, CELL).is_some()
}

/// What was met beside records.
#[derive(Debug, Default)]
pub(crate) struct Dates {
    /// Times whose zone was not known, which were taken as UTC.
    pub(crate) unknown_zones: usize,
}

/// Hands each record to `take`, in the order of the file.
///
/// # Errors
/// What the host says.
pub(crate) fn read(mut stream: Stream<'_>, mut take: impl FnMut(Record)) -> Result<Dates, Failure> {
    let mut cells = Cells::default();
    let mut sample = Vec::new();
    while sample.len() < SAMPLE
        && let Some(cell) = cells.next(&mut stream)?
    {
        sample.push(read_cell(&cell));
    }
    let order = Order::of(sample.iter().map(|cell| cell.date.as_str()));
    let mut dates = Dates::default();
    for cell in sample {
        take(cell.record(order, &mut dates));
    }
    while let Some(cell) = cells.next(&mut stream)? {
        take(read_cell(&cell).record(order, &mut dates));
    }
    Ok(dates)
}

/// Cuts a stream into cells.
#[derive(Default)]
struct Cells {
    buffer: Vec<u8>,
    /// Where the next cell begins, or, before the first, what is not searched
    /// yet.
    start: usize,
    /// Whether a cell begins at `start`.
    started: bool,
    done: bool,
}

impl Cells {
    fn next(&mut self, stream: &mut Stream<'_>) -> Result<Option<String>, Failure> {
        // What was searched without success is not searched again.
        let mut from = self.start + if self.started { CELL.len() } else { 0 };
        loop {
            let unread = self.buffer.get(from..).unwrap_or_default();
            if let Some(at) = memmem::find(unread, CELL) {
                let cell = self.start..from + at;
                self.start = cell.end;
                if std::mem::replace(&mut self.started, true) {
                    return Ok(Some(text(&self.buffer[cell])));
                }
                from = self.start + CELL.len();
                continue;
            }
            if self.done {
                let last = std::mem::take(&mut self.buffer).split_off(self.start);
                self.start = 0;
                let started = std::mem::replace(&mut self.started, false);
                return Ok(started.then(|| text(&last)));
            }
            from = from.max((self.buffer.len() + 1).saturating_sub(CELL.len()));
            from -= self.forget(from);
            let piece = stream.piece()?;
            self.done = piece.is_empty();
            self.buffer.extend_from_slice(&piece);
        }
    }

    /// Drops what is before the cell that is open, and what of it is over the
    /// limit and before `searched`. Gives how many bytes that were.
    fn forget(&mut self, searched: usize) -> usize {
        let kept = if self.started { MOST_CELL } else { 0 };
        let before = self.buffer.len();
        if searched > self.start + kept {
            self.buffer.drain(self.start + kept..searched);
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        before - self.buffer.len()
    }
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(&cell[..cell.len().min(MOST_CELL)]).into_owned()
}

/// A cell's texts, before its date is read.
#[derive(Debug, Default, PartialEq)]
struct Cell {
    product: String,
    lines: Vec<Line>,
    date: String,
    ad: bool,
}

/// A line of the cell's body: text and links in it.
#[derive(Debug, Default, PartialEq)]
struct Line {
    /// Text before the first link, and after the last.
    before: String,
    after: String,
    links: Vec<(String, String)>,
}

impl Line {
    fn is_empty(&self) -> bool {
        self.links.is_empty() && self.before.trim().is_empty()
    }

    fn push(&mut self, text: &str, in_link: bool) {
        let to = match self.links.last_mut() {
            Some(link) if in_link => &mut link.0,
            Some(_) => &mut self.after,
            None => &mut self.before,
        };
        for c in text.chars() {
            to.push(if c == '\u{A0}' || c == '\n' { ' ' } else { c });
        }
    }
}

/// The parts of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Between,
    Header,
    Body,
    Caption,
}

fn read_cell(html: &str) -> Cell {
    let mut cell = Cell::default();
    let mut lines = vec![Line::default()];
    let mut caption = vec![(String::new(), false)];
    let (mut part, mut seen_body, mut in_link, mut in_label) = (Part::Between, false, false, false);
    for token in Tokenizer::new(html) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => match tag.name.as_slice() {
                b"div" => {
                    let class = tag.attributes.get(b"class".as_slice());
                    let class =
                        class.map_or_else(Default::default, |class| String::from_utf8_lossy(class));
                    part = if class.contains("header-cell") {
                        Part::Header
                    } else if class.contains("caption") {
                        Part::Caption
                    } else if class.contains("content-cell") && !seen_body {
                        seen_body = true;
                        Part::Body
                    } else {
                        Part::Between
                    };
                }
                b"br" if part == Part::Body => lines.push(Line::default()),
                b"br" if part == Part::Caption => caption.push((String::new(), false)),
                b"b" if part == Part::Caption => {
                    in_label = true;
                    caption.push((String::new(), true));
                }
                b"a" if part == Part::Body => {
                    in_link = true;
                    let href = tag.attributes.get(b"href".as_slice());
                    let href = href.map(|href| String::from_utf8_lossy(href).trim().to_owned());
                    if let Some(line) = lines.last_mut() {
                        line.links.push((String::new(), href.unwrap_or_default()));
                    }
                }
                _ => {}
            },
            Token::EndTag(tag) => match tag.name.as_slice() {
                b"a" => in_link = false,
                b"b" => {
                    in_label = false;
                    caption.push((String::new(), false));
                }
                b"div" => part = Part::Between,
                _ => {}
            },
            Token::String(text) => {
                let text = String::from_utf8_lossy(&text);
                match part {
                    Part::Between => {}
                    Part::Header => cell.product.push_str(&text),
                    Part::Body => {
                        if let Some(line) = lines.last_mut() {
                            line.push(&text, in_link);
                        }
                    }
                    Part::Caption => {
                        if let Some((last, label)) = caption.last_mut() {
                            *label = in_label;
                            last.push_str(&text);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    cell.product = cell.product.trim().to_owned();
    lines.retain(|line| !line.is_empty());
    // The last line is the date, and the only one that is nothing else.
    if lines
        .last()
        .is_some_and(|line| line.links.is_empty() && lines.len() > 1)
    {
        cell.date = lines
            .pop()
            .map(|line| line.before.trim().to_owned())
            .unwrap_or_default();
    }
    cell.lines = lines;
    cell.ad = has_ad(&cell.product, &caption);
    cell
}

/// Whether the caption has a detail that says so. Its labels are localised:
/// products stand under the first, and where something is explained, that is
/// long.
fn has_ad(product: &str, caption: &[(String, bool)]) -> bool {
    let mut labels = 0;
    caption.iter().any(|(text, is_label)| {
        let text = text.trim();
        labels += usize::from(*is_label && !text.is_empty());
        !is_label && labels > 1 && text.chars().count() <= 40 && is_ad(product, text)
    })
}

impl Cell {
    fn record(self, order: Order, dates: &mut Dates) -> Record {
        let date = crate::dates::parse(&self.date, order);
        if date.is_some_and(|date| date.zone == Zone::Unknown) {
            dates.unknown_zones += 1;
        }
        let mut record = Record {
            product: self.product,
            time: date.map(|date| date.ms),
            ad: self.ad,
            ..Record::default()
        };
        let mut lines = self.lines.into_iter();
        if let Some(first) = lines.next() {
            let mut links = first.links.into_iter();
            let (before, after) = (first.before.trim(), first.after.trim());
            if let Some((name, url)) = links.next() {
                record.verb = if before.is_empty() { after } else { before }.to_owned();
                record.title = name.trim().to_owned();
                record.url = url;
                record.bare = true;
                record.subtitles.extend(links);
            } else {
                record.title = before.to_owned();
            }
        }
        for line in lines {
            if line.links.is_empty() {
                record
                    .subtitles
                    .push((line.before.trim().to_owned(), String::new()));
            }
            record.subtitles.extend(line.links);
        }
        record
    }
}

#[cfg(test)]
mod tests;
