//! Jupyter notebooks: cells in order, with what they printed.

use extract_core::{Document, Place, Property, title};
use serde::Deserialize;

use crate::out::Out;

/// More of an output than this is left out, in bytes and lines.
const MOST_OUTPUT: usize = 2000;
const MOST_OUTPUT_LINES: usize = 40;

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    cells: Option<Vec<Cell>>,
    /// Version 3 kept cells here.
    #[serde(default)]
    worksheets: Vec<Worksheet>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata {
    kernelspec: Kernel,
    language_info: Language,
    title: Option<String>,
    authors: Vec<Author>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Kernel {
    language: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Language {
    name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Author {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default)]
    cell_type: String,
    #[serde(default, alias = "input")]
    source: Lines,
    #[serde(default)]
    outputs: Vec<Output>,
    #[serde(default)]
    level: usize,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Output {
    text: Lines,
    data: Data,
    ename: Option<String>,
    evalue: Option<String>,
}

/// Of all forms of an output only those of text are read.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Data {
    #[serde(rename = "text/markdown")]
    markdown: Lines,
    #[serde(rename = "text/plain")]
    plain: Lines,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    One(String),
    Many(Vec<String>),
}

impl Default for Lines {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Lines {
    fn join(&self) -> String {
        match self {
            Self::One(text) => text.clone(),
            Self::Many(lines) => lines.concat(),
        }
    }
}

/// Reads a notebook; nothing where the text is none.
pub(crate) fn read(text: &str) -> Option<Document> {
    let notebook: Notebook = serde_json::from_str(text).ok()?;
    let cells = match notebook.cells {
        Some(cells) => cells,
        None => notebook
            .worksheets
            .into_iter()
            .flat_map(|sheet| sheet.cells)
            .collect(),
    };
    let metadata = notebook.metadata;
    let language = metadata.language_info.name.or(metadata.kernelspec.language);
    let fence: String = language
        .as_deref()
        .unwrap_or_default()
        .chars()
        .take_while(|c| c.is_alphanumeric() || "+#-_".contains(*c))
        .collect();
    let mut out = Out::default();
    let mut heading = None;
    let mut cut = 0;
    for (number, cell) in (1..).zip(&cells) {
        let source = cell.source.join();
        let printed: Vec<(String, bool)> = cell.outputs.iter().map(output).collect();
        if source.trim().is_empty() && printed.iter().all(|(text, _)| text.trim().is_empty()) {
            continue;
        }
        out.blank();
        out.mark(Place::Part(format!("cell {number}")));
        match cell.cell_type.as_str() {
            "markdown" => {
                heading = heading.or_else(|| first_heading(&source));
                out.push(source.trim_end());
                out.push("\n");
            }
            "heading" => {
                heading = heading.or_else(|| title::tidy(&source));
                out.push(&"#".repeat(cell.level.clamp(1, 6)));
                out.push(&format!(" {}\n", crate::out::one_line(&source)));
            }
            "raw" => fenced(&mut out, &source, ""),
            _ => fenced(&mut out, &source, &fence),
        }
        for (text, is_markdown) in printed {
            let (shown, was_cut) = shorten(&text);
            if shown.is_empty() {
                continue;
            }
            cut += usize::from(was_cut);
            out.blank();
            if is_markdown {
                out.push(shown);
                out.push("\n");
            } else {
                fenced(&mut out, shown, "");
            }
        }
    }
    let mut document = out.finish();
    document.title = metadata
        .title
        .as_deref()
        .and_then(title::tidy)
        .or(heading)
        .unwrap_or_default();
    let authors: Vec<String> = metadata
        .authors
        .into_iter()
        .filter_map(|author| author.name)
        .collect();
    if !authors.is_empty() {
        document
            .properties
            .push(Property::text("author", authors.join(", ")));
    }
    if let Some(language) = language {
        document
            .properties
            .push(Property::text("language", language));
    }
    if cut > 0 {
        document.warnings.push(format!(
            "Long outputs of cells were cut to {MOST_OUTPUT_LINES} lines: {cut}."
        ));
    }
    Some(document)
}

fn fenced(out: &mut Out, code: &str, language: &str) {
    if !code.trim().is_empty() {
        let fence = crate::out::fence(code.lines());
        out.push(&format!(
            "{fence}{language}\n{}\n{fence}\n",
            code.trim_end()
        ));
    }
}

/// What a cell printed, and whether it is Markdown.
fn output(output: &Output) -> (String, bool) {
    let markdown = output.data.markdown.join();
    if !markdown.is_empty() {
        return (markdown, true);
    }
    let mut text = output.text.join();
    text.push_str(&output.data.plain.join());
    if let Some(name) = &output.ename {
        let value = output.evalue.as_deref().unwrap_or_default();
        text.push_str(&format!("{name}: {value}"));
    }
    (crate::out::without_colours(&text), false)
}

fn shorten(text: &str) -> (&str, bool) {
    let text = text.trim_end();
    let lines = text
        .match_indices('\n')
        .nth(MOST_OUTPUT_LINES - 1)
        .map_or(text.len(), |(at, _)| at);
    let end = text.floor_char_boundary(lines.min(MOST_OUTPUT));
    (text[..end].trim_end(), end < text.len())
}

fn first_heading(markdown: &str) -> Option<String> {
    let line = markdown.lines().find(|line| line.starts_with('#'))?;
    let text = line.trim_start_matches('#');
    (text.starts_with(' ')).then(|| title::tidy(text.trim_end_matches('#')))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_in_order_with_their_outputs() {
        let notebook = r##"{"cells":[
            {"cell_type":"markdown","source":["# Rain\n","in *June*"]},
            {"cell_type":"code","source":"print(1)","outputs":[
                {"output_type":"stream","text":["1\n"]},
                {"output_type":"display_data","data":{"image/png":"AAAA","text/plain":["<Figure>"]}},
                {"output_type":"error","ename":"KeyError","evalue":"x","traceback":["\u001b[31mred"]}]},
            {"cell_type":"code","source":[],"outputs":[]}],
            "metadata":{"language_info":{"name":"python"},"kernelspec":{"display_name":"P"}},"nbformat":4}"##;
        let document = read(notebook).unwrap();
        assert_eq!(
            document.text,
            "# Rain\nin *June*\n\n```python\nprint(1)\n```\n\n```\n1\n```\n\n```\n<Figure>\n```\n\n```\nKeyError: x\n```\n"
        );
        assert_eq!(document.title, "Rain");
        let places: Vec<_> = document
            .marks
            .iter()
            .map(|mark| mark.place.clone())
            .collect();
        assert_eq!(
            places,
            [Place::Part("cell 1".into()), Place::Part("cell 2".into())]
        );
    }

    #[test]
    fn what_is_no_notebook_is_none() {
        assert!(read("{").is_none());
        assert!(read(&"[".repeat(100_000)).is_none());
    }
}
