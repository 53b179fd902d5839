//! The component as a whole, on files made here and on those others made.

mod made;
mod hostile;
mod real;
mod structure;

use std::cell::RefCell;
use std::rc::Rc;

use extract_core::{Batch, Document, Extractor, Failure, FailureKind, Input, NoOcr, Ocr, Place, Scalar, Value};

use crate::Pdf;

/// All that a file yields.
struct Yield {
    document: Document,
    /// Name and content of what is attached.
    files: Vec<(String, Vec<u8>)>,
}

impl Yield {
    fn texts(&self, name: &str) -> Vec<String> {
        let property = self.document.properties.iter().find(|p| p.name == name);
        let values = match property.map(|property| &property.value) {
            Some(Value::Many(values)) => values.clone(),
            Some(Value::One(value)) => vec![value.clone()],
            None => Vec::new(),
        };
        let text = |value| match value {
            Scalar::Text(text) => text,
            other => format!("{other:?}"),
        };
        values.into_iter().map(text).collect()
    }

    /// The text of each page that has some.
    fn pages(&self) -> Vec<(u32, &str)> {
        let marks = &self.document.marks;
        let ends = marks.iter().skip(1).map(|mark| mark.offset);
        let ends = ends.chain([self.document.text.len()]);
        marks
            .iter()
            .zip(ends)
            .map(|(mark, end)| match mark.place {
                Place::Page(page) => (page, self.document.text[mark.offset..end].trim()),
                ref other => panic!("no page: {other:?}"),
            })
            .collect()
    }
}

fn extract_with(
    name: &str,
    bytes: Vec<u8>,
    settings: &str,
    ocr: Box<dyn Ocr>,
) -> Result<Yield, Failure> {
    let input = Input {
        name,
        media_type: None,
        settings,
    };
    let mut opened = Pdf::open(input, Box::new(bytes), ocr)?;
    let mut found: Option<Document> = None;
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut open = false;
    loop {
        let Batch {
            documents,
            pieces,
            last,
        } = opened.next(3)?;
        assert!(last || !documents.is_empty() || !pieces.is_empty());
        for document in documents.into_iter().flatten() {
            assert!(found.replace(document).is_none(), "one document");
        }
        for piece in pieces {
            assert!(!piece.part.is_empty());
            if !open {
                files.push((piece.name.clone(), Vec::new()));
            }
            let file = files.last_mut().unwrap();
            assert_eq!(file.0, piece.name);
            file.1.extend(piece.content);
            open = !piece.last;
        }
        if last {
            break;
        }
    }
    assert!(!open);
    let document = found.expect("a document");
    check(&document);
    Ok(Yield { document, files })
}

fn extract(name: &str, bytes: Vec<u8>) -> Result<Yield, Failure> {
    extract_with(name, bytes, "", Box::new(NoOcr))
}

/// What holds for any document.
fn check(document: &Document) {
    let mut last = 0;
    let mut page = 0;
    for mark in &document.marks {
        assert!(document.text.is_char_boundary(mark.offset));
        assert!(mark.offset >= last && mark.offset < document.text.len());
        last = mark.offset;
        match mark.place {
            Place::Page(number) => {
                assert!(number > page);
                page = number;
            }
            ref other => panic!("no page: {other:?}"),
        }
    }
    assert!(!document.title.is_empty());
    assert!(document.warnings.iter().all(|w| w.ends_with('.')), "{:?}", document.warnings);
}

/// Takes note of what it is given to read, and answers with a word.
#[derive(Clone, Default)]
struct FakeOcr(Rc<RefCell<Vec<Vec<u8>>>>);

impl Ocr for FakeOcr {
    fn available(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn read(&self, png: &[u8]) -> Result<String, Failure> {
        let mut seen = self.0.borrow_mut();
        seen.push(png.to_vec());
        match seen.len() {
            2 => Err(Failure::new(FailureKind::TooLarge, "The picture is too large.")),
            count => Ok(format!("Picture {count}\n\n# of words\n")),
        }
    }
}
