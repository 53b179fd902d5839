//! Files made to break readers.

use proptest::prelude::*;

use super::made::{Made, file, page, shown, stream};
use super::{FakeOcr, extract, extract_with};

#[test]
fn objects_that_lead_to_themselves_end() {
    let made = Made {
        catalog: "/Outlines 4 0 R /Names << /EmbeddedFiles 5 0 R /Dests 5 0 R >> /PageLabels 5 0 R",
        page: "/Annots [6 0 R 6 0 R]",
        resources: "/XObject << /X 6 0 R >>",
        more: vec![
            "<< /Title (root) /First 7 0 R >>".into(),
            "<< /Kids [5 0 R 5 0 R] /Names [(a) 5 0 R] /Nums [0 5 0 R] >>".into(),
            stream(
                "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /AP << /N 6 0 R >> /Rect [0 0 9 9] /Parent 6 0 R",
                "/X Do /X Do",
            ),
            "<< /Title (loop) /First 4 0 R /Next 8 0 R /Dest (a) >>".into(),
            "<< /Title (on) /First 7 0 R /Next 7 0 R /Dest (a) >>".into(),
        ],
        pages: vec![format!("/X Do {}", shown(&[(50.0, 700.0, "here")]))],
        ..Made::default()
    };
    let got = extract("a.pdf", made.file()).unwrap();
    assert_eq!(got.document.text, "here");
    assert_eq!(got.texts("outline"), ["loop", "on"]);

    let tree = file(&[
        "<< /Type /Catalog /Pages 2 0 R >>".into(),
        "<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Parent 2 0 R /Count 1 >>".into(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R >>".into(),
    ]);
    let _ = extract("a.pdf", tree);
}

#[test]
fn names_in_a_tree_of_endless_depth_are_left_out() {
    // Each node twice in the one above: what is remembered of the way to each
    // grew to hundreds of megabytes.
    let attached = |depth: usize| {
        let mut more: Vec<String> = (0..depth)
            .map(|node| format!("<< /Kids [{0} 0 R {0} 0 R] >>", 5 + node))
            .collect();
        let stored = 5 + depth;
        more.push(format!(
            "<< /Names [(a) << /F (a.txt) /EF << /F {stored} 0 R >> >>] >>"
        ));
        more.push(stream("", "attached"));
        let made = Made {
            catalog: "/Names << /EmbeddedFiles 4 0 R >>",
            more,
            pages: vec![shown(&[(50.0, 700.0, "here")])],
            ..Made::default()
        };
        extract("a.pdf", made.file()).unwrap().files.len()
    };
    assert_eq!(attached(20), 1);
    assert_eq!(attached(10_000), 0);
}

#[test]
fn forms_that_multiply_are_cut_off() {
    // 20 levels of ten calls each.
    let mut more = Vec::new();
    for level in 0..20 {
        let next = 5 + level;
        more.push(stream(
            &format!("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {next} 0 R >> >>"),
            &"/X Do ".repeat(10),
        ));
    }
    more.push(stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9]",
        "BT ET",
    ));
    let made = Made {
        resources: "/XObject << /X 4 0 R >>",
        more,
        pages: vec![
            shown(&[(50.0, 700.0, "before")]) + "/X Do",
            shown(&[(50.0, 700.0, "after")]),
        ],
        ..Made::default()
    };
    let got = extract("a.pdf", made.file()).unwrap();
    assert_eq!(got.document.text, "before");
    assert_eq!(
        got.document.warnings,
        ["Pages 1-2 are too complex: text was left out."]
    );
}

#[test]
fn deep_nesting_is_no_stack_overflow() {
    for nested in ["[", "<< /A ", "(", "q ", "BT ", "/P BMC ", "<< /A [", "{"] {
        let content = nested.repeat(10_000);
        let _ = extract("a.pdf", page(&content));
        let _ = extract(
            "a.pdf",
            file(&[format!("<< /Type /Catalog /Pages {content}")]),
        );
    }
}

#[test]
fn places_beyond_all_numbers_do_no_harm() {
    let content = "BT /F1 1e30 Tf 1e30 1e30 -1e30 1e30 1e30 1e30 Tm (a) Tj ET
        BT /F1 0 Tf 0 0 0 0 50 50 Tm (bc) Tj ET
        BT /F1 -10 Tf 1e-30 0 0 1e-30 50 50 Tm (de) Tj ET
        99999999999999999999999999 0 0 0 0 0 cm BT /F1 10 Tf (fg) Tj ET";
    let _ = extract("a.pdf", page(content));
}

#[test]
fn widths_of_more_glyphs_than_fonts_have_are_refused() {
    let made = Made {
        resources: "/ExtGState << /G << /Font [4 0 R 10] >> >>",
        more: vec!["<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /W [0 4294967295 500] /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>".into()],
        pages: vec![format!("/G gs BT 50 700 Td <0001> Tj ET {}", shown(&[(50.0, 600.0, "more")]))],
        ..Made::default()
    };
    assert!(
        extract("a.pdf", made.file())
            .unwrap()
            .document
            .text
            .contains("more")
    );
}

/// All that a small file has, to be damaged.
fn sample() -> Vec<u8> {
    let mut made = Made {
        catalog: "/Outlines 4 0 R /PageLabels << /Nums [0 << /S /r >>] >> /Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >>",
        info: "/Title (A title) /CreationDate (D:20200101000000Z)",
        resources: "/XObject << /X 8 0 R /I 9 0 R >> /ExtGState << /G << /Font [10 0 R 10] >> >>",
        more: vec![
            "<< /First 5 0 R >>".into(),
            String::new(),
            "<< /F (a.txt) /EF << /F 7 0 R >> >>".into(),
            stream("", "attached"),
            stream("/Subtype /Form /BBox [0 0 600 800]", "BT 50 500 Td (form) Tj ET"),
            stream("/Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray", "abcd"),
            "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 11 0 R /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /W [1 [500 600] 3 9 700] /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>".into(),
            stream("", "1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0001> <0009> <0061> endbfrange"),
        ],
        pages: vec![
            format!("{} /X Do /G gs BT 50 300 Td <000100020003> Tj ET", shown(&[(50.0, 700.0, "Heading"), (50.0, 650.0, "Some text of the page, a bit of it.")])),
            "q 600 0 0 800 0 0 cm /I Do Q".into(),
        ],
        ..Made::default()
    };
    made.more[1] = format!(
        "<< /Title (Heading) /Dest [{} 0 R /XYZ 0 712 0] >>",
        made.page_id(0)
    );
    made.file()
}

#[test]
fn damaged_files_give_a_document_or_a_failure() {
    let sound = sample();
    let got = extract("a.pdf", sound.clone()).unwrap();
    assert!(got.document.text.contains("# Heading") && got.document.text.contains("abc"));
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        // SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    };
    let mut read = 0;
    for variant in 0..1000 {
        let mut bytes = sound.clone();
        for _ in 0..=random(8) {
            let at = random(bytes.len());
            bytes[at] ^= 1 << random(8);
        }
        if variant % 4 == 0 {
            bytes.truncate(random(bytes.len()));
        }
        read += usize::from(extract("a.pdf", bytes).is_ok());
    }
    assert!(read > 500, "{read}");
}

#[test]
fn damaged_pages_are_drawn_or_not() {
    // Drawing is slow: few variants.
    let sound = sample();
    for at in (0..sound.len()).step_by(sound.len() / 20) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x15;
        let _ = extract_with("a.pdf", bytes, "", Box::new(FakeOcr::default()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let mut file = b"%PDF-1.4\n".to_vec();
        file.extend(&bytes);
        let _ = extract("a.pdf", bytes);
        let _ = extract("a.pdf", file);
    }

    #[test]
    fn any_content_is_survived(
        parts in proptest::collection::vec((0..13_usize, -900..900_i32), 0..200)
    ) {
        let operations = [
            "BT", "ET", "/F1 10 Tf", "(text) Tj", "[(a) -500 (b)] TJ", "1 0 0 1 {} 50 Tm",
            "0 1 -1 0 50 {} Tm", "{} 0 Td", "0 {} Td", "q", "Q", "/Span << /ActualText (x) >> BDC",
            "EMC",
        ];
        let content: Vec<String> = parts
            .iter()
            .map(|(index, number)| operations[*index].replace("{}", &number.to_string()))
            .collect();
        let got = extract("a.pdf", page(&content.join("\n")));
        prop_assert!(got.is_ok());
    }
}
