//! What an extraction gives: plain Rust twins of the types in `wit/`.

use std::fmt;
use std::ops::Range;

/// A stretch of a document's text, in bytes, on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self {
            start: range.start,
            end: range.end,
        }
    }
}

/// Where a reader finds something in the original.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// Page, counted from 1.
    Page(u32),
    /// Line of the original file, counted from 1. `\n`, `\r\n` and a lone `\r`
    /// each end a line. From the mark on the number goes up by one after each
    /// newline of the text, until the next mark of a line says otherwise.
    Line(u32),
    /// Seconds from the start of a recording, at least 0.
    Second(f64),
    /// Part of a container, as people name it: `row 40`, `Sheet1`, `slide 3`.
    Part(String),
}

/// Says that the text from `offset` on stands at `place` of the original, until
/// the next mark of the same kind of place.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Byte offset into the text, on a character boundary.
    pub offset: usize,
    /// Where that is.
    pub place: Place,
}

impl Mark {
    /// The text from `offset` on stands on a line, counted from 1.
    #[must_use]
    pub fn line(offset: usize, line: u32) -> Self {
        let place = Place::Line(line);
        Self { offset, place }
    }

    /// The text from `offset` on stands on a page, counted from 1.
    #[must_use]
    pub fn page(offset: usize, page: u32) -> Self {
        let place = Place::Page(page);
        Self { offset, place }
    }

    /// The text from `offset` on is heard so many seconds from the start.
    #[must_use]
    pub fn second(offset: usize, second: f64) -> Self {
        let place = Place::Second(second);
        Self { offset, place }
    }

    /// The text from `offset` on stands in a part of a container.
    pub fn part(offset: usize, part: impl Into<String>) -> Self {
        let place = Place::Part(part.into());
        Self { offset, place }
    }
}

/// One value without structure of its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// Anything that is nothing else.
    Text(String),
    /// Always finite.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// Milliseconds since 1970-01-01T00:00:00Z. A time without a zone counts
    /// as UTC; a date without a time is its first millisecond.
    Timestamp(i64),
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A single value.
    One(Scalar),
    /// A list; what was nested in it is flattened.
    Many(Vec<Scalar>),
}

/// A named, typed fact about a document. Names that the host understands:
/// `author`, `lang`, `created`, `modified`, `published` (timestamps), `url`,
/// `duration` (seconds), `views`, `categories`.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// Its name. Keys inside a mapping carry its name before a dot:
    /// `author.name`.
    pub name: String,
    /// Its value.
    pub value: Value,
}

impl Property {
    /// A property that is one text.
    pub fn text(name: &str, value: impl Into<String>) -> Self {
        Self::one(name, Scalar::Text(value.into()))
    }

    /// A property that is a point in time, in milliseconds since 1970.
    pub fn timestamp(name: &str, value: i64) -> Self {
        Self::one(name, Scalar::Timestamp(value))
    }

    /// A property that is a finite number.
    pub fn number(name: &str, value: f64) -> Self {
        Self::one(name, Scalar::Number(value))
    }

    /// A property that is a list of texts.
    pub fn texts(name: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let values = values.into_iter().map(|value| Scalar::Text(value.into()));
        Self {
            name: name.to_owned(),
            value: Value::Many(values.collect()),
        }
    }

    fn one(name: &str, value: Scalar) -> Self {
        Self {
            name: name.to_owned(),
            value: Value::One(value),
        }
    }
}

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// `[[target]]`.
    Wikilink,
    /// `![[target]]`.
    Embed,
    /// `[text](target)`, a reference link, an autolink, a bare web address or
    /// an HTML `a`.
    Hyperlink,
    /// `![alt](target)` or an HTML `img`.
    Image,
}

/// A link out of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// What is linked to, without heading, block and alias parts; empty for a
    /// link inside the document. A path is percent-decoded; an address with a
    /// scheme stays as written.
    pub target: String,
    /// The part after `#`: a heading path (`One#Two`) or an anchor.
    pub heading: Option<String>,
    /// The block id after `#^`.
    pub block: Option<String>,
    /// What the reader sees, where that is not the target.
    pub label: Option<String>,
    /// The whole link in the text.
    pub span: Span,
}

/// What was made of a file, or of a part of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Which part of the input this is, the same each time it is read; empty
    /// for what the input as a whole says.
    pub part: String,
    /// What it is, as one lower-case word such as `message`; empty where the
    /// file's format says it.
    pub kind: String,
    /// One line, never empty unless the file name is.
    pub title: String,
    /// Markdown, with `\n` line ends.
    pub text: String,
    /// In ascending order of offset.
    pub marks: Vec<Mark>,
    /// In order.
    pub properties: Vec<Property>,
    /// Without `#`, in order of appearance, each once, whatever its case.
    pub tags: Vec<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// In order of their start.
    pub links: Vec<Link>,
    /// What could not be read as it should, one sentence each.
    pub warnings: Vec<String>,
}

/// More warnings than this are counted, not listed.
const MOST_WARNINGS: usize = 20;

impl Document {
    /// Cuts a long list of warnings down to the first and a count.
    pub fn bound_warnings(&mut self) {
        let more = self.warnings.len().saturating_sub(MOST_WARNINGS);
        if more > 0 {
            self.warnings.truncate(MOST_WARNINGS);
            self.warnings
                .push(format!("There are {more} more warnings like these."));
        }
    }
}

/// Why something could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The bytes, or the settings, are not what they should be.
    InvalidInput,
    /// The bytes are sound, but use something that is not read.
    Unsupported,
    /// A password or key is needed.
    Encrypted,
    /// Over a limit.
    TooLarge,
    /// Something outside did not answer.
    Unavailable,
    /// The extractor is at fault.
    Internal,
}

/// A file, or a part of one, that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What sort of failure it is.
    pub kind: FailureKind,
    /// One sentence for a person.
    pub message: String,
}

impl Failure {
    /// A failure with its sentence.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Bytes that are not what they claim to be.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(FailureKind::InvalidInput, message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// A part of the input that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFailure {
    /// Which part.
    pub part: String,
    /// Why.
    pub failure: Failure,
}

/// A stretch of a file that lies inside the input, such as an attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which part of the input the file is; never empty.
    pub part: String,
    /// File name with extension, folders before it with `/` between.
    pub name: String,
    /// Where the input tells it.
    pub media_type: Option<String>,
    /// The next bytes of the file.
    pub content: Vec<u8>,
    /// True for the file's last piece; those of a file follow one another.
    pub last: bool,
}

/// What one step through the input yields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// The next documents.
    pub documents: Vec<Result<Document, PartFailure>>,
    /// The next pieces of files, [`crate::MOST_PIECES_BYTES`] together at most.
    pub pieces: Vec<Piece>,
    /// True when there is nothing after this batch.
    pub last: bool,
}
