//! How numbers are shown: dates as dates, shares as percentages.

use std::collections::HashMap;

use jiff::civil::{Date, date};
use jiff::{Span, civil};

use crate::xml::{self, Ns, Step};

/// What a number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Number,
    Date,
    DateTime,
    Time,
    /// Hours beyond a day's.
    Duration,
    Percent,
}

/// The formats of a workbook's cell styles.
#[derive(Debug)]
pub(super) struct Formats {
    styles: Vec<Shown>,
    /// Whether days count from 1904.
    from_1904: bool,
}

impl Formats {
    /// Reads `styles.xml`.
    pub(super) fn read(text: &str, from_1904: bool) -> Self {
        let mut custom: HashMap<u32, Shown> = HashMap::new();
        let mut styles = Vec::new();
        let mut in_cells = false;
        // Without formats numbers are shown as numbers.
        let _ = xml::each(text, |tag| {
            if tag.ns != Ns::Sheet {
                return Step::Into;
            }
            match tag.name {
                "numFmt" => {
                    if let (Some(id), Some(code)) = (tag.number("numFmtId"), tag.attr("formatCode"))
                    {
                        custom.insert(id, by_code(&code));
                    }
                }
                "cellXfs" => in_cells = true,
                "cellStyleXfs" | "cellStyles" | "dxfs" => in_cells = false,
                "xf" if in_cells => {
                    let id = tag.number("numFmtId").unwrap_or(0);
                    let shown = custom.get(&id).copied();
                    styles.push(shown.unwrap_or_else(|| built_in(id)));
                }
                _ => {}
            }
            Step::Into
        });
        Self { styles, from_1904 }
    }

    /// A number as people read it.
    pub(super) fn show(&self, value: &str, style: usize) -> String {
        let Some(number) = value
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
        else {
            return value.to_owned();
        };
        let shown = self.styles.get(style).copied().unwrap_or(Shown::Number);
        let as_time = match shown {
            Shown::Number => None,
            Shown::Percent => Some(format!("{}%", plain(number * 100.0))),
            _ => self.time(number, shown),
        };
        as_time.unwrap_or_else(|| plain(number))
    }

    fn time(&self, number: f64, shown: Shown) -> Option<String> {
        // No format has dates beyond the year 9999.
        if !(0.0..2_958_466.0).contains(&number) {
            return None;
        }
        let seconds = (number * 86_400.0).round() as i64;
        let (days, second) = (seconds / 86_400, seconds % 86_400);
        let clock = |hours: i64| {
            let (minute, second) = (second / 60 % 60, second % 60);
            match second {
                0 => format!("{hours:02}:{minute:02}"),
                second => format!("{hours:02}:{minute:02}:{second:02}"),
            }
        };
        match shown {
            Shown::Duration => Some(clock(seconds / 3_600)),
            Shown::Time => Some(clock(second / 3_600)),
            // A time of no day, shown as one of a day.
            Shown::DateTime if days == 0 && second > 0 => Some(clock(second / 3_600)),
            Shown::DateTime if second > 0 => {
                Some(format!("{} {}", self.day(days)?, clock(second / 3_600)))
            }
            _ => Some(self.day(days)?.to_string()),
        }
    }

    fn day(&self, days: i64) -> Option<Date> {
        let zero = if self.from_1904 {
            date(1904, 1, 1)
        } else if days < 60 {
            date(1899, 12, 31)
        } else {
            // Excel has a 29th of February 1900, which never was.
            date(1899, 12, 30)
        };
        let span = Span::new().try_days(days).ok()?;
        let day: civil::Date = zero.checked_add(span).ok()?;
        Some(day)
    }
}

/// What the formats that need not be written down stand for.
fn built_in(id: u32) -> Shown {
    match id {
        9 | 10 => Shown::Percent,
        14..=17 | 27..=31 | 34..=36 | 50..=54 | 57..=58 => Shown::Date,
        18..=21 | 32..=33 | 45 | 47 | 55..=56 => Shown::Time,
        22 => Shown::DateTime,
        46 => Shown::Duration,
        _ => Shown::Number,
    }
}

/// What a format code says: `yyyy-mm-dd`, `[h]:mm`, `0.0%`.
fn by_code(code: &str) -> Shown {
    // Only the form for positive numbers matters.
    let mut letters = String::new();
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c {
            ';' => break,
            '"' => {
                chars.by_ref().find(|&c| c == '"');
            }
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' => {
                let inside: String = chars.by_ref().take_while(|&c| c != ']').collect();
                let inside = inside.to_ascii_lowercase();
                let counts = !inside.is_empty()
                    && "hms".chars().any(|unit| inside.chars().all(|c| c == unit));
                if counts {
                    return Shown::Duration;
                }
            }
            c => letters.push(c.to_ascii_lowercase()),
        }
    }
    if letters.trim() == "general" {
        return Shown::Number;
    }
    let day = letters.contains(['y', 'd']);
    let clock = letters.contains(['h', 's']);
    match (day, clock) {
        (true, true) => Shown::DateTime,
        (true, false) => Shown::Date,
        (false, true) => Shown::Time,
        (false, false) if letters.contains('m') => Shown::Date,
        (false, false) if letters.contains('%') => Shown::Percent,
        (false, false) => Shown::Number,
    }
}

/// A number in as many digits as count: Excel keeps fifteen.
fn plain(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if rounded != 0.0 && !(1e-9..1e18).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(code: &str, value: &str) -> String {
        let formats = Formats {
            styles: vec![by_code(code)],
            from_1904: false,
        };
        formats.show(value, 0)
    }

    #[test]
    fn numbers_are_shown_as_what_they_stand_for() {
        assert_eq!(show("yyyy-mm-dd", "45000"), "2023-03-15");
        assert_eq!(show("[$-409]d\\-mmm\\-yy;@", "1"), "1900-01-01");
        assert_eq!(show("mmm", "61"), "1900-03-01");
        assert_eq!(show("d/m/yy h:mm", "45000.75"), "2023-03-15 18:00");
        assert_eq!(show("d/m/yy h:mm", "45000.999999"), "2023-03-16");
        assert_eq!(show("h:mm:ss AM/PM", "0.5000116"), "12:00:01");
        assert_eq!(show("[h]:mm", "1.5"), "36:00");
        assert_eq!(show("0.0%", "0.123"), "12.3%");
        assert_eq!(show("#,##0.00 \"days\"", "0.30000000000000004"), "0.3");
        assert_eq!(show("[Red]0", "1234567890123"), "1234567890123");
        assert_eq!(show("General", "1e300"), "1e300");
        assert_eq!(show("General", "-5"), "-5");
        assert_eq!(show("yyyy", "-5"), "-5");
        assert_eq!(show("yyyy", "1e9"), "1000000000");
        assert_eq!(show("0", "word"), "word");
    }

    #[test]
    fn days_count_from_1904_where_told() {
        let formats = Formats {
            styles: vec![Shown::Date],
            from_1904: true,
        };
        assert_eq!(formats.show("0", 0), "1904-01-01");
    }
}
