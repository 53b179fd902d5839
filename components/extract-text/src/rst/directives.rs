//! What begins with two dots: directives, targets, footnotes, comments.

use super::{Rst, field, inline, split_target};
use crate::lists::split_indent;
use crate::out::image;

/// Directives that are a box with text in it, and what Markdown shows.
const BOXES: [(&str, &str); 16] = [
    ("admonition", ""),
    ("attention", "Attention"),
    ("caution", "Caution"),
    ("danger", "Danger"),
    ("deprecated", "Deprecated"),
    ("error", "Error"),
    ("hint", "Hint"),
    ("important", "Important"),
    ("note", "Note"),
    ("seealso", "See also"),
    ("tip", "Tip"),
    ("todo", "To do"),
    ("topic", ""),
    ("versionadded", "New in version"),
    ("versionchanged", "Changed in version"),
    ("warning", "Warning"),
];

impl<'a> Rst<'a> {
    /// A line that begins with two dots in `column`, and what belongs to it.
    pub(super) fn explicit(&mut self, column: usize, text: &str) {
        let number = self.at as u32 + 1;
        self.at += 1;
        let rest = text[2..].trim();
        if let Some(name) = rest.strip_prefix('[')
            && let Some((name, words)) = name.split_once(']')
        {
            self.lists.end();
            let lead = format!("[^{}]: ", name.trim_start_matches('#'));
            self.written(number, &lead, words.trim());
            return;
        }
        if rest.starts_with('_') && split_target(&rest[1..]).is_some() || rest.starts_with("__ ") {
            return;
        }
        // A substitution is defined by a directive.
        let rest = match rest.strip_prefix('|').and_then(|rest| rest.split_once('|')) {
            Some((_, rest)) => rest.trim(),
            None => rest,
        };
        match rest.split_once("::") {
            Some((name, argument)) if is_name(name) => {
                self.directive(number, column, &name.to_lowercase(), argument.trim());
            }
            _ => {
                // A comment.
                self.block(column);
            }
        }
    }

    fn directive(&mut self, number: u32, column: usize, name: &str, argument: &str) {
        let name = name.rsplit(':').next().unwrap_or(name);
        match name {
            "code-block" | "code" | "sourcecode" | "parsed-literal" | "productionlist" => {
                let options = self.options(column);
                let language = argument.split_whitespace().next().unwrap_or_default();
                if let Some((_, caption)) = options.iter().find(|(name, _)| *name == "caption") {
                    self.written(number, "", caption);
                }
                self.skip_blank();
                self.code(language, column);
            }
            "csv-table" | "list-table" | "table" => {
                self.options(column);
                self.titled(number, argument);
                if name == "table" {
                    return;
                }
                self.skip_blank();
                self.code("", column);
            }
            "math" => {
                self.options(column);
                let (_, mut lines) = self.block(column);
                lines.insert(0, argument);
                let formula: Vec<&str> = lines
                    .iter()
                    .map(|line| line.trim())
                    .filter(|line| !line.is_empty())
                    .collect();
                self.out.blank();
                self.out
                    .line(number, &format!("$$\n{}\n$$", formula.join("\n")));
            }
            "image" | "figure" => {
                let options = self.options(column);
                let get = |key| {
                    options
                        .iter()
                        .find(|(name, _)| *name == key)
                        .map(|(_, value)| *value)
                };
                let mut inline = crate::out::Inline::default();
                inline.push_link(image(get("alt").unwrap_or_default(), argument));
                inline.text.push('\n');
                self.out.at_line(number);
                self.out.push_linked(&inline.text, inline.links);
            }
            "toctree" => {
                self.options(column);
                let (number, lines) = self.block(column);
                for (number, line) in (number..).zip(lines) {
                    if !line.trim().is_empty() {
                        self.written(number, "- ", line.trim());
                    }
                }
            }
            "rubric" | "centered" => self.titled(number, argument),
            "contents" | "index" | "highlight" | "include" | "literalinclude" | "raw" | "meta"
            | "default-role" | "currentmodule" | "module" | "sectnum" | "header" | "footer"
            | "role" | "title" => {
                self.block(column);
            }
            _ => {
                if let Some((_, shown)) = BOXES.iter().find(|(known, _)| *known == name) {
                    self.options(column);
                    self.head = false;
                    if shown.is_empty() {
                        self.titled(number, argument);
                    } else {
                        self.written(number, &format!("**{shown}:** "), argument);
                    }
                } else if !argument.is_empty() {
                    // `function:: name(arguments)` and the like.
                    self.options(column);
                    self.out.blank();
                    self.out
                        .line(number, &format!("`{}`", argument.replace('`', "")));
                    self.out.blank();
                }
                // What is inside is text as outside.
            }
        }
    }

    fn titled(&mut self, number: u32, title: &str) {
        if !title.is_empty() {
            self.out.blank();
            let title = inline::inline(title, &self.targets);
            self.out.at_line(number);
            self.out.push("**");
            self.out.push_linked(&title.text, title.links);
            self.out.push("**\n");
            self.out.blank();
        }
    }

    /// Takes the options below a directive.
    fn options(&mut self, column: usize) -> Vec<(&'a str, &'a str)> {
        let mut options = Vec::new();
        while let Some(line) = self.lines.get(self.at).copied() {
            let (inner, text) = split_indent(line);
            let Some(option) = field(text.trim_end()).filter(|_| inner > column) else {
                break;
            };
            options.push((option.0, option.1.trim()));
            self.at += 1;
        }
        options
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_:.+".contains(&byte))
}
