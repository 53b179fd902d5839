//! A chunker plugin, whole: one chunk for each `## ` section of a note.
//!
//! Build it with `cargo build --release --target wasm32-wasip2`.

wit_bindgen::generate!({ path: "../../../wit", world: "chunker" });

use exports::pkb::plugin::{about, chunk};
use pkb::plugin::types::{Failure, Span};

struct Sections;

export!(Sections);

impl about::Guest for Sections {
    fn describe() -> about::Description {
        about::Description {
            name: "chunk-sections".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            summary: "One chunk for each `## ` section.".into(),
            settings_schema: "{}".into(),
        }
    }
}

impl chunk::Guest for Sections {
    fn split(source: chunk::SourceText, _options: chunk::Options) -> Result<Vec<chunk::Chunk>, Failure> {
        let text = &source.text;

        // A section begins at the start of the text and at every `## ` line.
        let mut starts = vec![0];
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if at > 0 && line.starts_with("## ") {
                starts.push(at);
            }
            at += line.len();
        }
        starts.push(text.len());

        let sections = starts.windows(2).map(|pair| (pair[0], pair[1]));
        Ok(sections
            .filter(|(start, end)| !text[*start..*end].trim().is_empty())
            .map(|(start, end)| chunk::Chunk {
                span: Span { start: start as u64, end: end as u64 },
                headings: heading(&text[start..end]).into_iter().collect(),
                context: None,
            })
            .collect())
    }
}

fn heading(section: &str) -> Option<String> {
    let heading = section.lines().next()?.trim_start_matches('#').trim();
    section.starts_with('#').then(|| heading.to_owned())
}
