//! Dates of header fields and of mailbox lines.

use jiff::civil;

use crate::headers::parsed_date;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// A point in time by its parts, in milliseconds since 1970. Nothing where
/// there is no such time, or none at which mail could have been written.
fn instant(
    (year, month, day): (i16, i8, i8),
    (hour, minute, second): (i8, i8, i8),
    east_of_utc_minutes: i64,
) -> Option<i64> {
    if !(1970..=2200).contains(&year) || east_of_utc_minutes.abs() > 24 * 60 {
        return None;
    }
    // A leap second is the end of the second before.
    let time = civil::DateTime::new(year, month, day, hour, minute, second.min(59), 0).ok()?;
    let utc = jiff::tz::Offset::UTC.to_timestamp(time).ok()?;
    Some((utc.as_second() - east_of_utc_minutes * 60) * 1_000)
}

/// The date in a field such as `Date`, in milliseconds since 1970.
pub(crate) fn of_field(value: &[u8]) -> Option<i64> {
    let parsed = parsed_date(value).and_then(|date| {
        let small = |number: u8| i8::try_from(number).ok();
        let offset = i64::from(date.tz_hour) * 60 + i64::from(date.tz_minute);
        instant(
            (
                i16::try_from(date.year).ok()?,
                small(date.month)?,
                small(date.day)?,
            ),
            (small(date.hour)?, small(date.minute)?, small(date.second)?),
            if date.tz_before_gmt { -offset } else { offset },
        )
    });
    parsed.or_else(|| loose(&String::from_utf8_lossy(&value[..value.len().min(200)])))
}

/// A date in words and numbers in whatever order: what comes after a `From ` in
/// a mailbox, or what a program made up.
pub(crate) fn loose(text: &str) -> Option<i64> {
    let (mut month, mut day, mut year, mut time, mut offset) = (None, None, None, None, 0);
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')')) {
        if word.is_empty() {
            continue;
        }
        if let Some(date) = numeric_date(word) {
            (year, month, day) = (Some(date.0), Some(date.1), Some(date.2));
            if let Some((_, rest)) = word.split_once('T') {
                time = time.or_else(|| clock(rest));
            }
        } else if word.contains(':') {
            time = time.or_else(|| clock(word));
        } else if let Some(minutes) = zone(word) {
            offset = minutes;
        } else if let Some(number) = digits(word) {
            if word.len() <= 2 && day.is_none() {
                day = Some(number);
            } else if word.len() == 4 && year.is_none() {
                year = Some(number);
            }
        } else if month.is_none() {
            month = month_of(word);
        }
    }
    instant(
        (
            i16::try_from(year?).ok()?,
            i8::try_from(month?).ok()?,
            i8::try_from(day?).ok()?,
        ),
        time?,
        offset,
    )
}

fn digits(word: &str) -> Option<i32> {
    let only = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    if only { word.parse().ok() } else { None }
}

fn month_of(word: &str) -> Option<i32> {
    let start = word.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == start)?;
    i32::try_from(at + 1).ok()
}

/// `2001-02-03`, with or without a time behind a `T`.
fn numeric_date(word: &str) -> Option<(i32, i32, i32)> {
    let date = word.split('T').next()?;
    let mut parts = date.split(['-', '/']);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() != 4 || parts.next().is_some() {
        return None;
    }
    Some((digits(year)?, digits(month)?, digits(day)?))
}

/// `hh:mm` or `hh:mm:ss`, whatever follows.
fn clock(word: &str) -> Option<(i8, i8, i8)> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != ':');
    let mut parts = word[..end.unwrap_or(word.len())].split(':');
    let mut next = || i8::try_from(digits(parts.next()?)?).ok();
    let (hour, minute) = (next()?, next()?);
    let second = next().unwrap_or(0);
    let sound = hour < 24 && minute < 60 && second <= 60;
    sound.then_some((hour, minute, second))
}

/// `+hhmm` or `-hhmm`, in minutes east of Greenwich.
fn zone(word: &str) -> Option<i64> {
    let (sign, rest) = match word.as_bytes().first()? {
        b'+' => (1, &word[1..]),
        b'-' => (-1, &word[1..]),
        _ => return None,
    };
    let number = i64::from(digits(rest)?);
    (rest.len() == 4 && number <= 1400).then_some(sign * (number / 100 * 60 + number % 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW_YEAR: i64 = 1_009_843_200_000;

    #[test]
    fn dates_of_fields_are_read_as_programs_write_them() {
        for text in [
            "Tue, 1 Jan 2002 00:00:00 +0000",
            "Tue, 1 Jan 2002 01:00:00 +0100 (CET)",
            " 1 Jan 02 00:00:00 GMT",
            "Mon, 31 Dec 2001 19:00:00 EST",
            "Tue Jan  1 00:00:00 2002",
            "2002-01-01T00:00:00Z",
            "2002-01-01 00:00:00 +0000",
            "Tue, 01 Jan 2002 00:00 -0000",
        ] {
            assert_eq!(of_field(text.as_bytes()), Some(NEW_YEAR), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "yesterday",
            "Tue, 31 Feb 2002 00:00:00 +0000",
            "1 Jan 1802 00:00:00 +0000",
        ] {
            assert_eq!(of_field(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn mailbox_lines_have_their_dates_in_any_order() {
        for text in [
            "a@b Tue Jan  1 00:00:00 2002",
            "a@b Tue Jan 01 00:00:00 +0000 2002",
            "- Tue Jan  1 01:00:00 2002 +0100",
            "\"A B\" Tue Jan  1 00:00 2002",
        ] {
            assert_eq!(loose(text), Some(NEW_YEAR), "{text}");
        }
    }
}
