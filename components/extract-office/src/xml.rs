//! XML as calls on a handler: starts, ends and text, with namespaces told
//! apart, alternatives chosen, and hostile input held in bounds.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

/// Elements nested deeper than this are left out; the deepest of honest files
/// has some tens.
const MOST_DEPTH: usize = 2_000;

/// The namespaces that matter, transitional and strict alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ns {
    /// WordprocessingML.
    Word,
    /// SpreadsheetML.
    Sheet,
    /// PresentationML.
    Slides,
    /// DrawingML.
    Drawing,
    /// Charts.
    Chart,
    /// Diagrams (SmartArt).
    Diagram,
    /// The frame of a drawing in a Word text.
    WordDrawing,
    /// Shapes of a Word text.
    WordShape,
    /// The older drawing language.
    Vml,
    /// Office's formulas.
    Math,
    /// Markup compatibility: alternatives.
    Compatibility,
    /// Relationships of parts.
    Relations,
    /// Properties of Office files.
    Properties,
    /// OpenDocument: the frame.
    Office,
    /// OpenDocument: text.
    Text,
    /// OpenDocument: tables.
    Table,
    /// OpenDocument: drawings.
    Draw,
    /// OpenDocument: styles.
    Style,
    /// OpenDocument: presentations.
    Presentation,
    /// OpenDocument: what SVG says.
    Svg,
    /// OpenDocument: metadata.
    Meta,
    /// Dublin Core, elements and terms.
    Dc,
    /// OPF, the package of an EPUB.
    Opf,
    /// Any other, or none.
    Other,
}

fn namespace(uri: &str) -> Ns {
    const ODF: &str = "urn:oasis:names:tc:opendocument:xmlns:";
    if let Some(rest) = uri.strip_prefix(ODF) {
        return match rest {
            "office:1.0" => Ns::Office,
            "text:1.0" => Ns::Text,
            "table:1.0" => Ns::Table,
            "drawing:1.0" => Ns::Draw,
            "style:1.0" => Ns::Style,
            "presentation:1.0" => Ns::Presentation,
            "svg-compatible:1.0" => Ns::Svg,
            "meta:1.0" => Ns::Meta,
            _ => Ns::Other,
        };
    }
    let name = uri
        .strip_prefix("http://schemas.openxmlformats.org/")
        .or_else(|| uri.strip_prefix("http://purl.oclc.org/ooxml/"));
    match name {
        Some("wordprocessingml/2006/main" | "wordprocessingml/main") => Ns::Word,
        Some("spreadsheetml/2006/main" | "spreadsheetml/main") => Ns::Sheet,
        Some("presentationml/2006/main" | "presentationml/main") => Ns::Slides,
        Some("drawingml/2006/main" | "drawingml/main") => Ns::Drawing,
        Some("drawingml/2006/chart" | "drawingml/chart") => Ns::Chart,
        Some("drawingml/2006/diagram" | "drawingml/diagram") => Ns::Diagram,
        Some("drawingml/2006/wordprocessingDrawing" | "drawingml/wordprocessingDrawing") => {
            Ns::WordDrawing
        }
        Some("officeDocument/2006/math" | "officeDocument/math") => Ns::Math,
        Some("markup-compatibility/2006") => Ns::Compatibility,
        Some("package/2006/relationships") => Ns::Relations,
        Some(
            "package/2006/metadata/core-properties"
            | "officeDocument/2006/extended-properties"
            | "officeDocument/extendedProperties",
        ) => Ns::Properties,
        Some(_) => Ns::Other,
        None => match uri {
            "http://schemas.microsoft.com/office/word/2010/wordprocessingShape" => Ns::WordShape,
            "urn:schemas-microsoft-com:vml" => Ns::Vml,
            "http://purl.org/dc/elements/1.1/" | "http://purl.org/dc/terms/" => Ns::Dc,
            "http://www.idpf.org/2007/opf" => Ns::Opf,
            _ => Ns::Other,
        },
    }
}

/// A start tag.
pub(crate) struct Tag<'a> {
    pub(crate) ns: Ns,
    /// Without prefix.
    pub(crate) name: &'a str,
    start: &'a BytesStart<'a>,
}

impl Tag<'_> {
    /// The attribute of this name, whatever its prefix.
    pub(crate) fn attr(&self, name: &str) -> Option<Cow<'_, str>> {
        self.find(|_, local| local == name)
    }

    /// The attribute that names a relationship: it always has a prefix, which
    /// tells `r:id` from a plain `id`.
    pub(crate) fn relation(&self, name: &str) -> Option<Cow<'_, str>> {
        self.find(|prefix, local| local == name && !prefix.is_empty())
    }

    fn find(&self, is: impl Fn(&str, &str) -> bool) -> Option<Cow<'_, str>> {
        for attribute in self.start.attributes().with_checks(false) {
            let attribute = attribute.ok()?;
            let (prefix, local) = match attribute.key.0.split_once(':') {
                Some((prefix, local)) => (prefix, local),
                None => ("", attribute.key.0),
            };
            if prefix != "xmlns" && is(prefix, local) {
                let known = attribute.normalized_value(XmlVersion::Implicit1_0);
                // A value with an unknown entity is taken as written.
                return Some(known.unwrap_or(attribute.value));
            }
        }
        None
    }

    /// Whether a toggle such as `<w:vanish/>` is on: it is unless its value
    /// says no.
    pub(crate) fn is_on(&self) -> bool {
        !matches!(
            self.attr("val").as_deref(),
            Some("false" | "0" | "off" | "none")
        )
    }

    /// The attribute as a number; nothing where it is none.
    pub(crate) fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.attr(name)?.trim().parse().ok()
    }
}

/// Whether an element is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// What is in it comes next, then its end.
    Into,
    /// Neither what is in it nor its end comes.
    Skip,
}

impl Step {
    /// Into the element where what it begins has a place.
    pub(crate) fn into_if(fits: bool) -> Self {
        if fits { Self::Into } else { Self::Skip }
    }
}

/// What is done with what is read.
pub(crate) trait Handler {
    /// An element starts.
    fn start(&mut self, tag: &Tag<'_>) -> Step;
    /// An element that was looked into ends.
    fn end(&mut self, ns: Ns, name: &str);
    /// Text of the element that is open. Comes in pieces.
    fn text(&mut self, text: &str);
    /// Whether nothing more is wanted.
    fn full(&self) -> bool {
        false
    }
}

/// Why reading stopped before the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Where, in bytes.
    pub(crate) at: u64,
    /// Whether it is sound, but nested too deep.
    pub(crate) deep: bool,
}

impl Damage {
    /// A sentence for a person.
    pub(crate) fn warning(&self, part: &str) -> String {
        let at = self.at;
        if self.deep {
            return format!(
                "The part {part} is nested over {MOST_DEPTH} deep from byte {at} on; what comes after was left out."
            );
        }
        format!("The part {part} is damaged at byte {at}; what comes after was left out.")
    }
}

/// Text of a part: UTF-8, or UTF-16 where it says so. What is damaged is
/// replaced: the words around it count.
pub(crate) fn decode(bytes: Vec<u8>) -> String {
    let (encoding, mark) = match encoding_rs::Encoding::for_bom(&bytes) {
        Some((encoding, mark)) => (encoding, mark),
        None if bytes.starts_with(b"<\0") => (encoding_rs::UTF_16LE, 0),
        None if bytes.starts_with(b"\0<") => (encoding_rs::UTF_16BE, 0),
        None => (declared(&bytes), 0),
    };
    if encoding == encoding_rs::UTF_8 && mark == 0 {
        return String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    }
    let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
    text.into_owned()
}

/// What the XML declaration says.
fn declared(bytes: &[u8]) -> &'static encoding_rs::Encoding {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    let label = || {
        let declaration = head.strip_prefix("<?xml")?.split_once("?>")?.0;
        let value = declaration.split_once("encoding")?.1.trim_start();
        let value = value.strip_prefix('=')?.trim_start();
        let label = value.split(['"', '\'']).nth(1)?;
        encoding_rs::Encoding::for_label(label.as_bytes())
    };
    match label() {
        // It says so, in bytes that are no UTF-16.
        Some(encoding)
            if encoding != encoding_rs::UTF_16LE && encoding != encoding_rs::UTF_16BE =>
        {
            encoding
        }
        _ => encoding_rs::UTF_8,
    }
}

/// Reads a part through a handler.
///
/// # Errors
/// [`Damage`] where the XML is broken or nested too deep; what comes before it
/// has been handled.
pub(crate) fn drive(text: &str, handler: &mut impl Handler) -> Result<(), Damage> {
    let mut reader = NsReader::from_str(text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.allow_dangling_amp = true;
    // Some writers declare dozens of namespaces on one element.
    reader.resolver_mut().set_max_namespace_bindings(1_000);
    // Depth at which a left-out element began.
    let mut skipped: Option<usize> = None;
    let mut depth = 0usize;
    // For each open AlternateContent its depth, and whether one was taken.
    let mut alternatives: Vec<(usize, bool)> = Vec::new();
    loop {
        if handler.full() {
            return Ok(());
        }
        let at = reader.buffer_position();
        let Ok((resolved, event)) = reader.read_resolved_event() else {
            return Err(Damage { at, deep: false });
        };
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > MOST_DEPTH {
                    return Err(Damage { at, deep: true });
                }
                if skipped.is_some() {
                    continue;
                }
                let tag = Tag {
                    ns: known(&resolved),
                    name: start.local_name().into_inner(),
                    start: &start,
                };
                let step = if tag.ns == Ns::Compatibility {
                    choose(&tag, depth, &mut alternatives)
                } else {
                    handler.start(&tag)
                };
                if step == Step::Skip {
                    skipped = Some(depth);
                }
            }
            Event::End(end) => {
                if skipped.is_none() {
                    let ns = known(&resolved);
                    if ns != Ns::Compatibility {
                        handler.end(ns, end.local_name().into_inner());
                    } else if alternatives.last().is_some_and(|last| last.0 == depth) {
                        alternatives.pop();
                    }
                } else if skipped == Some(depth) {
                    skipped = None;
                }
                depth = depth.saturating_sub(1);
            }
            _ if skipped.is_some() && !matches!(event, Event::Eof) => {}
            Event::Text(text) => handler.text(&text.xml10_content()),
            Event::CData(text) => handler.text(&text.xml10_content()),
            Event::GeneralRef(entity) => match entity.resolve_char_ref() {
                Ok(Some(c)) => handler.text(c.encode_utf8(&mut [0; 4])),
                // Entities that the file defines itself are never expanded.
                _ => handler.text(resolve_predefined_entity(&entity).unwrap_or_default()),
            },
            Event::Eof if depth > 0 => return Err(Damage { at, deep: false }),
            Event::Eof => return Ok(()),
            Event::Empty(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
}

fn known(resolved: &ResolveResult<'_>) -> Ns {
    match resolved {
        ResolveResult::Bound(bound) => namespace(bound.0),
        _ => Ns::Other,
    }
}

/// Takes one of alternatives: the first choice, which holds what the fallback
/// says again in an older way.
fn choose(tag: &Tag<'_>, depth: usize, alternatives: &mut Vec<(usize, bool)>) -> Step {
    match tag.name {
        "AlternateContent" => {
            alternatives.push((depth, false));
            Step::Into
        }
        "Choice" | "Fallback" => match alternatives.last_mut() {
            Some((_, taken @ false)) => {
                *taken = true;
                Step::Into
            }
            _ => Step::Skip,
        },
        _ => Step::Skip,
    }
}

/// Calls `on` for each start tag.
///
/// # Errors
/// As [`drive`].
pub(crate) fn each(text: &str, on: impl FnMut(&Tag<'_>) -> Step) -> Result<(), Damage> {
    struct Each<F>(F);
    impl<F: FnMut(&Tag<'_>) -> Step> Handler for Each<F> {
        fn start(&mut self, tag: &Tag<'_>) -> Step {
            (self.0)(tag)
        }
        fn end(&mut self, _: Ns, _: &str) {}
        fn text(&mut self, _: &str) {}
    }
    drive(text, &mut Each(on))
}

#[cfg(test)]
mod tests;
