//! What an extractor is given, and what it gives.

use serde::de::DeserializeOwned;

use crate::model::{Batch, Document, Failure, FailureKind};

/// What the host gives at a time, in bytes.
pub const MOST_READ: u32 = 16 << 20;
/// What the pieces of one batch may hold together, in bytes.
pub const MOST_PIECES_BYTES: usize = 16 << 20;

/// What is known of the bytes before they are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Input<'a> {
    /// File name with extension, without folders.
    pub name: &'a str,
    /// Media type, where the source knows one.
    pub media_type: Option<&'a str>,
    /// The component's settings: a JSON object that fits its schema, or
    /// nothing.
    pub settings: &'a str,
}

impl Input<'_> {
    /// The extension of the name, in lower case and without the dot; empty
    /// where there is none.
    pub fn extension(&self) -> String {
        match self.name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension.to_lowercase(),
            _ => String::new(),
        }
    }

    /// The settings; nothing stands for the defaults.
    ///
    /// # Errors
    /// [`FailureKind::InvalidInput`] on anything the schema does not allow.
    pub fn settings<S: DeserializeOwned + Default>(&self) -> Result<S, Failure> {
        if self.settings.trim().is_empty() {
            return Ok(S::default());
        }
        serde_json::from_str(self.settings)
            .map_err(|error| Failure::invalid(format!("The settings cannot be read: {error}.")))
    }
}

/// The bytes of one file, read by offset.
pub trait Bytes {
    /// Length in bytes.
    fn size(&self) -> u64;

    /// Up to `length` bytes from byte `offset` on, [`MOST_READ`] at most at a
    /// time. Fewer only at the end; none at or past it.
    ///
    /// # Errors
    /// What the host says.
    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, Failure>;

    /// The whole file.
    ///
    /// # Errors
    /// [`FailureKind::TooLarge`] over `most` bytes; what the host says.
    fn read_all(&self, most: u64) -> Result<Vec<u8>, Failure> {
        let size = self.size();
        if size > most {
            return Err(Failure::new(
                FailureKind::TooLarge,
                format!(
                    "The file has {size} bytes, over the limit of {most} bytes; raise the setting max_bytes to read it."
                ),
            ));
        }
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < size {
            let piece = self.read(bytes.len() as u64, MOST_READ)?;
            if piece.is_empty() {
                break;
            }
            if bytes.is_empty() {
                // The usual file comes in one piece and is taken as it is.
                bytes = piece;
            } else {
                bytes.extend_from_slice(&piece);
            }
        }
        Ok(bytes)
    }
}

impl Bytes for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, Failure> {
        let start = usize::try_from(offset).map_or(self.len(), |at| at.min(self.len()));
        let end = start
            .saturating_add(length.min(MOST_READ) as usize)
            .min(self.len());
        Ok(self[start..end].to_vec())
    }
}

/// Reads the words in pictures.
pub trait Ocr {
    /// Whether [`Ocr::read`] can work.
    ///
    /// # Errors
    /// [`FailureKind::Unavailable`], with what would help.
    fn available(&self) -> Result<(), Failure>;

    /// The words in a picture (a PNG file), a line for each line.
    ///
    /// # Errors
    /// What the host says.
    fn read(&self, png: &[u8]) -> Result<String, Failure>;
}

/// A host that reads no pictures.
#[derive(Debug, Clone, Copy)]
pub struct NoOcr;

impl Ocr for NoOcr {
    fn available(&self) -> Result<(), Failure> {
        Err(Failure::new(
            FailureKind::Unavailable,
            "Words in pictures are not read here.",
        ))
    }

    fn read(&self, _: &[u8]) -> Result<String, Failure> {
        self.available().map(|()| String::new())
    }
}

/// What a component says of itself.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Its name, `env!("CARGO_PKG_NAME")`.
    pub name: &'static str,
    /// Its version, `env!("CARGO_PKG_VERSION")`.
    pub version: &'static str,
    /// One sentence for a person.
    pub summary: &'static str,
    /// JSON Schema (an object) of its settings.
    pub settings_schema: &'static str,
}

/// Reads a family of file formats. Bytes are untrusted: any input gives
/// documents or a [`Failure`], in time linear in its length or nearly so.
pub trait Extractor {
    /// What it says of itself.
    const ABOUT: About;

    /// Opens an input.
    ///
    /// # Errors
    /// When no document can be had from it at all.
    fn open(
        input: Input<'_>,
        bytes: Box<dyn Bytes>,
        ocr: Box<dyn Ocr>,
    ) -> Result<Box<dyn Documents>, Failure>;
}

/// An opened input.
pub trait Documents {
    /// The next documents and pieces, at most `limit` (at least 1) of each;
    /// never none of both without it being the end.
    ///
    /// # Errors
    /// A failure ends the input; one bad part is an entry of the batch.
    fn next(&mut self, limit: usize) -> Result<Batch, Failure>;
}

/// Documents that are all there, handed on a few at a time.
impl Documents for std::vec::IntoIter<Document> {
    fn next(&mut self, limit: usize) -> Result<Batch, Failure> {
        let documents = self.by_ref().take(limit).map(Ok).collect();
        Ok(Batch {
            documents,
            pieces: Vec::new(),
            last: self.len() == 0,
        })
    }
}

/// Documents that are all there.
pub fn all(documents: Vec<Document>) -> Box<dyn Documents> {
    Box::new(documents.into_iter())
}
