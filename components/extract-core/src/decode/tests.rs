use super::*;

fn utf16_bytes(text: &str, little: bool, mark: bool) -> Vec<u8> {
    let mut units: Vec<u16> = Vec::new();
    if mark {
        units.push(0xFEFF);
    }
    units.extend(text.encode_utf16());
    units
        .iter()
        .flat_map(|unit| {
            if little {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        })
        .collect()
}

#[test]
fn utf8_passes_with_and_without_mark() {
    for bytes in ["ä€😀\n".as_bytes().to_vec(), "\u{FEFF}ä€😀\n".into()] {
        let decoded = decode(bytes).unwrap();
        assert_eq!(decoded.text, "ä€😀\n");
        assert!(decoded.warnings.is_empty());
    }
}

#[test]
fn utf16_with_a_mark_in_both_orders() {
    for little in [true, false] {
        let decoded = decode(utf16_bytes("# Grüße 😀\r\n", little, true)).unwrap();
        assert_eq!(decoded.text, "# Grüße 😀\r\n");
        assert!(decoded.warnings.is_empty());
    }
}

#[test]
fn utf16_without_a_mark_shows_by_its_nuls() {
    for text in [
        "# A note\n\nwith words\n",
        "日本語のノート。\n改行もある。\n終わり\n",
        "Привет, мир. Это заметка.\n",
    ] {
        for (little, name) in [(true, "UTF-16LE"), (false, "UTF-16BE")] {
            let decoded = decode(utf16_bytes(text, little, false)).unwrap();
            assert_eq!(decoded.text, text);
            assert!(decoded.warnings[0].contains(name));
        }
    }
}

#[test]
fn damaged_utf16_is_decoded_as_far_as_it_goes() {
    let mut bytes = utf16_bytes("ab", true, true);
    bytes.extend([0x00, 0xD8]);
    bytes.extend(utf16_bytes("c\0d", true, false));
    bytes.push(b'x');
    let decoded = decode(bytes).unwrap();
    assert_eq!(decoded.text, "ab\u{FFFD}cd\u{FFFD}");
    assert!(decoded.warnings[0].contains("UTF-16LE: 2 characters"));
    assert!(decoded.warnings[1].contains("1 NUL"));
}

#[test]
fn the_files_own_replacement_characters_are_not_damage() {
    let decoded = decode(utf16_bytes("a\u{FFFD}b", true, true)).unwrap();
    assert!(decoded.warnings.is_empty());
}

#[test]
fn legacy_charsets_are_found_and_named() {
    let cases: [(&'static Encoding, &str); 4] = [
        (
            encoding_rs::WINDOWS_1252,
            "Ein Café in Köln, „schön“ – ja!\n",
        ),
        (
            encoding_rs::SHIFT_JIS,
            "これは日本語のメモです。明日の会議について書きます。\n",
        ),
        (
            encoding_rs::WINDOWS_1251,
            "Это заметка о том, как мы поехали на дачу.\n",
        ),
        (
            encoding_rs::GBK,
            "这是一个关于明天会议的笔记，内容很简单。\n",
        ),
    ];
    for (encoding, text) in cases {
        let (bytes, _, unmappable) = encoding.encode(text);
        assert!(!unmappable);
        let decoded = decode(bytes.into_owned()).unwrap();
        assert_eq!(decoded.text, text, "{}", encoding.name());
        assert!(
            decoded.warnings[0].contains(encoding.name()),
            "{:?}",
            decoded.warnings
        );
    }
}

#[test]
fn damaged_utf8_stays_utf8() {
    let mut bytes = "Grüße aus Köln, schön".as_bytes().to_vec();
    bytes.extend([0xFF, b' ', 0xC3, b' ']);
    let decoded = decode(bytes).unwrap();
    assert_eq!(decoded.text, "Grüße aus Köln, schön\u{FFFD} \u{FFFD} ");
    assert!(decoded.warnings[0].contains("UTF-8: 2 characters"));

    let mut cut = b"plain words ".to_vec();
    cut.extend(&"€".as_bytes()[..2]);
    let decoded = decode(cut).unwrap();
    assert_eq!(decoded.text, "plain words \u{FFFD}");
    assert!(decoded.warnings[0].contains("UTF-8: 1 character could"));
}

#[test]
fn binary_files_are_refused() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0".to_vec();
    let elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0".to_vec();
    let words_and_nul = b"some text\0and more text".to_vec();
    let nul_at_end = b"some text\0".to_vec();
    let utf8_nul = "Привет, мир и всё!\0".as_bytes().to_vec();
    let legacy_nul = b"un caf\xe9 noir, deux caf\xe9s \0".to_vec();
    assert_eq!((utf8_nul.len() % 2, legacy_nul.len() % 2), (0, 0));
    let controls = (0u8..=255).filter(|&b| b != 0).cycle().take(4096).collect();
    for bytes in [
        png,
        elf,
        words_and_nul,
        nul_at_end,
        utf8_nul,
        legacy_nul,
        controls,
        vec![0],
        vec![0; 64],
    ] {
        let failure = decode(bytes).unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidInput);
        assert!(
            failure
                .message
                .contains("looks like a binary file, not text")
        );
    }
}

#[test]
fn a_few_control_characters_do_not_make_a_file_binary() {
    let log = format!(
        "\u{1}{}\u{1B}[1mbold\u{1B}[0m\u{C}\n",
        "words and words ".repeat(20)
    );
    assert_eq!(decode(log.clone().into_bytes()).unwrap().text, log);
    assert_eq!(decode(b"a\x01".to_vec()).unwrap().text, "a\u{1}");
}

#[test]
fn utf32_is_named() {
    for bytes in [
        vec![0xFF, 0xFE, 0, 0, b'a', 0, 0, 0],
        vec![0, 0, 0xFE, 0xFF, 0, 0, 0, b'a'],
    ] {
        let failure = decode(bytes).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unsupported);
    }
}
