//! Which extractor reads a file: its first bytes decide, and its name where
//! they leave it open.

use std::collections::BTreeSet;

/// A family of files that one extractor reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// For people.
    pub(crate) name: &'static str,
    /// The extractor component.
    pub(crate) extractor: &'static str,
    /// The kind of item that a file of it is.
    pub(crate) kind: &'static str,
    /// File name extensions, in lower case.
    extensions: &'static [&'static str],
    /// Media types, without parameters.
    media_types: &'static [&'static str],
}

/// How many bytes from the beginning of a file are looked at.
pub(crate) const HEAD: usize = 16 << 10;

/// Changes whenever files could be given to another extractor than before.
pub(crate) const VERSION: &str = "1";

/// The kind of items whose text is no Markdown.
pub(crate) const PLAIN_KINDS: [&str; 2] = ["text", "subtitles"];

/// The kinds of items that hold others, and may hold nothing else.
pub(crate) const CONTAINERS: [&str; 6] = [
    "activity",
    "archive",
    "bookmarks",
    "calendar",
    "contacts",
    "mailbox",
];

macro_rules! formats {
    ($($id:ident: $name:literal, $extractor:literal, $kind:literal, [$($extension:literal),*], [$($media:literal),*];)*) => {
        $(pub(crate) static $id: Format = Format {
            name: $name,
            extractor: $extractor,
            kind: $kind,
            extensions: &[$($extension),*],
            media_types: &[$($media),*],
        };)*
        static FORMATS: &[&Format] = &[$(&$id),*];
    };
}

formats! {
    MARKDOWN: "Markdown", "extract-markdown", "note",
        ["md", "markdown", "mdx", "mdown", "mdwn", "mkd", "mkdn", "mkdown", "qmd", "rmd", "livemd"],
        ["text/markdown", "text/x-markdown"];
    TEXT: "text", "extract-markdown", "text", ["txt", "text", "log"], ["text/plain"];
}

/// Extensions of files that nothing reads, which are never opened: pictures,
/// sound, films, programs, fonts, databases, disk images.
const UNREAD: &str = "\
    apng avif bmp cr2 dng gif heic heif ico icns jfif jpeg jpg jxl nef png psd raw svgz tga tif tiff webp xcf \
    aac aif aiff amr ape caf flac m4a m4b mid midi mp3 oga ogg opus wav wma \
    3gp avi flv m2ts m4v mkv mov mp4 mpeg mpg mts ogv webm wmv \
    a bin class com dex dll dylib elf exe jar ko lib o obj pdb pyc pyd pyo rlib so sys wasm war \
    eot otf ttc ttf woff woff2 \
    accdb db db3 dbf frm ibd ldb mdb myd myi realm sqlite sqlite3 \
    dmg img iso qcow2 vdi vhd vhdx vmdk apk deb msi pkg rpm snap \
    7z br bz2 cab lz lz4 lzma rar sit xz z \
    arrow feather gguf h5 hdf5 joblib mat npy npz onnx orc parquet pickle pkl pt pth safetensors \
    blend dwg fbx glb iff lrcat max skp step stl stp \
    crt der key keystore p12 pem pfx \
    cache crdownload dat dmp idx lnk lock map swp tmp torrent url webloc";

/// Those extensions, as a folder source takes them.
pub(crate) fn unread() -> BTreeSet<String> {
    UNREAD.split_whitespace().map(str::to_owned).collect()
}

/// The extractors that files are given to.
pub(crate) fn extractors() -> BTreeSet<&'static str> {
    FORMATS.iter().map(|format| format.extractor).collect()
}

/// The format of a file that begins with `head` (all of it, or [`HEAD`] bytes);
/// none where nothing reads it.
pub(crate) fn detect(head: &[u8], name: &str, media_type: Option<&str>) -> Option<&'static Format> {
    by_content(head, name)
        .or_else(|| by_name(name))
        .or_else(|| by_media_type(media_type?))
        .or_else(|| is_text(head).then_some(&TEXT))
}

/// The format that a file name promises.
pub(crate) fn by_name(name: &str) -> Option<&'static Format> {
    let (_, extension) = name.rsplit_once('.')?;
    let extension = extension.to_lowercase();
    with(|format| format.extensions.contains(&extension.as_str()))
}

fn by_media_type(media_type: &str) -> Option<&'static Format> {
    let essence = media_type.split(';').next()?.trim().to_ascii_lowercase();
    with(|format| format.media_types.contains(&essence.as_str()))
}

fn with(fits: impl Fn(&Format) -> bool) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| fits(format))
}

fn by_content(_head: &[u8], _name: &str) -> Option<&'static Format> {
    None
}

/// Whether these bytes can be the beginning of a text, in whatever charset.
fn is_text(head: &[u8]) -> bool {
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        return true;
    }
    let control = |byte: &&u8| **byte < 9 || (14..32).contains(*byte) && **byte != 27;
    head.iter().filter(control).count() * 100 <= head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(head: &[u8], name: &str) -> Option<&'static str> {
        detect(head, name, None).map(|format| format.kind)
    }

    #[test]
    fn names_tell_where_content_does_not() {
        assert_eq!(kind(b"# A", "a.md"), Some("note"));
        assert_eq!(kind(b"# A", "A.MARKDOWN"), Some("note"));
        assert_eq!(kind(b"plain", "a.txt"), Some("text"));
        assert_eq!(kind(b"plain", "README"), Some("text"));
        assert_eq!(kind(b"plain", "a.unheard-of"), Some("text"));
        assert_eq!(kind(b"\x00\x01\x02\x03", "a.unheard-of"), None);
        assert_eq!(kind(b"", "empty"), Some("text"));
        assert_eq!(
            detect(b"# A", "a", Some("Text/Markdown; charset=utf-8")),
            Some(&MARKDOWN)
        );
    }

    #[test]
    fn nothing_that_is_read_is_left_unread() {
        let unread = unread();
        for format in FORMATS {
            for extension in format.extensions {
                assert!(!unread.contains(*extension), "{extension}");
            }
        }
    }

    #[test]
    fn text_is_told_from_other_bytes() {
        assert!(is_text("déjà vu".as_bytes()));
        assert!(is_text(b"caf\xe9"), "a legacy charset");
        assert!(is_text(b"\xff\xfea\x00"), "UTF-16");
        assert!(is_text(b"\x1b[31mred\x1b[0m"));
        assert!(!is_text(b"\x7fELF\x02\x01\x01\x00\x00\x00"));
    }
}
