//! Text strings outside of page content.

/// A text string: UTF-16 or UTF-8 where a byte order mark says so, else
/// PDFDocEncoding. (Escape sequences that name a language are left out.)
pub(crate) fn decode(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Not allowed, but written by many.
        _ if !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok() => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        _ => bytes.iter().filter_map(|&byte| pdf_doc(byte)).collect(),
    };
    without_language(&text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|&pair| unit(pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Takes out U+001B language U+001B, and control characters.
fn without_language(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split('\u{1B}').enumerate() {
        if index % 2 == 0 {
            out.extend(part.chars().filter(|&c| !c.is_control() || c.is_whitespace()));
        }
    }
    out
}

/// PDFDocEncoding: Latin-1 but for these.
fn pdf_doc(byte: u8) -> Option<char> {
    const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const HIGH: [char; 31] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚',
        '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž',
    ];
    match byte {
        0x18..=0x1F => Some(LOW[usize::from(byte - 0x18)]),
        0x80..=0x9E => Some(HIGH[usize::from(byte - 0x80)]),
        0x9F => None,
        0xA0 => Some('€'),
        _ => Some(char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_say_how_they_are_written() {
        assert_eq!(decode(b"\xFE\xFF\x00A\x20\xAC"), "A€");
        assert_eq!(decode(b"\xFF\xFEA\x00"), "A");
        assert_eq!(decode("\u{FEFF}Größe".as_bytes()), "Größe");
        assert_eq!(decode(b"\x80 caf\xE9 \xA0"), "• café €");
        assert_eq!(decode("Größe".as_bytes()), "Größe");
        assert_eq!(decode(b"\xFE\xFF\x00\x1B\x00e\x00n\x00\x1B\x00A"), "A");
    }
}
