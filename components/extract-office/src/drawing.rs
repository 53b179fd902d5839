//! The words in diagrams and charts.

use crate::rich::Rich;
use crate::writer::Block;
use crate::xml::{self, Handler, Ns, Step, Tag};

/// The words of a diagram's or a chart's part, a paragraph each. Names of
/// series and categories count as words, the numbers of a chart do not.
pub(crate) fn words(text: &str) -> Vec<Block> {
    let mut words = Words::default();
    // Half a diagram is as good as it gets.
    let _ = xml::drive(text, &mut words);
    words.blocks
}

#[derive(Default)]
struct Words {
    blocks: Vec<Block>,
    rich: Rich,
    takes: bool,
}

impl Handler for Words {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match (tag.ns, tag.name) {
            (Ns::Chart, "numCache" | "numLit") => return Step::Skip,
            (Ns::Drawing, "t") | (Ns::Chart, "v") => self.takes = true,
            (Ns::Drawing, "br") => self.rich.space(),
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, ns: Ns, name: &str) {
        match (ns, name) {
            (Ns::Drawing, "t") => self.takes = false,
            (Ns::Drawing, "p") | (Ns::Chart, "v") => {
                self.takes = false;
                let mut rich = std::mem::take(&mut self.rich);
                rich.finish();
                let repeats =
                    |last: &Block| matches!(last, Block::Paragraph(last) if *last == rich);
                if !rich.is_blank() && !self.blocks.last().is_some_and(repeats) {
                    self.blocks.push(Block::Paragraph(rich));
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.takes {
            self.rich.push(text);
        }
    }
}
