//! What a character is to the scanner.

use unicode_normalization::char::is_combining_mark;

/// What a character is to the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A letter or digit of a script that puts spaces between words.
    Word,
    /// A letter of a script without spaces between words, or of Korean, whose
    /// words carry their particles.
    Bigram,
    /// An emoji or another pictograph.
    Emoji,
    /// A mark or an invisible character: goes on with what stands before it.
    Extend,
    /// Anything else: white space, punctuation, symbols.
    Other,
}

pub(crate) fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            Class::Word
        } else {
            Class::Other
        };
    }
    if is_emoji(c) {
        return Class::Emoji;
    }
    if is_invisible(c) || is_combining_mark(c) || is_trailing_part(c) {
        return Class::Extend;
    }
    // A letter to Unicode, an apostrophe to those who type it.
    if !c.is_alphanumeric() || c == '\u{2bc}' {
        return Class::Other;
    }
    if is_bigram_script(c) {
        Class::Bigram
    } else {
        Class::Word
    }
}

/// Invisible characters that stand inside words: soft hyphen, joiners,
/// direction marks, variation selectors. The zero-width space is none of them:
/// it separates words.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200c}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The vowels and finals of a decomposed Korean syllable, and the voicing marks
/// of half-width Japanese, which normalization joins with what is before them.
fn is_trailing_part(c: char) -> bool {
    matches!(c, '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}' | '\u{ff9e}' | '\u{ff9f}')
}

fn is_bigram_script(c: char) -> bool {
    matches!(
        c,
        // Thai, Lao, Burmese, Hangul, Khmer
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}'
            | '\u{1780}'..='\u{17ff}'
            // Japanese, Chinese, Bopomofo, Hangul letters
            | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{303c}'
            | '\u{3041}'..='\u{318f}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
            // Hangul and Burmese, extended
            | '\u{a960}'..='\u{a97f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}'
            | '\u{ac00}'..='\u{d7ff}'
            // Compatibility ideographs, half-width forms
            | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}'
            // Rare kana and ideographs
            | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// By block: unlike the property Emoji these are few ranges, and leave out
/// digits, (c) and arrows.
fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{203c}' | '\u{2049}' | '\u{2300}'..='\u{23ff}' | '\u{25fb}'..='\u{27bf}'
            | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1f0ff}' | '\u{1f1e6}'..='\u{1f1ff}'
            | '\u{1f300}'..='\u{1faff}'
    )
}

/// Whether `c` is half of a flag.
pub(crate) fn is_regional(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

/// Whether `c` gives the emoji before it a skin colour.
pub(crate) fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

/// The scripts that matter to stemming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Arabic,
    Devanagari,
    Tamil,
    Other,
}

pub(crate) fn script(c: char) -> Script {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{aa}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
        '\u{fb00}'..='\u{fb06}' | '\u{ff21}'..='\u{ff5a}' => Script::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{530}'..='\u{58f}' => Script::Armenian,
        '\u{600}'..='\u{6ff}'
        | '\u{750}'..='\u{77f}'
        | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' => Script::Arabic,
        '\u{900}'..='\u{97f}' => Script::Devanagari,
        '\u{b80}'..='\u{bff}' => Script::Tamil,
        _ => Script::Other,
    }
}
