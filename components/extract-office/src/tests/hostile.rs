use std::time::{Duration, Instant};

use extract_core::FailureKind;
use proptest::prelude::*;

use super::*;

/// A file of each format, small and whole.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let word = format!(
        r#"<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>Word one</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl></w:body></w:document>"#
    );
    let text = String::from_utf8(fixture("text.fodt")).unwrap();
    let sheet = String::from_utf8(fixture("sheet.fods")).unwrap();
    let chapter = "<html><body><h1>One</h1><p>Two</p></body></html>";
    let opf = r#"<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.html"/></manifest><spine><itemref idref="a"/></spine></package>"#;
    vec![
        ("a.docx", pack(&[("word/document.xml", word)])),
        (
            "a.odt",
            pack(&[
                (
                    "mimetype",
                    "application/vnd.oasis.opendocument.text".to_owned(),
                ),
                ("content.xml", text),
            ]),
        ),
        ("a.ods", pack(&[("content.xml", sheet)])),
        (
            "a.epub",
            pack(&[
                ("mimetype", "application/epub+zip"),
                ("content.opf", opf),
                ("a.html", chapter),
            ]),
        ),
        (
            "a.rtf",
            br"{\rtf1{\fonttbl{\f0\fcharset2 X;}}\pard\intbl a\cell\row\pard b{\footnote c}\par}"
                .to_vec(),
        ),
        ("a.fodt", fixture("text.fodt")),
        ("a.fods", fixture("sheet.fods")),
        ("a.fodp", fixture("slides.fodp")),
    ]
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn a_thousand_flipped_bits_of_each_format() {
    let mut random = Random(0x5EED);
    for (name, bytes) in samples() {
        assert!(!read(name, bytes.clone()).text.is_empty(), "{name}");
        for _ in 0..1_000 {
            let mut flipped = bytes.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(flipped.len());
                flipped[at] ^= 1 << random.below(8);
            }
            let _ = try_read(name, flipped);
        }
    }
}

#[test]
fn files_cut_off_anywhere() {
    for (name, bytes) in samples() {
        for length in (0..bytes.len()).step_by(bytes.len() / 150 + 1) {
            let _ = try_read(name, bytes[..length].to_vec());
        }
    }
}

#[test]
fn a_zip_bomb_is_refused() {
    let zeros = vec![b' '; 20 << 20];
    let failure = try_read("a.docx", pack(&[("word/document.xml", &zeros)])).unwrap_err();
    assert_eq!(failure.kind, FailureKind::TooLarge);
    assert!(failure.message.contains("ZIP bomb"), "{failure}");
    // However large it is.
    let zeros = vec![b' '; 100 << 20];
    let failure = try_read("a.docx", pack(&[("word/document.xml", &zeros)])).unwrap_err();
    assert!(failure.message.contains("ZIP bomb"), "{failure}");
    // One that lies about its size is no way around.
    let mut lies = pack(&[("word/document.xml", &zeros)]);
    let size = zeros.len() as u32;
    for at in 0..lies.len() - 4 {
        if lies[at..at + 4] == size.to_le_bytes() {
            lies[at..at + 4].copy_from_slice(&1_000u32.to_le_bytes());
        }
    }
    let document = try_read("a.docx", lies);
    assert!(document.is_err() || document.unwrap().text.is_empty());
    // One that keeps below the ratio fills the budget.
    let mut random = Random(7);
    let part: Vec<u8> = (0..4 << 20)
        .map(|at| {
            if at % 64 == 0 {
                random.below(256) as u8
            } else {
                b' '
            }
        })
        .collect();
    let settings = Settings {
        max_unpacked_bytes: 3 << 20,
        ..Settings::default()
    };
    let failure = extract(
        "a.docx",
        Box::new(pack(&[("word/document.xml", &part)])),
        &settings,
    )
    .unwrap_err();
    assert_eq!(failure.kind, FailureKind::TooLarge);
    assert!(failure.message.contains("max_unpacked_bytes"), "{failure}");
}

#[test]
fn entities_are_not_expanded() {
    let mut entities = "<!ENTITY a0 \"boom\">".to_owned();
    for level in 1..12 {
        let inner = format!("&a{};", level - 1).repeat(10);
        entities += &format!("<!ENTITY a{level} \"{inner}\">");
    }
    let document = format!(
        r#"<!DOCTYPE x [{entities}]><w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>before &a11; after</w:t></w:r></w:p></w:body></w:document>"#
    );
    let document = read("a.docx", pack(&[("word/document.xml", document)]));
    assert_eq!(document.text, "before after\n");
}

#[test]
fn ten_thousand_levels_of_anything() {
    let deep = |open: &str, close: &str, inner: &str, times: usize| {
        let body = open.repeat(times) + inner + &close.repeat(times);
        let document = format!(
            r#"<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>first</w:t></w:r></w:p>{body}</w:body></w:document>"#
        );
        read("a.docx", pack(&[("word/document.xml", document)]))
    };
    let inner = "<w:p><w:r><w:t>deep</w:t></w:r></w:p>";
    for (open, close) in [
        ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
        ("<w:p><w:r><w:txbxContent>", "</w:txbxContent></w:r></w:p>"),
        ("<w:sdt>", "</w:sdt>"),
        ("<w:p>", "</w:p>"),
        ("<w:hyperlink>", "</w:hyperlink>"),
    ] {
        for times in [20, 100, 10_000] {
            let document = deep(open, close, inner, times);
            assert!(document.text.starts_with("first\n"), "{open} {times}");
            assert!(
                times == 20
                    || open == "<w:sdt>"
                    || open == "<w:p>"
                    || open == "<w:hyperlink>"
                    || !document.warnings.is_empty(),
                "{open} {times}"
            );
        }
    }
    let lists = format!(
        r#"<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>{}<text:p>deep</text:p>"#,
        "<text:list><text:list-item>".repeat(10_000)
    );
    let document = read("a.fodt", lists.into_bytes());
    assert!(!document.warnings.is_empty());
}

#[test]
fn hostile_parts_take_linear_time() {
    // Quadratic work on a megabyte takes minutes; linear work takes well under
    // a second even on a busy machine.
    let size = 1 << 20;
    let wrap = |body: &str| {
        format!(r#"<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>"#)
    };
    let pieces = [
        "<w:p/>",
        "<w:p>",
        "<w:p><w:r><w:t>a</w:t></w:r></w:p>",
        "<w:tr/>",
        "<w:tbl><w:tr><w:tc/></w:tr></w:tbl>",
        "<w:r><w:fldChar w:fldCharType='begin'/>",
        "<w:fldChar w:fldCharType='separate'/>",
        "<w:instrText>HYPERLINK x</w:instrText>",
        "<w:r><w:t>[</w:t></w:r>",
        "<w:br/>",
        "<w:lastRenderedPageBreak/><w:r><w:t>a</w:t></w:r>",
        "<w:tc><w:tcPr><w:gridSpan w:val='9999999'/></w:tcPr></w:tc>",
        "<w:pPr><w:pStyle w:val='a'/></w:pPr>",
        "<w:fldSimple w:instr='HYPERLINK x'><w:t>a</w:t></w:fldSimple>",
        "<w:comment w:id='1'/>",
    ];
    for piece in pieces {
        for (before, after) in [
            ("", ""),
            ("<w:p>", "</w:p>"),
            ("<w:tbl><w:tr>", "</w:tr></w:tbl>"),
        ] {
            let body = format!("{before}{}{after}", piece.repeat(size / piece.len()));
            let bytes = store(&[("word/document.xml", &wrap(&body))]);
            let start = Instant::now();
            let _ = try_read("a.docx", bytes);
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "{piece} took {:?}",
                start.elapsed()
            );
        }
    }
    for piece in [
        "{",
        "}",
        "{\\b ",
        "\\cell",
        "\\row",
        "\\intbl\\cell",
        "{\\footnote ",
        "\\u1 ",
        "\\'",
        "{\\field{\\*\\fldinst HYPERLINK x}a",
        "\\header ",
        "{\\header a}",
    ] {
        let bytes = format!("{{\\rtf1{}", piece.repeat(size / piece.len())).into_bytes();
        let start = Instant::now();
        let _ = try_read("a.rtf", bytes);
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{piece} took {:?}",
            start.elapsed()
        );
    }
}

/// What a file says once, and refers to from many places, must not add up.
#[test]
fn what_is_said_once_is_not_shown_a_million_times() {
    let link = "<w:p><w:hyperlink r:id='h'><w:r><w:t>a</w:t></w:r></w:hyperlink></w:p>";
    for body in [
        link.repeat(30_000),
        format!(
            "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc/></w:tr></w:tbl>",
            link.repeat(30_000)
        ),
    ] {
        let text = format!(
            r#"<w:document xmlns:w="{WORD}" xmlns:r="{TYPES}"><w:body>{body}</w:body></w:document>"#
        );
        let list = relations(&[(
            "h",
            "hyperlink",
            &format!("https://x.example/{}", "y".repeat(2_000)),
        )]);
        let parts = [
            ("word/document.xml", &*text),
            ("word/_rels/document.xml.rels", &*list),
        ];
        let document = read("a.docx", store(&parts));
        let addresses: usize = document.links.iter().map(|link| link.target.len()).sum();
        assert!((1 << 20..=16 << 20).contains(&addresses), "{addresses}");
        assert!(document.text.matches('a').count() > 15_000);
    }
}

#[test]
fn columns_that_are_spanned_and_rows_that_are_blank_cost_nothing() {
    let row = "<w:tr><w:tc><w:tcPr><w:gridSpan w:val='64'/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr><w:tr/>";
    let body = format!("<w:tbl>{}</w:tbl>", row.repeat(50_000));
    let text = format!(r#"<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>"#);
    let document = read("a.docx", store(&[("word/document.xml", &text)]));
    assert_eq!(
        document.text,
        "a\n\n".repeat(50_000).trim_end().to_owned() + "\n"
    );
}

#[test]
fn a_table_of_a_million_paragraphs_is_cut() {
    let cells =
        "<w:tr><w:tc><w:p><w:t>a</w:t></w:p></w:tc><w:tc><w:p><w:t>b</w:t></w:p></w:tc></w:tr>";
    let body = format!("<w:tbl>{}</w:tbl>", cells.repeat(250_000));
    let text = format!(r#"<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>"#);
    let document = read("a.docx", store(&[("word/document.xml", &text)]));
    assert!((190_000..=210_000).contains(&document.text.matches("| a | b |").count()));
    assert!(
        document.warnings[0].contains("was cut in a table"),
        "{:?}",
        document.warnings
    );
}

/// A ZIP file of parts that are not packed, so that no ratio gives them away.
fn store(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, text) in parts {
        zip.start_file(*name, stored).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_list_of_millions_of_parts_is_refused_unread() {
    // The end records of a file that claims four billion parts.
    let mut bytes = b"PK\x03\x04".to_vec();
    bytes.resize(1_000, 0);
    let record = bytes.len() as u64;
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44u64.to_le_bytes());
    bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(u64::from(u32::MAX).to_le_bytes());
    bytes.extend(u64::from(u32::MAX).to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(record.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(b"PK\x05\x06\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0");
    let failure = try_read("a.docx", bytes).unwrap_err();
    assert_eq!(failure.kind, FailureKind::TooLarge);
}

#[test]
fn a_sparse_file_of_half_a_gigabyte_is_not_read_whole() {
    /// Zeros, and no ZIP file.
    struct Zeros(std::rc::Rc<std::cell::Cell<u64>>);
    impl extract_core::Bytes for Zeros {
        fn size(&self) -> u64 {
            500 << 20
        }
        fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, Failure> {
            let length = u64::from(length).min(self.size().saturating_sub(offset));
            self.0.set(self.0.get() + length);
            let mut bytes = vec![0; length as usize];
            if offset == 0 {
                bytes[..4].copy_from_slice(b"PK\x03\x04");
            }
            Ok(bytes)
        }
    }
    let count = std::rc::Rc::default();
    let failure = extract(
        "a.docx",
        Box::new(Zeros(std::rc::Rc::clone(&count))),
        &Settings::default(),
    );
    assert_eq!(failure.unwrap_err().kind, FailureKind::InvalidInput);
    assert!(count.get() < 8 << 20, "{} bytes were read", count.get());
}

fn word_pieces() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<w:p>",
        "</w:p>",
        "<w:r>",
        "</w:r>",
        "<w:t>",
        "</w:t>",
        "a | b",
        "# é",
        "<w:tbl>",
        "</w:tbl>",
        "<w:tr>",
        "</w:tr>",
        "<w:tc>",
        "</w:tc>",
        "<w:del>",
        "</w:del>",
        "<w:txbxContent>",
        "</w:txbxContent>",
        "<w:hyperlink r:id='h'>",
        "</w:hyperlink>",
        "<w:fldSimple w:instr='HYPERLINK \"x(y) z\"'>",
        "</w:fldSimple>",
        "<w:br/>",
        "<w:lastRenderedPageBreak/>",
        "<w:pPr><w:outlineLvl w:val='0'/></w:pPr>",
        "&lt;b",
        "](",
        "\u{AD}",
        "  ",
        "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>",
        "<w:rPr><w:vanish/></w:rPr>",
        "😀",
        "\n---\n",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

fn rtf_pieces() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "\\par ",
        "\\cell ",
        "\\row ",
        "\\intbl ",
        "\\pard ",
        "a|b ",
        "\\'e9",
        "\\u233?",
        "\\u-10179?",
        "\\u-8704?",
        "{\\footnote ",
        "{\\header ",
        "{\\*\\x ",
        "{\\field{\\*\\fldinst HYPERLINK \"u\"}{\\fldrslt ",
        "\\line ",
        "\\s1 ",
        "{\\stylesheet{\\s1 heading 1;}}",
        "{\\fonttbl{\\f1\\fcharset128 x;}}",
        "\\f1 ",
        "{\\info{\\title t}}",
        "\\v ",
        "\\deleted ",
        "{\\listtext 1.\\tab}",
        "\\bin3 abc",
        "{\\annotation ",
        "{\\shptxt ",
        "\\outlinelevel2 ",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_give_a_document_or_a_failure(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        magic in prop::sample::select(vec!["", "PK\x03\x04", "{\\rtf1", "<?xml urn:oasis:names:tc:opendocument:xmlns:office:1.0"]),
    ) {
        let _ = try_read("a", [magic.as_bytes(), &bytes].concat());
    }

    #[test]
    fn any_parts_give_a_document_or_a_failure(text in any::<String>()) {
        for part in ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml", "content.xml", "content.opf"] {
            let _ = try_read("a", pack(&[(part, &text)]));
        }
    }

    #[test]
    fn any_text_of_word_gives_a_document(pieces in word_pieces()) {
        let text = format!(r#"<w:document xmlns:w="{WORD}" xmlns:r="{TYPES}"><w:body>{pieces}"#);
        let list = relations(&[("h", "hyperlink", "https://x.example/a b(c)")]);
        read("a.docx", pack(&[("word/document.xml", text), ("word/_rels/document.xml.rels", list)]));
    }

    #[test]
    fn any_rich_text_gives_a_document_or_a_failure(pieces in rtf_pieces()) {
        let _ = try_read("a.rtf", format!("{{\\rtf1{pieces}").into_bytes());
    }
}
