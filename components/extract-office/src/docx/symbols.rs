//! Signs of fonts that have letters of their own.

/// Greek letters of the font Symbol, where Latin capital and small letters are.
const GREEK_CAPITAL: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
const GREEK_SMALL: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";

/// The character that a sign of a font looks like; nothing where none is known.
pub(crate) fn symbol(font: &str, code: u32) -> Option<char> {
    // Signs lie in the private use area, at F000 plus their place in the font.
    let place = if (0xF000..=0xF0FF).contains(&code) {
        code - 0xF000
    } else {
        code
    };
    let font = font.to_lowercase();
    if font.starts_with("wingdings") && place < 0x100 {
        return match (font.as_str(), place) {
            ("wingdings", 0x28) => Some('☎'),
            ("wingdings", 0x2A) => Some('✉'),
            ("wingdings", 0x4A) => Some('☺'),
            ("wingdings", 0x6C | 0x9F) => Some('●'),
            ("wingdings", 0x6E | 0xA7) => Some('■'),
            ("wingdings", 0x6F | 0x71 | 0xA8) => Some('☐'),
            ("wingdings", 0xD8) => Some('➢'),
            ("wingdings", 0xDF | 0xE7) => Some('←'),
            ("wingdings", 0xE0 | 0xE8) => Some('→'),
            ("wingdings", 0xE1 | 0xE9) => Some('↑'),
            ("wingdings", 0xE2 | 0xEA) => Some('↓'),
            ("wingdings", 0xFB) => Some('✗'),
            ("wingdings", 0xFC) => Some('✓'),
            ("wingdings", 0xFD) => Some('☒'),
            ("wingdings", 0xFE) => Some('☑'),
            ("wingdings 2", 0x50 | 0x52) => Some('☑'),
            ("wingdings 2", 0x4F | 0x51) => Some('☒'),
            ("wingdings 2", 0xA3) => Some('☐'),
            _ => None,
        };
    }
    if font == "symbol" {
        let nth = |letters: &str, first: u32| letters.chars().nth((place - first) as usize);
        return match place {
            0x41..=0x5A => nth(GREEK_CAPITAL, 0x41),
            0x61..=0x7A => nth(GREEK_SMALL, 0x61),
            0x20..=0x7E => char::from_u32(place),
            0xA3 => Some('≤'),
            0xA5 => Some('∞'),
            0xAB => Some('↔'),
            0xAC => Some('←'),
            0xAD => Some('↑'),
            0xAE => Some('→'),
            0xAF => Some('↓'),
            0xB0 => Some('°'),
            0xB1 => Some('±'),
            0xB3 => Some('≥'),
            0xB4 => Some('×'),
            0xB7 => Some('•'),
            0xB8 => Some('÷'),
            0xB9 => Some('≠'),
            0xBB => Some('≈'),
            0xC5 => Some('⊕'),
            0xC6 => Some('∅'),
            0xCE => Some('∈'),
            0xD2 => Some('®'),
            0xD3 => Some('©'),
            0xD4 => Some('™'),
            0xD6 => Some('√'),
            _ => None,
        };
    }
    char::from_u32(code).filter(|c| !matches!(c, '\u{E000}'..='\u{F8FF}') && !c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_become_what_they_look_like() {
        assert_eq!(symbol("Symbol", 0xF061), Some('α'));
        assert_eq!(symbol("Symbol", 0x57), Some('Ω'));
        assert_eq!(symbol("Wingdings", 0xF0FC), Some('✓'));
        assert_eq!(symbol("Wingdings", 0xF021), None);
        assert_eq!(symbol("MS Gothic", 0x2612), Some('☒'));
        assert_eq!(symbol("Other", 0xF021), None);
        assert_eq!(GREEK_CAPITAL.chars().count(), 26);
        assert_eq!(GREEK_SMALL.chars().count(), 26);
    }
}
