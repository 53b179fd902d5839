//! The component: bytes from the host in, documents out.
// Generated code: its items cannot carry our docs, and the canonical ABI needs
// raw pointers.
#![allow(unsafe_code, missing_docs, unreachable_pub)]

use crate::model;
use crate::settings::{Format, SETTINGS_SCHEMA, Settings};
use std::cell::RefCell;

wit_bindgen::generate!({ path: "../../wit", world: "extractor" });

use exports::pkb::plugin::{about, extract};
use pkb::plugin::blobs::Blob;
use pkb::plugin::types::{self, Failure, FailureKind};

/// What the host gives at a time, in bytes.
const PIECE: u32 = 16 << 20;

struct Component;

export!(Component);

impl about::Guest for Component {
    fn describe() -> about::Description {
        about::Description {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: crate::SUMMARY.to_owned(),
            settings_schema: SETTINGS_SCHEMA.to_owned(),
        }
    }
}

/// The one document of an input, until it is fetched.
struct Documents(RefCell<Option<extract::Document>>);

impl extract::Guest for Component {
    type Documents = Documents;

    fn open(input: extract::Input, bytes: Blob) -> Result<extract::Documents, Failure> {
        let mut settings = Settings::parse(&input.settings)?;
        if settings.format == Format::Auto && says_markdown(input.media_type.as_deref()) {
            settings.format = Format::Markdown;
        }
        let bytes = read(&bytes, &settings)?;
        let document = crate::extract(&input.name, bytes, &settings)?;
        let documents = Documents(RefCell::new(Some(document.into())));
        Ok(extract::Documents::new(documents))
    }
}

impl extract::GuestDocuments for Documents {
    fn next(&self, _limit: u32) -> Result<extract::Batch, Failure> {
        Ok(extract::Batch {
            documents: self.0.take().into_iter().map(Ok).collect(),
            last: true,
        })
    }
}

fn says_markdown(media_type: Option<&str>) -> bool {
    let essence = media_type.and_then(|full| full.split(';').next());
    essence.is_some_and(|essence| {
        let essence = essence.trim();
        essence.eq_ignore_ascii_case("text/markdown")
            || essence.eq_ignore_ascii_case("text/x-markdown")
    })
}

fn read(blob: &Blob, settings: &Settings) -> Result<Vec<u8>, Failure> {
    let size = blob.size();
    settings.check_size(size)?;
    let mut bytes = Vec::new();
    loop {
        let piece = blob.read(bytes.len() as u64, PIECE)?;
        if piece.is_empty() {
            return Ok(bytes);
        }
        if bytes.is_empty() {
            // The usual file comes in one piece and is taken as it is.
            bytes = piece;
        } else {
            bytes.extend_from_slice(&piece);
        }
        if bytes.len() as u64 >= size {
            return Ok(bytes);
        }
    }
}

impl From<model::Failure> for Failure {
    fn from(failure: model::Failure) -> Self {
        Self {
            kind: match failure.kind {
                model::FailureKind::InvalidInput => FailureKind::InvalidInput,
                model::FailureKind::Unsupported => FailureKind::Unsupported,
                model::FailureKind::TooLarge => FailureKind::TooLarge,
            },
            message: failure.message,
        }
    }
}

impl From<model::Document> for extract::Document {
    fn from(document: model::Document) -> Self {
        Self {
            part: String::new(),
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

impl From<model::Mark> for types::Mark {
    fn from(mark: model::Mark) -> Self {
        Self {
            offset: mark.offset as u64,
            place: types::Place::Line(mark.line),
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
