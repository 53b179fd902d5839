//! Charsets and signs of rich text.

use encoding_rs::Encoding;

/// The encoding of a font's charset; nothing for the document's own.
pub(super) fn of_charset(number: i32) -> Option<&'static Encoding> {
    Some(match number {
        77 => encoding_rs::MACINTOSH,
        128 => encoding_rs::SHIFT_JIS,
        129 | 130 => encoding_rs::EUC_KR,
        134 => encoding_rs::GBK,
        136 => encoding_rs::BIG5,
        161 => encoding_rs::WINDOWS_1253,
        162 => encoding_rs::WINDOWS_1254,
        163 => encoding_rs::WINDOWS_1258,
        177 => encoding_rs::WINDOWS_1255,
        178 => encoding_rs::WINDOWS_1256,
        186 => encoding_rs::WINDOWS_1257,
        204 => encoding_rs::WINDOWS_1251,
        222 => encoding_rs::WINDOWS_874,
        238 => encoding_rs::WINDOWS_1250,
        _ => return None,
    })
}

/// The encoding of a code page.
pub(super) fn of_code_page(number: i32) -> Option<&'static Encoding> {
    Some(match number {
        932 => encoding_rs::SHIFT_JIS,
        936 => encoding_rs::GBK,
        949 => encoding_rs::EUC_KR,
        950 => encoding_rs::BIG5,
        874 => encoding_rs::WINDOWS_874,
        866 => encoding_rs::IBM866,
        10_000 => encoding_rs::MACINTOSH,
        65_001 => encoding_rs::UTF_8,
        1250..=1258 => Encoding::for_label(format!("windows-{number}").as_bytes())?,
        _ => return None,
    })
}

/// Signs that have a word of their own.
pub(super) fn sign(word: &str) -> Option<&'static str> {
    Some(match word {
        "emdash" => "—",
        "endash" => "–",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        _ => return None,
    })
}
