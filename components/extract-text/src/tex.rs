//! LaTeX as Markdown: sections, lists, quotes of code; other commands give way
//! to their arguments, formulas stay.

mod commands;

use extract_core::{Document, Property, title};

use crate::dates;
use crate::out::{Out, escape_before, fence, numbered, one_line};
use commands::{argument, plain};

/// Environments whose lines stay as they are.
const VERBATIM: [&str; 6] = [
    "verbatim",
    "lstlisting",
    "minted",
    "Verbatim",
    "alltt",
    "comment",
];
/// Environments of formulas.
const MATH: [&str; 10] = [
    "equation",
    "equation*",
    "align",
    "align*",
    "gather",
    "gather*",
    "multline",
    "multline*",
    "eqnarray",
    "displaymath",
];
/// Commands that are headings, the outermost first.
const SECTIONS: [&str; 7] = [
    "part",
    "chapter",
    "section",
    "subsection",
    "subsubsection",
    "paragraph",
    "subparagraph",
];

/// Reads a document.
pub(crate) fn read(text: &str) -> Document {
    let has_chapters = text.contains("\\chapter");
    let mut tex = Tex {
        out: Out::default(),
        about: Document::default(),
        body: !text.contains("\\begin{document}"),
        top: if has_chapters { 1 } else { 2 },
        lists: Vec::new(),
        verbatim: None,
        math: false,
    };
    for (number, line) in numbered(text) {
        tex.line(number, line);
    }
    if tex.verbatim.is_some() {
        tex.out.push("```\n");
    }
    let written = tex.out.finish();
    Document {
        text: written.text,
        marks: written.marks,
        links: written.links,
        ..tex.about
    }
}

struct Tex {
    out: Out,
    about: Document,
    /// Whether the preamble is over.
    body: bool,
    /// Which of [`SECTIONS`] is a heading of the first level.
    top: usize,
    /// Whether each list that is open is numbered.
    lists: Vec<bool>,
    /// The environment whose lines stay as they are, and its fence.
    verbatim: Option<(String, String)>,
    math: bool,
}

impl Tex {
    fn line(&mut self, number: u32, line: &str) {
        if let Some((name, fence)) = &self.verbatim {
            if line.contains(&format!("\\end{{{name}}}")) {
                if name != "comment" {
                    let fence = format!("{fence}\n");
                    self.out.at_line(number);
                    self.out.push(&fence);
                }
                self.verbatim = None;
            } else if name != "comment" {
                self.out.line(number, line.trim_end());
            }
            return;
        }
        let text = without_comment(line).trim();
        if text.is_empty() {
            // A line that is only a comment joins those around it.
            if line.trim().is_empty() {
                self.out.line(number, "");
            }
            return;
        }
        if self.told(text) {
            return;
        }
        if let Some((name, rest)) = environment(text, "\\begin{") {
            self.begin(number, name, rest);
        } else if let Some((name, rest)) = environment(text, "\\end{") {
            self.end(number, name);
            if self.body && !rest.trim().is_empty() {
                self.text(number, rest.trim());
            }
        } else if self.body {
            self.text(number, text);
        }
    }

    /// Commands that say something of the document.
    fn told(&mut self, text: &str) -> bool {
        for name in ["title", "author", "date", "keywords"] {
            let Some(rest) = text
                .strip_prefix('\\')
                .and_then(|rest| rest.strip_prefix(name))
            else {
                continue;
            };
            let Some((value, _)) = argument(rest) else {
                continue;
            };
            let value = one_line(&plain(&value.replace(" \\and", ",")).text);
            match name {
                "title" => self.about.title = title::tidy(&value).unwrap_or_default(),
                "date" => {
                    let at = dates::parse(&value).map(|at| Property::timestamp("created", at));
                    self.about.properties.extend(at);
                }
                _ if value.is_empty() => {}
                name => self.about.properties.push(Property::text(name, value)),
            }
            return true;
        }
        false
    }

    fn begin(&mut self, number: u32, name: &str, rest: &str) {
        if name == "document" {
            self.body = true;
        } else if VERBATIM.contains(&name) {
            let fence = fence(std::iter::empty::<&str>());
            if self.body && name != "comment" {
                let language = rest
                    .split_once("language=")
                    .map(|(_, after)| after)
                    .or_else(|| rest.strip_prefix('{').filter(|_| name == "minted"))
                    .map(|after| {
                        after
                            .split([',', ']', '}'])
                            .next()
                            .unwrap_or_default()
                            .trim()
                    })
                    .unwrap_or_default();
                self.out.blank();
                self.out
                    .line(number, &format!("{fence}{}", language.to_lowercase()));
            }
            self.verbatim = Some((name.to_owned(), fence));
        } else if !self.body {
        } else if matches!(name, "itemize" | "description" | "enumerate") {
            if self.lists.is_empty() {
                self.out.blank();
            }
            self.lists.push(name == "enumerate");
        } else if MATH.contains(&name) {
            self.math = true;
            self.out.blank();
            self.out.line(number, "$$");
        } else if name == "abstract" {
            self.out.line(number, "**Abstract**");
            self.out.blank();
        } else if matches!(
            name,
            "theorem" | "lemma" | "proof" | "definition" | "corollary" | "remark" | "example"
        ) {
            let mut said = name.to_owned();
            said[..1].make_ascii_uppercase();
            self.written(
                number,
                &format!("**{said}** "),
                rest.trim_start_matches('[').trim_end_matches(']'),
            );
        }
    }

    fn end(&mut self, number: u32, name: &str) {
        if matches!(name, "itemize" | "description" | "enumerate") {
            self.lists.pop();
            if self.lists.is_empty() {
                self.out.blank();
            }
        } else if MATH.contains(&name) && self.math {
            self.math = false;
            self.out.line(number, "$$");
        }
    }

    fn text(&mut self, number: u32, text: &str) {
        if self.math {
            self.out.line(number, text);
            return;
        }
        if let Some((level, heading)) = section(text, self.top) {
            self.out.blank();
            self.written(number, &format!("{} ", "#".repeat(level)), heading);
            return;
        }
        if let Some(rest) = text.strip_prefix("\\item") {
            let depth = self.lists.len().saturating_sub(1).min(8);
            let numbered = self.lists.last().copied().unwrap_or(false);
            let lead = format!(
                "{}{}",
                "    ".repeat(depth),
                if numbered { "1. " } else { "- " }
            );
            let rest = rest.trim_start();
            match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                Some((term, rest)) => {
                    let term = plain(term).text;
                    self.written(number, &format!("{lead}**{term}** "), rest.trim());
                }
                None => self.written(number, &lead, rest),
            }
            return;
        }
        let indent = "    ".repeat(self.lists.len().min(8));
        let inline = plain(text);
        if !inline.text.trim().is_empty() {
            self.out.at_line(number);
            self.out.push(&indent);
            self.out.push(escape_before(&inline.text));
            self.out.push_linked(&inline.text, inline.links);
            self.out.push("\n");
        }
    }

    fn written(&mut self, number: u32, lead: &str, text: &str) {
        let inline = plain(text);
        self.out.at_line(number);
        self.out.push(lead);
        self.out.push_linked(&inline.text, inline.links);
        self.out.push("\n");
    }
}

/// What stands before a comment.
fn without_comment(line: &str) -> &str {
    let mut from = 0;
    while let Some(at) = line[from..].find('%') {
        let at = from + at;
        if !line[..at].ends_with('\\') {
            return &line[..at];
        }
        from = at + 1;
    }
    line
}

/// Name of an environment that a line begins or ends, and what follows.
fn environment<'a>(text: &'a str, command: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(command)?.split_once('}')
}

/// Level and text of a heading.
fn section(text: &str, top: usize) -> Option<(usize, &str)> {
    let rest = text.strip_prefix('\\')?;
    let end = rest.find(|c: char| !c.is_ascii_alphabetic())?;
    let index = SECTIONS.iter().position(|name| *name == &rest[..end])?;
    let rest = rest[end..].trim_start_matches('*');
    let rest = match rest.strip_prefix('[') {
        Some(short) => short.split_once(']')?.1,
        None => rest,
    };
    let (heading, _) = argument(rest)?;
    Some(((index + 1).saturating_sub(top).clamp(1, 6), heading))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_converted() {
        let document = read(
            "\\documentclass{article}\n\\title{On \\emph{Things}}\n\\author{Ada \\and Bob}\n\\newcommand{\\x}{y}\n\\begin{document}\n\\maketitle\n\\section{First}\\label{s}\nSome \\textbf{bold} text~\\cite{k}, 5\\% % comment\n``quoted'' na\\\"ive \\href{https://e.example/}{link}.\n\n\\begin{itemize}\n\\item one $a_b$\n\\item two\n\\end{itemize}\n\\begin{lstlisting}[language=C]\nint x; % kept\n\\end{lstlisting}\n\\begin{equation}\na = b\n\\end{equation}\n\\subsection*{Deep}\nend\n\\end{document}\n",
        );
        assert_eq!(
            document.text,
            "# First\nSome **bold** text [k], 5%\n“quoted” naïve [link](https://e.example/).\n\n- one $a_b$\n- two\n\n```c\nint x; % kept\n```\n\n$$\na = b\n$$\n\n## Deep\nend\n"
        );
        assert_eq!(document.title, "On *Things*");
        assert_eq!(document.properties, [Property::text("author", "Ada, Bob")]);
        assert_eq!(document.marks[0], extract_core::Mark::line(0, 7));
        let link = &document.links[0];
        assert_eq!(
            &document.text[link.span.start..link.span.end],
            "[link](https://e.example/)"
        );
    }
}
