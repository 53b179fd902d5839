//! The metadata stream (XMP), which newer files have in place of, or beside,
//! the document information. The few values needed are sought by their
//! elements; what is no well-formed XML yields nothing.

use extract_core::title;
use hayro_syntax::object::{Dict, Stream};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

/// Longer streams are not metadata of a document.
const MOST_BYTES: usize = 4 << 20;

/// What is taken from it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Xmp {
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) created: Option<String>,
    pub(crate) modified: Option<String>,
}

impl Xmp {
    pub(crate) fn of(catalog: Option<&Dict<'_>>) -> Self {
        catalog
            .and_then(|catalog| catalog.get::<Stream<'_>>("Metadata"))
            .and_then(|stream| Some(stream.decoded_data().ok()?.into_owned()))
            .filter(|bytes| bytes.len() <= MOST_BYTES)
            .map(|bytes| Self::parse(&String::from_utf8_lossy(&bytes)))
            .unwrap_or_default()
    }

    fn parse(xml: &str) -> Self {
        Self {
            title: item(xml, "dc:title"),
            author: item(xml, "dc:creator"),
            created: value(xml, "xmp:CreateDate"),
            modified: value(xml, "xmp:ModifyDate"),
        }
    }
}

/// A date and time, or the begin of one, in milliseconds since 1970.
pub(crate) fn timestamp(written: &str) -> Option<i64> {
    let written = written.trim();
    if let Ok(at) = written.parse::<Timestamp>() {
        return Some(at.as_millisecond());
    }
    let local = written
        .parse::<DateTime>()
        .or_else(|_| written.parse::<Date>().map(|date| date.at(0, 0, 0, 0)))
        .ok()?;
    Some(Offset::UTC.to_timestamp(local).ok()?.as_millisecond())
}

/// The content of the first list item in an element, or of all of them.
fn item(xml: &str, name: &str) -> Option<String> {
    let inside = element(xml, name)?;
    let mut items = Vec::new();
    let mut rest = inside;
    while let Some(at) = rest.find("<rdf:li") {
        let from = at + rest[at..].find('>')? + 1;
        let length = rest[from..].find("</rdf:li>")?;
        items.extend(title::tidy(&unescape(&rest[from..from + length])));
        rest = &rest[from + length..];
        // A title has an item for each language.
        if name == "dc:title" && !items.is_empty() {
            break;
        }
    }
    title::tidy(&items.join(", "))
}

/// The content of an element, or the attribute of that name.
fn value(xml: &str, name: &str) -> Option<String> {
    if let Some(inside) = element(xml, name) {
        return title::tidy(&unescape(inside));
    }
    let attribute = format!("{name}=");
    let after = &xml[xml.find(&attribute)? + attribute.len()..];
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = after[1..].split(quote).next()?;
    title::tidy(&unescape(inside))
}

fn element<'x>(xml: &'x str, name: &str) -> Option<&'x str> {
    let open = format!("<{name}>");
    let from = xml.find(&open)? + open.len();
    let length = xml[from..].find(&format!("</{name}>"))?;
    Some(&xml[from..from + length])
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let sign = end.and_then(|end| match &rest[1..end] {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            code => {
                let code = code.strip_prefix('#')?;
                let number = match code.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => code.parse().ok()?,
                };
                char::from_u32(number)
            }
        });
        match (end, sign) {
            (Some(end), Some(sign)) => {
                out.push(sign);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_in_elements_and_attributes() {
        let xmp = Xmp::parse(
            r#"<x:xmpmeta><rdf:Description xmp:CreateDate="2020-01-02T03:04:05Z">
            <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Cats &amp; &#x64;ogs</rdf:li>
            <rdf:li xml:lang="de">Katzen</rdf:li></rdf:Alt></dc:title>
            <dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B &unknown; C</rdf:li></rdf:Seq></dc:creator>
            <xmp:ModifyDate>2021</xmp:ModifyDate></rdf:Description>"#,
        );
        assert_eq!(xmp.title.as_deref(), Some("Cats & dogs"));
        assert_eq!(xmp.author.as_deref(), Some("A, B &unknown; C"));
        assert_eq!(xmp.created.as_deref(), Some("2020-01-02T03:04:05Z"));
        assert_eq!(xmp.modified.as_deref(), Some("2021"));
        assert_eq!(Xmp::parse("<dc:title><rdf:li"), Xmp::default());
    }

    #[test]
    fn dates_have_a_zone_or_count_as_utc() {
        assert_eq!(timestamp("1970-01-01T01:00:01+01:00"), Some(1000));
        assert_eq!(timestamp("1970-01-01T00:00:02"), Some(2000));
        assert_eq!(timestamp("1970-01-02"), Some(86_400_000));
        assert_eq!(timestamp("soon"), None);
    }
}
