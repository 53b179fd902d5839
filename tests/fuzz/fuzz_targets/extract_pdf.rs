//! Any bytes give a sound document or a failure, and so does any page content.

#![no_main]

use extract_core::{Extractor, Input, NoOcr, Place};
use extract_pdf::Pdf;
use libfuzzer_sys::fuzz_target;

/// A file of one page with this content.
fn page(content: &[u8]) -> Vec<u8> {
    // Without a table of its objects, which readers make up for.
    let mut file = b"%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Count 1 /Kids [3 0 R] >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R
/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >> endobj
trailer << /Root 1 0 R >>
"
    .to_vec();
    file.extend(format!("4 0 obj << /Length {} >> stream\n", content.len()).into_bytes());
    file.extend(content);
    file.extend(b"\nendstream endobj\n");
    file
}

fuzz_target!(|bytes: &[u8]| {
    for file in [bytes.to_vec(), page(bytes)] {
        let input = Input {
            name: "a.pdf",
            ..Input::default()
        };
        let Ok(mut opened) = Pdf::open(input, Box::new(file), Box::new(NoOcr)) else {
            continue;
        };
        loop {
            let batch = opened.next(4).expect("what opens is read to its end");
            for document in batch.documents.into_iter().flatten() {
                let text = &document.text;
                let mut before = 0;
                for mark in &document.marks {
                    assert!(
                        mark.offset >= before && mark.offset < text.len(),
                        "{mark:?}"
                    );
                    assert!(text.is_char_boundary(mark.offset), "{mark:?}");
                    assert!(matches!(mark.place, Place::Page(page) if page > 0));
                    before = mark.offset;
                }
                for link in &document.links {
                    assert!(
                        text.get(link.span.start..link.span.end).is_some(),
                        "{link:?}"
                    );
                }
                assert!(!document.title.is_empty());
            }
            if batch.last {
                break;
            }
        }
    }
});
