//! XML's events with the lines they stand on.

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// Reads events one by one, tolerant of ends that fit no start.
pub(crate) struct Reader<'a> {
    reader: quick_xml::Reader<&'a [u8]>,
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = quick_xml::Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self {
            reader,
            text,
            at: 0,
            line: 1,
        }
    }

    /// The next event and the line it begins on; the line where the text is
    /// no XML.
    pub(crate) fn next(&mut self) -> Result<(Event<'a>, u32), u32> {
        let here = usize::try_from(self.reader.buffer_position())
            .map_or(self.text.len(), |at| at.min(self.text.len()));
        let passed = &self.text.as_bytes()[self.at.min(here)..here];
        let breaks = passed.iter().filter(|&&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(breaks as u32);
        self.at = here;
        match self.reader.read_event() {
            Ok(event) => Ok((event, self.line)),
            Err(_) => Err(self.line),
        }
    }
}

/// What `&name;` stands for; as written where only the file defines it.
pub(crate) fn entity(name: &BytesRef<'_>) -> String {
    if let Ok(Some(c)) = name.resolve_char_ref() {
        return if c == '\0' {
            String::new()
        } else {
            c.to_string()
        };
    }
    match resolve_xml_entity(name) {
        Some(text) => text.to_owned(),
        None if &**name == "nbsp" => " ".to_owned(),
        None => format!("&{};", &**name),
    }
}

/// Names and values of an element's attributes; broken ones are left out.
pub(crate) fn attributes<'a>(start: &'a BytesStart<'_>) -> impl Iterator<Item = (&'a str, String)> {
    let mut all = start.attributes();
    all.with_checks(false);
    all.flatten().map(|attribute| {
        let value = match attribute.normalized_value(XmlVersion::Implicit1_0) {
            Ok(value) => value.into_owned(),
            Err(_) => attribute.value.to_string(),
        };
        (attribute.key.into_inner(), value)
    })
}

/// The value of the attribute with this name, whatever its namespace.
pub(crate) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    attributes(start)
        .find(|(key, _)| key.rsplit(':').next() == Some(name))
        .map(|(_, value)| value)
}
