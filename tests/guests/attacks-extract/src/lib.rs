//! A hostile extractor: the name of its input picks a way to misbehave. Any
//! other name gives one document.

#[cfg(target_family = "wasm")]
#[allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    reason = "generated, and hostile on purpose"
)]
mod guest {
    use std::hint::black_box;

    wit_bindgen::generate!({ path: "../../../wit", world: "extractor" });

    use exports::pkb::plugin::about::{Description, Guest as About};
    use exports::pkb::plugin::extract::{
        Batch, Document, Documents, Guest as Extractor, GuestDocuments, Input, PartFailure, Piece,
    };
    use pkb::plugin::blobs::Blob;
    use pkb::plugin::types::{Failure, FailureKind, Mark, Place};

    struct Attacks;

    export!(Attacks);

    impl About for Attacks {
        fn describe() -> Description {
            Description {
                name: "attacks-extract".into(),
                version: env!("CARGO_PKG_VERSION").into(),
                summary: "Misbehaves as told.".into(),
                settings_schema: "{}".into(),
            }
        }
    }

    struct Opened {
        attack: String,
        bytes: Blob,
    }

    fn document() -> Document {
        Document {
            part: String::new(),
            kind: String::new(),
            title: "A title".into(),
            text: "A text.".into(),
            marks: Vec::new(),
            properties: Vec::new(),
            tags: Vec::new(),
            aliases: Vec::new(),
            links: Vec::new(),
            warnings: Vec::new(),
        }
    }

    impl Extractor for Attacks {
        type Documents = Opened;

        fn open(input: Input, bytes: Blob) -> Result<Documents, Failure> {
            Ok(Documents::new(Opened {
                attack: input.name,
                bytes,
            }))
        }
    }

    impl GuestDocuments for Opened {
        fn next(&self, limit: u32) -> Result<Batch, Failure> {
            let one = |document| Batch {
                documents: vec![Ok(document)],
                pieces: Vec::new(),
                last: true,
            };
            Ok(match self.attack.as_str() {
                "endless" => Batch {
                    documents: vec![Ok(document())],
                    pieces: Vec::new(),
                    last: false,
                },
                "nothing" => Batch {
                    documents: Vec::new(),
                    pieces: Vec::new(),
                    last: false,
                },
                "too many" => Batch {
                    documents: (0..=limit).map(|_| Ok(document())).collect(),
                    pieces: Vec::new(),
                    last: true,
                },
                "outside" => {
                    let place = Place::Line(1);
                    one(Document {
                        marks: vec![Mark { offset: 8, place }],
                        ..document()
                    })
                }
                "nul" => one(Document {
                    text: "a\0b".into(),
                    ..document()
                }),
                "escapes" => Batch {
                    documents: vec![Err(PartFailure {
                        part: String::new(),
                        failure: Failure {
                            kind: FailureKind::InvalidInput,
                            message: "a bad\n\u{1b}[2Jpart".into(),
                        },
                    })],
                    pieces: Vec::new(),
                    last: true,
                },
                "pieces" => Batch {
                    documents: Vec::new(),
                    pieces: (0..2)
                        .map(|_| Piece {
                            part: "a".into(),
                            name: "a".into(),
                            media_type: None,
                            content: vec![0; 9 << 20],
                            last: false,
                        })
                        .collect(),
                    last: true,
                },
                "kind" => one(Document {
                    kind: "../Note".into(),
                    ..document()
                }),
                // Reads on and on, past the end too.
                "reads" => loop {
                    black_box(self.bytes.read(0, u32::MAX)?);
                    black_box(self.bytes.read(u64::MAX, u32::MAX)?);
                },
                _ => one(document()),
            })
        }
    }

    impl Drop for Opened {
        fn drop(&mut self) {
            while self.attack == "drop" {
                black_box(0);
            }
        }
    }
}
