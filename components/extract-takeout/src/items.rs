//! Documents of a file, each part once.

use std::collections::HashMap;

use extract_core::{Document, title};

/// Longer parts are cut, in bytes: files set them, and they become ids.
const MOST_PART: usize = 1000;

/// Gathers documents whose parts are not known to differ.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub(crate) documents: Vec<Document>,
    /// How many documents wanted each part.
    parts: HashMap<String, usize>,
    doubles: usize,
}

impl Items {
    /// Takes a document, unless one of its part is there.
    pub(crate) fn add(&mut self, mut document: Document) {
        cut(&mut document.part);
        let wanted = self.parts.entry(document.part.clone()).or_default();
        *wanted += 1;
        if *wanted == 1 {
            self.documents.push(document);
        } else {
            self.doubles += 1;
        }
    }

    /// Takes a document that is one of its own, even where the file gives
    /// another the same part.
    pub(crate) fn add_anyway(&mut self, mut document: Document) {
        cut(&mut document.part);
        loop {
            let wanted = self.parts.entry(document.part.clone()).or_default();
            *wanted += 1;
            if *wanted == 1 {
                break;
            }
            document.part = format!("{}#{wanted}", document.part);
        }
        self.documents.push(document);
    }

    /// The file's own document, then the others.
    pub(crate) fn into_documents(
        self,
        name: &str,
        text: String,
        warnings: Vec<String>,
    ) -> Vec<Document> {
        let mut own = Document {
            title: title::from_name(name),
            text,
            warnings,
            ..Document::default()
        };
        if self.doubles > 0 {
            let entries = if self.doubles == 1 {
                "entry is"
            } else {
                "entries are"
            };
            own.warnings.push(format!(
                "{} {entries} in the file more than once; the first was taken.",
                self.doubles
            ));
        }
        own.bound_warnings();
        let mut documents = vec![own];
        documents.extend(self.documents);
        documents
    }
}

fn cut(part: &mut String) {
    part.truncate(part.floor_char_boundary(MOST_PART));
}
