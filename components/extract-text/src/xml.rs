//! XML as nested lists, OPML as the outline it is, the words in SVG.
//!
//! Entities that a file defines are never put in, so that none can swell.

mod events;
mod opml;

use extract_core::{Document, Property, title};
use quick_xml::events::Event;

pub(crate) use events::{Reader, attribute, attributes, entity};
pub(crate) use opml::read_outline;

use crate::out::{Out, from_first_line, is_data, one_line};

/// Deeper elements end the reading: no file that a person has goes there.
const MOST_DEPTH: usize = 20_000;
/// Nesting is shown down to this depth.
const DEEPEST: usize = 8;
/// Longer values of attributes are left out, in bytes.
const MOST_ATTRIBUTE: usize = 500;
/// A title stands at most so deep.
const TITLE_DEPTH: usize = 3;

/// Elements that mark words inside a text.
const INLINE: [&str; 12] = [
    "b", "i", "em", "strong", "emph", "emphasis", "hi", "span", "sub", "sup", "u", "tt",
];

/// Reads any XML. What is left out beyond `max_text` bytes is said.
pub(crate) fn read(text: &str, max_text: usize) -> Document {
    walk(text, max_text, false)
}

/// Reads the words in a picture.
pub(crate) fn read_picture(text: &str, max_text: usize) -> Document {
    walk(text, max_text, true)
}

/// An element that is open.
struct Element {
    name: String,
    /// Its attributes for people.
    said: String,
    line: u32,
}

#[derive(Default)]
struct Walk {
    out: Out,
    open: Vec<Element>,
    /// How many of the outermost have been written.
    written: usize,
    /// Number of open elements when a text began, and the text.
    paragraph: Option<(usize, String, u32)>,
    /// Number of open elements when one began that holds no words.
    wordless: Option<usize>,
    picture: bool,
    title: Option<String>,
    lang: Option<String>,
}

fn walk(text: &str, max_text: usize, picture: bool) -> Document {
    let mut walk = Walk {
        out: Out::of(text),
        picture,
        ..Walk::default()
    };
    let mut reader = Reader::new(text);
    let mut warnings = Vec::new();
    loop {
        let (event, line) = match reader.next() {
            Ok(next) => next,
            Err(line) => {
                if line <= 1 && walk.out.text.is_empty() && walk.open.is_empty() {
                    return Document {
                        marks: from_first_line(text),
                        text: text.to_owned(),
                        warnings: vec!["The file is not XML; it was read as text.".to_owned()],
                        ..Document::default()
                    };
                }
                warnings.push(format!(
                    "The XML is damaged at line {line}; what follows was not read."
                ));
                break;
            }
        };
        if walk.out.text.len() > max_text || walk.open.len() > MOST_DEPTH {
            warnings.push(format!(
                "What follows line {line} was left out: there is too much text, or it is nested too deep."
            ));
            break;
        }
        match event {
            Event::Start(start) => walk.start(&start, line),
            Event::Empty(empty) => {
                walk.start(&empty, line);
                walk.end();
            }
            Event::End(_) => walk.end(),
            Event::Text(words) => walk.text(&words, line),
            Event::CData(words) => walk.text(&words, line),
            Event::GeneralRef(name) => walk.text(&entity(&name), line),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    while !walk.open.is_empty() {
        walk.end();
    }
    let mut document = walk.out.finish();
    document.title = walk.title.unwrap_or_default();
    document
        .properties
        .extend(walk.lang.map(|lang| Property::text("lang", lang)));
    document.warnings = warnings;
    document
}

impl Walk {
    fn start(&mut self, start: &quick_xml::events::BytesStart<'_>, line: u32) {
        let name = start.local_name().as_ref().to_owned();
        if self.open.is_empty() {
            self.lang = attribute(start, "lang").filter(|lang| !lang.is_empty());
        }
        let mut said = String::new();
        if self.paragraph.is_none() && self.wordless.is_none() {
            if !self.picture && INLINE.contains(&name.as_str()) && self.open.len() > 1 {
                self.begin(line);
            } else {
                self.flush();
                if !self.picture {
                    said = say(start);
                }
            }
        }
        if matches!(name.as_str(), "script" | "style") && self.wordless.is_none() {
            self.wordless = Some(self.open.len());
        }
        self.open.push(Element { name, said, line });
    }

    /// Begins the text of the innermost element.
    fn begin(&mut self, line: u32) {
        self.paragraph = Some((self.open.len(), String::new(), line));
    }

    fn text(&mut self, words: &str, line: u32) {
        if self.wordless.is_some() || self.open.is_empty() {
            return;
        }
        if self.paragraph.is_none() {
            if words.trim().is_empty() {
                return;
            }
            let before = words.len() - words.trim_start().len();
            let breaks = words[..before].matches('\n').count() as u32;
            self.begin(line + breaks);
        }
        if let Some((_, text, _)) = &mut self.paragraph {
            text.push_str(words);
        }
    }

    fn end(&mut self) {
        let depth = self.open.len();
        if let Some((_, text, line)) = self.paragraph.take_if(|(begun, ..)| *begun == depth) {
            self.write(one_line(&text), line);
        } else if self.paragraph.is_none() {
            self.flush();
        }
        self.open.pop();
        self.written = self.written.min(self.open.len());
        if self.wordless == Some(self.open.len()) {
            self.wordless = None;
        }
        // Pieces of a picture's text are drawn apart.
        if let Some((_, text, _)) = &mut self.paragraph
            && self.picture
        {
            text.push(' ');
        }
    }

    /// Writes the innermost element if it says something by its attributes.
    fn flush(&mut self) {
        let says = self
            .open
            .last()
            .is_some_and(|element| !element.said.is_empty());
        if says && self.written < self.open.len() {
            let line = self.open.last().map_or(1, |element| element.line);
            self.write(String::new(), line);
        }
    }

    /// Writes the innermost element with its text, and those around it that
    /// have not been written.
    fn write(&mut self, text: String, line: u32) {
        let depth = self.open.len();
        if self.title.is_none()
            && depth <= TITLE_DEPTH
            && self
                .open
                .last()
                .is_some_and(|element| element.name == "title")
        {
            self.title = title::tidy(&text);
        }
        let text = if is_data(&text) { String::new() } else { text };
        if self.picture {
            if !text.is_empty() {
                self.out.line(line, &text);
                self.out.blank();
            }
            return;
        }
        for index in self.written..depth {
            let element = &self.open[index];
            let innermost = index + 1 == depth;
            // The root says what the file is, not what is in it.
            if index == 0 && depth > 1 && element.said.is_empty() {
                continue;
            }
            let mut said = "  ".repeat(index.saturating_sub(1).min(DEEPEST));
            said.push_str("- ");
            said.push_str(&element.name);
            said.push_str(&element.said);
            let at = if innermost { line } else { element.line };
            if !innermost {
                said.push(':');
            } else if !text.is_empty() {
                said.push_str(": ");
                said.push_str(&text);
            }
            self.out.line(at, &said);
        }
        self.written = depth;
    }
}

/// ` (name: value, name: value)`, or nothing.
fn say(start: &quick_xml::events::BytesStart<'_>) -> String {
    let mut said = String::new();
    for (name, value) in attributes(start) {
        let technical = name.starts_with("xmlns")
            || name.starts_with("xsi:")
            || name.starts_with("xml:")
            || value.trim().is_empty()
            || value.len() > MOST_ATTRIBUTE
            || is_data(&value);
        if !technical {
            said.push_str(if said.is_empty() { " (" } else { ", " });
            said.push_str(&format!("{name}: {}", one_line(&value)));
        }
    }
    if !said.is_empty() {
        said.push(')');
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_become_lists() {
        let xml = "<?xml version=\"1.0\"?>\n<cat xml:lang=\"en\">\n<cd id=\"1\">\n<title>Empire &amp; <b>Co</b></title>\n<by/>\n</cd>\n<p>One <i>two</i>\nthree &custom;</p>\n<q><em>a</em> b</q></cat>";
        let document = read(xml, 1 << 20);
        assert_eq!(
            document.text,
            "- cd (id: 1)\n  - title: Empire & Co\n- p: One two three &custom;\n- q: a b\n"
        );
        assert_eq!(document.title, "Empire & Co");
        assert_eq!(document.properties, [Property::text("lang", "en")]);
        assert_eq!(document.marks[0], extract_core::Mark::line(0, 3));
    }

    #[test]
    fn entities_do_not_swell() {
        let mut xml = String::from("<!DOCTYPE a [<!ENTITY x0 \"ha\">");
        for n in 1..50 {
            xml.push_str(&format!("<!ENTITY x{n} \"&x{};&x{};\">", n - 1, n - 1));
        }
        xml.push_str("]><a>&x49;</a>");
        assert_eq!(read(&xml, 1 << 20).text, "- a: &x49;\n");
    }

    #[test]
    fn deep_nesting_is_read_or_ended() {
        let deep = |n: usize| format!("{}x{}", "<a>".repeat(n), "</a>".repeat(n));
        assert!(read(&deep(10_000), 1 << 20).text.ends_with("- a: x\n"));
        let document = read(&deep(100_000), 1 << 20);
        assert!(document.warnings[0].contains("nested too deep"));
    }

    #[test]
    fn a_picture_gives_its_words() {
        let svg = "<svg xmlns=\"x\"><style>a{}</style><title>Map</title><path d=\"M0 0\"/><g><text x=\"1\"><tspan>North</tspan><tspan>Sea</tspan></text></g></svg>";
        let document = read_picture(svg, 1 << 20);
        assert_eq!(document.text, "Map\n\nNorth\n\nSea\n");
        assert_eq!(document.title, "Map");
    }

    #[test]
    fn damage_is_said() {
        let document = read("<a>\n<b>text</b>\n<c", 1 << 20);
        assert_eq!(document.text, "- b: text\n");
        assert!(
            document.warnings[0].contains("line 3"),
            "{:?}",
            document.warnings
        );
        assert_eq!(read("no xml < at all", 1 << 20).text, "no xml < at all");
    }
}
