//! Files made to break what reads them.

use crate::packed::zip;
use crate::pdf::{self, FONT, page, shown, stream};
use crate::samples::samples;
use crate::{bombs, deep};

/// A hostile file.
pub(crate) struct Attack {
    pub(crate) name: String,
    pub(crate) content: Content,
}

/// What it holds.
pub(crate) enum Content {
    Whole(Vec<u8>),
    /// These bytes, and then nothing but zeros up to that size.
    Sparse(Vec<u8>, u64),
}

impl Attack {
    pub(crate) fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Attack {
        Attack {
            name: name.into(),
            content: Content::Whole(bytes.into()),
        }
    }

    fn sparse(name: impl Into<String>, head: Vec<u8>, size: u64) -> Attack {
        Attack {
            name: name.into(),
            content: Content::Sparse(head, size),
        }
    }
}

/// All of them.
pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = bombs::attacks();
    all.extend(deep::attacks());
    all.extend(circles());
    all.extend(fonts());
    all.extend(sparse());
    all.extend(lies());
    all
}

/// PDF files whose objects lead back to themselves.
fn circles() -> Vec<Attack> {
    let text = shown("in circles");
    let with = |catalog: &str, more: &[&str]| {
        let mut objects = page(
            catalog,
            "/Annots 5 0 R /Parent 3 0 R",
            FONT,
            &(text.clone() + " /X Do"),
        );
        objects.extend(more.iter().map(|&object| object.to_owned()));
        pdf::file(&objects)
    };
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>",
        "/X Do /X Do",
    );
    let mut pages = page("", "", FONT, &text);
    pages[1] = "<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Parent 2 0 R /Count 3 >>".into();
    let mut length = page("", "", FONT, &text);
    length.push("<< /Length 5 0 R >>\nstream\nx\nendstream".into());
    length[3] = "<< /Length 5 0 R >>\nstream\nBT ET\nendstream".into();
    let mut objects = page("", "", FONT, &text);
    objects[2] = "3 0 R".into();
    let objects_in_itself = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        stream(
            "/Type /ObjStm /N 1 /First 4 /Extends 2 0 R",
            "2 0 << /Kids [2 0 R] >>",
        ),
    ];
    let before = pdf::file_with(&page("", "", FONT, &text), "/Prev 9");
    let end = String::from_utf8(before.clone()).unwrap();
    let at = end.rfind("\nxref").unwrap() + 1;
    let itself = end.replace("/Prev 9", &format!("/Prev {at}"));
    vec![
        Attack::new("circle-pages.pdf", pdf::file(&pages)),
        Attack::new(
            "circle-outline.pdf",
            with(
                "/Outlines 5 0 R",
                &[
                    "<< /First 6 0 R /Next 5 0 R >>",
                    "<< /Title (a) /First 5 0 R /Next 6 0 R /Parent 6 0 R >>",
                ],
            ),
        ),
        Attack::new(
            "circle-names.pdf",
            with(
                "/Names << /EmbeddedFiles 5 0 R /Dests 5 0 R >> /PageLabels 5 0 R /Dests 5 0 R",
                &[
                    "<< /Kids [5 0 R 5 0 R] /Names [(a) 5 0 R] /Nums [0 5 0 R] /EF << /F 5 0 R >> >>",
                ],
            ),
        ),
        Attack::new("circle-forms.pdf", with("", &[&form])),
        Attack::new("circle-length.pdf", pdf::file(&length)),
        Attack::new("circle-reference.pdf", pdf::file(&objects)),
        Attack::new("circle-object-stream.pdf", pdf::file(&objects_in_itself)),
        Attack::new("circle-xref.pdf", itself),
        Attack::new("nowhere-xref.pdf", before),
    ]
}

/// PDF files whose fonts do not say what their characters are.
fn fonts() -> Vec<Attack> {
    let with = |font: &str, text: &str| {
        pdf::file(&page(
            "",
            "",
            &format!("/F1 << /Type /Font {font} >>"),
            text,
        ))
    };
    let hex = "BT /F1 12 Tf 50 700 Td <0001000200030004FFFF> Tj ET";
    let glyphs = "/Differences [65 /g1 /g2 /nothing /uni /u /.notdef]";
    vec![
        Attack::new(
            "font-identity.pdf",
            with(
                "/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>]",
                hex,
            ),
        ),
        Attack::new(
            "font-no-descendants.pdf",
            with("/Subtype /Type0 /BaseFont /X /Encoding /Identity-H", hex),
        ),
        Attack::new(
            "font-glyph-names.pdf",
            with(
                &format!("/Subtype /Type1 /BaseFont /X /Encoding << {glyphs} >>"),
                &shown("ABCDEF"),
            ),
        ),
        Attack::new(
            "font-type-3.pdf",
            with(
                &format!(
                    "/Subtype /Type3 /FontMatrix [0.001 0 0 0.001 0 0] /FontBBox [0 0 9 9] /CharProcs << /g1 4 0 R /g2 4 0 R >> /Encoding << {glyphs} >> /FirstChar 65 /LastChar 70 /Widths [9 9 9 9 9 9]"
                ),
                &shown("ABCDEF"),
            ),
        ),
        Attack::new("font-endless-range.pdf", {
            let mut objects = page(
                "",
                "",
                "/F1 << /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 5 0 R >>",
                hex,
            );
            let ranges = "<0000> <FFFF> <0000>\n".repeat(1_000);
            objects.push(stream("", &format!("begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1000 beginbfrange\n{ranges}endbfrange endcmap")));
            pdf::file(&objects)
        }),
    ]
}

/// Files of a size that is not there.
fn sparse() -> Vec<Attack> {
    const LARGE: u64 = 500 << 20;
    const MESSAGE: u64 = 2 << 30;
    let sound = samples("walnut");
    let begin = |name: &str| {
        let sample = sound.iter().find(|sample| sample.name == name).unwrap();
        sample.bytes()
    };
    // So much that its zeros do not show in what is looked at first.
    let words = "A line that begins a long file.\n".repeat(10_000);
    let mut all: Vec<Attack> = [
        "file.pdf",
        "text.docx",
        "text.rtf",
        "all.zip",
        "all.tar",
        "a.md.gz",
        "bookmarks-2024-01-04.jsonlz4",
    ]
    .map(|name| Attack::sparse(format!("sparse-{name}"), begin(name), LARGE))
    .into();
    all.extend(["txt", "csv", "html", "srt", "ics"].map(|extension| {
        Attack::sparse(format!("sparse.{extension}"), words.clone().into(), LARGE)
    }));
    all.extend(
        ["md", "epub", "json", "mhtml"]
            .map(|extension| Attack::sparse(format!("zeros.{extension}"), Vec::new(), LARGE)),
    );
    let header = "From: Ada <ada@example.org>\r\nSubject: Elephants\r\nMessage-ID: <big@example.org>\r\n\r\nThe elephant letter.\r\n";
    all.push(Attack::sparse("large.eml", header.into(), MESSAGE));
    all.push(Attack::sparse(
        "large.mbox",
        format!("From a@example.org Thu Jan  4 10:00:00 2024\r\n{header}").into(),
        MESSAGE,
    ));
    all
}

/// Files that are not what they say.
fn lies() -> Vec<Attack> {
    let mut zip_of_two = zip(&[("a.md", "# A"), ("b.md", "# B")]);
    // The directory's count of entries, and where it is.
    let end = zip_of_two.len() - 22;
    zip_of_two[end + 8..end + 12].fill(0xFF);
    zip_of_two[end + 16..end + 20].fill(0xFF);
    vec![
        Attack::new("lying-directory.zip", zip_of_two),
        Attack::new(
            "lying-size.jsonlz4",
            b"mozLz40\0\xFF\xFF\xFF\x7F\xFF\xFF\xFF\xFF".as_slice(),
        ),
        Attack::new("one-line.csv", "\"".to_owned() + &"a,".repeat(500_000)),
        Attack::new(
            "wide.csv",
            "a,".repeat(200_000) + "\n" + &"1,".repeat(200_000) + "\n",
        ),
        Attack::new("words-in-one.md", "wordwordword".repeat(100_000)),
        Attack::new("stars.md", "*a_`[".repeat(50_000)),
        Attack::new(
            "lines.srt",
            "1\n00:00:01,000 --> 99999999:00:02,500\nx\n\n".repeat(20_000),
        ),
        Attack::new(
            "folded.eml",
            "Subject: x\r\n".to_owned() + &" y\r\n".repeat(200_000),
        ),
        Attack::new(
            "parts.eml",
            format!(
                "Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{}",
                "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n".repeat(20_000)
            ),
        ),
        Attack::new(
            "tags.html",
            "<!doctype html>".to_owned() + &"<p><a href='".repeat(50_000),
        ),
        Attack::new(
            "entities.html",
            "<!doctype html><p>".to_owned() + &"&#1114112;&ampamp;".repeat(50_000),
        ),
        Attack::new(
            "folded.ics",
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\n".to_owned()
                + &" y\r\n".repeat(200_000),
        ),
        Attack::new(
            "columns.xlsx",
            zip(&crate::samples::xlsx_of("<sst/>")
                .into_iter()
                .map(|(name, content)| {
                    (
                        name,
                        content
                            .replace("r=\"D1\"", "r=\"XFD1048576\"")
                            .replace("r=\"9\"", "r=\"4294967295\""),
                    )
                })
                .collect::<Vec<_>>()),
        ),
        Attack::new(
            "repeated.ods",
            zip(&crate::samples::odf_of(
                "spreadsheet",
                "<office:spreadsheet><table:table table:name='a'><table:table-row table:number-rows-repeated='1000000'><table:table-cell table:number-columns-repeated='1000000'><text:p>abcdefgh<text:s text:c='4000000000'/></text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>",
            )),
        ),
    ]
}
