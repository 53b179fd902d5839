//! Word documents.

mod body;
mod fields;
mod numbering;
mod styles;
mod symbols;

use extract_core::{Document, Failure};

use crate::drawing;
use crate::flow::Flow;
use crate::office;
use crate::package::{Package, targets};
use crate::settings::Settings;
use crate::writer::{Block, Writer, once};
use crate::xml;
use body::{Body, Note};
pub(crate) use fields::{counts_pages, link};
use numbering::Numbering;
use styles::Styles;

/// Reads a Word document whose text is in the part `main`.
///
/// # Errors
/// Where the file unpacks to too much, or has no text part.
pub(crate) fn read(
    package: &mut Package,
    main: &str,
    name: &str,
    settings: &Settings,
) -> Result<Document, Failure> {
    let relations = package.relations(main)?;
    let of_kind = |kind: &str| targets(&relations, &[kind]);
    let Some(text) = package.text(main)? else {
        return Err(office::without_main(main));
    };
    let styles = match of_kind("styles").first() {
        Some(part) => part_of(package, part, Styles::read)?,
        None => Styles::default(),
    };
    let numbering = match of_kind("numbering").first() {
        Some(part) => part_of(package, part, Numbering::read)?,
        None => Numbering::default(),
    };
    let facts = office::facts(package)?;
    let pages = facts.pages;
    let mut writer = Writer::new(settings.max_text_bytes);
    facts.apply(&mut writer.document);

    let mut body = Body::new(Flow::new(writer), &styles, numbering);
    body.drawings = drawing::of(package, &relations)?;
    for (kind, note) in [
        ("footnotes", Note::Footnote),
        ("endnotes", Note::Endnote),
        ("comments", Note::Comment),
    ] {
        for part in of_kind(kind) {
            body.note_kind = note;
            read_part(package, &mut body, &part)?;
        }
    }
    body.in_margins = true;
    let headers = margins(package, &mut body, &of_kind("header"))?;
    let footers = margins(package, &mut body, &of_kind("footer"))?;
    body.in_margins = false;
    for header in headers {
        body.flow.block(header);
    }
    body.begin(relations.clone());
    if let Err(damage) = xml::drive(&text, &mut body) {
        body.flow.writer.warn(damage.warning(main));
    }
    body.end_margins(footers);
    if !of_kind("aFChunk").is_empty() {
        body.flow
            .writer
            .warn("Documents that are embedded in this one were left out.");
    }
    let mut writer = body.finish();
    writer.document.warnings.append(&mut package.warnings);
    writer.finish(name, pages)
}

/// What a reader makes of a part.
fn part_of<T: Default>(
    package: &mut Package,
    part: &str,
    read: impl Fn(&str) -> (T, Option<xml::Damage>),
) -> Result<T, Failure> {
    let Some(text) = package.text(part)? else {
        return Ok(T::default());
    };
    let (found, damage) = read(&text);
    if let Some(damage) = damage {
        package.warnings.push(damage.warning(part));
    }
    Ok(found)
}

/// Reads notes into the body's stock of them.
fn read_part(package: &mut Package, body: &mut Body<'_>, part: &str) -> Result<(), Failure> {
    let Some(text) = package.text(part)? else {
        return Ok(());
    };
    body.begin(package.relations(part)?);
    if let Err(damage) = xml::drive(&text, body) {
        package.warnings.push(damage.warning(part));
    }
    Ok(())
}

/// What headers or footers say.
fn margins(
    package: &mut Package,
    body: &mut Body<'_>,
    parts: &[String],
) -> Result<Vec<Block>, Failure> {
    let mut found = Vec::new();
    for part in parts {
        body.flow.open_frame();
        let read = read_part(package, body, part);
        found.push(body.flow.close_all_frames());
        read?;
    }
    Ok(once(found))
}
