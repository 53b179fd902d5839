//! What documents are made of.

use super::made::{Made, page, shown, stream};
use super::{FakeOcr, extract, extract_with};
use extract_core::{FailureKind, NoOcr, Property};

fn text(content: &str) -> String {
    extract("a.pdf", page(content)).unwrap().document.text
}

#[test]
fn lines_are_read_from_top_to_bottom_whatever_the_order_shown() {
    let content = shown(&[
        (50.0, 100.0, "third"),
        (50.0, 700.0, "first"),
        (50.0, 688.0, "second"),
    ]);
    assert_eq!(text(&content), "first\nsecond\n\nthird");
}

#[test]
fn columns_are_read_one_after_the_other() {
    let left = "left column text that fills the line %";
    let right = "right column text which fills its line";
    let mut lines = vec![(
        50.0,
        740.0,
        "A title that goes over both of the columns of this page, all of it",
    )];
    let numbered: Vec<String> = (0..6).map(|n| format!("{left}{n}")).collect();
    for (n, line) in numbered.iter().enumerate() {
        let y = 700.0 - 12.0 * n as f64;
        lines.push((50.0, y, line.as_str()));
        lines.push((250.0, y, right));
    }
    let text = text(&shown(&lines));
    let order: Vec<usize> = ["A title", "%0", "%5", "right"]
        .iter()
        .map(|part| text.find(part).unwrap())
        .collect();
    assert!(order.is_sorted(), "{text}");
    assert!(text.rfind("right").unwrap() > text.find("%5").unwrap());
}

#[test]
fn rows_of_a_table_stay_together() {
    let mut lines = Vec::new();
    for (n, (name, value)) in [
        ("Apples", "12"),
        ("Pears", "7"),
        ("Plums", "31"),
        ("Figs", "5"),
    ]
    .iter()
    .enumerate()
    {
        let y = 700.0 - 12.0 * n as f64;
        lines.push((50.0, y, *name));
        lines.push((250.0, y, *value));
    }
    assert_eq!(text(&shown(&lines)), "Apples 12\nPears 7\nPlums 31\nFigs 5");
}

#[test]
fn turned_pages_and_text_read_as_they_are_seen() {
    let turned = Made {
        page: "/Rotate 90",
        pages: vec![
            "BT /F1 10 Tf 0 1 -1 0 100 100 Tm (first line) Tj 0 -12 Td (second line) Tj ET".into(),
        ],
        ..Made::default()
    };
    let got = extract("a.pdf", turned.file()).unwrap();
    assert_eq!(got.document.text, "first line\nsecond line");
    let content = "BT /F1 10 Tf 100 700 Td (much more upright text) Tj ET BT /F1 10 Tf 0 1 -1 0 30 100 Tm (aside) Tj ET";
    assert_eq!(text(content), "much more upright text\n\naside");
}

#[test]
fn gaps_are_spaces_and_kerning_is_not() {
    assert_eq!(
        text("BT /F1 10 Tf 50 700 Td [(W) 80 (ord) -300 (two)] TJ ET"),
        "Word two"
    );
}

#[test]
fn text_shown_twice_to_look_bold_is_read_once() {
    let content = "BT /F1 10 Tf 50 700 Td (bold) Tj ET BT /F1 10 Tf 50.3 700 Td (bold) Tj ET";
    assert_eq!(text(content), "bold");
}

#[test]
fn a_raised_sign_stays_in_its_line() {
    let content = "BT /F1 10 Tf 50 700 Td (note) Tj ET BT /F1 6 Tf 70.02 704 Td (1) Tj ET BT /F1 10 Tf 76 700 Td (and on) Tj ET BT /F1 10 Tf 50 688 Td (next line) Tj ET";
    assert_eq!(text(content), "note1 and on\nnext line");
}

#[test]
fn text_off_the_page_and_in_hidden_layers_is_not_read() {
    let hidden = Made {
        catalog: "/OCProperties << /OCGs [4 0 R] /D << /OFF [4 0 R] >> >>",
        resources: "/Properties << /L 4 0 R >>",
        more: vec!["<< /Type /OCG /Name (layer) >>".into()],
        pages: vec![format!(
            "{} /OC /L BDC {} EMC",
            shown(&[(50.0, 700.0, "seen"), (50.0, 900.0, "above")]),
            shown(&[(50.0, 600.0, "hidden")])
        )],
        ..Made::default()
    };
    assert_eq!(
        extract("a.pdf", hidden.file()).unwrap().document.text,
        "seen"
    );
}

#[test]
fn actual_text_stands_for_what_is_shown() {
    let content = "/Span << /ActualText (whole) >> BDC BT /F1 10 Tf 50 700 Td (w) Tj (h) Tj (%) Tj ET EMC BT /F1 10 Tf 80 700 Td (word) Tj ET";
    assert_eq!(text(content), "whole word");
}

/// A font whose codes mean what a ToUnicode map says.
fn with_map(map: &str, content: &str) -> Vec<u8> {
    let cmap = format!(
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange {map} endcmap end"
    );
    let made = Made {
        resources: "/ExtGState << /G << /Font [4 0 R 10] >> >>",
        more: vec![
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>".into(),
            stream("", &cmap),
        ],
        pages: vec![format!("/G gs BT 50 700 Td {content} ET")],
        ..Made::default()
    };
    made.file()
}

#[test]
fn ligatures_are_letters() {
    let map = "2 beginbfchar <41> <FB01> <42> <006600660069> endbfchar";
    let got = extract("a.pdf", with_map(map, "(And oBce) Tj")).unwrap();
    assert_eq!(got.document.text, "find office");
}

#[test]
fn right_to_left_text_is_in_logical_order() {
    // Shown from left to right: 2 1 space "ab" space letters of shalom.
    let map = "4 beginbfchar <41> <05DD> <42> <05D5> <43> <05DC> <44> <05E9> endbfchar";
    let got = extract("a.pdf", with_map(map, "(12 ABCD DCBA) Tj")).unwrap();
    assert_eq!(got.document.text, "םולש שלום 12");
    let got = extract("a.pdf", with_map(map, "(see ABCD DB here) Tj")).unwrap();
    assert_eq!(got.document.text, "see \u{5D5}\u{5E9} שלום here");
}

#[test]
fn fonts_that_do_not_tell_their_text_make_a_warning() {
    let made = Made {
        resources: "/ExtGState << /G << /Font [4 0 R 10] >> >>",
        more: vec!["<< /Type /Font /Subtype /Type0 /BaseFont /Secret /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Secret /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>".into()],
        pages: vec![
            "/G gs BT 50 700 Td <0001000200030004> Tj ET".into(),
            format!("/G gs BT 50 700 Td <0001> Tj ET {}", shown(&[(50.0, 600.0, "known")])),
        ],
        ..Made::default()
    };
    let got = extract("a.pdf", made.file()).unwrap();
    assert_eq!(got.pages(), [(2, "known")]);
    assert_eq!(
        got.document.warnings,
        [
            "Page 1 has no text layer. Words in pictures are not read here.",
            "1 character on page 2 was left out, as the fonts do not tell what they are.",
        ]
    );
}

#[test]
fn the_outline_makes_headings_and_what_is_lost_is_listed() {
    let mut made = Made {
        catalog: "/Outlines 4 0 R",
        more: vec![
            "<< /First 5 0 R >>".into(),
            String::new(),
            "<< /Title (Part) /Parent 5 0 R /Dest [99 0 R /XYZ 0 700 0] >>".into(),
            "<< /Title (Nowhere) /Parent 4 0 R /A << /S /URI /URI (x) >> >>".into(),
        ],
        pages: vec![shown(&[
            (50.0, 700.0, "1 Begin"),
            (50.0, 650.0, "The begin is here."),
            (50.0, 500.0, "Part"),
            (50.0, 450.0, "Part"),
        ])],
        ..Made::default()
    };
    let page = made.page_id(0);
    made.more[1] = format!(
        "<< /Title (Begin) /Parent 4 0 R /First 6 0 R /Next 7 0 R /Dest [{page} 0 R /Fit] >>"
    );
    made.more[2] = format!("<< /Title (Part) /Parent 5 0 R /Dest [{page} 0 R /XYZ 0 465 0] >>");
    let got = extract("a.pdf", made.file()).unwrap();
    assert_eq!(
        got.document.text,
        "# 1 Begin\n\nThe begin is here.\n\nPart\n\n## Part"
    );
    assert_eq!(got.texts("outline"), ["Nowhere"]);
}

#[test]
fn labels_of_pages_are_told_where_they_are_not_the_numbers() {
    let pages = |labels: &'static str| Made {
        catalog: labels,
        pages: vec![shown(&[(50.0, 700.0, "x")]); 4],
        ..Made::default()
    };
    let got = extract(
        "a.pdf",
        pages("/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (A-) /St 5 >>] >>").file(),
    )
    .unwrap();
    assert_eq!(got.texts("page_labels"), ["i", "ii", "A-5", "A-6"]);
    let got = extract(
        "a.pdf",
        pages("/PageLabels << /Nums [0 << /S /D >>] >>").file(),
    )
    .unwrap();
    assert!(got.texts("page_labels").is_empty());
}

#[test]
fn attachments_are_listed_and_handed_on() {
    let made = Made {
        catalog: "/Names << /EmbeddedFiles << /Names [(a) 4 0 R (b) 5 0 R (c) 4 0 R] >> >>",
        more: vec![
            "<< /Type /Filespec /F (C:\\\\dir\\\\note.txt) /EF << /F 6 0 R >> >>".into(),
            "<< /Type /Filespec /UF (NOTE.txt) /EF << /F 7 0 R >> >>".into(),
            stream("/Type /EmbeddedFile /Subtype /text#2Fplain", "first"),
            stream("/Type /EmbeddedFile", ""),
        ],
        pages: vec![shown(&[(50.0, 700.0, "x")])],
        ..Made::default()
    };
    let got = extract("a.pdf", made.file()).unwrap();
    assert_eq!(got.texts("attachments"), ["note.txt", "NOTE (2).txt"]);
    assert_eq!(
        got.files,
        [
            ("note.txt".to_owned(), b"first".to_vec()),
            ("NOTE (2).txt".to_owned(), Vec::new())
        ]
    );
}

#[test]
fn document_information_becomes_properties() {
    let made = |info: &'static str| {
        let made = Made {
            info,
            pages: vec![shown(&[(50.0, 700.0, "x")])],
            ..Made::default()
        };
        extract("file name.pdf", made.file()).unwrap().document
    };
    let document = made(
        "/Title (On Cats) /Author (A. Writer) /CreationDate (D:19700101010000+01'00') /Keywords (cats, more cats)",
    );
    assert_eq!(document.title, "On Cats");
    let expected = [
        Property::text("author", "A. Writer"),
        Property::timestamp("created", 0),
        Property::texts("keywords", ["cats", "more cats"]),
    ];
    for property in expected {
        assert!(
            document.properties.contains(&property),
            "{property:?} {:?}",
            document.properties
        );
    }
    for junk in [
        "/Title (Microsoft Word - x.doc)",
        "/Title (untitled)",
        "/Title ()",
        "/Title (thesis.dvi)",
        "",
    ] {
        assert_eq!(made(junk).title, "file name", "{junk}");
    }
}

fn scanned() -> Made<'static> {
    let picture = stream(
        "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray",
        "x",
    );
    let draw = "q 600 0 0 800 0 0 cm /I Do Q".to_owned();
    Made {
        resources: "/XObject << /I 4 0 R >>",
        more: vec![picture],
        pages: vec![
            draw.clone(),
            shown(&[(50.0, 700.0, "typed")]),
            draw.clone(),
            draw.clone(),
            draw,
            String::new(),
        ],
        ..Made::default()
    }
}

#[test]
fn pages_without_text_are_named() {
    let got = extract("a.pdf", scanned().file()).unwrap();
    assert_eq!(got.pages(), [(2, "typed")]);
    // An empty page has nothing to read.
    assert_eq!(
        got.document.warnings,
        ["Pages 1 and 3-5 have no text layer. Words in pictures are not read here."]
    );
    assert!(
        got.document
            .properties
            .contains(&Property::number("pages", 6.0))
    );
}

#[test]
fn pages_without_text_are_read_by_ocr() {
    let ocr = FakeOcr::default();
    let settings = r#"{"max_ocr_pages":3}"#;
    let got = extract_with("a.pdf", scanned().file(), settings, Box::new(ocr.clone())).unwrap();
    assert_eq!(
        got.pages(),
        [
            (1, "Picture 1\n\n\\# of words"),
            (2, "typed"),
            (4, "Picture 3\n\n\\# of words")
        ]
    );
    assert_eq!(got.texts("ocr_pages"), ["1", "4"]);
    assert_eq!(
        got.document.warnings,
        [
            "Pages 1 and 4 were read by OCR.",
            "Page 3 was not read by OCR: The picture is too large.",
            "Page 5 has no text layer. OCR reads at most 3 pages of a file; raise the setting max_ocr_pages to read more.",
        ]
    );
    let seen = ocr.0.borrow();
    assert_eq!(seen.len(), 3);
    let header = png::Decoder::new(std::io::Cursor::new(&seen[0]))
        .read_info()
        .unwrap();
    let (width, height) = (header.info().width, header.info().height);
    assert_eq!((width, height), (2500, 3333));
}

#[test]
fn what_is_no_pdf_fails() {
    for bytes in [
        Vec::new(),
        b"%PDF-1.7".to_vec(),
        b"hello".to_vec(),
        vec![0; 5000],
    ] {
        let failure = extract("a.pdf", bytes).err().unwrap();
        assert_eq!(failure.kind, FailureKind::InvalidInput);
    }
    let failure = extract_with("a.pdf", page(""), r#"{"max_bytes":10}"#, Box::new(NoOcr))
        .err()
        .unwrap();
    assert_eq!(failure.kind, FailureKind::TooLarge);
}

#[test]
fn bytes_around_the_file_do_not_matter() {
    let mut bytes = b"\r\njunk before\n".to_vec();
    bytes.extend(page(&shown(&[(50.0, 700.0, "here")])));
    bytes.extend(b"\0\0\0 junk after");
    assert_eq!(extract("a.pdf", bytes).unwrap().document.text, "here");
}

#[test]
fn what_a_form_was_filled_in_with_is_read() {
    let made = Made {
        page: "/Annots [4 0 R 5 0 R]",
        more: vec![
            "<< /Subtype /Widget /Rect [100 600 300 620] /AP << /N 6 0 R >> >>".into(),
            "<< /Subtype /Widget /F 2 /Rect [100 500 300 520] /AP << /N 6 0 R >> >>".into(),
            stream(
                "/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>",
                "BT /F1 10 Tf 2 5 Td (filled in) Tj ET",
            ),
        ],
        pages: vec![shown(&[(50.0, 605.0, "Name:")])],
        ..Made::default()
    };
    assert_eq!(
        extract("a.pdf", made.file()).unwrap().document.text,
        "Name: filled in"
    );
}

#[test]
fn the_value_of_a_field_is_read_where_its_look_does_not_show_it() {
    let made = Made {
        page: "/Annots [5 0 R]",
        more: vec![
            "<< /FT /Tx /V (Alice) >>".into(),
            "<< /Subtype /Widget /Parent 4 0 R /Rect [100 600 300 612] >>".into(),
        ],
        pages: vec![shown(&[(50.0, 602.0, "Name:")])],
        ..Made::default()
    };
    assert_eq!(
        extract("a.pdf", made.file()).unwrap().document.text,
        "Name: Alice"
    );
}

#[test]
fn an_accent_shown_before_its_letter_is_a_part_of_it() {
    // As TeX does: the accent, then the letter under it.
    let map = "2 beginbfchar <41> <00A8> <42> <0131> endbfchar";
    let got = extract("a.pdf", with_map(map, "[(na) -50 (A) 650 (Bve)] TJ")).unwrap();
    assert_eq!(got.document.text, "naïve");
}

#[test]
fn links_to_the_web_lie_on_their_line() {
    let made = Made {
        page: "/Annots [4 0 R 5 0 R]",
        more: vec![
            "<< /Subtype /Link /Rect [50 595 100 612] /A << /S /URI /URI (https://example.org/a?b) >> >>".into(),
            "<< /Subtype /Link /Rect [50 595 100 612] /A << /S /GoTo /D [6 0 R /Fit] >> >>".into(),
        ],
        pages: vec![shown(&[(50.0, 612.0, "before"), (50.0, 600.0, "linked"), (50.0, 588.0, "after")])],
        ..Made::default()
    };
    let document = extract("a.pdf", made.file()).unwrap().document;
    let [link] = &document.links[..] else {
        panic!("{:?}", document.links)
    };
    assert_eq!(link.target, "https://example.org/a?b");
    assert_eq!(&document.text[link.span.start..link.span.end], "linked");
}

/// A document with a font of Adobe's Japanese characters that is not embedded.
fn japanese(encoding: &str, content: &str) -> String {
    let font = format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /{encoding} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>] >>"
    );
    let made = Made {
        resources: "/ExtGState << /G << /Font [4 0 R 10] >> >>",
        more: vec![font],
        pages: vec![format!("/G gs BT 300 700 Td {content} ET")],
        ..Made::default()
    };
    extract("a.pdf", made.file()).unwrap().document.text
}

#[test]
fn character_collections_tell_the_text() {
    // Shift JIS, Unicode, and numbers in the collection.
    assert_eq!(japanese("90ms-RKSJ-H", "<93FA967B8CEA> Tj"), "日本語");
    assert_eq!(japanese("UniJIS-UCS2-H", "<65E5672C8A9E> Tj"), "日本語");
    assert_eq!(japanese("Identity-H", "<0D5A0E8A> Tj").chars().count(), 2);
}

#[test]
fn vertical_lines_are_read_from_right_to_left() {
    let text = japanese("UniJIS-UCS2-V", "<65E5672C> Tj -15 0 Td <8A9E672C> Tj");
    assert_eq!(text, "日本\n語本");
}
