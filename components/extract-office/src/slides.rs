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
    let mut heading = Rich::default();
    heading.push(&format!("Slide {number}"));
    if let Some(title) = title.filter(|title| !title.is_blank()) {
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
