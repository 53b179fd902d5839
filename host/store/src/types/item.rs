//! Sources, items and their parts.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize, Serializer};

use super::ChunkSetId;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Millis = i64;

/// A source, as this store numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId(pub i64);

/// An item, as this store numbers it. Never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemId(pub i64);

/// A chunk, as this store numbers it. Never negative, and never given to
/// another chunk later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChunkId(pub i64);

/// An embedding model, as this store numbers it; see
/// [`Store::ensure_model`](crate::Store::ensure_model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModelId(pub i64);

/// One run of a sync; see [`Store::start_sync`](crate::Store::start_sync).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SyncRunId(pub i64);

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a chunk is known by: the first 128 bits of the BLAKE3 hash of what is
/// embedded for it. Half the hash is kept because it is stored three times a
/// chunk, and 128 bits tell any number of chunks apart that a disk can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkHash(pub [u8; 16]);

impl ChunkHash {
    /// The hash of `embedded`: the context line, where there is one, and the
    /// chunk's text, put together just as the model is to read them.
    #[must_use]
    pub fn of(embedded: &str) -> Self {
        let full = blake3::hash(embedded.as_bytes());
        let mut short = [0; 16];
        short.copy_from_slice(&full.as_bytes()[..16]);
        Self(short)
    }
}

/// What a source is, as its owner set it up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSpec {
    /// Unique; what people call it.
    pub name: String,
    /// Such as `folder`.
    pub kind: String,
    /// Where the items come from: a path or an address.
    pub location: String,
    /// The connector's settings, a JSON object. Passwords in it are never
    /// written out.
    #[serde(serialize_with = "without_passwords")]
    pub settings: String,
    /// The chunker component, where it is not the usual one.
    pub chunker: Option<String>,
    /// The chunker's settings, a JSON object.
    pub chunker_settings: Option<String>,
}

/// What stands for a password.
const HIDDEN: &str = "***";

/// Settings, with what `password` and `passwords` hold left out.
fn without_passwords<S: Serializer>(settings: &str, serializer: S) -> Result<S::Ok, S::Error> {
    fn hide(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    if matches!(key.to_lowercase().as_str(), "password" | "passwords") {
                        *value = HIDDEN.into();
                    } else {
                        hide(value);
                    }
                }
            }
            serde_json::Value::Array(list) => list.iter_mut().for_each(hide),
            // The settings of a component are JSON inside JSON.
            serde_json::Value::String(text) if text.trim_start().starts_with('{') => {
                if let Ok(mut inner) = serde_json::from_str(text) {
                    hide(&mut inner);
                    *text = inner.to_string();
                }
            }
            _ => {}
        }
    }
    match serde_json::from_str(settings) {
        Ok(mut value) => {
            hide(&mut value);
            serializer.serialize_str(&value.to_string())
        }
        Err(_) => serializer.serialize_str(settings),
    }
}

/// A source as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its number here.
    pub id: SourceId,
    /// What its owner set up.
    #[serde(flatten)]
    pub spec: SourceSpec,
    /// When it was added.
    pub created: Millis,
    /// When it was last gone through, whether or not anything had changed; none
    /// before the first time, and in a database from before this was kept.
    pub looked: Option<Millis>,
}

/// Where a reader finds something in the original.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Page, counted from 1.
    Page(u32),
    /// Line of the original file, counted from 1.
    Line(u32),
    /// Seconds from the start of a recording.
    Second(f64),
    /// Part of a container.
    Part(String),
}

/// The text from `offset` (bytes) on stands at `place` of the original, until
/// the next mark of the same kind of place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Byte offset into the item's text.
    pub offset: u64,
    /// Where that is in the original.
    pub place: Place,
}

/// One value without structure of its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Scalar {
    /// Words.
    Text(String),
    /// A number; not NaN.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// A point in time.
    Timestamp(Millis),
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A single value.
    One(Scalar),
    /// A list, which may be empty.
    Many(Vec<Scalar>),
}

/// A named, typed fact about an item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Property {
    /// Its name, as written.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// `[[target]]`.
    Wikilink,
    /// `![[target]]`.
    Embed,
    /// `[text](target)` or an HTML `a`.
    Hyperlink,
    /// An image.
    Image,
}

/// A link out of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// What is linked to; empty for a link inside the same document.
    pub target: String,
    /// Heading path or anchor.
    pub heading: Option<String>,
    /// Block id.
    pub block: Option<String>,
    /// What the reader sees, where that is not the target.
    pub label: Option<String>,
    /// The whole link in the item's text, in bytes.
    pub span: Range<u64>,
}

/// Something in a source that a link can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its identity within the source: of a file, the path.
    pub external_id: String,
    /// The item it is; none for what was skipped or could not be read.
    pub item: Option<ItemId>,
}

/// What a chunk is found by: the terms that an analyzer made, parted by single
/// spaces. Terms that stand one after the other in a column can be found as a
/// phrase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Of the item's title and aliases.
    pub title: String,
    /// Of the headings it stands under, and of the item's tags.
    pub headings: String,
    /// Of its text.
    pub body: String,
}

/// An item as an analyzer needs it to make the terms of its chunks.
#[derive(Clone, Copy, Debug)]
pub struct Analyzable<'a> {
    /// The title.
    pub title: &'a str,
    /// Other names.
    pub aliases: &'a [String],
    /// Without `#`.
    pub tags: &'a [String],
    /// The text.
    pub text: &'a str,
}

/// Makes the terms of an item's chunks, given their spans (bytes of the text)
/// and headings, in order.
pub type MakeTerms<'a> = dyn FnMut(Analyzable<'_>, &[(Range<u64>, &[String])]) -> Vec<Terms> + 'a;

/// One chunk to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkWrite {
    /// Its place in the item's text, in bytes; not empty, on character
    /// boundaries.
    pub span: Range<u64>,
    /// The headings it stands under, outermost first.
    pub headings: Vec<String>,
    /// Put before the text when it is embedded.
    pub context: Option<String>,
    /// The hash of what is embedded.
    pub hash: ChunkHash,
    /// What it is found by.
    pub terms: Terms,
}

/// What the ledger keeps about how an item was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// What the source said of the item's bytes without reading them, such as
    /// size and modification time. Compared for equality only.
    pub stamp: String,
    /// What the item was processed with: extractor, chunker, settings.
    /// Compared for equality only.
    pub pipeline: String,
    /// The component that read the item or that failed.
    pub component: Option<String>,
    /// What could not be read as it should, one sentence each.
    pub warnings: Vec<String>,
}

/// One item to be stored, all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemWrite {
    /// Where it comes from.
    pub source: SourceId,
    /// Identity within the source.
    pub external_id: String,
    /// Such as `note`.
    pub kind: String,
    /// What people call it.
    pub title: String,
    /// Where it can be opened.
    pub url: Option<String>,
    /// Author or channel.
    pub author: Option<String>,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// When the original was made.
    pub created: Option<Millis>,
    /// When the original was last changed.
    pub modified: Option<Millis>,
    /// When the original was published.
    pub published: Option<Millis>,
    /// Length of a recording, in seconds.
    pub duration: Option<f64>,
    /// How often the original was seen.
    pub views: Option<u64>,
    /// What the original's place files it under; each once.
    pub categories: Vec<String>,
    /// Size of the original, in bytes.
    pub size: u64,
    /// Hash of the original's bytes.
    pub content_hash: [u8; 32],
    /// The text to search.
    pub text: String,
    /// In ascending order of offset.
    pub marks: Vec<Mark>,
    /// In order; may overlap.
    pub chunks: Vec<ChunkWrite>,
    /// What they were made with; none where nobody will want to know.
    pub chunk_set: Option<ChunkSetId>,
    /// Where a name comes twice, the last one counts.
    pub properties: Vec<Property>,
    /// Without `#`; order is kept, repetitions are not.
    pub tags: Vec<String>,
    /// Other names; order is kept, repetitions are not.
    pub aliases: Vec<String>,
    /// In order of appearance.
    pub links: Vec<Link>,
    /// The ledger row that goes with it; its state is `Indexed`.
    pub provenance: Provenance,
}

/// A new identity for an item that moved within its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// Where the item is.
    pub source: SourceId,
    /// Its identity so far.
    pub from: String,
    /// Its identity from now on.
    pub to: String,
    /// Its new address; none keeps the old one.
    pub url: Option<String>,
    /// What the source says of the bytes now; see [`Provenance::stamp`].
    pub stamp: String,
}

/// Whether an item's stored content is what the source holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemStatus {
    /// It is.
    Indexed,
    /// The source holds a newer state that was skipped or failed; the content
    /// is the last that could be read. The ledger says why.
    Stale,
    /// The item is deleted softly: out of every search, text kept.
    Deleted,
}

/// An item as stored, without its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the fields are those of `ItemWrite`
pub struct Item {
    pub id: ItemId,
    pub source_id: SourceId,
    /// The source's name.
    pub source: String,
    pub external_id: String,
    pub kind: String,
    pub title: String,
    pub url: Option<String>,
    pub author: Option<String>,
    pub language: Option<String>,
    pub created: Option<Millis>,
    pub modified: Option<Millis>,
    pub published: Option<Millis>,
    /// When its present content was stored here.
    pub ingested: Millis,
    pub duration: Option<f64>,
    pub views: Option<u64>,
    pub size: u64,
    #[serde(skip)]
    pub content_hash: [u8; 32],
    pub status: ItemStatus,
    /// When it was deleted softly.
    pub deleted: Option<Millis>,
    /// Why it was deleted softly, such as `file_deleted` or `user`.
    pub deleted_from: Option<String>,
}

/// An item with what hangs on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemDetails {
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// See [`ItemWrite::categories`].
    pub categories: Vec<String>,
    /// Without `#`.
    pub tags: Vec<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// By name.
    pub properties: Vec<Property>,
    /// In order of appearance.
    pub links: Vec<Link>,
}

/// An item's text and its marks.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemText {
    /// The text that was searched.
    pub text: String,
    /// In ascending order of offset.
    pub marks: Vec<Mark>,
}

/// A chunk as stored, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its number.
    pub id: ChunkId,
    /// Its place among the item's chunks, from 0.
    pub ordinal: u32,
    /// Its place in the item's text, in bytes.
    pub span: Range<u64>,
    /// Outermost first.
    pub headings: Vec<String>,
    /// Put before the text when it is embedded.
    pub context: Option<String>,
    /// Hash of what is embedded.
    pub hash: ChunkHash,
}

/// A chunk's vector, as far as 8 bits a number keep it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkVector {
    /// The chunk.
    pub chunk: ChunkId,
    /// As long as the model has dimensions.
    pub vector: Vec<f32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_written_out() {
        let spec = SourceSpec {
            name: "a".into(),
            kind: "folder".into(),
            location: "/a".into(),
            settings: r#"{"extractor_settings":"{\"extract-pdf\":{\"passwords\":[\"open sesame\"]}}","folder":{"hidden":true}}"#.into(),
            chunker: None,
            chunker_settings: None,
        };
        let written = serde_json::to_string(&spec).unwrap();
        assert!(
            !written.contains("sesame") && written.contains("***"),
            "{written}"
        );
        assert!(written.contains("hidden"), "{written}");
    }
}
