//! A settings file in JSON, with comments and trailing commas where its owner
//! writes them, and the places in it where something can be put in or taken out
//! without touching anything else.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::edit::Trouble;

/// A stretch of the text, in bytes, and what stands there instead.
pub(super) type Edit = (std::ops::Range<usize>, String);

/// What clients themselves accept: comments and trailing commas, nothing else
/// that is not JSON.
const ACCEPTED: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Indentation where the file shows none.
const INDENT: &str = "  ";

/// How something new is written.
#[derive(Clone, Copy)]
pub(super) enum Layout<'a> {
    /// On the line it stands on.
    Line,
    /// On lines of its own.
    Lines {
        /// What ends a line.
        newline: &'a str,
        /// What the first line is indented by.
        indent: &'a str,
        /// What each level adds to that.
        unit: &'a str,
    },
}

/// A text and what it says.
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    root: Option<Value<'a>>,
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    /// Reads a text. One without any value is no mistake: clients take an empty
    /// file for one without settings.
    pub(super) fn parse(text: &'a str) -> Result<Document<'a>, Trouble> {
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let parsed = parse_to_ast(text, &collect, &ACCEPTED).map_err(|error| Trouble::Syntax {
            what: error.kind().to_string(),
            line: error.line_display(),
            column: error.column_display(),
        })?;
        Ok(Document {
            text,
            root: parsed.value,
            tokens: parsed.tokens.unwrap_or_default(),
        })
    }

    /// The object that the file is; none where it says nothing.
    pub(super) fn root(&self) -> Result<Option<&Object<'a>>, Trouble> {
        match &self.root {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(_) => Err(Trouble::Shape {
                what: "the file".into(),
            }),
        }
    }

    /// Whether the file holds nothing beside its object, comments neither.
    pub(super) fn is_only_root(&self) -> bool {
        match &self.root {
            Some(root) => {
                let (before, after) = (&self.text[..root.start()], &self.text[root.end()..]);
                before.trim().is_empty() && after.trim().is_empty()
            }
            None => self.text.trim().is_empty(),
        }
    }

    /// What ends a line here.
    pub(super) fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// Edits that put a property last into an object. `write` writes it.
    pub(super) fn append(&self, object: &Object, write: &dyn Fn(Layout) -> String) -> Vec<Edit> {
        let Some(last) = object.properties.last() else {
            return vec![self.fill(object, write)];
        };
        let open = object.start() + 1;
        let comma = self.comma_after(last.end());
        let (at, after_line_comment) = self.line_comments(comma.unwrap_or(last.end()));
        let first = object.properties[0].start();
        let lines = breaks(&self.text[open..first]);
        let mut new = if lines || after_line_comment {
            let indent = if lines {
                self.indent(first).to_owned()
            } else {
                format!("{}{}", self.indent(object.start()), self.unit())
            };
            let newline = self.newline();
            let base = self.indent(object.start());
            let unit = match indent.strip_prefix(base) {
                Some(unit) if !unit.is_empty() => unit,
                _ => self.unit(),
            };
            let layout = Layout::Lines {
                newline,
                indent: &indent,
                unit,
            };
            format!("{newline}{indent}{}", write(layout))
        } else {
            format!(" {}", write(Layout::Line))
        };
        if comma.is_some() {
            new.push(',');
            return vec![(at..at, new)];
        }
        if at == last.end() {
            return vec![(at..at, format!(",{new}"))];
        }
        vec![(last.end()..last.end(), ",".into()), (at..at, new)]
    }

    /// The same for an object without properties.
    fn fill(&self, object: &Object, write: &dyn Fn(Layout) -> String) -> Edit {
        let (open, close) = (object.start() + 1, object.end() - 1);
        let comment = self.last_comment(open, close);
        let at = comment.map_or(open, |(end, _)| end);
        let after_line_comment = comment.is_some_and(|(_, line)| line);
        let is_root = self
            .root
            .as_ref()
            .is_some_and(|root| root.start() == object.start());
        let one_line = !breaks(self.text.trim_end());
        if one_line && !is_root && !after_line_comment {
            let gap = if comment.is_some() { " " } else { "" };
            return (at..at, format!("{gap}{}", write(Layout::Line)));
        }
        let (newline, base, unit) = (self.newline(), self.indent(object.start()), self.unit());
        let indent = format!("{base}{unit}");
        let layout = Layout::Lines {
            newline,
            indent: &indent,
            unit,
        };
        let mut new = format!("{newline}{indent}{}", write(layout));
        let rest = &self.text[at..close];
        if breaks(rest) {
            return (at..at, new);
        }
        new.push_str(newline);
        new.push_str(base);
        // What is left of the line is spaces.
        (at..close, new)
    }

    /// Edits that take the property at `index` out of an object, and what is
    /// then left between its braces.
    pub(super) fn cut(&self, object: &Object, index: usize) -> (Vec<Edit>, String) {
        let property = &object.properties[index];
        let open = object.start() + 1;
        let own_comma = self.comma_after(property.end());
        let is_last = index + 1 == object.properties.len();
        let before_comma = index
            .checked_sub(1)
            .and_then(|index| self.comma_after(object.properties[index].end()));
        let (mut start, mut after_line_comment) = match before_comma {
            Some(comma) => self.line_comments(comma),
            None => (open, false),
        };
        // Comments are their writer's, those about what goes too.
        if let Some((end, line)) = self.last_comment(start, property.start()) {
            (start, after_line_comment) = (end, line);
        }
        let apart = own_comma.filter(|comma| self.last_comment(property.end(), *comma).is_some());
        let mut end = match apart {
            Some(_) => property.end(),
            None => own_comma.unwrap_or(property.end()),
        };
        let rest = &self.text[end..];
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let ends_line = breaks(rest.get(gap..gap + 1).unwrap_or_default());
        if after_line_comment {
            // What follows must not become a part of the comment.
            end += gap;
            if !ends_line {
                start = property.start();
            }
        } else if !ends_line && index == 0 && !is_last && start == open {
            end += gap;
        }
        let mut edits = vec![(start..end, String::new())];
        if let Some(comma) = apart {
            edits.push((comma - 1..comma, String::new()));
        }
        if let (Some(comma), None, true) = (before_comma, own_comma, is_last) {
            edits.push((comma - 1..comma, String::new()));
        }
        let new = edited(self.text, edits.clone());
        let close = object.end() - 1;
        let left = new[open..new.len() - (self.text.len() - close)].to_owned();
        (edits, left)
    }

    /// Whether comments stand in a property, before its value.
    pub(super) fn is_commented(&self, property: &ObjectProp) -> bool {
        self.last_comment(property.start(), property.value.start())
            .is_some()
    }

    /// End of the comma that follows a value ending at `at`.
    fn comma_after(&self, at: usize) -> Option<usize> {
        let next = self.tokens[self.token_from(at)..]
            .iter()
            .find(|token| !is_comment(&token.token))?;
        (next.token == Token::Comma).then_some(next.range.end)
    }

    /// Where the comments end that begin on the line on which `at` is, and
    /// whether the last of them ends with its line.
    fn line_comments(&self, at: usize) -> (usize, bool) {
        let mut end = at;
        let mut line = false;
        for token in &self.tokens[self.token_from(at)..] {
            if !is_comment(&token.token) || breaks(&self.text[end..token.range.start]) {
                break;
            }
            end = token.range.end;
            line = matches!(token.token, Token::CommentLine(_));
            if breaks(token.token.as_str()) {
                break;
            }
        }
        (end, line)
    }

    /// End of the last comment in a stretch, and whether it ends with its line.
    fn last_comment(&self, start: usize, end: usize) -> Option<(usize, bool)> {
        let tokens = &self.tokens[self.token_from(start)..self.token_from(end)];
        let comment = tokens.iter().rev().find(|token| is_comment(&token.token))?;
        let line = matches!(comment.token, Token::CommentLine(_));
        Some((comment.range.end, line))
    }

    /// Number of the first token that begins at `at` or after.
    fn token_from(&self, at: usize) -> usize {
        self.tokens.partition_point(|token| token.range.start < at)
    }

    /// What the line on which `at` is begins with.
    pub(super) fn indent(&self, at: usize) -> &'a str {
        let line = self.text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let line = &self.text[line..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// What one level is indented by: as the file's first property is.
    pub(super) fn unit(&self) -> &'a str {
        let first = match &self.root {
            Some(Value::Object(object)) => object.properties.first(),
            _ => None,
        };
        match first {
            Some(first) if breaks(&self.text[..first.start()]) => {
                let indent = self.indent(first.start());
                if indent.is_empty() { INDENT } else { indent }
            }
            _ => INDENT,
        }
    }
}

/// The one property of this name.
///
/// # Errors
/// When there are several: clients see only one of them, and not all the same.
pub(super) fn property<'o, 'a>(
    object: &'o Object<'a>,
    name: &str,
) -> Result<Option<(usize, &'o ObjectProp<'a>)>, Trouble> {
    let mut found = object
        .properties
        .iter()
        .enumerate()
        .filter(|(_, property)| property.name.as_str() == name);
    let first = found.next();
    if found.next().is_some() {
        return Err(Trouble::Twice { key: name.into() });
    }
    Ok(first)
}

/// The text with all edits made; they do not overlap.
pub(super) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut new = String::with_capacity(text.len() + 256);
    let mut from = 0;
    for (range, put) in edits {
        new.push_str(&text[from..range.start]);
        new.push_str(&put);
        from = range.end;
    }
    new.push_str(&text[from..]);
    new
}

fn is_comment(token: &Token) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
