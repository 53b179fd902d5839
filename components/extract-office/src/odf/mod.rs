//! OpenDocument files: text, presentations, drawings and spreadsheets, packed
//! or as one XML file.

mod sheet;
mod styles;
mod text;

use extract_core::{Document, Failure, FailureKind};

use crate::flow::Flow;
use crate::package::Package;
use crate::properties::Facts;
use crate::settings::Settings;
use crate::sheets::Sheets;
use crate::writer::{Writer, once};
use crate::xml::{self, Damage, Handler, Ns, Step, Tag};
use styles::Styles;
use text::Body;

/// The parts of a file; those of one XML file are all the same.
struct Parts<'a> {
    content: &'a str,
    styles: &'a str,
    meta: &'a str,
}

/// Reads a packed file.
///
/// # Errors
/// Where it is encrypted, unpacks to too much, or has no content.
pub(crate) fn read(
    package: &mut Package,
    name: &str,
    settings: &Settings,
) -> Result<Document, Failure> {
    let manifest = package.text("META-INF/manifest.xml")?.unwrap_or_default();
    let mut encrypted = false;
    // A damaged manifest says nothing.
    let _ = xml::each(&manifest, |tag| {
        encrypted |= tag.name == "encryption-data";
        Step::Into
    });
    if encrypted {
        return Err(crate::package::encrypted());
    }
    let Some(content) = package.text("content.xml")? else {
        return Err(crate::office::without_main("content.xml"));
    };
    let styles = package.text("styles.xml")?.unwrap_or_default();
    let meta = package.text("meta.xml")?.unwrap_or_default();
    let parts = Parts {
        content: &content,
        styles: &styles,
        meta: &meta,
    };
    document(
        &parts,
        name,
        settings,
        std::mem::take(&mut package.warnings),
    )
}

/// Reads a file that is one XML file.
///
/// # Errors
/// Where it is over the limit.
pub(crate) fn read_flat(text: &str, name: &str, settings: &Settings) -> Result<Document, Failure> {
    let parts = Parts {
        content: text,
        styles: text,
        meta: text,
    };
    document(&parts, name, settings, Vec::new())
}

fn document(
    parts: &Parts<'_>,
    name: &str,
    settings: &Settings,
    warnings: Vec<String>,
) -> Result<Document, Failure> {
    let facts = facts(parts.meta);
    let pages = facts.pages;
    let mut writer = Writer::new(settings.max_text_bytes);
    facts.apply(&mut writer.document);
    writer.document.warnings = warnings;

    let writer = match body_of(parts.content) {
        Some(Sort::Sheets) => {
            let mut reader = sheet::Reader::new(Sheets::new(writer));
            let result = xml::drive(parts.content, &mut reader);
            let mut writer = reader.finish();
            warn_of(&mut writer, result);
            writer
        }
        Some(Sort::Text | Sort::Slides) => {
            let mut styles = Styles::default();
            styles.read(parts.styles);
            if !std::ptr::eq(parts.styles, parts.content) {
                styles.read(parts.content);
            }
            let mut body = Body::new(Flow::new(writer), &styles);
            // Damage in here is told of when the text is read.
            let _ = xml::drive(parts.styles, &mut body.margins());
            let (headers, footers) = body.take_margins();
            for header in once(headers) {
                body.flow.block(header);
            }
            let result = xml::drive(parts.content, &mut body);
            body.flow.close_all();
            for footer in once(footers) {
                body.flow.block(footer);
            }
            let mut writer = body.finish();
            warn_of(&mut writer, result);
            writer
        }
        None => {
            return Err(Failure::new(
                FailureKind::Unsupported,
                "The OpenDocument file holds no text, slides, drawing or sheets.",
            ));
        }
    };
    writer.finish(name, pages)
}

fn warn_of(writer: &mut Writer, result: Result<(), Damage>) {
    if let Err(damage) = result {
        writer.warn(damage.warning("content.xml"));
    }
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Text,
    Slides,
    Sheets,
}

fn body_of(content: &str) -> Option<Sort> {
    let mut in_body = false;
    let mut sort = None;
    // What is damaged after the body began does not matter here.
    let _ = xml::each(content, |tag| {
        match (tag.ns, tag.name) {
            (Ns::Office, "body") => in_body = true,
            (Ns::Office, name) if in_body => {
                sort = sort.or(match name {
                    "text" => Some(Sort::Text),
                    "presentation" | "drawing" => Some(Sort::Slides),
                    "spreadsheet" => Some(Sort::Sheets),
                    _ => None,
                });
                return Step::Skip;
            }
            (Ns::Office, "automatic-styles" | "styles" | "master-styles") => return Step::Skip,
            _ => {}
        }
        Step::Into
    });
    sort
}

fn facts(meta: &str) -> Facts {
    let mut reader = FactsReader::default();
    // Half of it is better than none, and the text is what matters.
    let _ = xml::drive(meta, &mut reader);
    reader.facts
}

#[derive(Default)]
struct FactsReader {
    facts: Facts,
    value: String,
}

impl Handler for FactsReader {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        self.value.clear();
        match (tag.ns, tag.name) {
            (Ns::Office, "body" | "automatic-styles" | "styles" | "master-styles") => Step::Skip,
            (Ns::Meta, "document-statistic") => {
                if let Some(pages) = tag.attr("page-count") {
                    self.facts.add("pages", &pages);
                }
                Step::Into
            }
            _ => Step::Into,
        }
    }

    fn end(&mut self, ns: Ns, name: &str) {
        let value = std::mem::take(&mut self.value);
        let name = match (ns, name) {
            (Ns::Dc, "title") => "title",
            (Ns::Meta, "initial-creator") => "author",
            // Who saved it last counts where nobody began it.
            (Ns::Dc, "creator") if !self.facts.has_author() => "author",
            (Ns::Dc, "subject") => "subject",
            (Ns::Dc, "description") => "description",
            (Ns::Dc, "date") => "modified",
            (Ns::Meta, "creation-date") => "created",
            (Ns::Meta, "keyword") => "keywords",
            _ => return,
        };
        self.facts.add(name, &value);
    }

    fn text(&mut self, text: &str) {
        self.value.push_str(text);
    }
}
