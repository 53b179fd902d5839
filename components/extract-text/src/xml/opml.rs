//! Outlines: OPML as nested lists.

use extract_core::{Document, Property, title};
use quick_xml::events::{BytesStart, Event};

use super::{MOST_DEPTH, Reader, attribute, entity};
use crate::dates;
use crate::out::{Inline, Out, add_tag, link, one_line};

/// Nesting is shown down to this depth.
const DEEPEST: usize = 12;

/// Reads an outline.
pub(crate) fn read_outline(text: &str) -> Document {
    let mut reader = Reader::new(text);
    let mut out = Out::of(text);
    let mut depth = 0usize;
    let mut head: Option<(String, String)> = None;
    let mut about = Document::default();
    loop {
        let (event, line) = match reader.next() {
            Ok(next) => next,
            Err(line) => {
                about.warnings.push(format!(
                    "The outline is damaged at line {line}; what follows was not read."
                ));
                break;
            }
        };
        if depth > MOST_DEPTH {
            about.warnings.push(format!(
                "The outline is nested too deep at line {line}; what follows was not read."
            ));
            break;
        }
        match event {
            Event::Start(start) if start.local_name().as_ref() == "outline" => {
                item(&mut out, &start, depth, line, &mut about.tags);
                depth += 1;
            }
            Event::Empty(start) if start.local_name().as_ref() == "outline" => {
                item(&mut out, &start, depth, line, &mut about.tags);
            }
            Event::End(end) if end.local_name().as_ref() == "outline" => {
                depth = depth.saturating_sub(1);
            }
            Event::Start(start) => {
                head = Some((start.local_name().as_ref().to_owned(), String::new()));
            }
            Event::End(_) => {
                if let Some((name, value)) = head.take() {
                    tell(&mut about, &name, value.trim());
                }
            }
            Event::Text(words) => head
                .iter_mut()
                .for_each(|(_, value)| value.push_str(&words)),
            Event::CData(words) => head
                .iter_mut()
                .for_each(|(_, value)| value.push_str(&words)),
            Event::GeneralRef(name) => {
                let text = entity(&name);
                head.iter_mut().for_each(|(_, value)| value.push_str(&text));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let written = out.finish();
    Document {
        text: written.text,
        marks: written.marks,
        links: written.links,
        ..about
    }
}

/// What the head says of the outline.
fn tell(about: &mut Document, name: &str, value: &str) {
    let date = |name| dates::parse(value).map(|at| Property::timestamp(name, at));
    match name {
        "title" => about.title = title::tidy(value).unwrap_or_default(),
        "ownerName" if !value.is_empty() => about.properties.push(Property::text("author", value)),
        "dateCreated" => about.properties.extend(date("created")),
        "dateModified" => about.properties.extend(date("modified")),
        _ => {}
    }
}

fn item(out: &mut Out, start: &BytesStart<'_>, depth: usize, line: u32, tags: &mut Vec<String>) {
    let get = |name| {
        attribute(start, name)
            .map(|value| one_line(&value))
            .filter(|value| !value.is_empty())
    };
    let label = get("text").or_else(|| get("title")).unwrap_or_default();
    let page = get("htmlUrl").or_else(|| get("url"));
    let feed = get("xmlUrl");
    for tag in get("category").unwrap_or_default().split(',') {
        add_tag(tags, tag.trim().trim_start_matches('/'));
    }
    let mut inline = Inline::default();
    let indent = "  ".repeat(depth.min(DEEPEST));
    inline.text.push_str(&indent);
    inline.text.push_str("- ");
    match get("_status").as_deref() {
        Some("checked") => inline.text.push_str("[x] "),
        Some("unchecked") => inline.text.push_str("[ ] "),
        _ => {}
    }
    match page.as_ref().or(feed.as_ref()) {
        Some(target) => inline.push_link(link(&label, target)),
        None => inline.text.push_str(&label),
    }
    if let (Some(_), Some(feed)) = (&page, &feed) {
        inline.text.push(' ');
        inline.push_link(link("feed", feed));
    }
    if let Some(about) = get("description").filter(|about| *about != label) {
        inline.text.push_str(": ");
        inline.text.push_str(&about);
    }
    inline.text.push('\n');
    out.at_line(line);
    out.push_linked(&inline.text, inline.links);
    for note in get("_note").iter().chain(&get("created")) {
        out.at_line(line);
        out.push(&format!("{indent}  {note}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_keeps_its_nesting_and_links() {
        let opml = r#"<?xml version="1.0"?>
<opml version="2.0"><head><title>My &amp; feeds</title><ownerName>Ada</ownerName>
<dateCreated>Fri, 01 Mar 2024 10:30:00 GMT</dateCreated></head><body>
<outline text="News">
<outline text="BBC" xmlUrl="https://b.example/rss" htmlUrl="https://b.example/" category="/world,uk"/>
</outline>
<outline text="Buy milk" _status="checked" _note="two &#10;litres"/></body></opml>"#;
        let document = read_outline(opml);
        assert_eq!(
            document.text,
            "- News\n  - [BBC](https://b.example/) [feed](https://b.example/rss)\n- [x] Buy milk\n  two litres\n"
        );
        assert_eq!(document.title, "My & feeds");
        assert_eq!(document.tags, ["world", "uk"]);
        assert_eq!(document.properties.len(), 2);
        let spans: Vec<&str> = document
            .links
            .iter()
            .map(|l| &document.text[l.span.start..l.span.end])
            .collect();
        assert_eq!(
            spans,
            ["[BBC](https://b.example/)", "[feed](https://b.example/rss)"]
        );
        assert_eq!(document.marks[0], extract_core::Mark::line(0, 4));
    }
}
