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

/// Ties the text to lines of the original file.
///
/// The character at `offset` stands on `line` of the original. From there on
/// the line number goes up by one after each newline of the text, until the
/// next mark says otherwise. So a text that is in the original in one piece has
/// one mark, at offset 0, and there is another wherever the count would go
/// wrong: behind each comment of several lines that was taken out. Such a mark
/// can stand in the middle of a line of the text. An empty text has no mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Byte offset into the text; ascends strictly from mark to mark.
    pub offset: usize,
    /// Line of the original file, counted from 1. `\n`, `\r\n` and a lone `\r`
    /// each end a line.
    pub line: u32,
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

/// A frontmatter key. Keys inside a mapping carry its name before a dot:
/// `author.name`. Keys without a value are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The key as written.
    pub name: String,
    /// Typed as YAML types what was written.
    pub value: Value,
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

/// What was made of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// From frontmatter, else the first heading of level 1 or the heading the
    /// text begins with, else the file name. Never empty unless the file name
    /// is.
    pub title: String,
    /// Markdown as written, without frontmatter and `%%` comments, with `\n`
    /// line ends and without a byte order mark.
    pub text: String,
    /// In ascending order of offset; see [`Mark`].
    pub marks: Vec<Mark>,
    /// All frontmatter keys, `title`, `tags` and `aliases` included, in order.
    pub properties: Vec<Property>,
    /// Without `#`: those of the frontmatter, then those in the text, in order
    /// of appearance; each once, whatever its case.
    pub tags: Vec<String>,
    /// Other names, from frontmatter.
    pub aliases: Vec<String>,
    /// In order of their start.
    pub links: Vec<Link>,
    /// What could not be read as it should, one sentence each.
    pub warnings: Vec<String>,
}

/// Why a file could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The bytes, or the settings, are not what they should be.
    InvalidInput,
    /// Text in an encoding that is not read.
    Unsupported,
    /// Over the limit that the settings set.
    TooLarge,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What sort of failure it is.
    pub kind: FailureKind,
    /// One sentence for a person.
    pub message: String,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
