//! Dates and times as files write them.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, fmt::rfc2822};

/// Milliseconds since 1970 of a date or time in ISO 8601 or as mail writes it;
/// what has no zone counts as UTC.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.trim().trim_matches(['<', '>', '[', ']']);
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_millisecond());
    }
    if let Ok(at) = rfc2822::parse(text) {
        return Some(at.timestamp().as_millisecond());
    }
    let utc = |at: DateTime| Some(TimeZone::UTC.to_timestamp(at).ok()?.as_millisecond());
    if let Ok(at) = text.parse::<DateTime>() {
        return utc(at);
    }
    // Org: `2024-03-01 Fri 10:30`.
    let mut words = text.split_whitespace();
    let date: Date = words.next()?.parse().ok()?;
    let time = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let midnight = date.at(0, 0, 0, 0);
    let Some((hour, minute)) = time.and_then(|time| time.split_once(':')) else {
        return utc(midnight);
    };
    let (Ok(hour), Ok(minute)) = (hour.parse::<i8>(), minute.get(..2)?.parse::<i8>()) else {
        return utc(midnight);
    };
    match jiff::civil::Time::new(hour, minute, 0, 0) {
        Ok(time) => utc(date.to_datetime(time)),
        Err(_) => utc(midnight),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_files_write_them() {
        let day = 1_709_251_200_000; // 2024-03-01T00:00:00Z
        assert_eq!(parse("2024-03-01"), Some(day));
        assert_eq!(parse("<2024-03-01 Fri 10:30>"), Some(day + 37_800_000));
        assert_eq!(parse("[2024-03-01 Fri]"), Some(day));
        assert_eq!(parse("2024-03-01T10:30:00+01:00"), Some(day + 34_200_000));
        assert_eq!(
            parse("Fri, 01 Mar 2024 10:30:00 GMT"),
            Some(day + 37_800_000)
        );
        assert_eq!(parse("March"), None);
        assert_eq!(parse("2024-03-01 9:é"), Some(day));
    }
}
