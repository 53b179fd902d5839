//! Any bytes give an archive's files, each whole or failed, or a failure.

#![no_main]

use extract_archive::Archive;
use extract_core::{Extractor, Input, NoOcr};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let input = Input {
        name: "a.zip",
        settings: r#"{"max_bytes": 33554432}"#,
        ..Input::default()
    };
    let Ok(mut documents) = Archive::open(input, Box::new(bytes.to_vec()), Box::new(NoOcr)) else {
        return;
    };
    let mut open: Option<String> = None;
    loop {
        let Ok(batch) = documents.next(3) else { return };
        assert!(batch.last || !batch.documents.is_empty() || !batch.pieces.is_empty());
        for piece in batch.pieces {
            assert!(open.is_none_or(|part| part == piece.part));
            assert!(!piece.name.split('/').any(|part| matches!(part, "" | "." | "..")));
            open = (!piece.last).then_some(piece.part);
        }
        for failed in batch.documents.into_iter().flat_map(Result::err) {
            assert!(open.take().is_none_or(|part| part == failed.part));
        }
        if batch.last {
            assert!(open.is_none());
            return;
        }
    }
});
