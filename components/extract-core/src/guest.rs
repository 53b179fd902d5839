//! The component around an [`Extractor`].
// Generated code: its items cannot carry our docs, and the canonical ABI needs
// raw pointers.
#![allow(unsafe_code, missing_docs, unreachable_pub)]

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::input::{self, Bytes, Extractor, Ocr};
use crate::model;

wit_bindgen::generate!({
    path: "../../wit",
    world: "extractor",
    pub_export_macro: true,
    export_macro_name: "export_extractor",
    default_bindings_module: "extract_core::guest",
});

use exports::pkb::plugin::{about, extract};
use pkb::plugin::blobs::Blob;
use pkb::plugin::ocr;
use pkb::plugin::types::{self, Failure, FailureKind};

/// The component that an extractor becomes; see [`crate::export`].
pub struct Component<E>(PhantomData<E>);

impl<E: Extractor + 'static> about::Guest for Component<E> {
    fn describe() -> about::Description {
        about::Description {
            name: E::ABOUT.name.to_owned(),
            version: E::ABOUT.version.to_owned(),
            summary: E::ABOUT.summary.to_owned(),
            settings_schema: E::ABOUT.settings_schema.to_owned(),
        }
    }
}

pub struct Documents(RefCell<Box<dyn input::Documents>>);

impl<E: Extractor + 'static> extract::Guest for Component<E> {
    type Documents = Documents;

    fn open(input: extract::Input, bytes: Blob) -> Result<extract::Documents, Failure> {
        let given = input::Input {
            name: &input.name,
            media_type: input.media_type.as_deref(),
            settings: &input.settings,
        };
        let documents = E::open(given, Box::new(bytes), Box::new(HostOcr))?;
        Ok(extract::Documents::new(Documents(RefCell::new(documents))))
    }
}

impl extract::GuestDocuments for Documents {
    fn next(&self, limit: u32) -> Result<extract::Batch, Failure> {
        let batch = self.0.borrow_mut().next(limit.max(1) as usize)?;
        Ok(extract::Batch {
            documents: batch
                .documents
                .into_iter()
                .map(|document| match document {
                    Ok(document) => Ok(document.into()),
                    Err(part) => Err(extract::PartFailure {
                        part: part_id(part.part),
                        failure: part.failure.into(),
                    }),
                })
                .collect(),
            pieces: batch.pieces.into_iter().map(Into::into).collect(),
            last: batch.last,
        })
    }
}

impl Bytes for Blob {
    fn size(&self) -> u64 {
        Blob::size(self)
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, model::Failure> {
        Ok(Blob::read(self, offset, length)?)
    }
}

struct HostOcr;

impl Ocr for HostOcr {
    fn available(&self) -> Result<(), model::Failure> {
        Ok(ocr::available()?)
    }

    fn read(&self, png: &[u8]) -> Result<String, model::Failure> {
        Ok(ocr::read(png)?)
    }
}

impl From<model::Failure> for Failure {
    fn from(failure: model::Failure) -> Self {
        Self {
            kind: match failure.kind {
                model::FailureKind::InvalidInput => FailureKind::InvalidInput,
                model::FailureKind::Unsupported => FailureKind::Unsupported,
                model::FailureKind::Encrypted => FailureKind::Encrypted,
                model::FailureKind::TooLarge => FailureKind::TooLarge,
                model::FailureKind::Unavailable => FailureKind::Unavailable,
                model::FailureKind::Internal => FailureKind::Internal,
            },
            message: failure.message,
        }
    }
}

impl From<Failure> for model::Failure {
    fn from(failure: Failure) -> Self {
        Self {
            kind: match failure.kind {
                FailureKind::InvalidInput => model::FailureKind::InvalidInput,
                FailureKind::Unsupported => model::FailureKind::Unsupported,
                FailureKind::Encrypted => model::FailureKind::Encrypted,
                FailureKind::TooLarge => model::FailureKind::TooLarge,
                FailureKind::Unavailable => model::FailureKind::Unavailable,
                FailureKind::Internal => model::FailureKind::Internal,
            },
            message: failure.message,
        }
    }
}

/// The most bytes of a part's name that the host takes.
const LONGEST_PART: usize = 4_096;

/// A part's name as the host takes it: names come from the input.
fn part_id(mut part: String) -> String {
    if part.contains(char::is_control) {
        part = part.replace(char::is_control, "\u{FFFD}");
    }
    part.truncate(part.floor_char_boundary(LONGEST_PART));
    part
}

impl From<model::Document> for extract::Document {
    fn from(document: model::Document) -> Self {
        Self {
            part: part_id(document.part),
            kind: document.kind,
            title: document.title,
            text: document.text,
            marks: document.marks.into_iter().map(Into::into).collect(),
            properties: document.properties.into_iter().map(Into::into).collect(),
            tags: document.tags,
            aliases: document.aliases,
            links: document.links.into_iter().map(Into::into).collect(),
            warnings: document.warnings,
        }
    }
}

impl From<model::Piece> for extract::Piece {
    fn from(piece: model::Piece) -> Self {
        Self {
            part: part_id(piece.part),
            name: piece.name,
            media_type: piece.media_type,
            content: piece.content,
            last: piece.last,
        }
    }
}

impl From<model::Mark> for types::Mark {
    fn from(mark: model::Mark) -> Self {
        Self {
            offset: mark.offset as u64,
            place: match mark.place {
                model::Place::Page(page) => types::Place::Page(page),
                model::Place::Line(line) => types::Place::Line(line),
                model::Place::Second(second) => types::Place::Second(second),
                model::Place::Part(part) => types::Place::Part(part),
            },
        }
    }
}

impl From<model::Property> for types::Property {
    fn from(property: model::Property) -> Self {
        Self {
            name: property.name,
            value: match property.value {
                model::Value::One(scalar) => types::Value::One(scalar.into()),
                model::Value::Many(list) => {
                    types::Value::Many(list.into_iter().map(Into::into).collect())
                }
            },
        }
    }
}

impl From<model::Scalar> for types::Scalar {
    fn from(scalar: model::Scalar) -> Self {
        match scalar {
            model::Scalar::Text(text) => Self::Text(text),
            model::Scalar::Number(number) => Self::Number(number),
            model::Scalar::Boolean(boolean) => Self::Boolean(boolean),
            model::Scalar::Timestamp(at) => Self::Timestamp(at),
        }
    }
}

impl From<model::Link> for extract::Link {
    fn from(link: model::Link) -> Self {
        Self {
            kind: match link.kind {
                model::LinkKind::Wikilink => extract::LinkKind::Wikilink,
                model::LinkKind::Embed => extract::LinkKind::Embed,
                model::LinkKind::Hyperlink => extract::LinkKind::Hyperlink,
                model::LinkKind::Image => extract::LinkKind::Image,
            },
            target: link.target,
            heading: link.heading,
            block: link.block,
            label: link.label,
            span: types::Span {
                start: link.span.start as u64,
                end: link.span.end as u64,
            },
        }
    }
}
