//! PowerPoint presentations.

mod slide;

use std::collections::{HashMap, HashSet};

use extract_core::{Document, Failure};

use crate::drawing;
use crate::flow::Flow;
use crate::office;
use crate::package::{Package, Relations, targets};
use crate::rich::Rich;
use crate::settings::Settings;
use crate::slides;
use crate::writer::{Block, Writer};
use crate::xml::{self, Handler, Ns, Step, Tag};
use slide::Slide;

/// Reads a presentation whose list of slides is in the part `main`.
///
/// # Errors
/// Where the file unpacks to too much, or has no list of slides.
pub(crate) fn read(
    package: &mut Package,
    main: &str,
    name: &str,
    settings: &Settings,
) -> Result<Document, Failure> {
    let relations = package.relations(main)?;
    let Some(text) = package.text(main)? else {
        return Err(office::without_main(main));
    };
    let mut slides = Vec::new();
    let listed = xml::each(&text, |tag| {
        if tag.ns == Ns::Slides && tag.name == "sldId" {
            let relation = tag.relation("id").and_then(|id| relations.get(&*id));
            slides.extend(relation.map(|relation| relation.target.clone()));
        }
        Step::Into
    });
    let mut authors = HashMap::new();
    for part in targets(&relations, &["commentAuthors", "authors"]) {
        if let Some(text) = package.text(&part)? {
            // A comment without its author is still a comment.
            let _ = xml::each(&text, |tag| {
                if let (Some(id), Some(name)) = (tag.attr("id"), tag.attr("name")) {
                    authors.insert(id.into_owned(), name.into_owned());
                }
                Step::Into
            });
        }
    }
    let facts = office::facts(package)?;
    let mut writer = Writer::new(settings.max_text_bytes);
    facts.apply(&mut writer.document);
    if let Err(damage) = listed {
        writer.warn(damage.warning(main));
    }

    let mut flow = Flow::new(writer);
    let mut seen = HashSet::new();
    for (part, number) in slides.iter().zip(1..) {
        if flow.writer.full() {
            break;
        }
        if !seen.insert(part) {
            continue;
        }
        let (read, relations) = read_slide(package, part, &mut flow)?;
        let Some((title, mut blocks)) = read else {
            flow.writer
                .warn(format!("Slide {number} is missing from the file."));
            continue;
        };
        let mut notes = Vec::new();
        for part in targets(&relations, &["notesSlide"]) {
            if let (Some((_, found)), _) = read_slide(package, &part, &mut flow)? {
                notes.extend(found);
            }
        }
        for part in targets(&relations, &["comments"]) {
            blocks.extend(comments(package, &part, &authors)?);
        }
        slides::write(&mut flow, number, title, blocks, notes);
    }
    let mut writer = flow.finish();
    writer.document.warnings.append(&mut package.warnings);
    writer.finish(name, None)
}

/// The title and the blocks of a slide.
type Content = (Option<Rich>, Vec<Block>);

fn read_slide(
    package: &mut Package,
    part: &str,
    flow: &mut Flow,
) -> Result<(Option<Content>, Relations), Failure> {
    let relations = package.relations(part)?;
    let Some(text) = package.text(part)? else {
        return Ok((None, relations));
    };
    let drawings = drawing::of(package, &relations)?;
    flow.open_frame();
    let mut slide = Slide::new(flow, &relations, drawings);
    let read = xml::drive(&text, &mut slide);
    let title = slide.finish();
    let blocks = flow.close_all_frames();
    if let Err(damage) = read {
        flow.writer.warn(damage.warning(part));
    }
    Ok((Some((title, blocks)), relations))
}

/// The comments in a part.
fn comments(
    package: &mut Package,
    part: &str,
    authors: &HashMap<String, String>,
) -> Result<Vec<Block>, Failure> {
    let Some(text) = package.text(part)? else {
        return Ok(Vec::new());
    };
    let mut comments = Comments {
        authors,
        blocks: Vec::new(),
        current: Vec::new(),
        takes: false,
    };
    if let Err(damage) = xml::drive(&text, &mut comments) {
        package.warnings.push(damage.warning(part));
    }
    Ok(comments.blocks)
}

/// Reads the comments on a slide, of both sorts.
struct Comments<'a> {
    authors: &'a HashMap<String, String>,
    blocks: Vec<Block>,
    /// A reply stands in what it replies to.
    current: Vec<(Option<String>, Rich)>,
    takes: bool,
}

impl Handler for Comments<'_> {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match tag.name {
            "cm" | "reply" => {
                let author = tag
                    .attr("authorId")
                    .and_then(|id| self.authors.get(&*id).cloned());
                self.current.push((author, Rich::default()));
            }
            "text" | "t" => self.takes = true,
            "p" => {
                if let Some((_, rich)) = self.current.last_mut() {
                    rich.space();
                }
            }
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, _: Ns, name: &str) {
        match name {
            "text" | "t" => self.takes = false,
            "cm" | "reply" => {
                let Some((author, text)) = self.current.pop() else {
                    return;
                };
                let mut rich = Rich::default();
                match author {
                    Some(author) => rich.push(&format!("Comment by {author}: ")),
                    None => rich.push("Comment: "),
                }
                if !text.is_blank() {
                    rich.append(text);
                    self.blocks.push(Block::Paragraph(rich));
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let (true, Some((_, rich))) = (self.takes, self.current.last_mut()) {
            rich.push(text);
        }
    }
}
