//! Types of plain YAML scalars.

use extract_core::Scalar;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

/// Whole numbers up to 2^53 are exact as `f64`; longer ones are identifiers
/// rather than quantities and stay text.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Types what was written without quotes, as the core schema of YAML 1.2 does
/// (<https://yaml.org/spec/1.2.2/#103-core-schema>), with these differences:
/// dates and times are timestamps; infinities, not-a-number, whole numbers that
/// begin with a superfluous 0 (postcodes) and whole numbers beyond 2^53 stay
/// text. Gives nothing for null.
pub(crate) fn typed(text: &str) -> Option<Scalar> {
    let text = text.trim();
    let scalar = match text {
        "" | "~" | "null" | "Null" | "NULL" => return None,
        "true" | "True" | "TRUE" => Scalar::Boolean(true),
        "false" | "False" | "FALSE" => Scalar::Boolean(false),
        _ => {
            if let Some(number) = number(text) {
                Scalar::Number(number)
            } else if let Some(milliseconds) = timestamp(text) {
                Scalar::Timestamp(milliseconds)
            } else {
                Scalar::Text(text.to_owned())
            }
        }
    };
    Some(scalar)
}

fn number(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let first = *unsigned.as_bytes().first()?;
    if !first.is_ascii_digit() && first != b'.' {
        return None;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let value = u64::from_str_radix(digits, radix).ok()? as f64;
            return (value <= MAX_EXACT && !digits.starts_with('+')).then_some(value);
        }
    }
    // What is left of Rust's own syntax after the check of the first byte are
    // digits, point and exponent.
    let value: f64 = text.parse().ok()?;
    let whole = unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let exact = !whole || (value.abs() <= MAX_EXACT && (unsigned.len() == 1 || first != b'0'));
    (value.is_finite() && exact).then_some(value)
}

/// Reads `2024-05-01`, `2024-05-01 10:30`, `2024-05-01T10:30:15.25+02:00` and
/// what lies between: milliseconds since 1970-01-01T00:00:00Z.
fn timestamp(text: &str) -> Option<i64> {
    let (year, rest) = digits(text, 4, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2, 2)?;
    let date = Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
    )
    .ok()?;
    let (time, offset) = if rest.is_empty() {
        (Time::midnight(), Offset::UTC)
    } else {
        let rest = rest
            .strip_prefix(['T', 't'])
            .or_else(|| Some(rest.trim_start()).filter(|trimmed| trimmed.len() < rest.len()))?;
        time_and_offset(rest)?
    };
    let timestamp = TimeZone::fixed(offset)
        .to_timestamp(DateTime::from_parts(date, time))
        .ok()?;
    Some(timestamp.as_millisecond())
}

fn time_and_offset(text: &str) -> Option<(Time, Offset)> {
    let (hour, rest) = digits(text, 1, 2)?;
    let (minute, mut rest) = digits(rest.strip_prefix(':')?, 2, 2)?;
    let (mut second, mut nanosecond) = (0, 0);
    if let Some(after) = rest.strip_prefix(':') {
        (second, rest) = digits(after, 2, 2)?;
        if let Some(after) = rest.strip_prefix('.') {
            let length = after.bytes().take_while(u8::is_ascii_digit).count();
            let fraction = &after[..length.min(9)];
            let scale = 10_i32.pow(u32::try_from(9 - fraction.len()).ok()?);
            nanosecond = fraction.parse::<i32>().ok()? * scale;
            rest = &after[length..];
        }
    }
    let time = Time::new(
        i8::try_from(hour).ok()?,
        i8::try_from(minute).ok()?,
        i8::try_from(second).ok()?,
        nanosecond,
    )
    .ok()?;
    Some((time, offset(rest.trim_start())?))
}

/// `Z`, `+02:00`, `+0200`, `-5` or nothing.
fn offset(text: &str) -> Option<Offset> {
    if matches!(text, "" | "Z" | "z") {
        return Some(Offset::UTC);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, rest) = digits(text.strip_prefix(['+', '-'])?, 1, 2)?;
    let minutes = if rest.is_empty() {
        0
    } else {
        let (minutes, rest) = digits(rest.strip_prefix(':').unwrap_or(rest), 2, 2)?;
        if !rest.is_empty() || minutes > 59 {
            return None;
        }
        minutes
    };
    let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
    Offset::from_seconds(sign * seconds).ok()
}

/// A number of `least` to `most` digits, and what follows it.
fn digits(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let length = text
        .bytes()
        .take(most)
        .take_while(u8::is_ascii_digit)
        .count();
    if length < least {
        return None;
    }
    let (number, rest) = text.split_at(length);
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Option<Scalar> {
        Some(Scalar::Text(text.into()))
    }

    #[test]
    fn null_is_nothing() {
        for null in ["", " ", "~", "null", "NULL"] {
            assert_eq!(typed(null), None);
        }
    }

    #[test]
    fn booleans_are_those_of_yaml_1_2() {
        assert_eq!(typed("true"), Some(Scalar::Boolean(true)));
        assert_eq!(typed("False"), Some(Scalar::Boolean(false)));
        for word in ["yes", "no", "on", "off", "tRue"] {
            assert_eq!(typed(word), text(word));
        }
    }

    #[test]
    fn numbers() {
        let cases = [
            ("0", 0.0),
            ("-12", -12.0),
            ("+3.5", 3.5),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("0x1F", 31.0),
            ("0o17", 15.0),
            ("0.10", 0.1),
            ("9007199254740992", MAX_EXACT),
        ];
        for (written, number) in cases {
            assert_eq!(typed(written), Some(Scalar::Number(number)), "{written}");
        }
        let no_numbers = [
            "01234",
            "90071992547409921234",
            "1e999",
            ".inf",
            ".nan",
            "nan",
            "inf",
            "1_000",
            "1.2.3",
            "0x",
            "0x+1",
            "0xFFFFFFFFFFFFFFFF",
            "10:30",
            "-",
            "+",
            ".",
            "1e",
            "e5",
            "--1",
        ];
        for written in no_numbers {
            assert_eq!(typed(written), text(written), "{written}");
        }
    }

    #[test]
    fn dates_and_times() {
        let day = 1_714_521_600_000;
        let half_past_ten = day + 37_800_000;
        let cases = [
            ("1970-01-01", 0),
            ("2024-05-01", day),
            ("2024-05-01 10:30", half_past_ten),
            ("2024-05-01  10:30:00", half_past_ten),
            ("2024-05-01T10:30Z", half_past_ten),
            ("2024-05-01t10:30:00z", half_past_ten),
            ("2024-05-01 9:30", half_past_ten - 3_600_000),
            ("2024-05-01T12:30+02:00", half_past_ten),
            ("2024-05-01 12:30 +2", half_past_ten),
            ("2024-05-01T05:30:00-0500", half_past_ten),
            ("2024-05-01T10:30:00.25", half_past_ten + 250),
            ("2024-05-01T10:30:00.2500000000001", half_past_ten + 250),
            ("1969-12-31 23:59:59.999", -1),
            ("0001-01-01", -62_135_596_800_000),
        ];
        for (written, at) in cases {
            assert_eq!(typed(written), Some(Scalar::Timestamp(at)), "{written}");
        }
    }

    #[test]
    fn what_is_no_date_stays_text() {
        let cases = [
            "2024-02-30",
            "2024-13-01",
            "2024-5-1",
            "2024-05",
            "2024-05-01x",
            "2024-05-01 25:00",
            "2024-05-01 10",
            "2024-05-01T",
            "2024-05-01 10:30:00.",
            "2024-05-01 10:30 +99",
            "2024-05-01 10:30 PM",
            "24-05-01",
            "2024-05-01 10:30 +02:99",
            "２０２４-05-01",
        ];
        for written in cases {
            assert_eq!(typed(written), text(written), "{written}");
        }
    }
}
