//! Which format a file has: what the user says, then what its name says, then
//! what it looks like.

use extract_core::Input;

use crate::languages;
use crate::settings::Format;
use crate::subtitles::How;

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    /// In a language by its name after a code fence.
    Code(&'static str),
    /// With what stands between the cells, where it is known.
    Table(Option<u8>),
    Json,
    Notebook,
    Xml,
    Svg,
    Opml,
    Org,
    Rst,
    AsciiDoc,
    Tex,
    Subtitles(How),
}

/// Bytes looked at to tell a format.
const HEAD: usize = 4096;

pub(crate) fn tell(format: Format, input: &Input<'_>, text: &str) -> Kind {
    let head = &text[..text.floor_char_boundary(HEAD)];
    match format {
        Format::Auto => auto(input, head, text),
        Format::Text => Kind::Plain,
        Format::Code => Kind::Code(languages::of(input.name, head).unwrap_or("")),
        Format::Csv => Kind::Table(None),
        Format::Tsv => Kind::Table(Some(b'\t')),
        Format::Json => Kind::Json,
        Format::Notebook => Kind::Notebook,
        Format::Xml => Kind::Xml,
        Format::Opml => Kind::Opml,
        Format::Org => Kind::Org,
        Format::Rst => Kind::Rst,
        Format::AsciiDoc => Kind::AsciiDoc,
        Format::Latex => Kind::Tex,
        Format::Subtitles => Kind::Subtitles(How::of(&input.extension(), head).unwrap_or(How::Srt)),
    }
}

fn auto(input: &Input<'_>, head: &str, text: &str) -> Kind {
    let extension = input.extension();
    if let Some(how) = How::of(&extension, head) {
        return Kind::Subtitles(how);
    }
    by_extension(&extension, head)
        .or_else(|| by_media_type(input.media_type?))
        .or_else(|| languages::of(input.name, head).map(Kind::Code))
        .or_else(|| by_look(&extension, head, text))
        .unwrap_or(Kind::Plain)
}

fn by_extension(extension: &str, head: &str) -> Option<Kind> {
    Some(match extension {
        "csv" => Kind::Table(None),
        "tsv" | "tab" => Kind::Table(Some(b'\t')),
        "psv" => Kind::Table(Some(b'|')),
        "json" | "jsonl" | "ndjson" | "geojson" | "topojson" | "jsonc" | "json5" | "jsonld"
        | "webmanifest" | "har" | "json3" | "excalidraw" | "canvas" => Kind::Json,
        "ipynb" => Kind::Notebook,
        "svg" => Kind::Svg,
        "opml" => Kind::Opml,
        "xml" | "rss" | "atom" | "rdf" | "kml" | "gpx" | "plist" | "xsd" | "xsl" | "xslt"
        | "wsdl" | "docbook" | "dbk" | "tei" | "enex" | "xliff" | "xlf" | "tmx" | "fb2"
        | "musicxml" | "mml" | "srv1" | "srv2" | "srv3" | "ttml" | "dfxp" => xml(head),
        "org" => Kind::Org,
        "rst" | "rest" => Kind::Rst,
        "adoc" | "asciidoc" | "asc" if !head.starts_with("-----BEGIN PGP") => Kind::AsciiDoc,
        "tex" | "ltx" | "latex" => Kind::Tex,
        "txt" | "text" | "log" => Kind::Plain,
        _ => return None,
    })
}

fn by_media_type(media_type: &str) -> Option<Kind> {
    let essence = media_type.split(';').next()?.trim().to_ascii_lowercase();
    Some(match essence.as_str() {
        "text/csv" => Kind::Table(None),
        "text/tab-separated-values" => Kind::Table(Some(b'\t')),
        "application/json"
        | "application/x-ndjson"
        | "application/geo+json"
        | "application/ld+json" => Kind::Json,
        "application/x-ipynb+json" => Kind::Notebook,
        "application/xml" | "text/xml" | "application/rss+xml" | "application/atom+xml" => {
            Kind::Xml
        }
        "image/svg+xml" => Kind::Svg,
        "text/x-opml" => Kind::Opml,
        "text/x-org" | "text/org" => Kind::Org,
        "text/x-rst" | "text/prs.fallenstein.rst" => Kind::Rst,
        "text/asciidoc" | "text/x-asciidoc" => Kind::AsciiDoc,
        "text/x-tex" | "application/x-tex" | "application/x-latex" => Kind::Tex,
        _ => return None,
    })
}

/// XML by its first element.
fn xml(head: &str) -> Kind {
    if head.contains("<opml") {
        Kind::Opml
    } else if head.contains("<svg") {
        Kind::Svg
    } else {
        Kind::Xml
    }
}

fn by_look(extension: &str, head: &str, text: &str) -> Option<Kind> {
    let start = head.trim_start();
    if start.starts_with("<?xml") {
        return Some(xml(head));
    }
    let end = text.trim_end();
    let braced = (start.starts_with('{') && end.ends_with('}'))
        || (start.starts_with('[') && end.ends_with(']'));
    if extension.is_empty() && braced && start.contains('"') {
        return Some(Kind::Json);
    }
    None
}
