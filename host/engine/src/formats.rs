//! Which extractor reads a file: its first bytes decide, and its name where
//! they leave it open.

mod sniff;

use std::collections::BTreeSet;

use self::sniff::Sniffed;

/// A family of files that one extractor reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Format {
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
pub(crate) const HEAD: usize = 256 << 10;

/// Changes whenever files could be given to another extractor than before; then
/// all are read again.
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
    ($($id:ident: $extractor:literal, $kind:literal, [$($extension:literal),* $(,)?], [$($media:literal),* $(,)?];)*) => {
        $(pub(crate) static $id: Format = Format {
            extractor: $extractor,
            kind: $kind,
            extensions: &[$($extension),*],
            media_types: &[$($media),*],
        };)*
        static FORMATS: &[&Format] = &[$(&$id),*];
    };
}

formats! {
    MARKDOWN: "extract-markdown", "note",
        ["md", "markdown", "mdx", "mdown", "mdwn", "mkd", "mkdn", "mkdown", "qmd", "rmd", "livemd"],
        ["text/markdown", "text/x-markdown"];
    TEXT: "extract-markdown", "text", ["txt", "text", "log"], ["text/plain"];
    ORG: "extract-text", "note", ["org"], ["text/org", "text/x-org"];
    MARKUP: "extract-text", "document",
        ["rst", "rest", "adoc", "asciidoc", "asc", "tex", "ltx", "latex"],
        ["text/x-rst", "text/prs.fallenstein.rst", "text/asciidoc", "text/x-asciidoc", "text/x-tex",
         "application/x-tex", "application/x-latex"];
    SUBTITLES: "extract-text", "subtitles",
        ["srt", "vtt", "webvtt", "sbv", "ass", "ssa", "lrc", "ttml", "dfxp", "srv1", "srv2", "srv3", "json3"],
        ["text/vtt", "application/x-subrip", "application/ttml+xml"];
    DATA: "extract-text", "data",
        ["csv", "tsv", "tab", "psv", "json", "jsonl", "ndjson", "geojson", "topojson", "jsonc", "json5", "jsonld",
         "webmanifest", "har", "excalidraw", "canvas", "ipynb", "opml", "xml", "rss", "atom", "rdf", "kml", "gpx",
         "plist", "xsd", "xsl", "xslt", "wsdl", "docbook", "dbk", "tei", "enex", "xliff", "xlf", "tmx", "fb2",
         "musicxml", "mml", "svg"],
        ["text/csv", "text/tab-separated-values", "application/json", "application/x-ndjson",
         "application/geo+json", "application/ld+json", "application/x-ipynb+json", "application/xml", "text/xml",
         "application/rss+xml", "application/atom+xml", "image/svg+xml", "text/x-opml"];
    CODE: "extract-text", "code",
        ["ada", "adb", "ads", "applescript", "asm", "awk", "bash", "bat", "bib", "bzl", "c", "cc", "cfg", "cjs", "cl", "clj", "cljs", "cmake", "cmd", "coffee", "conf", "cpp", "cr", "cs", "css", "csx", "cue", "cxx", "d", "dart", "desktop", "dhall", "diff", "dot", "edn", "el", "elm", "env", "erl", "ex", "exs", "f", "f90", "f95", "fish", "fs", "fsx", "glsl", "go", "gradle", "graphql", "groovy", "gql", "h", "hcl", "hh", "hpp", "hrl", "hs", "hxx", "ini", "ino", "java", "jl", "js", "jsx", "kt", "kts", "less", "lisp", "lua", "m", "mak", "mjs", "mk", "ml", "mli", "mm", "nim", "nix", "nu", "pas", "patch", "php", "pl", "pm", "plantuml", "pp", "prisma", "pro", "properties", "proto", "ps1", "psm1", "puml", "purs", "py", "pyi", "pyw", "r", "rake", "rb", "rkt", "rs", "s", "sass", "sbt", "scala", "scm", "scss", "service", "sh", "sol", "sql", "styl", "svelte", "sv", "swift", "tcl", "tf", "thrift", "toml", "ts", "tsx", "typ", "v", "vb", "vhd", "vhdl", "vim", "vue", "wat", "wit", "yaml", "yml", "zig", "zsh"],
        ["text/x-python", "text/javascript", "text/css", "text/x-c", "text/x-rust", "application/javascript"];
    PDF: "extract-pdf", "pdf", ["pdf"], ["application/pdf"];
    PAGE: "extract-html", "page", ["html", "htm", "xhtml", "xht", "mhtml", "mht", "shtml"],
        ["text/html", "application/xhtml+xml", "multipart/related"];
    DOCUMENT: "extract-office", "document",
        ["docx", "docm", "dotx", "dotm", "odt", "ott", "fodt", "rtf", "doc", "dot"],
        ["application/vnd.openxmlformats-officedocument.wordprocessingml.document",
         "application/vnd.oasis.opendocument.text", "application/rtf", "text/rtf", "application/msword"];
    SLIDES: "extract-office", "slides",
        ["pptx", "pptm", "ppsx", "ppsm", "potx", "odp", "otp", "fodp", "ppt", "pps"],
        ["application/vnd.openxmlformats-officedocument.presentationml.presentation",
         "application/vnd.oasis.opendocument.presentation", "application/vnd.ms-powerpoint"];
    SHEET: "extract-office", "sheet",
        ["xlsx", "xlsm", "xltx", "xltm", "ods", "ots", "fods", "xls"],
        ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
         "application/vnd.oasis.opendocument.spreadsheet", "application/vnd.ms-excel"];
    BOOK: "extract-office", "book", ["epub"], ["application/epub+zip"];
    MESSAGE: "extract-mail", "message", ["eml", "emlx", "nws"], ["message/rfc822"];
    MAILBOX: "extract-mail", "mailbox", ["mbox", "mbx"], ["application/mbox"];
    BOOKMARKS: "extract-bookmarks", "bookmarks", ["jsonlz4"], [];
    ACTIVITY: "extract-takeout", "activity", [], [];
    CALENDAR: "extract-takeout", "calendar", ["ics", "ical", "ifb"], ["text/calendar"];
    CONTACTS: "extract-takeout", "contacts", ["vcf", "vcard"], ["text/vcard", "text/x-vcard"];
    ARCHIVE: "extract-archive", "archive",
        ["zip", "tar", "tgz", "tbz", "tbz2", "txz", "gz", "bz2", "xz", "zst"],
        ["application/zip", "application/x-zip-compressed", "application/x-tar", "application/gzip",
         "application/x-gzip"];
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
    dmg img iso qcow2 vdi vhdx vmdk apk deb msi pkg rpm snap \
    7z br cab lz lz4 lzma rar sit z pages numbers xpi crx \
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
    match sniff::by_magic(head, name) {
        Sniffed::Is(format) => return Some(format),
        Sniffed::Nothing => return None,
        Sniffed::Unknown => {}
    }
    let promised = by_name(name).or_else(|| by_media_type(media_type?));
    if !is_text(head) {
        // Films are called `.ts` too. What else is no text, its extractor says.
        return promised.filter(|format| *format != &CODE);
    }
    sniff::by_text(head, promised)
        .or(promised)
        .or_else(|| sniff::is_code(head, name).then_some(&CODE))
        .or(Some(&TEXT))
}

/// The format that a file name promises.
pub(crate) fn by_name(name: &str) -> Option<&'static Format> {
    let (_, extension) = name.rsplit_once('.')?;
    let extension = extension.to_lowercase();
    with(|format| format.extensions.contains(&extension.as_str()))
}

/// Whether files called so are often something more special.
pub(crate) fn is_ambiguous(format: &Format) -> bool {
    [&DATA, &PAGE, &TEXT].contains(&format)
}

fn by_media_type(media_type: &str) -> Option<&'static Format> {
    let essence = media_type.split(';').next()?.trim().to_ascii_lowercase();
    with(|format| format.media_types.contains(&essence.as_str()))
}

fn with(fits: impl Fn(&Format) -> bool) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| fits(format))
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
mod tests;
