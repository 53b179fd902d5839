//! Slides, whatever the format they come in.

use crate::flow::Flow;
use crate::rich::Rich;
use crate::writer::Block;

/// Writes a slide, its number from 1.
pub(crate) fn write(
    flow: &mut Flow,
    number: usize,
    title: Option<Rich>,
    blocks: Vec<Block>,
    notes: Vec<Block>,
) {
    let mut blocks = blocks;
    let title = title.filter(|title| !title.is_blank()).or_else(|| {
        // Where none is marked as the title, a short first line is one.
        let is_short = matches!(blocks.first(), Some(Block::Paragraph(first)) if is_title(first));
        match is_short.then(|| blocks.remove(0)) {
            Some(Block::Paragraph(first)) => Some(first),
            _ => None,
        }
    });
    let mut heading = Rich::default();
    heading.push(&format!("Slide {number}"));
    if let Some(title) = title {
        if flow.writer.document.title.is_empty() {
            let title = extract_core::title::tidy(&title.text);
            flow.writer.document.title = title.unwrap_or_default();
        }
        heading.push_raw(": ");
        heading.append(title);
    }
    flow.writer.part(format!("slide {number}"));
    flow.block(Block::Heading(1, heading));
    for block in blocks {
        flow.block(block);
    }
    let mut notes = notes
        .into_iter()
        .filter(|note| !crate::writer::is_blank(note));
    if let Some(first) = notes.next() {
        let mut rich = Rich::default();
        rich.push("Notes:");
        flow.block(Block::Paragraph(rich));
        flow.block(first);
        for note in notes {
            flow.block(note);
        }
    }
}

/// Whether a paragraph may be a title: one line, and no sentence.
fn is_title(rich: &Rich) -> bool {
    let text = rich.text.trim();
    text.chars().count() <= 80 && !text.contains(['\n', '[']) && !text.ends_with(['.', ':', ','])
}
