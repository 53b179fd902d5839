//! The words in diagrams and charts.

use std::collections::HashMap;

use extract_core::Failure;

use crate::package::{Package, Relations};
use crate::rich::Rich;
use crate::writer::Block;
use crate::xml::{self, Handler, Ns, Step, Tag};

/// More diagrams and charts of one part are left out.
const MOST_DRAWINGS: usize = 2_000;

/// The words of the diagrams and charts of a part, by the id that it refers to
/// them with.
///
/// # Errors
/// Where the file unpacks to too much.
pub(crate) fn of(
    package: &mut Package,
    relations: &Relations,
) -> Result<HashMap<String, Vec<Block>>, Failure> {
    let mut found = HashMap::new();
    let drawings = relations.iter().filter(|(_, relation)| {
        matches!(relation.kind.as_str(), "diagramData" | "chart") && !relation.external
    });
    for (id, relation) in drawings.take(MOST_DRAWINGS) {
        if let Some(text) = package.text(&relation.target)? {
            found.insert(id.clone(), words(&text));
        }
    }
    Ok(found)
}

/// The words of a diagram's or a chart's part, a paragraph each. Names of
/// series and categories count as words, the numbers of a chart do not.
fn words(text: &str) -> Vec<Block> {
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
