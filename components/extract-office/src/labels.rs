//! The labels of counted lists: 3, c, iii.

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Decimal,
    /// 01, 02 ...
    Padded,
    LowerLetter,
    UpperLetter,
    LowerRoman,
    UpperRoman,
    /// A sign that says nothing.
    Bullet,
    None,
}

impl Format {
    /// As Office names it. What is not known counts in digits.
    pub(crate) fn of_office(name: &str) -> Self {
        match name {
            "bullet" => Self::Bullet,
            "none" => Self::None,
            "lowerLetter" => Self::LowerLetter,
            "upperLetter" => Self::UpperLetter,
            "lowerRoman" => Self::LowerRoman,
            "upperRoman" => Self::UpperRoman,
            "decimalZero" => Self::Padded,
            _ => Self::Decimal,
        }
    }

    /// As OpenDocument names it.
    pub(crate) fn of_odf(name: &str) -> Self {
        match name {
            "" => Self::None,
            "a" => Self::LowerLetter,
            "A" => Self::UpperLetter,
            "i" => Self::LowerRoman,
            "I" => Self::UpperRoman,
            _ => Self::Decimal,
        }
    }

    /// The number, written so.
    pub(crate) fn write(self, number: u32) -> String {
        match self {
            Self::Decimal => number.to_string(),
            Self::Padded => format!("{number:02}"),
            Self::LowerLetter => letters(number, 'a'),
            Self::UpperLetter => letters(number, 'A'),
            Self::LowerRoman => roman(number).to_lowercase(),
            Self::UpperRoman => roman(number),
            Self::Bullet | Self::None => String::new(),
        }
    }
}

/// a, b ... z, aa, bb ...: as office programs go on after z.
fn letters(number: u32, first: char) -> String {
    if number == 0 {
        return "0".to_owned();
    }
    let letter = (u32::from(first) + (number - 1) % 26) as u8;
    let times = ((number - 1) / 26 + 1).min(20) as usize;
    char::from(letter).to_string().repeat(times)
}

fn roman(number: u32) -> String {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if number == 0 || number > 5_000 {
        return number.to_string();
    }
    let mut rest = number;
    let mut out = String::new();
    for (value, sign) in SIGNS {
        while rest >= value {
            out.push_str(sign);
            rest -= value;
        }
    }
    out
}

/// What stands before the item of a list that has this label: Markdown knows
/// `3.` and `3)`; any other label follows a bullet.
pub(crate) fn marker(label: &str) -> String {
    let label = label.trim();
    let digits = label.strip_suffix(['.', ')']).unwrap_or_default();
    if label.is_empty() {
        crate::writer::BULLET.to_owned()
    } else if (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) {
        label.to_owned()
    } else {
        format!("{} {label}", crate::writer::BULLET)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_office_programs_do() {
        assert_eq!(Format::LowerLetter.write(3), "c");
        assert_eq!(Format::UpperLetter.write(28), "BB");
        assert_eq!(Format::LowerRoman.write(1994), "mcmxciv");
        assert_eq!(Format::UpperRoman.write(4), "IV");
        assert_eq!(Format::Padded.write(7), "07");
        assert!(Format::LowerLetter.write(u32::MAX).len() <= 20);
        assert_eq!(Format::UpperRoman.write(u32::MAX), u32::MAX.to_string());
    }

    #[test]
    fn labels_that_markdown_does_not_know_follow_a_bullet() {
        assert_eq!(marker("3."), "3.");
        assert_eq!(marker("12)"), "12)");
        assert_eq!(marker("(a)"), "- (a)");
        assert_eq!(marker("2.1."), "- 2.1.");
        assert_eq!(marker(""), "-");
    }
}
