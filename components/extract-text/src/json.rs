//! JSON, JSON Lines and their kin as nested lists.
//!
//! The text is read once or a few times by a scanner that never calls itself,
//! so that no depth of nesting costs more than its bytes; it takes comments and
//! trailing commas too.

mod scan;
mod strings;
mod write;

use extract_core::{Document, title};

use scan::{Scanner, Token};
use write::Writer;

/// Reads one value or many. What is left out beyond `max_text` bytes is said.
pub(crate) fn read(text: &str, max_text: usize) -> Document {
    let mut writer = Writer::new(text, max_text);
    let whole = 0..text.len();
    let root = first_value(text);
    match root {
        // Many values one after the other: JSON Lines.
        Some(end) if Scanner::new(text, end..text.len(), 1).peek().is_some() => {
            writer.records();
        }
        _ => writer.sections(whole, 1, 1),
    }
    let name = root.and_then(|_| own_title(text));
    let (out, warnings) = writer.finish();
    let mut document = out.finish();
    document.title = name.unwrap_or_default();
    document.warnings = warnings;
    document
}

/// Where the first value ends; nothing where it does not.
fn first_value(text: &str) -> Option<usize> {
    let mut scanner = Scanner::new(text, 0..text.len(), 1);
    scanner.skip_value().then_some(scanner.at())
}

/// The `title` or `name` of the object that the text is.
fn own_title(text: &str) -> Option<String> {
    let mut scanner = Scanner::new(text, 0..text.len(), 1);
    if scanner.next()? != Token::Open(b'{') {
        return None;
    }
    let mut name = None;
    loop {
        let key = match scanner.next()? {
            Token::Text(key) => key,
            Token::Comma => continue,
            _ => return name,
        };
        if scanner.next()? != Token::Colon {
            return name;
        }
        if let Some(Token::Text(value)) = scanner.peek() {
            let value = || title::tidy(&strings::unescape(value));
            match key {
                "title" => return value(),
                "name" => name = value(),
                _ => {}
            }
        }
        if !scanner.skip_value() {
            return name;
        }
    }
}
