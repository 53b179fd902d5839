//! Dates as pages write them.

use jiff::civil;
use jiff::tz::Offset;

/// Milliseconds since 1970 of a date as ISO 8601, RFC 2822 or a few looser
/// forms have it. A time without a zone counts as UTC, as does a date without a
/// time.
pub(crate) fn parse(written: &str) -> Option<i64> {
    let written = written.trim();
    if written.len() < 8 || written.len() > 64 {
        return None;
    }
    iso(written)
        .or_else(|| {
            let zoned = jiff::fmt::rfc2822::parse(written).ok()?;
            Some(zoned.timestamp().as_millisecond())
        })
        .or_else(|| seconds(written))
        .or_else(|| named(written))
}

fn iso(written: &str) -> Option<i64> {
    // `2015-07-24T05:36:09+0100`, `2015-07-24 05:36:09 +01:00`, `2015/07/24`.
    let written = written.replace('/', "-");
    let (date, time) = match written.find(['T', 't', ' ']) {
        Some(at) => (&written[..at], written[at + 1..].trim()),
        None => (&*written, ""),
    };
    let date: civil::Date = date.parse().ok()?;
    if time.is_empty() {
        return in_zone(date.at(0, 0, 0, 0), Offset::UTC);
    }
    let split = time.find(['+', '-', 'Z', 'z']).unwrap_or(time.len());
    let (clock, zone) = (time[..split].trim(), time[split..].trim());
    let clock: civil::Time = clock.parse().ok()?;
    in_zone(date.to_datetime(clock), offset(zone)?)
}

fn in_zone(time: civil::DateTime, offset: Offset) -> Option<i64> {
    Some(offset.to_timestamp(time).ok()?.as_millisecond())
}

/// `Z`, `+01:00`, `+0100`, `+01`, or nothing.
fn offset(zone: &str) -> Option<Offset> {
    let sign = match zone.bytes().next() {
        None | Some(b'Z' | b'z') => return Some(Offset::UTC),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let digits: String = zone[1..].chars().filter(char::is_ascii_digit).collect();
    let part = |range: std::ops::Range<usize>| digits.get(range)?.parse::<i32>().ok();
    let (hours, minutes) = (part(0..2)?, part(2..4).unwrap_or(0));
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
}

/// Seconds or milliseconds since 1970.
fn seconds(written: &str) -> Option<i64> {
    let number: i64 = written.parse().ok()?;
    match written.len() {
        9 | 10 => number.checked_mul(1_000),
        12 | 13 => Some(number),
        _ => None,
    }
}

/// `July 24, 2015`, `24 July 2015`, `Jul 24 2015`, with a time behind it or
/// not, which is left out.
fn named(written: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let (mut year, mut month, mut day) = (None, None, None);
    for word in written
        .split([' ', ',', '.'])
        .filter(|word| !word.is_empty())
    {
        let lower = word.to_lowercase();
        let by_name = MONTHS.iter().position(|name| lower.starts_with(name));
        let number = lower.trim_end_matches(char::is_alphabetic);
        if let (Some(at), None) = (by_name, month) {
            month = i8::try_from(at + 1).ok();
        } else if number.len() == 4 && year.is_none() {
            year = number.parse::<i16>().ok();
        } else if day.is_none() {
            day = number.parse::<i8>().ok();
        }
    }
    let date = civil::Date::new(year?, month?, day?).ok()?;
    in_zone(date.at(0, 0, 0, 0), Offset::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_pages_use() {
        let day = 1_437_696_000_000; // 2015-07-24T00:00:00Z
        let time = day + ((4 * 60 + 36) * 60 + 9) * 1_000;
        for (written, expected) in [
            ("2015-07-24", day),
            ("2015/07/24", day),
            ("20150724", day),
            ("2015-07-24T05:36:09+01:00", time),
            ("2015-07-24T05:36:09+0100", time),
            ("2015-07-24 04:36:09", time),
            ("2015-07-24 04:36:09Z", time),
            ("2015-07-24T04:36:09.000Z", time),
            ("2015-07-24T04:36:09 -00:00", time),
            ("Fri, 24 Jul 2015 05:36:09 +0100", time),
            ("Fri, 24 Jul 2015 04:36:09 GMT", time),
            ("1437712569", time),
            ("1437712569000", time),
            ("July 24, 2015", day),
            ("24 July 2015", day),
            ("Fri, Jul 24th, 2015 5 PM", day),
        ] {
            assert_eq!(parse(written), Some(expected), "{written}");
        }
        for none in [
            "",
            "soon",
            "2015",
            "2015-13-01",
            "24/07/2015x",
            "yesterday, 2015",
            "€€€€€€€€",
        ] {
            assert_eq!(parse(none), None, "{none}");
        }
    }
}
