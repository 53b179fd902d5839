//! Reading a file with a component, and with the crate that it is made of.

use std::hint::black_box;
use std::sync::Arc;

use extract_core::{Bytes, Documents, Failure, Input, NoOcr, Ocr};
use pkb_runtime::{CallError, Extractor};

/// As many documents at a time as the sandbox asks for.
const AT_ONCE: usize = 64;
const SETTINGS: &str = "{}";

/// A file to read.
#[derive(Clone)]
pub(super) struct File {
    /// With extension, without folders.
    pub(super) name: String,
    pub(super) bytes: Arc<Vec<u8>>,
}

type Open = fn(Input<'_>, Box<dyn Bytes>, Box<dyn Ocr>) -> Result<Box<dyn Documents>, Failure>;

/// A component, and its crate as a library.
pub(super) struct Reader {
    pub(super) component: &'static str,
    open: Open,
}

macro_rules! readers {
    ($($id:ident: $component:literal, $extractor:ty;)*) => {$(
        pub(super) static $id: Reader = Reader {
            component: $component,
            open: <$extractor as extract_core::Extractor>::open,
        };
    )*};
}

readers! {
    MARKDOWN: "extract-markdown", extract_markdown::Markdown;
    TEXT: "extract-text", extract_text::Text;
    HTML: "extract-html", extract_html::Html;
    PDF: "extract-pdf", extract_pdf::Pdf;
    OFFICE: "extract-office", extract_office::Office;
    MAIL: "extract-mail", extract_mail::Mail;
    BOOKMARKS: "extract-bookmarks", extract_bookmarks::Bookmarks;
    TAKEOUT: "extract-takeout", extract_takeout::Takeout;
    ARCHIVE: "extract-archive", extract_archive::Archive;
}

/// Bytes that are lent, as the sandbox's are: both ways copy them once.
struct Lent(Arc<Vec<u8>>);

impl Bytes for Lent {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, Failure> {
        Bytes::read(&*self.0, offset, length)
    }
}

fn inside(
    extractor: &Extractor,
    file: &File,
    mut each: impl FnMut(pkb_runtime::Batch),
) -> Result<(), CallError> {
    let mut documents = extractor.open(&file.name, None, SETTINGS, file.bytes.clone(), None)?;
    while let Some(batch) = documents.next_batch()? {
        each(batch);
    }
    Ok(())
}

fn native(
    reader: &Reader,
    file: &File,
    mut each: impl FnMut(extract_core::Batch),
) -> Result<(), Failure> {
    let input = Input {
        name: &file.name,
        settings: SETTINGS,
        ..Input::default()
    };
    let mut documents = (reader.open)(input, Box::new(Lent(file.bytes.clone())), Box::new(NoOcr))?;
    loop {
        let batch = documents.next(AT_ONCE)?;
        let last = batch.last;
        each(batch);
        if last {
            return Ok(());
        }
    }
}

/// Reads the files in the sandbox.
pub(super) fn all_inside(extractor: &Extractor, files: &[File]) {
    for file in files {
        inside(extractor, file, |batch| drop(black_box(batch))).unwrap();
    }
}

/// Reads them with the crate.
pub(super) fn all_native(reader: &Reader, files: &[File]) {
    for file in files {
        native(reader, file, |batch| drop(black_box(batch))).unwrap();
    }
}

/// What came of a file.
#[derive(Default)]
pub(super) struct Seen {
    /// Part, title and text.
    documents: Vec<(String, String, String)>,
    /// Files inside, with their bytes, and whether they are complete.
    files: Vec<(String, Vec<u8>, bool)>,
    /// Parts that cannot be read, and why.
    failed: Vec<(String, String)>,
}

impl Seen {
    fn add_piece(&mut self, part: String, content: Vec<u8>, last: bool) {
        match self.files.last_mut() {
            Some((name, bytes, complete)) if *name == part && !*complete => {
                bytes.extend(content);
                *complete = last;
            }
            _ => self.files.push((part, content, last)),
        }
    }

    /// Documents and files.
    pub(super) fn items(&self) -> usize {
        self.documents.len() + self.files.len()
    }

    /// The files inside: names, with folders, and bytes.
    pub(super) fn into_files(self) -> impl Iterator<Item = (String, Vec<u8>)> {
        self.files.into_iter().map(|(part, bytes, _)| (part, bytes))
    }

    /// Both ways must read the same, or the comparison says nothing.
    pub(super) fn assert_same(&self, other: &Seen, name: &str) {
        assert_eq!(self.failed, other.failed, "{name}");
        assert_eq!(self.documents.len(), other.documents.len(), "{name}");
        for (one, other) in self.documents.iter().zip(&other.documents) {
            assert!(one == other, "{name}: document {:?} differs", one.0);
        }
        assert_eq!(self.files.len(), other.files.len(), "{name}");
        for (one, other) in self.files.iter().zip(&other.files) {
            assert!(one == other, "{name}: file {:?} differs", one.0);
        }
    }
}

/// Adds a batch to what was seen. Both ways give the same fields, in types of
/// their own.
macro_rules! add {
    ($seen:ident, $batch:ident) => {{
        for document in $batch.documents {
            match document {
                Ok(it) => $seen.documents.push((it.part, it.title, it.text)),
                Err(it) => $seen.failed.push((it.part, it.failure.message)),
            }
        }
        for piece in $batch.pieces {
            $seen.add_piece(piece.part, piece.content, piece.last);
        }
    }};
}

/// What the sandbox gives; what it says where it gives nothing.
pub(super) fn seen_inside(extractor: &Extractor, file: &File) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let read = inside(extractor, file, |batch| add!(seen, batch));
    read.map(|()| seen).map_err(|error| error.to_string())
}

/// What the crate gives; what it says where it gives nothing.
pub(super) fn seen_native(reader: &Reader, file: &File) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let read = native(reader, file, |batch| add!(seen, batch));
    read.map(|()| seen).map_err(|failure| failure.message)
}
