use extract_core::{FailureKind, Property};

use super::*;

#[test]
fn charsets_fields_notes_and_tables() {
    let rtf = br#"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}}
{\info{\title The t\'eftle}{\author Ada}{\creatim\yr2024\mo1\dy2\hr3\min4}}
{\*\generator Someone;}{\header\pard\plain Secret \chpgn\par}
\pard\s1 Chapter\par\pard\s2 Section\par
\pard\plain Caf\'e9 \u8211? {\f1\'cf\'f0\'e8\'e2\'e5\'f2} {\f2\'93\'fa\'96\'7b} \uc2\u26085 ??x {\v hidden}{\deleted gone}{\revised kept}\emdash\~end \uc1\u-10179?\u-8704?\par
{\field{\*\fldinst{HYPERLINK "https://x.example/"}}{\fldrslt the site}} and{\super\chftn{\footnote\pard\plain A note.\par}}.\par
{\*\unknown not shown}{\pict\bin5 }}}}}ffd8}
\trowd\cellx1\cellx2\pard\intbl a\cell b | c\cell\row\pard\intbl 1\cell 2\cell\row
\pard{\listtext\bullet\tab}\ls1 One\par\pard{\listtext 2.\tab}\ls2 Two\par
\pard After\line line}"#;
    let document = read("a.rtf", rtf.to_vec());
    assert_eq!(
        document.text,
        "Secret\n\n# Chapter\n\n## Section\n\nCafé – Привет 日本 日x kept—\u{A0}end 😀\n\n[the site](https://x.example/) and[^1].\n\n[^1]: A note.\n\n| a | b \\| c |\n|---|---|\n| 1 | 2 |\n\n- One\n2. Two\n\nAfter\nline\n"
    );
    assert_eq!(document.title, "The tïtle");
    assert_eq!(
        document.properties,
        [
            Property::text("author", "Ada"),
            Property::timestamp("created", 1_704_164_640_000)
        ]
    );
    assert_eq!(document.warnings.len(), 2, "{:?}", document.warnings);
}

#[test]
fn a_cut_or_deep_file_is_read_as_far_as_it_goes() {
    let document = read("a.rtf", br"{\rtf1 Hello {\b wor".to_vec());
    assert_eq!(document.text, "Hello wor\n");
    assert!(document.warnings[0].contains("cut off"));
    let deep = format!("{{\\rtf1 top {}x", "{".repeat(100_000));
    let document = read("a.rtf", deep.into_bytes());
    assert_eq!(document.text, "top\n");
    assert!(document.warnings[0].contains("nested"));
    let failure = try_read("a.rtf", b"\x7fELF".to_vec()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::InvalidInput);
}
