//! Whatever lies in a mail file, its messages can be told or it is refused.

#![no_main]

use extract_core::{Bytes, Extractor, Input, MOST_PIECES_BYTES, NoOcr};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for name in ["message.eml", "mailbox"] {
        let input = Input {
            name,
            ..Input::default()
        };
        let copy: Box<dyn Bytes> = Box::new(bytes.to_vec());
        let Ok(mut messages) = extract_mail::Mail::open(input, copy, Box::new(NoOcr)) else {
            continue;
        };
        loop {
            let batch = messages.next(3).expect("bytes in memory can be read");
            for document in batch.documents.iter().flatten() {
                assert!(!document.title.is_empty());
                for link in &document.links {
                    let span = link.span.start..link.span.end;
                    assert!(document.text.get(span).is_some_and(|text| !text.is_empty()));
                }
            }
            let sizes = batch.pieces.iter().map(|piece| piece.content.len());
            assert!(sizes.sum::<usize>() <= MOST_PIECES_BYTES);
            assert!(batch.pieces.iter().all(|piece| !piece.part.is_empty()));
            if batch.last {
                break;
            }
            assert!(!batch.documents.is_empty() || !batch.pieces.is_empty());
        }
    }
});
